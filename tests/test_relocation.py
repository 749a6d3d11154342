"""Relocation of the Orchid's reserve tiles."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardsight.scoring.boards import LIMIT_TILES, ORCHID, Tile
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.notation import Position, State, parse_state
from boardsight.scoring.relocation import best_relocation, relocated, relocations
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score

EXAMPLE = json.loads((Path(__file__).parent / "data" / "limit_examples.json").read_text())["orchid"]
BEFORE = parse_state(f"orchid: {EXAMPLE['before']} ; reserve: {' '.join(EXAMPLE['reserve'])}")
AFTER = parse_state(f"orchid: {EXAMPLE['notation']} ; reserve: {' '.join(EXAMPLE['reserve_left'])}")
A, B, C = "c6.3", "c3.1", "c3.4"


def test_best_relocation_of_the_rulebook() -> None:
    best = best_relocation(BEFORE)
    assert best.moves == ((B, "1-11-10s"), (C, "1-2-3sg"))
    assert (best.gain, best.total) == (97, EXAMPLE["best_total"])
    assert str(best.state) == str(AFTER)


@pytest.mark.parametrize(
    ("state", "move", "won", "lost"),
    [
        (BEFORE, (B, "1-11-10s"), 11, 0),
        (BEFORE, (C, "1-2-3sg"), 6 + 80, 0),
        # The third sum of the rulebook is about the board on which the other two tiles have been moved.
        (AFTER, (A, "9-11-10s"), 19, 46),
    ],
    ids="BCA",
)
def test_sums_of_the_rulebook(state: State, move: tuple[str, str], won: int, lost: int) -> None:
    found = next(r for r in relocations(state) if r.moves == (move,))
    assert (found.won, found.lost) == (won, lost)


def test_every_way_is_tried() -> None:
    # None, 3 cells x 3 tiles, 3 pairs of cells x 6 pairs of tiles, 6 permutations.
    assert len({r.moves for r in relocations(BEFORE)}) == 1 + 9 + 18 + 6


def test_a_filled_orchid_cell_is_left_alone() -> None:
    assert {cell for r in relocations(AFTER) for cell, _ in r.moves} == {A}


def test_relocated_tiles_leave_the_reserve() -> None:
    tile = LIMIT_TILES.by_text["1-2-3sg"]
    after = relocated(BEFORE, ((C, tile),))
    assert after.positions[0].at(C) is tile
    assert [str(t) for t in after.reserve] == ["1-11-10s", "9-11-10s"]


def test_only_the_orchid_relocates() -> None:
    with pytest.raises(BoardsightError, match="no orchid board"):
        best_relocation(parse_state("-- -- / -- -- -- / -- --"))


@st.composite
def orchids(draw: st.DrawFn) -> State:
    """Draw a full orchid board of tiles with few labels, with a reserve."""
    board = draw(st.sampled_from(ORCHID.forms))
    few = st.sampled_from([t for t in LIMIT_TILES.tiles if t.get("v") in "1 4" and t.get("u") in "2 6"][:6])
    tiles: list[Tile | None] = [None if cell.kind == "orchid" else draw(few) for cell in board.cells]
    reserve = draw(st.lists(st.sampled_from(LIMIT_TILES.tiles), max_size=3, unique=True))
    return State(board.game, (Position(board, tuple(tiles)),), tuple(reserve))


@given(orchids(), st.booleans())
def test_best_is_at_least_every_single_one_and_gains_are_true(state: State, mixed: bool) -> None:
    rules = Rules(mixed=mixed)
    best = best_relocation(state, rules)
    now = score(state, rules).total
    assert best.total >= now
    for relocation in relocations(state, rules):
        assert relocation.total <= best.total
        assert relocation.total == now + relocation.gain
        assert len(relocation.state.reserve) == len(state.reserve) - len(relocation.moves)


def test_moving_nothing_is_best_of_equals() -> None:
    empty = replace(BEFORE, positions=(Position.empty(ORCHID),))
    assert best_relocation(empty).moves == ()
