"""Whose photo it is: by a pattern in its name or folders, by a table, or as the database says."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boardsight.scoring.errors import BoardsightError
from boardsight.tournament.rows import Entry, PhotoRow, Points

DEFAULT_PATTERN = "{player}_r{round}"
_FIELDS = {"player": r"(?P<player>[^/]+?)", "round": r"(?P<round>\d{1,4})", "table": r"(?P<table>[^/]+?)"}


class WhoseError(BoardsightError, ValueError):
    """A pattern or table that cannot be used; the message quotes it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One player's boards in a photo are a player's in a round."""

    player: str
    round: int
    photo: PhotoRow
    part: int = 1
    """Number of the player within the photo, from 1."""
    table: str = ""
    """Who plays together; empty where all do."""


def clean_name(text: str) -> str:
    """Return a player's name in one form, however a computer spells its accents and spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\{[^{}]*\})", pattern)
    names = [part[1:-1] for part in parts if part.startswith("{")]
    if "player" not in names or len(set(names)) != len(names) or not set(names) <= set(_FIELDS):
        raise WhoseError(
            f"{pattern!r} must have {{player}} once, and may have {{round}} and {{table}}, e.g. {DEFAULT_PATTERN!r}"
        )
    return re.compile(
        "".join(_FIELDS[part[1:-1]] if part.startswith("{") else re.escape(part) for part in parts), re.IGNORECASE
    )


def by_pattern(photos: Iterable[PhotoRow], pattern: str = DEFAULT_PATTERN) -> tuple[Claim, ...]:
    """Return the claims that a pattern finds; a photo that does not fit has none.

    The pattern is held against the end of the photo's address without its suffix, as many folders up as the pattern has
    slashes: ``{player}_r{round}``, ``round {round}/{player}``. Without ``{round}`` all is round 1.

    Raises WhoseError for a pattern without ``{player}`` or with an unknown field.
    """
    compiled = _compiled(pattern)
    depth = pattern.count("/") + 1
    found = []
    for photo in photos:
        parts = photo.address.partition("::")[0].replace("\\", "/").split("/")[-depth:]
        parts[-1] = re.sub(r"\.[A-Za-z0-9]{1,5}$", "", parts[-1])
        match = compiled.fullmatch(unicodedata.normalize("NFC", "/".join(parts)))
        if match and (player := clean_name(match["player"])):
            groups = match.groupdict()
            number = int(groups.get("round") or 1)
            found.append(Claim(player, number, photo, table=clean_name(groups.get("table") or "")))
    return tuple(found)


def by_entries(photos: Iterable[PhotoRow], entries: Iterable[Entry]) -> tuple[Claim, ...]:
    """Return the claims that the database holds."""
    known = {photo.address: photo for photo in photos}
    return tuple(Claim(e.player, e.round, known[e.address], e.part) for e in entries if e.address in known)


def _number(line: Mapping[str, str], column: str, at: str, default: int) -> int:
    text = line.get(column) or str(default)
    if not re.fullmatch(r"-?\d{1,6}", text):
        raise WhoseError(f"{text!r} in column {column!r} of {at} is no whole number")
    return int(text)


def _photo(name: str, photos: Sequence[PhotoRow], at: str) -> PhotoRow:
    for same in (
        lambda photo: name in (photo.address, photo.name),
        lambda photo: photo.address.endswith("/" + name),
        lambda photo: photo.address.partition("::")[0].rsplit("/", 1)[-1].rpartition(".")[0] == name,
    ):
        fitting = [photo for photo in photos if same(photo)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise WhoseError(f"{name!r} in {at} could be {len(fitting)} photos; write more of its path")
    raise WhoseError(f"{name!r} in {at} is no photo of the list")


def find_photo(name: str, photos: Sequence[PhotoRow]) -> PhotoRow:
    """Return the photo that a name, the end of a path, or a file name without its suffix means.

    Raises WhoseError where it is none or several.
    """
    return _photo(name, photos, "the command")


def by_table(photos: Sequence[PhotoRow], path: Path) -> tuple[tuple[Claim, ...], tuple[Points, ...]]:
    """Return the claims of a CSV file, and the points that it gives without a photo.

    It has a header with ``player`` and, as needed, ``photo``, ``round``, ``part``, ``table``, ``points`` and ``note``;
    a line has a photo or points.

    Raises WhoseError where it cannot be read or names a photo that is not on the list.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WhoseError(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    start = text.partition("\n")[0]
    dialect = ";" if start.count(";") > start.count(",") else "\t" if "\t" in start else ","
    claims, points = [], []
    for number, raw in enumerate(csv.DictReader(io.StringIO(text), delimiter=dialect), start=2):
        at = f"line {number} of {path.name!r}"
        texts = {key: value for key, value in raw.items() if key and isinstance(value, str)}
        line = {key.strip().lower(): value.strip() for key, value in texts.items()}
        player = clean_name(line.get("player", ""))
        if not player:
            raise WhoseError(f"{at} has no player")
        played = _number(line, "round", at, 1)
        if line.get("photo"):
            photo = _photo(line["photo"], photos, at)
            claims.append(Claim(player, played, photo, _number(line, "part", at, 1), clean_name(line.get("table", ""))))
        elif line.get("points"):
            points.append(Points(player, played, _number(line, "points", at, 0), line.get("note", "")))
        else:
            raise WhoseError(f"{at} has neither photo nor points")
    return tuple(claims), tuple(points)
