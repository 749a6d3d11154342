"""The documentation shows what really happens: its commands are run and its match files replayed."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardsight.cli import app
from boardsight.scoring.highscore import SCORINGS
from boardsight.scoring.match import KEYS, format_match, parse_match
from boardsight.scoring.notation import GAMES
from boardsight.scoring.replay import replay
from boardsight.scoring.rules import WORDS

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
CONSOLE = [
    pytest.param(command, shown, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, (command, shown) in enumerate(
        re.findall(r"```console\n\$ (.*?)\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    )
]
MATCHES = [text for page in PAGES for text in re.findall(r"```match\n(.*?)```", page.read_text("utf-8"), re.DOTALL)]


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


def test_python_examples() -> None:
    results = [doctest.testfile(str(page), module_relative=False, encoding="utf-8") for page in PAGES]
    assert sum(result.attempted for result in results) > 0
    assert sum(result.failed for result in results) == 0


def test_every_module_of_the_rules_is_in_the_list() -> None:
    page = (ROOT / "docs" / "library.md").read_text("utf-8")
    helpers = {"__init__", "errors", "record", "replay_tiles", "replay_take5", "replay_dice"}
    for module in {path.stem for path in (ROOT / "scoring").glob("*.py")} - helpers:
        assert f"`{module}`" in page, module


def test_every_game_has_a_page_with_an_example() -> None:
    for game in GAMES:
        page = (ROOT / "docs" / f"{game}.md").read_text("utf-8")
        assert f"$ boardsight tally {game} " in page
        assert "## Match file" in page
        assert game == "take-it-easy" or "## Where we chose" in page


@pytest.mark.parametrize("text", MATCHES)
def test_match_files_are_legal_and_come_back(text: str) -> None:
    match = parse_match(text)
    assert format_match(match) == text
    assert replay(match).legal
    assert text in [path.read_text("utf-8") for path in (ROOT / "docs" / "examples").glob("*.match")]


def test_every_word_is_documented() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    for word in (*WORDS, *SCORINGS, *KEYS):
        assert f"`{word}`" in text or f"--rules {word}" in text, word
