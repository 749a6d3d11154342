"""What dice bear: pips, numerals and vortices, in many styles, as coverage masks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training import fonts
from boardsight.training.symbols import hsv

Mask = NDArray[np.float32]
"""(SIDE, SIDE), 0 to 1."""
Colour = NDArray[np.float32]
"""Blue, green, red, 0 to 255."""

SIDE = 112
"""Pixels of a face's side."""
FINE = 3
"""Drawn this much finer, then averaged."""

PIPS = {"train": ("round", "round", "round", "ring", "square"), "validate": ("round", "round", "six-cornered")}
SPIRALS = {
    "train": ("coil", "arms", "tapered", "square", "disc", "rings"),
    "validate": ("coil", "double", "hurricane", "growing"),
}


def _canvas() -> NDArray[np.uint8]:
    return np.zeros((SIDE * FINE, SIDE * FINE), np.uint8)


def _done(canvas: NDArray[np.uint8]) -> Mask:
    small = cv2.resize(canvas, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32) / np.float32(255)


def _at(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return points in sixteenths of a fine pixel; x and y from -1 to 1 over the face."""
    fine = (np.stack([x, y], 1) + 1) / 2 * SIDE * FINE
    return np.round(fine * 16).astype(np.int32)


def _line(
    canvas: NDArray[np.uint8], x: NDArray[np.float64], y: NDArray[np.float64], width: NDArray[np.float64]
) -> None:
    """Draw a line whose width (of the half face) changes along it."""
    points = _at(x, y)
    for a, b, w in zip(points[:-1], points[1:], width[:-1], strict=True):
        thick = max(1, round(w * SIDE * FINE / 2))
        cv2.line(canvas, (int(a[0]), int(a[1])), (int(b[0]), int(b[1])), 255, thick, cv2.LINE_AA, 4)


# ---------------------------------------------------------------- vortices


def _coil(rng: np.random.Generator, canvas: NDArray[np.uint8]) -> None:
    turns, reach = rng.uniform(1.7, 4.3), rng.uniform(0.5, 0.78)
    t = np.linspace(0, 1, 160)
    gap = reach / turns
    width = gap * rng.uniform(0.3, 0.62) * (1 + rng.uniform(-0.5, 0.5) * (t - 0.5))
    a = 2 * np.pi * turns * t
    _line(canvas, reach * t * np.cos(a), reach * t * np.sin(a), width)


def _growing(rng: np.random.Generator, canvas: NDArray[np.uint8]) -> None:
    turns, reach = rng.uniform(1.8, 3.2), rng.uniform(0.55, 0.8)
    t = np.linspace(0, 1, 160)
    r = reach * np.exp(rng.uniform(1.6, 2.6) * (t - 1))
    a = 2 * np.pi * turns * t
    _line(canvas, r * np.cos(a), r * np.sin(a), rng.uniform(0.16, 0.34) * r + 0.02)


def _arms(rng: np.random.Generator, canvas: NDArray[np.uint8]) -> None:
    n = int(rng.choice([2, 3, 3, 4, 5, 6]))
    reach, sweep = rng.uniform(0.5, 0.82), rng.uniform(0.3, 0.95)
    t = np.linspace(rng.uniform(0.04, 0.3), 1, 60)
    fat = rng.uniform(0.07, 0.3 if n < 4 else 0.15) * min(1.0, 4 / n)
    width = fat * (1 - rng.uniform(0, 0.95) * t ** rng.uniform(0.6, 2.0))
    for k in range(n):
        a = 2 * np.pi * (k / n + sweep * t ** rng.uniform(0.8, 1.0))
        _line(canvas, reach * t * np.cos(a), reach * t * np.sin(a), width)
    if rng.random() < 0.4:
        cv2.circle(canvas, (SIDE * FINE // 2,) * 2, int(rng.uniform(0.05, 0.2) * SIDE * FINE / 2), 255, -1)
    elif rng.random() < 0.3:
        cv2.circle(canvas, (SIDE * FINE // 2,) * 2, int(rng.uniform(0.05, 0.2) * SIDE * FINE / 2), 0, -1)


def _tapered(rng: np.random.Generator, canvas: NDArray[np.uint8]) -> None:
    n = int(rng.choice([2, 3, 4, 5, 6, 8]))
    reach, sweep, fat = rng.uniform(0.6, 0.82), rng.uniform(0.2, 0.6), rng.uniform(0.35, 0.7)
    t = np.linspace(rng.uniform(0.1, 0.25), 1, 40)
    for k in range(n):
        a = 2 * np.pi * (k / n + sweep * t)
        b = a + 2 * np.pi / n * fat * (1 - t) ** rng.uniform(0.5, 1.2)
        x = np.concatenate([reach * t * np.cos(a), (reach * t * np.cos(b))[::-1]])
        y = np.concatenate([reach * t * np.sin(a), (reach * t * np.sin(b))[::-1]])
        cv2.fillPoly(canvas, [_at(x, y)], 255, cv2.LINE_AA, 4)


def _square(rng: np.random.Generator, canvas: NDArray[np.uint8]) -> None:
    n, reach = int(rng.integers(6, 11)), rng.uniform(0.5, 0.7)
    k = np.arange(n + 1)
    r, a = reach * np.sqrt(2) * k / n, np.pi / 2 * k + np.pi / 4
    _line(canvas, r * np.cos(a), r * np.sin(a), np.full(n + 1, reach / n * 4 * rng.uniform(0.3, 0.5)))


def _disc(rng: np.random.Generator, canvas: NDArray[np.uint8]) -> None:
    """Draw a filled disc with a coil or arms cut out of it."""
    cut = _canvas()
    (_coil if rng.random() < 0.5 else _arms)(rng, cut)
    cv2.circle(canvas, (SIDE * FINE // 2,) * 2, int(rng.uniform(0.75, 0.88) * SIDE * FINE / 2), 255, -1)
    canvas[cut > 127] = 0


def _rings(rng: np.random.Generator, canvas: NDArray[np.uint8]) -> None:
    """Draw arcs inside each other, each open at another place."""
    n, reach = int(rng.integers(3, 5)), rng.uniform(0.55, 0.78)
    turn, step = rng.uniform(0, 6.3), rng.uniform(0.8, 2.2)
    for k in range(1, n + 1):
        a = turn + step * k + np.linspace(0, 2 * np.pi * rng.uniform(0.6, 0.85), 50)
        r = reach * k / n
        _line(canvas, r * np.cos(a), r * np.sin(a), np.full(50, reach / n * 0.45))


def _double(rng: np.random.Generator, canvas: NDArray[np.uint8]) -> None:
    turns, reach = rng.uniform(0.9, 1.8), rng.uniform(0.55, 0.78)
    t = np.linspace(0, 1, 120)
    for k in range(2):
        a = 2 * np.pi * (turns * t + k / 2)
        _line(canvas, reach * t * np.cos(a), reach * t * np.sin(a), np.full(120, reach / turns * 0.2))


def _hurricane(rng: np.random.Generator, canvas: NDArray[np.uint8]) -> None:
    middle, inner = SIDE * FINE // 2, rng.uniform(0.26, 0.38)
    cv2.circle(canvas, (middle, middle), int(inner * middle), 255, -1)
    t = np.linspace(0, 1, 50)
    n = int(rng.choice([2, 2, 3]))
    for k in range(n):
        a = 2 * np.pi * k / n + rng.uniform(1.6, 2.4) * t
        r = inner * 0.75 + (rng.uniform(0.7, 0.82) - inner * 0.75) * t
        _line(canvas, r * np.cos(a), r * np.sin(a), 0.26 * (1 - t) + 0.03)
    cv2.circle(canvas, (middle, middle), int(inner * middle * rng.uniform(0.35, 0.55)), 0, -1)


_VORTICES: Mapping[str, Callable[[np.random.Generator, NDArray[np.uint8]], None]] = {
    "coil": _coil,
    "growing": _growing,
    "arms": _arms,
    "tapered": _tapered,
    "square": _square,
    "disc": _disc,
    "rings": _rings,
    "double": _double,
    "hurricane": _hurricane,
}


# ---------------------------------------------------------------- faces


class Faces:
    """One make of dice: how its faces look."""

    def __init__(self, split: str, rng: np.random.Generator) -> None:
        self._rng = rng
        self._textures: dict[str, NDArray[np.float32]] = {}
        self.numerals = bool(rng.random() < 0.55)
        self._pip = str(rng.choice(PIPS[split]))
        self._spread = rng.uniform(0.4, 0.62)
        self._radius = float(np.clip(rng.uniform(0.11, 0.24), 0.1, 0.43 * self._spread))
        self._one = rng.uniform(1.2, 1.8) if rng.random() < 0.2 else 1.0
        self._ways = {"2": rng.random() < 0.12, "3": rng.random() < 0.12}
        self._rows = rng.uniform(0.62, 1.05)
        family = str(rng.choice(fonts.TRAIN if split == "train" else fonts.VALIDATE))
        self._type = fonts.Typeface(family, rng) if self.numerals else None
        self._height = rng.uniform(0.36, 0.66)
        self._bold = rng.uniform(0, 0.05) if rng.random() < 0.3 else 0.0
        self._under = str(rng.choice(["none", "six", "all"], p=[0.5, 0.35, 0.15]))
        spiral = str(rng.choice(SPIRALS[split]))
        canvas = _canvas()
        _VORTICES[spiral](rng, canvas)
        self._vortex = _done(canvas if rng.random() < 0.5 else np.ascontiguousarray(canvas[:, ::-1]))
        self.ground = _colour(rng)
        self.ink = _contrasting(self.ground, rng)
        self.inlay: Colour | None = _contrasting(self.ink, rng) if rng.random() < 0.12 else None
        self._many = rng.random() < 0.12
        self._frame = rng.uniform(0.7, 0.86) if rng.random() < 0.05 else 0.0
        self._relief = rng.uniform(-0.3, 0.3)

    def mask(self, face: str) -> Mask:
        """Return what is printed for a face: ``1`` to ``6`` or ``V``."""
        if face == "V":
            return self._vortex
        if self._type is not None:
            return self._numeral(face)
        d, r = self._spread, self._radius
        canvas = _canvas()
        for x, y in self._places(int(face)):
            self._draw_pip(canvas, x * d, y * d, r * (self._one if face == "1" else 1.0))
        return _done(canvas)

    def texture(self, face: str) -> NDArray[np.float32]:
        """Return a face (SIDE, SIDE, 3) BGR 0 to 255."""
        if face not in self._textures:
            self._textures[face] = self._texture(face)
        return self._textures[face]

    def _texture(self, face: str) -> NDArray[np.float32]:
        base = self.ground
        out = np.empty((SIDE, SIDE, 3), np.float32)
        out[:] = base
        if self.inlay is not None:
            canvas = _canvas()
            edge = int(0.1 * SIDE * FINE)
            cv2.rectangle(canvas, (edge, edge), (SIDE * FINE - edge, SIDE * FINE - edge), 255, -1)
            out += (self.inlay - base) * _done(canvas)[..., None]
        if self._frame:
            canvas = _canvas()
            edge = int((1 - self._frame) / 2 * SIDE * FINE)
            cv2.rectangle(canvas, (edge, edge), (SIDE * FINE - edge, SIDE * FINE - edge), 255, 2 * FINE)
            out += (self.ink - out) * _done(canvas)[..., None]
        ink = _contrasting(self.ground if self.inlay is None else self.inlay, self._rng) if self._many else self.ink
        mask = self.mask(face)
        # engraved marks catch the light at one side
        edge_light = cv2.GaussianBlur(mask, (0, 0), 2) - cv2.GaussianBlur(np.roll(mask, 3, (0, 1)), (0, 0), 2)
        out = out + (ink + 255 * self._relief * edge_light[..., None] - out) * mask[..., None]
        return np.clip(out, 0, 255).astype(np.float32)

    def _places(self, face: int) -> list[tuple[float, float]]:
        across = self._ways.get(str(face), False)
        far = [(-1.0, -1.0), (1.0, 1.0)] if not across else [(-1.0, 0.0), (1.0, 0.0)]
        square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        middle = [(0.0, 0.0)]
        six = [(x, y * self._rows) for x in (-1.0, 1.0) for y in (-1.0, 0.0, 1.0)]
        return {1: middle, 2: far, 3: [*far, *middle], 4: square, 5: [*square, *middle], 6: six}[face]

    def _draw_pip(self, canvas: NDArray[np.uint8], x: float, y: float, r: float) -> None:
        corners = {"square": 4, "six-cornered": 6}.get(self._pip, 40)
        a = 2 * np.pi * np.arange(corners) / corners + np.pi / 4
        grow = 1.15 if corners < 40 else 1.0
        cv2.fillPoly(canvas, [_at(x + grow * r * np.cos(a), y + grow * r * np.sin(a))], 255, cv2.LINE_AA, 4)
        if self._pip == "ring":
            cv2.fillPoly(canvas, [_at(x + 0.5 * r * np.cos(a), y + 0.5 * r * np.sin(a))], 0, cv2.LINE_AA, 4)

    def _numeral(self, face: str) -> Mask:
        assert self._type is not None
        plain, fat = self._type.mask(face, self._height * SIDE, self._bold * SIDE)
        glyph = fat if self._bold else plain
        h, w = glyph.shape
        canvas = np.zeros((SIDE, SIDE), np.float32)
        s = min(1.0, 0.84 * SIDE / h, 0.84 * SIDE / w)
        if s < 1:
            glyph = np.asarray(cv2.resize(glyph, None, fx=s, fy=s, interpolation=cv2.INTER_AREA), np.float32)
            h, w = glyph.shape
        y, x = (SIDE - h) // 2, (SIDE - w) // 2
        canvas[y : y + h, x : x + w] = glyph
        if self._under == "all" or (self._under == "six" and face == "6"):
            top = min(SIDE - 8, y + h + 2)
            cv2.rectangle(canvas, (SIDE // 2 - w // 3, top), (SIDE // 2 + w // 3, top + max(2, h // 12)), 1.0, -1)
        return canvas


def _colour(rng: np.random.Generator) -> Colour:
    pick = rng.random()
    if pick < 0.22:  # white, ivory
        return np.array(hsv(rng.uniform(20, 60), rng.uniform(0, 0.3), rng.uniform(0.75, 1)), np.float32)
    if pick < 0.38:  # black, grey
        return np.array(hsv(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.05, 0.3)), np.float32)
    if pick < 0.46:  # wood
        return np.array(hsv(rng.uniform(15, 38), rng.uniform(0.3, 0.7), rng.uniform(0.4, 0.9)), np.float32)
    return np.array(hsv(rng.uniform(0, 360), rng.uniform(0.45, 1), rng.uniform(0.25, 1)), np.float32)


def _luma(colour: Colour) -> float:
    return float(colour @ np.array([0.114, 0.587, 0.299], np.float32))


def _contrasting(other: Colour, rng: np.random.Generator) -> Colour:
    """Return an ink that can be told from the colour under it."""
    for _ in range(40):
        pick = rng.random()
        found = (
            np.array(hsv(0, 0, rng.uniform(0.85, 1)), np.float32)
            if pick < 0.4
            else np.array(hsv(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0, 0.15)), np.float32)
            if pick < 0.75
            else np.array(hsv(rng.uniform(0, 360), rng.uniform(0.4, 1), rng.uniform(0.3, 1)), np.float32)
        )
        if abs(_luma(found) - _luma(other)) > 70:
            return found
    return np.full(3, 250.0 if _luma(other) < 128 else 10.0, np.float32)
