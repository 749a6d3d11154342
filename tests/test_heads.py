"""The networks' labels are those of the boards' declarations."""

from __future__ import annotations

import pytest

from boardsight.scoring.boards import BOARDS, Board
from boardsight.scoring.pad import BUTTONS
from boardsight.vision import decode, lattice
from boardsight.vision.heads import FLEET, FORM, KINDS, SHIP_COLOURS, WHAT, tile_heads, turn_heads


@pytest.mark.parametrize("board", BOARDS.values(), ids=lambda b: b.name)
def test_every_tile_can_be_told(board: Board) -> None:
    heads = tile_heads()
    for attribute in board.tile_set.attributes:
        assert set(attribute.labels) <= set(heads[f"{board.tile_set.shape}.{attribute.name}"])
    for tile in board.tile_set.tiles:
        for name, label in tile.shows:
            assert label in heads[f"{board.tile_set.shape}.{name}"]


def test_no_label_belongs_to_no_tile() -> None:
    known: dict[str, set[str]] = {"what": set(WHAT)}
    for board in BOARDS.values():
        for attribute in board.tile_set.attributes:
            known.setdefault(f"{board.tile_set.shape}.{attribute.name}", set()).update(attribute.labels)
        if len(board.forms) > 1:
            known.setdefault(f"{board.tile_set.shape}.{FORM}", set()).update(form.form for form in board.forms)
    for name, labels in tile_heads().items():
        assert len(set(labels)) == len(labels)
        assert set(labels) - {""} <= known[name]


def test_a_tile_set_without_an_attribute_shows_nothing_there() -> None:
    heads = tile_heads()
    sets = {board.tile_set.name: board.tile_set for board in BOARDS.values()}
    for tile_set in sets.values():
        own = {attribute.name for attribute in tile_set.attributes} | {FORM}
        for name, labels in heads.items():
            shape, _, attribute_name = name.partition(".")
            if shape == tile_set.shape and attribute_name not in own:
                assert "" in labels


def test_a_form_that_moves_the_stripes_has_a_head() -> None:
    for board in BOARDS.values():
        for form in board.others:
            if dict(form.stripes) != dict(board.stripes):
                assert form.form in tile_heads()[f"{board.tile_set.shape}.{FORM}"]


def test_ways_are_the_symmetries_of_the_lattices() -> None:
    shapes = {board.tile_set.shape: board.lattice for board in BOARDS.values()}
    assert turn_heads() == {shape: len(lattice.bases(name)[0]) for shape, name in shapes.items()}


def test_pieces_are_the_ships_of_the_boards_the_ring_and_the_buttons() -> None:
    assert {board.ships for board in BOARDS.values()} == {(), FLEET[:SHIP_COLOURS]}
    assert tuple(map(int, FLEET[SHIP_COLOURS:])) == BUTTONS


def test_stages_agree_on_kinds_and_on_what() -> None:
    assert KINDS == lattice.KINDS
    assert tuple(decode.WHAT) == WHAT
