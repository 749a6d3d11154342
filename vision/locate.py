"""Mark the centres of tiles and spaces in a photo with a small fully convolutional network."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.models import Network
from boardsight.vision.lattice import Marks

STRIDE = 4
COARSEST = 32
"""The network halves the picture five times: sides must be multiples of this."""
SIDE = 640
"""Longer side of the picture that the network sees, in pixels; more sees smaller tiles and costs time."""
FLOOR = 0.35
"""A mark's least height, 0 to 1; lower finds more tiles under glare and more that are none."""
MOST = 160
"""Marks that are kept, the surest; a photo of four full boards has fewer."""
SURE = 0.6
"""A mark from this height on says where to look closer."""
FEW = 4
"""Sure marks that are needed to say so."""
GREY = 127


Region: TypeAlias = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """Marks and the maps that they were found in."""

    marks: Marks
    """Centres in pixels of the picture that was given."""
    maps: NDArray[np.float32] = field(repr=False)
    """(h, w, kinds), 0 to 1."""


def locate(image: NDArray[np.uint8], network: Network, *, side: int = SIDE, region: Region | None = None) -> Located:
    """Find tiles and spaces; ``image`` is (h, w, 3) BGR uint8, seen at ``side`` pixels on its longer side.

    ``region`` (x0, y0, x1, y1) restricts the look to a part of the picture, which is then seen larger.
    """
    if region is not None:
        x0, y0, x1, y1 = region
        part = locate(image[y0:y1, x0:x1], network, side=side)
        moved = part.marks.centres + np.array([x0, y0], np.float32)
        return Located(Marks(moved, part.marks.kinds, part.marks.scores), part.maps)
    image = halvable(image)
    h, w = image.shape[:2]
    padded, _ = at_side(image, side)
    size = reduced(image, side)
    maps = network(padded[None])[0]
    centres, kinds, scores = peaks(maps)
    points = (centres * STRIDE + 1.5 + 0.5) / (size[0] / w, size[1] / h) - 0.5
    inside = np.flatnonzero(((points >= 0) & (points < (w, h))).all(1))
    inside = inside[np.argsort(-scores[inside], kind="stable")[:MOST]]
    marks = Marks(points[inside].astype(np.float32), kinds[inside], scores[inside].astype(np.float32))
    return Located(marks, np.ascontiguousarray(maps.transpose(1, 2, 0)))


def reduced(image: NDArray[np.uint8], side: int) -> tuple[int, int]:
    """Return width and height of a picture whose longer side has ``side`` pixels."""
    h, w = image.shape[:2]
    scale = side / max(h, w)
    return max(16, round(w * scale)), max(16, round(h * scale))


def halvable(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture without the last row or column that keeps it from being halved exactly."""
    return image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2] if min(image.shape[:2]) > 1 else image


def at_side(image: NDArray[np.uint8], side: int) -> tuple[NDArray[np.uint8], float]:
    """Return a picture at ``side`` pixels on its longer side, padded for the network, and its scale."""
    h, w = image.shape[:2]
    scale = side / max(h, w)
    size = reduced(image, side)
    while min(image.shape[:2]) >= 2 * min(size) and image.shape[0] % 2 == image.shape[1] % 2 == 0:
        # halving whole pixels costs a tenth of any other averaging
        image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    padded = np.full((-(-size[1] // COARSEST) * COARSEST, -(-size[0] // COARSEST) * COARSEST, 3), GREY, np.uint8)
    padded[: size[1], : size[0]] = small
    return padded, scale


def crowd(marks: Marks, size: tuple[int, int]) -> Region | None:
    """Return the part of a picture of a size (width, height) that holds the sure marks, with a margin; None if few."""
    sure = marks.centres[marks.scores > SURE]
    if len(sure) < FEW:
        return None
    return around(sure, size, 0.12, 0.03 * max(size))


def around(points: NDArray[np.floating], size: tuple[int, int], share: float, more: float = 0.0) -> Region:
    """Return the part of a picture of a size (width, height) that holds points (n, 2).

    Its margin is a share of the larger side that they take, and ``more`` pixels.
    """
    lo, hi = points.min(0), points.max(0)
    margin = share * float((hi - lo).max()) + more
    x0, y0 = np.maximum(lo - margin, 0).astype(int)
    x1, y1 = np.minimum(hi + margin, size).astype(int)
    return int(x0), int(y0), int(x1), int(y1)


def peaks(
    maps: NDArray[np.float32], floor: float = FLOOR
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Return places (n, 2) x, y in map pixels, kinds and heights of the maps' peaks; maps are (kinds, h, w).

    Of two kinds at one place the higher one stays. Places are refined by the centroid of the 3 x 3 heights about them.
    """
    top = maps.max(0)
    kind = maps.argmax(0)
    high = cv2.dilate(top, np.ones((5, 5), np.uint8))
    ys, xs = np.nonzero((top >= high) & (top > floor))
    padded = np.pad(top, 1)
    window = np.stack([padded[ys + dy, xs + dx] for dy in range(3) for dx in range(3)], 1)
    weight = window**2
    dx = (weight * np.tile([-1, 0, 1], 3)).sum(1) / weight.sum(1)
    dy = (weight * np.repeat([-1, 0, 1], 3)).sum(1) / weight.sum(1)
    # the centroid of a sampled hill moves less than the hill: a gain found from its shape
    places = np.stack([xs + np.clip(dx * 1.35, -0.6, 0.6), ys + np.clip(dy * 1.35, -0.6, 0.6)], 1)
    return places.astype(np.float64), kind[ys, xs].astype(np.int64), top[ys, xs].astype(np.float64)
