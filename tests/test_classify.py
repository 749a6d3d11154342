"""What the networks answer is taken apart rightly, and ways agree with the lesson."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boardsight.models import Network
from boardsight.vision.classify import evidence, form_scores, split, way_of, ways
from boardsight.vision.heads import FORM, tile_heads, turn_heads

Floats = NDArray[np.float64]
WAYS = [(shape, k) for shape, count in turn_heads().items() for k in range(count)]


class Answer:
    """Stands for a network that always gives the same answer."""

    def __init__(self, rows: NDArray[np.float32]) -> None:
        self.rows = rows

    def run(self, _: Any, inputs: dict[str, NDArray[np.uint8]]) -> list[NDArray[np.float32]]:
        assert len(inputs["pictures"]) == len(self.rows)
        return [self.rows]


def network(rows: NDArray[np.float32], heads: dict[str, tuple[str, ...]]) -> Network:
    return Network("tiles", Answer(rows), {"heads": json.dumps(heads)})


def turned(shape: str, k: int) -> Floats:
    """Return the 2 x 2 map from upright to a crop: mirrored left to right first, then turned clockwise."""
    half = turn_heads()[shape] // 2
    angle = 2 * np.pi * (k % half) / half
    # y points down, so that this turns clockwise
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray(turn @ np.diag([-1.0 if k >= half else 1.0, 1.0]))


@pytest.mark.parametrize(("shape", "k"), WAYS)
def test_each_way_is_told(shape: str, k: int) -> None:
    assert way_of(turned(shape, k), shape, turn_heads()[shape]) == k


@pytest.mark.parametrize(("shape", "k"), WAYS)
def test_a_way_is_told_however_large_and_a_little_askew(shape: str, k: int) -> None:
    rng = np.random.default_rng(k)
    for size in (0.02, 1.0, 180.0):
        askew = size * turned(shape, k) @ (np.eye(2) + rng.uniform(-0.1, 0.1, (2, 2)))
        assert way_of(askew, shape, turn_heads()[shape]) == k


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the extra [train]")
@pytest.mark.parametrize(("shape", "k"), WAYS)
def test_ways_are_those_of_the_lesson(shape: str, k: int) -> None:
    from boardsight.training.train import way

    assert way(shape, k) == pytest.approx(turned(shape, k))
    assert way_of(way(shape, k), shape, turn_heads()[shape]) == k


def test_an_answer_is_taken_apart_head_by_head() -> None:
    heads = {"a": ("x", "y"), "b": ("p", "q", "r")}
    parts = split(np.arange(10, dtype=np.float32).reshape(2, 5), heads)
    assert parts["a"].tolist() == [[0, 1], [5, 6]]
    assert parts["b"].tolist() == [[2, 3, 4], [7, 8, 9]]


@pytest.mark.parametrize("shape", turn_heads())
def test_evidence_is_that_of_the_shape(shape: str) -> None:
    heads = tile_heads()
    count = sum(len(labels) for labels in heads.values())
    rows = np.arange(2 * count, dtype=np.float32).reshape(2, count)
    found, parts = evidence(np.zeros((2, 64, 64, 3), np.uint8), network(rows, heads), shape)
    want = {name.partition(".")[2] for name in heads if name.startswith(f"{shape}.")} - {FORM}
    assert set(found.heads) == set(found.labels) == want
    for name in want:
        assert found.labels[name] == heads[f"{shape}.{name}"]
        assert (found.heads[name] == parts[f"{shape}.{name}"]).all()
    assert (found.what == parts["what"]).all()
    assert set(parts) == set(heads)


def test_forms_are_told_by_what_is_a_tile() -> None:
    heads = {"what": ("tile", "space", "other"), f"octagon.{FORM}": ("", "swapped")}
    rows = np.log(np.array([[0.98, 0.01, 0.01, 0.1, 0.9], [0.01, 0.98, 0.01, 0.9999, 0.0001]])).astype(np.float32)
    net = network(rows, heads)
    scores = form_scores(split(rows, heads), net, "octagon")
    assert set(scores) == {"", "swapped"}
    assert scores["swapped"] > scores[""]
    assert form_scores(split(rows, heads), net, "hexagon") == {}


def test_one_burnt_out_tile_does_not_veto_a_way() -> None:
    heads = {shape: tuple(str(k) for k in range(count)) for shape, count in turn_heads().items()}
    rows = np.full((6, sum(turn_heads().values())), -4.0, np.float32)
    at = turn_heads()["hexagon"] + 3
    rows[:5, at] = -0.1
    rows[5, at] = -60.0
    votes = ways(np.zeros((6, 64, 64, 3), np.uint8), network(rows, heads), "octagon")
    assert votes.shape == (turn_heads()["octagon"],)
    assert int(votes.argmax()) == 3
