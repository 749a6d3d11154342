"""Standings of made-up tournaments whose answers are known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.tournament.fakes import EASY, board_object, photo_bytes, run

from boardsight.tournament.attention import issues
from boardsight.tournament.batch import DATABASE
from boardsight.tournament.evening import Question, gather
from boardsight.tournament.rows import Correction, Entry, Points, Round
from boardsight.tournament.standings import Evening, ranked
from boardsight.tournament.store import Store
from boardsight.tournament.work import JsonObject

# Board of 233 points, and what a missing tile costs: c1.1 is in a yellow row of 27, a pink one of 6 and a magenta one
# of 15; c2.1 in a grey row of 4, the same pink one and an orange one of 32; c5.1 in rows of 15 and 9.
B233 = EASY
B185 = EASY.replace("9-2-3", "--", 1)
B191 = EASY.replace("1-2-8", "--", 1)
B209 = EASY.replace("5-2-3", "--", 1)


def evening(
    tmp_path: Path, photos: Mapping[str, JsonObject | bytes], question: Question | None = None, salt: bool = True
) -> Evening:
    """Return the evening of photos that read as they are given; each is another photo unless `salt` is False."""
    folder = tmp_path / "photos"
    for name, what in photos.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        data = what if isinstance(what, bytes) else photo_bytes(what, name if salt else "")
        (folder / name).write_bytes(data)
    run(tmp_path / "out", folder)
    return again(tmp_path, question)


def again(tmp_path: Path, question: Question | None = None) -> Evening:
    with Store.open(tmp_path / "out" / DATABASE) as store:
        return Evening(gather(store, question or Question()))


def table(played: Evening) -> list[tuple[object, ...]]:
    return [(line.rank, line.player, *line.points, line.total) for line in played.lines()]


def test_a_tournament_with_everything_that_goes_wrong(tmp_path: Path) -> None:
    shared = photo_bytes(board_object(B191))
    played = evening(
        tmp_path,
        {
            "Anna_r1.jpg": board_object(B233),
            "Anna_r2.jpg": board_object(B185),
            "Ben_r1.jpg": board_object(B185),
            "Ben_r2.jpg": board_object(B233),
            "Cleo_r1.jpg": shared,
            "Dora_r1.jpg": board_object(B209),
            "Dora_r2.jpg": board_object(B185, doubts={"c1.1": (0.6, "9-2-3")}),
            "Eve_r1.jpg": shared,
            "Eve_r2.jpg": board_object(B209),
            "Finn_r1.jpg": b"\xff\xd8 nothing",
            "Finn_r2.jpg": board_object(B191),
            "IMG_77.jpg": board_object(B209),
        },
    )
    assert table(played) == [
        (1, "Anna", 233, 185, 418),
        (1, "Ben", 185, 233, 418),
        (3, "Eve", 191, 209, 400),
        (4, "Dora", 209, 185, 394),
        (5, "Cleo", 191, None, 191),
        (5, "Finn", None, 191, 191),
    ]
    assert [line.player for line in played.lines() if line.doubtful] == ["Dora", "Cleo", "Finn"]
    found = issues(played)
    assert [(i.kind, i.round, i.stake, i.places, i.first) for i in found] == [
        # Finn may have had up to 233 in round 1: 424, past the other five. The same for Cleo in round 2.
        ("unread", 1, 233, 5, True),
        ("missing", 2, 233, 5, True),
        # Dora's tile makes 442: past Eve, Anna and Ben.
        ("doubt", 2, 48, 3, True),
        # It may be Cleo's or Finn's: 209 more make 400, level with Eve, and past Dora and the other of the two.
        ("nobody", 0, 209, 3, False),
        # One of the two did not have the 191 points: Eve may fall behind Dora, or Cleo behind Finn.
        ("same-photo", 1, 191, 1, False),
    ]
    texts = {issue.kind: issue.text for issue in found}
    assert texts["doubt"] == "Dora, round 2: Dora_r2.jpg has 185 points, 185 to 233: c1.1 reads --, may be 9-2-3"
    assert texts["missing"] == "Cleo, round 2: there is no photo"
    assert texts["unread"].startswith("Finn, round 1: Finn_r1.jpg counts nothing: 'Finn_r1.jpg' shows no board")
    assert texts["same-photo"] == "Cleo, round 1 and Eve, round 1: Cleo_r1.jpg and Eve_r1.jpg are the same photo"
    assert texts["nobody"] == "IMG_77.jpg is nobody's, and has 209 points"


def test_ties_share_a_rank() -> None:
    assert ranked({"a": 5, "b": 7, "c": 5, "d": 1, "e": 7}) == {"b": 1, "e": 1, "a": 3, "c": 3, "d": 5}
    assert ranked({}) == {}


def test_a_doubt_that_cannot_change_anything_comes_last(tmp_path: Path) -> None:
    played = evening(
        tmp_path,
        {
            "anna_r1.jpg": board_object(B233),
            "ben_r1.jpg": board_object(B185.replace("5-6-8", "--"), doubts={"c5.2": (0.6, "5-6-8")}),
            "cleo_r1.jpg": board_object(B191, doubts={"c2.1": (0.6, "1-2-8")}),
        },
    )
    found = issues(played)
    assert [(i.changes[0].player, i.first) for i in found] == [("cleo", True), ("ben", False)]
    assert found[1].places <= 1


def test_two_photos_of_a_round(tmp_path: Path) -> None:
    played = evening(
        tmp_path,
        {
            "r1/Anna.jpg": board_object(B185, doubts={"c1.1": (0.6, "9-2-3")}),
            "r1/anna.png": board_object(B233),
            "r1/Ben.jpg": board_object(B209),
        },
        Question(pattern="r{round}/{player}"),
    )
    assert table(played) == [(1, "Anna", 233, 233), (2, "Ben", 209, 209)]
    (issue,) = issues(played)
    assert (issue.kind, issue.stake, issue.places) == ("two-photos", 48, 1)
    assert issue.text == "Anna, round 1: r1/Anna.jpg (185) and r1/anna.png (233); r1/anna.png counts"


def test_a_copy_of_a_photo_counts_once(tmp_path: Path) -> None:
    obj = board_object(B233)
    played = evening(tmp_path, {"anna_r1.jpg": obj, "Anna_r1.jpeg": obj, "ben_r1.jpg": board_object(B209)}, salt=False)
    assert [line.total for line in played.lines()] == [233, 209]
    (issue,) = issues(played)
    assert (issue.kind, issue.stake) == ("same-photo", 0)


def test_corrections_count_and_stand_beside_the_reading(tmp_path: Path) -> None:
    played = evening(tmp_path, {"anna_r1.jpg": board_object(B185), "ben_r1.jpg": board_object(B209)})
    photo = next(p for p in played.evidence.photos if p.name == "anna_r1.jpg")
    assert photo.key is not None
    with Store.open(tmp_path / "out" / DATABASE) as store:
        before = store.reading(photo.key)
        number = store.correct(Correction(photo.key.content, 1, "c1.1", "9-2-3"))
    played = again(tmp_path)
    assert table(played) == [(1, "anna", 233, 233), (2, "ben", 209, 209)]
    part = played.scores["anna", 1].part
    assert part is not None
    assert part.corrected == ("easy c1.1: -- is 9-2-3",)
    assert not any(line.doubtful for line in played.lines())
    with Store.open(tmp_path / "out" / DATABASE) as store:
        assert store.reading(photo.key) == before
        store.undo(number)
    assert table(again(tmp_path)) == [(1, "ben", 209, 209), (2, "anna", 185, 185)]


def test_points_by_hand_and_what_the_page_entered(tmp_path: Path) -> None:
    played = evening(tmp_path, {"IMG_1.jpg": board_object(B233), "ben_r1.jpg": board_object(B209)})
    address = played.evidence.photos[0].address
    with Store.open(tmp_path / "out" / DATABASE) as store:
        store.put_entry("main", Entry(address, "Zoë", 1))
        store.put_points("main", Points("Ben", 2, 300, "photo was lost"))
    assert table(again(tmp_path)) == [(1, "Ben", 209, 300, 509), (2, "Zoë", 233, None, 233)]
    assert again(tmp_path).players == ("Zoë", "Ben")


HIGHER = "GP SG / SN SO GH GO / GB GK GJ SD GL SL / SE SM SP SF SH GG / GI SB GD GM / GF GE"


def test_rules_of_rounds(tmp_path: Path) -> None:
    # This is the board of 477 points of rows (tests/data/higher_examples.json has such); studs make it more.
    photos = {f"anna_r{n}.jpg": board_object(HIGHER, "take-it-higher") for n in (1, 2, 3)}
    plain = evening(tmp_path, photos)
    (line,) = plain.lines()
    assert len(set(line.points)) == 1
    (studs,) = again(tmp_path, Question(rules="studs", round_rules={2: "basic"})).lines()
    first, second, third = studs.points
    assert second == line.points[0]
    assert first is not None and second is not None
    assert first == third
    with Store.open(tmp_path / "out" / DATABASE) as store:
        store.put_round("main", Round(3, rules="studs"))
    (line,) = again(tmp_path).lines()
    assert line.points == (second, second, first)


NEXUS = "nexus: " + " / ".join(" ".join(["--"] * n) for n in (4, 5, 6, 7, 6, 5, 4))
# Worth 53 (rows of 14, 15 and 24) and 0: see tests/data/limit_examples.json for the first.
EMPTY_YARD = "-- -- / -- -- -- / -- --"
TWELVE = "12-2-3m 12-2-5s / -- -- -- / -- --"


def limit(yard: str) -> JsonObject:
    return board_object(f"{NEXUS} ; scrapyard: {yard}", "take-it-to-the-limit")


@pytest.mark.parametrize(
    ("rules", "points"),
    [
        ("", {"anna": -60, "ben": -60, "cleo": -60}),  # each below 60
        ("lowest-scrapyard", {"anna": 0, "ben": -30, "cleo": -30}),  # the two lowest share 60
        ("pass-scrapyard", {"anna": 0, "ben": -60, "cleo": 0}),  # anna passes her yard, the highest, to ben
        ("no-scrapyard", {"anna": 0, "ben": 0, "cleo": 0}),
    ],
)
def test_scrap_yards_across_players(tmp_path: Path, rules: str, points: dict[str, int]) -> None:
    played = evening(
        tmp_path,
        {"anna_r1.jpg": limit(TWELVE), "ben_r1.jpg": limit(EMPTY_YARD), "cleo_r1.jpg": limit(EMPTY_YARD)},
        Question(rules=rules),
    )
    assert {line.player: line.total for line in played.lines()} == points


def test_scrap_yards_are_settled_at_each_table(tmp_path: Path) -> None:
    played = evening(
        tmp_path,
        {
            "t1_anna_r1.jpg": limit(TWELVE),
            "t1_ben_r1.jpg": limit(EMPTY_YARD),
            "t2_cleo_r1.jpg": limit(EMPTY_YARD),
            "t2_dora_r1.jpg": limit(TWELVE),
        },
        Question(pattern="{table}_{player}_r{round}", rules="lowest-scrapyard"),
    )
    assert {line.player: line.total for line in played.lines()} == {"anna": 0, "ben": -60, "cleo": -60, "dora": 0}


def test_pairs(tmp_path: Path) -> None:
    photos = {"a_r1.jpg": B233, "b_r1.jpg": B185, "c_r1.jpg": B209, "d_r1.jpg": B209}
    played = evening(tmp_path, {name: board_object(line) for name, line in photos.items()}, Question(rules="pairs"))
    assert [(pair.rank, pair.player, pair.total) for pair in played.pairs()] == [(1, "a+b", 418), (1, "c+d", 418)]
    assert again(tmp_path).pairs() == ()


def test_another_game_and_an_illegal_board(tmp_path: Path) -> None:
    played = evening(
        tmp_path,
        {
            "anna_r1.jpg": board_object(B233),
            "ben_r1.jpg": board_object(B209),
            "cleo_r1.jpg": board_object(HIGHER, "take-it-higher"),
        },
    )
    assert [(i.kind, i.round) for i in issues(played)] == [("other-game", 1)]
    photo = next(p for p in played.evidence.photos if p.name == "ben_r1.jpg")
    assert photo.key is not None
    with Store.open(tmp_path / "out" / DATABASE) as store:
        store.correct(Correction(photo.key.content, 1, "c5.1", "9-7-8"))
        store.correct(Correction(photo.key.content, 1, "c5.2", "9-7-8"))
    assert {i.kind for i in issues(again(tmp_path))} == {"other-game", "illegal", "doubt"}


def test_an_unread_tile_may_be_any_that_is_not_seen(tmp_path: Path) -> None:
    played = evening(
        tmp_path,
        {
            "anna_r1.jpg": board_object(EASY.replace("9-2-3", "??", 1), doubts={"c1.1": (0.4, "")}),
            "ben_r1.jpg": board_object(B209),
        },
    )
    score = played.scores["anna", 1]
    assert (score.points, score.high) == (185, 233)  # the tile that was there is the best that can be
    assert score.what == "c1.1 9-2-3"
    (issue,) = issues(played)
    assert (issue.stake, issue.first) == (48, True)
