"""The figures that make confidences of ships honest, from answers that are made up here."""

from __future__ import annotations

import numpy as np
import pytest

from boardsight.training.calibrate import turn_temperature
from boardsight.training.calibrate_fleet import platt, ring_figures, temperature

RNG = np.random.default_rng(4)


def test_scale_and_shift_of_log_odds_are_found() -> None:
    said = RNG.normal(0, 3, 20000)
    true = RNG.random(20000) < 1 / (1 + np.exp(-(0.6 * said - 1.5)))
    scale, shift = platt(list(zip(said.tolist(), true.tolist(), strict=True)))
    assert scale == pytest.approx(0.6, abs=0.04)
    assert shift == pytest.approx(-1.5, abs=0.08)


def test_log_odds_that_always_tell_do_not_run_away() -> None:
    scale, shift = platt([(3.0, True), (-3.0, False)] * 50)
    assert 1 < scale < 10 and abs(shift) < 0.1


def test_a_temperature_is_found() -> None:
    rows = []
    for _ in range(4000):
        row = RNG.normal(0, 2, 5)
        chance = np.exp(row) / np.exp(row).sum()
        rows.append((row * 3.0, int(RNG.choice(5, p=chance))))
    assert temperature(rows) == pytest.approx(3.0, rel=0.1)


def test_temperature_and_odds_of_no_ring_are_found() -> None:
    rows = []
    for _ in range(4000):
        row = np.append(RNG.normal(-2, 2, 5), 0.0)
        chance = np.exp(row + np.append(np.zeros(5), -1.5))
        rows.append((row * 2.0, int(RNG.choice(6, p=chance / chance.sum()))))
    # what is said of no ring is 0, hot or not
    t, none = ring_figures(rows)
    assert t == pytest.approx(2.0, rel=0.1) and none == pytest.approx(-1.5, abs=0.3)


def test_few_scenes_do_not_make_votes_trusted() -> None:
    rows = [np.append(8.0, RNG.normal(0, 1, 7)) for _ in range(60)] + [np.append(0.0, np.full(7, 2.0))]
    few, many = turn_temperature(rows), turn_temperature(rows * 20)
    assert few > many > 1
    assert turn_temperature(rows[:60]) == 1
