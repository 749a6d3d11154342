"""Lattices and boards from marks, on made-up views whose answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.scoring.boards import BOARDS, Board
from boardsight.vision.lattice import KINDS, Marks, fit_lattices, project
from boardsight.vision.placement import Placement, placements

SIZE = (640, 480)
Floats = NDArray[np.float64]


def view(rng: np.random.Generator, points: Floats, tilt: float, mirrored: bool = False) -> Floats:
    """Return a pinhole homography (3, 3) that shows plane points (N, 2) in the middle of a photo of SIZE."""
    turn, axis = rng.uniform(0, 2 * math.pi, 2)
    spin = np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]])
    if mirrored:
        spin = spin @ np.diag([-1.0, 1, 1])
    x, y, c, s = math.cos(axis), math.sin(axis), math.cos(tilt), math.sin(tilt)
    cross = np.array([[0, 0, y], [0, 0, -x], [-y, x, 0]])
    rotation = (np.eye(3) + s * cross + (1 - c) * cross @ cross) @ spin
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    reach = float(np.linalg.norm(points - middle, axis=1).max()) + 0.6
    focal = rng.uniform(0.75, 1.2) * SIZE[0]
    away = reach * focal / (0.42 * SIZE[1]) + reach * s
    pose = np.column_stack([rotation[:, 0], rotation[:, 1], np.array([0, 0, away]) - rotation[:, :2] @ middle])
    camera = np.array([[focal, 0, SIZE[0] / 2], [0, focal, SIZE[1] / 2], [0, 0, 1]])
    return np.asarray(camera @ pose, dtype=np.float64)


def spoiled(
    rng: np.random.Generator, groups: list[tuple[Floats, str]], homography: Floats, misses: float, strays: int
) -> Marks:
    """Return marks of plane points with jitter (0.03 of a tile), misses and strays."""
    centres, kinds = [], []
    for points, shape in groups:
        kept = points[rng.permutation(len(points))[round(misses * len(points)) :]]
        centres.append(project(homography, kept + rng.normal(0, 0.03, kept.shape).clip(-0.06, 0.06)))
        kinds.append(rng.choice([KINDS.index(f"{shape} tile"), KINDS.index(f"{shape} space")], len(kept)))
    centres.append(rng.uniform(0, 1, (strays, 2)) * SIZE)
    kinds.append(np.full(strays, kinds[0][0]))
    at = np.concatenate(centres)
    scores = rng.uniform(0.6, 1, len(at))
    return Marks(at.astype(np.float32), np.concatenate(kinds).astype(np.int64), scores.astype(np.float32))


def plane(board: Board) -> Floats:
    """Return a board's centres, shape (N, 2), in tile widths."""
    return np.array(board.centres)


def shape(board: Board) -> str:
    return board.tile_set.shape


def off(placement: Placement, truth: Floats) -> float:
    """Return how far a placement's centres are from the true ones at most, as a share of the mean spacing."""
    points = plane(placement.board)
    got, want = project(placement.homography, points), project(truth, points)
    spacing = math.sqrt(float(np.ptp(want[:, 0]) * np.ptp(want[:, 1])) / len(want))
    return float(np.linalg.norm(got - want, axis=1).max()) / spacing


def check(board: Board, marks: Marks, truth: Floats, mirrored: bool) -> None:
    lattice = fit_lattices(marks)[0]
    assert lattice.error < 0.08
    found = placements(lattice, marks, SIZE)
    best = [p for p in found if p.group == 0]
    assert best[0].board.name == board.name
    same = [p for p in best if p.board is board and off(p, truth) < 0.25]
    assert len(same) == 1
    assert same[0].mirrored == mirrored
    assert sum(mark >= 0 for mark in same[0].marks) >= 0.8 * len(board.cells)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("form", [f for b in BOARDS.values() for f in b.forms], ids=lambda f: f"{f.name}{f.form}")
def test_each_board_from_any_side(form: Board, seed: int) -> None:
    rng = np.random.default_rng([seed, len(form.cells)])
    truth = view(rng, plane(form), math.radians(50 * seed / 7), mirrored=seed % 2 == 1)
    few = len(form.cells) < 10
    marks = spoiled(rng, [(plane(form), shape(form))], truth, 0 if few else 0.1, 0 if few else 4)
    check(form, marks, truth, seed % 2 == 1)


@pytest.mark.parametrize("seed", range(6))
def test_scrap_yard_beside_a_nexus(seed: int) -> None:
    rng = np.random.default_rng(seed)
    nexus, yard = BOARDS["nexus"], BOARDS["scrapyard"]
    turn = rng.uniform(0.15, 0.9)
    spin = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    beside = (plane(yard) - plane(yard).mean(axis=0)) @ spin.T + plane(nexus).mean(axis=0) + [5.6, 0.3]
    truth = view(rng, np.concatenate([plane(nexus), beside]), math.radians(rng.uniform(0, 45)))
    marks = spoiled(rng, [(plane(nexus), "hexagon"), (beside, "hexagon")], truth, 0.05, 2)
    lattices = fit_lattices(marks)
    names = [found[0].board.name for found in (placements(lattice, marks, SIZE) for lattice in lattices) if found]
    assert names[:2] == ["nexus", "scrapyard"]


def test_two_players_boards() -> None:
    rng = np.random.default_rng(5)
    board = BOARDS["easy"]
    other = plane(board) @ np.array([[0.9, 0.4359], [-0.4359, 0.9]]) + [7.5, 1.0]
    truth = view(rng, np.concatenate([plane(board), other]), 0.5)
    marks = spoiled(rng, [(plane(board), "hexagon"), (other, "hexagon")], truth, 0.05, 3)
    lattices = fit_lattices(marks)[:2]
    assert [placements(lattice, marks, SIZE)[0].board.name for lattice in lattices] == ["easy", "easy"]
    assert not set(lattices[0].members.values()) & set(lattices[1].members.values())


def test_every_symmetry_of_the_covered_set_is_returned_once() -> None:
    for name, ways in (("easy", 12), ("nexus", 12), ("scrapyard", 12), ("orchid", 12), ("higher", 16)):
        rng = np.random.default_rng(1)
        board = BOARDS[name]
        marks = spoiled(rng, [(plane(board), shape(board))], view(rng, plane(board), 0.3), 0, 0)
        best = [p for p in placements(fit_lattices(marks)[0], marks, SIZE) if p.group == 0]
        assert len({(p.board.form, p.mirrored, p.rotation) for p in best}) == len(best) == ways
        assert {len(set(p.positions)) for p in best} == {len(board.cells)}


def test_octagons_do_not_make_a_diagonal_or_a_double_lattice() -> None:
    rng = np.random.default_rng(2)
    board = BOARDS["higher"]
    for _ in range(10):
        truth = view(rng, plane(board), math.radians(rng.uniform(0, 40)))
        marks = spoiled(rng, [(plane(board), "octagon")], truth, 0.25, 0)
        assert len(fit_lattices(marks)[0].members) >= 16


def test_nothing_comes_of_nothing() -> None:
    empty = Marks(np.zeros((0, 2), np.float32), np.zeros(0, np.int64), np.zeros(0, np.float32))
    assert fit_lattices(empty) == []
    line = Marks(
        np.array([[50.0 * i, 40] for i in range(9)], np.float32), np.zeros(9, np.int64), np.ones(9, np.float32)
    )
    assert fit_lattices(line) == []
    same = Marks(np.full((6, 2), 9, np.float32), np.zeros(6, np.int64), np.ones(6, np.float32))
    assert fit_lattices(same) == []
