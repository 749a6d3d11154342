"""Find the launch pad beside a board in the maps of the network of ships, and where the ring rests on it.

A pad is eleven buttons in a straight line, evenly spaced; each has a map of its own, so the line is fitted to where
each map is highest. The ring is a thin dark edge, too fine for those maps: the pad is cut out of the photo as an
upright strip, in which a network of its own compares the buttons. Letters: h, w height and width of a map.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.scoring.pad import BUTTONS
from boardsight.vision.crop import tile_pixels
from boardsight.vision.window import PITCH, STRIDE, flattened

Floats = NDArray[np.float64]

SEEN = 0.3
"""Height of a button's map from which on the button counts as seen."""
FEWEST = 4
"""Buttons that must be seen in a line."""
MEAN = 0.35
"""Mean height, over the buttons in the photo, from which on there is a pad."""
SPACING = (0.3, 1.0)
"""Least and greatest distance of two buttons, in tile widths."""
SPACE = 32
"""Distance of two buttons in a strip, in pixels."""
STRIP = (64, SPACE * len(BUTTONS))
"""Width and height of a strip in pixels, the highest button on top."""


@dataclass(frozen=True, slots=True, eq=False)
class Pad:
    """A launch pad in the maps."""

    buttons: Floats
    """(11, 2) x, y in pixels of the map, button 0 first."""
    heights: Floats
    """(11,) how clearly each is seen, 0 to 1."""


def hilltop(plane: NDArray[np.float32], x: int, y: int) -> tuple[float, float]:
    """Return the place of a hill whose highest pixel is given, refined by the heights around."""
    h, w = plane.shape
    x0, x1, y0, y1 = max(0, x - 1), min(w, x + 2), max(0, y - 1), min(h, y + 2)
    weight = plane[y0:y1, x0:x1].astype(np.float64) ** 2
    total = max(float(weight.sum()), 1e-12)
    ys, xs = np.mgrid[y0:y1, x0:x1]
    dx, dy = float((weight * (xs - x)).sum()) / total, float((weight * (ys - y)).sum()) / total
    # the centroid of a sampled hill moves less than the hill: a gain found from its shape
    return x + min(max(1.35 * dx, -0.6), 0.6), y + min(max(1.35 * dy, -0.6), 0.6)


def sample(maps: NDArray[np.float32], spots: Floats, reach: int = 1) -> Floats:
    """Return for maps (n, h, w) the greatest height within ``reach`` pixels of each map's own spot (n, 2)."""
    n, h, w = maps.shape
    out = np.zeros(n)
    for k, (x, y) in enumerate(np.rint(spots).astype(int)):
        part = maps[k, max(0, y - reach) : max(0, y + reach + 1), max(0, x - reach) : max(0, x + reach + 1)]
        if 0 <= x < w and 0 <= y < h and part.size:
            out[k] = float(part.max())
    return out


def fit_pad(maps: NDArray[np.float32], inside: NDArray[np.bool_]) -> Pad | None:
    """Return the launch pad in the maps (11, h, w) of its buttons, or None.

    ``inside`` (h, w) is False where the window shows what lies beyond the photo's edge.
    """
    count, _, w = maps.shape
    top = maps.reshape(count, -1).argmax(1)
    spots = np.array([hilltop(maps[k], int(top[k] % w), int(top[k] // w)) for k in range(count)])
    heights = maps.reshape(count, -1).max(1).astype(np.float64)
    clear = [k for k in range(count) if heights[k] >= SEEN]
    if len(clear) < FEWEST:
        return None
    wide = np.stack([cv2.dilate(plane, np.ones((3, 3), np.uint8)) for plane in maps]).astype(np.float32)
    numbers = np.arange(count)[:, None]
    best: Floats | None = None
    merit = 0.0
    for i, j in combinations(clear, 2):
        step = (spots[j] - spots[i]) / (j - i)
        if not SPACING[0] <= float(np.hypot(*step)) * STRIDE / PITCH <= SPACING[1]:
            continue
        line = spots[i] + (numbers - i) * step
        worth = float(sample(wide, line, 0).sum())
        if worth > merit:
            best, merit = line, worth
    if best is None:
        return None
    near = (np.hypot(*(spots - best).T) < 2.0) & (heights >= SEEN)
    if near.sum() < FEWEST:
        return None
    basis = np.column_stack([np.ones(count), np.arange(count)])
    weight = np.sqrt(heights[near])[:, None]
    line = basis @ np.linalg.lstsq(basis[near] * weight, spots[near] * weight, rcond=None)[0]
    found = sample(maps, line)
    there = on_map(inside, line)
    if (found >= SEEN).sum() < FEWEST or not there.any() or float(found[there].mean()) < MEAN:
        return None
    return Pad(line, found)


def on_map(inside: NDArray[np.bool_], spots: Floats) -> NDArray[np.bool_]:
    """Return which spots (n, 2) lie where the map (h, w) shows the photo."""
    h, w = inside.shape
    x, y = np.rint(spots).astype(int).T
    within = (x >= 0) & (x < w) & (y >= 0) & (y < h)
    return np.asarray(within & inside[np.clip(y, 0, h - 1), np.clip(x, 0, w - 1)], np.bool_)


def cut_strip(image: NDArray[np.uint8], homography: Floats, buttons: Floats, margin: int = 0) -> NDArray[np.uint8]:
    """Return a launch pad as an upright strip, (h, w, 3) BGR uint8 of the size `STRIP` with ``margin`` pixels around.

    Parameters: ``image`` (h, w, 3); ``homography`` (3, 3) board coordinates to its pixels; ``buttons`` (11, 2) evenly
    spaced in board coordinates, button 0 first. Beyond the photo all is grey.
    """
    step = (buttons[-1] - buttons[0]) / (len(buttons) - 1)
    x, y = (STRIP[0] - 1) / 2 + margin, (SPACE - 1) / 2 + margin
    aside, down = np.array([-step[1], step[0]]) / SPACE, -step / SPACE
    unit = np.eye(3)
    unit[:2] = np.column_stack([aside, down, buttons[-1] - aside * x - down * y])
    factor = tile_pixels(homography, buttons[5:6]) * float(np.hypot(*step)) / SPACE
    return flattened(image, homography @ unit, (STRIP[0] + 2 * margin, STRIP[1] + 2 * margin), factor)


def ring_odds(answer: NDArray[np.float32]) -> Floats:
    """Return (12,) log odds that the ring rests on each button, button 0 first, and 0 for that it rests on none.

    ``answer`` (11,) is what the network says of a strip, from its top.
    """
    return np.append(answer[::-1].astype(np.float64), 0.0)
