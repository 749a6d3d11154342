"""Shared drawing for editions: colours, polygons, stripe edges, suns and moons. Colours are BGR, 0 to 255."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Colour = tuple[float, float, float]

RAYS = {"rays": 10, "star": 8, "disc": 0, "lines": 12, "petals": 7, "rays8": 8}
"""How many rays each kind of sun has."""
HORNS = {"crescent": 0.55, "thick": 0.85, "disc": 0.5, "thin": 0.42, "faced": 0.7}
"""How full each kind of moon is."""


def hsv(h: float, s: float, v: float) -> Colour:
    """Return BGR 0 to 255 of a hue in degrees, saturation and value 0 to 1."""
    i, f = divmod((h % 360) / 60, 1)
    s, v = min(max(s, 0), 1), min(max(v, 0), 1)
    p, q, t = v * (1 - s), v * (1 - s * f), v * (1 - s * (1 - f))
    r, g, b = [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)][int(i) % 6]
    return 255 * b, 255 * g, 255 * r


def contrast(a: Colour, b: Colour) -> float:
    """Return how far apart two colours are in brightness."""
    return abs(float(np.dot(a, (0.11, 0.59, 0.30))) - float(np.dot(b, (0.11, 0.59, 0.30))))


def shape_corners(shape: str) -> list[tuple[float, float]]:
    """Return the corners (x, y) of a tile of width 1 from flat side to flat side."""
    n = 6 if shape == "hexagon" else 8
    r, turn = 0.5 / math.cos(math.pi / n), 0.0 if n == 6 else math.pi / 8
    return [(r * math.cos(2 * math.pi * k / n + turn), r * math.sin(2 * math.pi * k / n + turn)) for k in range(n)]


def fixed(point: tuple[float, float] | NDArray[np.float64]) -> tuple[int, int]:
    """Return a point in sixteenths of a pixel, as OpenCV takes it with ``shift=4``."""
    return round(float(point[0]) * 16), round(float(point[1]) * 16)


def poly(image: Image, points: NDArray[np.float64], colour: float | Colour) -> None:
    """Fill a polygon of (n, 2) pixel coordinates."""
    cv2.fillPoly(image, [np.round(points * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def edge_line(kind: str, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far a stripe's edge swings out, about -1 to 1, at (n,) places counted in periods."""
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


def blend(image: Image, mask: NDArray[np.float32], colour: Colour, cx: float, cy: float) -> None:
    """Lay a colour over an image where a mask, centred at (cx, cy), covers it."""
    h, w = mask.shape
    x0, y0 = round(cx - w / 2), round(cy - h / 2)
    a, b, c, d = max(0, -x0), max(0, -y0), min(w, image.shape[1] - x0), min(h, image.shape[0] - y0)
    if c <= a or d <= b:
        return
    m = mask[b:d, a:c, None]
    part = image[y0 + b : y0 + d, x0 + a : x0 + c]
    part[:] = (part * (1 - m) + np.array(colour, np.float32) * m + 0.5).astype(np.uint8)


def draw_sun(image: Image, kind: str, x: float, y: float, r: float, colour: Colour) -> None:
    """Draw a sun of radius about ``r`` pixels at pixel (x, y)."""
    rays = RAYS[kind]
    if kind == "lines":
        for k in range(rays):
            a = 2 * np.pi * k / rays
            p = (x + r * 0.75 * np.cos(a), y + r * 0.75 * np.sin(a))
            q = (x + r * 1.25 * np.cos(a), y + r * 1.25 * np.sin(a))
            cv2.line(image, fixed(p), fixed(q), colour, max(1, round(r * 0.16)), cv2.LINE_AA, 4)
    elif kind == "petals":
        for k in range(rays):
            a = 2 * np.pi * k / rays
            p = (x + r * 0.9 * np.cos(a), y + r * 0.9 * np.sin(a))
            cv2.circle(image, fixed(p), round(r * 0.32 * 16), colour, -1, cv2.LINE_AA, 4)
    elif rays:
        turns = np.linspace(0, 2 * np.pi, 2 * rays + 1)
        reach = np.where(np.arange(2 * rays + 1) % 2, r * 0.65, r * 1.3)
        poly(image, np.stack([x + reach * np.cos(turns), y + reach * np.sin(turns)], 1), colour)
    size = 1.0 if not rays else 0.62
    cv2.circle(image, fixed((x, y)), round(r * size * 16), colour, -1, cv2.LINE_AA, 4)


def draw_moon(image: Image, kind: str, x: float, y: float, r: float, colour: Colour, turn: float = 0.0) -> None:
    """Draw a moon of radius about ``r`` pixels at pixel (x, y), turned by ``turn`` radians."""
    shift = HORNS[kind]
    a = np.linspace(0.25 * np.pi, 1.75 * np.pi, 33)
    outer = np.stack([r * np.cos(a), r * np.sin(a)], 1)
    inner = np.stack([r * (shift * np.cos(a) * 0.85 + (1 - shift) * 0.75), r * 0.8 * np.sin(a)], 1)[::-1]
    if kind == "disc":
        cv2.circle(image, fixed((x, y)), round(r * 1.15 * 16), (40, 25, 15), -1, cv2.LINE_AA, 4)
    c, s = np.cos(turn), np.sin(turn)
    poly(image, np.concatenate([outer, inner]) @ np.array([[c, s], [-s, c]]) + (x, y), colour)
