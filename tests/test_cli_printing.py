"""Printed sheets: every game has a layout, every colour a look, and the figures add up."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from boardsight.cli.printing import LAYOUTS, TERMINAL_COLOURS, print_sheet, print_warnings
from boardsight.scoring.boards import COLOURS
from boardsight.scoring.notation import GAMES, parse_state
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score

EXAMPLES = json.loads((Path(__file__).parent / "data" / "higher_examples.json").read_text("utf-8"))["examples"]


def printed(notation: str, game: str, rules: Rules | None = None, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    state = parse_state(notation, game)
    print_sheet(console, state, score(state, rules))
    assert isinstance(console.file, io.StringIO)
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def test_every_game_has_a_layout() -> None:
    assert set(LAYOUTS) == set(GAMES)


def test_every_colour_has_a_look() -> None:
    names = {colour for stripes in COLOURS.values() for labels in stripes.values() for colour in labels.values()}
    assert names <= set(TERMINAL_COLOURS)
    for style in TERMINAL_COLOURS.values():
        Console(file=io.StringIO()).get_style(style)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e["player"])
def test_take_it_higher_has_a_line_a_colour_as_on_the_pad(example: dict[str, object]) -> None:
    notation = f"{example['notation']} ; ring: {example['ring']}"
    lines = printed(notation, "take-it-higher", Rules(studs=bool(example["studs_counted"])))
    sheet = example["sheet"]
    assert isinstance(sheet, dict)
    at = []
    for value, colour in enumerate(("white", "orange", "yellow", "pink", "green", "purple", "blue", "red"), start=1):
        at.append(lines.index(f"{colour} {sheet[colour]} x {value} = {sheet[colour] * value}"))
    at.append(lines.index(f"Take It Higher {example['ring']}"))
    at.append(lines.index(f"total {example['total']}"))
    assert at == sorted(at)


def test_sheet_fits_a_terminal_of_80_columns() -> None:
    console = Console(file=io.StringIO(), width=80)
    state = parse_state(f"{EXAMPLES[3]['notation']} ; ring: 160", "take-it-higher")
    print_sheet(console, state, score(state, Rules(studs=True)))
    assert isinstance(console.file, io.StringIO)
    rows = [line for line in console.file.getvalue().splitlines() if line.strip().startswith(("row", "gold", "silver"))]
    assert all(line.split()[-1].isdigit() for line in rows)


def test_warnings_stay_on_one_line_and_keep_brackets() -> None:
    console = Console(file=io.StringIO(), width=40)
    print_warnings(console, ["a [bold]long[/] warning that is longer than the terminal is wide"])
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == ("warning: a [bold]long[/] warning that is longer than the terminal is wide\n")
