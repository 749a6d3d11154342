"""Marks: peaks of the locator's maps, and where they lie in the photo."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.models import Network
from boardsight.vision.heads import KINDS
from boardsight.vision.locate import COARSEST, FLOOR, STRIDE, locate, peaks

Maps = NDArray[np.float32]
SIGMA = 1.1
"""Width of the hills that the locator learns to draw, in map pixels."""


def hills(shape: tuple[int, int], spots: list[tuple[float, float, int, float]], sigma: float = SIGMA) -> Maps:
    """Return maps (kinds, h, w) with round hills; spots are x, y, kind and height."""
    maps = np.zeros((len(KINDS), *shape), np.float32)
    ys, xs = np.mgrid[: shape[0], : shape[1]]
    for x, y, kind, height in spots:
        hill = height * np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / (2 * sigma**2))
        maps[kind] = np.maximum(maps[kind], hill)
    return maps


@pytest.mark.parametrize("seed", range(10))
def test_a_hill_is_found_where_it_was_drawn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    spots = [
        (6.0 * i + 5 + rng.uniform(-0.5, 0.5), 6.0 * j + 5 + rng.uniform(-0.5, 0.5), int(rng.integers(4)), height)
        for i in range(5)
        for j in range(4)
        for height in [float(rng.uniform(0.5, 1))]
    ]
    places, kinds, heights = peaks(hills((32, 40), spots))
    assert len(places) == len(spots)
    for x, y, kind, height in spots:
        away = np.hypot(*(places - [x, y]).T)
        nearest = int(away.argmin())
        assert away[nearest] < 0.15
        assert kinds[nearest] == kind
        assert heights[nearest] == pytest.approx(height, rel=0.25)


def test_of_two_kinds_at_one_place_the_higher_stays() -> None:
    places, kinds, _ = peaks(hills((20, 20), [(9.2, 8.1, 0, 0.6), (9.0, 8.0, 2, 0.9)]))
    assert len(places) == 1
    assert kinds.tolist() == [2]


def test_low_hills_are_none() -> None:
    places, kinds, heights = peaks(hills((20, 20), [(9, 8, 0, FLOOR * 0.9)]))
    assert places.shape == (0, 2)
    assert len(kinds) == len(heights) == 0
    assert len(peaks(np.zeros((4, 8, 8), np.float32))[0]) == 0


def test_hills_at_the_edges() -> None:
    places, _, _ = peaks(hills((16, 16), [(0, 0, 0, 1.0), (15, 15, 1, 1.0), (0, 15, 3, 1.0)]))
    assert sorted(np.rint(places).astype(int).tolist()) == [[0, 0], [0, 15], [15, 15]]


class Squares:
    """Stands for the network: answers a hill in the middle of each white square."""

    def __init__(self, kind: int) -> None:
        self.kind = kind
        self.shapes: list[tuple[int, ...]] = []

    def run(self, _: Any, inputs: dict[str, NDArray[np.uint8]]) -> list[Maps]:
        (picture,) = inputs["pictures"]
        self.shapes.append(picture.shape)
        white = picture[:, :, 0] > 200
        ys, xs = np.nonzero(white)
        shape = picture.shape[0] // STRIDE, picture.shape[1] // STRIDE
        # a map pixel stands for the middle of its block of picture pixels
        middle = (STRIDE - 1) / 2
        spots = []
        if len(xs):
            spots = [((xs.mean() - middle) / STRIDE, (ys.mean() - middle) / STRIDE, self.kind, 0.9)]
        return [hills(shape, spots)[None]]


@pytest.mark.parametrize("size", [(640, 480), (480, 640), (1900, 1000), (333, 517), (100, 80)])
def test_a_mark_lies_in_the_photo_where_it_was_seen(size: tuple[int, int]) -> None:
    width, height = size
    session = Squares(1)
    picture = np.zeros((height, width, 3), np.uint8)
    half = max(4, width // 25)
    x, y = round(width * 0.7), round(height * 0.3)
    picture[y - half : y + half + 1, x - half : x + half + 1] = 255
    found = locate(picture, Network("marks", session, {}))
    ((h, w, _),) = session.shapes
    assert h % COARSEST == w % COARSEST == 0
    assert found.maps.shape == (h // STRIDE, w // STRIDE, len(KINDS))
    assert found.marks.kinds.tolist() == [1]
    # a half of a pixel of the map
    tolerance = 0.5 * STRIDE * max(size) / 640
    assert found.marks.centres[0] == pytest.approx([x, y], abs=tolerance)


def test_nothing_seen_no_marks() -> None:
    found = locate(np.zeros((90, 120, 3), np.uint8), Network("marks", Squares(0), {}))
    assert found.marks.centres.shape == (0, 2)
    assert len(found.marks.kinds) == len(found.marks.scores) == 0
