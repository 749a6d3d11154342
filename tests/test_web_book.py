"""The evening's book: what is kept, and what of it comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boardsight.scoring.rules import Rules
from boardsight.tournament.evening import Question, gather
from boardsight.tournament.jsonl import photo_object
from boardsight.tournament.outcome import assess
from boardsight.tournament.rows import Entry, Key, PhotoRow
from boardsight.tournament.standings import Evening as Standings
from boardsight.vision.correct import correct
from boardsight.vision.decode import Evidence, decode
from boardsight.vision.reading import BoardReading, CellReading, Reading
from boardsight.web.book import Book
from boardsight.web.part import READ_AGAIN
from boardsight.web.record import HAND_GAMES, NotThere, blank
from boardsight.web.work import Finished, ReadJob, read

EASY = (
    "9-2-3 9-6-8 9-6-4 / 1-2-8 1-6-3 1-7-8 1-2-4 / 1-2-3 1-6-8 5-6-3 5-7-8 1-7-4"
    " / 9-6-3 9-2-8 9-7-3 9-7-8 / 5-2-3 5-6-8 5-7-3"
)

MakeBoard = Callable[..., BoardReading]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    with_book = Book(tmp_path)
    yield with_book
    with_book.close()


def finished(*boards: BoardReading) -> Finished:
    return Finished(Reading("IMG.jpg", (900, 900), boards[0].board.game, boards), b"picture", b"small")


def mixed(evidence: Evidence, one: int, other: int, share: float) -> Evidence:
    """Return evidence in which two spaces look like each other, each showing that share of what the other one does."""
    found = Evidence(evidence.what.copy(), {n: rows.copy() for n, rows in evidence.heads.items()}, evidence.labels)
    for rows in (found.what, *found.heads.values()):
        a, b = np.exp(rows[one]), np.exp(rows[other])
        rows[one], rows[other] = np.log((1 - share) * a + share * b), np.log((1 - share) * b + share * a)
    return found


def tampered(photo: Path, one: str, other: str, share: float) -> Finished:
    """Return a photo as it is read where two of its tiles look so much like each other."""
    done = read(ReadJob(photo.read_bytes(), photo.name))
    board = done.reading.boards[0]
    assert board.evidence is not None
    evidence = mixed(board.evidence, board.board.index[one], board.board.index[other], share)
    decoded = decode(board.board, evidence)
    cells = tuple(
        replace(c, tile=t, confidence=p, certain=p > 0.99, runner_up=r)
        for c, t, p, r in zip(board.cells, decoded.tiles, decoded.confidence, decoded.runner_up, strict=True)
    )
    board = replace(board, cells=cells, evidence=evidence)
    return replace(done, reading=replace(done.reading, boards=(board, *done.reading.boards[1:])))


def doubtful_shot(book: Book, photo: Path) -> str:
    """Enter a photo on which two tiles were taken for each other, and return its content's name."""
    # 9-2-3 and 9-6-3 differ in one stripe
    book.add("d" * 64, photo.name, tampered(photo, "c1.1", "c4.1", 0.6))
    return "d" * 64


def test_what_was_entered_is_there_after_a_restart(book: Book, tmp_path: Path, make_board: MakeBoard) -> None:
    book.add("a" * 64, "IMG.jpg", finished(make_board("easy", EASY, doubts={"c1.1": (0.8, "9-7-4")})))
    book.add_player("Anna")
    book.give(book.shot("a" * 64), 1, "Anna", 1)
    book.correct("a" * 64, 1, "c1.2", "--")
    book.set_rules(Rules(studs=True))
    before, table = book.shot("a" * 64), book.table()
    other = Book(tmp_path)
    try:
        assert other.shot("a" * 64) == before
        assert other.table() == table
        assert other.rules == Rules(studs=True)
        assert other.picture("a" * 64) == b"picture"
        assert other.picture("a" * 64, small=True) == b"small"
    finally:
        other.close()


def test_one_correction_mends_both_of_two_swapped_tiles_also_after_a_restart(book: Book, tmp_path: Path) -> None:
    content = doubtful_shot(book, Path(__file__).parent.parent / "sample_images" / "easy_1.jpg")
    part = book.shot(content).parts[0]
    at = {cell.cell: cell.tile for cell in part.boards[0][1].cells}
    assert (at["c1.1"], at["c4.1"]) == ("9-6-3", "9-2-3")
    assert part.total != 233
    assert {d.cell for d in part.doubts} == {"c1.1", "c4.1"}
    assert part.doubts[0].other_total == 233, "it says what the other reading would give, the rest read again"
    other = Book(tmp_path)
    try:
        other.correct(content, 1, "c1.1", "9-2-3")
        part = book.shot(content).parts[0]
        at = {cell.cell: cell.tile for cell in part.boards[0][1].cells}
        assert (at["c1.1"], at["c4.1"]) == ("9-2-3", "9-6-3")
        assert part.total == 233
        made = {(c.what, c.value): c.who for c in book.store.corrections(content)}
        assert made == {("c1.1", "9-2-3"): "page", ("c4.1", "9-6-3"): READ_AGAIN}
        # whoever lays the corrections over the reading without reading again gets the same board
        seen = book.shot(content).reading.boards[0]
        laid = correct([replace(seen, evidence=None)], [dict(list(made))])
        assert laid[0].notation == part.boards[0][1].notation
        book.undo(content)
        assert book.store.corrections(content) == ()
    finally:
        other.close()


def test_a_tile_set_twice_lies_where_it_was_set_last(book: Book, make_board: MakeBoard) -> None:
    book.add("a" * 64, "x", finished(make_board("easy", EASY)))
    book.correct("a" * 64, 1, "c1.1", "5-7-4")
    book.correct("a" * 64, 1, "c2.2", "5-7-4")
    part = book.shot("a" * 64).parts[0]
    assert part.fixed == ({"c2.2": "5-7-4"},)
    assert part.state.positions[0].at("c1.1") != part.state.positions[0].at("c2.2")
    book.undo("a" * 64, "c2.2", 1)
    assert book.shot("a" * 64).parts[0].fixed == ({"c1.1": "5-7-4"},)
    assert book.undo("a" * 64, "c3.3", 1) is None


def test_a_tile_of_the_reserve_is_confirmed_and_that_is_undone_at_once(book: Book, make_board: MakeBoard) -> None:
    empty = "-- -- / -- -- -- / -- -- -- -- / -- -- -- -- -- / -- -- -- -- -- -- / -- -- -- -- --"
    tile = CellReading("reserve 1", "1-2-3sg", 0.6, (10, 10), runner_up="1-2-5mv", certain=False)
    book.add("a" * 64, "x", finished(replace(make_board("orchid", empty), reserve=(tile,))))
    part = book.shot("a" * 64).parts[0]
    (doubt,) = part.doubts
    assert (doubt.what, doubt.value, doubt.other_value) == ("reserve", "1-2-3sg", "1-2-5mv")
    book.correct("a" * 64, 1, doubt.what, doubt.value, doubt.cell)
    assert book.shot("a" * 64).parts[0].certain
    book.undo("a" * 64)
    assert book.shot("a" * 64).parts[0] == part
    book.correct("a" * 64, 1, doubt.what, doubt.other_value, doubt.cell)
    assert str(book.shot("a" * 64).parts[0].state.reserve[0]) == "1-2-5mv"


def test_two_players_in_one_photo(book: Book, make_board: MakeBoard) -> None:
    second = EASY.replace("9-2-3", "--")
    book.add("a" * 64, "x", finished(make_board("easy", EASY), make_board("easy", second, at=(2000, 0))))
    shot = book.shot("a" * 64)
    assert [part.total for part in shot.parts] == [233, 185]
    book.give(shot, 1, "Anna", 1)
    book.give(shot, 2, "Ben", 1)
    assert [(s.player, s.total) for s in book.table().standings] == [("Anna", 233), ("Ben", 185)]
    book.correct("a" * 64, 2, "c1.1", "9-2-3")
    assert [(s.rank, s.player) for s in book.table().standings] == [(1, "Anna"), (1, "Ben")]


def test_photos_of_the_batch_are_part_of_the_evening(book: Book, make_board: MakeBoard) -> None:
    reading = Reading("IMG_7.jpg", (900, 900), "take-it-easy", (make_board("easy", EASY, at=(150, 150)),))
    obj = photo_object(assess(reading, Rules()))
    del obj["photo"]
    key = Key("b" * 64, "game= rules=basic", "model")
    book.store.put_photo(PhotoRow("/photos/IMG_7.jpg", "IMG_7.jpg", key), obj)
    book.store.put_entry(book.evening.evening, Entry("/photos/IMG_7.jpg", "Anna", 1))
    shot = book.shot("b" * 64)
    assert shot.parts[0].total == 233
    assert np.allclose(shot.reading.boards[0].homography, reading.boards[0].homography, atol=0.1)
    book.correct("b" * 64, 1, "c1.1", "--")
    assert book.table().standings[0].total == 185


def test_the_standings_of_the_command_line_agree(book: Book, make_board: MakeBoard) -> None:
    swapped = doubtful_shot(book, Path(__file__).parent.parent / "sample_images" / "easy_1.jpg")
    book.add("a" * 64, "x", finished(make_board("easy", EASY, doubts={"c1.1": (0.8, "--")})))
    book.give(book.shot(swapped), 1, "Anna", 1)
    book.give(book.shot("a" * 64), 1, "Ben", 1)
    book.set_points("Ben", 2, 11)
    book.correct(swapped, 1, "c1.1", "9-2-3")
    book.correct("a" * 64, 1, "c1.1", "--")
    book.correct("a" * 64, 1, "c5.1", "9-2-3")
    found = Standings(gather(book.store, Question())).lines()
    here = book.table()
    assert here.rounds == (1, 2)
    assert [(line.rank, line.player, line.total) for line in found] == [
        (s.rank, s.player, s.total) for s in here.standings
    ]
    assert here.standings[0].total == 233


def test_a_photo_that_the_batch_could_not_read(book: Book) -> None:
    obj: dict[str, object] = {"error": {"code": "no-board", "message": "'{photo}' shows no board"}}
    book.store.put_photo(PhotoRow("/x.jpg", "x.jpg", Key("c" * 64, "s", "m")), obj)
    fault = book.shot("c" * 64).reading.fault
    assert fault is not None
    assert fault.message == "'x.jpg' shows no board"


@pytest.mark.parametrize("game", HAND_GAMES)
def test_boards_by_hand(book: Book, game: str) -> None:
    content = book.add_by_hand(game)
    shot = book.shot(content)
    assert len(shot.parts) == 1
    for number, board in shot.parts[0].boards:
        book.correct(content, number, board.cells[0].cell, board.board.tile_set.tiles[number].text)
    state = book.shot(content).parts[0].state
    assert all(position.tiles[0] is not None for position in state.positions)


def test_what_is_not_there(book: Book) -> None:
    for content in ("", "a" * 64, "../x"):
        with pytest.raises(NotThere):
            book.shot(content)
        with pytest.raises(NotThere):
            book.restore(content)
    with pytest.raises(NotThere):
        blank("chess")
    assert book.undo(book.add_by_hand("take-it-easy")) is None
