"""The launch pad."""

from __future__ import annotations

import pytest

from boardsight.scoring.pad import SHIPS, highest_button


@pytest.mark.parametrize(
    ("launched", "button"),
    [
        ("", 0),
        ("orange yellow pink", 0),
        ("white", 20),
        ("white orange yellow pink", 80),
        ("white orange yellow pink green purple blue", 140),
        ("white orange yellow pink green purple blue red silver", 180),
        ("white orange yellow blue", 60),
        (" ".join(SHIPS), 200),
        (" ".join(SHIPS[1:]), 0),
    ],
)
def test_ring_rests_below_the_lowest_ship_on_the_pad(launched: str, button: int) -> None:
    assert highest_button(launched.split()) == button
