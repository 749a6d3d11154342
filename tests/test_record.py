"""Standings."""

from __future__ import annotations

from boardsight.scoring.record import Refusal, Standing, ranked


def test_those_who_tie_share_a_rank() -> None:
    keys = {"Anna": (10,), "Bert": (12,), "Cleo": (10,), "Dora": (3,)}
    assert ranked(list(keys), keys, {"Bert": "first"}) == (
        Standing(1, "Bert", 12, "first"),
        Standing(2, "Anna", 10),
        Standing(2, "Cleo", 10),
        Standing(4, "Dora", 3),
    )


def test_a_refusal_reads_as_one_line() -> None:
    assert str(Refusal(7, "Anna", "c1.1", "c1.1 is occupied")) == "line 7: Anna: 'c1.1': c1.1 is occupied"
    assert str(Refusal(7, "", "round 3", "too many")) == "line 7: 'round 3': too many"
