"""The ways in which a photo is spoiled before it is read again; the answer stays the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, radians, sin

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
"""Height x width x 3, BGR."""
Matrix = NDArray[np.float64]
"""2 x 3, from pixels of the photo to pixels of the variant."""


def _turned(degrees: float) -> Callable[[int, int], tuple[Matrix, tuple[int, int]]]:
    """Return a function from width and height to a clockwise turn that cuts nothing off, and the new size."""

    def place(width: int, height: int) -> tuple[Matrix, tuple[int, int]]:
        c, s = round(cos(radians(degrees)), 12), round(sin(radians(degrees)), 12)
        new = (
            int(np.ceil(abs(c) * width + abs(s) * height - 1e-6)),
            int(np.ceil(abs(s) * width + abs(c) * height - 1e-6)),
        )
        turn = np.array([[c, -s], [s, c]])
        shift = (np.array(new) - 1) / 2 - turn @ (np.array([width, height]) - 1) / 2
        return np.hstack([turn, shift[:, None]]), new

    return place


def _mirrored(width: int, height: int) -> tuple[Matrix, tuple[int, int]]:
    return np.array([[-1.0, 0.0, width - 1.0], [0.0, 1.0, 0.0]]), (width, height)


def _still(width: int, height: int) -> tuple[Matrix, tuple[int, int]]:
    return np.eye(2, 3), (width, height)


@dataclass(frozen=True)
class Variant:
    """One way to spoil a photo: where its pixels go, and what becomes of its light."""

    name: str
    place: Callable[[int, int], tuple[Matrix, tuple[int, int]]] = _still
    light: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Factors of blue, green and red."""

    @property
    def plain(self) -> bool:
        """Return True where the photo stays as it is."""
        return self.place is _still and self.light == (1.0, 1.0, 1.0)

    def apply(self, image: Image) -> tuple[Image, Matrix]:
        """Return the spoiled photo, and where its pixels went."""
        height, width = image.shape[:2]
        matrix, size = self.place(width, height)
        if self.place is not _still:
            # What lies beyond the edge is filled with the edge itself: a table goes on.
            moved = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            image = np.asarray(moved, np.uint8)
        if self.light != (1.0, 1.0, 1.0):
            ramp = np.arange(256, dtype=np.float64)[:, None] * np.array(self.light)
            table = np.clip(np.round(ramp), 0, 255).astype(np.uint8)[None]
            image = np.asarray(cv2.LUT(image, table), np.uint8)
        return image, matrix


PLAIN = Variant("as it is")
VARIANTS = (
    PLAIN,
    Variant("turned 90", _turned(90)),
    Variant("turned 180", _turned(180)),
    Variant("turned 270", _turned(270)),
    Variant("turned 7", _turned(7)),
    Variant("mirrored", _mirrored),
    Variant("darkened", light=(0.4, 0.4, 0.4)),
    Variant("warm", light=(0.6, 0.88, 1.12)),
)
