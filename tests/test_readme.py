"""The README shows what really happens: its commands are run and their output compared."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardsight.cli import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
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
