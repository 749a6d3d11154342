"""A board is laid on a lattice the right way, or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.models import load_network
from boardsight.scoring.boards import BOARDS
from boardsight.vision.classify import way_of
from boardsight.vision.finder import Finder, _could_be_another, _relative
from boardsight.vision.glances import lamps, relit
from boardsight.vision.heads import turn_heads
from boardsight.vision.lattice import Lattice, Marks, fit_lattices, jacobian, project
from boardsight.vision.locate import locate
from boardsight.vision.placement import Placement, another_fits, placements

FOLDER = Path(__file__).parent.parent / "sample_images"
ALL = tuple(BOARDS.values())
Seen = tuple[NDArray[np.uint8], Marks, Lattice]


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder(load_network("turn"), load_network("tiles"))


@pytest.fixture(scope="module")
def easy() -> Seen:
    """Return a sample, its marks and the lattice that they lie on."""
    return look(picture("easy_1"))


def picture(name: str) -> NDArray[np.uint8]:
    return np.asarray(cv2.imread(str(FOLDER / f"{name}.jpg")), np.uint8)


def look(image: NDArray[np.uint8]) -> Seen:
    marks = locate(image, load_network("marks")).marks
    return image, marks, fit_lattices(marks)[0]


def size(image: NDArray[np.uint8]) -> tuple[int, int]:
    return image.shape[1], image.shape[0]


def tiles_of(name: str) -> list[str]:
    right = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return [tile for tile in right["boards"][0]["notation"].split() if tile != "/"]


def test_a_board_is_laid_and_read(finder: Finder, easy: Seen) -> None:
    image, marks, lattice = easy
    found = finder.find(lattice, marks, image, size(image), ALL)
    assert found is not None
    assert found.board is BOARDS["easy"]
    assert list(found.decoded.tiles) == tiles_of("easy_1")
    assert not found.placement.mirrored
    assert found.cut == ()
    assert found.rival > 3
    assert found.crops.shape[0] == len(found.board.cells)


def test_a_mirrored_board_is_laid_mirrored(finder: Finder) -> None:
    image, marks, lattice = look(np.ascontiguousarray(picture("easy_1")[:, ::-1]))
    found = finder.find(lattice, marks, image, size(image), ALL)
    assert found is not None
    assert found.placement.mirrored
    assert list(found.decoded.tiles) == tiles_of("easy_1")


def test_only_the_boards_that_are_asked_for_are_laid(finder: Finder, easy: Seen) -> None:
    image, marks, lattice = easy
    for board in ALL:
        if board.game != "take-it-easy":
            assert finder.find(lattice, marks, image, size(image), (board,)) is None
    assert finder.find(lattice, marks, image, size(image), ()) is None


def test_marks_without_tiles_are_no_board(finder: Finder, easy: Seen) -> None:
    image, marks, lattice = easy
    bare = np.full_like(image, 120)
    assert finder.find(lattice, marks, bare, size(image), ALL) is None
    noise = np.random.default_rng(3).integers(0, 256, image.shape).astype(np.uint8)
    assert finder.find(lattice, marks, noise, size(image), ALL) is None


def test_spaces_alone_are_no_board(finder: Finder, easy: Seen) -> None:
    image, marks, lattice = easy
    empty = Marks(marks.centres, np.full_like(marks.kinds, 2), marks.scores)
    assert finder.find(lattice, empty, image, size(image), ALL) is None


def test_a_larger_picture_is_read_the_same(finder: Finder, easy: Seen) -> None:
    image, marks, lattice = easy
    found = finder.find(lattice, marks, image, size(image), ALL)
    assert found is not None
    large = np.asarray(cv2.resize(image, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR), np.uint8)
    sharp = finder.sharpened(found, large, 2.0)
    assert sharp.decoded.tiles == found.decoded.tiles
    centres = project(found.homography, found.board.centres)
    assert project(sharp.homography, found.board.centres) == pytest.approx(2 * centres + 0.5, abs=1e-6)
    # nothing else changes
    assert sharp.placement is found.placement
    assert sharp.rival == found.rival


@pytest.mark.parametrize("name", ["easy", "higher"])
def test_placements_lie_all_ways_to_one_another(name: str) -> None:
    board = BOARDS[name]
    shape = board.tile_set.shape
    homography = np.array([[50.0, 8.0, 70.0], [-6.0, 46.0, 90.0], [0.004, 0.01, 1.0]])
    seen = project(homography, board.centres)
    kind = 0 if board.lattice == "hex" else 1
    marks = Marks(seen.astype(np.float32), np.full(len(seen), kind, np.int64), np.ones(len(seen), np.float32))
    found = [p for p in placements(fit_lattices(marks)[0], marks, (640, 480), (board,)) if p.group == 0]
    usual = [p for p in found if not p.board.form]
    count = turn_heads()[shape]
    middle = seen.mean(0)
    ways = [way_of(_relative(usual[0].homography, p.homography, middle), shape, count) for p in usual]
    assert sorted(ways) == list(range(count))
    assert ways[0] == 0
    for placement, way in zip(usual, ways, strict=True):
        assert (way >= count // 2) == (placement.mirrored != usual[0].mirrored)


def test_the_map_between_two_placements_is_taken_at_the_pixel() -> None:
    first = np.array([[50.0, 8.0, 70.0], [-6.0, 46.0, 90.0], [0.004, 0.01, 1.0]])
    other = np.array([[-30.0, 28.0, 170.0], [16.0, 36.0, 20.0], [0.01, -0.02, 1.0]])
    pixel = project(other, [[1.5, 2.0]])[0]
    on_first = project(np.linalg.inv(first), pixel[None])[0]
    want = np.linalg.inv(jacobian(first, on_first)) @ jacobian(other, [1.5, 2.0])
    assert _relative(first, other, pixel) == pytest.approx(want)


def test_lamps_turn_the_brightest_white() -> None:
    crops = np.full((3, 64, 64, 3), (40, 80, 120), np.uint8)
    crops[:, :20] = (100, 150, 200)
    half, whole = lamps(crops)
    assert np.allclose(np.array([100, 150, 200]) * whole, 200, atol=1)
    assert np.allclose(half**2, whole, rtol=1e-5)


def test_a_warm_board_is_read_again_under_another_lamp(finder: Finder) -> None:
    image = picture("easy_1").astype(np.float32) * np.array([0.35, 0.75, 1.0], np.float32)
    warm = np.clip(image, 0, 255).astype(np.uint8)
    marks, lattice = look(warm)[1:]
    found = finder.find(lattice, marks, warm, (warm.shape[1], warm.shape[0]), ALL)
    assert found is not None
    before = found.decoded.log_likelihood
    finder.relight(found, 1.1)
    assert found.decoded.log_likelihood >= before
    assert (found.gains is None) == (found.decoded.log_likelihood == before)


def laid(board: str, seen: int) -> tuple[Lattice, Marks, Placement]:
    """Return a board of which only the first ``seen`` spaces are marked, laid as it lies."""
    homography = np.array([[50.0, 0.0, 70.0], [0.0, 50.0, 60.0], [0.0, 0.0, 1.0]])
    points = project(homography, BOARDS[board].centres)[:seen]
    marks = Marks(points.astype(np.float32), np.zeros(seen, np.int64), np.ones(seen, np.float32))
    lattice = fit_lattices(marks)[0]
    same = [p for p in placements(lattice, marks, (640, 480), (BOARDS[board],)) if not p.board.form]
    want = project(homography, BOARDS[board].centres).mean(0)
    return lattice, marks, min(same, key=lambda p: float(np.hypot(*(np.mean(_seats(p), 0) - want))))


def _seats(placement: Placement) -> NDArray[np.float64]:
    return project(placement.homography, placement.board.centres)


def test_a_board_that_is_seen_whole_is_no_other() -> None:
    for board in ("easy", "nexus", "orchid"):
        lattice, marks, placement = laid(board, len(BOARDS[board].cells))
        assert not _could_be_another(placement, lattice, marks, ALL)


def test_a_board_of_which_a_part_is_seen_could_be_another() -> None:
    lattice, marks, placement = laid("easy", 14)
    assert another_fits(placement, lattice, marks, ALL, sure=0.5, spare=0)
    assert _could_be_another(placement, lattice, marks, ALL)
    # of one board alone, what is seen of the widest columns can lie nowhere else
    lattice, marks, placement = laid("easy", 16)
    assert not another_fits(placement, lattice, marks, (BOARDS["easy"],), sure=0.5, spare=0)


def test_few_tiles_on_an_open_board_are_too_vague_to_read(finder: Finder, easy: Seen) -> None:
    image, marks, lattice = easy
    found = finder.find(lattice, marks, image, size(image), ALL)
    assert found is not None
    assert not found.vague
    found.open = True
    assert not found.vague
    found.decoded = replace(found.decoded, tiles=(*found.decoded.tiles[:6], *["--"] * 13))
    assert found.vague


def test_relit_crops_are_multiplied_channel_by_channel() -> None:
    crops = np.random.default_rng(0).integers(0, 256, (3, 8, 8, 3)).astype(np.uint8)
    gains = np.array([0.5, 1.0, 2.0], np.float32)
    want = np.clip(crops * gains + 0.5, 0, 255).astype(np.uint8)
    assert np.array_equal(relit(crops, gains), want)
