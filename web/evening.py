"""An evening of several rounds: what each player scored, the totals, and who leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from boardsight.scoring.rules import Rules
from boardsight.scoring.track import CHIPS, award, chip_key, place
from boardsight.scoring.variants import pair_totals, passed_yards, passing_order, shared_penalties
from boardsight.tournament.rows import Points
from boardsight.web.part import Part


@dataclass(frozen=True, slots=True)
class Held:
    """A part of a photo that was given to a player."""

    content: str
    part: Part


@dataclass(frozen=True, slots=True)
class Score:
    """What a player has in one round."""

    player: str
    round: int
    points: int
    sheets: tuple[Held, ...] = ()
    certain: bool = True
    note: str = ""
    """What the points are made of beside the sheets, or that they were entered by hand."""
    chip: str = ""
    """High Score: ``gold``, ``silver`` or ``bronze``."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's place."""

    rank: int
    """Players of the same total share a rank."""
    player: str
    total: int
    scores: tuple[Score | None, ...]
    """One a round; None where nothing was entered."""

    @property
    def certain(self) -> bool:
        """Return True where no score is in doubt."""
        return all(score.certain for score in self.scores if score)


@dataclass(frozen=True, slots=True)
class Table:
    """The whole evening."""

    rounds: tuple[int, ...]
    standings: tuple[Standing, ...]
    pairs: tuple[tuple[str, int], ...] = ()
    """Take It to the Limit! in pairs: two names and the sum of their totals, the best first."""


def round_scores(
    players: Sequence[str],
    number: int,
    held: Mapping[str, Sequence[Held]],
    entered: Mapping[str, Points],
    rules: Rules,
    before: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, Score]:
    """Return what each player who has anything scored in one round; `before` has the totals until then.

    Scrap Yard variants and High Score depend on the other players' sheets; points entered by hand take their place.
    """
    scores: dict[str, Score] = {}
    for player in players:
        sheets = tuple(held.get(player, ()))
        if sheets:
            points = sum(h.part.total for h in sheets)
            scores[player] = Score(player, number, points, sheets, all(h.part.certain for h in sheets))
    _settle_yards(scores, rules, before)
    _place_pieces(scores, len(players))
    for player, row in entered.items():
        note = row.note or "entered by hand"
        scores[player] = Score(player, number, row.points, tuple(held.get(player, ())), True, note)
    return scores


def _settle_yards(scores: dict[str, Score], rules: Rules, before: Mapping[str, int]) -> None:
    """Take off what the variants of the Scrap Yard cost; where yards are passed, a photo shows them before that."""
    values = {}
    for player, score in scores.items():
        for h in score.sheets:
            if h.part.sheet is not None and "scrapyard-value" in h.part.sheet.subtotals:
                values[player] = h.part.sheet.subtotals["scrapyard-value"]
    if rules.scrapyard == "pass":
        values = passed_yards(passing_order(list(values), before), values)
    penalties = shared_penalties(list(values.values()), rules.scrapyard)
    for player, penalty in zip(values, penalties, strict=True):
        if penalty:
            s = scores[player]
            scores[player] = Score(player, s.round, s.points + penalty, s.sheets, s.certain, f"Scrap Yard {penalty}")


def _place_pieces(scores: dict[str, Score], players: int) -> None:
    """Turn the sheets of High Score into chips; players place their pieces in the order of seats."""
    places: dict[str, int] = {}
    rolled = [p for p, s in scores.items() if any(h.part.state.game == "high-score" for h in s.sheets)]
    for player in rolled:
        stands = place(scores[player].points, places.values())
        if stands is not None:
            places[player] = stands
    chips = award(places, players)
    for player in rolled:
        s, chip = scores[player], chips.get(player, "")
        note = f"rolled {s.points}" + (f", {chip} chip" if chip else "")
        scores[player] = Score(player, s.round, CHIPS.get(chip, 0), s.sheets, s.certain, note, chip)


def table(
    players: Sequence[str], rounds: Sequence[tuple[int, Rules]], scores: Mapping[int, Mapping[str, Score]]
) -> Table:
    """Return the standings over all rounds, the leader first; players of the same total stay in the order of seats."""
    rows = []
    for player in players:
        mine = tuple(scores.get(number, {}).get(player) for number, _ in rounds)
        total = sum(score.points for score in mine if score)
        chips = [score.chip for score in mine if score and score.chip]
        rows.append((total, chip_key(chips), player, mine))
    order = sorted(rows, key=lambda row: (-row[0], *(-n for n in row[1])))
    standings: list[Standing] = []
    for i, (total, key, player, mine) in enumerate(order):
        same = i > 0 and (total, key) == (order[i - 1][0], order[i - 1][1])
        standings.append(Standing(standings[-1].rank if same else i + 1, player, total, mine))
    pairs: tuple[tuple[str, int], ...] = ()
    if any(rules.pairs for _, rules in rounds):
        sums = pair_totals(list(players), {row[2]: row[0] for row in rows})
        pairs = tuple(sorted(((name.replace("+", " and "), n) for name, n in sums.items()), key=lambda p: -p[1]))
    return Table(tuple(number for number, _ in rounds), tuple(standings), pairs)
