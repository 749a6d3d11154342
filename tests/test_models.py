"""The networks in the package: the right files, the right labels, small enough to ship."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from boardsight import models
from boardsight.models import ModelError, load_network, temperatures
from boardsight.scoring.pad import BUTTONS
from boardsight.vision.heads import FLEET, KINDS, SHIP_COLOURS, tile_heads, turn_heads
from boardsight.vision.launchpad import STRIP
from boardsight.vision.piece_sets import PIECE_SETS
from boardsight.vision.pieces import FRAME, WORDS, PieceSet
from boardsight.vision.window import LEFT, PITCH, SIZE, STRIDE, TOP

FOLDER = files("boardsight.models")
BOARDS = ("marks", "tiles", "turn", "fleet", "pad")
NAMES = (*BOARDS, *(name for of in PIECE_SETS for name in (of.name, f"{of.name}-marks")))
BOARDS_LIMIT, LIMIT = 5_000_000, 8_000_000
"""Bytes that the boards' networks and all networks together may have."""


@pytest.mark.parametrize("name", NAMES)
def test_a_network_is_the_one_in_the_manifest(name: str) -> None:
    data = FOLDER.joinpath(f"{name}.onnx").read_bytes()
    assert hashlib.sha256(data).hexdigest() == models.manifest()[name]


def test_the_manifest_names_every_network_and_no_other() -> None:
    there = {entry.name.removesuffix(".onnx") for entry in FOLDER.iterdir() if entry.name.endswith(".onnx")}
    assert there == set(models.manifest()) == set(NAMES)


def test_the_networks_are_small() -> None:
    sizes = {name: len(FOLDER.joinpath(f"{name}.onnx").read_bytes()) for name in NAMES}
    assert sum(sizes[name] for name in BOARDS) < BOARDS_LIMIT
    assert sum(sizes.values()) < LIMIT


@pytest.mark.parametrize("name", NAMES)
def test_no_processor_overflows(name: str) -> None:
    """Without VNNI two products of a weight and an activation are added in 16 bits: 2 * 255 * 64 just fits."""
    onnx = pytest.importorskip("onnx")
    graph = onnx.load_from_string(FOLDER.joinpath(f"{name}.onnx").read_bytes()).graph
    whole = {array.name: onnx.numpy_helper.to_array(array) for array in graph.initializer if array.data_type == 3}
    weights = [array for array in whole.values() if array.ndim == 4]
    assert weights
    assert max(int(np.abs(array.astype(int)).max()) for array in weights) <= 64


def test_the_card_is_in_the_package() -> None:
    card = FOLDER.joinpath("card.md").read_text("utf-8")
    assert all(f"`{name}.onnx`" in card for name in NAMES)


def test_labels_are_those_of_the_boards() -> None:
    assert load_network("tiles").heads == tile_heads()
    assert {name: len(ways) for name, ways in load_network("turn").heads.items()} == turn_heads()
    assert tuple(json.loads(load_network("marks").metadata["kinds"])) == KINDS
    assert all(load_network(name).metadata["commit"] for name in NAMES)
    fleet = {"fleet.ring", "fleet.none"}
    names = {"tiles", "turn.hexagon", "turn.octagon", *(of.name for of in PIECE_SETS)}
    marks = {f"{of.name}.{word}" for of in PIECE_SETS for word in WORDS}
    assert set(temperatures()) == names | fleet | marks
    assert min(temperatures()[name] for name in names) >= 1
    weights = {name for name in fleet | marks if not name.endswith((".shift", ".none"))}
    assert all(temperatures()[name] > 0 for name in weights)


@pytest.mark.parametrize("of", PIECE_SETS, ids=lambda of: of.name)
def test_labels_are_those_of_the_declarations(of: PieceSet) -> None:
    network, marks = load_network(of.name), load_network(f"{of.name}-marks")
    assert network.heads == dict(of.heads)
    assert tuple(json.loads(network.metadata["window"])) == of.window
    assert tuple(json.loads(marks.metadata["kinds"])) == of.kinds
    assert network.metadata["commit"] and marks.metadata["commit"]
    answer = network(np.full((2, *of.pixels[::-1], 3), 90, np.uint8))
    assert answer.shape == (2, sum(len(labels) for labels in of.heads.values()))
    assert marks(np.full((1, 64, 96, 3), 90, np.uint8)).shape == (1, len(of.kinds) + len(FRAME), 16, 24)


@pytest.mark.parametrize("name", ["tiles", "turn"])
def test_a_crop_gets_log_probabilities(name: str) -> None:
    network = load_network(name)
    side = int(network.metadata["input"])
    answer = network(np.full((2, side, side, 3), 90, np.uint8))
    at = 0
    for labels in network.heads.values():
        assert np.exp(answer[:, at : at + len(labels)]).sum(1) == pytest.approx(1, abs=1e-3)
        at += len(labels)
    assert answer.shape == (2, at)


def test_a_photo_gets_one_map_a_kind() -> None:
    maps = load_network("marks")(np.full((1, 96, 160, 3), 90, np.uint8))
    assert maps.shape == (1, len(KINDS), 24, 40)
    assert maps.min() >= 0 and maps.max() <= 1


def test_the_window_is_the_one_that_was_learned() -> None:
    metadata = load_network("fleet").metadata
    assert tuple(json.loads(metadata["pieces"])) == FLEET
    assert tuple(json.loads(metadata["input"])) == SIZE
    assert tuple(json.loads(metadata["corner"])) == (LEFT, TOP)
    assert metadata["pitch"] == str(PITCH)


def test_a_strip_gets_log_odds_of_each_button_from_its_top() -> None:
    network = load_network("pad")
    assert tuple(json.loads(network.metadata["input"])) == STRIP
    assert tuple(json.loads(network.metadata["buttons"])) == BUTTONS[::-1]
    assert network(np.full((2, STRIP[1], STRIP[0], 3), 90, np.uint8)).shape == (2, len(BUTTONS))


def test_a_window_gets_maps_of_ships_and_buttons() -> None:
    maps = load_network("fleet")(np.full((1, SIZE[1], SIZE[0], 3), 90, np.uint8))
    assert maps.shape == (1, 1 + len(FLEET), SIZE[1] // STRIDE, SIZE[0] // STRIDE)
    colours = maps[0, 1 : 1 + SHIP_COLOURS]
    assert np.exp(colours).sum(0) == pytest.approx(1, abs=1e-3)
    others = np.delete(maps[0], range(1, 1 + SHIP_COLOURS), axis=0)
    assert others.min() >= 0 and others.max() <= 1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a copy of one network where the package looks for it."""

    def inside(_package: str) -> Path:
        return tmp_path

    for name in ("turn.onnx", models.MANIFEST):
        tmp_path.joinpath(name).write_bytes(FOLDER.joinpath(name).read_bytes())
    monkeypatch.setattr(models, "files", inside)
    return tmp_path


def test_a_damaged_network_is_refused(folder: Path) -> None:
    assert load_network("turn").name == "turn"
    data = bytearray(folder.joinpath("turn.onnx").read_bytes())
    data[len(data) // 2] ^= 1
    folder.joinpath("turn.onnx").write_bytes(data)
    with pytest.raises(ModelError, match="damaged"):
        load_network("turn")


def test_a_missing_network_says_how_to_get_it(folder: Path) -> None:
    folder.joinpath("turn.onnx").unlink()
    with pytest.raises(ModelError, match="make train"):
        load_network("turn")
