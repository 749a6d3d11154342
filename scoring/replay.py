"""Play a match file through by the rules: refuse what is illegal, score every round, rank the players."""

from __future__ import annotations

from dataclasses import replace

from boardsight.scoring import replay_dice, replay_take5, replay_tiles
from boardsight.scoring.highscore import Challenge
from boardsight.scoring.match import Match
from boardsight.scoring.record import Refusal, Replay, RoundResult, Standing, ranked
from boardsight.scoring.track import CHIPS, chip_key
from boardsight.scoring.variants import pair_totals


def _standings(match: Match, totals: dict[str, int], chips: dict[str, list[str]]) -> tuple[Standing, ...]:
    if match.game == "high-score":
        keys: dict[str, tuple[int, ...]] = {player: chip_key(chips[player]) for player in match.players}
        notes = {p: f"{k[1]} gold, {k[2]} silver chips" for p, k in keys.items()}
        return ranked(match.players, keys, notes)
    if match.rules.pairs:
        pairs = pair_totals(match.players, totals)
        return ranked(list(pairs), {name: (total,) for name, total in pairs.items()}, {})
    return ranked(match.players, {player: (totals[player],) for player in match.players}, {})


def replay(match: Match) -> Replay:
    """Return the replay of a match; nothing that is wrong with the play raises, it is refused and left out.

    The totals of the rounds add up. The caller, or the player who begins, rotates; in High Score the winner of
    the gold chip begins the next round, or the same player again where nobody won it.
    """
    totals = dict.fromkeys(match.players, 0)
    chips: dict[str, list[str]] = {player: [] for player in match.players}
    refusals: list[Refusal] = []
    rounds: list[RoundResult] = []
    first = 0
    for expected, (line, start, calls) in enumerate(match.rounds, start=1):
        if start.number != expected:
            refusals.append(Refusal(line, "", str(start), f"round {expected} is expected here"))
        if match.game == "high-score":
            challenge = Challenge.parse(start.challenge)
            result, refused = replay_dice.replay_round(match, expected, line, challenge, calls, first)
            for player in result.players:
                if player.chip:
                    chips[player.player].append(player.chip)
                if player.chip == "gold":
                    first = match.players.index(player.player)
            paid = tuple(replace(p, points=CHIPS.get(p.chip, 0)) for p in result.players)
            result = replace(result, players=paid)
        elif match.game == "take-5":
            result, refused = replay_take5.replay_round(match, expected, line, calls)
        else:
            result, refused = replay_tiles.replay_round(match, expected, line, calls, totals)
        for player in result.players:
            totals[player.player] += player.points
        rounds.append(result)
        refusals += refused
    ordered = tuple(sorted(refusals, key=lambda refusal: refusal.line))
    return Replay(match, ordered, tuple(rounds), _standings(match, totals, chips))
