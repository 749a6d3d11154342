"""The drawings of dice: faces, solids that stand where the camera says, and scenes with their answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boardsight.training import dice, pieces
from boardsight.training.diefaces import PIPS, SIDE, SPIRALS, Faces
from boardsight.training.pieces import draw_shards, spots_of
from boardsight.training.solid import Lamp, Solid, frame_on, stand, trace
from boardsight.training.validate_pieces import judge
from boardsight.vision.dice import DICE, FACES
from boardsight.vision.pieces import Spots, crop_pieces
from boardsight.vision.reading import PieceReading, Reading

LAMP = Lamp((0.0, 0.0, 1.0), 0.5, 0.5, 0.0, 10.0, 0.3, 0.05)


def test_only_plain_marks_are_in_both_splits() -> None:
    assert set(PIPS["train"]) & set(PIPS["validate"]) == {"round"}
    assert set(SPIRALS["train"]) & set(SPIRALS["validate"]) == {"coil"}


@pytest.mark.parametrize("split", ["train", "validate"])
def test_a_make_draws_every_face(split: str) -> None:
    for seed in range(6):
        make = Faces(split, np.random.default_rng(seed))
        masks = {face: make.mask(face) for face in FACES}
        assert all(mask.shape == (SIDE, SIDE) and 0.005 < mask.mean() < 0.7 for mask in masks.values())
        if not make.numerals:
            assert masks["1"].mean() < masks["2"].mean() * 2 and masks["4"].mean() < masks["6"].mean()
        for a in FACES:
            for b in FACES:
                assert a == b or np.abs(masks[a] - masks[b]).mean() > 0.003
        assert make.texture("4").shape == (SIDE, SIDE, 3)
        assert make.texture("4") is make.texture("4")


def cube(top: tuple[float, float, float]) -> Solid:
    """Return a dark cube whose top has a colour, with a white quarter where x and y are negative."""
    dark = np.full((32, 32, 3), 20, np.float32)
    bright = np.empty((32, 32, 3), np.float32)
    bright[:] = top
    bright[:16, :16] = 255
    return Solid(np.array([0.3, -0.2, 0.5]), 0.4, np.full(3, 0.5), 0.05, 5.0, (dark,) * 4 + (bright,), dark[0, 0])


@pytest.mark.parametrize("tilt", [0.0, 30.0, 50.0])
def test_a_traced_cube_lies_where_the_camera_sees_it(tilt: float) -> None:
    rng = np.random.default_rng(int(tilt))
    corners = np.array([[x, y, z] for x in (-2.0, 2.0) for y in (-2.0, 2.0) for z in (0.0, 1.0)])
    view = stand(corners, rng, 500, tilt, 0.9)
    image = np.full((view.size[1], view.size[0], 3), 128, np.float32)
    solid = cube((0.0, 200.0, 0.0))
    trace(image, solid, view, LAMP, rng)
    at, frame = frame_on(view, solid.centre + (0, 0, 0.5), solid.axes[:, 0], solid.axes[:, 1])
    spots = Spots(at[None], frame[None], np.zeros(1, np.int64), np.ones(1))
    (crop,) = crop_pieces(np.clip(image, 0, 255).astype(np.uint8), spots, (-0.5, -0.5, 0.5, 0.5), (40, 40))
    white = crop[6:16, 6:16].reshape(-1, 3).mean(0)
    green = crop[24:34, 24:34].reshape(-1, 3).mean(0)
    assert white.min() > 180
    assert green[1] > 150 and green[0] < 60
    # nearer things lie lower, and the top lies above the foot
    assert view(solid.centre[None] * (1, 1, 0))[0, 1] >= at[1] - 1e-6


def test_a_camera_maps_the_table_as_its_homography_says() -> None:
    view = stand(np.array([[-2.0, -2, 0], [2, 2, 1]]), np.random.default_rng(3), 400, 35, 0.8)
    flat = np.array([[0.3, 0.7, 1.0], [-1.0, 0.2, 1.0]])
    moved = flat @ view.flat.homography.T
    assert view(flat * (1, 1, 0)) == pytest.approx(moved[:, :2] / moved[:, 2:])
    eye = view.eye
    assert eye[2] > 0
    assert view.axes @ eye + view.shift == pytest.approx(np.zeros(3), abs=1e-9)


def test_a_throw_knows_its_dice() -> None:
    scene = dice.throw(np.random.default_rng(2), "train", count=5, harsh=0.2, tilt=20.0)
    marked = [piece for piece in scene.pieces if piece.marked]
    assert 0 < len(marked) <= 5
    h, w = scene.image.shape[:2]
    for piece in marked:
        assert piece.labels["what"] == "die" and piece.labels["face"] in FACES
        assert (piece.centre > 0).all() and (piece.centre < (w, h)).all()
    others = [piece for piece in scene.pieces if not piece.marked]
    assert all(dict(piece.labels) == {"what": "other"} for piece in others)


def test_a_turned_scene_turns_its_answer() -> None:
    scene = dice.throw(np.random.default_rng(4), "train", count=3, harsh=0.1)
    marked = tuple(piece for piece in scene.pieces if piece.marked)
    turned, found = dice._turn(scene.image, marked, 1)
    assert turned.shape[:2] == scene.image.shape[1::-1]
    before = crop_pieces(scene.image, spots_of(marked), (-0.5, -0.5, 0.5, 0.5), (16, 16)).astype(int)
    after = crop_pieces(turned, spots_of(found), (-0.5, -0.5, 0.5, 0.5), (16, 16)).astype(int)
    assert np.abs(before - after).mean() < 3


def test_a_scene_without_dice_has_none() -> None:
    for seed in range(3):
        scene = dice.without(np.random.default_rng(seed), "train")
        assert not any(piece.marked for piece in scene.pieces)


@pytest.mark.slow
def test_shards_hold_scenes_marks_and_crops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "SHARD", 2)
    draw_shards("dice", tmp_path, 3, 1)
    shards = sorted(tmp_path.glob("*.npz"))
    assert len(shards) == 2
    with np.load(shards[0]) as shard:
        assert shard["scenes"].shape == (2, pieces.SCENE, pieces.SCENE, 3)
        assert shard["crops"].shape[1:] == (72, 72, 3)
        assert len(shard["crops"]) == len(shard["labels"])
        assert shard["labels"].shape[1] == len(DICE.heads)
        assert (shard["marks"][:, 0] < 2).all()


def reading(*pieces: PieceReading) -> Reading:
    return Reading("drawn", (400, 400), "high-score", pieces=pieces)


def test_readings_are_judged_where_they_lie() -> None:
    scene = pieces.PieceScene(
        np.zeros((400, 400, 3), np.uint8),
        tuple(
            pieces.TruePiece(0, np.array([x, 100.0]), np.eye(2) * 40, {"what": "die", "face": face})
            for x, face in ((50.0, "5"), (150.0, "2"))
        ),
    )
    five, two = PieceReading("die", "5", 1.0, (52, 99)), PieceReading("die", "2", 1.0, (149, 104))
    good = judge(scene, reading(two, five), dice.text)
    assert good.exact and good.certain and good.right == 2
    swapped = judge(scene, reading(PieceReading("die", "2", 1.0, (52, 99)), two), dice.text)
    assert not swapped.exact and swapped.silent == 1 and swapped.what == "5 as 2"
    extra = judge(scene, reading(five, two, PieceReading("die", "1", 0.8, (300, 300), certain=False)), dice.text)
    assert (extra.exact, extra.extra, extra.silent, extra.certain) == (False, 1, 0, False)
    missed = judge(scene, reading(five), dice.text)
    assert not missed.exact and missed.what == "2 missed"
