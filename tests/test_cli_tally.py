"""The command ``tally``: sheets from notation, in text and as JSON, and how wrong input ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardsight.cli import app

DATA = Path(__file__).parent / "data"
EASY = (
    "9-2-3 9-6-8 9-6-4 / 1-2-8 1-6-3 1-7-8 1-2-4 / 1-2-3 1-6-8 5-6-3 5-7-8 1-7-4 / "
    "9-6-3 9-2-8 9-7-3 9-7-8 / 5-2-3 5-6-8 5-7-3"
)


def tally(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["tally", *arguments], input=stdin)
    return result.exit_code, result.stdout, result.stderr


def test_prints_the_sheet_and_each_row() -> None:
    code, out, err = tally("take-it-easy", EASY)
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "Take It Easy!"
    assert "yellow 7 x 9 = 63" in lines
    assert "total 233" in lines
    assert "row c1.1 to c5.3 falling magenta 5 x 3 = 15" in lines


@pytest.mark.parametrize("example", json.loads((DATA / "higher_examples.json").read_text("utf-8"))["examples"])
def test_rulebook_sheets_of_take_it_higher(example: dict[str, object]) -> None:
    state = f"{example['notation']} ; ring: {example['ring']}" if example["ring"] else str(example["notation"])
    rules = "studs" if example["studs_counted"] else "basic"
    code, out, _ = tally("take-it-higher", state, "--json", "--rules", rules)
    assert code == 0
    assert json.loads(out)["sheet"]["total"] == example["total"]


def test_rulebook_sheet_of_nexus_with_scrapyard() -> None:
    nexus = json.loads((DATA / "limit_examples.json").read_text("utf-8"))["nexus"]
    state = f"nexus: {nexus['notation']} ; scrapyard: {nexus['scrapyard']}"
    code, out, _ = tally("take-it-to-the-limit", state, "--json")
    assert code == 0
    sheet = json.loads(out)["sheet"]
    assert sheet["total"] == 628
    assert sheet["subtotals"] == {
        "rows": 498, "bonuses": 140, "ray": 50, "scrapyard-penalty": -60, "scrapyard-value": 53
    }  # fmt: skip
    code, out, _ = tally("take-it-to-the-limit", state)
    text = " ".join(out.split())
    assert "Scrap Yard -60" in text
    assert "Scrap Yard is worth 53" in text
    assert "bonus c4.3 gold all 3 rows = 80" in text
    assert "penalty Scrap Yard worth 53 = -60" in text


def test_json_has_the_keys_of_the_contract_and_no_others() -> None:
    code, out, err = tally("take-it-easy", EASY, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert list(found) == ["game", "boards", "sheet", "certain", "warnings"]
    assert found["boards"] == [{"board": "easy", "notation": EASY}]
    assert found["certain"] is True
    assert found["sheet"]["lines"][0] == {
        "what": "row",
        "cells": ["c1.1", "c1.2", "c1.3"],
        "direction": "v",
        "colour": "yellow",
        "value": 9,
        "length": 3,
        "points": 27,
    }


def test_ships_and_reserve_are_in_the_json() -> None:
    board = " / ".join(" ".join(["--"] * n) for n in (2, 4, 6, 6, 4, 2))
    _, out, _ = tally("take-it-higher", f"{board} ; ships: r3.2=orange+white ; ring: 40", "--json")
    found = json.loads(out)
    assert found["ships"] == {"r3.2": ["orange", "white"]}
    assert found["launched"] == ["white", "orange"]
    assert found["ring"] == 40
    orchid = json.loads((DATA / "limit_examples.json").read_text("utf-8"))["orchid"]
    state = f"orchid: {orchid['notation']} ; reserve: {orchid['reserve_left'][0]}"
    _, out, _ = tally("take-it-to-the-limit", state, "--json")
    found = json.loads(out)
    assert found["reserve"] == orchid["reserve_left"]
    assert found["sheet"]["total"] == orchid["total"]


def test_form_chooses_the_diagonals_of_take_it_higher() -> None:
    state = json.loads((DATA / "higher_examples.json").read_text("utf-8"))["examples"][0]["notation"]
    _, out, _ = tally("take-it-higher", state, "--json", "--form", "swapped")
    found = json.loads(out)
    assert found["boards"][0]["form"] == "swapped"
    assert {line["direction"] for line in found["sheet"]["lines"] if line["colour"] == "purple"} <= {"u"}


def test_stdin_gives_one_object_a_line() -> None:
    code, out, err = tally("take-it-easy", "-", "--json", stdin=f"{EASY}\n\n{EASY}\n")
    assert (code, err) == (0, "")
    assert [json.loads(line)["sheet"]["total"] for line in out.splitlines()] == [233, 233]


def test_wrong_line_of_stdin_does_not_stop_the_others() -> None:
    code, out, err = tally("take-it-easy", "-", "--json", stdin=f"nonsense\n{EASY}\n")
    assert code == 1
    first, second = (json.loads(line) for line in out.splitlines())
    assert first["state"] == "nonsense"
    assert first["error"]["code"] == "bad-notation"
    assert second["sheet"]["total"] == 233
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("take-it-easy", "9-2-3 9-6-8"),
        ("take-it-easy", EASY.replace("9-2-3", "9-2-9", 1)),
        ("chess", EASY),
        ("take-it-easy", EASY, "--rules", "house"),
        ("take-it-easy", EASY, "--form", "upside-down"),
        ("take-it-easy",),
        ("take-it-easy", EASY, "--nonsense"),
    ],
)
def test_wrong_usage_ends_with_status_2_and_an_empty_stdout(arguments: tuple[str, ...]) -> None:
    code, out, err = tally(*arguments, "--json")
    assert code == 2
    assert out == ""
    assert "Traceback" not in err
    assert err


def test_unread_tile_is_said() -> None:
    state = EASY.replace("9-2-3", "??", 1)
    code, out, _ = tally("take-it-easy", state)
    assert code == 0
    assert "185 ?" in out
    assert "warning: the tile on c1.1 could not be read" in out
    _, out, _ = tally("take-it-easy", state, "--json")
    assert json.loads(out)["certain"] is False


def test_empty_board_scores_nothing() -> None:
    code, out, _ = tally("take-it-easy", " / ".join(" ".join(["--"] * n) for n in (3, 4, 5, 4, 3)))
    assert code == 0
    assert "No row scores." in out


def test_impossible_state_is_scored_and_said() -> None:
    code, out, _ = tally("take-it-easy", EASY.replace("9-6-4", "9-6-8", 1), "--json")
    assert code == 0
    assert [warning for warning in json.loads(out)["warnings"] if "9-6-8" in warning and "c1.2, c1.3" in warning]


def test_cards_and_dice_have_sheets_too() -> None:
    code, out, _ = tally("take-5", "55 42 hand +5", "--json")
    assert code == 0
    assert json.loads(out)["sheet"]["total"] == -15
    code, out, _ = tally("high-score", "5 5 5 4 4 2 V", "--json", "--card", "total vortex=-5")
    assert code == 0
    assert json.loads(out)["sheet"]["total"] == 20
    code, out, _ = tally("high-score", "5 5 5 4 4 2 V", "--card", "total vortex=-5")
    assert "20" in out
    code, out, err = tally("high-score", "5 5 5 4 4 2 V")
    assert (code, out) == (2, "")
    assert "challenge card" in err
