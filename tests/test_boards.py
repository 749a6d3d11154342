"""Boards and tile sets as data."""

from __future__ import annotations

import copy
import pickle

import pytest

from boardsight.scoring.boards import BOARDS, EASY_TILES, HIGHER_TILES, LIMIT_TILES, Board, board_named, boards_of

FORMS = [form for board in BOARDS.values() for form in board.forms]


def test_tile_sets() -> None:
    assert [len(s.by_text) for s in (EASY_TILES, LIMIT_TILES, HIGHER_TILES)] == [27, 64, 32]
    symbols = [tile.get("symbol") for tile in LIMIT_TILES.tiles]
    assert (symbols.count("s"), symbols.count("m")) == (32, 32)
    assert {t.text for t in LIMIT_TILES.tiles if t.get("bonus") == "g"} == {"1-2-3sg", "4-6-5mg"}
    assert sum(t.get("bonus") == "v" for t in LIMIT_TILES.tiles) == 6


@pytest.mark.parametrize(("letter", "stripes"), [("A", "8765"), ("P", "1234"), ("J", "1764")])
def test_letters_of_take_it_higher(letter: str, stripes: str) -> None:
    tile = HIGHER_TILES.by_text["G" + letter]
    order = ("white-red", "orange-blue", "yellow-purple", "pink-green")
    assert "".join(tile.get(name) for name in order) == stripes


@pytest.mark.parametrize("board", FORMS, ids=lambda b: f"{b.name}.{b.form}")
def test_every_cell_lies_on_one_row_of_each_direction(board: Board) -> None:
    assert sum(board.groups) == len(board.cells)
    for lines in board.lines_through:
        assert sorted(line.direction for line in lines) == sorted(board.stripes)


@pytest.mark.parametrize("board", FORMS, ids=lambda b: f"{b.name}.{b.form}")
def test_boards_travel_by_name(board: Board) -> None:
    assert pickle.loads(pickle.dumps(board)) is board
    assert copy.deepcopy(board) is board
    assert board_named(board.name, board.form) is board


def test_boards_of_a_game() -> None:
    assert [b.name for b in boards_of("take-it-to-the-limit")] == ["nexus", "scrapyard", "orchid"]


def test_missing_form() -> None:
    with pytest.raises(KeyError):
        board_named("higher", "upside-down")
