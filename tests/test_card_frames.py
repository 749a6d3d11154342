"""Frames of a pile's marks that are made to agree."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.vision.card_frames import settle
from boardsight.vision.card_groups import END, MIDDLE
from boardsight.vision.pieces import Spots

DEPTH = 1.2
TABLE = np.array([[1.0, 0.12, 40.0], [-0.08, 0.8, 90.0], [0.0, 4e-4, 1.0]])


def local(x: float, y: float, angle: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where a point of the table is in the photo, and the frame of a card there that is turned by an angle."""

    def project(u: float, v: float) -> NDArray[np.float64]:
        p = TABLE @ (u, v, 1.0)
        return np.asarray(p[:2] / p[2])

    jacobian = np.column_stack(
        [(project(x + 1, y) - project(x - 1, y)) / 2, (project(x, y + 1) - project(x, y - 1)) / 2]
    )
    c, s = np.cos(angle), np.sin(angle)
    return project(x, y), 40.0 * jacobian @ np.array([[c, -s], [s, c]])


def pile(columns: int, rows: int, noise: float, seed: int = 0) -> tuple[Spots, Spots]:
    """Return the marks of a grid of open cards as they are, and as a locator that errs would see them."""
    rng = np.random.default_rng(seed)
    centres, frames, kinds = [], [], []
    for k in range(columns * rows):
        x, y, turn = 60 + k % columns * 100.0, 60 + k // columns * 150.0, rng.normal(0, 0.2)
        axis = np.array([-np.sin(turn), np.cos(turn)]) * DEPTH * 40
        for kind, along, way in ((END, -1, 0.0), (END, 1, np.pi), (MIDDLE, 0, 0.0)):
            at, frame = local(x + along * axis[0], y + along * axis[1], turn + way)
            centres.append(at)
            frames.append(frame)
            kinds.append(kind)
    true = Spots(np.array(centres), np.array(frames), np.array(kinds), np.full(len(kinds), 0.9))
    spoiled = true.frames @ (np.eye(2) + rng.normal(0, noise, true.frames.shape))
    return true, Spots(true.centres, spoiled, true.kinds, true.scores)


def error(seen: Spots, true: Spots) -> float:
    """Return how far frames are from the true ones, in units."""
    ends = seen.kinds == END
    off = np.linalg.solve(true.frames[ends], seen.frames[ends]) - np.eye(2)
    return float(np.median(np.abs(off).max((1, 2))))


@pytest.mark.parametrize("seed", range(4))
def test_frames_that_err_come_to_agree(seed: int) -> None:
    true, seen = pile(4, 3, 0.06, seed)
    settled = settle(seen)
    assert len(settled) == len(seen)
    assert settled.centres == pytest.approx(seen.centres)
    assert error(settled, true) < 0.75 * error(seen, true)


def test_frames_that_are_right_stay_as_they_are() -> None:
    true, _ = pile(4, 3, 0.0)
    assert error(settle(true), true) < 0.04


def test_a_mark_of_another_size_is_no_card_of_the_pile() -> None:
    true, seen = pile(3, 3, 0.03)
    odd = Spots(
        np.vstack([seen.centres, [[500.0, 40.0]]]),
        np.concatenate([seen.frames, seen.frames[:1] * 0.4]),
        np.append(seen.kinds, END),
        np.append(seen.scores, 0.5),
    )
    settled = settle(odd)
    assert len(settled) == len(true)
    assert np.hypot(*(settled.centres - (500, 40)).T).min() > 50


def test_an_end_that_is_marked_twice_is_one() -> None:
    _, seen = pile(3, 2, 0.02)
    double = Spots(
        np.vstack([seen.centres, seen.centres[:1] + (9.0, 2.0)]),
        np.concatenate([seen.frames, seen.frames[:1]]),
        np.append(seen.kinds, END),
        np.append(seen.scores, 0.4),
    )
    assert len(settle(double)) == len(seen)


def test_few_marks_are_left_as_they_are() -> None:
    _, seen = pile(1, 1, 0.05)
    assert settle(seen) is seen
