"""Draw on a photo what was read in it and what scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import cos, hypot, pi, sin, sqrt
from types import MappingProxyType
from typing import Protocol

import cv2
import numpy as np

from boardsight.vision import ink
from boardsight.vision.annotate_fleet import draw_fleet, in_sight
from boardsight.vision.ink import Colour, Label, Spot
from boardsight.vision.photo import Image
from boardsight.vision.reading import EMPTY, BoardReading, CellReading, Reading

#: The games' colours as drawn, blue, green, red.
PALETTE: Mapping[str, Colour] = MappingProxyType(
    {
        "grey": (170, 165, 160),
        "white": (255, 255, 255),
        "black": (30, 28, 28),
        "red": (45, 35, 225),
        "cherry": (75, 25, 150),
        "pink": (195, 160, 255),
        "magenta": (150, 40, 225),
        "purple": (175, 60, 125),
        "orange": (20, 135, 255),
        "yellow": (35, 225, 255),
        "lime": (60, 215, 165),
        "green": (65, 165, 40),
        "turquoise": (205, 200, 40),
        "blue": (225, 110, 25),
        "gold": (45, 180, 230),
        "silver": (205, 200, 195),
        "sun": (90, 235, 255),
        "moon": (255, 215, 170),
    }
)


class Entry(Protocol):
    """One entry of a score sheet, as in ``boardsight.scoring.account.SheetLine``."""

    @property
    def what(self) -> str: ...
    @property
    def points(self) -> int: ...
    @property
    def cells(self) -> tuple[str, ...]: ...
    @property
    def direction(self) -> str: ...
    @property
    def colour(self) -> str: ...
    @property
    def board(self) -> str: ...


class Account(Protocol):
    """A score sheet, as in ``boardsight.scoring.account.Sheet``."""

    @property
    def lines(self) -> Sequence[Entry]: ...
    @property
    def subtotals(self) -> Mapping[str, int]: ...
    @property
    def total(self) -> int: ...


class Player(Protocol):
    """One player's boards in a photo and their sheet."""

    @property
    def boards(self) -> Sequence[BoardReading]: ...
    @property
    def sheet(self) -> Account: ...


#: Subtotals that are shown and not part of the total.
_ASIDE = ("scrapyard-value",)


@dataclass(frozen=True, slots=True)
class Style:
    """How the annotated picture looks; lengths are in tile widths unless said otherwise."""

    long_side: int = 2000
    """Pixels of the result's longer side at most, without the strip of totals."""
    tile: float = 130.0
    """Pixels a tile should have; a small photo is enlarged to that as far as `long_side` lets it."""
    margin: float = 1.9
    """Kept around the boards; the rest of the photo is cut away. Negative keeps the whole photo."""
    dim: float = 0.6
    """Brightness of what lies beside the tiles; 1 leaves it as it is."""
    line: float = 0.055
    """Width of a scoring row's line."""
    line_opacity: float = 0.8
    """Of a scoring row's line, 0 to 1: the numbers under it stay visible."""
    text: float = 0.12
    """Height of a tile's reading."""
    badge: float = 0.2
    """Height of a row's points."""
    outline: Colour = (255, 255, 255)
    doubt: Colour = (0, 120, 255)


# ---------------------------------------------------------------- where things are

#: Where a tile's own numbers stand, from its centre, and how far they reach; a reading is written elsewhere.
_PRINTED: Mapping[str, tuple[tuple[float, float, float], ...]] = MappingProxyType(
    {
        "hexagon": ((0.0, -0.31, 0.13), (-0.25, 0.15, 0.13), (0.27, 0.15, 0.13), (0.0, 0.0, 0.08)),
        "octagon": ((0.0, 0.0, 0.2),),
    }
)
_CORNERS: Mapping[str, tuple[int, float]] = MappingProxyType({"hexagon": (6, 0.0), "octagon": (8, pi / 8)})
"""Number of corners of a tile that is one wide from flat side to flat side, and the angle of the first."""

#: At which end of a row its points stand: 0 the upper or left one, -1 the other. Chosen so that they keep apart.
_ROW_END: Mapping[str, int] = MappingProxyType({"v": -1, "h": -1, "u": -1, "d": 0})


@dataclass(frozen=True, slots=True)
class _View:
    """From full-size photo pixels to pixels of the result: shift, then scale."""

    left: float
    top: float
    scale: float

    def __call__(self, x: float, y: float) -> Spot:
        return (x - self.left) * self.scale, (y - self.top) * self.scale


class _Placed:
    """A board in the result's pixels."""

    def __init__(self, board: BoardReading, view: _View) -> None:
        self.reading = board
        self._h = tuple(map(float, np.ravel(board.homography)))
        self._view = view
        self._centres = {c.cell: view(*c.centre) for c in board.pieces}
        self._places = dict(zip((cell.name for cell in board.board.cells), board.board.centres, strict=True))
        for piece in board.reserve:
            u, v, w = np.linalg.solve(np.reshape(self._h, (3, 3)), (*piece.centre, 1.0))
            self._places[piece.cell] = float(u / w), float(v / w)
        middle = np.mean(board.board.centres, axis=0)
        x, y = float(middle[0]), float(middle[1])
        (ax, ay), (bx, by), (cx, cy) = self._project(x, y), self._project(x + 0.1, y), self._project(x, y + 0.1)
        self.tile = 10 * sqrt(abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)))
        """Width of a tile in pixels, in the middle of the board."""

    def _project(self, x: float, y: float) -> Spot:
        a, b, c, d, e, f, g, h, i = self._h
        w = g * x + h * y + i
        return self._view((a * x + b * y + c) / w, (d * x + e * y + f) / w)

    def spot(self, cell: str, dx: float = 0.0, dy: float = 0.0) -> Spot:
        """Return the place that lies (dx, dy) tile widths from a cell's centre, seen in the board's own frame."""
        x, y = self._places[cell]
        (ox, oy), (nx, ny), (cx, cy) = self._project(x, y), self._project(x + dx, y + dy), self._centres[cell]
        return cx + nx - ox, cy + ny - oy

    def outline(self, cell: CellReading) -> list[Spot]:
        """Return the corners of a tile or space."""
        if cell.outline:
            return [self._view(*corner) for corner in cell.outline]
        count, first = _CORNERS[self.reading.board.tile_set.shape]
        radius = 0.5 / cos(pi / count)
        angles = (first + 2 * pi * i / count for i in range(count))
        return [self.spot(cell.cell, radius * cos(a), radius * sin(a)) for a in angles]

    def step(self, direction: str) -> tuple[float, float]:
        """Return the step from one cell of a row to the next, in tile widths of the board's own frame."""
        qx, qy = self.reading.board.steps[direction]
        return (qx * sqrt(3) / 2, qy + qx / 2) if self.reading.board.lattice == "hex" else (float(qx), float(qy))


def _frame(image: Image, reading: Reading, style: Style) -> tuple[Image, _View]:
    """Return the part of the photo that shows the boards, at the size of the result, and where it comes from."""
    height, width = image.shape[:2]
    full = reading.size if all(reading.size) else (width, height)
    given = width / full[0]
    at_once = _View(0.0, 0.0, 1.0)
    placed = [_Placed(board, at_once) for board in reading.boards]
    left, top, right, bottom = 0.0, 0.0, float(full[0]), float(full[1])
    if placed and style.margin >= 0:
        reach = style.margin * max(p.tile for p in placed)
        xs, ys = zip(*(spot for p in placed for spot in in_sight(p.reading, 0.6 * reach)), strict=True)
        left, right = max(left, min(xs) - reach), min(right, max(xs) + reach)
        top, bottom = max(top, min(ys) - reach), min(bottom, max(ys) + reach)
    x0, y0 = min(int(left * given), width - 1), min(int(top * given), height - 1)
    x1, y1 = max(x0 + 1, int(right * given)), max(y0 + 1, int(bottom * given))
    part = image[y0:y1, x0:x1]
    longest = max(part.shape[:2])
    zoom = min(1.0, style.long_side / longest)
    if placed:
        tile = min(p.tile for p in placed) * given
        zoom = min(style.long_side / longest, max(zoom, style.tile / max(tile, 1.0)))
    return ink.resized(part, zoom), _View(x0 / given, y0 / given, given * zoom)


# ---------------------------------------------------------------- what is drawn


def _dim(image: Image, boards: Iterable[_Placed], style: Style) -> None:
    mask = np.zeros(image.shape[:2], np.uint8)
    for board in boards:
        for cell in board.reading.pieces:
            cv2.fillPoly(mask, [np.round(board.outline(cell)).astype(np.int32)], 255)
    ink.dim(image, mask, style.dim)


def _reading_offset(board: _Placed, label: Label) -> tuple[float, float]:
    """Return where in a tile a reading hides least of what is printed there, in tile widths of the board's frame.

    Text stays upright in the photo while tiles may lie at any angle, so the place depends on how the board lies.
    """
    cell = board.reading.cells[0].cell
    cx, cy = board.spot(cell)
    half_w, half_h = (side / 2 for side in label.size)
    best, offset = float("inf"), (0.0, 0.0)
    for radius in (0.0, 0.1, 0.2, 0.3, 0.36):
        for turn in range(16 if radius else 1):
            dx, dy = radius * sin(pi * turn / 8), radius * cos(pi * turn / 8)
            x, y = board.spot(cell, dx, dy)
            cost = 0.02 * radius
            for px, py, reach in _PRINTED[board.reading.board.tile_set.shape]:
                ox, oy = board.spot(cell, px, py)
                gap = hypot(max(0.0, abs(ox - x) - half_w), max(0.0, abs(oy - y) - half_h)) / board.tile
                cost += max(0.0, reach - gap)
            out = max(hypot(x + sx * half_w - cx, y + sy * half_h - cy) for sx in (-1, 1) for sy in (-1, 1))
            cost += 2 * max(0.0, out / board.tile - 0.54)
            if cost < best:
                best, offset = cost, (dx, dy)
    return offset


def _readings(board: _Placed, style: Style) -> list[Label]:
    """Return the labels of a board's tiles; a doubtful one shows both its readings."""
    height = style.text * board.tile
    longest = max((c.tile for c in board.reading.cells if c.certain), key=len, default="")
    dx, dy = _reading_offset(board, Label((longest,), (0.0, 0.0), height))
    labels = []
    for cell in board.reading.pieces:
        if not cell.certain:
            lines = [f"{cell.tile} ?", *([f"or {cell.runner_up}"] if cell.runner_up else [])]
            texts = tuple(line.replace(EMPTY, "empty") for line in lines)
            labels.append(Label(texts, board.spot(cell.cell), 1.2 * height, style.doubt, ink.DARK))
        elif cell.tile != EMPTY:
            labels.append(Label((cell.tile,), board.spot(cell.cell, dx, dy), height))
    return labels


def _run(board: _Placed, entry: Entry) -> tuple[Spot, Spot]:
    """Return where the line of a row starts and ends: a little beyond the middle of its outer tiles."""
    x, y = board.step(entry.direction)
    length = hypot(x, y)
    x, y = 0.42 * x / length, 0.42 * y / length
    return board.spot(entry.cells[0], -x, -y), board.spot(entry.cells[-1], x, y)


def _row_cells(board: _Placed, entry: Entry) -> tuple[str, ...]:
    """Return all cells of an entry's row from edge to edge; an empty orchid cell at its end does not score."""
    shape = board.reading.board
    for line in shape.lines:
        names = tuple(shape.cells[i].name for i in line.cells)
        if line.direction == entry.direction and set(entry.cells) <= set(names):
            return names
    return entry.cells


def _badge(board: _Placed, entry: Entry, style: Style, taken: Sequence[Label]) -> Label:
    """Return the label with the points of an entry, at its row's end or in its tile, moved until it is free."""
    plate = PALETTE.get(entry.colour, ink.LIGHT)
    text = str(entry.points) if entry.what == "row" else f"+{entry.points}"
    if entry.what == "ray":
        text = f"ray {text}"
    height = style.badge * board.tile * (1.0 if entry.what == "row" else 0.8)
    if not entry.direction:
        x, y = board.spot(entry.cells[0], 0.0, -0.1)
        return Label((text,), (x, y), height, plate, ink.contrast(plate))
    end = _ROW_END[entry.direction]
    outer = _row_cells(board, entry)[end]
    x, y = board.step(entry.direction)
    length = hypot(x, y) * (1 if end else -1)
    x, y = x / length, y / length
    reach = 0.82
    while True:
        label = Label((text,), board.spot(outer, reach * x, reach * y), height, plate, ink.contrast(plate))
        if reach > 2 or not any(label.overlaps(other, 0.06 * board.tile) for other in taken):
            return label
        reach += 0.08


def _inside(label: Label, image: Image) -> Label:
    """Return a label moved so that the picture's edge does not cut it."""
    (width, height), (x, y) = label.size, label.at
    half_w, half_h = width / 2 + 4, height / 2 + 4
    return label.moved(
        min(max(x, half_w), max(half_w, image.shape[1] - half_w)) - x,
        min(max(y, half_h), max(half_h, image.shape[0] - half_h)) - y,
    )


def _name(number: int, player: Player, boards: Sequence[_Placed], style: Style, taken: Sequence[Label]) -> Label:
    """Return the label that says whose boards these are, above them."""
    spots = [board.spot(cell.cell) for board in boards for cell in board.reading.cells]
    tile = boards[0].tile
    x = sum(x for x, _ in spots) / len(spots)
    label = Label((f"Player {number}: {player.sheet.total}",), (x, min(y for _, y in spots) - tile), style.badge * tile)
    while any(label.overlaps(other) for other in taken) and label.at[1] > 0:
        label = label.moved(0, -0.1 * tile)
    return label


def totals(width: int, reading: Reading, players: Sequence[Player]) -> Image:
    """Return the strip with each player's total, what it is made of, and how many tiles are in doubt."""
    height = max(15.0, min(34.0, width / 42))
    rows: list[tuple[str, str, Colour]] = []
    for number, player in enumerate(players, start=1):
        name = f"Player {number}: " if len(players) > 1 else "Total "
        made = [(key, value) for key, value in player.sheet.subtotals.items() if value or key in _ASIDE]
        parts = [f"{key.replace('-', ' ')} {value}" for key, value in made if key not in _ASIDE]
        parts += [f"({key.replace('-', ' ')} {value})" for key, value in made if key in _ASIDE]
        rows.append((f"{name}{player.sheet.total}", "   ".join(parts) if len(parts) > 1 else "", ink.LIGHT))
    sure = [*(p.certain for p in reading.pieces), *(cell.certain for board in reading.boards for cell in board.pieces)]
    doubts = sure.count(False)
    note = f"{doubts} {'piece' if reading.pieces else 'tile'}{'s' * (doubts != 1)} in doubt" if doubts else ""
    step = round(2.1 * height)
    strip: Image = np.full((round(step * len(rows) + 0.9 * height), width, 3), ink.DARK, np.uint8)
    for i, (total, parts_text, colour) in enumerate(rows):
        y = 0.45 * height + (i + 0.5) * step
        x = height
        for text, size, tint in ((total, 1.25 * height, colour), (parts_text, 0.75 * height, PALETTE["silver"])):
            if text:
                x = _put(strip, text, x, y, size, tint) + 1.2 * height
        if note and i == 0:
            w = Label((note,), (0.0, 0.0), 0.75 * height).size[0]
            ink.write(strip, Label((note,), (width - w / 2 - 0.5 * height, y), 0.75 * height, Style().doubt))
    return strip


def _put(strip: Image, text: str, x: float, y: float, height: float, colour: Colour) -> float:
    """Write a text from x on and return where it ends."""
    label = Label((text,), (x, y), height, ink.contrast(colour), opacity=0.0)
    label = label.moved(label.size[0] / 2, 0.0)
    ink.write(strip, label)
    return x + label.size[0]


def annotate(image: Image, reading: Reading, players: Sequence[Player], style: Style = Style()) -> Image:
    """Return a picture of the boards with outlines, readings, scoring rows with their points, doubts and totals.

    `image` is the upright photo at any scale (height x width x 3, BGR uint8; it is not changed); the reading is in
    pixels of the full-size photo. Without boards the photo comes back at the size of the result.
    """
    out, view = _frame(image, reading, style)
    if not reading.boards:
        return out
    placed = {id(board): _Placed(board, view) for board in reading.boards}
    _dim(out, placed.values(), style)
    for board in placed.values():
        for cell in board.reading.pieces:
            ink.outline(out, board.outline(cell), style.outline, max(1.0, 0.012 * board.tile))
    labels: list[Label] = []
    for board in placed.values():
        labels += _readings(board, style)
    badges: list[Label] = []
    for number, player in enumerate(players, start=1):
        by_name = {board.board.name: placed[id(board)] for board in player.boards if id(board) in placed}
        if not by_name:
            continue
        for entry in player.sheet.lines:
            on = by_name.get(entry.board) or next(iter(by_name.values()))
            if not entry.cells or not set(entry.cells) <= set(on.reading.board.index):
                continue
            if entry.what in ("row", "ray") and entry.direction:
                width = (1.0 if entry.what == "row" else 0.5) * style.line * on.tile
                ink.stroke(out, *_run(on, entry), PALETTE.get(entry.colour, ink.LIGHT), width, style.line_opacity)
            if entry.what in ("row", "gold", "silver", "bonus", "ray"):
                badges.append(_badge(on, entry, style, badges))
        if len(players) > 1:
            badges.append(_name(number, player, tuple(by_name.values()), style, badges))
    for board in placed.values():
        for cell in board.reading.pieces:
            if not cell.certain:
                ink.ring(out, board.spot(cell.cell), 0.52 * board.tile, style.doubt, max(2.0, 0.05 * board.tile))
    for board in placed.values():
        if board.reading.fleet is not None:
            draw_fleet(out, board.reading.fleet, view, board.tile, PALETTE, style.doubt)
    for label in (*labels, *(_inside(badge, out) for badge in badges)):
        ink.write(out, label)
    return np.vstack([out, totals(out.shape[1], reading, players)]) if players else out
