"""What is drawn over a photo."""

from __future__ import annotations

from collections.abc import Callable
from math import dist

import pytest
from tests.test_web_part import EASY

from boardsight.scoring.boards import BOARDS, COLOURS
from boardsight.vision.reading import BoardReading, Reading
from boardsight.web.colours import PAINT, contrast_ratio, ink_on, paint, stripes
from boardsight.web.overlay import overlay
from boardsight.web.part import parts
from boardsight.web.record import HAND_GAMES, blank
from boardsight.web.sheet import sheet_view

MakeBoard = Callable[..., BoardReading]


def test_rows_and_sheet_lines_have_the_same_names(make_board: MakeBoard) -> None:
    board = make_board("easy", EASY, at=(200, 200), doubts={"c3.3": (0.6, "--")})
    reading = Reading("x", (1000, 1000), "take-it-easy", (board,))
    (part,) = parts(reading, ())
    over, sheet = overlay(reading, (part,)), sheet_view(part)
    assert sheet is not None
    keys = [entry.key for entry in sheet.entries]
    assert [mark.key for mark in over.marks] == keys
    assert {key for space in over.spaces for key in space.lines.split()} == set(keys)
    assert {key for row in sheet.rows for key in row.keys.split()} == set(keys)
    assert sum(row.points for row in sheet.rows) == sheet.total == 233
    assert [mark.text for mark in over.marks] == [str(entry.points) for entry in sheet.entries]
    first = over.marks[0]
    assert first.start is not None
    assert first.end is not None
    assert dist(first.start, (200, 200 - 42)) < 1, "the row of c1.1 to c1.3 starts a little above its first tile"
    assert first.start[0] == pytest.approx(first.end[0], abs=0.2)
    (doubtful,) = [space for space in over.spaces if space.doubtful]
    assert (doubtful.cell, doubtful.other) == ("c3.3", "--")
    assert doubtful.spoken == "Take It Easy! c3.3: tile 5 6 3, doubtful, may be empty space"


def test_the_view_holds_every_tile_and_every_badge(make_board: MakeBoard) -> None:
    board = make_board("easy", EASY, at=(400, 400))
    reading = Reading("x", (2000, 2000), "take-it-easy", (board,))
    over = overlay(reading, parts(reading, ()))
    left, top, width, height = over.view
    for x, y in [space.at for space in over.spaces] + [mark.badge for mark in over.marks]:
        assert left < x < left + width
        assert top < y < top + height
    badges = [mark.badge for mark in over.marks]
    assert min(dist(a, b) for i, a in enumerate(badges) for b in badges[:i]) > 0.4 * over.unit


@pytest.mark.parametrize("game", HAND_GAMES)
def test_boards_by_hand_lie_apart_and_inside_their_picture(game: str) -> None:
    reading = blank(game)
    over = overlay(reading, parts(reading, ()))
    assert len(over.spaces) == sum(len(BOARDS[name].cells) for name in HAND_GAMES[game][1])
    spots = [space.at for space in over.spaces]
    assert all(0 < x < over.width and 0 < y < over.height for x, y in spots)
    assert all(dist(a, b) > 70 for i, a in enumerate(spots) for b in spots[:i])


def test_numbers_stand_out_from_every_colour() -> None:
    for table in COLOURS.values():
        for labels in table.values():
            for colour in labels.values():
                assert colour in PAINT
                assert contrast_ratio(paint(colour), ink_on(colour)) >= 4.5, colour


def test_a_tiles_picture_shows_all_its_numbers() -> None:
    for board in BOARDS.values():
        tile_set = board.tile_set
        names = [a.name for a in tile_set.attributes if a.stripe]
        for tile in tile_set.tiles:
            assert sorted(s.number for s in stripes(tile, tile_set)) == sorted(tile.get(name) for name in names)
