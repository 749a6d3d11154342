"""A released network goes on learning from where it stands; needs the extra [train]."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

from boardsight.models import load_network, manifest
from boardsight.training import cards, dice
from boardsight.training.pieces import draw_shards
from boardsight.training.recover import main, network, recover
from boardsight.training.scene import draw_scene

torch = pytest.importorskip("torch")

MODELS = Path(str(files("boardsight.models")))


def pictures(name: str) -> np.ndarray:
    """Return drawn pictures of the size that a network takes."""
    rng = np.random.default_rng(1)
    draw = {"dice": dice.draw, "cards": cards.draw}.get(name.removesuffix("-marks"), draw_scene)
    scene = draw(rng, "train").image
    shape = load_network(name).session.get_inputs()[0].shape
    h, w = (v if isinstance(v, int) else 320 for v in shape[1:3])
    tops, lefts = rng.integers(0, scene.shape[0] - h, 24), rng.integers(0, scene.shape[1] - w, 24)
    return np.stack([scene[y : y + h, x : x + w] for y, x in zip(tops, lefts, strict=True)])


@pytest.mark.parametrize("name", sorted(manifest()))
def test_a_recovered_network_answers_as_the_released_one(name: str) -> None:
    shown = pictures(name)
    net = network(name)
    recover(net, MODELS / f"{name}.onnx", shown[:12])
    with torch.no_grad():
        answer = net.eval()(torch.from_numpy(shown[12:])).numpy()
    released = load_network(name)(shown[12:])
    assert answer.shape == released.shape
    away = np.abs(answer - released)
    # 8 bits an activation make a difference, but not one that counts
    assert np.median(away) < 0.5 and np.corrcoef(answer.ravel(), released.ravel())[0, 1] > 0.8


def test_the_weights_are_written(tmp_path: Path) -> None:
    draw_shards("dice", tmp_path / "shards", 2, 1)
    main("dice", str(tmp_path / "shards"), str(tmp_path / "weights"))
    net = network("dice")
    net.load_state_dict(torch.load(tmp_path / "weights" / "dice.pt", map_location="cpu"))
