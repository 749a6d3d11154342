"""What the networks of loose pieces learn from, and how they are written; needs the extra [train]."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

from boardsight.models import Network
from boardsight.training import pieces
from boardsight.training.nets import MarkNet
from boardsight.training.piece_batches import WINDOW, crop_batches, crop_loss, mark_batches, mark_loss, wide_crops
from boardsight.training.pieces import begin, classifier, declared, drawer, export, wide
from boardsight.training.validate_pieces import weigh
from boardsight.vision.dice import DICE, FACES
from boardsight.vision.piece_sets import PIECE_SETS
from boardsight.vision.pieces import frame_of

torch = pytest.importorskip("torch")

FRAME = np.array([[40.0, 8.0], [-6.0, 28.0]])
ROW = np.array([[300.0, 340.0, 0, *FRAME.ravel()]], np.float32)


def test_every_declaration_is_drawn() -> None:
    assert {of.name for of in PIECE_SETS} == set(pieces.DRAWN)
    for of in PIECE_SETS:
        assert declared(of.name) is of
        assert callable(drawer(of.name))


def test_windows_carry_marks_and_frames() -> None:
    scene = np.full((640, 640, 3), 127, np.uint8)
    cv2.circle(scene, (300, 340), 3, (255, 255, 255), -1)
    x, y = (part.numpy() for part in next(mark_batches([scene], [ROW], 1, np.random.default_rng(1), True, 12)))
    assert x.shape == (12, WINDOW, WINDOW, 3)
    assert y.shape == (12, 7, WINDOW // 4, WINDOW // 4)
    seen = 0
    for picture, target in zip(x, y, strict=True):
        if target[0].max() < 0.7:
            continue
        seen += 1
        v, u = np.unravel_index(target[0].argmax(), target[0].shape)
        assert target[6, v, u] == 1
        spot = picture[4 * v : 4 * v + 4, 4 * u : 4 * u + 4]
        assert spot.max() > np.median(picture) + 40
        (frame,) = frame_of(target[1:6, v, u][None].astype(float))
        # however a window lies, the shape of the piece in it is the same
        scale = np.sqrt(abs(np.linalg.det(frame) / np.linalg.det(FRAME)))
        assert np.linalg.svd(frame)[1] == pytest.approx(scale * np.linalg.svd(FRAME)[1], rel=1e-3)
    assert seen > 4


def test_a_scene_without_pieces_has_empty_maps() -> None:
    scene = np.full((640, 640, 3), 127, np.uint8)
    none = np.zeros((0, 7), np.float32)
    _, y = next(mark_batches([scene], [none], 1, np.random.default_rng(0), False, 3))
    assert not y.any()


def test_mirrored_crops_get_the_labels_of_a_mirror() -> None:
    side = round(DICE.pixels[0] * pieces.WIDE)
    crop = np.zeros((side, side, 3), np.uint8)
    crop[:, : side // 2] = 200  # bright on the left
    labels = np.array([[0, FACES.index("2")]], np.int16)
    x, y = next(
        crop_batches(DICE, np.repeat(crop[None], 64, 0), np.repeat(labels, 64, 0), np.random.default_rng(0), 64)
    )
    assert x.shape == (64, *DICE.pixels, 3)
    faces = set(y[:, 1].tolist())
    assert faces == {FACES.index("2"), FACES.index("2") + len(FACES)}
    assert set(y[:, 0].tolist()) == {0}


def test_wide_crops_come_at_the_size_of_the_declaration() -> None:
    crops = np.random.default_rng(0).integers(0, 256, (3, 96, 96, 3), np.uint8)
    side = round(DICE.pixels[0] * pieces.WIDE)
    assert wide_crops(DICE, crops).shape == (3, side, side, 3)
    assert wide_crops(DICE, crops[:0]).shape == (0, side, side, 3)
    assert wide((-0.5, -1.0, 1.5, 1.0)) == (-1.0, -1.5, 2.0, 1.5)


def test_losses_fall_to_nothing_where_all_is_right() -> None:
    target = torch.zeros((1, 7, 8, 8))
    target[0, 0, 3, 3] = target[0, 6, 3, 3] = 1
    target[0, 1:6, 3, 3] = torch.tensor([0.3, -0.1, 0.2, 0.6, 0.8])
    right = target[:, :6].clone()
    off = right.clone()
    off[0, 4, 3, 3] += 1  # the turn
    wrong = right.clone()
    wrong[0, 1, 3, 3] += 1  # the size
    assert float(mark_loss(True)(right, target)) == pytest.approx(0, abs=1e-3)
    assert float(mark_loss(True)(off, target)) > 0.3 > float(mark_loss(False)(off, target))
    assert float(mark_loss(False)(wrong, target)) > 0.3
    sizes = sum(len(labels) for labels in DICE.heads.values())
    answer = torch.log(torch.full((1, sizes), 0.5))
    assert float(crop_loss(DICE)(answer, torch.tensor([[-1, -1]]))) == 0
    assert float(crop_loss(DICE)(answer, torch.tensor([[0, -1]]))) == pytest.approx(np.log(2))


def test_a_network_begins_where_another_fits(tmp_path: Path) -> None:
    boards, dice = MarkNet(), MarkNet(1, frame=True)
    torch.save(boards.state_dict(), tmp_path / "marks.pt")
    assert begin(dice, tmp_path / "marks.pt") == len(boards.state_dict()) - 2
    assert torch.equal(dice.state_dict()["mix1.0.weight"], boards.state_dict()["mix1.0.weight"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_both_networks_are_written(tmp_path: Path) -> None:
    import onnxruntime

    rng = np.random.default_rng(0)
    side = round(DICE.pixels[0] * pieces.WIDE)
    data, weights = tmp_path / "data", tmp_path / "weights"
    data.mkdir()
    weights.mkdir()
    np.savez(
        data / "train_0.npz",
        scenes=rng.integers(0, 256, (3, 128, 128, 3), np.uint8),
        crops=rng.integers(0, 256, (8, side, side, 3), np.uint8),
    )
    nets = {"dice-marks": MarkNet(1, frame=True), "dice": classifier(DICE)}
    for name, net in nets.items():
        torch.save(net.state_dict(), weights / f"{name}.pt")
    export("dice", weights, tmp_path, data)
    assert set(json.loads((tmp_path / "manifest.json").read_text("utf-8"))) == set(nets)
    crop = rng.integers(0, 256, (2, *DICE.pixels, 3), np.uint8)
    session = onnxruntime.InferenceSession(str(tmp_path / "dice.onnx"), providers=["CPUExecutionProvider"])
    network = Network("dice", session, dict(session.get_modelmeta().custom_metadata_map))
    assert network.heads == dict(DICE.heads)
    with torch.no_grad():
        exact = nets["dice"].eval()(torch.from_numpy(crop)).numpy()
    assert network(crop) == pytest.approx(exact, abs=0.3)


def test_marks_are_weighed_as_they_tell() -> None:
    rng = np.random.default_rng(1)
    said = [(float(rng.normal(0, 3)), float(rng.uniform(0, 1)), 1.0) for _ in range(4000)]
    chance = [1 / (1 + np.exp(-(0.5 * crop + 6 * height - 3))) for crop, height, _ in said]
    weights = weigh([(row, bool(rng.random() < p)) for row, p in zip(said, chance, strict=True)])
    assert weights == pytest.approx([0.5, 6, -3], abs=0.7)
