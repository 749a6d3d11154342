"""The command ``batch``, with real photos and real processes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import cv2
import pytest
from tests.tournament.kills import rows
from typer.testing import CliRunner

from boardsight.cli import app
from boardsight.cli.batch import Progress
from boardsight.tournament.batch import Step
from boardsight.tournament.places import Place

SAMPLES = Path(__file__).parent.parent / "sample_images"


def batch(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["batch", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    for name in ("easy_2.jpg", "higher_1.jpg"):
        shutil.copy(SAMPLES / name, folder)
    return folder


@pytest.mark.slow
def test_photos_become_a_folder_of_results(photos: Path, tmp_path: Path) -> None:
    (photos / "text.jpg").write_text("no photo")
    out = tmp_path / "out"
    code, said, wrong = batch(photos, "--out", out, "--jobs", 2)
    assert code == 1
    assert re.fullmatch(
        rf"3 photos: 3 read now in [\d.]+ s, 0 known, 1 with an error; see {re.escape(str(out))}\n", said
    )
    assert "text.jpg: not-an-image: 'text.jpg' is not a picture" in wrong
    assert "3 of 3 photos" in wrong
    easy, higher, text = map(json.loads, (out / "results.jsonl").read_text("utf-8").splitlines())
    assert (easy["photo"], easy["sheet"]["total"]) == ("easy_2.jpg", 15)
    assert (higher["photo"], higher["sheet"]["total"]) == ("higher_1.jpg", 384)
    assert text["error"]["code"] == "not-an-image"
    for path in (out / "annotated").iterdir():
        assert cv2.imread(str(path)) is not None
    code, said, _ = batch(photos, "--out", out, "--jobs", 2)
    assert code == 1
    assert "3 photos: 0 read now" in said
    alone = tmp_path / "alone"
    batch(photos, "--out", alone, "--jobs", 1)
    assert rows(alone) == rows(out)


@pytest.mark.slow
def test_the_bounds_hold(photos: Path, tmp_path: Path) -> None:
    code, _, wrong = batch(photos, "--out", tmp_path / "a", "--max-megapixels", 0.5, "--jobs", 1)
    assert code == 1
    assert wrong.count("too-large") == 2
    code, _, wrong = batch(photos, "--out", tmp_path / "b", "--max-megabytes", 0.45)
    assert code == 1
    assert re.findall(r"^(\w+)\.jpg: too-large", wrong, re.MULTILINE) == ["higher_1"]
    code, _, wrong = batch(photos, "--out", tmp_path / "c", "--max-seconds", 0.01, "--jobs", 1)
    assert code == 1
    assert wrong.count("too-slow") == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--game", "chess"), "no game"),
        (("--rules", "nonsense"), "is no rule"),
        (("--jobs", "-1"), "--jobs"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: tuple[str, str], said: str) -> None:
    code, _, wrong = batch(tmp_path, "--out", tmp_path / "out", *arguments)
    assert code == 2
    assert said in wrong
    assert not (tmp_path / "out").exists()


def test_a_wrong_address_is_wrong_usage(tmp_path: Path) -> None:
    code, _, wrong = batch("nosuch://bucket", "--out", tmp_path / "out")
    assert code == 2
    assert wrong.startswith("error: ")
    assert wrong.count("\n") == 1


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    code, said, wrong = batch(tmp_path / "gone.jpg", "--out", tmp_path / "out")
    assert code == 1
    assert "not-found" in wrong
    assert "1 with an error" in said


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, said, wrong = batch(tmp_path, "--out", tmp_path / "file" / "out")
    assert (code, said) == (1, "")
    assert wrong.startswith("error: ")
    assert wrong.count("\n") == 1


def test_escapes_in_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[31m\n.jpg").write_text("no photo")
    code, said, wrong = batch(tmp_path, "--out", tmp_path / "out")
    assert code == 1
    assert "\x1b" not in said + wrong
    assert "a?[31m?.jpg: not-an-image" in wrong


def test_progress_without_a_terminal_is_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    progress.started -= 10
    step = Step(Place("/a", "a", "/a", None))
    for _ in range(10):
        progress(step, 10)
    assert re.fullmatch(r"10 of 10 photos, 1\.0 a second, 0 s left\n", capsys.readouterr().err)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_progress_on_a_terminal_is_a_bar(photos: Path, tmp_path: Path) -> None:
    import pty

    leader, follower = pty.openpty()
    call = [sys.executable, "-m", "boardsight.cli", "batch", str(photos), "--out", str(tmp_path / "out")]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=follower, env=environment)
    os.close(follower)
    shown = b""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    assert process.wait(60) == 0
    assert b"2/2" in shown
    assert b"a second" in shown
