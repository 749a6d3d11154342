"""From the database and what the command says to the evidence of standings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from boardsight.scoring.rules import Rules
from boardsight.tournament.rows import Correction, Points, Round
from boardsight.tournament.standings import Evidence
from boardsight.tournament.store import Store
from boardsight.tournament.stored import check_correction
from boardsight.tournament.whose import (
    DEFAULT_PATTERN,
    Claim,
    WhoseError,
    by_entries,
    by_pattern,
    by_table,
    clean_name,
    find_photo,
)

MAIN = "main"
"""Name of the evening where a folder has one only."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the standings are asked for."""

    evening: str = MAIN
    pattern: str = ""
    """Of the photos' names; empty for the usual one."""
    table: Path | None = None
    """A CSV file that says whose photos they are."""
    rules: str = ""
    """Words of ``Rules.parse``; empty where the evening's own hold."""
    round_rules: Mapping[int, str] = field(default_factory=dict)


def gather(store: Store, question: Question) -> Evidence:
    """Return everything that the standings of an evening are made from.

    What the database says about a photo, from the page or an earlier correction, goes before the table, and that before
    the pattern.

    Raises WhoseError for a wrong pattern or table, StoreError where the database cannot be read, NotationError for
    wrong rules.
    """
    photos = store.photos()
    objects = {}
    for photo in photos:
        if photo.key is not None and (obj := store.reading(photo.key)) is not None:
            objects[photo.address] = obj
    entered = by_entries(photos, store.entries(question.evening))
    listed, points = by_table(photos, question.table) if question.table is not None else ((), ())
    patterned: Sequence[Claim] = ()
    if question.pattern or question.table is None:
        patterned = by_pattern(photos, question.pattern or DEFAULT_PATTERN)
    claims: dict[str, tuple[Claim, ...]] = {}
    for source in (entered, listed, patterned):
        fresh = [claim for claim in source if claim.photo.address not in claims]
        for address in dict.fromkeys(claim.photo.address for claim in fresh):
            claims[address] = tuple(claim for claim in fresh if claim.photo.address == address)
    own = {p.evening: p.rules for p in store.evenings()}.get(question.evening, "")
    rounds = {played.number: played for played in store.rounds(question.evening)}
    for number, words in question.round_rules.items():
        known = rounds.get(number, Round(number))
        rounds[number] = Round(number, known.game, words, known.challenge)
    for played in rounds.values():
        Rules.parse(played.rules or "")
    by_hand = {(p.player.casefold(), p.round): p for p in (*points, *store.points(question.evening))}
    return Evidence(
        photos,
        objects,
        tuple(claim for each in claims.values() for claim in each),
        tuple(by_hand.values()),
        store.corrections(),
        rounds,
        Rules.parse(question.rules or own),
        store.players(question.evening),
    )


def parse_correction(text: str, store: Store) -> Correction:
    """Return the correction that a text like ``IMG_7.jpg c1.1=9-2-3`` or ``IMG_7.jpg 2:c1.1=--`` makes to a photo.

    The number before the colon is the board's in the photo, 1 unless given. Any legal tile may be set.

    Raises WhoseError or NotationError where it makes no sense.
    """
    name, _, rest = text.strip().rpartition(" ")
    what, equals, value = rest.partition("=")
    number, colon, cell = what.partition(":")
    if not name or not equals or (colon and not number.isdecimal()):
        raise WhoseError(f"{text!r} must read 'PHOTO CELL=TILE', e.g. 'IMG_7.jpg c1.1=9-2-3'")
    photo = find_photo(name.strip(), store.photos())
    obj = store.reading(photo.key) if photo.key is not None else None
    if photo.key is None or obj is None:
        raise WhoseError(f"{name!r} was not read, so that there is nothing to correct; enter points instead")
    correction = Correction(photo.key.content, int(number) if colon else 1, cell if colon else what, value)
    check_correction(obj, correction)
    return correction


def parse_points(text: str) -> Points:
    """Return the points that a text like ``Anna,2,77`` enters: player, round, points, and perhaps a note.

    Raises WhoseError where it makes no sense.
    """
    player, *rest = [part.strip() for part in text.split(",", 3)]
    try:
        number, points = int(rest[0]), int(rest[1])
    except (IndexError, ValueError) as error:
        raise WhoseError(f"{text!r} must read 'PLAYER,ROUND,POINTS', e.g. 'Anna,2,77'") from error
    if not player:
        raise WhoseError(f"{text!r} names no player")
    return Points(clean_name(player), number, points, rest[2] if len(rest) > 2 else "")
