"""What the networks of ships and launch pads learn from: windows and strips moved and recoloured, and their losses."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from boardsight.training.train import draw_mark, mark_loss, spoil
from boardsight.vision.heads import FLEET, SHIP_COLOURS
from boardsight.vision.launchpad import STRIP
from boardsight.vision.window import GREY, SIZE, STRIDE

NEAR = 0.4
"""Height of a ship's hill from which on its colour is asked."""
PART = 256
"""Side of the part of a window that most batches show, in pixels."""
WHOLE = 6
"""One batch out of so many shows whole windows."""


def moved(
    window: NDArray[np.uint8], pieces: NDArray[np.float32], rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """Return a window a little turned, scaled and shifted, and its pieces (n, 3) moved along."""
    a, s = np.radians(rng.normal(0, 1.2)), np.exp(rng.normal(0, 0.03))
    m = s * np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    middle = np.array(SIZE) / 2
    full = np.column_stack([m, middle - m @ middle + rng.normal(0, 5, 2)])
    picture = cv2.warpAffine(window, full, SIZE, flags=cv2.INTER_LINEAR, borderValue=(GREY, GREY, GREY))
    rows = pieces.astype(np.float64)
    rows[:, 1:] = rows[:, 1:] @ m.T + full[:, 2]
    return np.asarray(picture, np.uint8), rows


def maps_of(pieces: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the right maps (1 + kinds beside ships, h, w) of pieces (n, 3), and (h, w) each place's ship or -1."""
    h, w = SIZE[1] // STRIDE, SIZE[0] // STRIDE
    maps = np.zeros((1 + len(FLEET) - SHIP_COLOURS, h, w), np.float32)
    colour = np.full((h, w), -1, np.int64)
    best = np.full((h, w), NEAR, np.float32)
    half = (STRIDE - 1) / 2
    for kind, x, y in pieces:
        k = int(kind)
        hill = np.zeros((h, w), np.float32)
        draw_mark(hill, (x - half) / STRIDE, (y - half) / STRIDE, 1.0)
        # the highest pixel is 1 wherever the piece lies between pixels, as its height is to be a probability
        hill /= max(float(hill.max()), 0.5)
        plane = maps[max(0, 1 + k - SHIP_COLOURS)]
        np.maximum(plane, hill, out=plane)
        if k < SHIP_COLOURS:
            here = hill > best
            colour[here], best[here] = k, hill[here]
    return maps, colour


def fleet_batches(
    windows: list[NDArray[np.uint8]], pieces: list[NDArray[np.float32]], rng: np.random.Generator, size: int = 8
) -> Iterator[tuple[Tensor, ...]]:
    """Yield ``size`` windows, or twice as many parts of windows, their maps and the colours of their ships."""
    order: list[int] = []
    number = 0
    while True:
        whole = number % WHOLE == 0
        number += 1
        xs: list[NDArray[np.uint8]] = []
        ys: list[NDArray[np.float32]] = []
        colours: list[NDArray[np.int64]] = []
        while len(xs) < (size if whole else 2 * size):
            order = order or rng.permutation(len(windows)).tolist()
            k = order.pop()
            x, rows = moved(windows[k], pieces[k], rng)
            maps, colour = maps_of(rows)
            x = spoil(x, rng)
            if not whole:
                left = int(rng.integers(0, SIZE[0] - PART + 1)) // STRIDE
                top = int(rng.integers(0, SIZE[1] - PART + 1)) // STRIDE
                here = slice(top, top + PART // STRIDE), slice(left, left + PART // STRIDE)
                x = x[top * STRIDE : top * STRIDE + PART, left * STRIDE : left * STRIDE + PART]
                maps, colour = maps[:, here[0], here[1]], colour[here]
            xs.append(x)
            ys.append(maps)
            colours.append(colour)
        yield tuple(torch.from_numpy(np.stack(part)) for part in (xs, ys, colours))


def fleet_loss(y: Tensor, maps: Tensor, colour: Tensor) -> Tensor:
    """Return the focal loss of all maps and the cross entropy of the colours where ships are."""
    end = 1 + SHIP_COLOURS
    value = mark_loss(y[:, end:], maps[:, 1:]) + 3 * mark_loss(y[:, :1], maps[:, :1])
    there = colour >= 0
    if there.any():
        rows = y[:, 1:end].permute(0, 2, 3, 1)[there]
        value = value + nn.functional.nll_loss(rows, colour[there], reduction="sum") / len(y) / 20
    return value


def strip_batches(
    strips: NDArray[np.uint8], rings: NDArray[np.int8], rng: np.random.Generator, size: int = 32
) -> Iterator[tuple[Tensor, ...]]:
    """Yield strips (n, h, w, 3) cut out of wider ones (k, h', w', 3), a little moved, and their answers (n, 11).

    A strip may be mirrored; where it lies at the edge of what was kept, its answers stay as they are.
    """
    size = min(size, len(strips))
    margin = (strips.shape[2] - STRIP[0]) // 2
    middle, wide = (np.array(STRIP) - 1) / 2, (np.array(STRIP) - 1) / 2 + margin
    while True:
        order = rng.permutation(len(strips))
        for first in range(0, len(order) - size + 1, size):
            pick = order[first : first + size]
            xs = []
            for k in pick:
                a, s = np.radians(rng.normal(0, 0.6)), np.exp(rng.normal(0, 0.015))
                m = s * np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ np.diag([rng.choice([-1, 1]), 1])
                full = np.column_stack([m, wide - m @ middle + rng.normal(0, 1.7, 2)])
                x = cv2.warpAffine(
                    strips[k],
                    full,
                    STRIP,
                    flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                    borderValue=(GREY, GREY, GREY),
                )
                xs.append(spoil(np.asarray(x, np.uint8), rng))
            yield torch.from_numpy(np.stack(xs)), torch.from_numpy(rings[pick].astype(np.float32))


def strip_loss(y: Tensor, rings: Tensor) -> Tensor:
    """Return the mean cross entropy of the buttons that are in the photo, times eleven."""
    seen = rings >= 0
    return 11 * nn.functional.binary_cross_entropy_with_logits(y[seen], rings[seen])
