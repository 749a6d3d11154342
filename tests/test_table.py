"""Frames of pieces on one table agree with each other."""

from __future__ import annotations

import numpy as np
import pytest

from boardsight.vision import dice
from boardsight.vision.pieces import Spots, frame_of, values_of
from boardsight.vision.table import fitted

PLACES = np.array([[100, 100], [500, 120], [900, 90], [120, 500], [480, 520], [880, 510], [300, 800]], float)


def throw(rng: np.random.Generator, noise: float) -> tuple[Spots, np.ndarray]:
    """Return seven dice that grow towards the bottom of the photo, their numbers disturbed, and the true numbers."""
    n = len(PLACES)
    true = np.column_stack([0.8 + 0.0006 * PLACES[:, 1], np.full(n, 0.2), np.full(n, -0.1), np.ones(n), np.zeros(n)])
    values = true.copy()
    values[:, :3] += rng.normal(0, noise, (n, 3))
    return Spots(PLACES, frame_of(values), np.zeros(n, np.int64), np.full(n, 0.8)), true


def test_what_all_say_together_is_nearer_the_truth_than_what_each_says() -> None:
    away = []
    for seed in range(20):
        spots, true = throw(np.random.default_rng(seed), 0.05)
        values = values_of(spots.frames)
        found = fitted(spots, values, np.arange(7), sloping=True)
        away.append((np.abs(values[:, :3] - true[:, :3]).mean(), np.abs(found - true[:, :3]).mean()))
    each, together = np.mean(away, 0)
    assert together < 0.75 * each


def test_one_that_is_far_off_does_not_move_the_others() -> None:
    spots, true = throw(np.random.default_rng(1), 0.01)
    values = values_of(spots.frames)
    values[4, :3] += (0.9, 0.5, -0.4)
    found = fitted(spots, values, np.arange(7), sloping=True)
    assert np.abs(found - true[:, :3]).max() < 0.06


def test_a_table_seen_at_a_slant_is_no_table_with_odd_dice() -> None:
    rng = np.random.default_rng(4)
    values = np.column_stack([0.0013 * PLACES[:, 1], np.full(7, 0.3), np.zeros(7), np.ones(7), np.zeros(7)])
    values[:, :3] += rng.normal(0, 0.02, (7, 3))
    spots = Spots(PLACES, frame_of(values), np.zeros(7, np.int64), np.full(7, 0.8))
    found = fitted(spots, values_of(spots.frames), np.arange(7), sloping=True)
    assert np.abs(found[:, 0] - 0.0013 * PLACES[:, 1]).max() < 0.08


def test_dice_of_another_size_are_left_out() -> None:
    spots, true = throw(np.random.default_rng(2), 0.01)
    big = frame_of(np.array([[2.4, 0.2, -0.1, 1.0, 0.0]]))
    more = Spots(
        np.vstack([spots.centres, [700.0, 800.0]]),
        np.concatenate([spots.frames, big]),
        np.zeros(8, np.int64),
        np.append(spots.scores, 0.6),
    )
    settled = dice.settle(more)
    assert sorted(map(tuple, settled.centres)) == sorted(map(tuple, spots.centres))
    assert values_of(settled.frames)[:, 3:] == pytest.approx(np.tile([1.0, 0.0], (7, 1)))


def test_few_dice_keep_their_size() -> None:
    spots, _ = throw(np.random.default_rng(3), 0.05)
    few = dice.settle(spots.take(np.arange(3)))
    assert values_of(few.frames)[:, :3] == pytest.approx(values_of(spots.frames)[:3, :3])
