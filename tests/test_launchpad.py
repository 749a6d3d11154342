"""The launch pad is a line of evenly spaced buttons, whatever else shines in their maps."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.scoring.pad import BUTTONS
from boardsight.vision.lattice import project
from boardsight.vision.launchpad import SPACE, STRIP, cut_strip, fit_pad, hilltop, on_map, ring_odds, sample
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


def test_odds_of_the_ring_go_from_the_lowest_button_to_none() -> None:
    odds = ring_odds(np.arange(11, dtype=np.float32) - 5.5)
    assert odds[0] == 4.5 and odds[10] == -5.5 and odds[11] == 0


def test_a_strip_shows_the_highest_button_on_top() -> None:
    homography = np.array([[90.0, 8.0, 300.0], [-6.0, 85.0, 90.0], [0.0, 0.0, 1.0]])
    buttons = np.array([(-1.4 + 0.01 * k, 5.0 - 0.5 * k) for k in range(11)])
    image = np.full((700, 900, 3), 90, np.uint8)
    for k, (x, y) in enumerate(project(homography, buttons)):
        cv2.circle(image, (round(float(x)), round(float(y))), 12, (20 * k, 0, 255), -1)
    for margin in (0, 20):
        strip = cut_strip(image, homography, buttons, margin)
        assert strip.shape == (STRIP[1] + 2 * margin, STRIP[0] + 2 * margin, 3)
        for k in range(11):
            assert strip[margin + SPACE * (10 - k) + SPACE // 2, margin + STRIP[0] // 2].tolist() == [20 * k, 0, 255]
    cv2.circle(image, (round(300 - 1.2 * 90 + 20), 310), 12, (0, 255, 0), -1)
    right = cut_strip(image, homography, buttons)
    ys, xs = np.nonzero((right[..., 1] > 200) & (right[..., 2] < 50))
    assert len(xs) and xs.mean() > STRIP[0] / 2


def test_a_strip_of_a_large_photo_is_averaged_down() -> None:
    board = np.indices((2000, 2000)).sum(0) % 2 * 255
    image = np.repeat(board[..., None], 3, 2).astype(np.uint8)
    buttons = np.array([(0.5, 5.0 - 0.5 * k) for k in range(11)])
    strip = cut_strip(image, np.diag([350.0, 350.0, 1.0]), buttons)
    assert np.abs(strip[40:-40, 20:-20].astype(int) - 127).max() < 30


def test_a_sample_outside_is_nothing() -> None:
    plane = np.ones((1, 5, 5), np.float32)
    assert sample(plane, np.array([[2.0, 2.0]])) == [1]
    assert sample(plane, np.array([[9.0, 2.0]])) == [0]
