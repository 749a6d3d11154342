"""The networks' shapes and the batches that they learn from; needs the extra [train]."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from boardsight.training.nets import MarkNet, TileNet, TurnNet
from boardsight.training.pieces import begin, classifier
from boardsight.training.train import TURN_PIXELS, draw_mark, mark_batches, tile_loss, way
from boardsight.vision.cards import CARDS
from boardsight.vision.classify import way_of
from boardsight.vision.crop import PIXELS
from boardsight.vision.heads import KINDS, tile_heads, turn_heads

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("shape", turn_heads())
def test_ways_are_told_apart_and_told_right(shape: str) -> None:
    count = turn_heads()[shape]
    ways = [way(shape, k) for k in range(count)]
    for k, m in enumerate(ways):
        assert m @ m.T == pytest.approx(np.eye(2))
        assert np.linalg.det(m) == pytest.approx(1 if k < count // 2 else -1)
        assert way_of(m, shape, count) == k
        assert sum(np.allclose(m, other) for other in ways) == 1


def test_a_mark_is_a_hill_about_its_place() -> None:
    plane = np.zeros((20, 30), np.float32)
    draw_mark(plane, 12.0, 7.0)
    assert plane[7, 12] == 1 and plane.argmax() == 7 * 30 + 12
    assert plane[7, 11] == pytest.approx(plane[7, 13]) == pytest.approx(plane[6, 12])
    assert not plane[:, 17:].any() and not plane[12:].any()
    before = plane.copy()
    draw_mark(plane, -40.0, 7.0)
    assert np.array_equal(plane, before)
    draw_mark(plane, 29.4, 19.4)
    assert plane[19, 29] > 0.8 and plane[7, 12] == 1


def test_windows_carry_their_marks() -> None:
    scenes = np.full((1, 640, 640, 3), 127, np.uint8)
    marks = [np.array([[320, 320, 1]], np.float32)]
    pictures, maps = next(mark_batches(list(scenes), marks, np.random.default_rng(0), 4))
    assert pictures.shape[0] == 4 and pictures.shape[3] == 3 and maps.shape[1] == len(KINDS)
    assert maps.shape[2] * 4 == pictures.shape[1]
    assert maps[:, 1].max() > 0.5 and not maps[:, [0, 2, 3]].any()


def test_networks_answer_in_their_heads_shapes() -> None:
    with torch.no_grad():
        tiles = TileNet().eval()(torch.zeros((2, PIXELS, PIXELS, 3), dtype=torch.uint8))
        turn = TurnNet().eval()(torch.zeros((2, TURN_PIXELS, TURN_PIXELS, 3), dtype=torch.uint8))
        marks = MarkNet().eval()(torch.zeros((1, 64, 96, 3), dtype=torch.uint8))
    assert tiles.shape == (2, sum(len(labels) for labels in tile_heads().values()))
    assert turn.shape == (2, sum(turn_heads().values()))
    assert marks.shape == (1, len(KINDS), 16, 24)
    first = turn_heads()["hexagon"]
    assert turn[:, :first].exp().sum(1).numpy() == pytest.approx(1, abs=1e-4)
    assert turn[:, first:].exp().sum(1).numpy() == pytest.approx(1, abs=1e-4)


def test_a_head_that_does_not_apply_costs_nothing() -> None:
    heads = tile_heads()
    answer = torch.log(torch.full((1, sum(len(labels) for labels in heads.values())), 0.5))
    target = torch.full((1, len(heads)), -1)
    assert float(tile_loss(answer, target)) == 0
    target[0, 0] = 1
    assert float(tile_loss(answer, target)) == pytest.approx(np.log(2))


def test_a_network_may_begin_with_the_weights_of_another(tmp_path: Path) -> None:
    known, net = MarkNet(), MarkNet(2, frame=True)
    torch.save(known.state_dict(), tmp_path / "known.pt")
    count = begin(net, tmp_path / "known.pt")
    own, other = net.state_dict(), known.state_dict()
    fitting = [name for name in own if name in other and own[name].shape == other[name].shape]
    assert count == len(fitting) == len(other) - 2
    assert all(torch.equal(own[name], other[name]) for name in fitting)
    cards = classifier(CARDS)
    torch.save(TileNet().state_dict(), tmp_path / "tiles.pt")
    assert begin(cards, tmp_path / "tiles.pt") == len(cards.state_dict()) - 2
    answer = cards.eval()(torch.zeros((2, CARDS.pixels[1], CARDS.pixels[0], 3), dtype=torch.uint8))
    assert answer.shape == (2, sum(map(len, CARDS.heads.values())))
