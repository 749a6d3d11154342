"""Players, sheets and doubts of a reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boardsight.scoring.rules import Rules
from boardsight.tournament.outcome import assess, by_player
from boardsight.vision.reading import Fault, Reading

if TYPE_CHECKING:
    from tests.conftest import MakeBoard

EASY = (
    "9-2-3 9-6-8 9-6-4 / 1-2-8 1-6-3 1-7-8 1-2-4 / 1-2-3 1-6-8 5-6-3 5-7-8 1-7-4 / "
    "9-6-3 9-2-8 9-7-3 9-7-8 / 5-2-3 5-6-8 5-7-3"
)
YARD = "1-2-8s 4-11-8s / 9-7-5m 9-11-5s 9-6-8m / 4-2-5sv 4-7-10s"
NEXUS = " / ".join(" ".join(["--"] * n) for n in (4, 5, 6, 7, 6, 5, 4))


def test_one_board_is_one_player(make_board: MakeBoard) -> None:
    outcome = assess(Reading("a.jpg", (10, 10), "take-it-easy", (make_board("easy", EASY),)), Rules())
    assert [player.sheet.total for player in outcome.players] == [233]
    assert outcome.players[0].certain
    assert outcome.warnings == ()


def test_scrapyard_goes_with_the_nearest_nexus(make_board: MakeBoard) -> None:
    left, right = make_board("nexus", NEXUS), make_board("nexus", NEXUS, at=(2000, 0))
    yard_right, yard_left = make_board("scrapyard", YARD, at=(2600, 0)), make_board("scrapyard", YARD, at=(300, 900))
    assert by_player((yard_right, left, right, yard_left)) == ((left, yard_left), (right, yard_right))


def test_second_scrapyard_goes_with_the_nexus_that_has_none(make_board: MakeBoard) -> None:
    left, right = make_board("nexus", NEXUS), make_board("nexus", NEXUS, at=(2000, 0))
    first, second = make_board("scrapyard", YARD, at=(100, 0)), make_board("scrapyard", YARD, at=(200, 0))
    assert by_player((left, right, first, second)) == ((left, first), (right, second))


def test_lone_scrapyard_is_scored_alone(make_board: MakeBoard) -> None:
    yard = make_board("scrapyard", YARD)
    assert by_player((yard,)) == ((yard,),)
    outcome = assess(Reading("a.jpg", (10, 10), "take-it-to-the-limit", (yard,)), Rules())
    assert outcome.players[0].sheet.subtotals["scrapyard-value"] == 53


def test_nexus_and_scrapyard_share_a_sheet(make_board: MakeBoard) -> None:
    boards = (make_board("nexus", NEXUS), make_board("scrapyard", YARD, at=(900, 0)))
    (player,) = assess(Reading("a.jpg", (10, 10), "take-it-to-the-limit", boards), Rules()).players
    assert player.sheet.total == -60


def test_doubt_names_cell_reading_runner_up_and_change(make_board: MakeBoard) -> None:
    board = make_board("easy", EASY, doubts={"c1.1": (0.83, "5-2-3")})
    outcome = assess(Reading("a.jpg", (10, 10), "take-it-easy", (board,)), Rules())
    assert outcome.warnings == (
        "easy c1.1 reads 9-2-3 (83 % sure); it may be 5-2-3, and then the total would be 206 instead of 233",
    )
    assert not outcome.players[0].certain


def test_doubt_that_changes_nothing(make_board: MakeBoard) -> None:
    board = make_board("easy", EASY.replace("9-2-3", "--", 1), doubts={"c2.4": (0.6, "--")})
    (warning,) = assess(Reading("a.jpg", (10, 10), "take-it-easy", (board,)), Rules()).warnings
    assert "it may be an empty space, and then the total would be" in warning


def test_doubt_without_runner_up_and_unread_tile(make_board: MakeBoard) -> None:
    board = make_board("easy", EASY.replace("9-2-3", "??", 1), doubts={"c1.1": (0.1, ""), "c1.2": (0.5, "")})
    outcome = assess(Reading("a.jpg", (10, 10), "take-it-easy", (board,)), Rules())
    assert outcome.warnings == ("easy c1.1 could not be read", "easy c1.2 reads 9-6-8 (50 % sure)")


def test_warnings_of_the_reader_come_first_and_once(make_board: MakeBoard) -> None:
    reading = Reading("a.jpg", (10, 10), "take-it-easy", (make_board("easy", EASY),), ("mirrored", "mirrored"))
    assert assess(reading, Rules()).warnings == ("mirrored",)


def test_fault_has_no_players() -> None:
    outcome = assess(Reading("a.jpg", fault=Fault("no-board", "no board")), Rules())
    assert outcome.players == ()
