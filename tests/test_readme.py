"""The README shows what really happens: its commands are run and their output compared."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardsight.cli import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
EVENING = ("batch", "standings", "standings", "batch", "standings")
CONSOLE = re.findall(r"```console\n\$ (.*?)\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(("command", "shown"), CONSOLE)
def test_commands_print_what_is_shown(command: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(command)
    assert words[0] == "boardsight"
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(app, words[1:])
    assert result.exit_code == 0
    assert [line.rstrip() for line in result.stdout.strip().splitlines()] == [
        line.rstrip() for line in shown.strip().splitlines()
    ]


@pytest.mark.slow
def test_the_evening_of_a_tournament_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = README.partition("## An evening of a tournament")[2].partition("\n## ")[0]
    (block,) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    commands = [shlex.split(line) for line in block.splitlines()]
    assert [words[:2] for words in commands] == [["boardsight", words] for words in EVENING]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").mkdir()
    photos = {"Anna_r1": "easy_1", "Ben_r1": "easy_2", "Cleo_r1": "nexus_2"}
    late = {"Anna_r2": "higher_2", "Ben_r2": "higher_1"}

    def bring(names: dict[str, str]) -> None:
        for name, sample in names.items():
            shutil.copy(ROOT / "sample_images" / f"{sample}.jpg", tmp_path / "photos" / f"{name}.jpg")

    bring(photos)
    said = []
    for number, words in enumerate(commands):
        if number == 3:
            bring(late)
        result = CliRunner().invoke(app, words[1:])
        assert result.exit_code == 0, result.output
        said.append(result.stdout)
    assert "3 photos: 3 read now" in said[0]
    assert "Cleo, round 1: Cleo_r1.jpg shows take-it-to-the-limit" in said[1]
    assert "5 photos: 2 read now" in said[3]
    lines = [line.split() for line in said[4].splitlines()]
    assert ["1", "Ben", "15", "384", "399"] in lines
    assert ["2", "Anna", "233", "75", "308"] in lines
    assert [line for line in lines if line[:2] == ["3", "Cleo"]]
    page = (tmp_path / "evening" / "standings.html").read_text("utf-8")
    assert page.count("data:image/jpeg;base64,") == 5


def test_both_commands_of_a_newcomer_stand_near_the_top() -> None:
    top = "\n".join(README.splitlines()[:20])
    assert "make demo" in top
    assert "make test" in top


def test_table_of_samples_is_right() -> None:
    table = dict(re.findall(r"^\| `(\w+)\.jpg` \| .* \| (-?\d+) \|$", README, re.MULTILINE))
    sidecars = {p.stem: json.loads(p.read_text("utf-8")) for p in (ROOT / "sample_images").glob("*.json")}
    assert table == {name: str(sidecar["total"]) for name, sidecar in sidecars.items()}


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "sample_images" / "README.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_make_targets_that_are_named_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in set(re.findall(r"make ([a-z-]+)", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
