"""Ships and ring of a reading on the sheet, in JSON, in the text and in the warnings."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from boardsight.cli.printing import print_fleet
from boardsight.scoring.pad import SHIPS
from boardsight.scoring.rules import Rules
from boardsight.tournament.jsonl import photo_object
from boardsight.tournament.outcome import Outcome, assess
from boardsight.vision.reading import FleetReading, Reading, ShipReading

if TYPE_CHECKING:
    from tests.conftest import MakeBoard

HIGHER = "GP SG / SN SO GH GO / GB GK GJ SD GL SL / SE SM SP SF SH GG / GI SB GD GM / GF GE"
BASIC = 318


def ship(name: str, cell: str, confidence: float = 0.9999, runner_up: str = "", certain: bool = True) -> ShipReading:
    return ShipReading(name, cell, confidence, (1.0, 2.0), runner_up, certain)


def outcome(make_board: MakeBoard, fleet: FleetReading, rules: str = "", notation: str = HIGHER) -> Outcome:
    board = replace(make_board("higher", notation), fleet=fleet)
    return assess(Reading("a.jpg", (10, 10), "take-it-higher", (board,)), Rules.parse(rules))


def test_the_bonus_is_the_rings_button(make_board: MakeBoard) -> None:
    found = outcome(make_board, FleetReading((ship("white", "r1.1"), ship("orange", "r2.1")), 40))
    (player,) = found.players
    assert player.sheet.subtotals["take-it-higher"] == 40
    assert player.sheet.total == BASIC + 40
    assert player.state.ships == (("r1.1", ("white",)), ("r2.1", ("orange",)))
    assert player.certain and found.warnings == ()
    data = photo_object(found)
    assert data["ships"] == {"r1.1": ["white"], "r2.1": ["orange"]}
    assert data["launched"] == ["white", "orange"]
    assert data["ring"] == 40
    pieces = json.loads(json.dumps(data))["boards"][0]["fleet"]
    assert pieces[0] == {"ship": "white", "cell": "r1.1", "confidence": 0.9999, "centre": [1.0, 2.0], "certain": True}
    assert pieces[-1] == {"ring": 40, "confidence": 1.0, "certain": True}


def test_without_ships_and_ring_nothing_is_said(make_board: MakeBoard) -> None:
    found = outcome(make_board, FleetReading())
    data = photo_object(found)
    assert not {"ships", "launched", "ring"} & set(data)
    assert "fleet" not in json.loads(json.dumps(data))["boards"][0]
    assert data["certain"] is True and found.warnings == ()
    assert found.players[0].sheet.total == BASIC


def test_a_ring_alone_counts(make_board: MakeBoard) -> None:
    found = outcome(make_board, FleetReading((), 120))
    assert found.players[0].sheet.total == BASIC + 120
    assert found.warnings == ()


def test_no_ships_leaves_ships_and_ring_out(make_board: MakeBoard) -> None:
    found = outcome(make_board, FleetReading((ship("white", "r1.1", 0.6, "silver", False),), 200), "no-ships")
    data = photo_object(found)
    assert not {"ships", "launched", "ring"} & set(data)
    assert data["certain"] is True and found.warnings == ()
    assert found.players[0].sheet.total == BASIC


def test_ring_and_ships_that_disagree_are_both_named(make_board: MakeBoard) -> None:
    found = outcome(make_board, FleetReading((ship("white", "r1.1"),), 60))
    assert found.warnings == ("higher: the ring rests on 60, which counts, but by the ships it has to rest on 20",)
    assert found.players[0].sheet.total == BASIC + 60
    assert photo_object(found)["certain"] is False


def test_tiles_and_pad_that_disagree_are_both_named(make_board: MakeBoard) -> None:
    waiting = tuple(ship(name, "") for name in SHIPS[2:])
    found = outcome(make_board, FleetReading((ship("white", "r1.1"), *waiting), 40))
    assert found.warnings == (
        "higher: by the ships on tiles the ring has to rest on 20, by those on the launch pad on 40; one may be hidden",
        "higher: not to be seen on tiles or launch pad: orange",
    )
    assert found.players[0].sheet.total == BASIC + 40


def test_without_a_ring_the_ships_say_what_counts(make_board: MakeBoard) -> None:
    found = outcome(make_board, FleetReading((ship("white", "r1.1"),)))
    assert found.warnings == ("higher: no ring is to be seen; by the ships it has to rest on 20, and that is counted",)
    assert found.players[0].sheet.total == BASIC + 20
    assert "ring" not in photo_object(found)


@pytest.mark.parametrize(
    ("doubtful", "warning"),
    [
        (
            ship("white", "r1.1", 0.61, "silver", False),
            "higher r1.1 seems to hold the white ship (61 % sure); it may be the silver one",
        ),
        (
            ship("white", "r1.1", 0.61, "", False),
            "higher r1.1 seems to hold the white ship (61 % sure); there may be none",
        ),
        (
            ship("", "r1.1", 0.8, "white", False),
            "higher r1.1 may hold the white ship; it is read as if none stood there (80 % sure)",
        ),
        (
            ship("gold", "", 0.8, "red", False),
            "higher: the launch pad seems to hold the gold ship (80 % sure); it may be the red one",
        ),
    ],
)
def test_a_doubtful_ship_is_named(make_board: MakeBoard, doubtful: ShipReading, warning: str) -> None:
    found = outcome(make_board, FleetReading((doubtful,)))
    assert found.warnings[0] == warning
    assert photo_object(found)["certain"] is False
    assert not found.players[0].certain


def test_a_ring_that_may_be_there_says_what_it_would_change(make_board: MakeBoard) -> None:
    assert outcome(make_board, FleetReading((), None, 0.7, 40, False)).warnings == (
        "higher: no ring is to be seen (70 % sure); it may rest on 40, and then the total would be 358 instead of 318",
    )
    assert outcome(make_board, FleetReading((), None)).warnings == ()


def test_a_doubtful_ring_says_what_it_would_change(make_board: MakeBoard) -> None:
    fleet = FleetReading((ship("white", "r1.1"),), 20, 0.7, 40, False)
    assert outcome(make_board, fleet).warnings == (
        "higher: the ring rests on 20 (70 % sure); it may rest on 40, and then the total would be 358 instead of 338",
    )


def test_a_ship_on_an_empty_space_is_named(make_board: MakeBoard) -> None:
    found = outcome(make_board, FleetReading((ship("white", "r1.1"),), 20), notation=HIGHER.replace("GP", "--", 1))
    assert found.warnings == ("higher: white on an empty space (r1.1): a ship stands on a tile",)


def test_each_player_has_ships_of_their_own(make_board: MakeBoard) -> None:
    first = replace(make_board("higher", HIGHER), fleet=FleetReading((ship("white", "r1.1"),), 20))
    second = replace(make_board("higher", HIGHER, at=(2000.0, 0.0)), fleet=FleetReading((), 60))
    found = assess(Reading("a.jpg", (10, 10), "take-it-higher", (first, second)), Rules())
    boards = json.loads(json.dumps(photo_object(found)))["boards"]
    assert (boards[0]["ships"], boards[0]["ring"]) == ({"r1.1": ["white"]}, 20)
    assert "ships" not in boards[1] and boards[1]["ring"] == 60
    assert [player.sheet.total for player in found.players] == [BASIC + 20, BASIC + 60]


def test_the_text_says_who_stands_where(make_board: MakeBoard) -> None:
    console = Console(record=True, width=80)
    fleet = FleetReading((ship("white", "r1.1"), ship("gold", "r1.1"), ship("red", "r2.1")), 20)
    print_fleet(console, outcome(make_board, fleet).players[0].state)
    assert [line.strip() for line in console.export_text().splitlines() if line.strip()] == [
        "r1.1  white, gold",
        "r2.1  red",
        "the ring rests on 20",
    ]
    print_fleet(console, outcome(make_board, FleetReading()).players[0].state)
    assert not console.export_text().strip()
