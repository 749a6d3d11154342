"""The match file: one text format for a whole match of any of the games, to be written by hand.

    file    = { comment | blank | header } round { round } ;
    header  = key ": " value ;
    round   = "round " number [ ": " challenge ] { comment | blank | call } ;
    call    = word { " | " entry } ;
    comment = "#" text ;

Each call has one entry a player, in the order of the header ``players``; only ``table`` has a single one. What
calls and entries mean is each game's own, see ``boardsight.scoring.replay``. Parsing and printing are exact
inverses, comments and blank lines included; additional space inside a line is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from boardsight.scoring.boards import boards_of
from boardsight.scoring.errors import NotationError
from boardsight.scoring.highscore import Challenge
from boardsight.scoring.notation import GAMES
from boardsight.scoring.rules import Rules

#: Header keys; the last four say nothing about the play.
KEYS = ("game", "players", "rules", "board", "form", "event", "place", "date", "note")
SINGLE_ENTRY_CALLS = ("table",)
"""Calls about all players together."""


@dataclass(frozen=True, slots=True)
class Blank:
    """An empty line."""

    def __str__(self) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A line for the reader."""

    text: str

    def __str__(self) -> str:
        return f"# {self.text}" if self.text else "#"


@dataclass(frozen=True, slots=True)
class Header:
    """A line about the whole match."""

    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.key}: {self.value}"


@dataclass(frozen=True, slots=True)
class RoundStart:
    """The line that a round begins with."""

    number: int
    challenge: str = ""
    """High Score: the challenge card of the round."""

    def __str__(self) -> str:
        return f"round {self.number}" + (f": {self.challenge}" if self.challenge else "")


@dataclass(frozen=True, slots=True)
class Call:
    """A tile that is called, a turn or a roll, with every player's answer to it."""

    call: str
    entries: tuple[str, ...]

    def __str__(self) -> str:
        return " | ".join((self.call, *self.entries))


MatchLine = Blank | Comment | Header | RoundStart | Call


@dataclass(frozen=True)
class Match:
    """A match as it was written, line by line."""

    lines: tuple[MatchLine, ...]

    @cached_property
    def headers(self) -> dict[str, str]:
        """Return the headers by key."""
        return {line.key: line.value for line in self.lines if isinstance(line, Header)}

    @property
    def game(self) -> str:
        """Return the game that was played."""
        return self.headers["game"]

    @cached_property
    def players(self) -> tuple[str, ...]:
        """Return the players in the order of seats."""
        return _names(self.headers["players"])

    @cached_property
    def rules(self) -> Rules:
        """Return the rules that were agreed."""
        return Rules.parse(self.headers.get("rules", ""))

    @property
    def form(self) -> str:
        """Return the form of the board, empty for the usual one."""
        return self.headers.get("form", "")

    @property
    def rounds(self) -> Iterator[tuple[int, RoundStart, tuple[tuple[int, Call], ...]]]:
        """Yield each round: its line number, its beginning, and its calls with their line numbers."""
        start: tuple[int, RoundStart] | None = None
        calls: list[tuple[int, Call]] = []
        for number, line in enumerate(self.lines, start=1):
            if isinstance(line, RoundStart):
                if start:
                    yield (*start, tuple(calls))
                start, calls = (number, line), []
            elif isinstance(line, Call):
                calls.append((number, line))
        if start:
            yield (*start, tuple(calls))

    def __str__(self) -> str:
        return format_match(self)


def _names(value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(","))


def format_match(match: Match) -> str:
    """Return the text of a match file; the inverse of ``parse_match``."""
    return "".join(f"{line}\n" for line in match.lines)


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _parse_header(text: str, seen: dict[str, str]) -> Header:
    key, colon, value = text.partition(":")
    key, value = key.strip(), _squeeze(value)
    if not colon or key not in KEYS:
        raise NotationError(f"{text!r} is no header; known: {', '.join(KEYS)}")
    if key in seen:
        raise NotationError(f"header {key!r} is given twice, in {text!r}")
    if not value:
        raise NotationError(f"header {text!r} says nothing")
    if key == "game" and value not in GAMES:
        raise NotationError(f"{value!r} is no game; known: {', '.join(GAMES)}")
    if key == "players":
        names = _names(value)
        if "" in names or len(set(names)) < len(names):
            raise NotationError(f"players {value!r} must be different names with commas between them")
        value = ", ".join(names)
    if key == "rules":
        Rules.parse(value)
    seen[key] = value
    return Header(key, value)


def _check_headers(headers: dict[str, str]) -> None:
    for key in ("game", "players"):
        if key not in headers:
            raise NotationError(f"header {key!r} is missing before the first round")
    game, boards = headers["game"], boards_of(headers["game"])
    board, form = headers.get("board"), headers.get("form")
    main = [b.name for b in boards if b.name != "scrapyard"]
    if board is not None and board not in main:
        raise NotationError(f"{board!r} is no board of {game}; known: {', '.join(main) or 'none'}")
    if form is not None and not any(f.form == form for b in boards for f in b.forms):
        raise NotationError(f"{form!r} is no form of a board of {game}")
    if Rules.parse(headers.get("rules", "")).pairs and len(_names(headers["players"])) % 2:
        raise NotationError(f"pairs need an even number of players, not {headers['players']!r}")


def _parse_call(text: str, players: int) -> Call:
    call, *entries = (_squeeze(part) for part in text.split("|"))
    if not call or "" in entries:
        raise NotationError(f"an entry is missing in {text!r}; write - for none")
    expected = 1 if call in SINGLE_ENTRY_CALLS else players
    if len(entries) != expected:
        raise NotationError(f"{text!r} has {len(entries)} entries where {expected} are expected")
    return Call(call, tuple(entries))


def _parse_round(text: str, game: str) -> RoundStart:
    match = re.fullmatch(r"round\s+([1-9][0-9]{0,3})\s*(?::(.*))?", text)
    if match is None:
        raise NotationError(f"{text!r} must read round NUMBER or round NUMBER: CHALLENGE")
    challenge = _squeeze(match[2] or "")
    if match[2] is not None and not challenge:
        raise NotationError(f"no challenge after the colon in {text!r}")
    if game == "high-score":
        challenge = str(Challenge.parse(challenge))
    elif challenge:
        raise NotationError(f"only High Score has challenges, in {text!r}")
    return RoundStart(int(match[1]), challenge)


def parse_match(text: str) -> Match:
    """Return the match that a file describes; the inverse of ``format_match``.

    Raises NotationError, which names and quotes the line, where the file does not follow the grammar. Whether
    the moves are legal is not looked at: see ``replay``.
    """
    lines: list[MatchLine] = []
    headers: dict[str, str] = {}
    players = 0
    for number, raw in enumerate(text.removesuffix("\n").split("\n"), start=1):
        line = raw.strip()
        try:
            if not line:
                lines.append(Blank())
            elif line.startswith("#"):
                lines.append(Comment(_squeeze(line[1:])))
            elif re.match(r"round\b", line):
                if not players:
                    _check_headers(headers)
                    players = len(_names(headers["players"]))
                lines.append(_parse_round(line, headers["game"]))
            elif players:
                lines.append(_parse_call(line, players))
            else:
                lines.append(_parse_header(line, headers))
        except NotationError as error:
            raise NotationError(f"line {number}: {error}") from error
    if not players:
        raise NotationError(f"no round in {text[:60]!r}")
    return Match(tuple(lines))
