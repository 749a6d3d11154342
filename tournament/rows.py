"""What stands in the database, as values."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Key:
    """What a reading depends on, and nothing else."""

    content: str
    """sha256 of the file, in hexadecimal."""
    settings: str
    """How it was read: one line of text, the same for the same options."""
    model: str
    """sha256 over the networks, in hexadecimal."""


@dataclass(frozen=True, slots=True)
class PhotoRow:
    """A place where a photo lies, what was there, and which reading belongs to it."""

    address: str
    """Where it lies, in full: what makes it one photo of the list and not another."""
    name: str
    """What lists call it."""
    key: Key | None
    """Of its reading; None where the file could not be fetched."""
    size: int | None = None
    """Bytes."""
    stamp: str = ""
    """Changes with the file, without reading it; empty where the file system offers nothing of the kind."""
    fault: tuple[str, str] | None = None
    """Code and message where the file could not be fetched."""


@dataclass(frozen=True, slots=True)
class Evening:
    """A tournament or an evening of games: players, rounds, and the rules that they play by."""

    evening: str
    title: str = ""
    rules: str = ""
    """Words of ``Rules.parse``."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of an evening."""

    number: int
    game: str = ""
    rules: str | None = None
    """Words of ``Rules.parse``; None where the evening's rules hold."""
    challenge: str = ""
    """High Score: the challenge card."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Whose photo it is: one player's boards in it belong to a player's round."""

    address: str
    player: str
    round: int
    part: int = 1
    """Number of the player within the photo, from 1, where it shows the boards of several."""


@dataclass(frozen=True, slots=True)
class Points:
    """Points that were entered by hand, in place of any photo."""

    player: str
    round: int
    points: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """One thing set by hand that the reading said otherwise; the reading itself stays as it is."""

    content: str
    """sha256 of the photo."""
    board: int
    """Number of the board in the reading's ``boards``, from 1."""
    what: str
    """Name of a cell, or ``ships``, ``ring``, ``reserve``, ``cards``, ``hand`` or ``dice``."""
    value: str
    """What is really there, in the notation; empty for none."""
    who: str = ""
    id: int = 0
    """Given by the store, rising with time."""
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """All that is needed to show a photo and to correct its reading without its file."""

    reading: str
    """The whole reading as JSON."""
    picture: bytes = field(default=b"", repr=False)
    """The photo as JPEG, upright and without metadata; empty where there is none."""
    thumbnail: bytes = field(default=b"", repr=False)
    """The same, small."""
    evidence: bytes = field(default=b"", repr=False)
    """What ``boardsight.vision.correct.pack`` makes; empty where there is none."""
