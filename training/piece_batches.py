"""What the networks of loose pieces learn from, batch by batch, and what a mistake costs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training.pieces import SCENE, WIDE, Image
from boardsight.vision.pieces import PieceSet, values_of

if TYPE_CHECKING:
    from torch import Tensor

WINDOW = 192
"""Side of a window of a scene that a locator learns from, in pixels."""
MARKS_COUNT = 20.0
"""How much more the maps count than the frames, which are learned sooner."""
LEAST_SIZE = 7.0
"""Pixels of a piece's unit below which nothing can be learned from it."""


# ---------------------------------------------------------------- what a locator learns from


def mark_batches(
    scenes: list[Image], marks: list[NDArray[np.float32]], kinds: int, rng: np.random.Generator, mirror: bool, size: int
) -> Iterator[tuple[Tensor, ...]]:
    """Yield windows of scenes, turned by quarters, scaled and recoloured, and their maps (n, kinds + 6, h/4, w/4).

    The last map is where the frame is learned; ``mirror`` says that scenes may be mirrored.
    """
    import torch

    from boardsight.training.train import spoil

    while True:
        xs, ys = [], []
        for k in rng.integers(0, len(scenes), size):
            rows = marks[k]
            s = float(np.exp(rng.uniform(-0.5, 0.8)))
            if len(rows):
                typical = float(np.sqrt(np.abs(np.linalg.det(rows[:, 3:].reshape(-1, 2, 2)))).mean())
                s = float(np.clip(s, 9 / typical, 120 / typical))
            focus = rows[int(rng.integers(len(rows))), :2] if len(rows) and rng.random() < 0.75 else None
            focus = (rng.uniform(0, SCENE, 2) if focus is None else focus) + rng.normal(0, 60, 2)
            turn = np.linalg.matrix_power(np.array([[0.0, -1.0], [1.0, 0.0]]), int(rng.integers(4))) * s
            if mirror and rng.random() < 0.5:
                turn = turn @ np.diag([-1.0, 1.0])
            move = np.column_stack([turn, np.full(2, WINDOW / 2) - turn @ focus])
            flags = cv2.INTER_AREA if s < 0.8 else cv2.INTER_LINEAR
            x = cv2.warpAffine(scenes[k], move, (WINDOW, WINDOW), flags=flags, borderValue=(127, 127, 127))
            xs.append(spoil(np.asarray(x, np.uint8), rng))
            ys.append(_maps(rows, move, kinds))
        yield torch.from_numpy(np.stack(xs)), torch.from_numpy(np.stack(ys))


def _maps(rows: NDArray[np.float32], move: NDArray[np.float64], kinds: int) -> NDArray[np.float32]:
    """Return what a locator should answer for marks (x, y, kind, frame) that are moved (2 x 3) into a window."""
    from boardsight.training.train import draw_mark

    side = WINDOW // 4
    y = np.zeros((kinds + 6, side, side), np.float32)
    if not len(rows):
        return y
    places = (rows[:, :2] @ move[:, :2].T + move[:, 2] - 1.5) / 4
    frames = move[:, :2] @ rows[:, 3:].reshape(-1, 2, 2).astype(np.float64)
    sizes = np.sqrt(np.abs(np.linalg.det(frames)))
    values = values_of(frames)
    for (px, py), kind, size, value in zip(places, rows[:, 2].astype(int), sizes, values, strict=True):
        if size < LEAST_SIZE:
            continue
        draw_mark(y[kind], px, py, float(np.clip(0.016 * size, 0.9, 1.5)))
        reach = max(1, round(0.03 * size))
        x0, x1 = max(0, round(px) - reach), min(side, round(px) + reach + 1)
        y0, y1 = max(0, round(py) - reach), min(side, round(py) + reach + 1)
        if x0 < x1 and y0 < y1:
            y[kinds : kinds + 5, y0:y1, x0:x1] = value[:, None, None]
            y[kinds + 5, y0:y1, x0:x1] = 1
    return y


def mark_loss(turned: bool) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the loss of a locator: focal on the maps, absolute on the frames; the turn only where it is known."""
    from boardsight.training.train import mark_loss as focal

    def loss(y: Tensor, target: Tensor) -> Tensor:
        kinds = target.shape[1] - 6
        where = target[:, -1:]
        channels = 5 if turned else 3
        off = (y[:, kinds : kinds + channels] - target[:, kinds : kinds + channels]).abs() * where
        return MARKS_COUNT * focal(y[:, :kinds], target[:, :kinds]) + off.sum() / (where.sum() + 1)

    return loss


# ---------------------------------------------------------------- what a classifier learns from


def wide_crops(of: PieceSet, crops: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return wide crops (n, h, w, 3) at the size of the declaration, also where they were drawn for another one."""
    size = round(of.pixels[0] * WIDE), round(of.pixels[1] * WIDE)
    if crops.shape[2:0:-1] == size or not len(crops):
        return crops.reshape(-1, size[1], size[0], 3)
    return np.stack([np.asarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA), np.uint8) for crop in crops])


def crop_batches(
    of: PieceSet, crops: NDArray[np.uint8], labels: NDArray[np.int16], rng: np.random.Generator, size: int
) -> Iterator[tuple[Tensor, ...]]:
    """Yield crops as a locator would cut them, a little off, and their labels.

    Where the declaration's frames have no direction, crops are turned any way; where it has a `mirror`, half of them
    are mirrored.
    """
    import torch

    from boardsight.training.train import spoil

    w, h = of.pixels
    while True:
        order = rng.permutation(len(crops))
        for first in range(0, len(order) - size + 1, size):
            xs, ys = [], []
            for k in order[first : first + size]:
                angle = rng.uniform(0, 2 * np.pi) if not of.turned else np.radians(rng.normal(0, 4))
                c, s = np.cos(angle), np.sin(angle)
                m = np.array([[c, -s], [s, c]]) @ (np.eye(2) + rng.normal(0, 0.05, (2, 2))) * np.exp(rng.normal(0, 0.1))
                y = labels[k].astype(np.int64)
                if of.mirror and rng.random() < 0.5:
                    m, y = m @ np.diag([-1.0, 1.0]), np.array([of.mirror.get((i, v), v) for i, v in enumerate(y)])
                middle = np.array([crops.shape[2], crops.shape[1]]) / 2 - 0.5 + rng.normal(0, 0.04, 2) * (w, h)
                move = np.column_stack([m, middle - m @ (np.array([w, h]) / 2 - 0.5)])
                flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
                x = cv2.warpAffine(crops[k], move, (w, h), flags=flags, borderMode=cv2.BORDER_REPLICATE)
                xs.append(spoil(_worn(np.asarray(x, np.uint8), rng), rng))
                ys.append(y)
            yield torch.from_numpy(np.stack(xs)), torch.from_numpy(np.stack(ys))


def _worn(crop: Image, rng: np.random.Generator) -> Image:
    """Return a crop as if from farther away or out of focus, now and then."""
    if rng.random() < 0.2:
        h, w = crop.shape[:2]
        s = rng.uniform(0.25, 0.8)
        small = cv2.resize(crop, (max(6, int(w * s)), max(6, int(h * s))), interpolation=cv2.INTER_AREA)
        crop = np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR), np.uint8)
    if rng.random() < 0.2:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), rng.uniform(0.4, 1.6)), np.uint8)
    return crop


def crop_loss(of: PieceSet) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the summed cross entropy of all heads, leaving out what does not apply."""
    from torch import nn

    sizes = [len(options) for options in of.heads.values()]

    def loss(y: Tensor, target: Tensor) -> Tensor:
        value = y.new_zeros(())
        for k, part in enumerate(y.split(sizes, 1)):
            known = target[:, k] >= 0
            if known.any():
                value = value + nn.functional.nll_loss(part[known], target[known, k], reduction="sum") / len(target)
        return value

    return loss
