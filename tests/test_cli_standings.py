"""The command ``standings``: what it prints and writes, and what it takes by hand."""

from __future__ import annotations

import csv
import re
from html.parser import HTMLParser
from pathlib import Path

import cv2
import numpy as np
import pytest
from tests.tournament.fakes import EASY, board_object, photo_bytes, run
from typer.testing import CliRunner

from boardsight.cli import app
from boardsight.tournament.batch import picture_path
from boardsight.tournament.work import content_of

EVIL = "<script>alert(1)</script>\"'&"


def standings(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["standings", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    lines = {
        "anna_r1.jpg": board_object(EASY),
        "=ben_r1.jpg": board_object(EASY.replace("9-2-3", "--", 1), doubts={"c1.1": (0.6, "9-2-3")}),
        "cleo\x1b[31m_r1.jpg": board_object(EASY.replace("5-2-3", "--", 1)),
    }
    for name, obj in lines.items():
        (folder / name).write_bytes(photo_bytes(obj, name))
    run(tmp_path / "out", folder)
    return tmp_path / "out"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_prints_and_writes(out: Path) -> None:
    code, said, wrong = standings(out)
    assert (code, wrong) == (0, "")
    lines = [line.split() for line in said.splitlines()]
    assert ["1", "anna", "233", "233"] in lines
    assert ["3", "=ben", "185", "?", "185", "?"] in lines
    assert "=ben, round 1: =ben_r1.jpg has 185 points, 185 to 233: c1.1 reads --, may be 9-2-3 (48 points" in said
    assert "may decide the first place" in said
    found = table(out / "standings.csv")
    assert [(f["rank"], f["player"], f["round 1"], f["total"], f["final"]) for f in found] == [
        ("1", "anna", "233", "233", "yes"),
        ("2", "cleo?[31m", "209", "209", "yes"),
        ("3", "'=ben", "185", "185", "no"),
    ]
    (issue,) = table(out / "attention.csv")
    assert (issue["kind"], issue["points"], issue["places"], issue["first place"]) == ("doubt", "48", "2", "yes")
    assert issue["players"] == "'=ben"


def test_nothing_from_a_name_reaches_the_terminal(out: Path) -> None:
    _, said, _ = standings(out)
    assert "\x1b" not in said
    assert "cleo?[31m" in said


class Page(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_holds_everything_and_nothing_foreign(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    name = f"{EVIL.replace('/', '')}_r1.jpg"
    (folder / name).write_bytes(photo_bytes(board_object(EASY)))
    out = tmp_path / "out"
    run(out, folder)
    picture = picture_path(out, name, content_of((folder / name).read_bytes()))
    cv2.imwrite(str(picture), np.full((900, 1200, 3), 200, np.uint8))
    assert standings(out, "--title", EVIL)[0] == 0
    text = (out / "standings.html").read_text("utf-8")
    page = Page(text)
    assert "script" not in {tag for tag, _ in page.tags}
    assert EVIL in page.text
    assert "233" in page.text
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    assert len(images) == 1
    assert (images[0]["src"] or "").startswith("data:image/jpeg;base64,")
    assert EVIL.replace("/", "") in (images[0]["alt"] or "")
    for _, attributes in page.tags:
        assert not any(key.startswith("on") for key in attributes)
        for key in ("src", "href"):
            assert re.match(r"(#|data:)", attributes.get(key) or "#")
    assert len(text) < 60_000


def test_what_is_said_by_hand_counts_and_can_be_undone(out: Path) -> None:
    code, said, wrong = standings(out, "--correct", "=ben_r1.jpg c1.1=9-2-3", "--points", "Dora,1,250,no photo")
    assert code == 0
    assert wrong == "correction 1: =ben_r1.jpg c1.1=9-2-3\n"
    assert [(f["rank"], f["player"]) for f in table(out / "standings.csv")] == [
        ("1", "Dora"), ("2", "'=ben"), ("2", "anna"), ("4", "cleo?[31m")
    ]  # fmt: skip
    assert "Nothing needs a human." in said
    standings(out, "--undo", "1")
    assert table(out / "standings.csv")[3]["player"] == "'=ben"


def test_a_table_says_whose_photos_they_are(out: Path, tmp_path: Path) -> None:
    (tmp_path / "who.csv").write_text("photo,player,round\nanna_r1.jpg,Zoë,1\n=ben_r1.jpg,Zoë,2\n", "utf-8")
    code, said, _ = standings(out, "--whose", tmp_path / "who.csv")
    assert code == 0
    assert ["1", "Zoë", "233", "185", "?", "418", "?"] in [line.split() for line in said.splitlines()]
    assert "is nobody's, and has 209 points" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--name", "r{round}"), "must have {player}"),
        (("--rules", "nonsense"), "is no rule"),
        (("--round-rules", "two"), "ROUND=RULES"),
        (("--round-rules", "2=nonsense"), "is no rule"),
        (("--whose", "gone.csv"), "cannot be read"),
        (("--correct", "anna_r1.jpg"), "must read"),
        (("--correct", "anna_r1.jpg c1.1=7-7-7"), "does not exist"),
        (("--correct", "nobody.jpg c1.1=9-2-3"), "is no photo"),
        (("--undo", "7"), "no correction 7"),
        (("--points", "Anna"), "must read"),
    ],
)
def test_wrong_usage(out: Path, arguments: tuple[str, str], said: str) -> None:
    code, _, wrong = standings(out, *arguments)
    assert code == 2
    assert said in wrong
    assert not (out / "standings.csv").exists()


def test_all_that_is_entered_or_nothing(out: Path) -> None:
    standings(out, "--points", "Dora,1,250", "--points", "nonsense")
    standings(out)
    assert "Dora" not in {line["player"] for line in table(out / "standings.csv")}


def test_a_folder_without_results(tmp_path: Path) -> None:
    code, said, wrong = standings(tmp_path)
    assert (code, said) == (1, "")
    assert wrong.count("\n") == 1
    assert "does not exist" in wrong
