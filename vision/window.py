"""One upright picture of a board with what lies left of it: where ships, buttons and the ring are looked for."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.vision.crop import shrunk, tile_pixels
from boardsight.vision.lattice import project

LEFT, TOP = -3.5, -1.5
"""Board coordinates of the window's upper left corner, in tile widths."""
PITCH = 48
"""Pixels a tile width; a ship is about ten pixels wide."""
SIZE = (448, 384)
"""Width and height in pixels, multiples of 32: nine tiles by eight."""
STRIDE = 4
"""Pixels of the window a pixel of the maps."""
GREY = 127
"""What the window shows beyond the photo's edge."""

Floats = NDArray[np.float64]


def to_window(points: Floats) -> Floats:
    """Return pixels of the window (n, 2) of board coordinates (n, 2)."""
    return (points - (LEFT, TOP)) * PITCH - 0.5


def to_board(pixels: Floats) -> Floats:
    """Return board coordinates (n, 2) of pixels of the window (n, 2)."""
    return np.asarray((pixels + 0.5) / PITCH + (LEFT, TOP), np.float64)


def map_to_board(spots: Floats) -> Floats:
    """Return board coordinates (n, 2) of pixels of the maps (n, 2), which have one for `STRIDE` of the window's."""
    return to_board(spots * STRIDE + (STRIDE - 1) / 2)


def cut_window(image: NDArray[np.uint8], homography: Floats, move: Floats | None = None) -> NDArray[np.uint8]:
    """Return the window of a board, (384, 448, 3) BGR uint8.

    Parameters: ``image`` (h, w, 3); ``homography`` (3, 3) board coordinates to its pixels; ``move`` (3, 3) changes the
    window's pixels first, to look at it a little otherwise. Beyond the photo all is grey.
    """
    unit = np.array([[1 / PITCH, 0, 0.5 / PITCH + LEFT], [0, 1 / PITCH, 0.5 / PITCH + TOP], [0, 0, 1]])
    whole = np.asarray(homography, np.float64) @ (unit if move is None else unit @ move)
    middle = to_board(np.array([[SIZE[0] / 2, SIZE[1] / 2]]))
    return flattened(image, whole, SIZE, tile_pixels(np.asarray(homography, np.float64), middle) / PITCH)


def flattened(image: NDArray[np.uint8], whole: Floats, size: tuple[int, int], factor: float) -> NDArray[np.uint8]:
    """Return a picture (h, w, 3) of ``size`` (w, h) whose pixels ``whole`` (3, 3) maps to those of ``image``.

    ``factor`` says how many pixels of ``image`` one of the picture covers. Beyond the photo all is grey.
    """
    corners = np.array([[0, 0], [size[0], 0], list(size), [0, size[1]]], np.float64)
    depths = np.c_[corners, np.ones(4)] @ whole[2]
    if factor > 1.2 and (depths * depths[0] > 0).all():
        # averaged down about the window first, as a larger step would skip pixels
        points = project(whole, corners)
        h, w = image.shape[:2]
        x0, y0 = np.clip(np.floor(points.min(0)).astype(int) - 8, 0, (w - 2, h - 2))
        x1, y1 = np.clip(np.ceil(points.max(0)).astype(int) + 9, (x0 + 2, y0 + 2), (w, h))
        image, (sx, sy) = shrunk(image[y0:y1, x0:x1], factor)
        whole = np.array([[sx, 0, (0.5 - x0) * sx - 0.5], [0, sy, (0.5 - y0) * sy - 0.5], [0, 0, 1]]) @ whole
    return np.asarray(
        cv2.warpPerspective(
            image,
            whole,
            size,
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(GREY, GREY, GREY),
        ),
        np.uint8,
    )
