"""Pictures that hold no board of ours and look as if they might: whoever reads a tile in one has made it up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi, sin, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
_SIZE = (1200, 1600)


def _ground(rng: np.random.Generator) -> Image:
    base = rng.integers(60, 180, 3)
    return np.clip(base + rng.normal(0, 6, (*_SIZE, 3)), 0, 255).astype(np.uint8)


def _colour(rng: np.random.Generator) -> tuple[int, int, int]:
    b, g, r = (int(v) for v in rng.integers(20, 250, 3))
    return b, g, r


def _polygon(image: Image, x: float, y: float, radius: float, corners: int, colour: tuple[int, int, int]) -> None:
    at = [(x + radius * cos(2 * pi * i / corners), y + radius * sin(2 * pi * i / corners)) for i in range(corners)]
    cv2.fillPoly(image, [np.round(at).astype(np.int32)], colour, cv2.LINE_AA)


def hexes(rng: np.random.Generator) -> Image:
    """Return plain hexagons in the very lattice of Take It Easy!, with a number in each."""
    image = _ground(rng)
    side = 95.0
    for q, count in enumerate((3, 4, 5, 4, 3)):
        for k in range(count):
            x, y = 800 + (q - 2) * side * 1.5, 600 + (k - (count - 1) / 2) * side * sqrt(3)
            _polygon(image, x, y, side * 0.95, 6, _colour(rng))
            text = str(rng.integers(2, 13))
            cv2.putText(image, text, (int(x) - 20, int(y) + 15), cv2.FONT_HERSHEY_DUPLEX, 1.4, (0, 0, 0), 2)
    return image


def octagons(rng: np.random.Generator) -> Image:
    """Return plain octagons in a square lattice, like floor tiles."""
    image = _ground(rng)
    for row in range(6):
        for column in range(6):
            colour = (200, 205, 210) if (row + column) % 3 else _colour(rng)
            _polygon(image, 350 + 160 * column, 200 + 160 * row, 78, 8, colour)
    return image


def quilt(rng: np.random.Generator) -> Image:
    """Return a patchwork of coloured squares with stripes across."""
    image = np.repeat(np.repeat(rng.integers(0, 256, (12, 16, 3), np.uint8), 100, axis=0), 100, axis=1)
    for _ in range(25):
        a, b = rng.integers(0, 1600, 2), rng.integers(0, 1200, 2)
        cv2.line(image, (int(a[0]), int(b[0])), (int(a[1]), int(b[1])), _colour(rng), 24, cv2.LINE_AA)
    return np.ascontiguousarray(image)


def chess(rng: np.random.Generator) -> Image:
    """Return a chessboard with round pieces."""
    image = _ground(rng)
    for row in range(8):
        for column in range(8):
            x, y = 250 + 130 * column, 80 + 130 * row
            cv2.rectangle(
                image, (x, y), (x + 129, y + 129), (60, 90, 140) if (row + column) % 2 else (190, 215, 235), -1
            )
            if row in (0, 1, 6, 7):
                cv2.circle(image, (x + 65, y + 65), 40, (20, 20, 20) if row < 2 else (240, 240, 240), -1, cv2.LINE_AA)
    return image


def rays(rng: np.random.Generator) -> Image:
    """Return loose crossings of three coloured stripes, which lie on no lattice."""
    image = _ground(rng)
    for _ in range(9):
        x, y, turn = rng.uniform(100, 1500), rng.uniform(100, 1100), rng.uniform(0, pi)
        for i in range(3):
            dx, dy = 75 * cos(turn + i * pi / 3), 75 * sin(turn + i * pi / 3)
            ends = ((int(x - dx), int(y - dy)), (int(x + dx), int(y + dy)))
            cv2.line(image, *ends, _colour(rng), 28, cv2.LINE_AA)
    return image


def page(rng: np.random.Generator) -> Image:
    """Return a sheet of paper with rows of numbers."""
    image: Image = np.full((*_SIZE, 3), 235, np.uint8)
    for row in range(20):
        text = "  ".join(str(v) for v in rng.integers(1, 99, 12))
        cv2.putText(image, text, (60, 60 + 57 * row), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (40, 30, 30), 2, cv2.LINE_AA)
    return image


def noise(rng: np.random.Generator) -> Image:
    """Return coloured noise at several scales."""
    image = np.zeros((*_SIZE, 3), np.float64)
    for step in (4, 20, 100):
        small = rng.normal(0, 40, (_SIZE[0] // step, _SIZE[1] // step, 3))
        image += cv2.resize(small, _SIZE[::-1], interpolation=cv2.INTER_CUBIC)
    return np.clip(image + 128, 0, 255).astype(np.uint8)


def blank(rng: np.random.Generator) -> Image:
    """Return an empty table."""
    return _ground(rng)


DRAWINGS: Mapping[str, Callable[[np.random.Generator], Image]] = {
    f.__name__: f for f in (hexes, octagons, quilt, chess, rays, page, noise, blank)
}
