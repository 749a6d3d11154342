"""What a human must look at, sorted by how much it may change the ranking."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from boardsight.scoring.status import status
from boardsight.tournament.standings import Evening, Score, fault_of
from boardsight.tournament.work import code_of

KINDS: Mapping[str, str] = {
    "doubt": "a tile is not certain",
    "unread": "a player's photo counts nothing",
    "missing": "a player has nothing in a round",
    "same-photo": "one photo is there twice",
    "two-photos": "a player has several photos in a round",
    "nobody": "a photo is nobody's",
    "other-game": "a photo shows another game than the rest of its round",
    "illegal": "a board breaks a rule",
}
"""Kinds of issues."""


@dataclass(frozen=True, slots=True)
class Change:
    """By how much a player's total may change."""

    player: str
    low: int
    """At worst; zero or less."""
    high: int
    """At best; zero or more."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that a human must look at, and what it may change."""

    kind: str
    """Key of `KINDS`."""
    text: str
    round: int = 0
    photos: tuple[str, ...] = ()
    """Addresses."""
    changes: tuple[Change, ...] = ()
    stake: int = 0
    """By how many points a total may change at most."""
    places: int = 0
    """How many players one may overtake, fall behind, or draw level with."""
    first: bool = False
    """True where it may decide who is first."""


def weighed(issue: Issue, totals: Mapping[str, int]) -> Issue:
    """Return an issue with what its changes may do to the ranking, each for itself."""
    stake = max((max(-c.low, c.high) for c in issue.changes), default=0)
    places, first = 0, False
    for change in issue.changes:
        now = totals[change.player]
        others = [total for player, total in totals.items() if player != change.player]
        reach = [_order(now, other) != _order(now + by, other) for other in others for by in (change.low, change.high)]
        places = max(places, sum(a or b for a, b in zip(reach[::2], reach[1::2], strict=True)))
        top = max(others, default=now)
        first = first or any(_order(now, top) != _order(now + by, top) for by in (change.low, change.high))
    return replace(issue, stake=stake, places=places, first=first)


def _order(a: int, b: int) -> int:
    return (a > b) - (a < b)


def issues(evening: Evening) -> tuple[Issue, ...]:
    """Return everything that a human must look at: what may decide the first place, then what moves most."""
    found = [
        *_doubts(evening),
        *_unread(evening),
        *_missing(evening),
        *_same_photos(evening),
        *_several_photos(evening),
        *_nobodys(evening),
        *_other_games(evening),
        *_illegal(evening),
    ]
    weights = (weighed(issue, evening.totals) for issue in found)
    return tuple(sorted(weights, key=lambda i: (not i.first, -i.places, -i.stake, i.round, i.kind, i.text)))


def _photo_of(score: Score) -> tuple[str, tuple[str, ...]]:
    return (score.photo.name, (score.photo.address,)) if score.photo else ("", ())


def _doubts(evening: Evening) -> Iterator[Issue]:
    for (player, number), score in sorted(evening.scores.items()):
        if score.part is None or not score.part.doubts:
            continue
        name, photos = _photo_of(score)
        said = "; ".join(
            f"{doubt.cell} reads {doubt.tile}" + (f", may be {doubt.runner_up}" if doubt.runner_up else "")
            for doubt in score.part.doubts
        )
        range_ = f"{score.low} to {score.high}" if score.low != score.high else "in any case"
        text = f"{player}, round {number}: {name} has {score.points} points, {range_}: {said}"
        yield Issue(
            "doubt", text, number, photos, (Change(player, score.low - score.points, score.high - score.points),)
        )


def _unknown(evening: Evening, number: int) -> tuple[int, int]:
    """Return what a round that nothing is known of may bring: the worst and the best that others have in it."""
    points = [score.points for (_, played), score in evening.scores.items() if played == number]
    return min([0, *points]), max([0, *points])


def _unread(evening: Evening) -> Iterator[Issue]:
    for claim, why in evening.unscored:
        player = evening.name(claim.player)
        known = (player, claim.round) in evening.scores
        change = Change(player, 0, 0) if known else Change(player, *_unknown(evening, claim.round))
        text = f"{player}, round {claim.round}: {claim.photo.name} counts nothing: {why}"
        yield Issue("unread", text, claim.round, (claim.photo.address,), (change,))


def _missing(evening: Evening) -> Iterator[Issue]:
    tried = {(evening.name(claim.player), claim.round) for claim, _ in evening.unscored}
    for player in evening.players:
        for number in evening.rounds:
            if (player, number) not in evening.scores and (player, number) not in tried:
                change = Change(player, *_unknown(evening, number))
                yield Issue("missing", f"{player}, round {number}: there is no photo", number, (), (change,))


def _same_photos(evening: Evening) -> Iterator[Issue]:
    names = {photo.address: photo.name for photo in evening.evidence.photos}
    copies: dict[str, list[str]] = defaultdict(list)
    for photo in evening.evidence.photos:
        if photo.key is not None:
            copies[photo.key.content].append(photo.address)
    claims = defaultdict(set)
    for claim in evening.evidence.claims:
        claims[claim.photo.address].add((evening.name(claim.player), claim.round, claim.part))
    for addresses in copies.values():
        if len(addresses) < 2:
            continue
        owners = sorted({owner for address in addresses for owner in claims[address]})
        places = sorted({(player, number) for player, number, _ in owners})
        changes = tuple(
            Change(
                player, min(0, -evening.scores[player, number].points), max(0, -evening.scores[player, number].points)
            )
            for player, number in places
            if len(places) > 1 and (player, number) in evening.scores
        )
        who = " and ".join(f"{player}, round {number}" for player, number in places) or "nobody"
        what = " and ".join(names[address] for address in addresses)
        number = places[0][1] if places else 0
        yield Issue("same-photo", f"{who}: {what} are the same photo", number, tuple(addresses), changes)


def _several_photos(evening: Evening) -> Iterator[Issue]:
    for (player, number), rivals in sorted(evening.rivals.items()):
        score = evening.scores[player, number]
        if len(rivals) < 2 and (score.photo is not None or not rivals):
            continue
        figures = [rival.points for rival in rivals]
        what = " and ".join(f"{_photo_of(rival)[0]} ({rival.points})" for rival in rivals)
        counts = f"{_photo_of(score)[0]} counts" if score.photo else f"{score.points} points by hand count"
        change = Change(player, min(0, min(figures) - score.points), max(0, max(figures) - score.points))
        photos = tuple(rival.photo.address for rival in rivals if rival.photo)
        yield Issue("two-photos", f"{player}, round {number}: {what}; {counts}", number, photos, (change,))


def _nobodys(evening: Evening) -> Iterator[Issue]:
    claimed = {claim.photo.address for claim in evening.evidence.claims}
    gaps = [(p, n) for p in evening.players for n in evening.rounds if (p, n) not in evening.scores]
    for photo in evening.evidence.photos:
        if photo.address in claimed:
            continue
        obj = evening.evidence.objects.get(photo.address)
        why = fault_of(photo, obj)
        sheet = obj.get("sheet") if obj is not None else None
        points = int(sheet["total"]) if isinstance(sheet, dict) else 0
        said = f"is nobody's, and was not read: {why}" if why else f"is nobody's, and has {points} points"
        changes = tuple(Change(player, min(0, points), max(0, points)) for player, _ in gaps) if points else ()
        yield Issue("nobody", f"{photo.name} {said}", 0, (photo.address,), changes)


def _other_games(evening: Evening) -> Iterator[Issue]:
    for number in evening.rounds:
        played = {
            player: score
            for (player, other), score in sorted(evening.scores.items())
            if other == number and score.part is not None
        }
        games = Counter(score.part.state.game for score in played.values() if score.part)
        asked = evening.evidence.rounds.get(number)
        usual = asked.game if asked is not None and asked.game else games.most_common(1)[0][0] if games else ""
        for player, score in played.items():
            if score.part is not None and score.part.state.game != usual:
                name, photos = _photo_of(score)
                text = f"{player}, round {number}: {name} shows {score.part.state.game}, the round is {usual}"
                yield Issue("other-game", text, number, photos, (Change(player, *_replaced(evening, number, score)),))


def _replaced(evening: Evening, number: int, score: Score) -> tuple[int, int]:
    """Return by how much a total may change if a score is replaced by one that nothing is known of."""
    low, high = _unknown(evening, number)
    return min(0, low - score.points), max(0, high - score.points)


def _illegal(evening: Evening) -> Iterator[Issue]:
    for (player, number), score in sorted(evening.scores.items()):
        if score.part is None:
            continue
        problems = [p for p in status(score.part.state, evening.rules(number)) if p.code != "unread"]
        if problems:
            name, photos = _photo_of(score)
            said = "; ".join(str(problem) for problem in problems)
            text = f"{player}, round {number}: {name}: {said}"
            yield Issue("illegal", text, number, photos, (Change(player, *_replaced(evening, number, score)),))


def unread_photos(evening: Evening) -> int:
    """Return how many photos were not read, whosever they are."""
    objects = evening.evidence.objects
    return sum(
        photo.fault is not None or code_of(objects.get(photo.address, {})) != "" for photo in evening.evidence.photos
    )
