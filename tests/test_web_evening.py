"""Rounds, totals and ranks of an evening."""

from __future__ import annotations

from collections.abc import Callable

from boardsight.scoring.rules import Rules
from boardsight.tournament.rows import Correction, Points
from boardsight.vision.reading import BoardReading, Reading
from boardsight.web.evening import Held, round_scores, table
from boardsight.web.export import csv_of
from boardsight.web.part import Part, Played, parts
from boardsight.web.record import blank

MakeBoard = Callable[..., BoardReading]


def dice(throw: str) -> Part:
    """Return the part of a player who rolled these dice."""
    entered = Correction("x", 1, "dice", throw)
    (part,) = parts(blank("high-score"), [entered], lambda n: Played(challenge="total vortex=0"))
    return part


def yard(make_board: MakeBoard, notation: str, rules: Rules) -> Part:
    """Return the part of a player with this Scrap Yard and an empty Nexus."""
    nexus = make_board("nexus", " / ".join(" ".join(["--"] * n) for n in (4, 5, 6, 7, 6, 5, 4)))
    boards = (nexus, make_board("scrapyard", notation, at=(2000, 0)))
    (part,) = parts(Reading("x", (1, 1), "take-it-to-the-limit", boards), (), lambda n: Played(rules))
    return part


def test_ranks_are_shared_and_totals_add_up() -> None:
    entered = [
        {"Anna": Points("Anna", 1, 10), "Ben": Points("Ben", 1, 20), "Cleo": Points("Cleo", 1, 5)},
        {"Anna": Points("Anna", 2, 20), "Ben": Points("Ben", 2, 10)},
    ]
    players = ("Cleo", "Ben", "Anna", "Dan")
    scores = {n: round_scores(players, n, {}, entered[n - 1], Rules()) for n in (1, 2)}
    found = table(players, [(1, Rules()), (2, Rules())], scores)
    assert [(s.rank, s.player, s.total) for s in found.standings] == [
        (1, "Ben", 30),
        (1, "Anna", 30),
        (3, "Cleo", 5),
        (4, "Dan", 0),
    ]
    assert found.standings[2].scores[1] is None
    assert csv_of(found).splitlines()[3] == "3,Cleo,5,,5,yes"


def test_high_score_is_played_for_chips() -> None:
    players = ("Anna", "Ben", "Cleo")
    held = {
        p: [Held("x", dice(throw))] for p, throw in zip(players, ("5 5 5 5 5 5 5", "5 5 5 5 5 5 5", "1 1"), strict=True)
    }
    scores = round_scores(players, 1, held, {}, Rules())
    assert {p: s.points for p, s in scores.items()} == {"Anna": 3, "Ben": 2, "Cleo": 1}
    assert scores["Ben"].note == "rolled 35, silver chip"
    found = table(players, [(1, Rules())], {1: scores})
    assert [s.player for s in found.standings] == ["Anna", "Ben", "Cleo"]


def test_the_lowest_scrap_yard_pays(make_board: MakeBoard) -> None:
    rules = Rules(scrapyard="lowest")
    good = yard(make_board, "9-2-3s 9-6-3m / -- -- -- / -- --", rules)
    bad = yard(make_board, "1-2-3sg -- / -- -- -- / -- --", rules)
    held = {"Anna": [Held("a", good)], "Ben": [Held("b", bad)], "Cleo": [Held("c", bad)]}
    scores = round_scores(("Anna", "Ben", "Cleo"), 1, held, {}, rules)
    assert {p: s.points for p, s in scores.items()} == {"Anna": 0, "Ben": -30, "Cleo": -30}
    assert scores["Ben"].note == "Scrap Yard -30"
    # as it is usually played each pays for his own
    usual = round_scores(
        ("Anna",), 1, {"Anna": [Held("a", yard(make_board, "-- -- / -- -- -- / -- --", Rules()))]}, {}, Rules()
    )
    assert usual["Anna"].points == -60


def test_passed_scrap_yards_cost_who_holds_the_best(make_board: MakeBoard) -> None:
    rules = Rules(scrapyard="pass")
    good = yard(make_board, "9-2-3s 9-6-3m / -- -- -- / -- --", rules)
    bad = yard(make_board, "1-2-3sg -- / -- -- -- / -- --", rules)
    held = {"Anna": [Held("a", good)], "Ben": [Held("b", bad)], "Cleo": [Held("c", bad)]}
    scores = round_scores(("Anna", "Ben", "Cleo"), 1, held, {}, rules)
    assert {p: s.points for p, s in scores.items()} == {"Anna": 0, "Ben": -60, "Cleo": 0}
    scores = round_scores(("Anna", "Ben", "Cleo"), 2, held, {}, rules, {"Anna": 1, "Ben": 5, "Cleo": 3})
    assert {p: s.points for p, s in scores.items()} == {"Anna": 0, "Ben": -60, "Cleo": 0}, "Ben, Cleo, Anna, Ben"
    scores = round_scores(("Anna", "Ben", "Cleo"), 2, held, {}, rules, {"Anna": 9, "Ben": 3, "Cleo": 5})
    assert {p: s.points for p, s in scores.items()} == {"Anna": 0, "Ben": 0, "Cleo": -60}, "Anna, Cleo, Ben, Anna"


def test_pairs_add_up() -> None:
    players = ("Anna", "Ben", "Cleo", "Dan")
    entered = {p: Points(p, 1, n) for p, n in zip(players, (1, 2, 30, 40), strict=True)}
    rules = Rules(pairs=True)
    found = table(players, [(1, rules)], {1: round_scores(players, 1, {}, entered, rules)})
    assert found.pairs == (("Cleo and Dan", 70), ("Anna and Ben", 3))


def test_points_by_hand_take_the_place_of_a_sheet() -> None:
    held = {"Anna": [Held("x", dice("1 1 1 1 1 1 1"))]}
    scores = round_scores(("Anna",), 1, held, {"Anna": Points("Anna", 1, 99)}, Rules())
    assert scores["Anna"].points == 99
    assert scores["Anna"].note == "entered by hand"
