"""Readings as JSON and back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from boardsight.vision.reading import BoardReading, Fault, Reading
from boardsight.web.codec import CodecError, dump, load

MakeBoard = Callable[..., BoardReading]
ORCHID = "-- -- -- -- -- / -- -- -- -- -- -- / -- -- -- -- -- / -- -- -- -- / 1-2-3sg -- -- / -- --"


def test_a_reading_comes_back_whole(make_board: MakeBoard) -> None:
    board = make_board("orchid", ORCHID, form="right", doubts={"c5.1": (0.5, "1-2-5mv")}, at=(7.5, 0.25))
    reading = Reading("IMG é.jpg", (3000, 4000), "take-it-to-the-limit", (board,), ("mirrored",))
    assert load(dump(reading)) == reading
    assert load(dump(reading)).boards[0].board is board.board


def test_a_fault_comes_back() -> None:
    reading = Reading("x", fault=Fault("no-board", "shows no board"))
    assert load(dump(reading)) == reading


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"photo": "x", "boards": [{"board": ["chess", ""]}]}'])
def test_a_damaged_text_is_an_error_of_its_own(text: str) -> None:
    with pytest.raises(CodecError):
        load(text)
