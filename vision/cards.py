"""Cards of Take 5!: what lies in a pile, from the ends and the middles of its cards.

An end is a short edge with the numbers in its two corners and the heads between them; it reads upright from its own
side, so that a card that lies open shows two ends that say the same. One unit is half a card's width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import cv2
import numpy as np

from boardsight.models import temperatures
from boardsight.scoring.notation import LAST_CARD, SPECIAL_CARDS
from boardsight.scoring.take5 import heads as table_heads
from boardsight.vision.card_frames import settle
from boardsight.vision.card_groups import END, MIDDLE, Group, corners_of, group_marks, without_inner
from boardsight.vision.decode import assign as columns_of
from boardsight.vision.pieces import IN_A_MIRROR, Decoded, Floats, PieceSet, Sighting, presence, reading_order
from boardsight.vision.reading import PieceReading

HEADS = MappingProxyType(
    {
        "what": ("number", *SPECIAL_CARDS, "other"),
        "tens": ("", *"123456789"),
        "ones": tuple("0123456789"),
        "colour": ("green", "red"),
        "heads": tuple("01234567"),
    }
)
"""What the classifier is asked; heads that are not all in sight are ``0``."""
TEXTS = (*(str(n) for n in range(1, LAST_CARD + 1)), *SPECIAL_CARDS)
"""Every card, in the order of all arrays here."""
MOST_HEADS = 7
FACES = tuple((colour, count) for colour in HEADS["colour"] for count in range(1, MOST_HEADS + 1))
"""Every colour and number of heads, in the order of all arrays here."""
CERTAIN = 0.99
"""A card is certain from this calibrated confidence on; more asks the player more often."""
FLOOR = float(np.log(1e-4))
"""No picture says more clearly than this that something is not there: one that is burnt out cannot veto."""
AS_PRINTED = 0.02
"""Probability beforehand that a card's heads are not those of the table of numbers; more believes the photo sooner."""
TWICE = 5.0
"""Nats by which the same number on two cards is less probable beforehand."""
FROM_MIDDLE = 0.5
"""What a card's middle says counts so much beside what an end says."""
SURELY, HARDLY = 0.5, 0.06
"""A mark is part of a card from the first probability on; between them it may be one that was missed."""
UPSIDE_DOWN = MappingProxyType({"0": "0", "1": "1", "6": "9", "8": "8", "9": "6"})
"""Digits that read as digits from the other side."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """How probable each reading of one card is."""

    scores: Floats
    """(texts, faces) log probability, not normalised; special cards have their one in the first column."""
    present: float
    """Probability that there is a card."""

    def best(self, penalties: Floats) -> tuple[int, int]:
        """Return text and face of the best reading; ``penalties`` (texts,) are taken off."""
        at = int((self.scores - penalties[:, None]).argmax())
        return at // len(FACES), at % len(FACES)


def text_scores(sighting: Sighting, k: int) -> Floats:
    """Return (texts,) the log probability of each card by what mark ``k`` shows, given that it is one."""
    what = sighting.heads["what"][k].astype(np.float64)
    what = what - np.logaddexp.reduce(what[: len(HEADS["what"]) - 1])
    tens, ones = (sighting.heads[name][k].astype(np.float64) for name in ("tens", "ones"))
    numbers = what[0] + (tens[:, None] + ones[None]).ravel()[1 : LAST_CARD + 1]
    scores = np.concatenate([numbers, what[1 : 1 + len(SPECIAL_CARDS)]])
    if sighting.spots.kinds[k] == MIDDLE:
        scores = np.logaddexp(scores, scores[_TURNED]) - np.log(2)
    return np.asarray(np.maximum(scores, FLOOR))


def face_scores(sighting: Sighting, marks: Sequence[int]) -> tuple[Floats, bool]:
    """Return (faces,) the log probability of each colour and number of heads, and whether the heads are in sight."""
    total = np.zeros(len(FACES))
    seen = False
    for k in marks:
        colour = np.maximum(sighting.heads["colour"][k].astype(np.float64), FLOOR)
        total += np.repeat(colour, MOST_HEADS) * (1.0 if sighting.spots.kinds[k] == END else FROM_MIDDLE)
        if sighting.spots.kinds[k] == END:
            count = np.exp(sighting.heads["heads"][k].astype(np.float64))
            shown = np.maximum(np.log(count[1:] + count[0] / MOST_HEADS), FLOOR)
            total += np.tile(shown, len(HEADS["colour"]))
            seen = seen or count[0] < 0.5
    return total, seen


def believe(sighting: Sighting, group: Group, there: Floats, temperature: float) -> Belief:
    """Return what the marks of one card say together; ``there`` is the presence of every mark."""
    texts = np.zeros(len(TEXTS))
    for k in group.marks:
        weight = 1.0 if sighting.spots.kinds[k] == END else FROM_MIDDLE
        texts += weight * text_scores(sighting, k)
    faces, _ = face_scores(sighting, group.marks)
    scores = texts[:, None] / temperature + (faces - np.logaddexp.reduce(faces))[None] / temperature + _PRIOR
    special = len(TEXTS) - len(SPECIAL_CARDS)
    scores[special:] = -np.inf
    scores[special:, 0] = texts[special:] / temperature
    return Belief(scores, float(max(there[k] for k in group.marks)))


def assign(beliefs: Sequence[Belief]) -> list[tuple[int, int]]:
    """Return text and face of every card in the most probable pile; a number is on two cards only at a price."""
    if not beliefs:
        return []
    numbers = len(TEXTS) - len(SPECIAL_CARDS)
    again = np.where(np.arange(len(TEXTS)) < numbers, TWICE, 0.0)
    once = np.array([belief.scores[:numbers].max(1) for belief in beliefs])
    other = np.array([(belief.scores - again[:, None]).max() for belief in beliefs])
    chosen: list[tuple[int, int]] = []
    for belief, column in zip(beliefs, columns_of(np.column_stack([once, other, other])), strict=True):
        if column < numbers:
            chosen.append((int(column), int(belief.scores[column].argmax())))
        else:
            chosen.append(belief.best(again))
    return chosen


def decode_cards(declared: PieceSet, sighting: Sighting, expected: int | None) -> Decoded:
    """Return the cards of a pile; how many there should be is not known, so ``expected`` says nothing."""
    spots = sighting.spots
    there = presence(declared, sighting)
    temperature = temperatures().get(declared.name, 1.0)
    kept = np.flatnonzero(there >= SURELY)
    likely = [int(text_scores(sighting, int(k)).argmax()) for k in kept]
    groups, depth = group_marks(spots, kept, likely)
    groups = without_inner(spots, groups, depth)
    beliefs = [believe(sighting, group, there, temperature) for group in groups]
    chosen = assign(beliefs)
    taken = np.zeros(len(TEXTS))
    np.add.at(taken, [text for text, _ in chosen], 1.0)
    centres = np.array([spots.centres[list(group.ends) or list(group.marks)].mean(0) for group in groups]).reshape(
        -1, 2
    )
    sizes = np.array([spots.sizes[list(group.marks)].mean() for group in groups])
    pieces: list[PieceReading] = []
    warnings: list[str] = []
    order = reading_order(centres, 2 * sizes) if len(groups) else ()
    for i in order:
        piece, more = _piece(sighting, groups[i], beliefs[i], chosen[i], taken, centres[i], depth)
        pieces.append(piece)
        warnings += more
    twice = _same_twice(pieces)
    missed = _missed(sighting, there, groups, depth)
    if sighting.mirrored and pieces:
        warnings.insert(0, IN_A_MIRROR)
    present = tuple(beliefs[i].present for i in order)
    return Decoded(tuple(pieces), not (twice or missed), (*warnings, *twice, *missed), present)


def _piece(
    sighting: Sighting,
    group: Group,
    belief: Belief,
    chosen: tuple[int, int],
    taken: Floats,
    centre: Floats,
    depth: float,
) -> tuple[PieceReading, list[str]]:
    """Return one card as it leaves the reader, and what must be said about it."""
    text, face = chosen
    others = taken.copy()
    others[text] -= 1
    others[len(TEXTS) - len(SPECIAL_CARDS) :] = 0
    scores = belief.scores - TWICE * (others[:, None] > 0)
    odds = np.exp(scores - np.logaddexp.reduce(scores, axis=None))
    confidence = float(odds[text, face]) * belief.present
    rest = odds.copy()
    rest[text, face] = -1
    second, second_face = divmod(int(rest.argmax()), len(FACES))
    x, y = round(float(centre[0]), 1), round(float(centre[1]), 1)
    shows: tuple[tuple[str, str], ...] = ()
    other_shows: tuple[tuple[str, str], ...] = ()
    notes = []
    if TEXTS[text] not in SPECIAL_CARDS:
        shows = _shows(face)
        if FACES[face] != table_heads(TEXTS[text]):
            colour, count = table_heads(TEXTS[text])
            notes.append(
                f"card {TEXTS[text]} at ({x:.0f}, {y:.0f}) shows {_say(*FACES[face])}, the table of numbers has "
                f"{_say(colour, count)}; scored as it is printed"
            )
        elif not face_scores(sighting, group.marks)[1]:
            notes.append(
                f"the heads of card {TEXTS[text]} at ({x:.0f}, {y:.0f}) are not all in sight; "
                f"scored by the table of numbers: {_say(*FACES[face])}"
            )
    if TEXTS[second] not in SPECIAL_CARDS:
        other_shows = _shows(second_face)
    piece = PieceReading(
        "card",
        TEXTS[text],
        round(confidence, 6),
        (x, y),
        tuple((round(float(u), 1), round(float(v), 1)) for u, v in corners_of(sighting.spots, group, depth)),
        TEXTS[second],
        confidence >= CERTAIN,
        shows,
        other_shows,
    )
    return piece, notes


def _shows(face: int) -> tuple[tuple[str, str], ...]:
    colour, count = FACES[face]
    return ("colour", colour), ("heads", str(count))


def _say(colour: str, count: int) -> str:
    return f"{count} {colour} head{'' if count == 1 else 's'}"


def _same_twice(pieces: Sequence[PieceReading]) -> list[str]:
    """Return a warning for each number that was read on more than one card, with all places."""
    found = []
    for text in dict.fromkeys(piece.text for piece in pieces if piece.text not in SPECIAL_CARDS):
        places = [f"({p.centre[0]:.0f}, {p.centre[1]:.0f})" for p in pieces if p.text == text]
        if len(places) > 1:
            found.append(f"card {text} is there twice, at {' and at '.join(places)}, but each number exists once")
    return found


def _missed(sighting: Sighting, there: Floats, groups: Sequence[Group], depth: float) -> list[str]:
    """Return a warning for each mark that may be a card which is not counted."""
    spots = sighting.spots
    known = [place for group in groups for place in group.places(spots, depth)]
    areas = [corners_of(spots, group, depth).astype(np.float32) for group in groups if len(group.ends) > 1]
    found = []
    for k in np.flatnonzero((there < SURELY) & (there >= HARDLY)):
        x, y = spots.centres[k]
        within = any(cv2.pointPolygonTest(area, (float(x), float(y)), False) >= 0 for area in areas)
        if not within and all(np.hypot(px - x, py - y) > 0.6 * spots.sizes[k] for px, py in known):
            found.append(
                f"what lies at ({x:.0f}, {y:.0f}) is not counted; it may be a card ({100 * there[k]:.0f} % sure)"
            )
    return found


def _turned(text: str) -> str:
    """Return what a text reads like upside down, itself where it reads like nothing."""
    if text.isdigit() and all(digit in UPSIDE_DOWN for digit in text) and not text.endswith("0"):
        other = "".join(UPSIDE_DOWN[digit] for digit in reversed(text))
        return other if other in TEXTS else text
    return text


_TURNED = np.array([TEXTS.index(_turned(text)) for text in TEXTS])
_PRIOR = np.array(
    [
        [
            np.log(1 - AS_PRINTED)
            if text in SPECIAL_CARDS or table_heads(text) == face
            else np.log(AS_PRINTED / (len(FACES) - 1))
            for face in FACES
        ]
        for text in TEXTS
    ]
)

CARDS = PieceSet(
    name="cards",
    game="take-5",
    kinds=("end", "middle"),
    heads=HEADS,
    window=(-1.12, -0.375, 1.12, 0.496),
    pixels=(144, 56),
    decode=decode_cards,
    flips=True,
    clear=0.5,
    settle=settle,
    least=3,
)
"""Cards: the mark of an end is the middle of its strip, that of a middle the middle of a card that lies open."""
