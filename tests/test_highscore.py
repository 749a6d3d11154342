"""High Score: every example of the rulebook, and the free choice of vortex values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardsight.scoring.errors import BoardsightError, NotationError
from boardsight.scoring.highscore import (
    ROLL_TYPES,
    SCORINGS,
    Challenge,
    best_vortices,
    every_vortex_choice,
    roll_problem,
    score_dice,
)
from boardsight.scoring.notation import parse_state
from boardsight.scoring.sheets import score


@pytest.mark.parametrize(
    ("dice", "card", "total"),
    [
        ("5554421", "total vortex=5", 26),
        ("555442V", "total vortex=-5", 20),
        ("5554421", "same-number vortex=5", 23),
        ("5544VV2", "same-number vortex=-5", 8),
        ("5554421", "same-number-minus vortex=0", 20),
        ("5544VV2", "same-number-minus vortex=0", 16),
        ("5554421", "tens-minus vortex=0", 14),
        ("555442V", "tens-minus vortex=6", 9),
        ("5555321", "two-of-a-kind vortex=0", 20),
        ("5544VV2", "two-of-a-kind vortex=6", 30),
        ("5554421", "two-of-a-kind-minus vortex=0", 10),
        ("555442V", "two-of-a-kind-minus vortex=0", 11),
        ("5554421", "three-of-a-kind-minus vortex=0", 4),
        ("555442V", "three-of-a-kind-minus vortex=10", -5),
        ("5554421", "odd vortex=0", 16),
        ("555421V", "odd vortex=5", 21),
        ("5554421", "odd-minus vortex=0", 6),
        ("555442V", "odd-minus vortex=10", -5),
        ("5554421", "shown-minus vortex=0", -4),
        ("43221VV", "shown-minus vortex=5", 2),
        ("5554421", "ascending vortex=0", 3),
        ("1223555", "ascending vortex=0", 8),
        ("55V44V2", "three-of-a-kind-minus vortex=0-6", 25),
    ],
)
def test_examples_of_the_rulebook(dice: str, card: str, total: int) -> None:
    sheet = score(parse_state(" ".join(dice), "high-score"), challenge=Challenge.parse(card))
    assert sheet.total == total
    assert sheet.total == sheet.subtotals["counted"] - sheet.subtotals["remainder"]
    assert sheet.total == sum(line.points for line in sheet.lines)


def test_free_vortices_of_the_rulebook_become_5_and_4() -> None:
    assert best_vortices("55V44V2", Challenge.parse("three-of-a-kind-minus vortex=0-6")) == (4, 5)


@pytest.mark.parametrize(
    ("dice", "values"),
    [
        # Seven dice, vortex 0 and vortex 5: total, same, same-minus, two, two-minus, three-minus, odd, odd-minus,
        # shown-minus, tens-minus.
        ("31412V2", ((13, 6, -1, 6, -1, -13, 5, -3, 13, 7), (18, 6, -6, 6, -6, -18, 10, 2, 8, 2))),
        ("5151V22", ((16, 16, 16, 16, 16, -16, 12, 8, -4, 4), (21, 21, 21, 16, 11, 9, 17, 13, -9, 19))),
        ("52VV324", ((16, 4, -8, 4, -8, -16, 8, 0, 6, 4), (26, 19, 12, 14, 2, 4, 18, 10, -4, 14))),
    ],
)
def test_rolls_scored_by_hand(dice: str, values: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    scorings = "total same-number same-number-minus two-of-a-kind two-of-a-kind-minus three-of-a-kind-minus odd"
    scorings += " odd-minus shown-minus tens-minus"
    for vortex, expected in zip((0, 5), values, strict=True):
        found = [score_dice(dice, Challenge(name, vortex)).total for name in scorings.split()]
        assert tuple(found) == expected


def test_a_single_vortex_worth_10_is_a_ten_of_its_own() -> None:
    result = score_dice("V4", Challenge("tens-minus", 10))
    assert (result.groups, result.rest, result.total) == (((10,),), (4,), 6)


def test_vortices_count_beside_the_ascending_values() -> None:
    assert score_dice("12V55", Challenge("ascending", 3)).total == 6
    assert score_dice("12V55", Challenge("ascending", 10)).total == 13
    assert score_dice("12V55", Challenge("ascending", -5)).total == -2


def test_unread_dice_count_nothing() -> None:
    assert score_dice(["5", "??", "4"], Challenge("total", 0)).total == 9


faces = st.lists(st.sampled_from("12345V"), min_size=1, max_size=7)


@given(faces.filter(lambda dice: dice.count("V") <= 3), st.sampled_from(SCORINGS))
def test_best_vortex_choice_equals_brute_force(dice: list[str], scoring: str) -> None:
    challenge = Challenge(scoring)
    result = score_dice(dice, challenge)
    choices = every_vortex_choice(dice, challenge)
    assert result.total == max(choices.values())
    assert choices[best_vortices(dice, challenge)] == result.total


@given(faces, st.sampled_from(SCORINGS), st.integers(-5, 10), st.randoms())
def test_the_order_of_dice_does_not_matter(dice: list[str], scoring: str, vortex: int, rng: object) -> None:
    challenge = Challenge(scoring, vortex)
    result = score_dice(dice, challenge)
    assert score_dice(sorted(dice), challenge).total == result.total
    values = [vortex if die == "V" else int(die) for die in dice]
    assert sorted([*result.rest, *(v for group in result.groups for v in group)]) == sorted(values)
    assert result.total <= score_dice(dice, Challenge(scoring)).total or vortex > 6 or vortex < 0


@given(st.sampled_from(SCORINGS), st.one_of(st.none(), st.integers(-20, 20)), st.sampled_from(["", *ROLL_TYPES]))
def test_challenges_round_trip(scoring: str, vortex: int | None, roll: str) -> None:
    challenge = Challenge(scoring, vortex, roll)
    assert Challenge.parse(str(challenge)) == challenge


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must begin with one of"),
        ("sum vortex=0", "'sum vortex=0' must begin"),
        ("total", "must say vortex"),
        ("total vortex=many", "'many'"),
        ("total vortex=1e3", "'1e3'"),
        ("total vortex=0 vortex=1", "each once"),
        ("total vortex=0 roll=twice", "'twice'"),
        ("total vortex=0 roll=", "roll ''"),
        ("total vortex=0 dice=7", "'dice=7'"),
        ("total 0", "'0'"),
    ],
)
def test_wrong_challenges_are_quoted(text: str, reason: str) -> None:
    with pytest.raises(NotationError) as caught:
        Challenge.parse(text)
    assert reason in str(caught.value)


def test_dice_need_a_card() -> None:
    with pytest.raises(BoardsightError, match="challenge card"):
        score(parse_state("5 5", "high-score"))


@pytest.mark.parametrize(
    ("roll", "vortex", "number", "kept", "before", "were_kept", "reason"),
    [
        ("four-full", 5, 5, "", "5554421", 0, "four-full allows 4 rolls"),
        ("four-full", 5, 2, "55", "5554421", 0, "four-full rolls all dice again"),
        ("four-full", 0, 2, "V", "555442V", 0, ""),
        ("four-full", 0, 2, "5V", "555442V", 0, "four-full rolls all dice again"),
        ("four-full", 0, 2, "", "555442V", 0, "frozen"),
        ("any-three", 5, 4, "", "5554421", 0, "any-three allows 3 rolls"),
        ("any-three", 5, 3, "55", "5554421", 3, ""),
        ("any-three", 5, 2, "33", "5554421", 0, "a 3 is kept that did not lie there"),
        ("any-three", 0, 2, "55", "55544VV", 0, "frozen"),
        ("set-aside", 5, 2, "", "5554421", 0, "at least one more die"),
        ("set-aside", 5, 3, "55", "5554421", 2, "at least one more die"),
        ("set-aside", 5, 3, "555", "5554421", 2, ""),
        ("", 5, 3, "", "5554421", 2, ""),
    ],
)
def test_which_dice_may_be_rolled_again(
    roll: str, vortex: int, number: int, kept: str, before: str, were_kept: int, reason: str
) -> None:
    problem = roll_problem(Challenge("total", vortex, roll), number, kept, before, were_kept)
    assert reason in problem
    assert bool(problem) == bool(reason)
