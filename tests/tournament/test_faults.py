"""A folder with every fault in it beside good photos: each good one is scored, each bad one is listed with its code."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from math import dist
from pathlib import Path

import cv2
import pytest
from tests.tournament import faults
from tests.tournament.faults import Case, cases
from typer.testing import CliRunner

from boardsight.cli import app
from boardsight.vision.reader import Reader

pytestmark = pytest.mark.slow

GOOD = ("easy_1", "higher_1", "nexus_3")
REFUSALS = {"no-board", "incomplete-board", "ambiguous-game"}
"""Codes that say that a photo does not do, and what would."""

#: Kinds that are no matter of one photo, and where their tests are.
ELSEWHERE = {
    "wrong result filled in": "test_doubt_is_always_said",
    "correction refused": "test_any_tile_may_be_set_by_hand",
    "no display": "test_it_runs_without_a_display",
    "output folder": "test_a_folder_that_cannot_be_written_is_one_line",
    "report columns": "test_the_table_agrees_with_the_truth",
    "status line": "test_the_last_line_is_true",
    "README": "test_commands_print_what_is_shown",
}


@dataclass(frozen=True)
class Evening:
    """What became of the folder."""

    out: Path
    code: int
    said: str
    wrong: str
    cases: tuple[Case, ...]
    found: dict[str, dict[str, object]]
    """The photos' objects by name."""


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    folder = tmp_path_factory.mktemp("faults")
    (board,) = Reader().read(faults.SAMPLES / "easy_1.jpg").boards
    centres = [cell.centre for cell in board.cells]
    tile = dist(centres[0], centres[1])
    made = cases(centres, tile)
    photos = folder / "photos"
    photos.mkdir()
    for case in made:
        (photos / case.name).write_bytes(case.data)
    for name in GOOD:
        shutil.copy(faults.SAMPLES / f"{name}.jpg", photos / f"good {name}.jpg")
    out = folder / "out"
    call = [sys.executable, "-m", "boardsight.cli", "batch", str(photos), str(photos / "gone.jpg"), "--out", str(out)]
    done = subprocess.run(call, capture_output=True, text=True, encoding="utf-8", cwd=folder)
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    found = {str(obj["photo"]): obj for obj in map(json.loads, lines)}
    return Evening(out, done.returncode, done.stdout, done.stderr, made, found)


def notation(obj: dict[str, object]) -> dict[str, str]:
    boards = obj.get("boards")
    return {b["board"]: b["notation"] for b in boards} if isinstance(boards, list) else {}


def code(obj: dict[str, object]) -> str:
    error = obj.get("error")
    return str(error["code"]) if isinstance(error, dict) else ""


def complaint(case: Case, obj: dict[str, object]) -> str:
    """Return what is wrong with what became of a case; empty if it is right."""
    wants = case.want.split()
    if code(obj):
        right = code(obj) in wants or ("doubt" in wants and code(obj) in REFUSALS)
        return "" if right else f"{case.name}: {obj['error']}"
    if "twice" in wants:
        tiles = [t for text in notation(obj).values() for t in text.split() if t not in ("/", "--", "??")]
        return "" if len(tiles) == len(set(tiles)) and obj["certain"] is False else f"{case.name}: {notation(obj)}"
    if not {"same", "doubt"} & set(wants):
        return f"{case.name} was read, but should be {case.want}"
    if notation(obj) == case.right:
        return ""
    if "doubt" not in wants:
        return f"{case.name}: {notation(obj)} is not {case.right}"
    boards = obj["boards"]
    assert isinstance(boards, list)
    for board in boards:
        tiles = case.right.get(board["board"], "").replace("/", " ").split() or [""] * len(board["cells"])
        for cell, tile in zip(board["cells"], tiles, strict=True):
            if cell["certain"] and cell["tile"] != tile:
                return f"{case.name}: {cell['cell']} is {tile} and was called {cell['tile']}, certainly"
    return ""


def test_no_kind_is_forgotten(evening: Evening) -> None:
    assert {case.kind for case in evening.cases} == set(faults.KINDS)


def test_all_good_photos_are_scored(evening: Evening) -> None:
    for name in GOOD:
        obj = evening.found[f"good {name}.jpg"]
        assert notation(obj) == faults.truth(name)
        assert isinstance(obj["sheet"], dict)
        assert obj["sheet"]["total"] == faults.total(name)


@pytest.mark.parametrize("kind", faults.KINDS)
def test_each_kind(evening: Evening, kind: str) -> None:
    ours = [case for case in evening.cases if case.kind == kind]
    assert ours
    complaints = [complaint(case, evening.found[case.name]) for case in ours]
    assert not any(complaints), "\n".join(filter(None, complaints))


def test_it_ends_with_status_1_and_no_traceback(evening: Evening) -> None:
    assert evening.code == 1
    assert "Traceback" not in evening.said + evening.wrong
    assert "\x1b" not in evening.said + evening.wrong


def test_each_bad_photo_is_listed_with_its_code(evening: Evening) -> None:
    for name, obj in evening.found.items():
        if code(obj):
            assert isinstance(obj["error"], dict)
            assert "\n" not in obj["error"]["message"]
            assert code(obj) != "failed", name
    gone = [obj for name, obj in evening.found.items() if name.endswith("gone.jpg")]
    assert [code(obj) for obj in gone] == ["not-found"]
    assert len(evening.found) == len(evening.cases) + len(GOOD) + 1


def test_a_message_names_the_format_that_is_not_read(evening: Evening) -> None:
    assert "JPEG XL" in str(evening.found["iphone.jxl"]["error"])


def test_a_mirrored_photo_says_so(evening: Evening) -> None:
    assert "mirrored" in str(evening.found["mirrored.jpg"]["warnings"])


def test_a_missing_tile_is_named(evening: Evening) -> None:
    boards = evening.found["good easy_1.jpg"]["boards"]
    assert isinstance(boards, list)
    leftmost = min(boards[0]["cells"], key=lambda cell: cell["centre"][0])
    assert leftmost["cell"] in str(evening.found["cut off.jpg"]["error"])


def test_overlay_and_places_are_in_the_upright_frame(evening: Evening) -> None:
    for name in ("exif.jpg", "exif.heic"):
        boards, plain = evening.found[name]["boards"], evening.found["good easy_1.jpg"]["boards"]
        assert isinstance(boards, list)
        assert isinstance(plain, list)
        for cell, right in zip(boards[0]["cells"], plain[0]["cells"], strict=True):
            assert cell["centre"] == pytest.approx(right["centre"], abs=6)
    (right_picture,) = (evening.out / "annotated").glob("good_easy_1.*.jpg")
    right_image = cv2.imread(str(right_picture))
    pictures = list((evening.out / "annotated").glob("exif.*.jpg"))
    assert len(pictures) == 2
    for picture in pictures:
        image = cv2.imread(str(picture))
        assert image is not None
        assert right_image is not None
        assert image.shape[:2] == pytest.approx(right_image.shape[:2], abs=12)
        small = [cv2.resize(p, (40, 40), interpolation=cv2.INTER_AREA).astype(int) for p in (image, right_image)]
        same = small[0] - small[1]
        assert abs(same).mean() < 12


def test_doubt_is_always_said(evening: Evening) -> None:
    for name, obj in evening.found.items():
        if obj.get("certain") is False:
            assert obj["warnings"], name


def test_any_tile_may_be_set_by_hand(evening: Evening) -> None:
    before = evening.found["glare.jpg"]
    assert not code(before)
    out = evening.out.parent / "corrected"
    shutil.copytree(evening.out, out)
    # 5-2-3 was never among the readings of c1.1.
    call = ["standings", str(out), "--name", "{player}", "--correct", "glare.jpg c1.1=5-2-3"]
    done = CliRunner().invoke(app, call)
    assert done.exit_code == 0, done.stderr
    page = (out / "standings.html").read_text("utf-8")
    assert "easy c1.1: 9-2-3 is 5-2-3" in page
    assert "5-2-3 lies elsewhere" in page


def test_it_runs_without_a_display(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment["QT_QPA_PLATFORM"] = "nothing of the kind"
    call = [sys.executable, "-m", "boardsight.cli", "batch", str(faults.SAMPLES / "easy_2.jpg"), "--out", str(tmp_path)]
    done = subprocess.run(call, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert (done.returncode, "1 photos: 1 read" in done.stdout) == (0, True), done.stderr


def test_the_table_agrees_with_the_truth(evening: Evening) -> None:
    with (evening.out / "results.csv").open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        lines = list(reader)
        columns = reader.fieldnames or ()
    assert len(set(columns)) == len(columns)
    assert len(lines) == len(evening.found)
    by_photo = {line["photo"]: line for line in lines}
    for name in GOOD:
        line = by_photo[f"good {name}.jpg"]
        assert (line["total"], line["error"], line["player"]) == (str(faults.total(name)), "", "1")
        assert line["boards"] == " ".join(faults.truth(name))
    for line in lines:
        assert not line["photo"].startswith(("=", "+", "-", "@"))
        assert (line["total"] == "") == (line["error"] != "")


def test_the_last_line_is_true(evening: Evening) -> None:
    bad = sum(bool(code(obj)) for obj in evening.found.values())
    plain = (faults.SAMPLES / "easy_1.jpg").read_bytes()
    copies = sum(case.data == plain for case in evening.cases)
    total = len(evening.found)
    assert f"{total} photos: {total - copies} read now in" in evening.said
    assert f" s, {copies} known, " in evening.said
    assert f"{bad} with an error" in evening.said


def test_what_is_tested_elsewhere_is() -> None:
    texts = "".join(path.read_text("utf-8") for path in Path(__file__).parent.parent.rglob("test_*.py"))
    for test in ELSEWHERE.values():
        assert f"def {test}(" in texts
