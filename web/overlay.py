"""Where everything lies on a photo, as shapes for the page: tiles, scoring rows, and the points at their ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import cos, dist, hypot, pi, sin, sqrt

import numpy as np

from boardsight.scoring.account import SheetLine
from boardsight.scoring.boards import Board, Tile
from boardsight.vision.reading import EMPTY, UNREAD, BoardReading, Reading
from boardsight.web.colours import ink_on, paint
from boardsight.web.part import Loose, Part, sure

Spot = tuple[float, float]

MARGIN = 1.35
"""Kept around the boards in the view, in tile widths: the points at the rows' ends stand there."""
#: Number of corners of a tile and the angle of the first; a tile is one wide from flat side to flat side.
CORNERS = {"hexagon": (6, 0.0), "octagon": (8, pi / 8)}


@dataclass(frozen=True, slots=True)
class Space:
    """A tile or an empty space, ready to be drawn and tapped."""

    board: int
    cell: str
    key: str
    """Names it in an address: the board's number and the cell."""
    tile: str
    label: str
    """Short text on the tile; empty for an empty space."""
    other: str
    """The second reading of a doubtful tile; empty if there is none."""
    doubtful: bool
    by_hand: bool
    points: str
    """Corners, as an SVG polygon has them."""
    at: Spot
    spoken: str
    """What a screen reader says."""
    lines: str
    """Names of the sheet's lines that it belongs to, separated by spaces."""
    ships: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of the sheet as it is drawn on the photo."""

    key: str
    start: Spot | None
    end: Spot | None
    badge: Spot
    text: str
    colour: str
    ink: str
    spoken: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """Everything that is drawn over one photo, in pixels of the photo."""

    width: int
    height: int
    view: tuple[float, float, float, float]
    """Left, top, width and height of what is shown at first: the boards and a margin."""
    unit: float
    """Width of a tile in the middle of the largest board."""
    spaces: tuple[Space, ...]
    marks: tuple[Mark, ...]


class _Placed:
    """A board on the photo."""

    def __init__(self, board: BoardReading) -> None:
        self.board: Board = board.board
        self._h = np.asarray(board.homography, float).reshape(3, 3)
        self._centres = {cell.cell: cell.centre for cell in board.cells}
        middle = np.mean(self.board.centres, axis=0)
        x, y = float(middle[0]), float(middle[1])
        (ax, ay), (bx, by), (cx, cy) = self._project(x, y), self._project(x + 0.1, y), self._project(x, y + 0.1)
        self.tile = max(1.0, 10 * sqrt(abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))))

    def _project(self, x: float, y: float) -> Spot:
        u, v, w = self._h @ (x, y, 1.0)
        return float(u / w), float(v / w)

    def spot(self, cell: str, dx: float = 0.0, dy: float = 0.0) -> Spot:
        x, y = self.board.centres[self.board.index[cell]]
        (ox, oy), (nx, ny), (cx, cy) = self._project(x, y), self._project(x + dx, y + dy), self._centres[cell]
        return cx + nx - ox, cy + ny - oy

    def outline(self, cell: str, shrink: float = 0.96) -> list[Spot]:
        count, first = CORNERS[self.board.tile_set.shape]
        radius = shrink * 0.5 / cos(pi / count)
        angles = (first + 2 * pi * i / count for i in range(count))
        return [self.spot(cell, radius * cos(a), radius * sin(a)) for a in angles]

    def step(self, direction: str) -> Spot:
        qx, qy = self.board.steps[direction]
        x, y = (qx * sqrt(3) / 2, qy + qx / 2) if self.board.lattice == "hex" else (float(qx), float(qy))
        length = hypot(x, y)
        return x / length, y / length


def line_key(part: int, number: int) -> str:
    """Return the name that a line of a part's sheet has on the page."""
    return f"p{part}l{number}"


def spoken_tile(text: str) -> str:
    """Return a tile as a screen reader should say it."""
    if text == EMPTY:
        return "empty space"
    return "tile that could not be read" if text == UNREAD else f"tile {text.replace('-', ' ')}"


def describe(tile: Tile | None) -> str:
    """Return what is printed on a tile, in words; empty for no tile."""
    return ", ".join(f"{name} {label}" for name, label in tile.shows if label) if tile else ""


def _space(part: Part, number: int, board: BoardReading, placed: _Placed, i: int, lines: dict[str, list[str]]) -> Space:
    cell = board.cells[i]
    index = next(k for k, (n, _) in enumerate(part.boards) if n == number)
    hand = cell.cell in part.fixed[index]
    doubtful = not hand and not sure(cell, board)
    other = cell.runner_up if doubtful and cell.runner_up != UNREAD else ""
    ships = dict(part.state.ships).get(cell.cell, ()) if index == 0 else ()
    spoken = f"{board.board.title} {cell.cell}: {spoken_tile(cell.tile)}"
    if doubtful:
        spoken += f", doubtful, may be {spoken_tile(other)}" if other else ", doubtful"
    if hand:
        spoken += ", set by hand"
    if ships:
        spoken += f", with the {' and '.join(ships)} ship"
    return Space(
        number,
        cell.cell,
        f"{number}.{cell.cell}",
        cell.tile,
        "" if cell.tile == EMPTY else cell.tile,
        other,
        doubtful,
        hand,
        _points(placed.outline(cell.cell)),
        _round(cell.centre),
        spoken,
        " ".join(lines.get(f"{board.board.name} {cell.cell}", ())),
        ships,
    )


def _loose_space(part: Part, piece: Loose, unit: float) -> Space:
    x, y = piece.centre
    half = 0.5 * unit
    square = ((x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half))
    spoken = f"{piece.name}: {piece.text}"
    if not piece.certain:
        spoken += f", doubtful, may be {piece.other}" if piece.other else ", doubtful"
    return Space(
        part.boards[0][0] if part.boards else 1,
        piece.name,
        f"{piece.what}.{piece.index + 1}.{part.number}",
        piece.text,
        piece.text,
        "" if piece.certain or piece.other == UNREAD else piece.other,
        not piece.certain,
        False,
        _points(piece.outline or square),
        _round(piece.centre),
        spoken,
        "",
    )


def _loose_unit(parts: Sequence[Part], size: int) -> float:
    """Return a width for loose pieces: half the way from one to its neighbour, in the middle of all."""
    spots = [piece.centre for part in parts for piece in part.loose]
    nearest = sorted(min((dist(a, b) for b in spots if b != a), default=size / 5) for a in spots)
    return max(12.0, min(size / 8, 0.6 * nearest[len(nearest) // 2])) if nearest else size / 10


def _points(spots: Iterable[Spot]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)


def _round(spot: Spot) -> Spot:
    return round(spot[0], 1), round(spot[1], 1)


def _mark(part: Part, n: int, line: SheetLine, placed: _Placed, taken: list[Spot]) -> Mark | None:
    if not line.cells or not set(line.cells) <= set(placed.board.index) or line.what not in _DRAWN:
        return None
    text = str(line.points) if line.what == "row" else f"+{line.points}"
    start = end = None
    if line.direction:
        x, y = placed.step(line.direction)
        start = placed.spot(line.cells[0], -0.42 * x, -0.42 * y)
        end = placed.spot(line.cells[-1], 0.42 * x, 0.42 * y)
        outer, way = (line.cells[0], -1.0) if line.direction == "d" else (line.cells[-1], 1.0)
        reach = 0.8
        badge = placed.spot(outer, way * reach * x, way * reach * y)
        while reach < 2 and any(hypot(badge[0] - a, badge[1] - b) < 0.5 * placed.tile for a, b in taken):
            reach += 0.1
            badge = placed.spot(outer, way * reach * x, way * reach * y)
    else:
        badge = placed.spot(line.cells[0], 0.0, -0.36)
    taken.append(badge)
    spoken = f"{line.what} {line.colour} {line.points} points"
    return Mark(
        line_key(part.number, n),
        _round(start) if start else None,
        _round(end) if end else None,
        _round(badge),
        text,
        paint(line.colour),
        ink_on(line.colour),
        " ".join(spoken.split()),
    )


_DRAWN = ("row", "gold", "silver", "bonus", "ray")


def overlay(reading: Reading, parts: Sequence[Part]) -> Overlay:
    """Return everything that is drawn over a photo."""
    width, height = max(1, reading.size[0]), max(1, reading.size[1])
    spaces: list[Space] = []
    marks: list[Mark] = []
    corners: list[Spot] = []
    unit = 0.0
    for part in parts:
        placed = {number: _Placed(board) for number, board in part.boards}
        names = {board.board.name: number for number, board in part.boards}
        lines: dict[str, list[str]] = {}
        taken: list[Spot] = []
        for n, line in enumerate(part.sheet.lines if part.sheet else ()):
            on = line.board or next(iter(names), "")
            for cell in line.cells:
                lines.setdefault(f"{on} {cell}", []).append(line_key(part.number, n))
            if on in names and (mark := _mark(part, n, line, placed[names[on]], taken)):
                marks.append(mark)
        for number, board in part.boards:
            for i in range(len(board.cells)):
                spaces.append(_space(part, number, board, placed[number], i, lines))
                x, y = board.cells[i].centre
                reach = MARGIN * placed[number].tile
                corners += [(x - reach, y - reach), (x + reach, y + reach)]
            unit = max(unit, placed[number].tile)
    unit = unit or _loose_unit(parts, max(width, height))
    for part in parts:
        for piece in part.loose:
            spaces.append(_loose_space(part, piece, unit))
            x, y = piece.centre
            corners += [(x - MARGIN * unit, y - MARGIN * unit), (x + MARGIN * unit, y + MARGIN * unit)]
    if not corners:
        return Overlay(width, height, (0, 0, width, height), max(width, height) / 10, (), ())
    left, top = max(0.0, min(x for x, _ in corners)), max(0.0, min(y for _, y in corners))
    right, bottom = min(float(width), max(x for x, _ in corners)), min(float(height), max(y for _, y in corners))
    view = (round(left, 1), round(top, 1), round(right - left, 1), round(bottom - top, 1))
    return Overlay(width, height, view, round(unit, 2), tuple(spaces), tuple(marks))
