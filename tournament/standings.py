"""Standings: points a round and in all, and ranks, from readings, corrections and whose photo each is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from boardsight.scoring.account import Sheet, SheetLine
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.highscore import Challenge
from boardsight.scoring.rules import Rules
from boardsight.scoring.variants import pair_totals, passed_yards, passing_order, shared_penalties
from boardsight.tournament.lists import named
from boardsight.tournament.rows import Correction, PhotoRow, Points, Round
from boardsight.tournament.stored import Part, Spread, parts_of, spread
from boardsight.tournament.whose import Claim
from boardsight.tournament.work import JsonObject, code_of


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that standings are made from."""

    photos: tuple[PhotoRow, ...]
    objects: Mapping[str, JsonObject]
    """By the photos' addresses."""
    claims: tuple[Claim, ...]
    points: tuple[Points, ...] = ()
    corrections: tuple[Correction, ...] = ()
    rounds: Mapping[int, Round] = field(default_factory=dict)
    rules: Rules = Rules()
    """Of rounds that have none of their own."""
    players: tuple[str, ...] = ()
    """In the order of their seats; others follow by name."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a player has in a round."""

    points: int
    photo: PhotoRow | None = None
    """None where the points were entered by hand."""
    part: Part | None = None
    sheet: Sheet | None = None
    note: str = ""
    low: int = 0
    high: int = 0
    """Between which the points lie if doubtful tiles are not what they read."""
    what: str = ""
    """The doubt that moves the points most."""
    table: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One player in the standings."""

    rank: int
    """Equal totals share a rank, and the next is as much lower as there are players before."""
    player: str
    points: tuple[int | None, ...]
    """A figure a round; None where there is none."""
    total: int
    doubtful: bool = False
    """True where a round is missing or a doubt may change the total."""


def ranked(totals: Mapping[str, int]) -> dict[str, int]:
    """Return each name's rank by total, the highest first: equal totals share a rank and leave the next ones out."""
    return {name: 1 + sum(other > total for other in totals.values()) for name, total in totals.items()}


class Evening:
    """The evidence put together: every player's score in every round, and the totals."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._spelling: dict[str, str] = {}
        for name in (*evidence.players, *(c.player for c in evidence.claims), *(p.player for p in evidence.points)):
            self._spelling.setdefault(name.casefold(), name)
        seated = list(dict.fromkeys(map(self.name, evidence.players)))
        self.players = (*seated, *sorted(set(self._spelling.values()) - set(seated), key=str.casefold))
        """In the order of their seats, those without one by name."""
        numbers = {c.round for c in evidence.claims} | {p.round for p in evidence.points} | set(evidence.rounds)
        self.rounds = tuple(sorted(numbers))
        self.totals: dict[str, int] = dict.fromkeys(self.players, 0)
        self.scores: dict[tuple[str, int], Score] = {}
        """What counts, by player and round."""
        self.rivals: dict[tuple[str, int], list[Score]] = defaultdict(list)
        """All that there is for a player and round."""
        self.unscored: list[tuple[Claim, str]] = []
        """Claims whose photo counts nothing, and why."""
        self._corrections: dict[str, list[Correction]] = defaultdict(list)
        for correction in evidence.corrections:
            self._corrections[correction.content].append(correction)
        self._choose()
        for number in self.rounds:
            self._play(number)

    def name(self, player: str) -> str:
        """Return a player's name as it was written first, whatever its case."""
        return self._spelling[player.casefold()]

    def rules(self, number: int) -> Rules:
        """Return the rules of a round."""
        played = self.evidence.rounds.get(number)
        return self.evidence.rules if played is None or played.rules is None else Rules.parse(played.rules)

    def _challenge(self, number: int) -> Challenge | None:
        played = self.evidence.rounds.get(number)
        return Challenge.parse(played.challenge) if played is not None and played.challenge else None

    # ------------------------------------------------------------ photos to scores

    def _score(self, claim: Claim) -> Score | str:
        """Return what a claim's photo is worth for itself, or why it counts nothing."""
        obj, key = self.evidence.objects.get(claim.photo.address), claim.photo.key
        if obj is None or key is None or code_of(obj):
            return fault_of(claim.photo, obj)
        try:
            parts = parts_of(obj, self._corrections[key.content])
            if not 1 <= claim.part <= len(parts):
                return f"it shows {len(parts)} players, there is no number {claim.part}"
            part = parts[claim.part - 1]
            sheet = part.sheet(self.rules(claim.round), self._challenge(claim.round))
        except BoardsightError as error:
            return str(error)
        return Score(sheet.total, claim.photo, part, sheet, table=claim.table)

    def _choose(self) -> None:
        """Give every player and round the score that counts: by hand, else the first photo that is certain."""
        seen: set[tuple[str, int, str, int]] = set()
        for claim in sorted(self.evidence.claims, key=lambda c: (c.photo.name, c.photo.address, c.part)):
            player = self.name(claim.player)
            content = claim.photo.key.content if claim.photo.key else claim.photo.address
            if (player, claim.round, content, claim.part) in seen:
                continue  # a copy of the same photo
            seen.add((player, claim.round, content, claim.part))
            found = self._score(claim)
            if isinstance(found, str):
                self.unscored.append((claim, found))
            else:
                self.rivals[player, claim.round].append(found)
        for place, scores in self.rivals.items():
            self.scores[place] = min(scores, key=lambda s: bool(s.part and s.part.doubts))
        for p in self.evidence.points:
            self.scores[self.name(p.player), p.round] = Score(
                p.points, note=p.note or "by hand", low=p.points, high=p.points
            )

    # ------------------------------------------------------------ rounds

    def _settled(self, number: int, parts: Mapping[str, Part], before: Mapping[str, int]) -> dict[str, Sheet]:
        """Return the sheets of the players at one table, the scrap yards of the variants settled among them."""
        rules, challenge = self.rules(number), self._challenge(number)
        sheets = {player: part.sheet(rules, challenge) for player, part in parts.items()}
        yards = {p: s.subtotals["scrapyard-value"] for p, s in sheets.items() if "scrapyard-value" in s.subtotals}
        if rules.scrapyard not in ("lowest", "pass") or not yards:
            return sheets
        if rules.scrapyard == "pass":
            yards = passed_yards(passing_order([p for p in self.players if p in yards], before), yards)
        penalties = shared_penalties(list(yards.values()), rules.scrapyard)
        for (player, value), penalty in zip(yards.items(), penalties, strict=True):
            sheets[player] = _with_penalty(sheets[player], penalty, value)
        return sheets

    def _play(self, number: int) -> None:
        """Settle a round, find out what its doubts are worth, and add it up."""
        tables: dict[str, dict[str, Part]] = defaultdict(dict)
        for (player, played), each in self.scores.items():
            if played == number and each.part is not None:
                tables[each.table][player] = each.part
        before = dict(self.totals)
        shared = self.rules(number).scrapyard in ("lowest", "pass")
        for parts in tables.values():
            for player, sheet in self._settled(number, parts, before).items():
                each = self.scores[player, number]
                others = parts if shared else {}

                def points(part: Part, player: str = player, others: Mapping[str, Part] = others) -> int:
                    return self._settled(number, {**others, player: part}, before)[player].total

                worth = (
                    spread(each.part, points) if each.part and each.part.doubts else Spread(sheet.total, sheet.total)
                )
                self.scores[player, number] = replace(
                    each, points=sheet.total, sheet=sheet, low=worth.low, high=worth.high, what=worth.what
                )
        for (player, played), each in self.scores.items():
            if played == number:
                self.totals[player] += each.points

    # ------------------------------------------------------------ the list

    def lines(self) -> tuple[Line, ...]:
        """Return the standings, the first first; players who tie stand in the order of their names."""
        ranks = ranked(self.totals)
        lines = []
        for player in sorted(self.players, key=lambda p: (ranks[p], p.casefold())):
            scores = [self.scores.get((player, number)) for number in self.rounds]
            doubtful = any(each is None or each.low != each.high for each in scores)
            points = tuple(None if each is None else each.points for each in scores)
            lines.append(Line(ranks[player], player, points, self.totals[player], doubtful))
        return tuple(lines)

    def pairs(self) -> tuple[Line, ...]:
        """Return the standings of the pairs, where pairs are played: first with second player, third with fourth."""
        if not self.evidence.rules.pairs:
            return ()
        totals = pair_totals(self.players, self.totals)
        ranks = ranked(totals)
        return tuple(
            Line(ranks[pair], pair, (), totals[pair]) for pair in sorted(totals, key=lambda p: (ranks[p], p.casefold()))
        )


def fault_of(photo: PhotoRow, obj: JsonObject | None) -> str:
    """Return why a photo was not read, or an empty text where it was."""
    if photo.fault is not None:
        return photo.fault[1]
    error = named(obj or {"error": {"code": "", "message": "it is not read yet"}}, photo.name).get("error")
    return str(error["message"]) if isinstance(error, dict) else ""


def _with_penalty(sheet: Sheet, penalty: int, value: int) -> Sheet:
    """Return a sheet with the scrap yard that its player holds at the end."""
    subtotals = {**sheet.subtotals, "scrapyard-penalty": penalty, "scrapyard-value": value}
    lines = (*sheet.lines, SheetLine("penalty", penalty, value=value, board="scrapyard")) if penalty else sheet.lines
    return Sheet(lines, subtotals, sheet.total + penalty)
