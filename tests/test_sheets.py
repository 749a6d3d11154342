"""Score sheets of the tile games against the figures of the rulebooks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardsight.scoring.account import SheetLine
from boardsight.scoring.boards import BOARDS, EASY, HIGHER, NEXUS, ORCHID, SCRAPYARD, Board, Tile
from boardsight.scoring.notation import UNREAD, Position, State, parse_position, parse_state
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import bonus_lines, score, scoring_rows, scrapyard_value

DATA = Path(__file__).parent / "data"
HIGHER_EXAMPLES = json.loads((DATA / "higher_examples.json").read_text())["examples"]
LIMIT = json.loads((DATA / "limit_examples.json").read_text())
FORMS = [form for board in BOARDS.values() for form in board.forms]


def one_colour(board: Board, attribute: str, label: str) -> Position:
    """Return a board full of one tile that shows a label, however often it exists."""
    tile = next(t for t in board.tile_set.tiles if t.get(attribute) == label)
    return Position(board, (tile,) * len(board.cells))


@pytest.mark.parametrize("example", HIGHER_EXAMPLES, ids=lambda e: e["player"])
def test_printed_sheets_of_take_it_higher(example: dict[str, Any]) -> None:
    state = replace(parse_state(example["notation"]), ring=example["ring"])
    sheet = score(state, Rules(studs=example["studs_counted"]))
    printed = dict(example["sheet"])
    golds, silvers = printed.pop("golds", 0), printed.pop("silvers", 0)
    assert {c.colour: c.tiles for c in sheet.by_colour()} == printed
    assert sheet.subtotals["golds"] == 10 * golds
    assert sheet.subtotals["silvers"] == 9 * silvers
    assert sheet.subtotals["take-it-higher"] == example["ring"]
    assert sheet.total == example["total"]


def test_purple_rows_of_four_four_and_three_make_66() -> None:
    freddie = score(parse_state(HIGHER_EXAMPLES[0]["notation"]))
    purple = next(c for c in freddie.by_colour() if c.colour == "purple")
    assert sorted(e.length or 0 for e in freddie.of("row") if e.colour == "purple") == [3, 4, 4]
    assert (purple.tiles, purple.value, purple.points) == (11, 6, 66)


def test_studs_count_only_if_asked() -> None:
    state = parse_state(HIGHER_EXAMPLES[0]["notation"])
    assert score(state).subtotals == {"rows": 318, "golds": 0, "silvers": 0, "take-it-higher": 0}
    assert score(state, Rules(studs=True)).subtotals == {"rows": 318, "golds": 90, "silvers": 27, "take-it-higher": 0}


def test_ring_follows_from_the_ships_where_it_is_not_given() -> None:
    state = parse_state(HIGHER_EXAMPLES[0]["notation"] + " ; ships: r3.2=white+orange r1.1=blue")
    assert score(state).subtotals["take-it-higher"] == 40
    assert score(replace(state, ring=20)).subtotals["take-it-higher"] == 20
    assert score(state, Rules(ships="none")).subtotals["take-it-higher"] == 0
    assert score(state).lines[-1] == SheetLine("ring", 40, value=40)


def test_rows_carry_where_and_what() -> None:
    first = score(parse_state(HIGHER_EXAMPLES[0]["notation"])).lines[0]
    assert (first.what, first.board) == ("row", "higher")
    assert first.value is not None
    assert first.length == len(first.cells)
    assert first.points == first.value * len(first.cells)


def test_printed_total_of_the_nexus() -> None:
    nexus = LIMIT["nexus"]
    sheet = score(parse_state(f"nexus: {nexus['notation']} ; scrapyard: {nexus['scrapyard']}"))
    assert sheet.subtotals == {
        "rows": 498,
        "bonuses": 140,
        "ray": 50,
        "scrapyard-penalty": -60,
        "scrapyard-value": 53,
    }
    assert sheet.total == 628


def test_nexus_alone_has_no_penalty() -> None:
    sheet = score(parse_state("nexus: " + LIMIT["nexus"]["notation"]))
    assert sheet.total == 688
    assert "scrapyard-value" not in sheet.subtotals


@pytest.mark.parametrize("yard", LIMIT["scrapyards"], ids=lambda y: str(y["value"]))
def test_printed_scrap_yards(yard: dict[str, Any]) -> None:
    state = parse_state("scrapyard: " + yard["notation"])
    sheet = score(state)
    assert scrapyard_value(state.positions[0]) == sheet.subtotals["scrapyard-value"] == yard["value"]
    assert sheet.total == sheet.subtotals["scrapyard-penalty"] == yard["penalty"]
    assert [e.what for e in sheet.lines] == (["penalty"] if yard["penalty"] else [])


@pytest.mark.parametrize("variant", ["lowest", "pass", "none"])
def test_scrap_yard_variants_know_no_threshold(variant: str) -> None:
    state = parse_state("scrapyard: " + LIMIT["scrapyards"][0]["notation"])
    sheet = score(state, Rules(scrapyard=variant))
    assert sheet.total == 0
    assert sheet.subtotals.get("scrapyard-value") == (None if variant == "none" else 53)


def fill_lines(position: Position, cell: str, attributes: str) -> Position:
    """Return the position with the rows through a cell, of the given stripes, filled with the cell's own tile."""
    own = position.at(cell)
    for line in position.board.lines_through[position.board.index[cell]]:
        if line.attribute in attributes:
            for i in line.cells:
                if position.tiles[i] is None:
                    position = position.with_tile(position.board.cells[i].name, own)
    return position


@pytest.mark.parametrize(
    ("yard", "pays", "value"),
    [
        ("1-2-3sg 4-11-5m / 4-2-3mv 12-2-3m 4-6-5mg / 4-2-8m 9-6-3m", {"gold": [40, 40]}, 40),
        ("12-2-3m 4-2-5sv / 1-11-5s 1-7-3s 1-6-8m / 1-6-5sv 1-6-3mv", {"silver": [20, 40]}, 60),
        ("1-11-3m 1-6-3mv / 12-2-3m 1-2-5mv 4-2-3mv / 4-6-8s 4-2-5sv", {"silver": [20, 20, 20]}, 40),
    ],
    ids=["two half golds", "full and half silver", "three half silvers"],
)
def test_bonuses_of_a_scrap_yard(yard: str, pays: dict[str, list[int]], value: int) -> None:
    position = parse_position(yard, SCRAPYARD)
    found: dict[str, list[int]] = {}
    for entry in bonus_lines(position, scoring_rows(position)):
        found.setdefault(entry.colour, []).append(entry.points)
    assert {colour: sorted(points) for colour, points in found.items()} == pays
    assert scrapyard_value(position) == value
    assert score(State("take-it-to-the-limit", (position,))).of("bonus") == ()


def test_a_bonus_tile_needs_two_scoring_rows() -> None:
    tile = NEXUS.tile_set.by_text["1-2-3sg"]
    position = Position.empty(NEXUS).with_tile("c4.4", tile)
    pays = []
    for attributes in ("", "v", "vu", "vud"):
        sheet = score(State("take-it-to-the-limit", (fill_lines(position, "c4.4", attributes),)))
        entry = [e for e in sheet.of("bonus") if e.cells == ("c4.4",)]
        pays.append(entry[0].points if entry else 0)
    assert pays == [0, 0, 40, 80]
    silver = Position.empty(NEXUS).with_tile("c4.4", NEXUS.tile_set.by_text["4-6-8s"])
    assert score(State("take-it-to-the-limit", (fill_lines(silver, "c4.4", "vud"),))).of("bonus") == ()


@pytest.mark.parametrize(("attributes", "points"), [("v", 0), ("ud", 20), ("vud", 40)])
def test_a_silver_bonus(attributes: str, points: int) -> None:
    position = Position.empty(NEXUS).with_tile("c4.4", NEXUS.tile_set.by_text["4-6-3sv"])
    sheet = score(State("take-it-to-the-limit", (fill_lines(position, "c4.4", attributes),)))
    assert sum(e.points for e in sheet.of("bonus") if e.cells == ("c4.4",)) == points


def test_only_one_ray_counts_even_if_sun_and_moon_tie() -> None:
    tiles = NEXUS.tile_set.tiles
    suns = [t for t in tiles if t.get("symbol") == "s"]
    moons = [t for t in tiles if t.get("symbol") == "m"]
    position = Position.empty(NEXUS)
    for k in range(4):
        position = position.with_tile(f"c1.{k + 1}", suns[k]).with_tile(f"c7.{k + 1}", moons[k])
    sheet = score(State("take-it-to-the-limit", (position,)))
    assert [(e.length, e.points, e.colour) for e in sheet.of("ray")] == [(4, 40, "sun")]
    longer = position
    for k in range(5):
        longer = longer.with_tile(f"c2.{k + 1}", moons[k])
    assert [e.points for e in score(State("take-it-to-the-limit", (longer,))).of("ray")] == [50]


def test_orchid_before_and_after_relocation() -> None:
    orchid = LIMIT["orchid"]
    before = score(parse_state(f"orchid: {orchid['before']} ; reserve: {' '.join(orchid['reserve'])}"))
    after = score(parse_state(f"orchid: {orchid['notation']} ; reserve: {' '.join(orchid['reserve_left'])}"))
    assert before.total == orchid["total_before"]
    assert (after.subtotals["rows"], after.subtotals["bonuses"], after.total) == (294, 140, 434)
    assert after.of("ray") == ()


def test_the_halves_of_an_outer_orchid_row_match_as_one() -> None:
    for board in ORCHID.forms:
        outer = next(line for line in board.lines if any(board.cells[i].kind == "orchid" for i in line.cells[1:-1]))
        label = board.tile_set.attribute(outer.attribute).labels
        same = [t for t in board.tile_set.tiles if t.get(outer.attribute) == label[2]]
        odd = next(t for t in board.tile_set.tiles if t.get(outer.attribute) == label[3])

        def points(tiles: list[Tile | None], line: Any = outer, board: Board = board) -> int:
            position = Position.empty(board)
            for i, tile in zip(line.cells, tiles, strict=True):
                position = position.with_tile(board.cells[i].name, tile)
            return score(State(board.game, (position,))).total

        value = int(label[2])
        assert points([same[0], same[1], None, same[2], same[3]]) == 4 * value
        assert points([same[0], same[1], same[4], same[2], same[3]]) == 5 * value
        assert points([same[0], same[1], odd, same[2], same[3]]) == 0
        assert points([same[0], same[1], None, odd, odd]) == 0
        assert points([same[0], None, same[4], same[2], same[3]]) == 0


def test_rays_of_an_orchid_with_suns_and_moons() -> None:
    suns = [t for t in ORCHID.tile_set.tiles if t.get("symbol") == "s"]
    outer = next(line for line in ORCHID.lines if "c6.3" in (ORCHID.cells[i].name for i in line.cells[1:-1]))
    position = Position.empty(ORCHID)
    for i, tile in zip(outer.cells, [*suns[:2], None, *suns[2:4]], strict=True):
        position = position.with_tile(ORCHID.cells[i].name, tile)
    state = State("take-it-to-the-limit", (position,))
    assert score(state).of("ray") == ()
    assert [e.points for e in score(state, Rules(mixed=True)).of("ray")] == [40]
    moon = next(t for t in ORCHID.tile_set.tiles if t.get("symbol") == "m")
    broken = position.with_tile(ORCHID.cells[outer.cells[0]].name, moon)
    assert score(State("take-it-to-the-limit", (broken,)), Rules(mixed=True)).of("ray") == ()


@pytest.mark.parametrize("board", FORMS, ids=lambda b: f"{b.name}.{b.form}")
def test_a_board_of_one_colour_scores_each_of_its_rows_once(board: Board) -> None:
    direction, attribute = next(iter(board.stripes.items()))
    label = board.tile_set.attribute(attribute).labels[-1]
    state = State(board.game, (one_colour(board, attribute, label),))
    if board is SCRAPYARD:
        assert scrapyard_value(state.positions[0]) > 0
        return
    rows = [e for e in score(state).of("row") if e.direction == direction]
    lines = [line for line in board.lines if line.direction == direction]
    assert len(rows) == len(lines)
    assert sum(e.points for e in rows) == len(board.cells) * int(label)


def test_number_of_rows() -> None:
    # Take It Higher! 26 with 2 4 6 6 4 2 twice and 3 4 3 4 3 4 3 twice; Nexus 21, Scrap Yard 9, Orchid 18.
    assert [len(b.lines) for b in (HIGHER, NEXUS, SCRAPYARD, ORCHID, EASY)] == [26, 21, 9, 18, 15]
    lengths = {d: [len(line.cells) for line in HIGHER.lines if line.direction == d] for d in "vhud"}
    assert sorted(lengths["v"]) == sorted(lengths["h"]) == [2, 2, 4, 4, 6, 6]
    assert sorted(lengths["u"]) == sorted(lengths["d"]) == [3, 3, 3, 3, 4, 4, 4]


@st.composite
def filled(draw: st.DrawFn) -> Position:
    """Draw a position of the tiles of few labels, so that rows score often."""
    board = draw(st.sampled_from(FORMS))
    tiles = [t for t in board.tile_set.tiles if all(t.get(a.name) in a.labels[:2] for a in board.tile_set.attributes)]
    choices: list[Any] = [*tiles, None, UNREAD]
    weights = st.one_of(st.sampled_from(tiles[:2]), st.sampled_from(tiles[:2]), st.sampled_from(choices))
    return Position(board, tuple(draw(weights) for _ in board.cells))


@given(filled(), st.data())
def test_one_tile_changes_only_the_lines_through_its_cell(position: Position, data: st.DataObject) -> None:
    board = position.board
    cell = data.draw(st.sampled_from(board.cells))
    tile = data.draw(st.sampled_from([*board.tile_set.tiles, None]))
    before = set(score(State(board.game, (position,))).of("row"))
    after = set(score(State(board.game, (position.with_tile(cell.name, tile),))).of("row"))
    through = {board.cells[i].name for line in board.lines_through[board.index[cell.name]] for i in line.cells}
    for entry in before ^ after:
        assert set(entry.cells) <= through
        assert any(
            set(entry.cells) <= {board.cells[i].name for i in line.cells}
            for line in board.lines_through[board.index[cell.name]]
        )


@given(filled(), st.randoms())
def test_the_total_does_not_depend_on_the_order_of_lines(position: Position, rng: Any) -> None:
    board = position.board
    expected = score(State(board.game, (position,)), Rules(studs=True)).total
    lines = list(board.lines)
    rng.shuffle(lines)
    shuffled = replace(board)
    shuffled.__dict__["lines"] = tuple(lines)
    assert score(State(board.game, (Position(shuffled, position.tiles),)), Rules(studs=True)).total == expected


@given(filled())
def test_each_row_counts_once_and_the_lines_add_up(position: Position) -> None:
    sheet = score(State(position.board.game, (position,)), Rules(studs=True))
    rows = sheet.of("row")
    assert len({(e.direction, e.cells) for e in rows}) == len(rows)
    assert sum(e.points for e in sheet.lines) == sheet.total
    assert all(UNREAD is not position.at(cell) for e in rows for cell in e.cells)
