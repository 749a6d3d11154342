"""The command ``advise``: relocations, launches and vortices."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardsight.cli import app

DATA = Path(__file__).parent / "data"
ORCHID = json.loads((DATA / "limit_examples.json").read_text("utf-8"))["orchid"]
BEFORE = f"orchid: {ORCHID['before']} ; reserve: {' '.join(ORCHID['reserve'])}"
COLUMN = "-- -- / -- -- -- -- / GP -- -- -- -- -- / SO -- -- -- -- -- / -- -- -- -- / -- --"


def advise(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["advise", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_best_relocation_with_its_gain() -> None:
    code, out, err = advise("take-it-to-the-limit", BEFORE)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "Move 1-11-10s onto c3.1.",
        "Move 1-2-3sg onto c3.4.",
        "That wins 97 and loses 0: a gain of 97, and a total of 434.",
    ]
    found = json.loads(advise("take-it-to-the-limit", BEFORE, "--json")[1])
    assert (found["gain"], found["total"]) == (97, 434)
    assert found["moves"] == [{"cell": "c3.1", "tile": "1-11-10s"}, {"cell": "c3.4", "tile": "1-2-3sg"}]


def test_nothing_to_relocate() -> None:
    code, out, _ = advise("take-it-to-the-limit", f"orchid: {ORCHID['before']}")
    assert code == 0
    assert out == "Leave the reserve where it is: the total stays 337.\n"


def test_legal_launches() -> None:
    code, out, _ = advise("take-it-higher", COLUMN, "--cell", "r3.1")
    assert (code, out) == (0, "white onto r3.1: the ring moves to 20.\n")
    everywhere = json.loads(advise("take-it-higher", COLUMN, "--json")[1])
    assert [launch["cell"] for launch in everywhere["launches"]] == ["r3.1", "r4.1"]
    advanced = json.loads(advise("take-it-higher", f"{COLUMN} ; ships: r4.1=gold", "--rules", "advanced", "--json")[1])
    assert advanced["launches"] == []
    assert advise("take-it-higher", COLUMN, "--cell", "r1.1")[1] == "No ship can be launched.\n"


def test_best_vortices() -> None:
    code, out, _ = advise("high-score", "5 5 V 4 4 V 2", "--card", "three-of-a-kind-minus vortex=0-6")
    assert (code, out) == (0, "Vortices as 4 and 5: 25 points.\n")
    assert advise("high-score", "5 5", "--card", "total vortex=5")[1] == "No vortex to choose a value for: 10 points.\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("high-score", "5 5"), "need a challenge card"),
        (("high-score", "5 5", "--card", "sum"), "challenge 'sum'"),
        (("take-it-higher", COLUMN, "--cell", "c1.1"), "'c1.1' is no cell"),
        (("take-it-higher", "GP"), "'GP'"),
        (("take-5", "97"), "advice is given on"),
        (("take-it-to-the-limit", "scrapyard: -- -- / -- -- -- / -- --"), "advice is given on"),
        (("chess", "e4"), "'chess' is no game"),
        (("high-score", "5", "--rules", "odd"), "'odd'"),
    ],
)
def test_wrong_usage_ends_with_status_2(arguments: tuple[str, ...], reason: str) -> None:
    code, out, err = advise(*arguments)
    assert (code, out) == (2, "")
    assert reason in err
