"""The score sheet as a value: lines, subtotals and a total."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One entry of a score sheet: what scored, where, and how its points come about."""

    what: str
    """``row``, ``gold``, ``silver``, ``ring``, ``bonus``, ``ray``, ``penalty``, ``cards`` or ``dice``."""
    points: int
    """What the line adds to the total; negative for a penalty."""
    cells: tuple[str, ...] = ()
    """Names of the cells that count, in order along the row; for cards and dice their texts."""
    direction: str = ""
    """``v``, ``h``, ``u`` or ``d`` for a row."""
    colour: str = ""
    value: int | None = None
    """Points a tile, or the figure that the points come from."""
    length: int | None = None
    """Number of tiles (rows, rays, studs), of scoring rows (bonus tiles), of cards or of dice."""
    board: str = ""
    """Name of the board that the cells belong to."""

    def to_json(self, *, with_board: bool = False) -> dict[str, object]:
        """Return the line as the JSON contract has it; keys that do not apply are left out."""
        out: dict[str, object] = {"what": self.what}
        if with_board and self.board:
            out["board"] = self.board
        if self.cells:
            out["cells"] = list(self.cells)
        if self.direction:
            out["direction"] = self.direction
        if self.colour:
            out["colour"] = self.colour
        if self.value is not None:
            out["value"] = self.value
        if self.length is not None:
            out["length"] = self.length
        out["points"] = self.points
        return out


@dataclass(frozen=True, slots=True)
class ColourTotal:
    """One line of Take It Higher!'s printed sheet: a colour with the tiles of all its scoring rows."""

    colour: str
    value: int
    tiles: int
    points: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A player's score sheet; the points of its lines add up to the total."""

    lines: tuple[SheetLine, ...]
    subtotals: Mapping[str, int] = field(hash=False)
    total: int

    def of(self, *what: str) -> tuple[SheetLine, ...]:
        """Return the lines of the given kinds, in order."""
        return tuple(line for line in self.lines if line.what in what)

    def by_colour(self) -> tuple[ColourTotal, ...]:
        """Return the scoring rows added up by colour, lowest value first."""
        tiles: dict[tuple[int, str], int] = {}
        for line in self.of("row"):
            if line.value is not None and line.length is not None:
                key = (line.value, line.colour)
                tiles[key] = tiles.get(key, 0) + line.length
        return tuple(ColourTotal(colour, value, n, n * value) for (value, colour), n in sorted(tiles.items()))

    def to_json(self) -> dict[str, object]:
        """Return the sheet as the JSON contract has it; lines name their board only if there are several."""
        several = len({line.board for line in self.lines if line.board}) > 1
        return {
            "lines": [line.to_json(with_board=several) for line in self.lines],
            "subtotals": dict(self.subtotals),
            "total": self.total,
        }
