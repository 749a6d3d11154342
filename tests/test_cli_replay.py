"""The command ``replay``: what it prints for legal and illegal matches, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from boardsight.cli import app

MATCHES = Path(__file__).parent / "data" / "matches"


def replay(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["replay", *arguments], input=stdin)
    return result.exit_code, result.stdout, result.stderr


def squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.parametrize("path", sorted(MATCHES.glob("*.match")), ids=lambda p: p.stem)
def test_legal_matches_end_with_status_0(path: Path) -> None:
    code, out, err = replay(str(path))
    assert (code, err) == (0, "")
    assert "illegal" not in out
    assert out.rstrip().endswith("wins.")
    code, out, _ = replay(str(path), "--json")
    assert code == 0
    assert json.loads(out)["refusals"] == []


def test_prints_score_pads_and_standings() -> None:
    lines = squeezed(replay(str(MATCHES / "nexus_pass.match"))[1])
    assert "Round 2, Bert first" in lines
    assert "Scrap Yard is worth 67 63 56" in lines
    assert "total 444 539 315" in lines
    assert lines[-1] == "Anna wins."
    assert "1 Anna 925" in lines


def test_prints_pieces_and_chips_of_high_score() -> None:
    lines = squeezed(replay(str(MATCHES / "high_score.match"))[1])
    assert "piece stands on 10 stands on 17 stands on 18" in lines
    assert "chip bronze silver gold" in lines
    assert "1 Cleo 15 4 gold, 1 silver chips" in lines


def test_prints_every_sheet_on_request() -> None:
    out = replay(str(MATCHES / "easy.match"), "--sheets")[1]
    assert out.count("Take It Easy!") == 4
    assert "Anna, " in out


def test_an_illegal_move_is_named_with_its_line_and_reason() -> None:
    text = (MATCHES / "easy.match").read_text("utf-8").replace("5-2-4 | c4.4", "5-2-4 | c3.5")
    code, out, _ = replay("-", stdin=text)
    assert code == 1
    assert out.splitlines()[0] == "illegal: line 7: Anna: 'c3.5': c3.5 is occupied by 1-2-8"
    code, out, _ = replay("-", "--json", stdin=text)
    assert code == 1
    assert json.loads(out)["refusals"][0] == {
        "line": 7,
        "player": "Anna",
        "move": "c3.5",
        "reason": "c3.5 is occupied by 1-2-8",
    }


def test_ties_share_the_win_and_names_are_printed_as_they_are() -> None:
    text = "game: take-it-easy\nplayers: [bold]A, B:smile:\nround 1\n"
    code, out, _ = replay("-", stdin=text)
    assert code == 1
    assert out.splitlines()[-1] == "[bold]A and B:smile: share the win."


def test_json_of_a_round() -> None:
    found = json.loads(replay(str(MATCHES / "high_score.match"), "--json")[1])
    first = found["rounds"][0]["players"][0]
    assert set(first) == {"player", "points", "notation", "sheet", "note", "chip"}
    assert found["winners"] == ["Cleo"]
    assert found["standings"][0] == {"rank": 1, "name": "Cleo", "total": 15, "note": "4 gold, 1 silver chips"}


def test_wrong_files_end_with_status_2_and_one_line(tmp_path: Path) -> None:
    picture = tmp_path / "photo.match"
    picture.write_bytes(b"\xff\xd8\xff\xe0")
    for file, stdin, reason in [
        (str(tmp_path / "missing.match"), "", "cannot be read: No such file"),
        (str(tmp_path), "", "cannot be read"),
        (str(picture), "", "is no text in UTF-8"),
        ("-", "game: chess\n", "line 1: 'chess' is no game"),
        ("-", "", "no round"),
    ]:
        code, out, err = replay(file, stdin=stdin)
        assert (code, out) == (2, "")
        assert err.startswith("error: ")
        assert reason in err
        assert err.count("\n") == 1
