"""The networks' shapes and the batches that they learn from; needs the extra [train]."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from boardsight.scoring.pad import BUTTONS
from boardsight.training.lessons import fleet_batches, fleet_loss, maps_of, moved, strip_batches, strip_loss
from boardsight.training.nets import FleetNet, MarkNet, PadNet, TileNet, TurnNet
from boardsight.training.pieces import begin, classifier
from boardsight.training.train import (
    AGAIN,
    RATE,
    TURN_PIXELS,
    chance,
    draw_mark,
    halves_are_faster,
    known,
    mark_batches,
    tile_loss,
    way,
)
from boardsight.training.windows import MARGIN
from boardsight.vision.cards import CARDS
from boardsight.vision.classify import way_of
from boardsight.vision.crop import PIXELS
from boardsight.vision.heads import FLEET, KINDS, SHIP_COLOURS, tile_heads, turn_heads
from boardsight.vision.launchpad import SPACE, STRIP
from boardsight.vision.window import GREY, SIZE, STRIDE

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


RED, FORTY = FLEET.index("red"), FLEET.index("40")


def test_maps_say_where_ships_and_buttons_are() -> None:
    maps, colour = maps_of(np.array([[RED, 101.5, 61.5], [FORTY, 41.0, 41.0]]))
    assert maps.shape == (1 + len(FLEET) - SHIP_COLOURS, SIZE[1] // STRIDE, SIZE[0] // STRIDE)
    assert maps[0].argmax() == 15 * (SIZE[0] // STRIDE) + 25
    assert maps[[0, 1 + FORTY - SHIP_COLOURS]].max((1, 2)) == pytest.approx(1)
    assert not np.delete(maps, [0, 1 + FORTY - SHIP_COLOURS], axis=0).any()
    assert colour[15, 25] == RED and set(np.unique(colour)) == {-1, RED}


def test_pieces_move_with_their_window() -> None:
    window = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    window[200:205, 300:305] = 255
    picture, rows = moved(window, np.array([[RED, 302, 202]], np.float32), np.random.default_rng(2))
    ys, xs = np.nonzero(picture[100:-100, 100:-100, 0] > 200)
    assert rows[0, 1:] == pytest.approx((100 + xs.mean(), 100 + ys.mean()), abs=0.6)
    assert (picture[0] == GREY).any() or (picture[:, 0] == GREY).any() or (picture[-1] == GREY).any()


def test_fleets_are_learned_from_windows() -> None:
    windows = [np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)] * 2
    pieces = [np.array([[RED, 200, 200], [FORTY, 60, 60]], np.float32), np.zeros((0, 3), np.float32)]
    x, maps, colour = next(fleet_batches(windows, pieces, np.random.default_rng(0), 2))
    with torch.no_grad():
        y = FleetNet().eval()(x)
    assert y.shape == (2, 1 + len(FLEET), SIZE[1] // STRIDE, SIZE[0] // STRIDE)
    assert y[:, 1 : 1 + SHIP_COLOURS].exp().sum(1).numpy() == pytest.approx(1, abs=1e-4)
    right = torch.zeros_like(y)
    right[:, :1], right[:, 1 + SHIP_COLOURS :] = maps[:, :1], maps[:, 1:]
    right[:, 1 : 1 + SHIP_COLOURS] = -20
    right[:, 1 + RED][colour == RED] = 0
    assert float(fleet_loss(right, maps, colour)) < 0.01 < float(fleet_loss(y, maps, colour))


def test_rings_are_learned_from_strips() -> None:
    wide = np.full((5, STRIP[1] + 2 * MARGIN, STRIP[0] + 2 * MARGIN, 3), 90, np.uint8)
    wide[:, MARGIN + SPACE // 2, MARGIN + STRIP[0] // 2] = 255
    rings = np.full((5, len(BUTTONS)), -1, np.int8)
    rings[:, 0], rings[:, 1] = 1, 0
    x, answers = next(strip_batches(wide, rings, np.random.default_rng(0), 4))
    assert x.shape == (4, STRIP[1], STRIP[0], 3)
    for strip in x.numpy():
        y, at = np.argwhere(strip[..., 0] > 110).mean(0)
        assert (y, at) == pytest.approx((SPACE / 2, STRIP[0] / 2), abs=9)
    with torch.no_grad():
        odds = PadNet().eval()(x)
    assert odds.shape == (4, len(BUTTONS))
    sure = torch.where(answers > 0, 20.0, -20.0)
    assert float(strip_loss(sure, answers)) < 1e-6 < float(strip_loss(odds, answers))
    sure[:, 2:] = 20.0
    assert float(strip_loss(sure, answers)) < 1e-6


def test_training_that_goes_on_begins_with_other_pictures(tmp_path: Path) -> None:
    weights = tmp_path / "turn.pt"
    fresh = chance(weights).integers(1 << 30, size=4).tolist()
    assert chance(weights).integers(1 << 30, size=4).tolist() == fresh
    assert known(TurnNet(), weights) == RATE
    torch.save(TurnNet().state_dict(), weights)
    again = chance(weights).integers(1 << 30, size=4).tolist()
    assert known(TurnNet(), weights) == AGAIN
    torch.save(TurnNet().state_dict(), weights)
    assert fresh != again != chance(weights).integers(1 << 30, size=4).tolist()


@pytest.mark.parametrize("slow", [True, False])
def test_the_faster_precision_is_chosen(slow: bool) -> None:
    class Net(torch.nn.Module):  # type: ignore[misc,name-defined,unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1))

        def forward(self, x: Any) -> Any:
            if torch.is_autocast_enabled("cpu") == slow:
                time.sleep(0.02)
            return x * self.weight

    net = Net()
    assert halves_are_faster(net, torch.ones(2), (), lambda y: y.sum()) != slow
    assert net.weight.grad is None
