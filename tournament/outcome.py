"""Put a reading and the rules together: whose boards they are, their sheets, and what each doubt is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import dist
from types import MappingProxyType

from boardsight.scoring.account import Sheet
from boardsight.scoring.boards import Tile
from boardsight.scoring.errors import NotationError
from boardsight.scoring.highscore import DICE, Challenge, every_card, throw_problem
from boardsight.scoring.notation import UNREAD as UNREAD_TILE
from boardsight.scoring.notation import Occupant, State, Unread, parse_position
from boardsight.scoring.relocation import Relocation, best_relocation
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score
from boardsight.tournament.fleet import fleet_warnings, with_fleet, without_ships
from boardsight.tournament.piles import pile_doubts, pile_state, seen_sheet
from boardsight.vision.files import quoted
from boardsight.vision.reading import EMPTY, UNREAD, BoardReading, CellReading, Fault, PieceReading, Point, Reading


@dataclass(frozen=True, slots=True)
class Player:
    """One player's boards in a photo, as a state and with its sheet."""

    boards: tuple[BoardReading, ...]
    state: State
    sheet: Sheet
    relocation: Relocation | None = None
    """The best that the tiles of the reserve can still do; None where there are none, or one was not read."""
    pieces: tuple[PieceReading, ...] = ()
    """The loose pieces that the state was made of."""

    @property
    def certain(self) -> bool:
        """Return True where every tile, ship and loose piece of the player is certain."""
        return all(board.certain for board in self.boards) and all(piece.certain for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A reading with the sheets that follow from it, and all that must be said about it."""

    reading: Reading
    players: tuple[Player, ...] = ()
    """One for each player whose boards the photo shows; none where it could not be read."""
    warnings: tuple[str, ...] = ()
    scorings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Dice without a challenge card: the total under each scoring, by the vortex value."""

    @property
    def name(self) -> str:
        """Return the photo's name as one printable line, whatever bytes it is made of."""
        text = self.reading.photo.encode("utf-8", "replace").decode("utf-8")
        return "".join(c if c.isprintable() else "?" for c in text)


def _middle(board: BoardReading) -> Point:
    n = max(1, len(board.cells))
    return sum(cell.centre[0] for cell in board.cells) / n, sum(cell.centre[1] for cell in board.cells) / n


def by_player(boards: Sequence[BoardReading]) -> tuple[tuple[BoardReading, ...], ...]:
    """Return the boards of a photo player by player: a board that lies beside another goes to the nearest one."""
    players = [[board] for board in boards if not board.board.beside]
    for board in boards:
        if not board.board.beside:
            continue
        free = [
            player
            for player in players
            if player[0].board.name == board.board.beside
            and all(other.board.name != board.board.name for other in player)
        ]
        if free:
            min(free, key=lambda player: dist(_middle(player[0]), _middle(board))).append(board)
        else:
            players.append([board])
    return tuple(tuple(player) for player in players)


def _occupant(board: BoardReading, text: str) -> Occupant:
    tile: Tile | None = board.board.tile_set.by_text.get(text)
    if tile is None and text != EMPTY:
        raise NotationError(f"{text!r} is no tile of {board.board.name!r}")
    return tile


def _reserve(boards: Sequence[BoardReading]) -> tuple[Tile | Unread, ...]:
    """Return the loose tiles of a player's boards."""
    return tuple(board.board.tile_set.by_text.get(c.tile, UNREAD_TILE) for board in boards for c in board.reserve)


def _changed(state: State, board: BoardReading, cell: CellReading) -> State:
    """Return the state with a cell's runner-up in place of its reading."""
    if cell in board.reserve:
        return state  # what lies loose scores nothing
    positions = tuple(
        p.with_tile(cell.cell, _occupant(board, cell.runner_up)) if p.board is board.board else p
        for p in state.positions
    )
    return replace(state, positions=positions)


def doubt(player: Player, board: BoardReading, cell: CellReading, rules: Rules) -> str:
    """Return the warning about a doubtful cell: its reading, the runner-up, and how the total would change."""
    where = f"{board.board.name} {cell.cell}"
    says = "could not be read" if cell.tile == UNREAD else f"reads {cell.tile} ({100 * cell.confidence:.0f} % sure)"
    if cell.runner_up in ("", UNREAD):
        return f"{where} {says}"
    now = player.sheet.total
    then = score(_changed(player.state, board, cell), rules).total
    change = f"would stay {now}" if then == now else f"would be {then} instead of {now}"
    other = "an empty space" if cell.runner_up == EMPTY else cell.runner_up
    return f"{where} {says}; it may be {other}, and then the total {change}"


def assess(
    reading: Reading, rules: Rules, card: Challenge | None = None, dice: int | None = None, hand: int = 0
) -> Outcome:
    """Return the players of a reading with their sheets, and everything that must be said about it.

    ``card`` says how dice score; without one the outcome has the total under each scoring. ``dice`` is how many there
    must be, the game's own number unless given. ``hand`` is how many special cards are still in hand beside a pile.
    """
    if reading.fault is not None:
        return Outcome(reading, (), reading.warnings)
    if rules.ships == "none":
        reading = without_ships(reading)
    if reading.dice:
        return _assess_dice(reading, rules, card, DICE if dice is None else dice)
    if reading.cards:
        state, sheet = pile_state(reading.pieces, hand), seen_sheet(reading.pieces, hand)
        warnings = [*reading.warnings, *pile_doubts(reading.pieces, hand)]
        player = Player((), state, sheet, pieces=reading.pieces)
        return Outcome(reading, (player,), tuple(dict.fromkeys(warnings)))
    players = []
    for boards in by_player(reading.boards):
        positions = tuple(parse_position(board.notation, board.board) for board in boards)
        state = with_fleet(State(boards[0].board.game, positions, _reserve(boards)), boards[0].fleet)
        open_moves = state.reserve and UNREAD_TILE not in state.reserve
        best = best_relocation(state, rules) if open_moves else None
        players.append(Player(boards, state, score(state, rules), best))
    warnings = [*reading.warnings, *(text for board in reading.boards for text in board.warnings)]
    warnings += [
        doubt(player, board, cell, rules)
        for player in players
        for board in player.boards
        for cell in board.pieces
        if not cell.certain
    ]
    warnings += [
        text
        for player in players
        for board in player.boards
        if board.fleet is not None
        for text in fleet_warnings(board.board.name, board.fleet, player.state, rules)
    ]
    return Outcome(reading, tuple(players), tuple(dict.fromkeys(warnings)))


def _assess_dice(reading: Reading, rules: Rules, card: Challenge | None, count: int) -> Outcome:
    """Return the outcome of a throw of dice; a wrong number or face is a fault that keeps what was read."""
    problem = throw_problem(reading.dice, count)
    state = State(reading.game, dice=reading.dice)
    players = () if problem or card is None else (Player((), state, score(state, rules, card), pieces=reading.pieces),)
    warnings = list(reading.warnings)
    for i, die in enumerate(reading.pieces):
        if die.certain:
            continue
        (x, y), sure = die.centre, 100 * die.confidence
        says = f"the die at ({x:.0f}, {y:.0f}) reads {die.text} ({sure:.0f} % sure)"
        says += f"; it may be {die.runner_up}" if die.runner_up else ""
        other = (*reading.dice[:i], die.runner_up, *reading.dice[i + 1 :])
        if players and die.runner_up and not throw_problem(other, count):
            now, then = players[0].sheet.total, score(replace(state, dice=other), rules, card).total
            says += ", and then the total " + (
                f"would stay {now}" if then == now else f"would be {then} instead of {now}"
            )
        warnings.append(says)
    if problem:
        reading = replace(reading, fault=Fault("wrong-count", f"{quoted(reading.photo)} {problem}"))
    scorings = every_card(reading.dice) if not problem and card is None else {}
    return Outcome(reading, players, tuple(dict.fromkeys(warnings)), MappingProxyType(scorings))
