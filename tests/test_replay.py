"""Replays: full games of every kind, and every kind of illegal move refused with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from boardsight.scoring.match import parse_match
from boardsight.scoring.record import Replay
from boardsight.scoring.replay import replay
from boardsight.scoring.status import status

MATCHES = sorted((Path(__file__).parent / "data" / "matches").glob("*.match"))
EASY = "game: take-it-easy\nplayers: A, B\nround 1\n"
HIGHER = "game: take-it-higher\nplayers: A\n"
LIMIT = "game: take-it-to-the-limit\nplayers: A\n"
ORCHID = LIMIT + "board: orchid\n"
TAKE5 = "game: take-5\nplayers: A, B\nround 1\ntable | 3 40 97 60 61 62 63\n"
HANDS = (
    "deal | 1 2 4 5 6 7 8 9 10 11 12 13 14 x2 | 20 21 22 23 24 25 26 27 28 29 30 31 +5 x2\n",
    "deal | 1 2 4 5 6 7 8 9 10 11 12 13 14 x2 | 20 21 22 23 24 25 26 27 28 29 30 31 32 3\n",
)
DICE = "game: high-score\nplayers: A, B\n"


def play(text: str) -> Replay:
    """Return the replay of a text."""
    return replay(parse_match(text))


def reasons(text: str) -> list[str]:
    """Return the reasons of all refusals, those for unfinished rounds left out."""
    return [r.reason for r in play(text).refusals if "not finished" not in r.reason]


@pytest.mark.parametrize("path", MATCHES, ids=lambda p: p.stem)
def test_full_matches_are_legal(path: Path) -> None:
    result = replay(parse_match(path.read_text(encoding="utf-8")))
    assert result.legal
    for played in result.rounds:
        for player in played.players:
            assert player.state is not None
            assert status(player.state, result.match.rules) == ()


@pytest.mark.parametrize(
    ("name", "standings"),
    [
        ("easy", [(1, "Bert", 358), (2, "Anna", 269)]),
        ("higher_advanced", [(1, "Freddie", 357), (2, "Hannah", 350)]),
        ("higher_simple", [(1, "Jonathan", 667), (2, "Oliver", 620), (3, "Zoë", 619)]),
        ("nexus", [(1, "Anna", 411), (2, "Bert", 323), (3, "Cleo", 274)]),
        ("nexus_pass", [(1, "Anna", 925), (2, "Bert", 870), (3, "Cleo", 714)]),
        ("orchid", [(1, "Bert", 276), (2, "Anna", 235)]),
        ("take5", [(1, "Bert", 11), (2, "Anna", -44)]),
        ("high_score", [(1, "Cleo", 15), (2, "Anna", 12), (3, "Bert", 12)]),
    ],
)
def test_standings(name: str, standings: list[tuple[int, str, int]]) -> None:
    path = next(p for p in MATCHES if p.stem == name)
    result = replay(parse_match(path.read_text(encoding="utf-8")))
    assert [(s.rank, s.name, s.total) for s in result.standings] == standings
    for player, total in ((s.name, s.total) for s in result.standings):
        assert total == sum(p.points for played in result.rounds for p in played.players if p.player == player)


def test_the_caller_rotates() -> None:
    result = play("game: take-it-easy\nplayers: A, B\nround 1\nround 2\nround 3\n")
    assert [played.first for played in result.rounds] == ["A", "B", "A"]


# A white column of two, enough to launch with.
COLUMN = "GP | r3.1\nGO | r4.1 {}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # placements
        (EASY + "1-2-8 | c9.9 | c1.1\n", "'c9.9' is no cell of the easy board"),
        (EASY + "1-2-8 | c1.1 | c1.1\n1-2-4 | c1.1 | c1.2\n", "c1.1 is occupied by 1-2-8"),
        (EASY + "1-2-8 | - | c1.1\n", "every player must place the tile"),
        (EASY + "1-2-8 | c1.1 c1.2 | c1.1\n", "after the cell only launch SHIP+SHIP may follow"),
        (EASY + "1-2-8 | scrap c1.1 | c1.1\n", "there is no scrapyard in this game"),
        (EASY + "1-2-8 | reserve | c1.1\n", "only the Orchid has a reserve"),
        # calls
        (EASY + "1-2-8 | c1.1 | c1.1\n1-2-8 | c1.2 | c1.2\n", "1-2-8 was called before, on line 4"),
        (EASY + "1-2-5 | c1.1 | c1.1\n", "'1-2-5' does not exist"),
        (EASY + "relocate | - | -\n", "only the Orchid relocates tiles"),
        (EASY.replace("round 1", "round 2"), "round 1 is expected here"),
        # ships
        (HIGHER + "round 1\n" + COLUMN.format("launch white"), "spaceships are not played"),
        (
            HIGHER + "rules: simple\nround 1\nGP | r1.1\nGO | r1.2 launch orange\n",
            "ships leave in the order of the launch pad: next is white",
        ),
        (HIGHER + "rules: simple\nround 1\nGP | r3.1 launch white\n", "no white row was completed on r3.1"),
        (HIGHER + "rules: simple\nround 1\n" + COLUMN.format("launch white+white"), "a ship is launched twice"),
        (HIGHER + "rules: advanced\nround 1\n" + COLUMN.format("launch white+gold"), "advanced ships leave one a turn"),
        (HIGHER + "rules: advanced\nround 1\n" + COLUMN.format("launch silver"), "no all-silver scoring row"),
        (HIGHER + "rules: advanced\nround 1\n" + COLUMN.format("launch mauve"), "'mauve' is no ship"),
        # Scrap Yard and Orchid
        (LIMIT + "round 1\n1-2-3sg | scrap c1.1\n1-2-8s | scrap c1.1\n", "c1.1 is occupied by 1-2-3sg"),
        (LIMIT + "round 1\n1-2-3sg | scrap\n", "one cell of the Scrap Yard must be named"),
        (LIMIT + "round 1\n1-2-3sg | scrap c1.3\n", "'c1.3' is no cell of the scrapyard board"),
        (LIMIT + "rules: no-scrapyard\nround 1\n1-2-3sg | scrap c1.1\n", "there is no scrapyard in this game"),
        (ORCHID + "round 1\n1-2-3sg | c3.1\n", "c3.1 is an orchid cell"),
        (ORCHID + "round 1\n1-2-3sg | c1.1\n1-2-5mv | c1.2\n", "suns only or moons only"),
        (ORCHID + "round 1\n1-2-3sg | c1.1\nrelocate | -\n", "after the last tile, 1 of 25 drawn"),
        (
            ORCHID + "round 1\n1-2-3sg | reserve\n1-2-8s | reserve\n1-6-5sv | reserve\n1-6-10s | reserve\n",
            "the reserve holds 3 tiles already",
        ),
        # Take 5!
        (TAKE5 + "turn | 98>3 | 1\n", "98 belongs to the row that ends with 97, not 3"),
        (TAKE5 + "turn | x2 | 1\n", "x2 needs a row, e.g. x2>3"),
        (TAKE5 + "turn | x2>5 | 1\n", "no row ends with 5"),
        (TAKE5 + "turn | x2>3 | x2>3\n", "the row that ends with 3 has a x2 already"),
        (TAKE5 + "turn | 1 2 4 5 | 6\n", "at most 3 cards are played a turn"),
        (TAKE5 + "turn | 5 | 5\n", "card 5 is played already"),
        (TAKE5 + "turn | 40 | 5\n", "card 40 is on the table already"),
        (TAKE5 + "turn | 99 | 5\n", "card '99'"),
        (TAKE5 + "turn | 5>five | 6\n", "'five' is no final number"),
        (TAKE5 + "turn | ?? | 6\n", "an unread card cannot be played"),
        (TAKE5 + HANDS[0] + "turn | 15 | 20\n", "card 15 is not in the hand"),
        (TAKE5 + HANDS[0] + "turn | - | 20\n", "at least one card must be played"),
        (TAKE5 + HANDS[0] + "hand | +5 | +5 x2\n", "the hand holds x2"),
        (TAKE5 + HANDS[1], "card 3 exists once"),
        (TAKE5 + "deal | 1 2 | 5\n", "14 cards are dealt to each player, not 2"),
        (TAKE5 + "turn | 1 | 2\ndeal | 1 | 2\n", "cards are dealt once, before the first turn"),
        (TAKE5 + "table | 5\n", "the table was laid before"),
        (TAKE5 + "hand | 7 | x2\n", "only special cards in hand count"),
        (TAKE5 + "draw | 7 | x2\n", "a line of Take 5! begins with"),
        (TAKE5.replace(" 63", ""), "7 cards are laid for 2 players"),
        (TAKE5.replace(" 63", " x2"), "rows begin with a number card"),
        (TAKE5.replace("A, B", "A"), "Take 5! is for 2 to 6 players, not 1"),
        ("game: take-5\nplayers: A, B\nround 1\nturn | 5 | 6\n", "the table must be laid first"),
        ("game: take-5\nplayers: A, B\nround 1\n", "the round has no table"),
        # High Score
        (DICE + "round 1: total vortex=5\nroll | 1 2 3 4 5 V | -\n", "7 dice are expected, not 6"),
        (DICE + "round 1: total vortex=5\nroll | 1 2 3 4 5 V 6 | -\n", "die '6'"),
        (DICE + "round 1: total vortex=5\nroll | - | 1 1 1 1 1 1 1\n", "every player rolls at least once"),
        (DICE + "round 1: total vortex=5\nroll | 1 + 1 1 1 1 1 1 | -\n", "the first roll is of all dice"),
        (DICE + "round 1: total vortex=5\nthrow | 1 | 1\n", "begins with roll"),
        (DICE + "round 1: total vortex=5\nroll | 1 1 1 1 1 1 ?? | -\n", "unread die"),
    ],
)
def test_illegal_moves_are_refused_with_their_reason(text: str, reason: str) -> None:
    found = reasons(text)
    assert any(reason in each for each in found), found


def dice_after(challenge: str, *rolls: str) -> list[str]:
    """Return the reasons why rolls of one player are refused."""
    lines = "".join(f"roll | {roll}\n" for roll in rolls)
    return reasons(f"game: high-score\nplayers: A\nround 1: {challenge}\n{lines}")


@pytest.mark.parametrize(
    ("challenge", "rolls", "expected"),
    [
        ("total vortex=5 roll=four-full", ["1 1 1 1 1 1 1"] * 4, []),
        ("total vortex=5 roll=four-full", ["1 1 1 1 1 1 1"] * 5, ["four-full allows 4 rolls"]),
        ("total vortex=5 roll=four-full", ["1 1 1 1 1 1 1", "1 + 2 2 2 2 2 2"], ["four-full rolls all dice again"]),
        ("total vortex=0 roll=four-full", ["V 1 1 1 1 1 1", "V + 2 2 2 2 2 2"], []),
        (
            "total vortex=0 roll=four-full",
            ["V 1 1 1 1 1 1", "2 2 2 2 2 2 2"],
            ["a vortex worth 0 is frozen and may not be rolled again"],
        ),
        ("total vortex=5 roll=any-three", ["1 1 1 1 1 1 1"] * 4, ["any-three allows 3 rolls"]),
        ("total vortex=5 roll=any-three", ["1 1 1 1 1 1 1", "5 + 1 1 1 1 1 1"], ["a 5 is kept that did not lie there"]),
        (
            "total vortex=5 roll=set-aside",
            ["5 1 1 1 1 1 1", "5 + 5 1 1 1 1 1", "5 5 + 1 1 1 1 1"],
            [],
        ),
        (
            "total vortex=5 roll=set-aside",
            ["5 1 1 1 1 1 1", "5 + 4 1 1 1 1 1", "5 + 4 1 1 1 1 1"],
            ["at least one more die must be set aside"],
        ),
        (
            "total vortex=5 roll=set-aside",
            ["5 1 1 1 1 1 1", "5 + 4 1 1 1 1 1", "4 1 + 1 1 1 1 1"],
            ["a die that was set aside may not be rolled again"],
        ),
        ("total vortex=5", ["1 1 1 1 1 1 1", "-", "1 1 1 1 1 1 1"], ["the player had stopped"]),
        ("total vortex=5", ["1 1 1 1 1 1 1", "1 1 1 1 1 1 1 +"], ["no die is rolled"]),
    ],
)
def test_rolls(challenge: str, rolls: list[str], expected: list[str]) -> None:
    assert dice_after(challenge, *rolls) == expected


def test_refusals_carry_line_player_and_move() -> None:
    (refusal, unfinished) = play(EASY + "1-2-8 | c1.1 | c9.9\n").refusals[::-1]
    assert (refusal.line, refusal.player, refusal.move) == (4, "B", "c9.9")
    assert (unfinished.line, unfinished.reason) == (3, "the round is not finished: 1 of 19 tiles")


def test_a_tile_stays_where_only_its_launch_is_refused() -> None:
    result = play(HIGHER + "rules: simple\nround 1\nGP | r3.1 launch white\n")
    state = result.rounds[0].players[0].state
    assert state is not None
    assert str(state.positions[0].at("r3.1")) == "GP"
    assert state.ships == ()


def test_one_tile_too_many() -> None:
    text = next(p for p in MATCHES if p.stem == "orchid").read_text(encoding="utf-8")
    more = text.replace(
        "relocate |", "12-2-10s | c1.1 | c1.1\n12-6-8s | c1.1 | c1.1\n12-11-8s | c1.1 | c1.1\nrelocate |"
    )
    found = reasons(more)
    assert any("25 tiles are drawn in a round, this is one more" in each for each in found)


@pytest.mark.parametrize(
    ("relocation", "reason"),
    [
        ("c3.1=12-2-3m", "12-2-3m is not in the reserve"),
        ("c1.1={0}", "'c1.1' is no orchid cell"),
        ("c3.1={0} c3.1={1}", "c3.1 is filled twice"),
        ("c3.1={0} c3.4={0}", "is moved twice"),
        ("{0}", "must read CELL=TILE"),
    ],
)
def test_illegal_relocations(relocation: str, reason: str) -> None:
    text = next(p for p in MATCHES if p.stem == "orchid").read_text(encoding="utf-8")
    lines = text.splitlines()
    kept = [line.split(" | ")[0] for line in lines if line.split(" | ")[1:2] == ["reserve"]]
    before = "\n".join(line for line in lines if not line.startswith("relocate"))
    found = reasons(f"{before}\nrelocate | {relocation.format(*kept)} | -\n")
    assert len(found) == 1
    assert reason in found[0]
    twice = f"{before}\nrelocate | - | -\nrelocate | - | -\n"
    assert reasons(twice) == ["tiles were relocated already"]


def test_scrap_yards_are_settled_among_the_players() -> None:
    text = next(p for p in MATCHES if p.stem == "nexus_pass").read_text(encoding="utf-8")
    passed, lowest = play(text), play(text.replace("pass-scrapyard", "lowest-scrapyard"))
    for result, worst in ((passed, max), (lowest, min)):
        for played in result.rounds:
            values = [p.sheet.subtotals["scrapyard-value"] for p in played.players if p.sheet]
            for player in played.players:
                assert player.sheet is not None
                pays = player.sheet.subtotals["scrapyard-value"] == worst(values)
                assert bool(player.sheet.subtotals["scrapyard-penalty"]) == pays
                assert sum(line.points for line in player.sheet.lines) == player.sheet.total


def test_yards_pass_by_standing_from_the_second_game_on() -> None:
    text = next(p for p in MATCHES if p.stem == "nexus_pass").read_text(encoding="utf-8")
    result = play(text)
    plain = play(text.replace("pass-scrapyard", "basic"))

    def values(replayed: Replay, number: int) -> list[int]:
        return [p.sheet.subtotals["scrapyard-value"] for p in replayed.rounds[number].players if p.sheet]

    own, held = values(plain, 0), values(result, 0)
    assert held == [own[2], own[0], own[1]]
    # After the first game Anna leads, then Cleo, then Bert: Anna's goes to Cleo, Cleo's to Bert, Bert's to Anna.
    assert [p.points for p in result.rounds[0].players] == [481, 331, 399]
    own, held = values(plain, 1), values(result, 1)
    assert held == [own[1], own[2], own[0]]


def test_pairs_share_a_standing() -> None:
    text = "game: take-it-to-the-limit\nplayers: A, B, C, D\nrules: pairs\nround 1\n"
    assert [s.name for s in play(text).standings] == ["A+B", "C+D"]


def test_the_gold_winner_begins_the_next_round_and_spaces_push_down() -> None:
    text = DICE + (
        "round 1: total vortex=0\nroll | 1 1 1 1 1 1 1 | 2 2 2 2 2 2 2\n"
        "round 2: total vortex=0\nroll | 3 3 3 3 3 3 3 | 3 3 3 3 3 3 3\n"
        "round 3: total vortex=-5\nroll | V V V V V V V | 5 5 5 5 5 5 5\n"
    )
    result = play(text)
    assert result.legal
    assert [played.first for played in result.rounds] == ["A", "B", "B"]
    # In the second round B rolls first and stands on 21, A on 20.
    assert [(p.note, p.chip, p.points) for p in result.rounds[1].players] == [
        ("stands on 20", "bronze", 1),
        ("stands on 21", "gold", 3),
    ]
    assert [p.note for p in result.rounds[2].players] == ["no piece", "stands on 5 with 30+"]
    assert result.winners == ("B",)


def test_ties_are_shared_after_gold_and_silver() -> None:
    text = DICE + (
        "round 1: total vortex=0\nroll | 1 1 1 1 1 1 1 | 2 2 2 2 2 2 2\n"
        "round 2: total vortex=0\nroll | 2 2 2 2 2 2 2 | 1 1 1 1 1 1 1\n"
    )
    assert play(text).winners == ("A", "B")


def test_an_eighth_round_is_refused() -> None:
    text = DICE + "".join(f"round {n}: total vortex=0\nroll | 1 1 1 1 1 1 1 | 2 2 2 2 2 2 2\n" for n in range(1, 9))
    assert reasons(text) == ["a game has 7 rounds"]


def test_a_player_who_did_not_roll() -> None:
    assert reasons(DICE + "round 1: total vortex=0\n") == ["the player has not rolled"] * 2
