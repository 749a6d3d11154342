"""The window of a board: where things are in it, and that large photos are averaged, not skipped."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from boardsight.vision.window import GREY, PITCH, SIZE, cut_window, to_board, to_window

FLAT = np.array([[100.0, 0.0, 450.0], [0.0, 100.0, 250.0], [0.0, 0.0, 1.0]])
OBLIQUE = np.array([[120.0, 12.0, 450.0], [-9.0, 100.0, 260.0], [0.005, 0.02, 1.0]])


def test_places_go_there_and_back() -> None:
    points = np.array([[0.0, 0.0], [-3.0, 6.0], [5.0, 2.5]])
    assert to_board(to_window(points)) == pytest.approx(points)
    assert to_window(np.array([[1.0, 0.0]])) - to_window(np.array([[0.0, 0.0]])) == pytest.approx(
        np.array([[PITCH, 0.0]])
    )


@pytest.mark.parametrize(
    "homography", [FLAT, OBLIQUE, np.diag([4.0, 4.0, 1.0]) @ FLAT], ids=["flat", "oblique", "large"]
)
def test_a_spot_is_where_it_belongs(homography: np.ndarray) -> None:
    size = (4000, 4000) if homography[0, 0] > 300 else (1000, 1100)
    image = np.zeros((*size, 3), np.uint8)
    at = np.array([3.2, 1.7])
    x, y, w = homography @ (*at, 1.0)
    cv2.circle(image, (round(x / w), round(y / w)), 12 if size[0] < 2000 else 48, (255, 255, 255), -1)
    window = cut_window(image, homography)
    assert window.shape == (SIZE[1], SIZE[0], 3)
    ys, xs = np.nonzero(window[..., 0] > 128)
    assert len(ys)
    assert to_board(np.array([[xs.mean(), ys.mean()]]))[0] == pytest.approx(at, abs=0.02)


def test_beyond_the_photo_all_is_grey() -> None:
    image = np.full((300, 300, 3), 255, np.uint8)
    window = cut_window(image, FLAT)
    assert (window[-1, -1] == GREY).all()
    assert (window == 255).any()


def test_a_large_photo_is_averaged() -> None:
    stripes = np.zeros((4400, 4400, 3), np.uint8)
    stripes[:, ::2] = 200
    window = cut_window(stripes, np.diag([4.0, 4.0, 1.0]) @ FLAT)
    middle = window[150:250, 150:250].astype(int)
    assert abs(middle.mean() - 100) < 3
    assert middle.std() < 12


def test_a_move_looks_at_it_otherwise() -> None:
    image = np.zeros((1000, 1000, 3), np.uint8)
    image[..., 0] = np.arange(1000) // 4
    image[..., 1] = np.arange(1000)[:, None] // 4
    shift = np.array([[1.0, 0, 10], [0, 1, 0], [0, 0, 1]])
    plain, moved = cut_window(image, FLAT), cut_window(image, FLAT, shift)
    assert np.abs(plain[:, 10:].astype(int) - moved[:, :-10]).max() <= 1
