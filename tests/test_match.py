"""The match file: grammar and round trip."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardsight.scoring.errors import NotationError
from boardsight.scoring.match import (
    Blank,
    Call,
    Comment,
    Header,
    Match,
    MatchLine,
    RoundStart,
    format_match,
    parse_match,
)
from boardsight.scoring.rules import Rules

MATCHES = sorted((Path(__file__).parent / "data" / "matches").glob("*.match"))
SMALL = "game: take-it-easy\nplayers: Anna, Bert\n\nround 1\n1-2-8 | c3.5 | c1.2\n"


@pytest.mark.parametrize("path", MATCHES, ids=lambda p: p.stem)
def test_files_come_back_letter_by_letter(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_match(parse_match(text)) == text


def test_every_game_has_a_match() -> None:
    games = {parse_match(path.read_text(encoding="utf-8")).game for path in MATCHES}
    assert games == {"take-it-easy", "take-it-higher", "take-it-to-the-limit", "take-5", "high-score"}


def test_what_a_match_holds() -> None:
    match = parse_match("# a test\n" + SMALL.replace("Anna, Bert", "Anna ,  Zoë B.") + "\nround 2\n")
    assert match.game == "take-it-easy"
    assert match.players == ("Anna", "Zoë B.")
    assert match.rules == Rules()
    assert match.lines[0] == Comment("a test")
    first, second = match.rounds
    assert first == (5, RoundStart(1), ((6, Call("1-2-8", ("c3.5", "c1.2"))),))
    assert second == (8, RoundStart(2), ())


def test_additional_space_is_accepted() -> None:
    loose = SMALL.replace(": ", " :   ").replace(" | ", "|").replace("\n", "  \r\n")
    assert parse_match(loose) == parse_match(SMALL)


words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters="|,#:"), min_size=1)
values = st.lists(words, min_size=1, max_size=3).map(" ".join)


@st.composite
def matches(draw: st.DrawFn) -> Match:
    """Draw a match that follows the grammar, whatever its moves."""
    game = draw(st.sampled_from(["take-it-easy", "take-it-higher", "take-5", "high-score"]))
    players = draw(st.lists(values, min_size=1, max_size=4, unique=True))
    lines: list[MatchLine] = [Header("game", game), Header("players", ", ".join(players))]
    lines += [Header(key, draw(values)) for key in draw(st.lists(st.sampled_from(["event", "note"]), unique=True))]
    plain = st.one_of(st.just(Blank()), values.map(Comment), st.just(Comment("")))
    call = words.filter(lambda word: word not in ("table", "round"))
    entries = st.lists(values, min_size=len(players), max_size=len(players)).map(tuple)
    calls = st.builds(Call, call, entries)
    for number in range(1, draw(st.integers(1, 3)) + 1):
        lines.append(RoundStart(number, "odd vortex=0-6 roll=any-three" if game == "high-score" else ""))
        lines += draw(st.lists(st.one_of(plain, calls), max_size=4))
    return Match(tuple(lines))


@given(matches())
def test_round_trip(match: Match) -> None:
    text = format_match(match)
    assert parse_match(text) == match
    assert str(parse_match(text)) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no round in ''"),
        ("game: take-it-easy\nplayers: A\n", "no round"),
        ("players: A\nround 1\n", "line 2: header 'game' is missing"),
        ("game: take-it-easy\nround 1\n", "line 2: header 'players' is missing"),
        ("game: chess\n", "line 1: 'chess' is no game"),
        ("game: take-5\ngame: take-5\n", "line 2: header 'game' is given twice"),
        ("colour: blue\n", "line 1: 'colour: blue' is no header"),
        ("game:\n", "says nothing"),
        ("players: A, A\n", "different names"),
        ("players: A,,B\n", "different names"),
        ("rules: fast\n", "'fast' in 'fast' is no rule"),
        ("game: take-5\nplayers: A\nboard: orchid\nround 1\n", "'orchid' is no board of take-5"),
        ("game: take-it-higher\nplayers: A\nform: right\nround 1\n", "'right' is no form"),
        ("game: take-it-easy\nplayers: A, B, C\nrules: pairs\nround 1\n", "pairs need an even number"),
        (SMALL + "round one\n", "line 6: 'round one' must read round NUMBER"),
        (SMALL + "round 2:\n", "no challenge"),
        (SMALL + "round 2: total vortex=0\n", "only High Score"),
        ("game: high-score\nplayers: A\nround 1\n", "challenge '' must begin"),
        (SMALL + "1-2-3 | c1.1\n", "line 6: '1-2-3 | c1.1' has 1 entries where 2 are expected"),
        (SMALL + "1-2-3 | c1.1 |\n", "an entry is missing"),
        ("game: take-5\nplayers: A, B\nround 1\ntable | 5 | 6\n", "has 2 entries where 1 are expected"),
    ],
)
def test_wrong_files_name_and_quote_the_line(text: str, reason: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_match(text)
    assert reason in str(caught.value)


def fuzz(count: int, seed: int = 3) -> int:
    """Parse mutated match files; return how many were refused. Anything but a NotationError that quotes is raised."""
    rng = random.Random(seed)
    texts = ["\n".join(path.read_text(encoding="utf-8").split("\n")[:9]) for path in MATCHES]
    refused = 0
    for _ in range(count):
        letters = list(rng.choice(texts))
        for _ in range(rng.randint(1, 5)):
            i = rng.randrange(len(letters))
            letters[i : i + rng.choice([0, 1, 1, 9])] = rng.choice(
                ["", "|", ":", "\n", "round ", "#", ",", "\0", "é", "7"]
            )
        text = "".join(letters)
        try:
            match = parse_match(text)
        except NotationError as error:
            refused += 1
            if "'" not in str(error) and '"' not in str(error):
                raise AssertionError(f"{text!r}: {error} quotes nothing") from error
        else:
            if parse_match(format_match(match)) != match:
                raise AssertionError(f"{text!r} does not come back")
    return refused


def test_mutated_files_give_parse_errors_and_nothing_else() -> None:
    assert fuzz(1000) > 300
