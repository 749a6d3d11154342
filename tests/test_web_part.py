"""One player's part of a photo: the reading, the corrections, and the sheet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from boardsight.scoring.errors import NotationError
from boardsight.scoring.notation import parse_state
from boardsight.scoring.rules import Rules
from boardsight.tournament.rows import Correction
from boardsight.vision.reading import BoardReading, Fault, PieceReading, Reading
from boardsight.web.overlay import overlay
from boardsight.web.part import READ_AGAIN, WAY, Played, extra, numbered, parts

MakeBoard = Callable[..., BoardReading]
EASY = (
    "9-2-3 9-6-8 9-6-4 / 1-2-8 1-6-3 1-7-8 1-2-4 / 1-2-3 1-6-8 5-6-3 5-7-8 1-7-4"
    " / 9-6-3 9-2-8 9-7-3 9-7-8 / 5-2-3 5-6-8 5-7-3"
)
NEXUS = " / ".join(" ".join(["--"] * n) for n in (4, 5, 6, 7, 6, 5, 4))
YARD = "-- -- / -- -- -- / -- --"
HIGHER = "GH GP / SN GF SP GG / GL GJ SB GI GD GC / GN SL GE SJ GA SC / GO SH GM SE / SA SK"


def reading(*boards: BoardReading) -> Reading:
    return Reading("x", (900, 900), boards[0].board.game, boards)


def test_boards_are_numbered_as_in_the_json(make_board: MakeBoard) -> None:
    boards = (
        make_board("scrapyard", YARD, at=(5000, 0)),
        make_board("nexus", NEXUS),
        make_board("nexus", NEXUS, at=(4000, 0)),
    )
    groups = numbered(reading(*boards))
    assert [[(n, b.board.name) for n, b in group] for group in groups] == [
        [(1, "nexus")],
        [(2, "nexus"), (3, "scrapyard")],
    ]


def test_a_doubt_says_what_each_reading_would_give(make_board: MakeBoard) -> None:
    board = make_board("easy", EASY, doubts={"c1.1": (0.8, "--"), "c5.1": (0.7, "")})
    (part,) = parts(reading(board), ())
    assert not part.certain
    first, second = part.doubts
    assert (first.cell, first.tile, first.other, first.total, first.other_total) == ("c1.1", "9-2-3", "--", 233, 185)
    assert (second.cell, second.other, second.other_total) == ("c5.1", "", 233)
    # set by hand, it is in doubt no more
    (part,) = parts(reading(board), [Correction("x", 1, "c1.1", "9-2-3", id=1)])
    assert [d.cell for d in part.doubts] == ["c5.1"]
    assert part.total == 233


def test_the_way_a_board_lies_is_asked_once_for_all_tiles(make_board: MakeBoard) -> None:
    board = make_board("easy", EASY)
    cells = tuple(replace(cell, confidence=0.9, certain=False) for cell in board.cells)
    board = replace(board, cells=cells, way=0.9)
    (part,) = parts(reading(board), ())
    assert part.doubts == ()
    assert not part.certain
    (part,) = parts(reading(board), [Correction("x", 1, WAY, "as read", id=1)])
    assert part.certain


def test_what_follows_from_others_is_not_taken_for_set_by_hand(make_board: MakeBoard) -> None:
    made = [Correction("x", 1, "c1.1", "--", id=1), Correction("x", 1, "c1.2", "5-2-4", READ_AGAIN, id=2)]
    (part,) = parts(reading(make_board("easy", EASY)), made)
    assert part.fixed == ({"c1.1": "--"},)


def test_problems_are_named(make_board: MakeBoard) -> None:
    (part,) = parts(reading(make_board("higher", HIGHER)), [Correction("x", 1, "ships", "r1.1=white", id=1)])
    assert [problem.code for problem in part.problems] == ["ship-row"]
    (part,) = parts(reading(make_board("higher", HIGHER)), (), lambda n: Played(Rules(studs=True)))
    assert part.sheet is not None
    assert part.sheet.subtotals["golds"] + part.sheet.subtotals["silvers"] > 0


def test_a_photo_with_a_fault_has_no_parts() -> None:
    assert parts(Reading("x", fault=Fault("no-board", "shows no board")), ()) == ()


@pytest.mark.parametrize(
    ("state", "game", "what", "value", "line"),
    [
        (HIGHER, "take-it-higher", "ships", "r1.1=white  r2.1=red+blue", f"{HIGHER} ; ships: r1.1=white r2.1=red+blue"),
        (HIGHER, "take-it-higher", "ring", "140", f"{HIGHER} ; ring: 140"),
        (f"{HIGHER} ; ring: 140", "take-it-higher", "ring", "", HIGHER),
        (f"{HIGHER} ; ships: r1.1=red ; ring: 20", "take-it-higher", "ships", "", f"{HIGHER} ; ring: 20"),
        ("97 55", "take-5", "cards", "x2 97", "x2 97"),
        ("97 55", "take-5", "hand", "+5", "97 55 hand +5"),
        ("97 55 hand x2", "take-5", "hand", "", "97 55"),
        ("5 5", "high-score", "dice", "V 1", "V 1"),
    ],
)
def test_extras_are_set_in_notation(state: str, game: str, what: str, value: str, line: str) -> None:
    assert str(extra(parse_state(state, game), what, value)) == line


@pytest.mark.parametrize(
    ("what", "value"), [("ring", "15"), ("ships", "r9.9=white"), ("cards", "0"), ("dice", "6"), ("hand", "97")]
)
def test_extras_that_cannot_be_are_refused(what: str, value: str) -> None:
    with pytest.raises(NotationError):
        extra(parse_state(HIGHER, "take-it-higher"), what, value)


def throw(texts: str, doubtful: int = -1, other: str = "") -> Reading:
    pieces = tuple(
        PieceReading("die", text, 0.7 if i == doubtful else 1.0, (100.0 * i + 50, 50.0), (), other, i != doubtful)
        for i, text in enumerate(texts.split())
    )
    return Reading("x", (800, 100), "high-score", pieces=pieces)


def test_dice_of_a_photo_are_scored_and_a_doubt_says_what_it_is_worth() -> None:
    seen = throw("5 5 5 4 4 2 1", 3, "V")
    (part,) = parts(seen, (), lambda n: Played(challenge="total vortex=-5"))
    assert part.total == 26
    (doubt,) = part.doubts
    assert (doubt.cell, doubt.tile, doubt.other, doubt.other_total) == ("die 4", "4", "V", 17)
    assert (doubt.what, doubt.value, doubt.other_value) == ("dice", "5 5 5 4 4 2 1", "5 5 5 V 4 2 1")
    made = [Correction("x", 1, "dice", doubt.other_value, id=1)]
    (part,) = parts(seen, made, lambda n: Played(challenge="total vortex=-5"))
    assert part.certain
    assert part.total == 17
    assert [piece.text for piece in part.loose] == ["5", "5", "5", "V", "4", "2", "1"]
    over = overlay(seen, (part,))
    assert [space.label for space in over.spaces] == ["5", "5", "5", "V", "4", "2", "1"]
    assert over.spaces[3].key == "dice.4.1"


def test_to_confirm_one_die_says_nothing_about_the_others() -> None:
    first, second = throw("5 5 4", 0, "V"), throw("5 5 4", 2, "1")
    seen = replace(first, pieces=(first.pieces[0], first.pieces[1], second.pieces[2]))
    (part,) = parts(seen, (), lambda n: Played(challenge="total vortex=0"))
    assert [d.cell for d in part.doubts] == ["die 1", "die 3"]
    made = [Correction("x", 1, "die 1", "as set", id=1), Correction("x", 1, "dice", "5 5 4", id=2)]
    (part,) = parts(seen, made, lambda n: Played(challenge="total vortex=0"))
    assert [d.cell for d in part.doubts] == ["die 3"]


def test_a_face_that_the_game_lacks_is_unread_and_a_missing_die_is_said() -> None:
    (part,) = parts(throw("5 6 5 4 4 2"), (), lambda n: Played(challenge="total vortex=0"))
    assert part.state.dice == ("5", "??", "5", "4", "4", "2")
    assert {problem.code for problem in part.problems} == {"dice", "unread"}


def test_a_die_that_was_added_by_hand_lies_nowhere_on_the_photo() -> None:
    made = [Correction("x", 1, "dice", "1 1 1", id=1)]
    (part,) = parts(throw("1 1"), made)
    assert part.loose == ()
    assert part.state.dice == ("1", "1", "1")
