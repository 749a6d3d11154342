"""Cut each cell of a board out of the photo as a small upright picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

FIELD = 1.25
"""Side of a crop in tile widths."""
PIXELS = 64
"""Side of a crop in pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Closeup:
    """A part of a picture, at the scale of the crops."""

    image: NDArray[np.uint8]
    """(h, w, 3) uint8."""
    move: NDArray[np.float64]
    """(3, 3) pixels of the whole picture to pixels of this one."""


def crop_cells(
    image: NDArray[np.uint8],
    homography: NDArray[np.float64],
    centres: NDArray[np.float64],
    *,
    pixels: int = PIXELS,
    field: float = FIELD,
    views: Sequence[NDArray[np.float64]] | None = None,
) -> NDArray[np.uint8]:
    """Warp cells to upright crops.

    Parameters: ``image`` (h, w, 3) uint8; ``homography`` (3, 3), board coordinates in tile widths to pixels of
    ``image``; ``centres`` (n, 2) board coordinates; ``views`` a (3, 3) map of board coordinates for each centre, to
    look at it a little otherwise. Returns (n, pixels, pixels, 3) uint8.
    """
    crops = np.zeros((len(centres), pixels, pixels, 3), np.uint8)
    if not len(centres):
        return crops
    homography = np.asarray(homography, np.float64)
    near = closeup(image, homography, centres, pixels / field)
    image, homography = near.image, near.move @ homography
    step = field / pixels
    cut = np.array([[step, 0, -field / 2 + step / 2], [0, step, -field / 2 + step / 2], [0, 0, 1]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    for i, (x, y) in enumerate(centres):
        shift = np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])
        if views is not None:
            shift = views[i] @ shift
        cv2.warpPerspective(
            image,
            homography @ shift @ cut,
            (pixels, pixels),
            dst=crops[i],
            flags=flags,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return crops


def shrunk(image: NDArray[np.uint8], factor: float) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return a picture averaged down by about a factor of 1 or more, and the scale that it really got, (2,) x, y.

    Halving whole pixels costs a tenth of any other averaging, so it is done first and what is left only where it pays.
    """
    h, w = image.shape[:2]
    while factor >= 1.6 and min(image.shape[:2]) >= 4:
        even = image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2]
        image = np.asarray(cv2.resize(even, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        factor /= 2
    halved = np.array([image.shape[1], image.shape[0]])
    scale = np.full(2, 2.0 ** -round(float(np.log2(w / halved[0]))))
    if factor > 1.25:
        size = np.maximum(2, np.rint(halved / factor).astype(int))
        image = np.asarray(cv2.resize(image, (int(size[0]), int(size[1])), interpolation=cv2.INTER_AREA), np.uint8)
        scale = scale * size / halved
    return image, scale


def tile_pixels(homography: NDArray[np.float64], centres: NDArray[np.float64]) -> float:
    """Return the median width of a tile in pixels: the root of the area that a unit square covers."""
    h = np.asarray(homography, np.float64)
    w = centres @ h[2, :2] + h[2, 2]
    return float(np.sqrt(np.median(np.abs(np.linalg.det(h) / w**3))))


def closeup(
    image: NDArray[np.uint8],
    homography: NDArray[np.float64],
    centres: NDArray[np.float64],
    wanted: float = PIXELS / FIELD,
) -> Closeup:
    """Return the part of the image that holds the cells, averaged down where tiles exceed ``wanted`` pixels."""
    lo, hi = centres.min(0) - 1, centres.max(0) + 1
    corners = np.array([[lo[0], lo[1], 1], [hi[0], lo[1], 1], [hi[0], hi[1], 1], [lo[0], hi[1], 1]]) @ homography.T
    if np.any(corners[:, 2] * np.sign(corners[0, 2]) <= 1e-9):
        return Closeup(image, np.eye(3))
    points = corners[:, :2] / corners[:, 2:]
    h, w = image.shape[:2]
    x0, y0 = np.clip(np.floor(points.min(0)).astype(int) - 2, 0, (w - 2, h - 2))
    x1, y1 = np.clip(np.ceil(points.max(0)).astype(int) + 3, (x0 + 2, y0 + 2), (w, h))
    factor = tile_pixels(homography, centres) / (wanted * 1.2)
    part = image[y0:y1, x0:x1]
    scale = np.array([1.0, 1.0])
    if factor > 1.25:
        part, scale = shrunk(part, factor)
    # pixel centres: x' + 0.5 = (x - x0 + 0.5) * scale
    move = np.array([[scale[0], 0, (0.5 - x0) * scale[0] - 0.5], [0, scale[1], (0.5 - y0) * scale[1] - 0.5], [0, 0, 1]])
    return Closeup(part, move)
