"""The board of High Score."""

from __future__ import annotations

import pytest

from boardsight.scoring.track import award, chip_key, place, space


@pytest.mark.parametrize(
    ("score", "taken", "number"),
    [
        (21, [], 21),
        (21, [21], 20),
        (21, [21, 20], 19),
        (37, [7], 37),
        (37, [37], 36),
        (31, [31], 30),
        (0, [], None),
        (-5, [], None),
        (1, [1], None),
    ],
)
def test_an_occupied_space_pushes_down(score: int, taken: list[int], number: int | None) -> None:
    assert place(score, taken) == number


@pytest.mark.parametrize(
    ("number", "where"), [(7, (7, False)), (30, (30, False)), (31, (1, True)), (37, (7, True)), (70, (30, True))]
)
def test_over_30_uses_the_marker(number: int, where: tuple[int, bool]) -> None:
    assert space(number) == where


def test_chips() -> None:
    places = {"Anna": 12, "Bert": 37, "Cleo": 30, "Dora": 2}
    assert award(places, 4) == {"Bert": "gold", "Cleo": "silver", "Anna": "bronze"}
    assert award({"Anna": 12, "Bert": 37}, 2) == {"Bert": "gold", "Anna": "bronze"}
    assert award({"Anna": 12}, 3) == {"Anna": "gold"}
    assert award({}, 3) == {}


def test_gold_chips_then_silver_ones_break_ties() -> None:
    assert chip_key(["gold", "gold"]) == (6, 2, 0)
    assert chip_key(["gold", "silver", "bronze"]) == (6, 1, 1) < chip_key(["gold", "gold"])
