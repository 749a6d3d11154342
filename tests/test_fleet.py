"""Ships out of maps that are made up here: who stands where, how sure that is, and what stays in doubt."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.conftest import MakeBoard

from boardsight.scoring.boards import BOARDS
from boardsight.scoring.pad import BUTTONS, SHIPS
from boardsight.vision import fleet as module
from boardsight.vision.fleet import FleetReader, cell_of, find_feet, place_of
from boardsight.vision.heads import FLEET, SHIP_COLOURS
from boardsight.vision.launchpad import Pad
from boardsight.vision.reading import Fault, FleetReading, Reading
from boardsight.vision.window import SIZE, STRIDE, to_window

HIGHER = BOARDS["higher"]
H, W = SIZE[1] // STRIDE, SIZE[0] // STRIDE
PAD = np.stack([np.full(11, -1.4), 5.0 - 0.5 * np.arange(11)], 1)
EMPTY_BOARD = "-- -- / -- -- -- -- / -- -- -- -- -- -- / -- -- -- -- -- -- / -- -- -- -- / -- --"
Maps = NDArray[np.float32]
HONEST = {"fleet.scale": 1.0, "fleet.shift": 0.0, "fleet.colour": 1.0, "fleet.ring": 1.0, "fleet.none": 0.0}


def on_maps(x: float, y: float) -> tuple[float, float]:
    """Return pixels of the maps of board coordinates."""
    u, v = (to_window(np.array([[x, y]]))[0] - (STRIDE - 1) / 2) / STRIDE
    return float(u), float(v)


def hill(plane: Maps, x: float, y: float, height: float) -> NDArray[np.bool_]:
    u, v = on_maps(x, y)
    ys, xs = np.mgrid[0:H, 0:W]
    away = (xs - u) ** 2 + (ys - v) ** 2
    shape = np.exp(-away / 2)
    np.maximum(plane, height * shape / shape.max(), out=plane)
    return np.asarray(away < 9)


def blank() -> Maps:
    maps = np.zeros((1 + len(FLEET), H, W), np.float32)
    maps[1 : 1 + SHIP_COLOURS] = np.log(1 / SHIP_COLOURS)
    return maps


def stand(maps: Maps, at: tuple[float, float], height: float = 0.9999, **chances: float) -> None:
    """Let a ship stand at a place in board coordinates; ``chances`` of its colours."""
    near = hill(maps[0], *at, height)
    rest = (1 - sum(chances.values())) / SHIP_COLOURS
    for k, name in enumerate(SHIPS):
        maps[1 + k][near] = np.log(chances.get(name, 0.0) + max(rest, 1e-6))


def with_pad(maps: Maps) -> Maps:
    for k, (x, y) in enumerate(PAD):
        hill(maps[1 + FLEET.index(str(BUTTONS[k]))], x, y, 0.95)
    return maps


def read(
    maps: Maps,
    make_board: MakeBoard,
    monkeypatch: pytest.MonkeyPatch,
    width: int = 1400,
    ring: int | None = None,
    odds: float = 9.0,
    honest: Mapping[str, float] = HONEST,
) -> FleetReading:
    """Return the fleet of a board that lies at (500, 300) with tiles of 100 pixels, out of given maps.

    ``odds`` is the logarithm of those that the ring rests on a button.
    """
    strip = np.array([[odds if button == ring else -9.0 for button in BUTTONS[::-1]]], np.float32)
    answers = {"fleet": maps[None], "pad": strip}
    monkeypatch.setattr(module, "load_network", lambda name, _threads: lambda _pictures: answers[name])
    monkeypatch.setattr(module, "temperatures", lambda: honest)
    board = make_board("higher", EMPTY_BOARD, at=(500.0, 300.0))
    reading = Reading("a.jpg", (width, 1200), "take-it-higher", (board,))
    image = np.zeros((600, width // 2, 3), np.uint8)
    (found,) = FleetReader().added(reading, image, 0.5, 0.99).boards
    assert found.fleet is not None
    return found.fleet


def test_cells_have_eight_sides() -> None:
    assert cell_of(HIGHER, 2.0, 0.0) == (0, 0.5)
    cell, inside = cell_of(HIGHER, 2.45, 0.0)
    assert HIGHER.cells[cell].name == "r1.1" and inside == pytest.approx(0.05)
    assert cell_of(HIGHER, 2.4, 0.4)[1] == pytest.approx(0.5 - 0.8 / 2**0.5)
    assert HIGHER.cells[cell_of(HIGHER, 2.55, 0.0)[0]].name == "r1.2"


def test_places_are_tiles_buttons_or_nothing() -> None:
    pad = Pad(np.array([on_maps(*spot) for spot in PAD]), np.ones(11))
    assert place_of(HIGHER, np.array(on_maps(-1.45, 4.1)), pad).button == 2
    assert place_of(HIGHER, np.array(on_maps(0.2, 3.1)), pad).cell == HIGHER.index["r4.1"]
    assert not place_of(HIGHER, np.array(on_maps(0.0, 0.0)), pad).known
    assert not place_of(HIGHER, np.array(on_maps(-1.45, 4.1)), None).known


def test_feet_are_found_with_their_colours() -> None:
    maps = blank()
    stand(maps, (2.1, 0.2), red=0.98)
    stand(maps, (2.45, 0.2), blue=0.98)
    feet = find_feet(maps)
    assert len(feet.there) == 2
    order = np.argsort(feet.spots[:, 0])
    assert [SHIPS[int(k)] for k in feet.colours[order].argmax(1)] == ["red", "blue"]
    assert feet.spots[order[0]] == pytest.approx(on_maps(2.1, 0.2), abs=0.25)
    assert len(find_feet(blank()).there) == 0


def test_without_figures_of_ships_the_ring_alone_is_read(
    make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = with_pad(blank())
    stand(maps, (2.1, 0.2), red=0.9999)
    ring_alone = {name: value for name, value in HONEST.items() if name != module.SHIPS_ARE_READ}
    fleet = read(maps, make_board, monkeypatch, ring=40, honest=ring_alone)
    assert fleet.ring == 40 and fleet.certain and fleet.ships == () and len(fleet.buttons) == 11


def test_what_is_added_for_no_ring_counts(make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet = read(with_pad(blank()), make_board, monkeypatch, ring=40, honest={**HONEST, "fleet.none": 12.0})
    assert fleet.ring is None and not fleet.ring_certain and fleet.ring_runner_up == 40


def test_ships_stand_on_tiles_in_pixels_of_the_photo(make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = blank()
    stand(maps, (2.1, 0.2), red=0.9999)
    stand(maps, (4.8, 2.9), white=0.9999)
    stand(maps, (5.2, 3.2), gold=0.9999)
    fleet = read(maps, make_board, monkeypatch)
    assert fleet.on_tiles == (("r4.6", ("white", "gold")), ("r1.1", ("red",)))
    assert fleet.launched == ("white", "red", "gold")
    assert fleet.certain and fleet.ring is None and not fleet.buttons
    red = next(ship for ship in fleet.ships if ship.ship == "red")
    assert red.at == pytest.approx((500 + 210, 300 + 20), abs=3)


def test_each_ship_exists_once(make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = blank()
    stand(maps, (1.0, 1.0), white=0.95, silver=0.05)
    stand(maps, (3.0, 3.0), white=0.6, silver=0.4)
    fleet = read(maps, make_board, monkeypatch)
    assert fleet.on_tiles == (("r2.1", ("white",)), ("r4.4", ("silver",)))
    silver = fleet.ships[1]
    assert not silver.certain and silver.runner_up == "white" and 0.5 < silver.confidence < 0.99


def test_what_may_be_a_ship_is_a_doubt(make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = blank()
    stand(maps, (3.0, 3.0), 0.3, red=0.99)
    fleet = read(maps, make_board, monkeypatch)
    assert fleet.on_tiles == () and fleet.launched == ()
    (doubt,) = fleet.ships
    assert (doubt.ship, doubt.cell, doubt.runner_up, doubt.certain) == ("", "r4.4", "red", False)
    assert doubt.confidence == pytest.approx(0.7, abs=0.03)
    assert not fleet.certain


def test_a_ship_between_two_tiles_is_a_doubt(make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = blank()
    stand(maps, (2.49, 2.0), red=0.9999)
    fleet = read(maps, make_board, monkeypatch)
    assert fleet.launched == ("red",) and not fleet.certain
    assert fleet.ships[0].cell in ("r3.3", "r3.4")


def test_pad_ring_and_ships_that_wait(make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = with_pad(blank())
    stand(maps, (1.0, 1.0), white=0.9999)
    stand(maps, (3.0, 3.0), orange=0.9999)
    for name in SHIPS[2:]:
        x, y = PAD[SHIPS.index(name) + 1]
        stand(maps, (float(x), float(y)), **{name: 0.9999})
    fleet = read(maps, make_board, monkeypatch, ring=40)
    assert fleet.ring == 40 and fleet.ring_certain
    assert fleet.launched == SHIPS[:2] and fleet.on_pad == SHIPS[2:]
    assert fleet.figures == (40,) and fleet.agrees and not fleet.missing and fleet.certain
    assert len(fleet.buttons) == 11
    assert fleet.buttons[2] == pytest.approx((500 - 140, 300 + 400), abs=4)


def test_a_ship_on_the_pad_is_likely_the_one_of_its_button(
    make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = with_pad(blank())
    x, y = PAD[SHIPS.index("silver") + 1]
    stand(maps, (float(x), float(y)), white=0.6, silver=0.4)
    assert read(maps, make_board, monkeypatch).on_pad == ("silver",)


def test_ring_and_ships_that_disagree_are_not_certain(make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = with_pad(blank())
    stand(maps, (1.0, 1.0), white=0.9999)
    fleet = read(maps, make_board, monkeypatch, ring=60)
    assert fleet.ring == 60 and fleet.figures == (20,)
    assert not fleet.agrees and not fleet.certain


def test_a_faint_ring_is_a_doubt(make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet = read(with_pad(blank()), make_board, monkeypatch, ring=60, odds=1.0)
    assert fleet.ring == 60 and not fleet.ring_certain and fleet.ring_runner_up is None
    nothing = read(with_pad(blank()), make_board, monkeypatch)
    assert nothing.ring is None and nothing.certain and nothing.ships == ()


def test_what_lies_beyond_the_photo_is_not_read(make_board: MakeBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    maps = blank()
    stand(maps, (5.0, 2.0), red=0.9999)
    assert read(maps, make_board, monkeypatch, width=960).ships == ()


def test_a_ship_that_is_nowhere_is_missed_only_beside_ships_that_wait() -> None:
    from boardsight.vision.reading import ShipReading

    white = ShipReading("white", "r1.1", 1.0, (0.0, 0.0))
    gold = ShipReading("gold", "", 1.0, (0.0, 0.0))
    assert FleetReading((white,)).missing == ()
    assert FleetReading((white, gold)).missing == SHIPS[1:-1]
    assert FleetReading((white, gold)).figures == (20, 200 - 20)
    assert not FleetReading((white, gold)).agrees


def test_other_boards_and_faults_stay_as_they_are(make_board: MakeBoard) -> None:
    easy = make_board("easy", "-- -- -- / -- -- -- -- / -- -- -- -- -- / -- -- -- -- / -- -- --")
    reading = Reading("a.jpg", (1000, 1000), "take-it-easy", (easy,))
    image = np.zeros((10, 10, 3), np.uint8)
    assert FleetReader().added(reading, image, 1.0, 0.99) is reading
    fault = Reading("a.jpg", fault=Fault("no-board", "nothing"))
    assert FleetReader().added(fault, image, 1.0, 0.99) is fault
