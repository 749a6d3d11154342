"""Everything that is wrong with a state."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from boardsight.scoring.boards import HIGHER, ORCHID, Tile
from boardsight.scoring.notation import Position, State, format_position, parse_state
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score
from boardsight.scoring.status import RULES, status

DATA = Path(__file__).parent / "data"
HIGHER_EXAMPLES = json.loads((DATA / "higher_examples.json").read_text())["examples"]
LIMIT = json.loads((DATA / "limit_examples.json").read_text())
FREDDIE = HIGHER_EXAMPLES[0]["notation"]
EMPTY_YARD = "-- -- / -- -- -- / -- --"


def codes(line: str, rules: str = "", game: str | None = None) -> list[str]:
    """Return the kinds of problems of a line."""
    return [problem.code for problem in status(parse_state(line, game), Rules.parse(rules))]


@pytest.mark.parametrize("example", HIGHER_EXAMPLES, ids=lambda e: e["player"])
def test_nothing_is_wrong_with_the_boards_of_the_rulebook(example: dict[str, str]) -> None:
    assert codes(example["notation"]) == []


def test_nothing_is_wrong_with_the_limit_boards_of_the_rulebook() -> None:
    nexus, orchid = LIMIT["nexus"], LIMIT["orchid"]
    assert codes(f"nexus: {nexus['notation']}") == codes(f"scrapyard: {nexus['scrapyard']}") == []
    # The two pictures are of different games: four tiles lie on both.
    assert codes(f"nexus: {nexus['notation']} ; scrapyard: {nexus['scrapyard']}") == ["tile-twice"] * 4
    assert codes(f"orchid: {orchid['notation']} ; reserve: {' '.join(orchid['reserve_left'])}") == []


def test_a_tile_twice_names_both_cells() -> None:
    (problem,) = status(parse_state(FREDDIE.replace("SG", "GP")))
    assert (problem.code, problem.cells) == ("tile-twice", ("r1.1", "r1.2"))
    assert problem.rule == RULES["tile-twice"]
    assert str(problem) == "tile GP is there 2 times (r1.1, r1.2): each tile of a player exists once"


def test_a_tile_twice_on_two_boards_and_in_reserve() -> None:
    line = f"orchid: {LIMIT['orchid']['before']} ; reserve: 4-7-5s"
    (problem,) = status(parse_state(line))
    assert problem.cells == ("c1.1", "reserve")
    yard = EMPTY_YARD.replace("--", "4-2-8m", 1)
    (problem,) = status(parse_state(f"nexus: {LIMIT['nexus']['notation']} ; scrapyard: {yard}"))
    assert problem.cells == ("nexus c1.1", "scrapyard c1.1")


def test_letter_and_stripes_that_disagree() -> None:
    right = HIGHER.tile_set.by_text["GA"]
    shows = tuple(("white-red", "1") if name == "white-red" else (name, label) for name, label in right.shows)
    position = Position.empty(HIGHER).with_tile("r1.1", Tile("GA", shows)).with_tile("r1.2", Tile("ZZ", ()))
    problems = status(State("take-it-higher", (position,)))
    assert [p.code for p in problems] == ["tile-false", "tile-false"]
    assert problems[0].message == "tile GA shows another white-red"
    assert problems[1].message == "'ZZ' is no tile of this game"


def test_unread_tiles() -> None:
    assert codes(FREDDIE.replace("GP", "??")) == ["unread"]
    assert codes(f"orchid: {LIMIT['orchid']['before']} ; reserve: ??") == ["unread"]


def test_tiles_on_a_scrap_yard_that_is_not_played() -> None:
    yard = EMPTY_YARD.replace("--", "1-2-3sg", 1)
    (problem,) = status(
        parse_state(f"nexus: {LIMIT['nexus']['notation']} ; scrapyard: {yard}"), Rules(scrapyard="none")
    )
    assert problem.code == "tiles-drawn"
    assert "38 tiles were drawn" in problem.message


def test_the_orchid() -> None:
    orchid = LIMIT["orchid"]
    before = f"orchid: {orchid['before']} ; reserve: "
    assert codes(before + "1-11-10s 1-2-3sg 9-11-10s 9-7-8s") == ["reserve", "tiles-drawn"]
    assert codes(f"orchid: {orchid['notation']} ; reserve: 9-11-10s 1-11-3m") == ["tiles-drawn", "orchid-symbols"]
    assert codes(before + "1-11-3m") == ["orchid-symbols"]
    assert codes(before + "1-11-3m", "suns-and-moons") == []
    early = format_position(Position.empty(ORCHID).with_tile("c3.1", ORCHID.tile_set.tiles[0]))
    (problem,) = status(parse_state(f"orchid: {early}"))
    assert (problem.code, problem.cells) == ("orchid-early", ("c3.1",))


# On Freddie's board r3.2 lies on no scoring row of some colours; these cells carry the rows that are named.
@pytest.mark.parametrize(
    ("extras", "rules", "expected"),
    [
        ("ring: 180", "", []),
        ("ships: {white}=white ; ring: 20", "simple", []),
        ("ships: {white}=white ; ring: 40", "simple", ["ring"]),
        ("ships: {orange}=orange ; ring: 20", "advanced", ["ring"]),
        ("ships: {white}=white ; ring: 0", "", ["ring"]),
        ("ships: {orange}=orange", "simple", ["ship-order"]),
        ("ships: {orange}=orange", "advanced", []),
        ("ships: {white}=white {orange}=white", "", ["ship-row", "ship-twice"]),
        ("ships: {white}=gold", "", ["ship-row"]),
        ("ships: {white}=white ; ring: 20", "no-ships", ["ships-not-played"]),
    ],
)
def test_ships(extras: str, rules: str, expected: list[str]) -> None:
    rows = {line.colour: line.cells for line in score(parse_state(FREDDIE)).of("row")}
    line = extras.format(white=rows["white"][0], orange=rows["orange"][-1])
    assert codes(f"{FREDDIE} ; {line}", rules) == expected


def test_ring_above_an_unlaunched_ship_says_which() -> None:
    state = parse_state(f"{FREDDIE} ; ring: 40")
    cell = next(line.cells[0] for line in score(state).of("row") if line.colour == "white")
    (problem,) = status(replace(state, ships=((cell, ("white",)),)))
    assert problem.message == "the ring rests on 40, above the orange ship, which is still on the pad"


def one_colour_board(letter: str) -> Position:
    """Return a board full of one tile; that it is there so often is beside the point here."""
    return Position(HIGHER, (HIGHER.tile_set.by_text["G" + letter],) * 24)


@pytest.mark.parametrize(
    ("ships", "rules", "expected"),
    [
        ((("r3.3", ("white", "orange")),), "simple", []),
        ((("r3.3", ("white", "orange")),), "advanced", ["ship-one-a-turn"]),
        # Blue stands on the row (column) that white needs; blue itself has no row here.
        ((("r3.3", ("white",)), ("r4.3", ("orange",))), "advanced", ["ship-shared-row"]),
        ((("r3.3", ("white",)), ("r4.3", ("orange",))), "simple", []),
        # Every row through r3.3 is gold, but the four rows serve at most four ships.
        ((("r3.3", ("white", "orange", "yellow", "pink", "gold")),), "", ["ship-own-row"]),
        ((("r3.3", ("red",)),), "", ["ship-row"]),
    ],
)
def test_ships_on_rows(ships: tuple[tuple[str, tuple[str, ...]], ...], rules: str, expected: list[str]) -> None:
    state = State("take-it-higher", (one_colour_board("P"),), ships=ships)
    found = [problem.code for problem in status(state, Rules.parse(rules)) if problem.code != "tile-twice"]
    assert found == expected


def test_two_ships_on_one_bonus_row() -> None:
    # Gold on r3.3 may use any of the four rows through it: three of them are shared with other ships, then all.
    board = one_colour_board("P")
    three = (("r3.3", ("gold",)), ("r4.3", ("blue",)), ("r3.4", ("red",)), ("r2.1", ("green",)))
    four = (*three, ("r4.2", ("purple",)))
    for ships, shared in ((three, False), (four, True)):
        problems = status(State("take-it-higher", (board,), ships=ships), Rules(ships="advanced"))
        found = [p for p in problems if p.code == "ship-shared-row" and "gold" in p.message]
        assert bool(found) is shared


def test_a_ship_on_an_empty_space() -> None:
    assert codes(f"{FREDDIE.replace('GP', '--')} ; ships: r1.1=white") == ["ship-nowhere"]


@pytest.mark.parametrize(
    ("line", "game", "expected"),
    [
        ("97 55 x2 x2 +5", "take-5", []),
        ("97 55 97", "take-5", ["card-twice"]),
        ("97 ??", "take-5", ["unread"]),
        ("5 5 5 4 4 2 V", "high-score", []),
        ("5 5 5 4 4 2", "high-score", ["dice"]),
        ("5 5 5 4 4 2 1 1", "high-score", ["dice"]),
        ("5 5 5 4 4 2 ??", "high-score", ["unread"]),
    ],
)
def test_cards_and_dice(line: str, game: str, expected: list[str]) -> None:
    assert codes(line, game=game) == expected


def test_every_kind_names_its_rule() -> None:
    assert all(rule and not rule.endswith(".") for rule in RULES.values())
