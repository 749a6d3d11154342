"""Ships and ring in the annotated picture, where they are and in their colours."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boardsight.vision.annotate import PALETTE, Style, annotate
from boardsight.vision.annotate_fleet import draw_fleet, in_sight
from boardsight.vision.reading import FleetReading, Reading, ShipReading

if TYPE_CHECKING:
    from tests.conftest import MakeBoard

BUTTONS = tuple((100.0, 780.0 - 60.0 * k) for k in range(11))
EMPTY_BOARD = "-- -- / -- -- -- -- / -- -- -- -- -- -- / -- -- -- -- -- -- / -- -- -- -- / -- --"


def same(x: float, y: float) -> tuple[float, float]:
    return x, y


def near(image: NDArray[np.uint8], at: tuple[float, float], colour: tuple[int, int, int], reach: int = 40) -> int:
    """Return how many pixels about a place have a colour."""
    x, y = round(at[0]), round(at[1])
    part = image[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach].astype(int)
    return int((np.abs(part - colour).max(axis=2) <= 12).sum())


def drawn(fleet: FleetReading) -> NDArray[np.uint8]:
    image = np.full((900, 900, 3), 90, np.uint8)
    draw_fleet(image, fleet, same, 100.0, PALETTE, Style().doubt)
    return image


def test_a_ship_is_marked_in_its_colour() -> None:
    image = drawn(FleetReading((ShipReading("red", "r1.1", 1.0, (300.0, 400.0)),)))
    assert near(image, (300, 400), PALETTE["red"]) > 100
    assert near(image, (600, 600), PALETTE["red"], 200) == 0


def test_a_doubtful_ship_is_marked_in_the_colour_of_doubt() -> None:
    image = drawn(FleetReading((ShipReading("red", "r1.1", 0.7, (300.0, 400.0), "", False),)))
    assert near(image, (300, 400), Style().doubt) > 100
    assert near(image, (300, 400), PALETTE["red"]) == 0


def test_the_ring_is_marked_on_its_button() -> None:
    image = drawn(FleetReading((), 140, buttons=BUTTONS))
    assert near(image, BUTTONS[7], PALETTE["gold"], 45) > 100
    assert near(image, BUTTONS[3], PALETTE["gold"], 45) == 0
    assert near(drawn(FleetReading((), None, buttons=BUTTONS)), BUTTONS[7], PALETTE["gold"], 45) == 0


def test_a_picture_shows_the_pad_where_something_is_read(make_board: MakeBoard) -> None:
    board = make_board("higher", EMPTY_BOARD, at=(400.0, 200.0))
    assert len(in_sight(board, 50.0)) == 24
    assert len(in_sight(replace(board, fleet=FleetReading((), None, buttons=BUTTONS)), 50.0)) == 24
    spots = in_sight(replace(board, fleet=FleetReading((), 40, buttons=BUTTONS)), 50.0)
    assert len(spots) == 35
    assert 100 < min(x for x, _ in spots) < 200


def test_the_whole_picture_has_ships_and_ring(make_board: MakeBoard) -> None:
    fleet = FleetReading((ShipReading("red", "r1.1", 1.0, (620.0, 210.0)),), 140, buttons=BUTTONS)
    board = replace(make_board("higher", EMPTY_BOARD, at=(400.0, 200.0)), fleet=fleet)
    image = np.full((900, 1100, 3), 90, np.uint8)
    plain = annotate(image, Reading("a.jpg", (1100, 900), "take-it-higher", (replace(board, fleet=None),)), [])
    out = annotate(image, Reading("a.jpg", (1100, 900), "take-it-higher", (board,)), [])

    def red(picture: NDArray[np.uint8]) -> int:
        return int((np.abs(picture.astype(int) - PALETTE["red"]).max(axis=2) <= 12).sum())

    assert red(out) > 100 and red(plain) == 0
