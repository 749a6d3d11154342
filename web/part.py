"""One player's part of a photo: the reading, what was set by hand, and the sheet that follows from both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from boardsight.scoring.account import Sheet
from boardsight.scoring.boards import Tile
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.highscore import Challenge
from boardsight.scoring.notation import State, format_position, parse_state
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score
from boardsight.scoring.status import Problem, status
from boardsight.tournament.outcome import Player, assess, by_player
from boardsight.tournament.rows import Correction
from boardsight.vision.correct import correct
from boardsight.vision.reader import CERTAIN
from boardsight.vision.reading import EMPTY, UNREAD, BoardReading, CellReading, Reading

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


def _sheet(state: State, played: Played) -> tuple[Sheet | None, str]:
    if state.game == "high-score" and not state.dice:
        return None, "Enter the dice."
    if state.game == "high-score" and not played.challenge:
        return None, "Say which challenge card is played."
    try:
        challenge = Challenge.parse(played.challenge) if state.game == "high-score" else None
        return score(state, played.rules, challenge), ""
    except BoardsightError as error:
        return None, str(error)


def _player(reading: Reading, boards: Sequence[BoardReading], rules: Rules) -> Player | None:
    return next(iter(assess(replace(reading, boards=tuple(boards)), rules).players), None)


def part(
    reading: Reading,
    number: int,
    group: Sequence[tuple[int, BoardReading]],
    corrections: Iterable[Correction],
    played: Played,
) -> Part:
    """Return one player's part of a reading, corrected and scored."""
    mine = in_order(corrections)
    numbers = [n for n, _ in group] or [1]
    seen = tuple(board for _, board in group)
    fixed = _fixed(mine, group)
    settled = any(c.what == WAY and c.value and c.board in numbers for c in mine)
    first = _player(reading, seen, played.rules)
    state = _with_extras(first.state if first else State(reading.game), mine, numbers)
    held = {text for part in fixed for text in part.values()}
    taken = frozenset(tile.text for tile in state.reserve if isinstance(tile, Tile)) - held

    def at(some: Sequence[Mapping[str, str]]) -> tuple[tuple[BoardReading, ...], State]:
        boards = correct(seen, some, taken=taken - {t for p in some for t in p.values()}, settled=settled)
        player = _player(reading, boards, played.rules)
        return boards, _with_extras(player.state if player else state, mine, numbers)

    boards, state = at(fixed) if group else ((), state)
    sheet, missing = _sheet(state, played)
    total = sheet.total if sheet else 0
    way = 1.0 if settled else min((board.way for board in boards), default=1.0)
    doubts = []
    for i, board in enumerate(boards):
        for cell in board.cells:
            if sure(cell, board):
                continue
            other, other_total = cell.runner_up, total
            if other in ("", UNREAD):
                other = ""
            else:
                tried = [dict(p) for p in fixed]
                tried[i][cell.cell] = other
                then, _ = _sheet(at(tried)[1], played)
                other_total = then.total if then else 0
            doubts.append(Doubt(numbers[i], cell.cell, cell.tile, other, cell.confidence, total, other_total))
    return Part(
        number,
        tuple(zip(numbers, boards, strict=False)),
        seen,
        fixed,
        taken,
        state,
        sheet,
        missing,
        tuple(doubts),
        status(state, played.rules),
        way,
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
    return tuple(part(reading, i, group, corrections, played(i)) for i, group in enumerate(groups, start=1))


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
