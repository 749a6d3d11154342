"""From a photo to its reading: any way up, mirrored, cut off, too small, empty, or of several boards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.scoring.boards import BOARDS
from boardsight.vision.crop import tile_pixels
from boardsight.vision.lattice import project
from boardsight.vision.photo import Photo, decode
from boardsight.vision.reader import Reader
from boardsight.vision.reading import BoardReading, Fault, Reading

FOLDER = Path(__file__).parent.parent / "sample_images"
SAMPLES = sorted(path.stem for path in FOLDER.glob("*.json") if json.loads(path.read_text("utf-8"))["boards"])
ONE_EACH = ("easy_1", "nexus_1", "orchid_2", "higher_1")
GAMES = tuple(dict.fromkeys(board.game for board in BOARDS.values()))

Picture = NDArray[np.uint8]
Change = Callable[[Picture], Picture]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def picture(name: str) -> Picture:
    return np.asarray(cv2.imread(str(FOLDER / f"{name}.jpg")), np.uint8)


def photo(image: Picture) -> Photo:
    return Photo("made.jpg", (image.shape[1], image.shape[0]), np.ascontiguousarray(image))


def game(name: str) -> str:
    return str(json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["game"])


def answer(name: str) -> dict[str, str]:
    right = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return {board["board"]: board["notation"] for board in right["boards"]}


def notation(reading: Reading) -> dict[str, str]:
    assert reading.fault is None
    return {board.board.name: board.notation for board in reading.boards}


def matrix(board: BoardReading) -> NDArray[np.float64]:
    return np.array(board.homography).reshape(3, 3)


def shrunk(image: Picture, factor: float) -> Picture:
    return np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_read_exactly(reader: Reader, name: str) -> None:
    reading = reader.read(FOLDER / f"{name}.jpg")
    assert notation(reading) == answer(name)
    assert reading.game == game(name)
    assert reading.warnings == ()
    image = picture(name)
    assert reading.size == (image.shape[1], image.shape[0])
    for board in reading.boards:
        assert not board.mirrored
        assert board.reprojection_error < 0.1
        places = project(matrix(board), board.board.centres)
        for cell, place in zip(board.cells, places, strict=True):
            assert 0 <= cell.confidence <= 1
            assert cell.centre == pytest.approx(place, abs=0.06)
            assert 0 < cell.centre[0] < image.shape[1]
            assert 0 < cell.centre[1] < image.shape[0]


TURNS: dict[str, Change] = {
    "90": lambda image: np.rot90(image, -1),
    "180": lambda image: np.rot90(image, 2),
    "270": lambda image: np.rot90(image, 1),
}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("name", ONE_EACH)
def test_a_turned_photo_says_the_same(reader: Reader, name: str, turn: str) -> None:
    reading = reader.read_photo(photo(TURNS[turn](picture(name))))
    assert notation(reading) == answer(name)
    assert not any(board.mirrored for board in reading.boards)
    assert reading.warnings == ()


@pytest.mark.parametrize("name", ONE_EACH)
def test_a_mirrored_photo_says_the_same_and_warns(reader: Reader, name: str) -> None:
    reading = reader.read_photo(photo(picture(name)[:, ::-1]))
    assert notation(reading) == answer(name)
    for board in reading.boards:
        assert board.mirrored
        assert any(board.board.title in warning and "mirrored" in warning for warning in reading.warnings)
        assert np.linalg.det(matrix(board)) < 0


def test_places_turn_with_the_photo(reader: Reader) -> None:
    image = picture("easy_1")
    (upright,) = reader.read_photo(photo(image)).boards
    (upside_down,) = reader.read_photo(photo(np.rot90(image, 2))).boards
    corner = np.array([image.shape[1] - 1, image.shape[0] - 1])
    tile = tile_pixels(matrix(upright), np.array(upright.board.centres))
    for a, b in zip(upright.cells, upside_down.cells, strict=True):
        assert np.array(b.centre) == pytest.approx(corner - a.centre, abs=0.12 * tile)


@pytest.mark.parametrize(
    ("name", "beyond"), [("easy_1", 0.3), ("easy_1", 0.0), ("orchid_2", 0.2), ("higher_1", 0.3), ("higher_1", 0.0)]
)
def test_a_board_that_is_cut_off_is_refused(reader: Reader, name: str, beyond: float) -> None:
    image = picture(name)
    (board,) = reader.read_photo(photo(image)).boards
    # an upright view of the board without its first column: the edge is a little beyond that column's centres
    unit = 110.0
    centres = np.array(board.board.centres)
    low, high = centres.min(0) - 1, centres.max(0) + 1
    low[0] = centres[:, 0].min() + beyond
    to_picture = np.array([[unit, 0, -unit * low[0]], [0, unit, -unit * low[1]], [0, 0, 1]])
    width, height = (int(v) for v in np.ceil(unit * (high - low)))
    view = cv2.warpPerspective(image, to_picture @ np.linalg.inv(matrix(board)), (width, height))
    reading = reader.read_photo(photo(np.asarray(view, np.uint8)))
    assert reading.fault is not None
    assert reading.fault.code == "incomplete-board"
    assert reading.boards == ()
    edge = centres[:, 0].min() + 0.01
    gone = [cell.name for cell, (x, _) in zip(board.board.cells, centres, strict=True) if x < edge]
    assert f" {', '.join(gone)};" in reading.fault.message
    assert board.board.title in reading.fault.message


@pytest.mark.parametrize("value", [0, 128, 255])
def test_a_blank_photo_shows_no_board(reader: Reader, value: int) -> None:
    reading = reader.read_photo(photo(np.full((600, 800, 3), value, np.uint8)))
    assert reading.fault is not None
    assert reading.fault.code == "no-board"
    assert "made.jpg" in reading.fault.message
    assert reading.boards == ()
    assert not reading.certain


def test_noise_shows_no_board(reader: Reader) -> None:
    noise = np.random.default_rng(2).integers(0, 256, (480, 640, 3)).astype(np.uint8)
    reading = reader.read_photo(photo(np.asarray(cv2.GaussianBlur(noise, (0, 0), 2), np.uint8)))
    assert reading.fault is not None
    assert reading.fault.code == "no-board"


@pytest.mark.parametrize("name", ONE_EACH)
def test_a_photo_of_another_game_shows_no_board(reader: Reader, name: str) -> None:
    for asked in GAMES:
        if asked != game(name):
            reading = reader.read_photo(photo(picture(name)), asked)
            assert reading.fault is not None
            assert reading.fault.code == "no-board"


def test_a_photo_is_read_as_the_game_that_it_shows(reader: Reader) -> None:
    assert notation(reader.read(FOLDER / "nexus_1.jpg", game("nexus_1"))) == answer("nexus_1")


@pytest.mark.parametrize("pixels", [16, 9])
@pytest.mark.parametrize("name", ONE_EACH)
def test_tiles_that_are_too_small_are_refused(reader: Reader, name: str, pixels: int) -> None:
    image = picture(name)
    (board, *_) = reader.read_photo(photo(image)).boards
    width = tile_pixels(matrix(board), np.array(board.board.centres))
    reading = reader.read_photo(photo(shrunk(image, pixels / width)))
    assert reading.fault is not None
    assert reading.fault.code == "no-board"
    assert reading.boards == ()


@pytest.mark.parametrize("name", ONE_EACH)
def test_small_tiles_are_not_misread_in_silence(reader: Reader, name: str) -> None:
    image = picture(name)
    (board, *_) = reader.read_photo(photo(image)).boards
    width = tile_pixels(matrix(board), np.array(board.board.centres))
    tiles = [tile for tile in answer(name)[board.board.name].split() if tile != "/"]
    right = dict(zip(board.board.index, tiles, strict=True))
    for pixels in (27, 20):
        reading = reader.read_photo(photo(shrunk(image, pixels / width)))
        for again in reading.boards:
            if again.board.name == board.board.name:
                assert not [c.cell for c in again.cells if c.certain and c.tile != right[c.cell]]


def test_two_boards_side_by_side(reader: Reader) -> None:
    both = np.hstack([picture("easy_1"), picture("easy_2")])
    reading = reader.read_photo(photo(both))
    assert reading.fault is None
    assert len(reading.boards) == 2
    left, right = sorted(reading.boards, key=lambda board: board.cells[0].centre[0])
    assert left.notation == answer("easy_1")["easy"]
    assert right.notation == answer("easy_2")["easy"]
    assert max(cell.centre[0] for cell in left.cells) < 1600 < min(cell.centre[0] for cell in right.cells)


def test_a_large_photo_gives_places_at_full_size(reader: Reader) -> None:
    image = picture("easy_1")
    large = cv2.resize(image, None, fx=2.5, fy=2.5, interpolation=cv2.INTER_LINEAR)
    loaded = decode(cv2.imencode(".jpg", large)[1].tobytes(), "large.jpg")
    assert not isinstance(loaded, Fault)
    assert loaded.scale < 1
    reading = reader.read_photo(loaded)
    assert reading.size == (4000, 3000)
    assert notation(reading) == answer("easy_1")
    (small,) = reader.read_photo(photo(image)).boards
    tile = tile_pixels(matrix(small), np.array(small.board.centres))
    for a, b in zip(small.cells, reading.boards[0].cells, strict=True):
        assert np.array(b.centre) == pytest.approx(2.5 * np.array(a.centre) + 0.75, abs=0.12 * 2.5 * tile)


def test_stages_are_kept_on_request(reader: Reader) -> None:
    assert reader.read_photo(photo(picture("easy_1"))).stages == {}
    reading = reader.read_photo(photo(picture("easy_1")), keep_stages=True)
    assert {"marks", "lattice", "crops", "probabilities", "seconds"} <= set(reading.stages)
    crops = reading.stages["crops"]
    assert isinstance(crops, np.ndarray)
    assert len(crops) == len(reading.boards[0].cells)


def test_a_photo_is_read_the_same_twice(reader: Reader) -> None:
    assert reader.read(FOLDER / "nexus_1.jpg") == reader.read(FOLDER / "nexus_1.jpg")


def test_a_file_that_is_no_photo_is_a_fault(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "notes.jpg"
    path.write_text("not a picture", "utf-8")
    reading = reader.read(path)
    assert reading.fault is not None
    assert reading.photo == str(path)
    assert reader.read(tmp_path / "missing.jpg").fault is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["easy_2", "higher_2", "orchid_2"])
@pytest.mark.parametrize("long_side", [2000, 4000])
def test_a_board_far_away_is_read(reader: Reader, name: str, long_side: int) -> None:
    image = picture(name)
    board = reader.read_photo(photo(image)).boards[0]
    # 12 pixels along a tile's edge
    wide = 12 * (1 + 2**0.5 if board.board.tile_set.shape == "octagon" else 3**0.5)
    small = shrunk(image, wide / tile_pixels(matrix(board), np.array(board.board.centres)))
    table = np.random.default_rng(1).normal(120, 6, (long_side * 3 // 4, long_side, 3)).clip(0, 255).astype(np.uint8)
    y, x = table.shape[0] // 3, table.shape[1] // 3
    table[y : y + small.shape[0], x : x + small.shape[1]] = small
    data = cv2.imencode(".jpg", table, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
    far = decode(data, "far.jpg")
    assert not isinstance(far, Fault)
    reading = reader.read_photo(far)
    assert notation(reading) == answer(name)
    middle = np.mean([cell.centre for cell in reading.boards[0].cells], axis=0)
    assert (middle > (x, y)).all()
    assert (middle < (x + small.shape[1], y + small.shape[0])).all()
