"""The runner itself: what it counts, what it spoils, and what it complains about."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.photos.drawn import DRAWINGS
from tests.photos.runner import Row, over_budget, run, table
from tests.photos.sets import SETS, PhotoSet
from tests.photos.truth import Count, TrueBoard, TruePieces, Truth, compare, load_truth
from tests.photos.variants import PLAIN, VARIANTS, Variant

from boardsight.scoring.boards import BOARDS
from boardsight.vision.reading import (
    BoardReading,
    CellReading,
    Fault,
    FleetReading,
    PieceReading,
    Reading,
    ShipReading,
)

YARD = BOARDS["scrapyard"]
TILES = ("1-2-3sg", "4-6-5mg", "1-11-10s", "9-7-8m", "12-2-5s", "4-2-8m", "9-11-5s")
CENTRES = 60 * np.array(YARD.centres) + (80, 90)


def board(tiles: tuple[str, ...] = TILES, centres: object = CENTRES, doubtful: tuple[int, ...] = ()) -> BoardReading:
    cells = [
        CellReading(cell.name, tile, 0.99, (float(x), float(y)), certain=i not in doubtful)
        for i, (cell, tile, (x, y)) in enumerate(zip(YARD.cells, tiles, np.asarray(centres), strict=True))
    ]
    return BoardReading(YARD, tuple(cells), (60.0, 0.0, 80.0, 0.0, 60.0, 90.0, 0.0, 0.0, 1.0))


def truth(*boards: TrueBoard) -> Truth:
    return Truth(Path("a.jpg"), "take-it-to-the-limit" if boards else "none", boards)


ONE = TrueBoard("scrapyard", TILES, CENTRES)
CHANGED = ("9-2-3m", *TILES[1:])


def test_an_exact_board() -> None:
    assert compare(truth(ONE), Reading("a.jpg", boards=(board(),))) == Count(1, 1, 1, 7)
    assert compare(truth(ONE), Reading("a.jpg", boards=(board(doubtful=(2,)),))) == Count(1, 1, 1, 7, doubts=1)


def test_a_wrong_tile_is_silent_only_where_it_was_called_certain() -> None:
    silent = compare(truth(ONE), Reading("a.jpg", boards=(board(CHANGED),)))
    assert (silent.exact, silent.wrong, silent.silent) == (0, 1, 1)
    assert silent.faults == ("a.jpg: scrapyard c1.1 1-2-3sg read as 9-2-3m",)
    said = compare(truth(ONE), Reading("a.jpg", boards=(board(CHANGED, doubtful=(0, 1)),)))
    assert (said.exact, said.wrong, said.silent, said.doubts) == (0, 1, 0, 1)


def test_ships_and_ring_belong_to_an_exact_board() -> None:
    true = replace(ONE, ships=(("red", "c1.1"),), ring=40)
    red = ShipReading("red", "c1.1", 1.0, (0.0, 0.0))

    def count(fleet: FleetReading | None) -> Count:
        return compare(truth(true), Reading("a.jpg", boards=(replace(board(), fleet=fleet),)))

    assert count(FleetReading((red,), 40)) == Count(1, 1, 1, 7, pieces=2)
    lost = count(FleetReading((red,), 60))
    assert (lost.exact, lost.pieces, lost.astray, lost.silent) == (0, 2, 1, 0)
    assert lost.faults == ("a.jpg: scrapyard ring 40 read 60",)
    silent = count(FleetReading((replace(red, cell="c1.2"),)))
    assert (silent.exact, silent.astray, silent.silent) == (0, 2, 1)
    assert count(None).silent == 0
    assert count(None).faults == ("a.jpg: scrapyard red ship c1.1 read nowhere; ring 40 read None",)
    extra = compare(truth(ONE), Reading("a.jpg", boards=(replace(board(), fleet=FleetReading((red,))),)))
    assert (extra.exact, extra.pieces, extra.astray) == (0, 0, 1)


def die(face: str, x: float, certain: bool = True) -> PieceReading:
    corners = ((x - 20, 80.0), (x + 20, 80.0), (x + 20, 120.0), (x - 20, 120.0))
    return PieceReading("die", face, 0.99, (x, 100.0), corners, certain=certain)


def throw(*pieces: PieceReading) -> Reading:
    return Reading("a.jpg", pieces=pieces)


@pytest.mark.parametrize("places", [np.array([[100.0, 100], [200, 100], [300, 100]]), None], ids=["places", "none"])
def test_loose_pieces_are_compared_one_by_one(places: NDArray[np.float64] | None) -> None:
    true = Truth(Path("a.jpg"), "high-score", pieces=TruePieces("die", ("5", "5", "2"), places))
    assert compare(true, throw(die("5", 105), die("5", 195), die("2", 300))) == Count(1, 1, 1, 3)
    doubted = compare(true, throw(die("5", 100), die("5", 200, False), die("2", 300)))
    assert (doubted.exact, doubted.doubts, doubted.wrong) == (1, 1, 0)
    wrong = compare(true, throw(die("5", 100), die("1", 200), die("2", 300)))
    assert (wrong.exact, wrong.silent) == (0, 1) and wrong.wrong >= 1
    eight = compare(true, throw(die("5", 100), die("5", 200), die("2", 300), die("3", 500)))
    assert (eight.exact, eight.wrong, eight.silent, eight.faults) == (0, 1, 1, ("a.jpg: 3 is not there",))
    two = compare(true, throw(die("5", 100), die("2", 300)))
    assert (two.exact, two.wrong, two.faults) == (0, 1, ("a.jpg: 5 missed",))
    refused = compare(true, Reading("a.jpg", fault=Fault("no-board", "nothing there")))
    assert (refused.exact, refused.refused, refused.tiles) == (0, 1, 3)


def test_pieces_that_are_not_there_count_as_wrong() -> None:
    count = compare(truth(), throw(die("5", 100)))
    assert (count.exact, count.wrong, count.silent) == (0, 1, 1)


def test_pieces_move_with_the_photo() -> None:
    true = Truth(Path("a.jpg"), "high-score", pieces=TruePieces("die", ("5",), np.array([[100.0, 100]])))
    moved = np.array([[1.0, 0.0, 300.0], [0.0, 1.0, 0.0]])
    assert compare(true, throw(die("5", 400)), moved).exact == 1
    assert compare(true, throw(die("5", 100)), moved).exact == 0


def test_a_refused_photo() -> None:
    count = compare(truth(ONE, ONE), Reading("a.jpg", fault=Fault("no-board", "nothing there")))
    assert (count.boards, count.exact, count.refused, count.wrong, count.tiles) == (2, 0, 2, 0, 14)


def test_a_board_that_is_not_there() -> None:
    away = board(centres=CENTRES + 1000)
    count = compare(truth(ONE), Reading("a.jpg", boards=(away, board())))
    assert (count.exact, count.wrong, count.silent, count.refused) == (1, 7, 7, 0)
    nothing = compare(truth(), Reading("a.jpg", boards=(board(),)))
    assert (nothing.boards, nothing.exact, nothing.wrong, nothing.silent) == (1, 0, 7, 7)


def test_a_photo_without_a_board() -> None:
    assert compare(truth(), Reading("a.jpg", fault=Fault("no-board", ""))) == Count(1, 1, 1)
    assert compare(truth(), Reading("a.jpg", fault=Fault("truncated", ""))).exact == 0
    assert compare(truth(), Reading("a.jpg")).exact == 0


def test_which_board_is_which_follows_from_their_places() -> None:
    far = replace(ONE, tiles=CHANGED, centres=CENTRES + (400, 0))
    read = Reading("a.jpg", boards=(board(CHANGED, CENTRES + (400, 0)), board()))
    assert compare(truth(ONE, far), read).exact == 2
    swapped = Reading("a.jpg", boards=(board(TILES, CENTRES + (400, 0)), board(CHANGED)))
    assert compare(truth(ONE, far), swapped).exact == 0
    unplaced = tuple(replace(b, centres=None) for b in (ONE, far))
    assert compare(truth(*unplaced), swapped).exact == 2


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_a_variant_says_where_the_pixels_went(variant: Variant) -> None:
    image = np.full((90, 160, 3), 200, np.uint8)
    image[20:25, 30:35] = (10, 10, 10)
    spoiled, matrix = variant.apply(image)
    x, y = matrix @ (32.0, 22.0, 1.0)
    dark = spoiled.max(axis=2) < 60
    rows, columns = np.nonzero(dark)
    assert abs(columns.mean() - x) < 0.6
    assert abs(rows.mean() - y) < 0.6
    assert image[0, 0].tolist() == [200, 200, 200]
    assert variant.plain == (variant is PLAIN)
    if variant.name in ("turned 90", "turned 270"):
        assert spoiled.shape == (160, 90, 3)


def test_a_mirrored_or_turned_board_is_found_again() -> None:
    image = np.zeros((300, 400, 3), np.uint8)
    for variant in VARIANTS:
        _, matrix = variant.apply(image)
        moved = CENTRES @ matrix[:, :2].T + matrix[:, 2]
        assert compare(truth(ONE), Reading("a.jpg", boards=(board(centres=moved),)), matrix).exact == 1


@pytest.fixture
def photos(tmp_path: Path) -> PhotoSet:
    folder = tmp_path / "set"
    folder.mkdir()
    for name in ("one", "two"):
        cv2.imwrite(str(folder / f"{name}.png"), np.full((200, 200, 3), 90, np.uint8))
        notation = " / ".join((" ".join(TILES[:2]), " ".join(TILES[2:5]), " ".join(TILES[5:])))
        boards = [{"board": "scrapyard", "notation": notation, "corners_px": CENTRES.tolist()}]
        data = {"photo": f"{name}.png", "game": "take-it-to-the-limit", "boards": boards}
        (folder / f"{name}.json").write_text(json.dumps(data), "utf-8")
    return PhotoSet("trial", "this test", folder, folder, lambda t: True, {PLAIN.name: 2})


def reads(made: Callable[[str], BoardReading]) -> Callable[[str], Reading]:
    return lambda path: Reading(path, boards=(made(path),))


def test_floors_budgets_and_notices(photos: PhotoSet, tmp_path: Path) -> None:
    good = tuple(run(photos, (PLAIN,), reads(lambda path: board()), tmp_path))
    assert [(row.problems, row.notice) for row in good] == [((), "")]
    assert over_budget(good) == ()
    low = tuple(run(replace(photos, floors={}), (PLAIN,), reads(lambda path: board()), tmp_path))
    assert "raised from 0 to 2" in low[0].notice
    bad = tuple(run(photos, (PLAIN,), reads(lambda p: board(CHANGED if "two" in p else TILES)), tmp_path))
    assert "1 boards exact, at least 2" in bad[0].problems[0]
    assert "two.png" in bad[0].problems[1]
    assert "1 tiles called certain and wrong, at most 0" in over_budget(bad)[0]
    assert over_budget([replace(row, photos=replace(photos, misreads=1)) for row in bad]) == ()
    doubted = reads(lambda p: board(CHANGED, doubtful=(0,)))
    assert over_budget(tuple(run(photos, (PLAIN,), doubted, tmp_path))) == ()


def test_spoiled_photos_are_read_from_files_that_are_gone_afterwards(photos: PhotoSet, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def read(path: str) -> Reading:
        image = cv2.imread(path)
        assert image is not None
        seen.append((image.shape[1], image.shape[0]))
        return Reading(path, fault=Fault("no-board", ""))

    rows = tuple(run(photos, VARIANTS, read, tmp_path))
    assert len(rows) == len(VARIANTS)
    assert len(seen) == 2 * len(VARIANTS)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["set"]
    assert all(row.count.refused == 2 for row in rows)


def test_an_empty_set_is_a_problem(photos: PhotoSet, tmp_path: Path) -> None:
    nothing = replace(photos, wanted=lambda t: False, floors={})
    (row,) = run(nothing, (PLAIN,), reads(lambda path: board()), tmp_path)
    assert row.problems == ("trial, as it is: no photos",)


def test_the_table_adds_up(photos: PhotoSet) -> None:
    rows = [Row(photos, variant, Count(2, 2, 1, 14, 3, 0, 1, 2, 5, 1), 0.5) for variant in VARIANTS[:3]]
    lines = table(rows).splitlines()
    assert lines[0].split() == [
        *("set", "source", "variant", "photos", "boards", "exact"),
        *("tiles", "wrong", "refused", "silent", "doubts", "pieces", "astray", "ms"),
    ]
    assert lines[2].split()[-11:] == ["2", "2", "1", "14", "3", "0", "1", "2", "5", "1", "250"]
    assert lines[-1].split() == ["all", "spoiled", "4", "4", "2", "28", "6", "0", "2", "4", "10", "2", "250"]


def test_the_sets_are_what_they_say() -> None:
    assert len({photos.name for photos in SETS}) == len(SETS)
    names = {variant.name for variant in VARIANTS}
    for photos in SETS:
        assert set(photos.floors) <= names
        assert photos.misreads == 0
    samples = SETS[0]
    assert samples.there
    truths = tuple(samples.load(Path()))
    assert sum(len(t.boards) for t in truths) >= samples.floors[PLAIN.name]
    for t in truths:
        for true in t.boards:
            assert len(true.tiles) == len(BOARDS[true.name].cells)


def test_drawings_are_the_same_every_time(tmp_path: Path) -> None:
    drawn = next(photos for photos in SETS if photos.draw)
    truths = tuple(drawn.load(tmp_path))
    assert [t.game for t in truths] == ["none"] * len(DRAWINGS)
    for name, draw in DRAWINGS.items():
        first, second = (draw(np.random.default_rng(3)) for _ in range(2))
        assert first.shape == (1200, 1600, 3), name
        assert first.dtype == np.uint8
        assert (first == second).all()


def test_a_truth_file(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"photo": "x.jpg", "game": "none", "group": "hard"}', "utf-8")
    assert load_truth(path, tmp_path) == Truth(tmp_path / "x.jpg", "none", (), "hard")
