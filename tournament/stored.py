"""A stored reading as states that can be scored again: with other rules, and with what was corrected by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from types import MappingProxyType

from boardsight.scoring.account import Sheet
from boardsight.scoring.boards import BOARDS, Board
from boardsight.scoring.errors import NotationError
from boardsight.scoring.highscore import Challenge
from boardsight.scoring.notation import (
    EMPTY_TEXT,
    UNREAD,
    UNREAD_TEXT,
    Occupant,
    Position,
    State,
    format_state,
    parse_position,
    parse_state,
    parse_tile,
)
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score
from boardsight.scoring.take5 import pile_sheet
from boardsight.tournament.lists import boards_by_player
from boardsight.tournament.rows import Correction
from boardsight.tournament.work import JsonObject

EXTRAS = ("ships", "ring", "reserve", "cards", "hand", "dice")
"""What a correction may be about besides a cell."""
LOOSE: Mapping[str, str] = MappingProxyType({"card": "cards", "die": "dice"})
"""Pieces that lie on no board, and where a state has them."""
MOST_COMBINATIONS = 256
"""Of doubtful tiles that are scored one by one; where there are more, the changes are added up."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A tile that is not certain."""

    position: int
    """Number of its board in the state, from 0; of a card or die, its number among them."""
    cell: str
    """Name of the cell; ``card`` or ``die`` for a loose piece."""
    tile: str
    runner_up: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Part:
    """One player's boards in a photo, as they stand after the corrections."""

    state: State
    doubts: tuple[Doubt, ...] = ()
    corrected: tuple[str, ...] = ()
    """What was set by hand, e.g. ``easy c1.1``, and what changed because of it."""
    seen: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Colour and heads of each card as they are seen on it."""

    def sheet(self, rules: Rules, challenge: Challenge | None) -> Sheet:
        """Return the sheet; cards count by the heads that are seen.

        Raises BoardsightError where dice come without a challenge card.
        """
        if self.state.game == "take-5":
            return pile_sheet(self.state.cards, self.state.hand, self.seen)
        return score(self.state, rules, challenge)


def _board(obj: Mapping[str, object]) -> Board:
    return BOARDS[str(obj["board"])].form_named(str(obj.get("form", "")))


def _line(obj: JsonObject) -> str:
    """Return what goes with the boards of an object as the end of a line of notation."""
    parts = []
    for name in ("reserve", "ring"):
        if name in obj:
            value = obj[name]
            parts.append(f"{name}: {' '.join(map(str, value)) if isinstance(value, list) else value}")
    ships = obj.get("ships")
    if isinstance(ships, dict) and ships:
        parts.insert(0, "ships: " + " ".join(f"{cell}={'+'.join(names)}" for cell, names in ships.items()))
    return "".join(f" ; {part}" for part in parts)


def _words(obj: JsonObject, name: str) -> tuple[str, ...]:
    value = obj.get(name)
    return tuple(map(str, value)) if isinstance(value, list) else ()


def parts_of(obj: JsonObject, corrections: Iterable[Correction] = ()) -> tuple[Part, ...]:
    """Return the players of a photo's object, its corrections made; none where the photo was not read.

    Raises NotationError where a correction is no legal notation.
    """
    if "error" in obj and "boards" not in obj:
        return ()
    game = str(obj["game"])
    by_hand = {(c.board, c.what): c for c in corrections}
    players = boards_by_player(obj)
    if not players:
        state = State(game, cards=_words(obj, "cards"), hand=_words(obj, "hand"), dice=_words(obj, "dice"))
        state, said = _with_extras(state, by_hand, 1)
        return (Part(state, () if said else _loose_doubts(obj), said, _seen(obj)),)
    found = []
    order = {id(board): i for i, board in enumerate(_boards(obj), start=1)}
    for boards in players:
        numbers = [order[id(board)] for board in boards]
        positions, doubts, said = _cells(boards, numbers, by_hand)
        state = State(game, positions)
        if len(players) == 1 and (line := _line(obj)):
            state = replace(parse_state(format_state(state) + line, game), positions=positions)
        state, more = _with_extras(state, by_hand, numbers[0])
        found.append(Part(state, doubts, (*said, *more)))
    return tuple(found)


def _pieces(obj: JsonObject) -> list[JsonObject]:
    pieces = obj.get("pieces")
    return pieces if isinstance(pieces, list) else []


def _loose_doubts(obj: JsonObject) -> tuple[Doubt, ...]:
    """Return the doubts about cards or dice; each kind is counted from 0 in the order of the object."""
    found, numbers = [], {"card": 0, "die": 0}
    for piece in _pieces(obj):
        kind = str(piece["piece"])
        if kind in numbers and not piece["certain"]:
            runner_up, sure = str(piece.get("runner_up", "")), float(str(piece["confidence"]))
            found.append(Doubt(numbers[kind], kind, str(piece["text"]), runner_up, sure))
        numbers[kind] = numbers.get(kind, 0) + 1
    return tuple(found)


def _seen(obj: JsonObject) -> dict[str, tuple[str, int]]:
    """Return colour and heads of each card as they are seen on it."""
    return {str(p["text"]): (str(p["colour"]), int(str(p["heads"]))) for p in _pieces(obj) if "heads" in p}


def _boards(obj: JsonObject) -> list[JsonObject]:
    boards = obj.get("boards")
    return boards if isinstance(boards, list) else []


def _occupant(text: str, board: Board) -> Occupant:
    if text == EMPTY_TEXT:
        return None
    return UNREAD if text == UNREAD_TEXT else parse_tile(text, board.tile_set)


def _cells(
    boards: Sequence[JsonObject], numbers: Sequence[int], by_hand: Mapping[tuple[int, str], Correction]
) -> tuple[tuple[Position, ...], tuple[Doubt, ...], tuple[str, ...]]:
    """Return positions, doubts and what was set, of one player's boards.

    A tile set by hand lies where it was set and nowhere else: another cell that read the same tile takes its second
    reading, or is unread where that is no other tile.
    """
    positions, doubts, said = [], [], []
    set_here = {
        c.value for number in numbers for (at, what), c in by_hand.items() if at == number and what not in EXTRAS
    } - {EMPTY_TEXT, UNREAD_TEXT}
    for i, (obj, number) in enumerate(zip(boards, numbers, strict=True)):
        board = _board(obj)
        position = parse_position(str(obj["notation"]), board)
        cells = obj["cells"]
        for cell in cells if isinstance(cells, list) else ():
            name, tile, runner_up = str(cell["cell"]), str(cell["tile"]), str(cell.get("runner_up", ""))
            correction = by_hand.get((number, name))
            if correction is not None:
                position = position.with_tile(name, _occupant(correction.value, board))
                said.append(f"{board.name} {name}: {tile} is {correction.value}")
            elif tile in set_here:
                other = runner_up if runner_up and runner_up not in set_here else UNREAD_TEXT
                position = position.with_tile(name, _occupant(other, board))
                said.append(f"{board.name} {name}: {tile} lies elsewhere, so it is {other}")
                doubts.append(Doubt(i, name, other, "", 0.5))
            elif not cell["certain"]:
                doubts.append(Doubt(i, name, tile, runner_up, float(cell["confidence"])))
        positions.append(position)
    return tuple(positions), tuple(doubts), tuple(said)


def _with_extras(
    state: State, by_hand: Mapping[tuple[int, str], Correction], number: int
) -> tuple[State, tuple[str, ...]]:
    """Return a state with ships, ring, reserve, cards or dice as they were set by hand."""
    given = {what: by_hand[number, what].value for what in EXTRAS if (number, what) in by_hand}
    if not given:
        return state, ()
    if state.game == "high-score":
        state = parse_state(given.get("dice", " ".join(state.dice)), state.game)
    elif state.game == "take-5":
        cards = given.get("cards", " ".join(state.cards))
        hand = given.get("hand", " ".join(state.hand))
        state = parse_state(f"{cards} hand {hand}" if hand else cards, state.game)
    else:
        bare = replace(state, ships=(), ring=None, reserve=())
        kept = [part for part in format_state(state)[len(format_state(bare)) :].split(" ; ") if part]
        lines = {part.partition(":")[0]: part.partition(":")[2].strip() for part in kept} | given
        text = format_state(bare) + "".join(f" ; {what}: {lines[what]}" for what in EXTRAS if lines.get(what))
        state = replace(parse_state(text, state.game), positions=state.positions)
    return state, tuple(f"{what}: {value or 'none'}" for what, value in given.items())


def check_correction(obj: JsonObject, correction: Correction) -> None:
    """See whether a correction can be made to a photo's object; any legal tile may be set anywhere.

    Raises NotationError where it cannot, saying why.
    """
    boards = _boards(obj)
    if boards and not 1 <= correction.board <= len(boards):
        raise NotationError(f"the photo shows {len(boards)} boards, there is no number {correction.board}")
    if "error" in obj and not boards:
        raise NotationError("the photo was not read, so that there is nothing to correct; enter points instead")
    if correction.what not in EXTRAS:
        if not boards:
            raise NotationError(f"{correction.what!r} is none of {', '.join(EXTRAS)}")
        board = _board(boards[correction.board - 1])
        if correction.what not in board.index:
            raise NotationError(f"{correction.what!r} is no cell of the {board.name} board")
    parts_of(obj, [correction])


# ---------------------------------------------------------------- what doubts are worth


def _alternatives(state: State, doubt: Doubt) -> tuple[str, ...]:
    """Return what else may lie on a doubtful cell: its second reading, or for an unread tile any that is not seen."""
    if doubt.tile != UNREAD_TEXT or doubt.cell in LOOSE:
        return (doubt.runner_up,) if doubt.runner_up not in ("", UNREAD_TEXT) else ()
    seen = {str(tile) for position in state.positions for _, tile in position.placed()}
    tiles = state.positions[doubt.position].board.tile_set.by_text
    return tuple(text for text in tiles if text not in seen)


def _changed(state: State, doubt: Doubt, text: str) -> State:
    if doubt.cell in LOOSE:
        at, what = doubt.position, LOOSE[doubt.cell]
        texts = state.cards if what == "cards" else state.dice
        changed = (*texts[:at], text, *texts[at + 1 :])
        return replace(state, cards=changed) if what == "cards" else replace(state, dice=changed)
    position = state.positions[doubt.position]
    with_it = position.with_tile(doubt.cell, _occupant(text, position.board))
    positions = (*state.positions[: doubt.position], with_it, *state.positions[doubt.position + 1 :])
    return replace(state, positions=positions)


@dataclass(frozen=True, slots=True)
class Spread:
    """Between which points a part may lie if doubtful tiles are not what they read."""

    low: int
    high: int
    what: str = ""
    """The change that moves the points most, e.g. ``c1.1 9-2-3``."""


def spread(part: Part, points: Callable[[Part], int]) -> Spread:
    """Return what the doubts of a part are worth; `points` scores a part.

    All combinations are scored where they are few; else each tile alone, and the changes are added up.
    """
    now = points(part)
    choices = [(doubt.tile, *_alternatives(part.state, doubt)) for doubt in part.doubts]
    if prod(map(len, choices)) <= MOST_COMBINATIONS:
        found = [(points(replace(part, state=state)), what) for what, state in _combinations(part, choices)]
        low, high = min(p for p, _ in found), max(p for p, _ in found)
    else:
        found = [(now, "")]
        low = high = now
        for doubt, texts in zip(part.doubts, choices, strict=True):
            changed = [(replace(part, state=_changed(part.state, doubt, text)), text) for text in texts[1:]]
            alone = [(points(other), f"{doubt.cell} {text}") for other, text in changed]
            low += min((p - now for p, _ in alone if p < now), default=0)
            high += max((p - now for p, _ in alone if p > now), default=0)
            found += alone
    return Spread(low, high, max(found, key=lambda each: (abs(each[0] - now), -len(each[1])))[1])


def _combinations(part: Part, choices: Sequence[Sequence[str]]) -> Iterator[tuple[str, State]]:
    for texts in product(*choices):
        state, said = part.state, []
        for doubt, text in zip(part.doubts, texts, strict=True):
            if text != doubt.tile:
                state = _changed(state, doubt, text)
                said.append(f"{doubt.cell} {text}")
        yield ", ".join(said), state
