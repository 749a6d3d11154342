"""Sheets as values."""

from __future__ import annotations

from boardsight.scoring.account import ColourTotal, Sheet, SheetLine


def test_json_leaves_out_what_does_not_apply() -> None:
    assert SheetLine("ring", 140, value=140).to_json() == {"what": "ring", "value": 140, "points": 140}


def test_json_of_a_row_has_the_keys_of_the_contract() -> None:
    line = SheetLine("row", 18, ("r1.1", "r2.2", "r3.4"), "d", "purple", 6, 3, "higher")
    assert line.to_json() == {
        "what": "row",
        "cells": ["r1.1", "r2.2", "r3.4"],
        "direction": "d",
        "colour": "purple",
        "value": 6,
        "length": 3,
        "points": 18,
    }


def test_lines_name_their_board_only_where_there_are_several() -> None:
    rows = (SheetLine("row", 3, ("c1.1",), board="nexus"), SheetLine("penalty", -60, value=5, board="scrapyard"))
    several = Sheet(rows, {"rows": 3}, -57).to_json()["lines"]
    one = Sheet(rows[:1], {"rows": 3}, 3).to_json()["lines"]
    assert isinstance(several, list) and [line["board"] for line in several] == ["nexus", "scrapyard"]
    assert isinstance(one, list) and "board" not in one[0]


def test_rows_add_up_by_colour() -> None:
    lengths = (4, 4, 3)
    lines = tuple(SheetLine("row", 6 * n, (), "d", "purple", 6, n) for n in lengths)
    sheet = Sheet((SheetLine("row", 2, (), "h", "orange", 2, 1), *lines), {"rows": 68}, 68)
    assert sheet.by_colour() == (ColourTotal("orange", 2, 1, 2), ColourTotal("purple", 6, 11, 66))
    assert sheet.of("gold", "silver") == ()
