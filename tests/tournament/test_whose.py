"""Whose photo it is: patterns and tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from boardsight.tournament.rows import Key, PhotoRow, Points
from boardsight.tournament.whose import WhoseError, by_pattern, by_table, find_photo


def photo(address: str) -> PhotoRow:
    return PhotoRow(address, address.rsplit("/", 1)[-1], Key(address, "", ""))


@pytest.mark.parametrize(
    ("address", "pattern", "found"),
    [
        ("/p/Anna_r1.jpg", "{player}_r{round}", ("Anna", 1, "")),
        ("/p/anna maria_R12.HEIC", "{player}_r{round}", ("anna maria", 12, "")),
        ("/p/van_der_Berg_r2.jpg", "{player}_r{round}", ("van_der_Berg", 2, "")),
        ("/p/Round 3/Zoe\u0308.jpg", "round {round}/{player}", ("Zo\u00eb", 3, "")),
        ("/p/Ben/2.jpg", "{player}/{round}", ("Ben", 2, "")),
        ("/p/T4-Ben-2.jpg", "T{table}-{player}-{round}", ("Ben", 2, "4")),
        ("/p/Ben.jpg", "{player}", ("Ben", 1, "")),
        ("s3://club/r1/Ben_r2.jpg", "{player}_r{round}", ("Ben", 2, "")),
        ("zip://r1/Ben.jpg::/x/evening.zip", "r{round}/{player}", ("Ben", 1, "")),
        ("/p/a+b (1)_r2.jpg", "{player} (1)_r{round}", ("a+b", 2, "")),
        ("/p/IMG_1.jpg", "{player}_r{round}", None),
        ("/p/ _r1.jpg", "{player}_r{round}", None),
    ],
)
def test_patterns(address: str, pattern: str, found: tuple[str, int, str] | None) -> None:
    claims = by_pattern([photo(address)], pattern)
    assert [(c.player, c.round, c.table) for c in claims] == ([] if found is None else [found])


@pytest.mark.parametrize("pattern", ["", "r{round}", "{player}{player}", "{player}_{name}", "{player"])
def test_a_wrong_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(WhoseError, match="must have {player} once"):
        by_pattern([], pattern)


PHOTOS = (photo("/p/r1/IMG_1.jpg"), photo("/p/r1/IMG_2.jpg"), photo("/p/r2/IMG_1.jpg"), photo("/p/r2/IMG_9.jpg"))


def test_a_table_of_photos_and_points(tmp_path: Path) -> None:
    path = tmp_path / "who.csv"
    path.write_text(
        "Player,Round,Photo,Part,Points,Note\n"
        "Anna,1,r1/IMG_1.jpg,,,\n"
        "Ben, 1 ,IMG_2.jpg,2,,\n"
        "Zoë,2,IMG_9,,,\n"
        "Ben,2,,,-60,photo was lost\n",
        "utf-8",
    )
    claims, points = by_table(PHOTOS, path)
    assert [(c.player, c.round, c.photo.address, c.part) for c in claims] == [
        ("Anna", 1, "/p/r1/IMG_1.jpg", 1),
        ("Ben", 1, "/p/r1/IMG_2.jpg", 2),
        ("Zoë", 2, "/p/r2/IMG_9.jpg", 1),
    ]
    assert points == (Points("Ben", 2, -60, "photo was lost"),)


def test_a_table_as_spreadsheets_of_other_countries_write_it(tmp_path: Path) -> None:
    path = tmp_path / "who.csv"
    path.write_bytes("photo;player;round\r\nIMG_2.jpg;Åsa;3\r\n".encode("utf-8-sig"))
    ((claim,), _) = by_table(PHOTOS, path)
    assert (claim.player, claim.round) == ("Åsa", 3)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("IMG_1.jpg,Anna,1", "could be 2 photos"),
        ("IMG_7.jpg,Anna,1", "'IMG_7.jpg' in line 2 of 'who.csv' is no photo"),
        ("IMG_2.jpg,,1", "line 2 of 'who.csv' has no player"),
        ("IMG_2.jpg,Anna,one", "'one' in column 'round'"),
        (",Anna,1", "neither photo nor points"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "who.csv"
    path.write_text(f"photo,player,round\n{line}\n", "utf-8")
    with pytest.raises(WhoseError) as caught:
        by_table(PHOTOS, path)
    assert said in str(caught.value)


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WhoseError, match="cannot be read"):
        by_table(PHOTOS, tmp_path / "gone.csv")


def test_a_photo_by_name() -> None:
    assert find_photo("r2/IMG_1.jpg", PHOTOS) is PHOTOS[2]
    assert find_photo("IMG_9", PHOTOS) is PHOTOS[3]
