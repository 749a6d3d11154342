"""Annotated pictures of boards that are drawn here, so that where each mark belongs is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.scoring.account import Sheet
from boardsight.scoring.boards import BOARDS, Board
from boardsight.scoring.notation import State, parse_position
from boardsight.scoring.sheets import score
from boardsight.vision import ink
from boardsight.vision.annotate import PALETTE, Style, annotate
from boardsight.vision.ink import Label
from boardsight.vision.reading import BoardReading, CellReading, Fault, Reading

STATES = {
    "easy": "9-2-3 9-6-8 9-6-4 / 1-2-8 1-6-3 1-7-8 1-2-4 / 1-2-3 1-6-8 5-6-3 5-7-8 1-7-4 / 9-6-3 9-2-8 9-7-3 9-7-8 / "
    "5-2-3 5-6-8 5-7-3",
    "higher": "-- GE / SD -- GL GJ / GM -- -- SN GK GN / SI GF SH GG SE SP / -- GI SK -- / SB GB",
}
TURNS = {
    "upright": (100.0, 0.0, 300.0, 0.0, 100.0, 200.0, 0.0, 0.0, 1.0),
    "quarter": (0.0, -100.0, 900.0, 100.0, 0.0, 200.0, 0.0, 0.0, 1.0),
    "half": (-100.0, 0.0, 900.0, 0.0, -100.0, 900.0, 0.0, 0.0, 1.0),
    "mirrored": (-100.0, 0.0, 900.0, 0.0, 100.0, 200.0, 0.0, 0.0, 1.0),
    "oblique": (100.0, 10.0, 300.0, -8.0, 90.0, 300.0, 0.0, 0.03, 1.0),
}


@dataclass(frozen=True)
class One:
    boards: Sequence[BoardReading]
    sheet: Sheet


def read(name: str, turn: str = "upright", doubtful: tuple[str, ...] = ()) -> tuple[Reading, One]:
    """Return a reading of a state that lies at a known place, and its sheet."""
    board: Board = BOARDS[name]
    h = np.array(TURNS[turn]).reshape(3, 3)
    cells = []
    for cell, tile, at in zip(board.cells, STATES[name].replace(" / ", " ").split(), board.centres, strict=True):
        u, v, w = h @ (*at, 1.0)
        known = cell.name not in doubtful
        cells.append(CellReading(cell.name, tile, 0.9, (float(u / w), float(v / w)), (), "", known))
    found = BoardReading(board, tuple(cells), TURNS[turn])
    reading = Reading("a.jpg", (1200, 1100), board.game, (found,))
    return reading, One((found,), score(State(board.game, (parse_position(found.notation, board),))))


def blank() -> NDArray[np.uint8]:
    return np.full((1100, 1200, 3), 90, np.uint8)


def has(image: NDArray[np.uint8], colour: ink.Colour, tolerance: int = 14) -> NDArray[np.bool_]:
    """Return which pixels have a colour."""
    return np.asarray((np.abs(image.astype(int) - colour) <= tolerance).all(axis=2))


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("name", STATES)
def test_every_scoring_row_has_its_colour_and_nothing_else_is_touched(name: str, turn: str) -> None:
    reading, player = read(name, turn)
    photo = blank()
    out = annotate(photo, reading, [player])
    assert (photo == 90).all()
    assert out.dtype == np.uint8
    assert max(out.shape[:2]) <= 2000
    colours = {line.colour for line in player.sheet.of("row")}
    for colour in colours:
        assert has(out, PALETTE[colour]).sum() > 200, colour
    for colour in {"lime", "cherry", "turquoise", "magenta"} - colours:
        assert has(out, PALETTE[colour]).sum() < 40, colour


def test_what_lies_beside_the_tiles_is_dimmed_and_cut_away() -> None:
    reading, player = read("easy")
    out = annotate(blank(), reading, [], Style(margin=1.0, tile=1.0, dim=0.5))
    assert out.shape[0] < 800
    assert out[0, 0].tolist() == [45, 45, 45]
    whole = annotate(blank(), reading, [], Style(margin=-1.0, tile=1.0))
    assert whole.shape == (1100, 1200, 3)
    strip = annotate(blank(), reading, [player], Style(margin=-1.0, tile=1.0))
    assert strip.shape[0] > 1100
    assert strip.shape[1] == 1200


def test_doubtful_tiles_are_circled() -> None:
    style = Style(margin=-1.0, tile=1.0)
    sure, player = read("easy")
    assert has(annotate(blank(), sure, [player], style), style.doubt).sum() == 0
    reading, player = read("easy", doubtful=("c3.3",))
    marked = has(annotate(blank(), reading, [player], style)[:1100], style.doubt)
    rows, columns = np.nonzero(marked)
    x, y = next(c.centre for c in reading.boards[0].cells if c.cell == "c3.3")
    assert abs(rows.mean() - y) < 5
    assert abs(columns.mean() - x) < 5
    assert np.hypot(rows - y, columns - x).max() < 75


def test_a_reduced_photo_gives_the_same_picture() -> None:
    reading, player = read("easy")
    style = Style(tile=60.0)
    full = annotate(blank(), reading, [player], style)
    half = annotate(np.ascontiguousarray(blank()[::2, ::2]), reading, [player], style)
    assert abs(full.shape[0] / full.shape[1] - half.shape[0] / half.shape[1]) < 0.05
    small = read("easy")[0]
    tiny = annotate(np.full((110, 120, 3), 90, np.uint8), small, [player])
    assert max(tiny.shape[:2]) > 800


def test_a_reading_without_boards_gives_the_photo() -> None:
    reading = Reading("a.jpg", (1200, 1100), fault=Fault("no-board", "no board"))
    out = annotate(blank(), reading, [])
    assert out.shape == (1100, 1200, 3)
    assert (out == 90).all()
    assert annotate(np.zeros((3000, 4000, 3), np.uint8), replace(reading, size=(4000, 3000)), []).shape[1] == 2000


def test_a_board_at_the_edge_of_the_photo() -> None:
    reading, player = read("easy")
    cut = np.ascontiguousarray(blank()[200:600, 300:700])
    board = reading.boards[0]
    cells = tuple(replace(c, centre=(c.centre[0] - 300, c.centre[1] - 200)) for c in board.cells)
    moved = replace(board, cells=cells, homography=(100.0, 0.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 1.0))
    out = annotate(cut, replace(reading, size=(400, 400), boards=(moved,)), [One((moved,), player.sheet)])
    assert out.size > 0


def test_two_players_boards_are_told_apart() -> None:
    reading, player = read("easy")
    board = reading.boards[0]
    cells = tuple(replace(c, centre=(c.centre[0] + 800, c.centre[1])) for c in board.cells)
    beside = replace(board, cells=cells, homography=(100.0, 0.0, 1100.0, 0.0, 100.0, 200.0, 0.0, 0.0, 1.0))
    both = replace(reading, size=(2000, 1100), boards=(board, beside))
    photo = np.full((1100, 2000, 3), 90, np.uint8)
    style = Style(margin=-1.0, tile=1.0)
    one = annotate(photo, both, [player], style)
    two = annotate(photo, both, [player, One((beside,), player.sheet)], style)
    assert two.shape[0] > one.shape[0]
    left = two[:200, :700].astype(int) - two[:200, 800:1500]
    assert (np.abs(left).max(axis=2) > 60).any()
    assert has(two[:1100, 1000:], PALETTE["yellow"]).sum() > has(one[:1100, 1000:], PALETTE["yellow"]).sum()


def test_every_colour_of_the_games_is_in_the_palette() -> None:
    from boardsight.scoring.boards import COLOURS

    names = {c for by_set in COLOURS.values() for by_stripe in by_set.values() for c in by_stripe.values()}
    assert names <= set(PALETTE)


def test_labels_do_not_overlap_where_they_are_far_apart() -> None:
    label = Label(("36",), (50.0, 50.0), 20.0)
    assert label.overlaps(label.moved(5, 5))
    assert not label.overlaps(label.moved(0, 60))
    assert label.size[0] > 20
    image = np.zeros((100, 100, 3), np.uint8)
    ink.write(image, replace(label, plate=ink.LIGHT, edge=ink.DARK))
    assert (image > 200).any()
    for x, y in ((-20.0, 50.0), (5.0, 5.0), (99.0, 120.0), (300.0, 300.0)):
        ink.write(image, replace(label, at=(x, y)))
        ink.stroke(image, (x, y), (x + 10, y), ink.LIGHT, 4)


def test_ink_stands_out() -> None:
    assert ink.contrast((255, 255, 255)) == ink.DARK
    assert ink.contrast(PALETTE["black"]) == ink.LIGHT
    assert ink.contrast(PALETTE["yellow"]) == ink.DARK
