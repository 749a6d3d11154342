"""Other looks at a space that is in doubt: from another side, from nearer, as if under another lamp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.vision.decode import Evidence

Glance: TypeAlias = tuple[float, float, float, float]
GLANCES: tuple[Glance, ...] = (
    (3.0, 1.0, 0.0, 0.0),
    (-3.0, 1.0, 0.0, 0.0),
    (0.0, 0.95, 0.02, 0.02),
    (0.0, 1.05, -0.02, -0.02),
)
"""How a doubtful space is looked at again: degrees, scale, and shift in tile widths."""
NEARER: tuple[Glance, ...] = (
    (0.0, 0.9, 0.0, 0.0),
    (2.0, 0.92, 0.02, -0.02),
    (-2.0, 0.92, -0.02, 0.02),
    (0.0, 0.85, 0.0, 0.0),
)
"""How one is looked at that stays doubtful."""


def clearness(evidence: Evidence) -> NDArray[np.float32]:
    """Return (n,) the log probability of the likeliest answer of all heads together, legal or not."""
    total: NDArray[np.float32] = evidence.what.max(1)
    for rows in evidence.heads.values():
        total = total + rows.max(1)
    return total


def lamps(crops: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
    """Return gains (3,) of the channels that take a lamp's colour out of crops, wholly and by half.

    What is brightest in each channel is taken for white (white patch, Land and McCann 1971): outlines, paper and studs.
    """
    white = np.percentile(crops[:, ::2, ::2].reshape(-1, 3), 97, axis=0).clip(8, 255)
    whole = (white.max() / white).clip(0.5, 3.0)
    return [np.sqrt(whole).astype(np.float32), whole.astype(np.float32)]


def relit(crops: NDArray[np.uint8], gains: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return crops with their channels multiplied by gains (3,)."""
    table = np.clip(np.arange(256)[:, None] * gains + 0.5, 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(crops.reshape(1, -1, 3), table[None]), np.uint8).reshape(crops.shape)


def views_of(centre: NDArray[np.float64], glances: Sequence[Glance]) -> list[NDArray[np.float64]]:
    """Return maps of board coordinates that look at a cell a little turned, shifted, nearer and farther."""
    views = []
    for turn, scale, dx, dy in glances:
        a = np.radians(turn)
        m = scale * np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        view = np.eye(3)
        view[:2, :2] = m
        view[:2, 2] = centre - m @ centre + (dx, dy)
        views.append(view)
    return views
