"""Spaceships: the worked events of the rulebook, and why other launches are refused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from boardsight.scoring.boards import HIGHER
from boardsight.scoring.notation import Position, State, parse_state
from boardsight.scoring.pad import SHIPS
from boardsight.scoring.ships import launch_problem, launches, open_launches, with_launch

CELL, AWAY = "r3.3", "r6.2"


def board_with(rows: Mapping[str, str], studs: Mapping[str, str] | None = None, cell: str = CELL) -> Position:
    """Return a board whose rows through a cell are of the given numbers, by direction, and of the given studs.

    Only these rows are filled; every tile is there once.
    """
    free = list(HIGHER.tile_set.tiles)
    position = Position.empty(HIGHER)
    wanted: dict[int, dict[str, str]] = {}
    for line in HIGHER.lines_through[HIGHER.index[cell]]:
        for i in line.cells:
            if line.direction in rows:
                wanted.setdefault(i, {})[line.attribute] = rows[line.direction]
            if line.direction in (studs or {}):
                wanted.setdefault(i, {})["stud"] = (studs or {})[line.direction]
    for i in sorted(wanted, key=lambda i: -len(wanted[i])):
        x, y = HIGHER.cells[i].at
        labels = {"stud": "GS"[(x + y // 2) % 2], **wanted[i]}  # mixed studs in every direction unless asked for
        tile = next(t for t in free if all(t.get(name) == label for name, label in labels.items()))
        free.remove(tile)
        position = position.with_tile(HIGHER.cells[i].name, tile)
    return position


def state_with(position: Position, launched: str, where: str = AWAY) -> State:
    """Return a state with ships that stand on one tile, away from the rows in question."""
    ships = tuple(launched.split())
    return State("take-it-higher", (position,), ships=((where, ships),) if ships else ())


def offered(state: State, kind: str, cell: str = CELL) -> dict[tuple[str, ...], int]:
    """Return the ships of each legal launch and the ring after it."""
    return {launch.ships: launch.ring for launch in launches(state, cell, kind)}


def test_simple_white_alone_moves_the_ring_to_20() -> None:
    assert offered(state_with(board_with({"v": "1"}), ""), "simple") == {("white",): 20}


def test_simple_three_ships_onto_one_tile_move_the_ring_to_80() -> None:
    state = state_with(board_with({"h": "2", "d": "3", "u": "4"}), "white")
    assert offered(state, "simple") == {
        ("orange",): 40,
        ("orange", "yellow"): 60,
        ("orange", "yellow", "pink"): 80,
    }
    after = with_launch(state, CELL, ("orange", "yellow", "pink"))
    assert after.ring == 80
    assert after.ships == ((AWAY, ("white",)), (CELL, ("orange", "yellow", "pink")))


def test_simple_red_and_silver_in_the_last_turn_move_the_ring_from_140_to_180() -> None:
    state = state_with(board_with({"v": "8", "d": "3"}, {"d": "S"}), " ".join(SHIPS[:7]))
    assert offered(state, "simple") == {("red",): 160, ("red", "silver"): 180}


def test_simple_one_row_serves_one_ship_only() -> None:
    state = state_with(board_with({"v": "8"}, {"v": "S"}), " ".join(SHIPS[:7]))
    assert offered(state, "simple") == {("red",): 160}
    assert launch_problem(state, CELL, ("red", "silver")) == "each ship needs a completed row of its own"
    later = state_with(board_with({"v": "8"}, {"v": "S"}), " ".join(SHIPS[:8]))
    assert offered(later, "simple") == {("silver",): 180}


def test_advanced_green_is_blocked_by_blue_on_its_row() -> None:
    position = board_with({"d": "3", "v": "8", "u": "5"})
    green = next(line for line in HIGHER.lines_through[HIGHER.index[CELL]] if line.direction == "u")
    other = next(HIGHER.cells[i].name for i in green.cells if HIGHER.cells[i].name != CELL)
    state = state_with(position, "blue", other)
    assert set(offered(state, "advanced")) == {("yellow",), ("red",)}
    assert launch_problem(state, CELL, ("green",), "advanced") == (
        f"the blue ship stands on {other}, on the row that the green ship needs"
    )


def test_advanced_white_last_moves_the_ring_from_0_to_60() -> None:
    state = state_with(board_with({"v": "1"}), "orange yellow blue red")
    assert offered(state, "advanced") == {("white",): 60}
    assert launches(state, CELL, "advanced")[0].rows[0][0].startswith("r")


def test_advanced_gold_takes_any_all_gold_row_that_is_free() -> None:
    position = board_with({"v": "1", "h": "2"}, {"v": "G", "h": "G"})
    across = [line for line in HIGHER.lines_through[HIGHER.index[CELL]] if line.direction == "v"]
    other = next(HIGHER.cells[i].name for i in across[0].cells if HIGHER.cells[i].name != CELL)
    state = state_with(position, "blue", other)
    assert set(offered(state, "advanced")) == {("orange",), ("gold",)}


def test_ships_may_be_launched_only_for_rows_through_the_tile() -> None:
    state = state_with(board_with({"v": "1"}), "")
    assert launches(state, "r4.1") == ()
    assert launch_problem(state, "r4.1", ("white",)) == "no white row was completed on r4.1"


@pytest.mark.parametrize(
    ("launched", "ships", "kind", "reason"),
    [
        ("", "orange", "simple", "ships leave in the order of the launch pad: next is white"),
        ("white", "white", "simple", "the white ship was launched before"),
        ("white", "white", "advanced", "the white ship was launched before"),
        ("white", "orange+orange", "simple", "a ship is launched twice"),
        ("white", "orange+yellow", "advanced", "advanced ships leave one a turn"),
        ("white", "blue", "advanced", "no blue row was completed on r3.3"),
        ("white", "gold", "advanced", "no all-gold scoring row was completed on r3.3"),
        ("white", "mauve", "simple", "'mauve' is no ship"),
        ("white", "yellow+orange", "simple", "ships leave in the order of the launch pad: next is orange"),
        ("white", "orange", "simple", ""),
        ("white", "yellow", "advanced", ""),
    ],
)
def test_reasons(launched: str, ships: str, kind: str, reason: str) -> None:
    state = state_with(board_with({"h": "2", "d": "3"}), launched)
    assert launch_problem(state, CELL, tuple(ships.split("+")), kind) == reason


def test_an_incomplete_row_launches_nothing() -> None:
    position = board_with({"v": "1"}).with_tile("r2.2", None)
    assert launches(state_with(position, ""), CELL) == ()


def test_with_launch_adds_to_a_tile() -> None:
    state = parse_state("GP SG / SN SO GH GO / GB GK GJ SD GL SL / SE SM SP SF SH GG / GI SB GD GM / GF GE")
    after = with_launch(with_launch(state, "r3.2", ("white",)), "r3.2", ("orange",))
    assert after.ships == (("r3.2", ("white", "orange")),)
    assert after.ring == 40


def test_open_launches_look_at_every_tile_without_a_ship() -> None:
    state = state_with(board_with({"v": "1"}), "")
    column = {HIGHER.cells[i].name for line in HIGHER.lines for i in line.cells if line.direction == "v"}
    found = open_launches(state)
    assert {launch.cell for launch in found} == {"r1.1", "r2.2", "r3.3", "r4.3", "r5.2", "r6.1"} & column
    after = with_launch(state, CELL, ("white",))
    assert open_launches(after) == ()
    assert CELL not in {launch.cell for launch in open_launches(after, "advanced")}
