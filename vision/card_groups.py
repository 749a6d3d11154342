"""Put the marks of a pile together: which ends and middles are one card.

Every card of a photo has the same shape, so one number, the depth, says how far a card's middle lies from its ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.vision.pieces import Floats, Spots

END, MIDDLE = 0, 1
"""Kinds of marks: the middle of the strip at a card's end, and the middle of a card that lies open."""
EDGE = 0.30
"""How far the mark of an end lies below the card's edge, in half card widths."""
DEPTHS = (0.85, 1.5)
"""Range of the distance from an end's mark to the card's middle, in half card widths: every usual shape of a card."""
USUAL = 1.15
"""The depth where no card shows more than one mark."""
SAME_DEPTH = 0.14
"""Two distances that differ by less may be those of one shape."""
ASIDE = 0.4
"""Two marks of one card lie in line up to this, in half card widths."""
AGREE = 0.35
"""The advantage of two marks that read alike, in half card widths of misfit."""
INNER = 0.9
"""How much of a card's length and width counts as within it."""
MISFIT = 0.62
"""Marks that fit worse are not one card."""


@dataclass(frozen=True, slots=True)
class Group:
    """One card: the indices of its marks."""

    ends: tuple[int, ...]
    middle: int | None

    @property
    def marks(self) -> tuple[int, ...]:
        """Return all marks, ends first."""
        return self.ends if self.middle is None else (*self.ends, self.middle)

    def places(self, spots: Spots, depth: float) -> list[Floats]:
        """Return where this card's marks are or would be, in pixels."""
        found = [spots.centres[k] for k in self.marks]
        for k in self.ends:
            found += [spots.centres[k] + spots.frames[k] @ (0.0, d) for d in (depth, 2 * depth)]
        if self.middle is not None:
            found += [spots.centres[self.middle] + spots.frames[self.middle] @ (0.0, d) for d in (depth, -depth)]
        return found


def group_marks(spots: Spots, kept: NDArray[np.intp], reads: Sequence[int]) -> tuple[list[Group], float]:
    """Return the cards that the ``kept`` marks make, and the depth; ``reads`` is what each of them reads."""
    ends = [int(k) for k in kept if spots.kinds[k] == END]
    middles = [int(k) for k in kept if spots.kinds[k] == MIDDLE]
    text = dict(zip((int(k) for k in kept), reads, strict=True))
    offsets, opposite = _offsets(spots), _opposite(spots)
    pairs = [(i, j, *_apart(offsets, i, j)) for n, i in enumerate(ends) for j in ends[n + 1 :] if opposite[i, j]]
    links = [(i, m, *offsets[i, m].tolist()) for i in ends for m in middles]
    depth = _common([d / 2 for *_, a, d in pairs if a < ASIDE] + [d for *_, a, d in links if abs(a) < ASIDE])
    fits = []
    for i, j, aside, along in pairs:
        misfit = abs(along / 2 - depth) + 0.5 * aside + AGREE * (text[i] != text[j])
        fits.append((misfit, i, j))
    partner: dict[int, int] = {}
    for misfit, i, j in sorted(fits):
        if misfit < MISFIT and i not in partner and j not in partner:
            partner[i], partner[j] = j, i
    cards = [(i, partner[i]) for i in ends if i in partner and i < partner[i]] + [
        (i,) for i in ends if i not in partner
    ]
    wants = []
    for c, card in enumerate(cards):
        for m in middles:
            away = np.abs(offsets[list(card), m] - (0.0, depth)).sum(1)
            misfit = float(away.mean())
            wants.append((misfit, c, m))
    owner: dict[int, int] = {}
    for misfit, c, m in sorted(wants):
        if misfit < MISFIT and c not in owner and m not in owner.values():
            owner[c] = m
    groups = [Group(card, owner.get(c)) for c, card in enumerate(cards)]
    groups += [Group((), m) for m in middles if m not in owner.values()]
    return groups, depth


def without_inner(spots: Spots, groups: Sequence[Group], depth: float) -> list[Group]:
    """Return the cards without single marks within a card that shows both its ends: nothing lies on such a card."""
    areas = [_shrunk(corners_of(spots, group, depth)) for group in groups if len(group.ends) > 1]
    kept = []
    for group in groups:
        x, y = (float(v) for v in spots.centres[group.marks[0]])
        if len(group.marks) > 1 or all(cv2.pointPolygonTest(area, (x, y), False) < 0 for area in areas):
            kept.append(group)
    return kept


def _shrunk(corners: Floats) -> NDArray[np.float32]:
    middle = corners.mean(0)
    return np.asarray(middle + INNER * (corners - middle), np.float32)


def corners_of(spots: Spots, group: Group, depth: float) -> Floats:
    """Return the (4, 2) corners of a card in pixels, clockwise from the upper left of its first end."""
    low = 2 * depth + EDGE
    if not group.ends:
        frame, half = spots.frames[group.marks[0]], depth + EDGE
        box = np.array([[-1, -half], [1, -half], [1, half], [-1, half]])
        return np.asarray(spots.centres[group.marks[0]] + box @ frame.T)
    first = group.ends[0]
    box = np.array([[-1, -EDGE], [1, -EDGE], [1, low], [-1, low]])
    corners = spots.centres[first] + box @ spots.frames[first].T
    if len(group.ends) > 1:
        second = group.ends[1]
        corners[2:] = spots.centres[second] + box[:2] @ spots.frames[second].T
    return np.asarray(corners)


def _opposite(spots: Spots) -> NDArray[np.bool_]:
    """Return (n, n) where two ends look opposite ways and are of one size."""
    down = spots.frames[:, :, 1]
    length = np.hypot(*down.T)
    sizes = np.maximum(spots.sizes, 1e-9)
    ratio = sizes[:, None] / sizes[None]
    turned = down @ down.T < -0.7 * length[:, None] * length[None]
    return np.asarray(turned & (ratio > 0.6) & (ratio < 1 / 0.6))


def _offsets(spots: Spots) -> Floats:
    """Return (n, n, 2) how far aside and how far along mark k lies, seen from mark i."""
    away = spots.centres[None] - spots.centres[:, None]
    return np.asarray(np.einsum("iab,ikb->ika", np.linalg.inv(spots.frames), away), np.float64)


def _apart(offsets: Floats, i: int, j: int) -> tuple[float, float]:
    """Return how far aside and how far along two opposite ends lie, seen from both."""
    (ax, ay), (bx, by) = offsets[i, j], offsets[j, i]
    return float(abs(ax) + abs(bx)) / 2, float(ay + by) / 2


def _common(depths: Sequence[float]) -> float:
    """Return the depth that most of the distances agree on; the smallest one of equals."""
    usable = np.sort([d for d in depths if DEPTHS[0] <= d <= DEPTHS[1]])
    if not len(usable):
        return USUAL
    counts = (np.abs(usable[:, None] - usable[None]) < SAME_DEPTH).sum(1)
    centre = usable[int(counts.argmax())]
    return float(np.median(usable[np.abs(usable - centre) < SAME_DEPTH]))
