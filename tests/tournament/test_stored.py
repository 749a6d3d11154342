"""Stored readings as states, with corrections made and doubts weighed."""

from __future__ import annotations

import pytest
from tests.tournament.fakes import EASY, board_object

from boardsight.scoring.errors import NotationError
from boardsight.scoring.highscore import Challenge
from boardsight.scoring.notation import format_state, parse_state
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score
from boardsight.tournament.rows import Correction
from boardsight.tournament.stored import Part, check_correction, parts_of, spread
from boardsight.tournament.work import JsonObject, failure


def only(obj: JsonObject, *corrections: Correction) -> Part:
    (part,) = parts_of(obj, corrections)
    return part


def fix(what: str, value: str, board: int = 1) -> Correction:
    return Correction("", board, what, value)


def test_an_object_gives_its_state_back() -> None:
    part = only(board_object(EASY))
    assert part.state == parse_state(EASY, "take-it-easy")
    assert (part.doubts, part.corrected) == ((), ())
    assert parts_of(failure("no-board", "x")) == ()


def test_a_photo_of_two_players() -> None:
    first, second = board_object(EASY), board_object(EASY.replace("9-2-3", "--", 1))
    obj: JsonObject = {
        "game": "take-it-easy",
        "boards": [{**b, "player": n} for n, o in ((1, first), (2, second)) for b in o["boards"]],  # type: ignore[attr-defined]
        "certain": True,
    }
    one, two = parts_of(obj, [fix("c1.1", "9-2-3", board=2)])
    assert score(one.state).total == score(two.state).total == 233
    assert two.corrected == ("easy c1.1: -- is 9-2-3",)


def test_any_legal_tile_may_be_set_and_the_rest_is_decided_with_it() -> None:
    # 5-2-3 was read on c5.1 too; it is set on c1.1, so the other takes its second reading, or none.
    obj = board_object(EASY, doubts={"c5.1": (0.7, "5-2-4")})
    part = only(obj, fix("c1.1", "5-2-3"))
    assert str(part.state).split()[0] == "5-2-3"
    assert str(part.state.positions[0].at("c5.1")) == "5-2-4"
    part = only(board_object(EASY), fix("c1.1", "5-2-3"))
    assert str(part.state.positions[0].at("c5.1")) == "??"
    assert [doubt.cell for doubt in part.doubts] == ["c5.1"]
    assert part.corrected[1] == "easy c5.1: 5-2-3 lies elsewhere, so it is ??"


def test_a_space_may_be_set_empty_and_a_doubt_be_settled() -> None:
    obj = board_object(EASY, doubts={"c1.1": (0.7, "5-2-4")})
    assert len(only(obj).doubts) == 1
    part = only(obj, fix("c1.1", "--"))
    assert part.state.positions[0].at("c1.1") is None
    assert part.doubts == ()


HIGHER = "GP SG / SN SO GH GO / GB GK GJ SD GL SL / SE SM SP SF SH GG / GI SB GD GM / GF GE"


def test_ships_and_ring_may_be_set() -> None:
    part = only(board_object(HIGHER, "take-it-higher"), fix("ships", "r3.2=white"), fix("ring", "140"))
    assert format_state(part.state) == f"{HIGHER} ; ships: r3.2=white ; ring: 140"
    part = only(board_object(HIGHER, "take-it-higher"), fix("ring", "140"), fix("ring", ""))
    assert format_state(part.state) == HIGHER


def test_dice_and_cards_may_be_set() -> None:
    dice: JsonObject = {"game": "high-score", "dice": ["5", "5", "V"], "certain": True}
    assert only(dice, fix("dice", "5 5 4")).state.dice == ("5", "5", "4")
    cards: JsonObject = {"game": "take-5", "cards": ["97", "x2"], "certain": True}
    assert only(cards, fix("hand", "+5")).state.hand == ("+5",)


def test_cards_count_by_the_heads_that_are_seen_and_their_doubts_too() -> None:
    shows = {"piece": "card", "colour": "green"}
    pieces = [
        {**shows, "text": "97", "heads": "1", "confidence": 0.9999, "certain": True},
        {**shows, "text": "42", "heads": "3", "confidence": 0.7, "certain": False, "runner_up": "x2"},
    ]
    obj: JsonObject = {"game": "take-5", "cards": ["97", "42"], "pieces": pieces, "certain": False}
    part = only(obj)
    assert part.sheet(Rules(), None).total == 4
    found = spread(part, lambda changed: changed.sheet(Rules(), None).total)
    assert (found.low, found.high, found.what) == (2, 4, "card x2")
    assert only(obj, fix("cards", "97 x2")).doubts == ()


def test_dice_are_scored_with_their_challenge_card() -> None:
    pieces = [{"piece": "die", "text": f, "confidence": 0.99, "certain": f != "1", "runner_up": "2"} for f in "5554421"]
    obj: JsonObject = {"game": "high-score", "dice": list("5554421"), "pieces": pieces, "certain": False}
    card = Challenge.parse("total vortex=-5")
    found = spread(only(obj), lambda changed: changed.sheet(Rules(), card).total)
    assert (found.low, found.high, found.what) == (26, 27, "die 2")


@pytest.mark.parametrize(
    ("correction", "said"),
    [
        (fix("c1.1", "7-7-7"), "does not exist"),
        (fix("c9.9", "9-2-3"), "is no cell"),
        (fix("c1.1", "9-2-3", board=2), "shows 1 boards"),
        (fix("ring", "140"), "only Take It Higher!"),
    ],
)
def test_an_impossible_correction_is_refused(correction: Correction, said: str) -> None:
    with pytest.raises(NotationError, match=said):
        check_correction(board_object(EASY), correction)


def test_a_photo_that_was_not_read_has_nothing_to_correct() -> None:
    with pytest.raises(NotationError, match="enter points instead"):
        check_correction(failure("no-board", "x"), fix("c1.1", "9-2-3"))


def test_doubts_are_weighed_together() -> None:
    # Without c1.1 and c2.1 the board has 233 - 48 - 4 - 32 = 149: they share a pink row of 6.
    line = EASY.replace("9-2-3", "--", 1).replace("1-2-8", "--", 1)
    part = only(board_object(line, doubts={"c1.1": (0.6, "9-2-3"), "c2.1": (0.6, "1-2-8")}))
    found = spread(part, lambda changed: score(changed.state).total)
    assert (found.low, found.high, found.what) == (149, 233, "c1.1 9-2-3, c2.1 1-2-8")


def test_many_doubts_are_added_up() -> None:
    cells = ("c1.1", "c2.1", "c3.1", "c4.1", "c5.1", "c1.2", "c2.2", "c3.2", "c4.2")
    part = only(board_object(EASY, doubts=dict.fromkeys(cells, (0.6, "--"))))
    found = spread(part, lambda changed: score(changed.state).total)
    # Each tile taken away alone loses its rows; together they cannot lose more than that.
    alone = [233 - score(_without(cell)).total for cell in cells]
    assert (found.low, found.high) == (233 - sum(alone), 233)


def _without(cell: str):  # type: ignore[no-untyped-def]
    state = parse_state(EASY, "take-it-easy")
    from dataclasses import replace

    return replace(state, positions=(state.positions[0].with_tile(cell, None),))
