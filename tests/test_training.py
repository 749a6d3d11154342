"""The drawings that the networks learn from."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from boardsight.scoring.boards import BOARDS
from boardsight.training import edition, fonts
from boardsight.training.camera import apply
from boardsight.training.dataset import HEADS, KEPT, labels_of, marks_of
from boardsight.training.edition import Edition
from boardsight.training.scene import Scene, draw_nothing, draw_scene
from boardsight.vision.heads import FORM, KINDS, WHAT

SETS = {board.tile_set.name: board for board in BOARDS.values()}
SMALL = (420, 520)
"""Range of a test scene's longer side in pixels."""
PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def small_scene(seed: int, *boards: str, full: float = 0.5) -> Scene:
    """Draw a small scene of the given boards."""
    return draw_scene(np.random.default_rng(seed), boards=boards, harsh=0.3, full=full, long_side=SMALL)


def test_no_typeface_is_in_both_splits() -> None:
    assert len(set(fonts.TRAIN)) == len(fonts.TRAIN)
    assert len(set(fonts.VALIDATE)) == len(fonts.VALIDATE)
    assert not set(fonts.TRAIN) & set(fonts.VALIDATE)


def test_the_extra_fonts_lists_every_typeface() -> None:
    extras = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]["optional-dependencies"]
    listed = [name.removeprefix("fontpkg-") for name in extras["fonts"]]
    for extra in ("train", "test"):
        assert any(name.startswith("boardsight[") and "fonts" in name for name in extras[extra])
    assert len(set(listed)) == len(listed)
    assert set(listed) == {*fonts.TRAIN, *fonts.VALIDATE}


def test_only_straight_edges_are_in_both_splits() -> None:
    assert set(edition.EDGES["train"]) & set(edition.EDGES["validate"]) == {"straight"}
    assert not set(edition.SUNS["train"]) & set(edition.SUNS["validate"])
    assert not set(edition.MOONS["train"]) & set(edition.MOONS["validate"])


@pytest.mark.parametrize("split", ["train", "validate"])
@pytest.mark.parametrize("name", SETS)
def test_an_edition_draws_every_tile(name: str, split: str) -> None:
    board = SETS[name]
    look = Edition(board.tile_set, board, split, np.random.default_rng(3), 40)
    middle = look.side // 2
    for tile in board.tile_set.tiles:
        picture = look.tile(tile)
        assert picture.shape == (look.side, look.side, 4)
        assert picture[middle, middle, 3] == 255 and picture[0, 0, 3] == 0
        assert picture[..., :3].std() > 5
    assert len(look.pictures) == len({tile.text for tile in board.tile_set.tiles})


@pytest.mark.parametrize("boards", [("easy",), ("nexus", "scrapyard"), ("orchid",), ("higher",)])
def test_a_scene_knows_where_its_boards_are(boards: tuple[str, ...]) -> None:
    inside = total = 0
    for seed in range(3):
        scene = small_scene(seed, *boards)
        assert tuple(placed.board.name for placed in scene.boards) == boards
        h, w = scene.image.shape[:2]
        for placed in scene.boards:
            assert len(placed.tiles) == len(placed.board.cells)
            true = apply(placed.homography, placed.centres)
            inside += int(((true > 0) & (true < (w, h))).all(1).sum())
            total += len(true)
            assert np.abs(placed.centres - np.array(placed.board.centres)).max() < 0.1
    assert inside > 0.9 * total


def test_no_tile_is_drawn_twice_on_one_board() -> None:
    scene = small_scene(5, "easy", full=1.0)
    texts = [tile.text for placed in scene.boards for tile in placed.tiles if tile is not None]
    assert texts and len(texts) == len(set(texts))


@pytest.mark.parametrize("split", ["train", "validate"])
def test_a_seed_draws_the_same_scene_again(split: str) -> None:
    one, two = (draw_scene(np.random.default_rng([9, 9]), split, long_side=SMALL) for _ in range(2))
    assert np.array_equal(one.image, two.image)
    assert [placed.tiles for placed in one.boards] == [placed.tiles for placed in two.boards]
    assert np.array_equal(marks_of(one), marks_of(two))
    assert all(np.array_equal(a, b) for a, b in zip(labels_of(one), labels_of(two), strict=True))


def test_nothing_has_no_boards() -> None:
    for seed in range(3):
        scene = draw_nothing(np.random.default_rng(seed), long_side=SMALL)
        assert scene.boards == []
        crops, labels = labels_of(scene)
        assert len(crops) == len(labels)
        assert (labels[:, list(HEADS).index("what")] == WHAT.index("other")).all()
        assert {KINDS[int(kind)] for kind in marks_of(scene)[:, 2]} <= {f"{scene.shape} tile"}


@pytest.mark.parametrize("name", ["easy", "nexus", "orchid", "higher"])
def test_labels_say_what_the_tiles_show(name: str) -> None:
    scene = small_scene(2, name, full=1.0)
    crops, labels = labels_of(scene)
    assert crops.shape == (len(labels), KEPT, KEPT, 3)
    assert labels.shape[1] == len(HEADS)
    names = list(HEADS)
    shape = scene.boards[0].board.tile_set.shape
    wanted = {
        tuple(sorted((key, value) for key, value in tile.shows if value))
        for tile in scene.boards[0].tiles
        if tile is not None
    }
    tiles = 0
    for row in labels:
        shown = {
            head.partition(".")[2]: HEADS[head][label]
            for head, label in zip(names, row, strict=True)
            if head != "what" and label >= 0
        }
        if row[names.index("what")] != WHAT.index("tile"):
            assert not shown
            continue
        tiles += 1
        assert all(row[k] < 0 for k, head in enumerate(names) if head != "what" and not head.startswith(f"{shape}."))
        assert shown.pop(FORM, scene.boards[0].board.form) == scene.boards[0].board.form
        assert tuple(sorted((key, value) for key, value in shown.items() if value)) in wanted
    assert tiles > len(scene.boards[0].tiles) // 2


def test_marks_are_the_centres_of_tiles_and_spaces() -> None:
    scene = small_scene(4, "easy", full=0.0)
    placed = scene.boards[0]
    marks = marks_of(scene)
    assert len(marks) == len(placed.tiles) + len(scene.loose)
    assert marks[: len(placed.tiles), :2] == pytest.approx(apply(placed.homography, placed.centres), abs=0.01)
    kinds = [KINDS[int(kind)] for kind in marks[: len(placed.tiles), 2]]
    assert kinds == [f"hexagon {'space' if tile is None else 'tile'}" for tile in placed.tiles]
