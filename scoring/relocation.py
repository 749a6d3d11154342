"""Relocate reserve tiles of the Orchid: every possibility, and the best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, permutations

from boardsight.scoring.boards import Tile
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.notation import Position, State
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import row_line, score


@dataclass(frozen=True, slots=True)
class Relocation:
    """Reserve tiles moved onto orchid cells, and what that does to the score."""

    moves: tuple[tuple[str, str], ...]
    """Cell name and tile text; empty for moving nothing."""
    won: int
    """Points of the rows and bonuses that gain."""
    lost: int
    """Points of those that lose, as a positive number."""
    total: int
    state: State

    @property
    def gain(self) -> int:
        """Return how the total changes."""
        return self.won - self.lost

    def to_json(self) -> dict[str, object]:
        """Return the relocation as JSON values."""
        return {
            "game": self.state.game,
            "what": "relocation",
            "moves": [{"cell": cell, "tile": tile} for cell, tile in self.moves],
            "won": self.won,
            "lost": self.lost,
            "gain": self.gain,
            "total": self.total,
            "notation": str(self.state),
        }


def orchid_of(state: State) -> Position:
    """Return the state's orchid board.

    Raises BoardsightError if it has none.
    """
    position = state.position("orchid")
    if position is None:
        raise BoardsightError(f"{str(state)!r} has no orchid board, and only there tiles are relocated")
    return position


def relocated(state: State, moves: tuple[tuple[str, Tile], ...]) -> State:
    """Return the state after tiles of the reserve went to orchid cells; legality is not checked."""
    orchid = orchid_of(state)
    reserve = list(state.reserve)
    moved = orchid
    for cell, tile in moves:
        moved = moved.with_tile(cell, tile)
        reserve.remove(tile)
    positions = tuple(moved if position is orchid else position for position in state.positions)
    return replace(state, positions=positions, reserve=tuple(reserve))


def _points(state: State, rules: Rules) -> tuple[dict[object, int], int]:
    """Return the points of each row of the board, each bonus cell and the ray, by what they are, and the total."""
    orchid = orchid_of(state)
    rows = {line: row_line(orchid, line) for line in orchid.board.lines}
    points: dict[object, int] = {line: entry.points for line, entry in rows.items() if entry}
    sheet = score(state, rules)
    for entry in sheet.lines:
        if entry.what != "row":
            key = (entry.what, entry.cells if entry.what == "bonus" else ())
            points[key] = points.get(key, 0) + entry.points
    return points, sheet.total


def relocations(state: State, rules: Rules | None = None) -> Iterator[Relocation]:
    """Yield every way to relocate reserve tiles onto empty orchid cells, moving nothing first.

    Up to three reserve tiles may be moved after the last tile (rulebook Take It to the Limit!, "Orchid").
    """
    rules = rules or Rules()
    orchid = orchid_of(state)
    free = [
        cell.name
        for cell, tile in zip(orchid.board.cells, orchid.tiles, strict=True)
        if cell.kind == "orchid" and tile is None
    ]
    tiles = [tile for tile in state.reserve if isinstance(tile, Tile)]
    before, _ = _points(state, rules)
    for n in range(min(len(free), len(tiles)) + 1):
        for cells in combinations(free, n):
            for chosen in permutations(tiles, n):
                moves = tuple(zip(cells, chosen, strict=True))
                after_state = relocated(state, moves)
                after, total = _points(after_state, rules)
                changes = [after.get(key, 0) - before.get(key, 0) for key in {**before, **after}]
                yield Relocation(
                    tuple((cell, tile.text) for cell, tile in moves),
                    sum(change for change in changes if change > 0),
                    -sum(change for change in changes if change < 0),
                    total,
                    after_state,
                )


def best_relocation(state: State, rules: Rules | None = None) -> Relocation:
    """Return the relocation with the highest total; of equals the one that moves fewest tiles."""
    return max(relocations(state, rules), key=lambda relocation: (relocation.total, -len(relocation.moves)))
