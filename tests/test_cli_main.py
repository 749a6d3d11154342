"""The application as a whole: version, help, and that every command is documented."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from boardsight.cli import app

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
COMMANDS = [str(command.name) for command in app.registered_commands]


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.stdout == f"boardsight {version('boardsight')}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_is_in_the_readme(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert f"boardsight {command}" in README


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_and_argument_has_help(command: str) -> None:
    group = typer.main.get_command(app)
    parameters = getattr(group, "commands")[command].params  # noqa: B009
    assert [p.name for p in parameters if not getattr(p, "help", None)] == []


def test_no_arguments_show_help_and_end_with_status_2() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 2
    assert "Usage" in result.output


def test_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "boardsight.cli", "--version"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.startswith("boardsight ")
