"""Replay rounds of the tile games: each tile that is called, where every player put it, launches, relocation.

A call is a tile, and each player answers with a cell: ``r3.2``; with a launch, ``r3.2 launch white+orange``; on
the Scrap Yard, ``scrap c1.1``; in the Orchid's reserve, ``reserve``. The last call of an Orchid round may be
``relocate``, answered with ``c3.1=1-11-10s c3.4=1-2-3sg`` or ``-``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from boardsight.scoring.account import Sheet, SheetLine
from boardsight.scoring.boards import BOARDS, Board, Tile, boards_of
from boardsight.scoring.errors import BoardsightError, NotationError
from boardsight.scoring.match import Call, Match
from boardsight.scoring.notation import Position, State, parse_tile
from boardsight.scoring.record import PlayerRound, Refusal, RoundResult
from boardsight.scoring.relocation import relocated
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score
from boardsight.scoring.ships import launch_problem, with_launch
from boardsight.scoring.status import RESERVE
from boardsight.scoring.variants import passed_yards, passing_order, shared_penalties

RELOCATE, LAUNCH, SCRAP, RESERVE_WORD, NONE = "relocate", "launch", "scrap", "reserve", "-"


class _Illegal(BoardsightError):
    """Why a move is refused; never leaves this module."""


def _boards(match: Match) -> tuple[Board, ...]:
    """Return the boards that each player fills, the main one first, in the form that is played."""
    main = match.headers.get("board", boards_of(match.game)[0].name)
    names = [main]
    if main == "nexus" and match.rules.scrapyard != "none":
        names.append("scrapyard")
    forms = ((BOARDS[name], match.form) for name in names)
    return tuple(next((f for f in board.forms if f.form == form), board) for board, form in forms)


def tiles_in_round(boards: Sequence[Board]) -> int:
    """Return how many tiles are drawn: one for each space, and three more for the Orchid's reserve."""
    spaces = sum(cell.kind == "space" for board in boards for cell in board.cells)
    return spaces + (RESERVE if boards[0].name == "orchid" else 0)


def _free_cell(position: Position, cell: str) -> None:
    if cell not in position.board.index:
        raise _Illegal(f"{cell!r} is no cell of the {position.board.name} board")
    if position.at(cell) is not None:
        raise _Illegal(f"{cell} is occupied by {position.at(cell)}")
    if position.board.cells[position.board.index[cell]].kind == "orchid":
        raise _Illegal(f"{cell} is an orchid cell, which is filled by relocation only")


def _put(state: State, board: str, cell: str, tile: Tile) -> State:
    position = state.position(board)
    if position is None:
        raise _Illegal(f"there is no {board} in this game")
    _free_cell(position, cell)
    return replace(state, positions=tuple(p.with_tile(cell, tile) if p is position else p for p in state.positions))


def _answer(state: State, tile: Tile, entry: str, rules: Rules) -> State:
    """Return the state after a player's answer to a call.

    Raises _Illegal where the rules do not allow it.
    """
    words = entry.split()
    main = state.positions[0].board.name
    if words == [NONE]:
        raise _Illegal("every player must place the tile that is called")
    if words[0] == SCRAP:
        if len(words) != 2:
            raise _Illegal("one cell of the Scrap Yard must be named, e.g. scrap c1.1")
        return _put(state, "scrapyard", words[1], tile)
    if words == [RESERVE_WORD]:
        if main != "orchid":
            raise _Illegal("only the Orchid has a reserve")
        if len(state.reserve) >= RESERVE:
            raise _Illegal(f"the reserve holds {RESERVE} tiles already")
        return replace(state, reserve=(*state.reserve, tile))
    after = _put(state, main, words[0], tile)
    if len(words) == 1:
        return after
    if len(words) != 3 or words[1] != LAUNCH:
        raise _Illegal(f"after the cell only {LAUNCH} SHIP+SHIP may follow")
    if state.game != "take-it-higher" or rules.ships not in ("simple", "advanced"):
        raise _Illegal("spaceships are not played; the header rules must say simple or advanced")
    ships = words[2].split("+")
    problem = launch_problem(after, words[0], ships, rules.ships)
    if problem:
        raise _Illegal(problem)
    return with_launch(after, words[0], ships)


def _place_only(state: State, tile: Tile, entry: str) -> State:
    """Return the state after the placement of an answer whose launch was refused, or the same state."""
    try:
        return _answer(state, tile, entry.split()[0], Rules())
    except _Illegal:
        return state


def _relocate(state: State, entry: str) -> State:
    """Return the state after a player's relocation.

    Raises _Illegal where the rules do not allow it.
    """
    if entry == NONE:
        return state
    moves: list[tuple[str, Tile]] = []
    orchid = state.positions[0]
    for word in entry.split():
        cell, equals, text = word.partition("=")
        if not equals:
            raise _Illegal(f"{word!r} must read CELL=TILE, e.g. c3.1=1-11-10s")
        tile = next((t for t in state.reserve if isinstance(t, Tile) and t.text == text), None)
        if tile is None:
            raise _Illegal(f"{text} is not in the reserve")
        if cell not in orchid.board.index or orchid.board.cells[orchid.board.index[cell]].kind != "orchid":
            raise _Illegal(f"{cell!r} is no orchid cell")
        if any(cell == other for other, _ in moves):
            raise _Illegal(f"{cell} is filled twice")
        if any(tile is other for _, other in moves):
            raise _Illegal(f"{text} is moved twice")
        moves.append((cell, tile))
    return relocated(state, tuple(moves))


class TileRound:
    """One round while it is replayed; the only thing here that changes, and it does not leave this module."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.boards = _boards(match)
        self.states = [State(match.game, tuple(Position.empty(board) for board in self.boards)) for _ in match.players]
        if match.rules.ships in ("simple", "advanced") and match.game == "take-it-higher":
            self.states = [replace(state, ring=0) for state in self.states]
        self.called: dict[str, int] = {}
        self.relocated = False
        self.refusals: list[Refusal] = []

    def refuse(self, line: int, move: str, reason: str, player: str = "") -> None:
        """Note a move that is left out."""
        self.refusals.append(Refusal(line, player, move, reason))

    def call_problem(self, call: str) -> str:
        """Return why a tile may not be called, or an empty text."""
        try:
            tile = parse_tile(call, self.boards[0].tile_set)
        except NotationError as error:
            return str(error)
        if self.relocated:
            return "tiles were relocated already: the round is over"
        if call in self.called:
            return f"{call} was called before, on line {self.called[call]}"
        most = tiles_in_round(self.boards)
        if len(self.called) >= most:
            return f"{most} tiles are drawn in a round, this is one more"
        if self.boards[0].name == "orchid" and not self.match.rules.mixed and self.called:
            first = parse_tile(next(iter(self.called)), self.boards[0].tile_set)
            if first.get("symbol") != tile.get("symbol"):
                return "the Orchid is played with suns only or moons only, unless the rules say suns-and-moons"
        return ""

    def play(self, line: int, call: Call) -> None:
        """Play one call, noting what is refused."""
        if call.call == RELOCATE:
            self.relocate(line, call)
            return
        problem = self.call_problem(call.call)
        if problem:
            self.refuse(line, call.call, problem)
            return
        self.called[call.call] = line
        tile = parse_tile(call.call, self.boards[0].tile_set)
        for i, (player, entry) in enumerate(zip(self.match.players, call.entries, strict=True)):
            try:
                self.states[i] = _answer(self.states[i], tile, entry, self.match.rules)
            except _Illegal as why:
                self.refuse(line, entry, str(why), player)
                if f" {LAUNCH} " in entry:
                    self.states[i] = _place_only(self.states[i], tile, entry)

    def relocate(self, line: int, call: Call) -> None:
        """Play the relocation at the end of an Orchid round."""
        most = tiles_in_round(self.boards)
        if self.boards[0].name != "orchid":
            self.refuse(line, call.call, "only the Orchid relocates tiles")
        elif self.relocated:
            self.refuse(line, call.call, "tiles were relocated already")
        elif len(self.called) < most:
            self.refuse(line, call.call, f"tiles are relocated after the last tile, {len(self.called)} of {most} drawn")
        else:
            self.relocated = True
            for i, (player, entry) in enumerate(zip(self.match.players, call.entries, strict=True)):
                try:
                    self.states[i] = _relocate(self.states[i], entry)
                except _Illegal as why:
                    self.refuse(line, entry, str(why), player)


def _with_penalty(sheet: Sheet, penalty: int, value: int) -> Sheet:
    """Return a sheet with the scrap yard that its player holds at the end."""
    subtotals = {**sheet.subtotals, "scrapyard-penalty": penalty, "scrapyard-value": value}
    lines = (*sheet.lines, SheetLine("penalty", penalty, value=value, board="scrapyard")) if penalty else sheet.lines
    return Sheet(lines, subtotals, sheet.total + penalty)


def round_sheets(match: Match, states: Sequence[State], totals: Mapping[str, int]) -> tuple[Sheet, ...]:
    """Return the players' sheets, the scrap yards of the variants settled among them."""
    sheets = [score(state, match.rules) for state in states]
    variant = match.rules.scrapyard
    if variant not in ("lowest", "pass") or states[0].position("scrapyard") is None:
        return tuple(sheets)
    values = {p: s.subtotals["scrapyard-value"] for p, s in zip(match.players, sheets, strict=True)}
    if variant == "pass":
        values = passed_yards(passing_order(match.players, totals), values)
    held = [values[player] for player in match.players]
    penalties = shared_penalties(held, variant)
    return tuple(_with_penalty(*each) for each in zip(sheets, penalties, held, strict=True))


def replay_round(
    match: Match, number: int, at: int, calls: Sequence[tuple[int, Call]], totals: Mapping[str, int]
) -> tuple[RoundResult, tuple[Refusal, ...]]:
    """Return how a round ended, and the moves that were refused; `totals` are those before the round."""
    played = TileRound(match)
    for line, call in calls:
        played.play(line, call)
    most = tiles_in_round(played.boards)
    if len(played.called) < most:
        played.refuse(at, f"round {number}", f"the round is not finished: {len(played.called)} of {most} tiles")
    sheets = round_sheets(match, played.states, totals)
    players = tuple(
        PlayerRound(player, sheet.total, state, sheet)
        for player, state, sheet in zip(match.players, played.states, sheets, strict=True)
    )
    caller = match.players[(number - 1) % len(match.players)]
    return RoundResult(number, caller, players), tuple(played.refusals)
