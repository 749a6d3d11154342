"""A second board in the plane of a first one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.scoring.boards import BOARDS
from boardsight.vision.beside import fit_beside
from boardsight.vision.lattice import KINDS, Lattice, Marks, inverse, plane_matrix, project

Floats = NDArray[np.float64]
NEXUS: Floats = np.array(BOARDS["nexus"].centres)
YARD: Floats = np.array(BOARDS["scrapyard"].centres) - np.mean(BOARDS["scrapyard"].centres, axis=0)
HOMOGRAPHY: Floats = np.array([[70.0, -12.0, 300.0], [9.0, 58.0, 260.0], [0.012, 0.035, 1.0]])
"""A view in perspective: tiles at one end are nearly twice as large as at the other."""


def flower(turn: float, at: tuple[float, float] = (6.4, 0.8)) -> Floats:
    """Return the seven centres of a Scrap Yard, turned, at a place relative to the middle of the Nexus."""
    spin = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    return np.asarray(YARD @ spin.T + NEXUS.mean(axis=0) + at)


def marks_of(points: Floats, rng: np.random.Generator, kind: str = "hexagon tile") -> Marks:
    """Return the marks of plane points, a little off."""
    seen = project(HOMOGRAPHY, points + rng.normal(0, 0.02, points.shape).clip(-0.05, 0.05))
    return Marks(
        seen.astype(np.float32), np.full(len(seen), KINDS.index(kind), np.int64), np.ones(len(seen), np.float32)
    )


def off(lattice: Lattice, truth: Floats, marks: Marks) -> float:
    """Return how far the members' positions are from the true places of their marks at most, in tile widths."""
    at = np.array(list(lattice.members)) @ plane_matrix(lattice.lattice).T
    got = project(inverse(HOMOGRAPHY), project(lattice.homography, at))
    return float(np.hypot(*(got - truth[list(lattice.members.values())]).T).max())


@pytest.mark.parametrize("missing", [None, 0, 3, 6])
@pytest.mark.parametrize("turn", [0.0, 0.3, 0.52, 0.9])
def test_a_turned_scrap_yard_beside_a_nexus(turn: float, missing: int | None) -> None:
    rng = np.random.default_rng(round(100 * turn))
    yard = flower(turn)
    if missing is not None:
        yard = np.delete(yard, missing, axis=0)
    points = np.concatenate([NEXUS, yard])
    marks = marks_of(points, rng)
    free = np.arange(len(points)) >= len(NEXUS)
    found = fit_beside(marks, free, HOMOGRAPHY, "hex")
    assert found is not None
    assert found.lattice == "hex"
    assert sorted(found.members.values()) == np.flatnonzero(free).tolist()
    assert off(found, points, marks) < 0.12
    assert found.error < 0.06
    # the seats are those of a flower: no two are more than two steps apart
    seats = np.array(list(found.members)) @ plane_matrix("hex").T
    assert np.hypot(*(seats[:, None] - seats[None]).transpose(2, 0, 1)).max() < 2.01


def test_strays_are_left_out() -> None:
    rng = np.random.default_rng(4)
    points = np.concatenate([NEXUS, flower(0.4), NEXUS.mean(axis=0) + [[-6.0, -3.0], [-4.5, 4.2]]])
    marks = marks_of(points, rng)
    free = np.arange(len(points)) >= len(NEXUS)
    found = fit_beside(marks, free, HOMOGRAPHY, "hex")
    assert found is not None
    assert sorted(found.members.values()) == list(range(len(NEXUS), len(NEXUS) + 7))


def test_marks_of_the_other_shape_do_not_count() -> None:
    rng = np.random.default_rng(5)
    marks = marks_of(flower(0.4), rng, "octagon tile")
    assert fit_beside(marks, np.ones(7, bool), HOMOGRAPHY, "hex") is None


def test_marks_that_are_taken_do_not_count() -> None:
    rng = np.random.default_rng(6)
    marks = marks_of(flower(0.4), rng)
    assert fit_beside(marks, np.zeros(7, bool), HOMOGRAPHY, "hex") is None


def test_too_few_marks_are_no_board() -> None:
    rng = np.random.default_rng(7)
    marks = marks_of(flower(0.4)[:4], rng)
    assert fit_beside(marks, np.ones(4, bool), HOMOGRAPHY, "hex") is None
    far = marks_of(3.0 * YARD, rng)
    assert fit_beside(far, np.ones(7, bool), HOMOGRAPHY, "hex") is None


def test_a_second_board_of_octagons() -> None:
    rng = np.random.default_rng(8)
    c, s = math.cos(0.35), math.sin(0.35)
    higher = np.array(BOARDS["higher"].centres) @ np.array([[c, s], [-s, c]])
    marks = marks_of(higher, rng, "octagon space")
    found = fit_beside(marks, np.ones(len(higher), bool), HOMOGRAPHY, "square")
    assert found is not None
    assert sorted(found.members.values()) == list(range(len(higher)))
    assert off(found, higher, marks) < 0.12
