"""What a replay gives back: refused moves, rounds, standings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boardsight.scoring.account import Sheet
from boardsight.scoring.match import Match
from boardsight.scoring.notation import State


@dataclass(frozen=True, slots=True)
class Refusal:
    """A move, or a line, that breaks the rules; it is left out of the play."""

    line: int
    """Number of the line in the file, from 1."""
    player: str
    """Empty where it is about all players."""
    move: str
    """As it was written."""
    reason: str

    def __str__(self) -> str:
        who = f"{self.player}: " if self.player else ""
        return f"line {self.line}: {who}{self.move!r}: {self.reason}"


@dataclass(frozen=True, slots=True)
class PlayerRound:
    """How one player ended a round."""

    player: str
    points: int
    """What the round adds to the player's total."""
    state: State | None = None
    sheet: Sheet | None = None
    note: str = ""
    """High Score: where the piece stands and which chip it won."""
    chip: str = ""


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round that was played."""

    number: int
    first: str
    """The player who calls the tiles, or begins."""
    players: tuple[PlayerRound, ...]
    """In the order of seats."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's, or a pair's, place in the match."""

    rank: int
    """From 1; equal for those who tie."""
    name: str
    total: int
    note: str = ""
    """What breaks ties, where something does."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A match that was played through by the rules."""

    match: Match
    refusals: tuple[Refusal, ...]
    rounds: tuple[RoundResult, ...]
    standings: tuple[Standing, ...]

    @property
    def legal(self) -> bool:
        """Return True where every move was legal and every round complete."""
        return not self.refusals

    @property
    def winners(self) -> tuple[str, ...]:
        """Return the winner, or all who share the win."""
        return tuple(standing.name for standing in self.standings if standing.rank == 1)


def ranked(names: Sequence[str], keys: Mapping[str, tuple[int, ...]], notes: Mapping[str, str]) -> tuple[Standing, ...]:
    """Return the standings by key, highest first; the first number of a key is the total."""
    order = sorted(names, key=lambda name: tuple(-k for k in keys[name]))
    return tuple(
        Standing(1 + sum(keys[other] > keys[name] for other in names), name, keys[name][0], notes.get(name, ""))
        for name in order
    )
