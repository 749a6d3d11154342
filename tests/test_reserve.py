"""Loose tiles that belong to a board are found, read and scored as what they are: a reserve."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from boardsight.scoring.boards import BOARDS
from boardsight.scoring.rules import Rules
from boardsight.tournament.jsonl import photo_object
from boardsight.tournament.outcome import assess
from boardsight.vision.heads import KINDS
from boardsight.vision.lattice import Marks
from boardsight.vision.photo import Photo, load
from boardsight.vision.reader import Reader
from boardsight.vision.reading import Fault, Reading
from boardsight.vision.reserve import loose_marks, reserve_board

FOLDER = Path(__file__).parent.parent / "sample_images"
ORCHID = BOARDS["orchid"]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.fixture(scope="module")
def orchid(reader: Reader) -> Reading:
    return reader.read(FOLDER / "orchid_1.jpg")


def wanted(name: str) -> set[str]:
    return set(json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["reserve"])


@pytest.mark.parametrize("name", ["orchid_1", "orchid_2"])
def test_the_reserve_is_read(reader: Reader, name: str) -> None:
    reading = reader.read(FOLDER / f"{name}.jpg")
    assert {cell.tile for cell in reading.boards[0].reserve} == wanted(name)


def test_a_turned_photo_has_the_same_reserve(reader: Reader) -> None:
    photo = load(FOLDER / "orchid_1.jpg")
    assert not isinstance(photo, Fault)
    turned = np.ascontiguousarray(np.rot90(photo.image))
    size = turned.shape[1], turned.shape[0]
    reading = reader.read_photo(Photo("turned", size, turned, 1.0))
    assert {cell.tile for cell in reading.boards[0].reserve} == wanted("orchid_1")


def test_a_bare_board_has_no_reserve(reader: Reader) -> None:
    photo = load(FOLDER / "orchid_1.jpg")
    assert not isinstance(photo, Fault)
    image = photo.image.copy()
    for cell in reader.read(FOLDER / "orchid_1.jpg").boards[0].reserve:
        at = round(cell.centre[0] * photo.scale), round(cell.centre[1] * photo.scale)
        cv2.circle(image, at, round(120 * photo.scale), (60, 60, 60), -1)
    bare = reader.read_photo(replace(photo, image=image))
    assert bare.boards[0].board.name == "orchid"
    assert bare.boards[0].reserve == ()


def test_the_best_relocation_is_named(orchid: Reading) -> None:
    outcome = assess(orchid, Rules())
    (player,) = outcome.players
    assert {str(tile) for tile in player.state.reserve} == wanted("orchid_1")
    assert player.relocation is not None
    assert player.relocation.total >= player.sheet.total
    found = photo_object(outcome)
    assert set(found["reserve"]) == wanted("orchid_1")  # type: ignore[call-overload]
    assert found["relocation"]["total"] == player.relocation.total  # type: ignore[index]


def test_a_doubtful_loose_tile_is_doubt_about_the_board(orchid: Reading) -> None:
    board = orchid.boards[0]
    first, *others = (replace(cell, certain=True) for cell in board.reserve)
    sure = replace(board, cells=tuple(replace(cell, certain=True) for cell in board.cells), reserve=(first, *others))
    assert sure.certain
    unsure = replace(sure, reserve=(replace(first, certain=False, confidence=0.7), *others))
    assert not unsure.certain
    warnings = assess(replace(orchid, boards=(unsure,), warnings=()), Rules()).warnings
    assert len(warnings) == 1
    assert "orchid reserve 1" in warnings[0]
    assert "would stay" in warnings[0]


def test_marks_of_tiles_in_the_reserve_are_taken() -> None:
    tile, space = KINDS.index("hexagon tile"), KINDS.index("hexagon space")
    homography = np.array([[100.0, 0, 400], [0, 100, 300], [0, 0, 1]])
    places = np.array([[-1.0, 2.5], [-1.0, 3.5], ORCHID.centres[0], [-0.2, 3.4], [6.0, 3.0]])
    kinds = np.array([tile, tile, tile, space, tile])
    scores = np.array([0.5, 0.9, 0.9, 0.9, 0.9], np.float32)
    marks = Marks((places * 100 + (400, 300)).astype(np.float32), kinds, scores)
    assert loose_marks(ORCHID, homography, marks) == pytest.approx(np.array([[-1.0, 3.5], [-1.0, 2.5]]), abs=1e-4)
    assert loose_marks(BOARDS["easy"], homography, marks).shape == (0, 2)


def test_a_reserve_shares_the_tiles_of_its_board() -> None:
    kept = reserve_board(ORCHID, 2)
    assert kept.tile_set is ORCHID.tile_set
    assert [cell.name for cell in kept.cells] == ["reserve 1", "reserve 2"]
