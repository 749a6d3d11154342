"""The sample photos: each has the right answer beside it, and is read so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from boardsight.scoring.highscore import Challenge
from boardsight.scoring.notation import format_state, parse_state
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score
from boardsight.tournament.outcome import assess
from boardsight.vision.reader import Reader

FOLDER = Path(__file__).parent.parent / "sample_images"
PHOTOS = sorted(FOLDER.glob("*.jpg"))


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def answer(photo: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(photo.with_suffix(".json").read_text("utf-8"))
    return found


def card(right: dict[str, Any]) -> Challenge | None:
    return Challenge.parse(right["card"]) if "card" in right else None


def test_there_are_two_photos_of_every_board() -> None:
    boards = [board["board"] for photo in PHOTOS for board in answer(photo)["boards"]]
    for name in ("easy", "nexus", "scrapyard", "orchid", "higher"):
        assert boards.count(name) >= 2
    assert any("dice" in answer(photo) for photo in PHOTOS)
    assert sum("cards" in answer(photo) for photo in PHOTOS) >= 1


@pytest.mark.parametrize("photo", PHOTOS, ids=lambda p: p.stem)
def test_answer_agrees_with_its_own_boards(photo: Path) -> None:
    right = answer(photo)
    assert right["photo"] == photo.name
    line = " ; ".join(f"{board['board']}: {board['notation']}" for board in right["boards"])
    line = line or " ".join(right.get("dice", right.get("cards", ())))
    state = parse_state(line, right["game"])
    assert parse_state(format_state(state), right["game"]) == state
    sheet = score(state, Rules(), card(right))
    assert sheet.total == right["total"]
    assert dict(sheet.subtotals) == right["subtotals"]


@pytest.mark.parametrize("photo", PHOTOS, ids=lambda p: p.stem)
def test_photo_is_read_right(reader: Reader, photo: Path) -> None:
    right = answer(photo)
    outcome = assess(reader.read(photo), Rules(), card(right))
    assert outcome.reading.fault is None
    assert outcome.reading.game == right["game"]
    (player,) = outcome.players
    found = {board.board.name: board.notation for board in player.boards}
    assert found == {board["board"]: board["notation"] for board in right["boards"]}
    assert sorted(outcome.reading.dice) == sorted(right.get("dice", ()))
    assert sorted(outcome.reading.cards) == sorted(right.get("cards", ()))
    assert player.sheet.total == right["total"]
