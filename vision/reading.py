"""What a photo says: the value types that leave the reader.

Pixels are (x, y), x right, y down, in the upright photo (after EXIF orientation) at its full size.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from boardsight.scoring.boards import Board
from boardsight.scoring.pad import SHIPS, highest_button

if TYPE_CHECKING:
    from boardsight.vision.decode import Evidence

Point = tuple[float, float]

EMPTY = "--"
"""Notation of an empty space."""
UNREAD = "??"
"""Notation of a tile that is there but could not be read."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a photo could not be read, as data."""

    code: str
    """One of the error codes of the JSON contract, e.g. ``no-board``."""
    message: str
    """One line: what is wrong and what to do about it."""


@dataclass(frozen=True, slots=True)
class CellReading:
    """One space of a board: what lies on it, how sure that is, and what else it could be."""

    cell: str
    tile: str
    """Text in the notation; ``--`` for an empty space, ``??`` for a tile that could not be read."""
    confidence: float
    """Calibrated probability that ``tile`` is right, 0 to 1."""
    centre: Point
    """In pixels of the upright photo."""
    outline: tuple[Point, ...] = ()
    """Corners of the tile or space, in pixels of the upright photo."""
    runner_up: str = ""
    """The second-best reading of this space; empty if there is none."""
    certain: bool = True


@dataclass(frozen=True, slots=True)
class ShipReading:
    """A spaceship, or a place where there may be one."""

    ship: str
    """Its colour; empty where it is likelier that no ship stands there."""
    cell: str
    """Name of the space that it stands on; empty where it stands on the launch pad."""
    confidence: float
    """Calibrated probability that this is right, 0 to 1."""
    at: Point
    """Where its foot is, in pixels of the upright photo."""
    runner_up: str = ""
    """The ship that it is likeliest to be otherwise; empty where that is none."""
    certain: bool = True


@dataclass(frozen=True, slots=True)
class FleetReading:
    """The spaceships of a board, its launch pad and its ring."""

    ships: tuple[ShipReading, ...] = ()
    """Those on tiles and those on the pad; last, the places where there may be one."""
    ring: int | None = None
    """Button that the ring rests on; None where it was not seen."""
    ring_confidence: float = 1.0
    """Calibrated probability that ``ring`` is right, 0 to 1."""
    ring_runner_up: int | None = None
    """Button that it is likeliest to rest on otherwise."""
    ring_certain: bool = True
    buttons: tuple[Point, ...] = ()
    """Middles of the pad's buttons, 0 first, in pixels of the upright photo; empty where no pad was seen."""

    @property
    def on_tiles(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return each space with the ships that stand on it, as a state has them."""
        cells: dict[str, list[str]] = {}
        for ship in self.ships:
            if ship.ship and ship.cell:
                cells.setdefault(ship.cell, []).append(ship.ship)
        return tuple((cell, tuple(ships)) for cell, ships in cells.items())

    @property
    def launched(self) -> tuple[str, ...]:
        """Return the ships that stand on tiles."""
        return tuple(ship.ship for ship in self.ships if ship.ship and ship.cell)

    @property
    def on_pad(self) -> tuple[str, ...]:
        """Return the ships that are still on the launch pad."""
        return tuple(ship.ship for ship in self.ships if ship.ship and not ship.cell)

    @property
    def figures(self) -> tuple[int, ...]:
        """Return where the ring has to rest by the ships on tiles, and by those on the pad; empty without ships."""
        found: list[int] = []
        waiting = self.on_pad
        if self.launched:
            found.append(highest_button(self.launched))
        if waiting:
            found.append(highest_button([ship for ship in SHIPS if ship not in waiting]))
        return tuple(dict.fromkeys(found))

    @property
    def agrees(self) -> bool:
        """Return False where ships and ring contradict each other."""
        figures = self.figures
        return not figures or (len(figures) == 1 and self.ring in (None, figures[0]))

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the ships that are neither on a tile nor on the pad, though others wait on the pad."""
        seen = {ship.ship for ship in self.ships}
        return tuple(ship for ship in SHIPS if ship not in seen) if self.on_pad else ()

    @property
    def certain(self) -> bool:
        """Return True where every ship and the ring are certain and say the same."""
        sure = all(ship.certain for ship in self.ships) and self.ring_certain
        return sure and self.agrees and not self.missing


@dataclass(frozen=True, slots=True)
class BoardReading:
    """One board of a photo."""

    board: Board
    """The board in the form that the photo shows."""
    cells: tuple[CellReading, ...]
    """In the order of ``board.cells``."""
    homography: tuple[float, ...]
    """Nine numbers, row by row: board coordinates (tile widths, ``board.centres``) to pixels of the upright photo."""
    mirrored: bool = False
    reprojection_error: float = 0.0
    """Median distance of found tile centres from the fitted lattice, in tile widths."""
    warnings: tuple[str, ...] = ()
    fleet: FleetReading | None = None
    """Spaceships, launch pad and ring; None for a board that has none."""
    reserve: tuple[CellReading, ...] = ()
    """The loose tiles that belong to the board, from the top down; their cells are called ``reserve 1`` and so on."""
    evidence: Evidence | None = field(default=None, compare=False, repr=False)
    """What was seen on each space, for reading the board again with some spaces set by hand."""
    way: float = 1.0
    """Calibrated probability that the board lies this way, 0 to 1; no space is surer than that."""

    @property
    def pieces(self) -> tuple[CellReading, ...]:
        """Return the spaces and the loose tiles."""
        return (*self.cells, *self.reserve)

    @property
    def notation(self) -> str:
        """Return the cells as one line of notation, without the board's name."""
        groups, at = [], 0
        for count in self.board.groups:
            groups.append(" ".join(cell.tile for cell in self.cells[at : at + count]))
            at += count
        return " / ".join(groups)

    @property
    def certain(self) -> bool:
        """Return True where every space, every loose tile and every ship is certain."""
        return all(cell.certain for cell in self.pieces) and (self.fleet is None or self.fleet.certain)


@dataclass(frozen=True, slots=True)
class PieceReading:
    """One loose piece: what it shows, how sure that is, and where it lies."""

    kind: str
    """``die`` or ``card``."""
    text: str
    """In the notation of the game's state, e.g. ``5``, ``V``, ``97`` or ``x2``; a face that the game lacks as it is."""
    confidence: float
    """Calibrated probability that there is such a piece and that ``text`` is right, 0 to 1."""
    centre: Point
    """In pixels of the upright photo."""
    outline: tuple[Point, ...] = ()
    """Corners of what was read, in pixels of the upright photo."""
    runner_up: str = ""
    """The second-best reading; empty if there is none."""
    certain: bool = True
    shows: tuple[tuple[str, str], ...] = ()
    """What else is printed on it, as names and labels, e.g. the heads of a card."""
    runner_up_shows: tuple[tuple[str, str], ...] = ()
    """The same for the second-best reading."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that was read in one photo, or the fault that prevented it."""

    photo: str
    """The path or name as it was given."""
    size: tuple[int, int] = (0, 0)
    """Width and height of the upright photo in pixels."""
    game: str = ""
    boards: tuple[BoardReading, ...] = ()
    warnings: tuple[str, ...] = ()
    fault: Fault | None = None
    pieces: tuple[PieceReading, ...] = ()
    """Loose pieces in reading order; also there where the fault is about them."""
    complete: bool = True
    """False where a loose piece may have been missed, or what was taken for one may be none."""
    stages: dict[str, object] = field(default_factory=dict, compare=False, repr=False)
    """What each stage saw, for the debugging pictures; filled only on request."""

    @property
    def certain(self) -> bool:
        """Return True where every board and every piece is certain."""
        sure = all(board.certain for board in self.boards) and all(piece.certain for piece in self.pieces)
        return self.fault is None and self.complete and sure

    def texts(self, kind: str) -> tuple[str, ...]:
        """Return what the loose pieces of a kind say, in reading order."""
        return tuple(piece.text for piece in self.pieces if piece.kind == kind)

    @property
    def dice(self) -> tuple[str, ...]:
        """Return the faces of the dice, in reading order."""
        return self.texts("die")

    @property
    def cards(self) -> tuple[str, ...]:
        """Return the cards, in reading order."""
        return self.texts("card")

    def with_warnings(self, *more: str) -> Reading:
        """Return the reading with warnings added."""
        return replace(self, warnings=(*self.warnings, *more))
