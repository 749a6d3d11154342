"""Which rules are in force."""

from __future__ import annotations

import pytest

from boardsight.scoring.errors import NotationError
from boardsight.scoring.rules import WORDS, Rules


def test_default_is_the_basic_game() -> None:
    assert Rules.parse("") == Rules() == Rules.parse("basic")
    assert str(Rules()) == "basic"


@pytest.mark.parametrize("word", WORDS)
def test_each_word_comes_back(word: str) -> None:
    assert str(Rules.parse(word)) == word


def test_words_may_be_combined() -> None:
    assert Rules.parse("studs, advanced") == Rules(studs=True, ships="advanced")


def test_unknown_word_is_quoted() -> None:
    with pytest.raises(NotationError, match="'studz'"):
        Rules.parse("studz")


def test_contradiction_is_named() -> None:
    with pytest.raises(NotationError, match="'simple' and 'advanced'"):
        Rules.parse("simple,advanced")
