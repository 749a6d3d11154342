"""One player's part of a photo: the reading, what was set by hand, and the sheet that follows from both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from boardsight.scoring.account import Sheet
from boardsight.scoring.boards import Tile
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.highscore import Challenge
from boardsight.scoring.notation import DICE_FACES, State, format_position, parse_state
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score
from boardsight.scoring.status import Problem, status
from boardsight.tournament.outcome import Player, assess, by_player
from boardsight.tournament.rows import Correction
from boardsight.vision.correct import correct
from boardsight.vision.reader import CERTAIN
from boardsight.vision.reading import EMPTY, UNREAD, BoardReading, CellReading, Point, Reading

READ_AGAIN = "read again"
"""Who made a correction that follows from another one: spaces that were read anew around it."""
WAY = "way"
"""What a correction is about that says the boards lie as they were read."""
EXTRAS = ("ships", "ring", "reserve", "cards", "hand", "dice")
"""What a correction can be about beside the spaces of a board."""
LOOSE = ("take-5", "high-score")
"""Games that have no board of tiles."""


@dataclass(frozen=True, slots=True)
class Played:
    """The rules that a sheet follows."""

    rules: Rules = Rules()
    challenge: str = ""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A space that could be read in two ways, and what each would give."""

    board: int
    """Number of the board in the reading, from 1."""
    cell: str
    tile: str
    other: str
    """The second reading; empty if there is none."""
    confidence: float
    total: int
    """With the reading as it is."""
    other_total: int
    """With the second reading in its place, and everything else read again around it."""
    what: str = ""
    """What a correction that ends the doubt is about: the space, or the reserve, cards or dice as a whole."""
    value: str = ""
    """What to set it to where the reading is right."""
    other_value: str = ""
    """What to set it to where the second reading is."""


@dataclass(frozen=True, slots=True)
class Loose:
    """A loose piece: a tile in reserve, a card or a die."""

    what: str
    """``reserve``, ``cards`` or ``dice``."""
    index: int
    """Among its kind, from 0."""
    text: str
    """What it is, read or set by hand."""
    other: str
    """The second reading; empty if there is none, or if it is certain."""
    confidence: float
    certain: bool
    centre: Point
    outline: tuple[Point, ...] = ()

    @property
    def name(self) -> str:
        """Return what a player calls it."""
        return f"{ {'reserve': 'reserve', 'cards': 'card', 'dice': 'die'}[self.what] } {self.index + 1}"


@dataclass(frozen=True, slots=True)
class Part:
    """The boards of one player in a photo as they are read and corrected now, and their sheet."""

    number: int
    """Of the player within the photo, from 1."""
    boards: tuple[tuple[int, BoardReading], ...]
    """Each board with its number in the reading, from 1."""
    seen: tuple[BoardReading, ...]
    """The same boards as they were read, before any correction."""
    fixed: tuple[Mapping[str, str], ...]
    """What was set by hand on each of them."""
    taken: frozenset[str]
    """Tiles in the reserve."""
    state: State
    sheet: Sheet | None
    """None where something is missing that the sheet needs; `missing` says what."""
    missing: str = ""
    doubts: tuple[Doubt, ...] = ()
    problems: tuple[Problem, ...] = ()
    way: float = 1.0
    """How sure it is that the boards lie as they were read; 1 where that was said by hand."""
    loose: tuple[Loose, ...] = ()
    """Tiles in reserve, cards and dice that the photo shows."""

    @property
    def certain(self) -> bool:
        """Return True where nothing is in doubt."""
        return not self.doubts and self.way >= CERTAIN

    @property
    def total(self) -> int:
        """Return the total, 0 where there is no sheet yet."""
        return self.sheet.total if self.sheet else 0

    def doubtful(self, board: int, cell: str) -> Doubt | None:
        """Return the doubt about a space, or None if there is none."""
        return next((d for d in self.doubts if (d.board, d.cell) == (board, cell)), None)


def numbered(reading: Reading) -> tuple[tuple[tuple[int, BoardReading], ...], ...]:
    """Return the boards of a reading player by player, each with its number, counted as in the JSON."""
    groups, n = [], 0
    for group in by_player(reading.boards):
        groups.append(tuple((n + i, board) for i, board in enumerate(group, start=1)))
        n += len(group)
    return tuple(groups)


def by_hand(corrections: Iterable[Correction], number: int, board: BoardReading) -> dict[str, str]:
    """Return what was set by hand on the spaces of one board."""
    return {c.what: c.value for c in corrections if c.board == number and c.what in board.board.index}


def in_order(corrections: Iterable[Correction]) -> tuple[Correction, ...]:
    """Return what people set themselves, oldest first; a tile that was set twice lies where it was set last."""
    mine = sorted((c for c in corrections if c.who != READ_AGAIN), key=lambda c: c.id)
    return tuple(mine)


def _fixed(mine: Sequence[Correction], group: Sequence[tuple[int, BoardReading]]) -> tuple[dict[str, str], ...]:
    last: dict[str, Correction] = {}
    for c in mine:
        if any(c.board == number and c.what in board.board.index for number, board in group):
            last[c.value] = c
    return tuple(
        {
            c.what: c.value
            for c in mine
            if c.board == number and c.what in board.board.index and (c.value == EMPTY or last[c.value] is c)
        }
        for number, board in group
    )


def extra(state: State, what: str, value: str) -> State:
    """Return a state with its ships, ring, reserve, cards, hand or dice as a line of notation says.

    Raises NotationError where it cannot be parsed.
    """
    text = " ".join(value.split())
    if what == "cards":
        return replace(state, cards=parse_state(text, "take-5").cards if text else ())
    if what == "hand":
        return replace(state, hand=parse_state(f"hand {text}", "take-5").hand if text else ())
    if what == "dice":
        return replace(state, dice=parse_state(text, "high-score").dice if text else ())
    if what == "ring":
        bare = replace(state, reserve=(), ships=(), ring=None)
        return replace(state, ring=parse_state(f"{bare} ; ring: {text}", state.game).ring if text else None)
    if not text:
        return replace(state, ships=()) if what == "ships" else replace(state, reserve=())
    bare = replace(state, reserve=(), ships=(), ring=None)
    found = parse_state(f"{bare} ; {what}: {text}", state.game)
    return replace(state, ships=found.ships) if what == "ships" else replace(state, reserve=found.reserve)


def _with_extras(state: State, mine: Sequence[Correction], numbers: Iterable[int]) -> State:
    mark = set(numbers) or {1}
    for c in mine:
        if c.what in EXTRAS and c.board in mark:
            state = extra(state, c.what, c.value)
    return state


def _sheet(state: State, played: Played, player: Player | None) -> tuple[Sheet | None, str]:
    """Return the sheet of a state, or what it lacks; the player's own where the state is as it was read."""
    if state.game == "high-score" and not state.dice:
        return None, "Enter the dice."
    if state.game == "high-score" and not played.challenge:
        return None, "Say which challenge card is played."
    if player is not None and state == player.state and state.game != "high-score":
        return player.sheet, ""
    try:
        challenge = Challenge.parse(played.challenge) if state.game == "high-score" else None
        return score(state, played.rules, challenge), ""
    except BoardsightError as error:
        return None, str(error)


#: What the kinds of loose pieces of a reading are called among the corrections.
_KINDS = {"die": "dice", "card": "cards"}


def _pieces(reading: Reading, group: Sequence[tuple[int, BoardReading]]) -> Iterator[Loose]:
    """Yield the loose pieces as they were read."""
    for n, tile in enumerate(tile for _, board in group for tile in board.reserve):
        yield Loose(
            "reserve", n, tile.tile, tile.runner_up, tile.confidence, tile.certain, tile.centre, tuple(tile.outline)
        )
    counts = dict.fromkeys(_KINDS.values(), 0)
    for piece in () if group else reading.pieces:
        what = _KINDS[piece.kind]
        text = piece.text if what == "cards" or piece.text in DICE_FACES else UNREAD
        yield Loose(
            what, counts[what], text, piece.runner_up, piece.confidence, piece.certain, piece.centre, piece.outline
        )
        counts[what] += 1


def _held(state: State, what: str) -> tuple[str, ...]:
    values: tuple[object, ...] = getattr(state, what)
    return tuple(map(str, values))


class _Maker:
    """Makes one player's part; what the corrections mean is worked out once."""

    def __init__(
        self,
        reading: Reading,
        group: Sequence[tuple[int, BoardReading]],
        corrections: Iterable[Correction],
        played: Played,
    ) -> None:
        self.reading, self.played = reading, played
        self.mine = in_order(corrections)
        self.numbers = [n for n, _ in group] or [1]
        self.seen = tuple(board for _, board in group)
        self.fixed = _fixed(self.mine, group)
        self.settled = any(c.what == WAY and c.value and c.board in self.numbers for c in self.mine)
        self.read = tuple(_pieces(reading, group))
        self.by_hand = {c.what for c in self.mine if c.board in self.numbers}
        _, state, _ = self.at(self.fixed, frozenset())
        self.reserve = frozenset(tile.text for tile in state.reserve if isinstance(tile, Tile))

    def at(
        self, fixed: Sequence[Mapping[str, str]], taken: frozenset[str]
    ) -> tuple[tuple[BoardReading, ...], State, Player | None]:
        """Return boards, state and player with some spaces set by hand."""
        held = {text for part in fixed for text in part.values()}
        again = any(fixed) or self.settled or "reserve" in self.by_hand
        boards = correct(self.seen, fixed, taken=taken - held if again else frozenset(), settled=self.settled)
        found = assess(replace(self.reading, boards=boards), self.played.rules).players
        player = found[0] if found else None
        cards = tuple(piece.text for piece in self.read if piece.what == "cards")
        dice = tuple(piece.text for piece in self.read if piece.what == "dice")
        state = player.state if player else State(self.reading.game, cards=cards, dice=dice)
        return boards, _with_extras(state, self.mine, self.numbers), player

    def total(self, state: State, player: Player | None) -> int:
        sheet, _ = _sheet(state, self.played, player)
        return sheet.total if sheet else 0

    def part(self, number: int) -> Part:
        boards, state, player = self.at(self.fixed, self.reserve)
        sheet, missing = _sheet(state, self.played, player)
        loose = tuple(self._loose(state))
        doubts = [*self._doubts(boards, sheet.total if sheet else 0), *self._loose_doubts(state, loose)]
        return Part(
            number,
            tuple(zip(self.numbers, boards, strict=False)),
            self.seen,
            self.fixed,
            self.reserve,
            state,
            sheet,
            missing,
            tuple(doubts),
            status(state, self.played.rules),
            1.0 if self.settled else min((board.way for board in boards), default=1.0),
            loose,
        )

    def _doubts(self, boards: Sequence[BoardReading], total: int) -> Iterator[Doubt]:
        for i, board in enumerate(boards):
            for cell in board.cells:
                if sure(cell, board):
                    continue
                other, other_total = cell.runner_up if cell.runner_up != UNREAD else "", total
                if other:
                    tried = [dict(p) for p in self.fixed]
                    tried[i][cell.cell] = other
                    _, state, player = self.at(tried, self.reserve)
                    other_total = self.total(state, player)
                at = self.numbers[i], cell.cell
                yield Doubt(*at, cell.tile, other, cell.confidence, total, other_total, cell.cell, cell.tile, other)

    def _loose(self, state: State) -> Iterator[Loose]:
        """Yield the loose pieces as they are now; where some were added or taken away, none can be shown.

        A piece is certain where it was read so, set to something else, or confirmed by a correction of its name.
        """
        for piece in self.read:
            now = _held(state, piece.what)
            if len(now) != sum(other.what == piece.what for other in self.read):
                continue
            text = now[piece.index]
            if text != piece.text or piece.name in self.by_hand:
                yield replace(piece, text=text, other="", confidence=1.0, certain=True)
            else:
                yield piece

    def _loose_doubts(self, state: State, loose: Iterable[Loose]) -> Iterator[Doubt]:
        total = self.total(state, None)
        for piece in loose:
            if piece.certain:
                continue
            now = list(_held(state, piece.what))
            value, other, other_total = " ".join(now), piece.other if piece.other not in (UNREAD, EMPTY) else "", total
            now[piece.index] = other
            if other:
                try:
                    other_total = self.total(extra(state, piece.what, " ".join(now)), None)
                except BoardsightError:
                    other = ""
            yield Doubt(
                *(self.numbers[0], piece.name, piece.text, other, piece.confidence, total, other_total),
                *(piece.what, value, " ".join(now)),
            )


def sure(cell: CellReading, board: BoardReading) -> bool:
    """Return True where a space is certain, whether or not it is that the board lies this way."""
    if cell.certain:
        return True
    return cell.tile != UNREAD and cell.confidence / max(board.way, 1e-9) >= CERTAIN


def parts(
    reading: Reading, corrections: Iterable[Correction], played: Callable[[int], Played] = lambda number: Played()
) -> tuple[Part, ...]:
    """Return the parts of all players in a reading; `played` tells the rules of a part by its number."""
    if reading.fault is not None:
        return ()
    corrections = tuple(corrections)
    groups = numbered(reading)
    if not groups and reading.game in LOOSE:
        groups = ((),)
    return tuple(_Maker(reading, group, corrections, played(i)).part(i) for i, group in enumerate(groups, start=1))


def consequences(one: Part) -> tuple[tuple[int, str, str], ...]:
    """Return the spaces that read otherwise than they were read at first because of what was set by hand elsewhere.

    Each is the board's number, the cell and its text.
    """
    found = []
    for (number, board), before, fixed in zip(one.boards, one.seen, one.fixed, strict=True):
        for cell, was in zip(board.cells, before.cells, strict=True):
            if cell.tile != was.tile and cell.cell not in fixed:
                found.append((number, cell.cell, cell.tile))
    return tuple(found)


def board_line(one: Part) -> str:
    """Return the boards of a part as text, for a screen reader or a copy."""
    return " ; ".join(f"{p.board.title}: {format_position(p)}" for p in one.state.positions)
