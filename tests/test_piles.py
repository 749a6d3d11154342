"""Piles of cards: the sheet by what is seen, and what doubts are worth."""

from __future__ import annotations

from boardsight.scoring.rules import Rules
from boardsight.tournament.outcome import assess
from boardsight.tournament.piles import pile_doubts, seen_sheet
from boardsight.vision.reading import PieceReading, Reading

RED2 = (("colour", "red"), ("heads", "2"))
GREEN1 = (("colour", "green"), ("heads", "1"))


def card(text: str, shows: tuple[tuple[str, str], ...] = (), **more: object) -> PieceReading:
    return PieceReading("card", text, 0.999, (10.0, 20.0), shows=shows, **more)  # type: ignore[arg-type]


def test_heads_that_are_seen_score() -> None:
    sheet = seen_sheet((card("37", RED2), card("41", GREEN1), card("x2"), card("+5")), 1)
    assert sheet.subtotals == {"green": 1, "red": 2, "plus5": 1, "times2": 1, "hand": 1}
    assert sheet.total == (1 - 2 + 5) * 2 - 10


def test_each_doubt_says_what_it_is_worth() -> None:
    cards = (
        card("41", GREEN1),
        card("37", GREEN1, certain=False, runner_up="x2"),
        card("6", GREEN1, certain=False, runner_up="8", runner_up_shows=GREEN1),
        card("5", RED2, certain=False, runner_up="5", runner_up_shows=(("colour", "red"), ("heads", "3"))),
    )
    first, second, third = pile_doubts(cards, 0)
    assert first == (
        "card at (10, 20) reads 37 with 1 green head (100 % sure); it may be x2, "
        "and then the total would be 0 instead of 1"
    )
    assert second.endswith("it may be 8, and then the total would stay 1")
    assert third.endswith("it may be 5 with 3 red heads, and then the total would be 0 instead of 1")


def test_a_pile_is_one_player() -> None:
    reading = Reading("pile.jpg", (100, 100), "take-5", pieces=(card("41", GREEN1), card("x2")), warnings=("one",))
    outcome = assess(reading, Rules(), hand=2)
    assert len(outcome.players) == 1
    assert str(outcome.players[0].state) == "41 x2 hand ?? ??"
    assert outcome.players[0].sheet.total == 2 - 20
    assert outcome.warnings == ("one",)
    assert outcome.players[0].certain
