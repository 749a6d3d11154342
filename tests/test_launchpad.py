"""The launch pad is a line of evenly spaced buttons, whatever else shines in their maps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.scoring.pad import BUTTONS
from boardsight.vision.launchpad import fit_pad, hilltop, on_map, ring_odds, sample
from boardsight.vision.window import SIZE, STRIDE

H, W = SIZE[1] // STRIDE, SIZE[0] // STRIDE
ALL = np.ones((H, W), np.bool_)
LINE: NDArray[np.float64] = np.array([(10.3 + 0.2 * k, 84.6 - 6.4 * k) for k in range(11)])


def hill(plane: NDArray[np.float32], x: float, y: float, height: float = 0.9) -> None:
    ys, xs = np.mgrid[0 : plane.shape[0], 0 : plane.shape[1]]
    np.maximum(plane, height * np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / 2.4), out=plane)


def maps(line: NDArray[np.float64] = LINE, height: float = 0.9) -> NDArray[np.float32]:
    planes = np.zeros((len(BUTTONS), H, W), np.float32)
    for plane, (x, y) in zip(planes, line, strict=True):
        hill(plane, float(x), float(y), height)
    return planes


def test_a_hill_is_found_between_pixels() -> None:
    plane = np.zeros((20, 30), np.float32)
    hill(plane, 12.3, 7.8)
    x, y = hilltop(plane, 12, 8)
    assert (x, y) == pytest.approx((12.3, 7.8), abs=0.1)


def test_a_pad_is_found() -> None:
    pad = fit_pad(maps(), ALL)
    assert pad is not None
    assert pad.buttons == pytest.approx(LINE, abs=0.25)
    assert pad.heights.min() > 0.5


def test_buttons_that_are_hidden_or_elsewhere_do_not_matter() -> None:
    planes = maps()
    for k in (0, 4, 7):
        planes[k] = 0
    planes[2] = 0
    hill(planes[2], 80, 20)
    pad = fit_pad(planes, ALL)
    assert pad is not None
    assert pad.buttons == pytest.approx(LINE, abs=0.4)
    assert pad.heights[4] == 0


def test_nothing_is_no_pad() -> None:
    assert fit_pad(np.zeros((11, H, W), np.float32), ALL) is None
    assert fit_pad(maps(height=0.2), ALL) is None


def test_buttons_anywhere_are_no_pad() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        assert fit_pad(maps(np.column_stack([rng.uniform(0, W, 11), rng.uniform(0, H, 11)])), ALL) is None


def test_what_lies_beyond_the_photo_is_not_missed() -> None:
    planes = maps()
    planes[:5] = 0
    inside = ALL.copy()
    inside[58:] = False
    pad = fit_pad(planes, inside)
    assert pad is not None
    assert list(on_map(inside, pad.buttons)) == [False] * 5 + [True] * 6


def test_the_ring_rests_where_its_map_is_high() -> None:
    pad = fit_pad(maps(), ALL)
    assert pad is not None
    plane = np.zeros((H, W), np.float32)
    assert ring_odds(plane, pad).argmax() == len(BUTTONS)
    hill(plane, *LINE[7])
    odds = ring_odds(plane, pad)
    assert odds.argmax() == 7
    assert odds[7] > 1.5 and np.delete(odds[:-1], 7).max() < 0


def test_a_sample_outside_is_nothing() -> None:
    plane = np.ones((1, 5, 5), np.float32)
    assert sample(plane, np.array([[2.0, 2.0]])) == [1]
    assert sample(plane, np.array([[9.0, 2.0]])) == [0]
