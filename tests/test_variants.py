"""Scrap Yard variants and pairs."""

from __future__ import annotations

import pytest

from boardsight.scoring.variants import pair_totals, passed_yards, passing_order, shared_penalties


@pytest.mark.parametrize(
    ("values", "variant", "penalties"),
    [
        ([53, 89, 80], "lowest", [-60, 0, 0]),
        ([53, 53, 80], "lowest", [-30, -30, 0]),
        ([53, 53, 53], "lowest", [-20, -20, -20]),
        ([90, 100], "lowest", [-60, 0]),
        ([53, 89, 80], "pass", [0, -60, 0]),
        ([89, 89, 80], "pass", [-30, -30, 0]),
        ([5, 5, 5, 5, 5, 5, 5], "pass", [-8] * 7),
        ([53, 89], "standard", [0, 0]),
        ([], "lowest", []),
    ],
)
def test_penalties_are_shared(values: list[int], variant: str, penalties: list[int]) -> None:
    assert list(shared_penalties(values, variant)) == penalties


def test_passing_order_goes_by_total_from_the_second_game_on() -> None:
    players = ["Anna", "Bert", "Cleo"]
    assert passing_order(players) == ("Anna", "Bert", "Cleo")
    assert passing_order(players, {"Anna": 300, "Bert": 410, "Cleo": 300}) == ("Bert", "Anna", "Cleo")


def test_each_yard_goes_to_the_next_player() -> None:
    assert passed_yards(("Bert", "Anna", "Cleo"), {"Anna": 1, "Bert": 2, "Cleo": 3}) == {
        "Anna": 2,
        "Cleo": 1,
        "Bert": 3,
    }


def test_pairs_add_up() -> None:
    totals = {"Anna": 1, "Bert": 2, "Cleo": 3, "Dora": 4}
    assert pair_totals(list(totals), totals) == {"Anna+Bert": 3, "Cleo+Dora": 7}
