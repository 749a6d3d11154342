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
from boardsight.training.symbols import (
    Colour,
    Image,
    blend,
    contrast,
    draw_moon,
    draw_sun,
    edge_line,
    fixed,
    hsv,
    poly,
    shape_corners,
)

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


def shade(name: str, rng: np.random.Generator) -> Colour:
    """Return one edition's BGR shade of a named colour."""
    h, s, v, dh, ds, dv = SHADES[name]
    a = rng.uniform(-1, 1, 3)
    return hsv(h + a[0] * dh, s + a[1] * ds, v + a[2] * dv)


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
        # edges and highlights lie on either side and run either way, or they would tell which way is up
        alike = rng.random() < 0.5
        one = _handed(rng)
        self.handed = {a.name: one if alike else _handed(rng) for a in self.tile_set.attributes if a.stripe}
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

        def j() -> float:
            return float(rng.uniform(-0.06, 0.06))

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
        self.shine = rng.uniform(0, 2 * np.pi)
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
        self.moon_turn = float(rng.choice([0.0, np.pi])) + (rng.normal(0, 0.5) if rng.random() < 0.5 else 0.0)
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

    def mask(self) -> Image:
        """Return the tile's coverage, (h, w) uint8."""
        image = np.zeros((self.side, self.side), np.uint8)
        corners = np.array(shape_corners(self.tile_set.shape)) * 0.985
        poly(image, self._px(corners), 255)
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
        edge = edge_line(kind, t / period + phase) * depth * self.width * 2
        edge = np.minimum(edge, half * 0.95)
        ahead, aside, lag = self.handed[name]
        other = edge_line(kind, t / period + phase + lag) * depth * self.width * 2 if self.two_sided else 0 * t
        ax, ay = ahead * along[0], ahead * along[1]
        nx, ny = -aside * along[1], aside * along[0]
        up, low = half + edge - edge.mean(), -(half + other - np.mean(other))
        top = np.stack([t * ax + up * nx, t * ay + up * ny], 1)
        bottom = np.stack([t * ax + low * nx, t * ay + low * ny], 1)[::-1]
        pts = np.concatenate([top, bottom])
        if self.gap and name == self.order[-1]:
            wide = np.concatenate([top + np.array([nx, ny]) * self.gap, bottom - np.array([nx, ny]) * self.gap])
            poly(image, self._px(wide), self.base)
        poly(image, self._px(pts), colour)
        if self.gradient:
            for k in (0.15, 0.45, 0.75):
                band = np.concatenate(
                    [
                        np.stack([t * ax + half * (k - 0.15) * nx, t * ay + half * (k - 0.15) * ny], 1),
                        np.stack([t * ax - half * (1 - k) * 0.5 * nx, t * ay - half * (1 - k) * 0.5 * ny], 1)[::-1],
                    ]
                )
                c = np.array(colour)
                poly(image, self._px(band), tuple(c + (255 - c) * self.gradient * k))
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
            cv2.circle(image, fixed(c), round(height * 0.70 * self.pitch * 16), halo, -1, cv2.LINE_AA, 4)
        glyph, fat = self.face.mask(text, height * self.pitch, stroke)
        cx, cy = self._px(np.array([place]))[0]
        if stroke >= 0.5:
            blend(image, fat, halo, cx, cy)
        blend(image, glyph, ink, cx, cy)

    def _stud(self, image: Image, stud: str, letter: str) -> None:
        c = self._px(np.array([(0.0, 0.0)]))[0]
        r = self.stud / 2 * self.pitch
        colour = self.stud_colours[stud]
        if self.stud_drawing == "cog":
            a = np.linspace(0, 2 * np.pi, 73)
            poly(
                image,
                c + np.stack([np.cos(a), np.sin(a)], 1) * (r * (1 + 0.08 * np.sign(np.sin(a * 9))))[:, None],
                colour,
            )
        else:
            cv2.circle(image, fixed(c), round(r * 16), colour, -1, cv2.LINE_AA, 4)
        if self.stud_drawing == "ring":
            cv2.circle(
                image,
                fixed(c),
                round(r * 16),
                tuple(0.45 * np.array(colour)),
                max(1, round(0.02 * self.pitch)),
                cv2.LINE_AA,
                4,
            )
        if self.stud_drawing == "shine":
            cv2.circle(
                image,
                fixed(c + 0.42 * r * np.array([np.cos(self.shine), np.sin(self.shine)])),
                round(r * 0.4 * 16),
                tuple(np.minimum(255, np.array(colour) * 1.25 + 25)),
                -1,
                cv2.LINE_AA,
                4,
            )
        glyph, fat = self.face2.mask(letter, self.letter_height * self.pitch, self.stroke * self.pitch)
        if self.digit_style == "light outlined":
            blend(image, fat, (12, 12, 12), *c)
            blend(image, glyph, (245, 245, 245), *c)
        else:
            if self.digit_style == "dark outlined":
                blend(image, fat, (245, 245, 245), *c)
            blend(image, glyph, (15, 15, 15), *c)

    def _bonus(self, image: Image, bonus: str) -> None:
        c = self._px(np.array([(0.0, 0.0)]))[0]
        r = self.bonus_size * self.pitch
        colour = self.stud_colours["G" if bonus == "g" else "S"]
        cv2.circle(image, fixed(c), round(r * 16), colour, -1, cv2.LINE_AA, 4)
        if self.stud_drawing in ("ring", "cog"):
            cv2.circle(image, fixed(c), round(r * 16), (20, 20, 20), max(1, round(0.015 * self.pitch)), cv2.LINE_AA, 4)
        glyph, _ = self.face2.mask("80" if bonus == "g" else "40", r * 0.85, 0)
        blend(image, glyph, (10, 10, 10), *c)

    def _symbol(self, image: Image, symbol: str, has_bonus: bool) -> None:
        place = self.symbol_place
        if has_bonus and abs(place[0]) + abs(place[1]) < 0.1:
            place = (0.0, 0.30)
        x, y = self._px(np.array([place]))[0]
        r = self.symbol_size * self.pitch
        if self.symbol_on_disc:
            cv2.circle(image, fixed((x, y)), round(r * 1.5 * 16), tuple(np.array(self.base) * 0.5), -1, cv2.LINE_AA, 4)
        if symbol == "s":
            draw_sun(image, self.sun, x, y, r, self.symbol_colours[0])
        else:
            draw_moon(image, self.moon, x, y, r, self.symbol_colours[1], self.moon_turn)


def _handed(rng: np.random.Generator) -> tuple[int, int, float]:
    """Return which way a stripe's edge runs, on which side, and how far the other side's edge lags behind."""
    return int(rng.choice([-1, 1])), int(rng.choice([-1, 1])), float(rng.random())


def _unit(lattice: str, direction: str) -> tuple[float, float]:
    x, y = lattice_point(lattice, (HEX_STEPS if lattice == "hex" else SQUARE_STEPS)[direction])
    return x / math.hypot(x, y), y / math.hypot(x, y)
