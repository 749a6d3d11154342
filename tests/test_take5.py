"""Take 5!: piles and the table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.notation import parse_state
from boardsight.scoring.sheets import score
from boardsight.scoring.take5 import SETUP, Table, formula, game_over, heads, pile_sheet


@pytest.mark.parametrize(
    ("card", "colour", "number"),
    [(55, "red", 7), (33, "red", 5), (66, "red", 5), (88, "red", 5), (70, "red", 3), (90, "red", 3), (25, "red", 2)]
    + [(42, "green", 2), (52, "green", 2), (97, "green", 1), (1, "green", 1), (22, "red", 5)],
)
def test_heads(card: int, colour: str, number: int) -> None:
    assert heads(card) == (colour, number)


def test_example_of_the_rulebook_makes_4() -> None:
    # 5 green and 3 red heads, one x2, one +5, and one +5 still in hand: (5 - 3 + 5) x 2 - 10.
    state = parse_state("42 52 97 90 x2 +5 hand +5", "take-5")
    sheet = score(state)
    assert sheet.subtotals == {"green": 5, "red": 3, "plus5": 1, "times2": 1, "hand": 1}
    assert sheet.total == 4


@pytest.mark.parametrize(
    ("pile", "total"),
    [
        ("34 36 4 15 17 65 90 41 37 33 16 74", -4),
        ("+5 25 x2 49 40 14 13 82", 10),
        ("82 10 42 29 15 86 35 +5 33 x2 27 31 21 78 37 24 67 23 80 x2", 16),
        ("hand x2 +5", -20),
        ("55 x2 x2", -28),
        ("??", 0),
    ],
)
def test_piles(pile: str, total: int) -> None:
    assert score(parse_state(pile, "take-5")).total == total


def test_heads_that_are_seen_go_before_the_table() -> None:
    assert pile_sheet(["12"], seen={"12": ("green", 1)}).total == 1
    assert pile_sheet(["12"]).total == 2


def test_the_formula_says_how_the_total_comes_about() -> None:
    assert formula(pile_sheet(("42", "52", "97", "90", "x2", "+5"), ("+5",))) == (
        "(5 green - 3 red + 5 x 1) x 2 - 10 x 1 = 4"
    )
    assert formula(pile_sheet(("x2", "x2", "55"))) == "(0 green - 7 red) x 2 x 2 = -28"
    assert formula(pile_sheet(("41", "+5"))) == "1 green - 0 red + 5 x 1 = 6"


@given(st.lists(st.one_of(st.integers(1, 98).map(str), st.sampled_from(["x2", "+5"]))), st.integers(0, 3))
def test_lines_add_up_to_the_total(cards: list[str], hand: int) -> None:
    sheet = pile_sheet(cards, ["x2"] * hand)
    assert sum(line.points for line in sheet.lines) == sheet.total
    s = sheet.subtotals
    assert sheet.total == (s["green"] - s["red"] + 5 * s["plus5"]) * 2 ** s["times2"] - 10 * s["hand"]


TABLE = Table((("3",), ("40", "41", "x2"), ("97",)))


@pytest.mark.parametrize(("card", "row"), [("20", 3), ("50", 41), ("98", 97), ("2", 97), ("40", 3)])
def test_a_number_goes_to_the_highest_final_number_below_it_or_the_highest_of_all(card: str, row: int) -> None:
    assert TABLE.legal_rows(card) == (row,)


def test_specials_go_where_there_is_none_of_their_kind() -> None:
    assert TABLE.legal_rows("x2") == (3, 97)
    assert TABLE.legal_rows("+5") == (3, 41, 97)
    assert TABLE.play("+5", 41).table.rows[1] == ("40", "41", "x2", "+5")


def test_the_fifth_head_takes_the_row_specials_included() -> None:
    table = Table((("1", "x2", "2", "3", "+5", "4"), ("60",)))
    played = table.play("10")
    assert played.taken == ("1", "x2", "2", "3", "+5", "4", "10")
    assert played.table == Table((("60",),))
    assert Table((("1", "x2", "2", "3"),)).play("10").taken == ()


@pytest.mark.parametrize(
    ("card", "row", "reason"),
    [
        ("20", 97, "20 belongs to the row that ends with 3, not 97"),
        ("x2", 41, "has a x2 already"),
        ("x2", None, "x2 needs a row"),
        ("20", 5, "no row ends with 5"),
    ],
)
def test_what_may_not_be_played(card: str, row: int | None, reason: str) -> None:
    assert reason in TABLE.problem(card, row)
    with pytest.raises(BoardsightError, match="row"):
        TABLE.play(card, row)


def test_no_rows_left() -> None:
    assert Table(()).legal_rows("5") == ()
    assert Table(()).problem("5") == "no row is left on the table"


def test_game_over() -> None:
    assert game_over(TABLE, [[], []])
    assert not game_over(TABLE, [[], ["x2"]])
    assert game_over(Table((("3", "x2"),)), [["x2"], []])
    assert game_over(Table(()), [["7"]])


def test_setup_gives_five_cards_a_row() -> None:
    assert SETUP == {2: (14, 7), 3: (12, 9), 4: (12, 12), 5: (12, 15), 6: (10, 15)}
    for players, (hand, table) in SETUP.items():
        assert players * hand + table == 5 * table
