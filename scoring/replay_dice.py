"""Replay rounds of High Score: every roll, what was kept, where the pieces stand and who wins the chips.

A round begins ``round 1: total vortex=-5 roll=four-full``. Each line ``roll | 5 5 + 4 3 2 1 V | -`` gives all
seven dice of each player, those that lay still before the ``+``; ``-`` for a player who has stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from boardsight.scoring.errors import NotationError
from boardsight.scoring.highscore import DICE, Challenge, roll_problem
from boardsight.scoring.match import Call, Match
from boardsight.scoring.notation import UNREAD_TEXT, State, parse_state
from boardsight.scoring.record import PlayerRound, Refusal, RoundResult
from boardsight.scoring.sheets import score
from boardsight.scoring.track import ROUNDS, award, place, space

NONE = "-"


class _Turn:
    """One player's dice while they are rolled."""

    def __init__(self, challenge: Challenge) -> None:
        self.challenge = challenge
        self.dice: tuple[str, ...] = ()
        self.kept: tuple[str, ...] = ()
        self.rolls = 0
        self.stopped = False

    def roll(self, entry: str) -> str:
        """Roll once; return why that is refused, or an empty text."""
        if entry == NONE:
            if not self.rolls:
                return "every player rolls at least once"
            self.stopped = True
            return ""
        if self.stopped:
            return "the player had stopped"
        before, plus, after = entry.rpartition("+")
        try:
            dice = parse_state(f"{before} {after}", "high-score").dice
        except NotationError as error:
            return str(error)
        if UNREAD_TEXT in dice:
            return "a roll cannot be replayed with an unread die"
        if len(dice) != DICE:
            return f"{DICE} dice are expected, not {len(dice)}"
        kept = tuple(before.split())
        if plus and not self.rolls and kept:
            return "the first roll is of all dice"
        if plus and not after.split():
            return "no die is rolled"
        if self.rolls:
            problem = roll_problem(self.challenge, self.rolls + 1, kept, self.dice, len(self.kept))
            if problem:
                return problem
            if self.challenge.roll == "set-aside" and Counter(self.kept) - Counter(kept):
                return "a die that was set aside may not be rolled again"
        self.dice, self.kept = dice, kept
        self.rolls += 1
        return ""


def replay_round(
    match: Match, number: int, at: int, challenge: Challenge, calls: Sequence[tuple[int, Call]], first: int
) -> tuple[RoundResult, tuple[Refusal, ...]]:
    """Return how a round ended, and the moves that were refused; `first` is the seat of the player who begins."""
    refusals: list[Refusal] = []
    if number > ROUNDS:
        refusals.append(Refusal(at, "", f"round {number}", f"a game has {ROUNDS} rounds"))
    count = len(match.players)
    turns = [_Turn(challenge) for _ in match.players]
    for line, call in calls:
        if call.call != "roll":
            refusals.append(Refusal(line, "", call.call, "a line of High Score begins with roll"))
            continue
        for turn, player, entry in zip(turns, match.players, call.entries, strict=True):
            problem = turn.roll(entry)
            if problem:
                refusals.append(Refusal(line, player, entry, problem))
    places: dict[str, int] = {}
    states: list[State | None] = [None] * count
    for i in ((first + k) % count for k in range(count)):
        if not turns[i].dice:
            refusals.append(Refusal(at, match.players[i], f"round {number}", "the player has not rolled"))
            continue
        rolled = State("high-score", dice=turns[i].dice)
        states[i] = rolled
        stands = place(score(rolled, challenge=challenge).total, places.values())
        if stands is not None:
            places[match.players[i]] = stands
    chips = award(places, count)
    players = []
    for player, state in zip(match.players, states, strict=True):
        sheet = score(state, challenge=challenge) if state else None
        players.append(PlayerRound(player, 0, state, sheet, _where(places.get(player)), chips.get(player, "")))
    return RoundResult(number, match.players[first], tuple(players)), tuple(refusals)


def _where(number: int | None) -> str:
    if number is None:
        return "no piece"
    at, marker = space(number)
    return f"stands on {at} with 30+" if marker else f"stands on {at}"
