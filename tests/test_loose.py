"""Loose pieces in photos: which game they say it is, and what is not theirs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.models import load_network
from boardsight.vision import loose
from boardsight.vision.dice import DICE
from boardsight.vision.loose import LooseReader
from boardsight.vision.photo import Photo, load
from boardsight.vision.pieces import Decoded, PieceSet, Sighting, Spots
from boardsight.vision.reader import Reader
from boardsight.vision.reading import Fault, PieceReading, Reading

FOLDER = Path(__file__).parent.parent / "sample_images"
DICE_PHOTOS = ("dice_1",)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def answer(name: str) -> list[str]:
    return sorted(json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["dice"])


def photo_of(image: NDArray[np.uint8]) -> Photo:
    return Photo("made.jpg", (image.shape[1], image.shape[0]), np.ascontiguousarray(image))


def picture(name: str) -> NDArray[np.uint8]:
    photo = load(FOLDER / f"{name}.jpg")
    assert isinstance(photo, Photo)
    return photo.full()


@pytest.mark.parametrize("name", DICE_PHOTOS)
def test_dice_are_found_without_being_told(reader: Reader, name: str) -> None:
    reading = reader.read(FOLDER / f"{name}.jpg")
    assert (reading.fault, reading.game, reading.boards) == (None, "high-score", ())
    assert sorted(reading.dice) == answer(name)
    places = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["dice_px"]
    for piece in reading.pieces:
        corners = np.array(piece.outline)
        size = np.sqrt(abs(np.linalg.det(np.stack([corners[1] - corners[0], corners[3] - corners[0]]))))
        away = np.hypot(*(np.array(places) - piece.centre).T)
        assert away.min() < 0.2 * size
        assert piece.runner_up and piece.runner_up != piece.text


def test_a_half_turned_photo_says_the_same(reader: Reader) -> None:
    upright = picture("dice_1")
    reading = reader.read_photo(photo_of(np.rot90(upright, 2)))
    assert sorted(reading.dice) == answer("dice_1")


def test_only_the_game_that_is_asked_for_is_looked_for(reader: Reader) -> None:
    told = reader.read(FOLDER / "dice_1.jpg", "high-score")
    assert sorted(told.dice) == answer("dice_1")
    other = reader.read(FOLDER / "dice_1.jpg", "take-it-easy")
    assert other.fault is not None and other.fault.code == "no-board" and not other.pieces
    board = reader.read(FOLDER / "easy_1.jpg", "high-score")
    assert board.fault is not None or not board.certain
    assert not reader.read(FOLDER / "easy_1.jpg").pieces


def test_six_dice_are_six(reader: Reader) -> None:
    image = picture("dice_1").copy()
    reading = reader.read_photo(photo_of(image))
    gone = max(reading.pieces, key=lambda piece: piece.centre[1])
    x, y = (round(v) for v in gone.centre)
    felt = image[y + 300, x - 300].tolist()
    cv2.circle(image, (x, y), 260, felt, -1)
    fewer = reader.read_photo(photo_of(image))
    assert len(fewer.dice) == 6
    left = answer("dice_1")
    left.remove(gone.text)
    assert sorted(fewer.dice) == left


def test_stages_are_kept_on_request(reader: Reader) -> None:
    reading = reader.read(FOLDER / "dice_1.jpg", keep_stages=True)
    assert set(reading.stages) == {"marks", "crops", "probabilities", "seconds"}
    assert "pieces" in reading.stages["seconds"]  # type: ignore[operator]
    assert not reader.read(FOLDER / "dice_1.jpg").stages


def made(name: str, game: str, confidence: float, pieces: int, least: int = 3) -> PieceSet:
    """Return a declaration that always sees the same."""
    found = tuple(PieceReading("die", "1", confidence, (10.0 * i, 0.0)) for i in range(pieces))

    def decode(_of: PieceSet, _seen: Sighting, _count: int | None) -> Decoded:
        return Decoded(found, there=(confidence,) * pieces)

    return PieceSet(name, game, DICE.kinds, DICE.heads, DICE.window, DICE.pixels, decode, least=least)


def loose_reading(monkeypatch: pytest.MonkeyPatch, *sets: PieceSet, game: str | None = None) -> Reading:
    monkeypatch.setattr(loose, "PIECE_SETS", sets)
    spots = Spots(np.full((5, 2), 150.0), np.tile(60 * np.eye(2), (5, 1, 1)), np.zeros(5, np.int64), np.full(5, 0.9))
    monkeypatch.setattr(LooseReader, "_glance", lambda *_: (spots, np.zeros((8, 8, 1), np.float32)))
    monkeypatch.setattr(loose, "load_network", lambda name, _threads: load_network(name.replace("made", "dice")))
    return LooseReader().read(photo_of(np.full((300, 300, 3), 90, np.uint8)), game)


def test_a_few_pieces_do_not_say_which_game_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    few = made("made", "high-score", 1.0, 2)
    fault = loose_reading(monkeypatch, few).fault
    assert isinstance(fault, Fault) and fault.code == "no-board"
    assert len(loose_reading(monkeypatch, few, game="high-score").pieces) == 2


def test_many_unlikely_pieces_are_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = made("made", "high-score", 0.4, 30)
    fault = loose_reading(monkeypatch, crowd).fault
    assert isinstance(fault, Fault) and fault.code == "no-board"
    many = replace(made("made", "high-score", 1.0, 30), count=7)
    assert loose_reading(monkeypatch, many).fault is not None
    assert len(loose_reading(monkeypatch, many, game="high-score").pieces) == 30


def test_two_games_are_ambiguous_unless_one_is_clearly_more(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = made("made", "high-score", 1.0, 5)
    fault = loose_reading(monkeypatch, dice, made("made", "take-5", 0.9, 5)).fault
    assert fault is not None and fault.code == "ambiguous-game"
    assert "high-score, take-5" in fault.message
    assert loose_reading(monkeypatch, dice, made("made", "take-5", 0.55, 5)).game == "high-score"
    assert loose_reading(monkeypatch, dice, made("made", "take-5", 0.9, 5), game="take-5").game == "take-5"
