"""Names from outside cannot break terminals, spreadsheets or folders."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardsight.tournament.texts import csv_text, file_stem, printable, storable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("IMG 1 é 写真.jpg", "IMG 1 é 写真.jpg"),
        ("a\x1b[2J\x1b]0;owned\x07.jpg", "a?[2J?]0;owned?.jpg"),
        ("a\nb\r\t.jpg", "a?b??.jpg"),
        ("gpj.\u202eexe", "gpj.?exe"),
        (os.fsdecode(b"bad \xff.jpg"), "bad \\udcff.jpg"),
    ],
)
def test_a_terminal_gets_one_harmless_line(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_long_name_loses_its_middle() -> None:
    assert printable("abcdefghijklmnopqrstuvwxyz", 12) == "abcdefgh...z"
    assert len(printable("x" * 500, 120)) == 120


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r=1", "|calc", "%0A"])
def test_a_spreadsheet_gets_no_formula(text: str) -> None:
    assert csv_text(text).startswith("'")


def test_ordinary_text_goes_into_a_spreadsheet_as_it_is() -> None:
    assert csv_text("Anna_r1.jpg") == "Anna_r1.jpg"


@given(st.text())
def test_nothing_dangerous_is_left(text: str) -> None:
    assert "\x1b" not in printable(text)
    assert len(csv_text(text).splitlines()) <= 1
    assert csv_text(text)[:1] not in ("=", "+", "-", "@", "\t", "\r")
    storable(text).encode("utf-8")
    stem = file_stem(text)
    assert stem
    assert not stem.startswith(".")
    assert not set(stem) & set('/\\:*?"<>|\0\n')
    assert len(stem.encode()) <= 60


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("a/IMG_1.jpg", "IMG_1"),
        ("../../etc/passwd", "passwd"),
        (".hidden", "hidden"),
        ("", "photo"),
        ("é.x.png", "é.x"),
    ],
)
def test_a_picture_is_named_after_its_photo(name: str, stem: str) -> None:
    assert file_stem(name) == stem
