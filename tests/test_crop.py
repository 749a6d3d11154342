"""Cells are cut out where they lie, upright, at the right size."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.vision.crop import FIELD, PIXELS, crop_cells, shrunk, tile_pixels
from boardsight.vision.lattice import inverse, project

Floats = NDArray[np.float64]
CENTRES: Floats = np.array([[0.0, 0.0], [1.3, 0.4], [0.2, 2.1], [-1.0, 1.5]])
OFFSET: Floats = np.array([0.31, -0.22])
"""Where in a cell the dot is, in tile widths; no turn and no reflection of the cell takes it to itself."""


def seen(width: float, angle: float, mirrored: bool, tilt: float, at: tuple[float, float]) -> Floats:
    """Return a homography (3, 3) that shows tiles about `width` pixels wide."""
    c, s = np.cos(angle), np.sin(angle)
    turn = width * np.array([[c, -s], [s, c]]) @ np.diag([-1.0 if mirrored else 1.0, 1.0])
    near = np.eye(3)
    near[2, :2] = tilt, -tilt / 2
    return np.asarray(np.vstack([np.column_stack([turn, at]), [0, 0, 1]]) @ near, np.float64)


def drawn(homography: Floats, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a picture of `size` (width, height) with a round white dot, 0.12 tile widths wide, in each cell."""
    ys, xs = np.mgrid[: size[1], : size[0]]
    flat = project(inverse(homography), np.column_stack([xs.ravel(), ys.ravel()]))
    away = np.hypot(*(flat[:, None] - (CENTRES + OFFSET)[None]).transpose(2, 0, 1)).min(1)
    light = 255 * np.clip((0.06 - away) / 0.02 + 0.5, 0, 1)
    return np.repeat(light.reshape(size[1], size[0], 1), 3, axis=2).astype(np.uint8)


def dot(crop: NDArray[np.uint8]) -> Floats:
    """Return the centroid x, y of the light in a crop."""
    weight = crop[:, :, 0].astype(np.float64)
    ys, xs = np.mgrid[: crop.shape[0], : crop.shape[1]]
    return np.array([(xs * weight).sum() / weight.sum(), (ys * weight).sum() / weight.sum()], np.float64)


@pytest.mark.parametrize("pixels", [40, PIXELS])
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("tilt", [0.0, 0.05])
@pytest.mark.parametrize("width", [45.0, 75.0, 170.0])
def test_a_point_comes_out_where_it_belongs(width: float, tilt: float, mirrored: bool, pixels: int) -> None:
    # 170 pixels are more than a crop has: the photo is averaged down first
    homography = seen(width, 0.7, mirrored, tilt, (4.5 * width, 2.7 * width))
    picture = drawn(homography, (round(9 * width), round(7 * width)))
    assert project(homography, CENTRES + OFFSET).min() > 0
    crops = crop_cells(picture, homography, CENTRES, pixels=pixels)
    assert crops.shape == (len(CENTRES), pixels, pixels, 3)
    want = (OFFSET / FIELD + 0.5) * pixels - 0.5
    for crop in crops:
        assert crop.max() > 150
        assert dot(crop) == pytest.approx(want, abs=0.3)


def test_a_cell_fills_its_crop_as_far_as_the_field_says() -> None:
    homography = seen(80.0, 0.0, False, 0.0, (300, 300))
    picture = drawn(homography, (700, 700))
    wide = crop_cells(picture, homography, CENTRES[:1], field=2 * FIELD)[0]
    assert dot(wide) == pytest.approx((OFFSET / (2 * FIELD) + 0.5) * PIXELS - 0.5, abs=0.3)


def test_a_cell_outside_the_photo_is_filled_up() -> None:
    picture = np.full((60, 60, 3), 77, np.uint8)
    crops = crop_cells(picture, seen(50.0, 0.0, False, 0.0, (30, 30)), np.array([[0.0, 0.0], [9.0, 9.0]]))
    assert (crops == 77).all()


def test_a_horizon_through_the_cells_does_no_harm() -> None:
    homography = seen(50.0, 0.0, False, 0.6, (30, 30))
    crops = crop_cells(np.zeros((60, 60, 3), np.uint8), homography, CENTRES)
    assert crops.shape == (4, PIXELS, PIXELS, 3)


def test_no_cells_no_crops() -> None:
    crops = crop_cells(np.zeros((9, 9, 3), np.uint8), np.eye(3), np.zeros((0, 2)))
    assert crops.shape == (0, PIXELS, PIXELS, 3)


@pytest.mark.parametrize("mirrored", [False, True])
def test_width_of_a_tile(mirrored: bool) -> None:
    assert tile_pixels(seen(37.5, 1.1, mirrored, 0.0, (5, -8)), CENTRES) == pytest.approx(37.5)


def test_width_of_a_tile_in_perspective_is_that_of_the_middle_one() -> None:
    homography = seen(60.0, 0.4, False, 0.08, (200, 200))
    point = CENTRES[:1]
    step = 1e-4
    a, b, c = (project(homography, point + [x, y])[0] for x, y in ((0, 0), (step, 0), (0, step)))
    area = abs(np.linalg.det(np.array([b - a, c - a]))) / step**2
    assert tile_pixels(homography, point) == pytest.approx(float(np.sqrt(area)), rel=1e-3)
    # whatever the scale of the matrix
    assert tile_pixels(-3 * homography, CENTRES) == pytest.approx(tile_pixels(homography, CENTRES))


def test_the_photo_is_left_as_it_is() -> None:
    homography = seen(170.0, 0.2, False, 0.02, (400, 300))
    picture = np.random.default_rng(1).integers(0, 256, (900, 1000, 3)).astype(np.uint8)
    before, matrix = picture.copy(), homography.copy()
    crop_cells(picture, homography, CENTRES)
    assert (picture == before).all()
    assert (homography == matrix).all()


@pytest.mark.parametrize("factor", [1.0, 1.3, 1.7, 2.0, 3.3, 4.0, 7.0])
def test_a_shrunk_picture_keeps_its_places(factor: float) -> None:
    ys, xs = np.mgrid[0:241, 0:319]
    ramp = np.stack([xs / 319 * 255, ys / 241 * 255, xs * 0], -1).astype(np.uint8)
    small, scale = shrunk(ramp, factor)
    assert small.shape[1] == pytest.approx(319 / factor, rel=0.27)
    assert scale == pytest.approx(np.full(2, small.shape[1] / 319), rel=0.03)
    for x, y in ((40, 50), (200, 170)):
        at = (np.array([x, y]) + 0.5) * scale - 0.5
        value = cv2.getRectSubPix(small, (1, 1), (float(at[0]), float(at[1])))[0, 0]
        assert value[:2] == pytest.approx(ramp[y, x][:2], abs=2.5)
