"""Editions: how one drawing of a game looks, drawn at random, and its tiles as pictures.

The facts (which stripe runs where, which number has which colour) are ``boardsight.scoring.boards``; everything
else that a publisher could choose is chosen here by chance. Validation editions use other typefaces, other stripe
edges, other symbols and other shades than training editions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.scoring.boards import COLOURS, HEX_STEPS, SQUARE_STEPS, Board, Tile, TileSet, lattice_point
from boardsight.training import fonts

Image = NDArray[np.uint8]
Colour = tuple[float, float, float]

#: Typical hue (degrees), saturation and value of each colour name, and how far an edition may stray.
SHADES: dict[str, tuple[float, float, float, float, float, float]] = {
    "grey": (215, 0.12, 0.66, 40, 0.12, 0.13),
    "turquoise": (183, 0.85, 0.62, 11, 0.15, 0.16),
    "yellow": (52, 0.88, 0.96, 8, 0.14, 0.07),
    "pink": (338, 0.30, 0.95, 14, 0.13, 0.06),
    "red": (4, 0.87, 0.86, 7, 0.12, 0.12),
    "lime": (76, 0.72, 0.80, 13, 0.18, 0.12),
    "magenta": (322, 0.62, 0.88, 10, 0.20, 0.11),
    "blue": (213, 0.78, 0.85, 14, 0.20, 0.14),
    "orange": (29, 0.88, 0.95, 7, 0.12, 0.07),
    "purple": (272, 0.66, 0.58, 15, 0.20, 0.16),
    "green": (134, 0.72, 0.58, 16, 0.20, 0.14),
    "white": (0, 0.02, 0.97, 180, 0.03, 0.05),
    "cherry": (340, 0.82, 0.60, 9, 0.14, 0.12),
    "black": (0, 0.15, 0.13, 180, 0.15, 0.09),
}
EDGES = {
    "train": ("straight", "straight", "wavy", "toothed", "battlement", "ragged"),
    "validate": ("straight", "scallop", "zigzag"),
}
SUNS = {"train": ("rays", "star", "disc", "lines"), "validate": ("petals", "rays8")}
MOONS = {"train": ("crescent", "thick", "disc"), "validate": ("thin", "faced")}
ANGLES = {"v": 90.0, "h": 0.0, "u": -30.0, "d": 30.0}


def hsv(h: float, s: float, v: float) -> Colour:
    """Return BGR 0 to 255 of a hue in degrees, saturation and value 0 to 1."""
    i, f = divmod((h % 360) / 60, 1)
    s, v = min(max(s, 0), 1), min(max(v, 0), 1)
    p, q, t = v * (1 - s), v * (1 - s * f), v * (1 - s * (1 - f))
    r, g, b = [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)][int(i) % 6]
    return 255 * b, 255 * g, 255 * r


def shade(name: str, rng: np.random.Generator) -> Colour:
    """Return one edition's BGR shade of a named colour."""
    h, s, v, dh, ds, dv = SHADES[name]
    a = rng.uniform(-1, 1, 3)
    return hsv(h + a[0] * dh, s + a[1] * ds, v + a[2] * dv)


def contrast(a: Colour, b: Colour) -> float:
    """Return how far apart two colours are in brightness."""
    return abs(float(np.dot(a, (0.11, 0.59, 0.30))) - float(np.dot(b, (0.11, 0.59, 0.30))))


@dataclass
class Edition:
    """One look of a tile set; lengths in tile widths."""

    tile_set: TileSet
    board: Board
    split: str
    rng: np.random.Generator
    pitch: int
    """Pixels a tile width at which tiles are drawn."""
    pictures: dict[str, Image] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rng, split = self.rng, self.split
        octagon = self.tile_set.shape == "octagon"
        self.octagon = octagon
        self.base = hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.05, 0.55))
        if rng.random() < 0.12:
            self.base = hsv(rng.uniform(0, 360), rng.uniform(0, 0.4), rng.uniform(0.6, 0.95))
        self.palette = {a: {n: shade(c, rng) for n, c in row.items()} for a, row in COLOURS[self.tile_set.name].items()}
        self.width = rng.uniform(0.15, 0.27) if not octagon else rng.uniform(0.11, 0.24)
        edges = EDGES[split]
        common = edges[int(rng.integers(len(edges)))]
        each = rng.random() < 0.35
        self.edges = {
            (a.name, n): (
                edges[int(rng.integers(len(edges)))] if each else common,
                rng.uniform(0.1, 0.28),
                rng.uniform(0.07, 0.17),
                rng.random(),
            )
            for a in self.tile_set.attributes
            if a.stripe
            for n in a.labels
        }
        self.two_sided = rng.random() < 0.6
        self.outline = (
            None
            if rng.random() < 0.5
            else (hsv(0, 0, rng.uniform(0.8, 1)) if rng.random() < 0.6 else hsv(0, 0, rng.uniform(0, 0.25)))
        )
        self.gradient = rng.uniform(0.1, 0.45) if rng.random() < 0.35 else 0.0
        self.gap = rng.uniform(0.0, 0.06) if rng.random() < 0.4 else 0.0
        self.border = (
            None
            if rng.random() < 0.5
            else (tuple(np.clip(np.array(self.base) + rng.uniform(-80, 90), 0, 255)), rng.uniform(0.008, 0.03))
        )
        families = fonts.TRAIN if split == "train" else fonts.VALIDATE
        self.face = fonts.Typeface(families[int(rng.integers(len(families)))], rng)
        self.face2 = (
            self.face if rng.random() < 0.6 else fonts.Typeface(families[int(rng.integers(len(families)))], rng)
        )
        self.digit_height = rng.uniform(0.14, 0.23) if not octagon else rng.uniform(0.10, 0.18)
        self.digit_style = str(rng.choice(["dark outlined", "light outlined", "plain", "disc"], p=[0.4, 0.3, 0.2, 0.1]))
        self.stroke = rng.uniform(0.012, 0.035)
        order = [a.name for a in self.tile_set.attributes if a.stripe]
        if octagon:
            rng.shuffle(order)
        else:
            order = order[1:][:: 1 if rng.random() < 0.5 else -1] + order[:1]
        self.order = order
        j = lambda: rng.uniform(-0.06, 0.06)  # noqa: E731
        if octagon:
            self.numbers = str(rng.choice(["none", "one", "both"], p=[0.2, 0.5, 0.3]))
            r = rng.uniform(0.33, 0.40)
            self.places = {}
            for d, name in self.board.stripes.items():
                x, y = _unit(self.board.lattice, d)
                sign = 1 if rng.random() < 0.5 else -1
                self.places[name] = [(sign * r * x, sign * r * y)] + (
                    [(-sign * r * x, -sign * r * y)] if self.numbers == "both" else []
                )
        else:
            self.numbers = "one"
            self.places = {
                "v": [(j() * 0.5, -0.31 + j())],
                "u": [(-0.24 + j(), 0.15 + j())],
                "d": [(0.27 + j(), 0.15 + j())],
            }
        self.stud = rng.uniform(0.25, 0.42)
        self.stud_colours = {
            "G": hsv(rng.uniform(34, 52), rng.uniform(0.55, 0.95), rng.uniform(0.55, 0.98)),
            "S": hsv(rng.uniform(180, 260), rng.uniform(0, 0.1), rng.uniform(0.45, 0.92)),
        }
        self.stud_drawing = str(rng.choice(["plain", "ring", "cog", "shine"]))
        self.letter_height = self.stud * rng.uniform(0.45, 0.72)
        self.symbol_place = [
            (0.0, 0.38),
            (-0.36, -0.10),
            (0.36, -0.10),
            (-0.26, -0.33),
            (0.26, -0.33),
            (-0.2, 0.38),
            (0.2, 0.38),
            (0.0, 0.0),
            (-0.42, 0.0),
        ][int(rng.integers(9))]
        self.symbol_size = rng.uniform(0.05, 0.10)
        self.sun, self.moon = str(rng.choice(SUNS[split])), str(rng.choice(MOONS[split]))
        self.symbol_colours = (
            hsv(rng.uniform(38, 56), rng.uniform(0.3, 1), rng.uniform(0.85, 1)),
            hsv(rng.uniform(40, 260), rng.uniform(0, 0.35), rng.uniform(0.75, 1)),
        )
        self.bonus_size = rng.uniform(0.09, 0.15)
        self.symbol_on_disc = rng.random() < 0.2

    # ------------------------------------------------------------ drawing

    def tile(self, tile: Tile) -> Image:
        """Return a tile as (h, w, 4) BGRA uint8, centred, ``pitch`` pixels a tile width."""
        if tile.text not in self.pictures:
            self.pictures[tile.text] = self._draw(tile)
        return self.pictures[tile.text]

    @property
    def side(self) -> int:
        """Return the side of a tile picture in pixels."""
        return int(self.pitch * 1.30) // 2 * 2 + 1

    def mask(self, grow: float = 0.0) -> Image:
        """Return the tile's coverage, (h, w) uint8."""
        image = np.zeros((self.side, self.side), np.uint8)
        corners = np.array(shape_corners(self.tile_set.shape)) * (0.985 + grow)
        _poly(image, self._px(corners), 255)
        return image

    def _px(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(points) * self.pitch + (self.side - 1) / 2

    def _draw(self, tile: Tile) -> Image:
        rng = self.rng
        image = np.empty((self.side, self.side, 3), np.uint8)
        image[:] = np.clip(np.array(self.base) * rng.uniform(0.96, 1.04), 0, 255)
        directions = {name: d for d, name in self.board.stripes.items()}
        for name in self.order:
            self._stripe(image, name, tile.get(name), _unit(self.board.lattice, directions[name]))
        for name in self.order:
            if self.numbers != "none":
                for place in self.places[name]:
                    self._text(image, tile.get(name), place, self.digit_height, self.palette[name][tile.get(name)])
        shows = dict(tile.shows)
        if "stud" in shows:
            self._stud(image, shows["stud"], shows["letter"])
        if shows.get("bonus"):
            self._bonus(image, shows["bonus"])
        if "symbol" in shows:
            self._symbol(image, shows["symbol"], bool(shows.get("bonus")))
        mask = self.mask()
        if self.border is not None:
            colour, width = self.border
            pts = self._px(np.array(shape_corners(self.tile_set.shape)) * (0.985 - width))
            cv2.polylines(
                image,
                [np.round(pts * 16).astype(np.int32)],
                True,
                colour,
                max(1, round(width * self.pitch)),
                cv2.LINE_AA,
                4,
            )
        return np.dstack([image, mask])

    def _stripe(self, image: Image, name: str, number: str, along: tuple[float, float]) -> None:
        kind, period, depth, phase = self.edges[name, number]
        colour = self.palette[name][number]
        t = np.linspace(-0.72, 0.72, 97)
        half = self.width / 2
        edge = _edge(kind, t / period + phase) * depth * self.width * 2
        edge = np.minimum(edge, half * 0.95)
        other = _edge(kind, t / period + phase + 0.37) * depth * self.width * 2 if self.two_sided else 0 * t
        ax, ay = along
        nx, ny = -ay, ax
        up, low = half + edge - edge.mean(), -(half + other - np.mean(other))
        top = np.stack([t * ax + up * nx, t * ay + up * ny], 1)
        bottom = np.stack([t * ax + low * nx, t * ay + low * ny], 1)[::-1]
        pts = np.concatenate([top, bottom])
        if self.gap and name == self.order[-1]:
            wide = np.concatenate([top + np.array([nx, ny]) * self.gap, bottom - np.array([nx, ny]) * self.gap])
            _poly(image, self._px(wide), self.base)
        _poly(image, self._px(pts), colour)
        if self.gradient:
            for k in (0.15, 0.45, 0.75):
                band = np.concatenate(
                    [
                        np.stack([t * ax + half * (k - 0.15) * nx, t * ay + half * (k - 0.15) * ny], 1),
                        np.stack([t * ax - half * (1 - k) * 0.5 * nx, t * ay - half * (1 - k) * 0.5 * ny], 1)[::-1],
                    ]
                )
                c = np.array(colour)
                _poly(image, self._px(band), tuple(c + (255 - c) * self.gradient * k))
        if self.outline is not None:
            line = np.round(self._px(pts) * 16).astype(np.int32)
            cv2.polylines(image, [line], True, self.outline, max(1, round(0.012 * self.pitch)), cv2.LINE_AA, 4)

    def _text(self, image: Image, text: str, place: tuple[float, float], height: float, ground: Colour) -> None:
        dark, light = (12, 12, 12), (248, 248, 248)
        ink, halo = (dark, light)
        style = self.digit_style
        stroke = self.stroke * self.pitch
        if style == "light outlined":
            ink, halo = light, dark
        elif style == "plain":
            ink = dark if contrast(dark, ground) > contrast(light, ground) else light
            stroke = 0
        elif style == "disc":
            ink, halo, stroke = (dark, light, 0) if self.base[1] < 128 else (light, dark, 0)
            c = self._px(np.array([place]))[0]
            cv2.circle(image, _fixed(c), round(height * 0.85 * self.pitch * 16), halo, -1, cv2.LINE_AA, 4)
        glyph, fat = self.face.mask(text, height * self.pitch, stroke)
        cx, cy = self._px(np.array([place]))[0]
        if stroke >= 0.5:
            _blend(image, fat, halo, cx, cy)
        _blend(image, glyph, ink, cx, cy)

    def _stud(self, image: Image, stud: str, letter: str) -> None:
        c = self._px(np.array([(0.0, 0.0)]))[0]
        r = self.stud / 2 * self.pitch
        colour = self.stud_colours[stud]
        if self.stud_drawing == "cog":
            a = np.linspace(0, 2 * np.pi, 73)
            _poly(
                image,
                c + np.stack([np.cos(a), np.sin(a)], 1) * (r * (1 + 0.08 * np.sign(np.sin(a * 9))))[:, None],
                colour,
            )
        else:
            cv2.circle(image, _fixed(c), round(r * 16), colour, -1, cv2.LINE_AA, 4)
        if self.stud_drawing == "ring":
            cv2.circle(
                image,
                _fixed(c),
                round(r * 16),
                tuple(0.45 * np.array(colour)),
                max(1, round(0.02 * self.pitch)),
                cv2.LINE_AA,
                4,
            )
        if self.stud_drawing == "shine":
            cv2.circle(
                image,
                _fixed(c - 0.3 * r),
                round(r * 0.4 * 16),
                tuple(np.minimum(255, np.array(colour) * 1.25 + 25)),
                -1,
                cv2.LINE_AA,
                4,
            )
        glyph, fat = self.face2.mask(letter, self.letter_height * self.pitch, self.stroke * self.pitch)
        if self.digit_style == "light outlined":
            _blend(image, fat, (12, 12, 12), *c)
            _blend(image, glyph, (245, 245, 245), *c)
        else:
            if self.digit_style == "dark outlined":
                _blend(image, fat, (245, 245, 245), *c)
            _blend(image, glyph, (15, 15, 15), *c)

    def _bonus(self, image: Image, bonus: str) -> None:
        c = self._px(np.array([(0.0, 0.0)]))[0]
        r = self.bonus_size * self.pitch
        colour = self.stud_colours["G" if bonus == "g" else "S"]
        cv2.circle(image, _fixed(c), round(r * 16), colour, -1, cv2.LINE_AA, 4)
        if self.stud_drawing in ("ring", "cog"):
            cv2.circle(image, _fixed(c), round(r * 16), (20, 20, 20), max(1, round(0.015 * self.pitch)), cv2.LINE_AA, 4)
        glyph, _ = self.face2.mask("80" if bonus == "g" else "40", r * 0.85, 0)
        _blend(image, glyph, (10, 10, 10), *c)

    def _symbol(self, image: Image, symbol: str, has_bonus: bool) -> None:
        place = self.symbol_place
        if has_bonus and abs(place[0]) + abs(place[1]) < 0.1:
            place = (0.0, 0.30)
        x, y = self._px(np.array([place]))[0]
        r = self.symbol_size * self.pitch
        if self.symbol_on_disc:
            cv2.circle(image, _fixed((x, y)), round(r * 1.5 * 16), tuple(np.array(self.base) * 0.5), -1, cv2.LINE_AA, 4)
        if symbol == "s":
            colour = self.symbol_colours[0]
            rays = {"rays": 10, "star": 8, "disc": 0, "lines": 12, "petals": 7, "rays8": 8}[self.sun]
            if self.sun == "lines":
                for k in range(rays):
                    a = 2 * np.pi * k / rays
                    p, q = (
                        (x + r * 0.75 * np.cos(a), y + r * 0.75 * np.sin(a)),
                        (x + r * 1.25 * np.cos(a), y + r * 1.25 * np.sin(a)),
                    )
                    cv2.line(image, _fixed(p), _fixed(q), colour, max(1, round(r * 0.16)), cv2.LINE_AA, 4)
            elif self.sun == "petals":
                for k in range(rays):
                    a = 2 * np.pi * k / rays
                    cv2.circle(
                        image,
                        _fixed((x + r * 0.9 * np.cos(a), y + r * 0.9 * np.sin(a))),
                        round(r * 0.32 * 16),
                        colour,
                        -1,
                        cv2.LINE_AA,
                        4,
                    )
            elif rays:
                a = np.linspace(0, 2 * np.pi, 2 * rays + 1)
                rr = np.where(np.arange(2 * rays + 1) % 2, r * 0.65, r * 1.3)
                _poly(image, np.stack([x + rr * np.cos(a), y + rr * np.sin(a)], 1), colour)
            size = 1.0 if not rays else 0.62
            cv2.circle(image, _fixed((x, y)), round(r * size * 16), colour, -1, cv2.LINE_AA, 4)
        else:
            colour = self.symbol_colours[1]
            shift = {"crescent": 0.55, "thick": 0.85, "disc": 0.5, "thin": 0.42, "faced": 0.7}[self.moon]
            a = np.linspace(0.25 * np.pi, 1.75 * np.pi, 33)
            outer = np.stack([x + r * np.cos(a), y + r * np.sin(a)], 1)
            inner = np.stack([x + r * (shift * np.cos(a) * 0.85 + (1 - shift) * 0.75), y + r * 0.8 * np.sin(a)], 1)[
                ::-1
            ]
            if self.moon == "disc":
                cv2.circle(image, _fixed((x, y)), round(r * 1.15 * 16), (40, 25, 15), -1, cv2.LINE_AA, 4)
            _poly(image, np.concatenate([outer, inner]), colour)


def shape_corners(shape: str) -> list[tuple[float, float]]:
    """Return the corners (x, y) of a tile of width 1 from flat side to flat side."""
    n = 6 if shape == "hexagon" else 8
    r, turn = 0.5 / math.cos(math.pi / n), 0.0 if n == 6 else math.pi / 8
    return [(r * math.cos(2 * math.pi * k / n + turn), r * math.sin(2 * math.pi * k / n + turn)) for k in range(n)]


def _unit(lattice: str, direction: str) -> tuple[float, float]:
    x, y = lattice_point(lattice, (HEX_STEPS if lattice == "hex" else SQUARE_STEPS)[direction])
    return x / math.hypot(x, y), y / math.hypot(x, y)


def _fixed(point: tuple[float, float] | NDArray[np.float64]) -> tuple[int, int]:
    return round(float(point[0]) * 16), round(float(point[1]) * 16)


def _poly(image: Image, points: NDArray[np.float64], colour: float | Colour) -> None:
    cv2.fillPoly(image, [np.round(points * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def _edge(kind: str, t: NDArray[np.float64]) -> NDArray[np.float64]:
    f = t % 1
    if kind == "wavy":
        return np.sin(2 * np.pi * t)
    if kind == "toothed":
        return 2 * np.abs(2 * f - 1) - 1
    if kind == "battlement":
        return np.sign(np.sin(2 * np.pi * t) + 1e-9)
    if kind == "ragged":
        return 0.6 * np.sin(2 * np.pi * t) + 0.5 * np.sign(np.sin(5.3 * t)) * np.sin(9.1 * t)
    if kind == "scallop":
        return 2 * np.abs(np.sin(np.pi * t)) - 1
    if kind == "zigzag":
        return np.where(f < 0.75, f / 0.75, (1 - f) / 0.25) * 2 - 1
    return 0 * t


def _blend(image: Image, mask: NDArray[np.float32], colour: Colour, cx: float, cy: float) -> None:
    """Lay a colour over an image where a mask, centred at (cx, cy), covers it."""
    h, w = mask.shape
    x0, y0 = round(cx - w / 2), round(cy - h / 2)
    a, b, c, d = max(0, -x0), max(0, -y0), min(w, image.shape[1] - x0), min(h, image.shape[0] - y0)
    if c <= a or d <= b:
        return
    m = mask[b:d, a:c, None]
    part = image[y0 + b : y0 + d, x0 + a : x0 + c]
    part[:] = (part * (1 - m) + np.array(colour, np.float32) * m + 0.5).astype(np.uint8)
