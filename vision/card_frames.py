"""Make the frames of a pile's marks agree: all cards have one size and lie on one table.

How large and how foreshortened a card lies at its place is fitted to all of them together (`boardsight.vision.table`).
How a card is turned is told best by the line between its two ends.
"""

from __future__ import annotations

import numpy as np

from boardsight.vision.card_groups import END, MIDDLE, group_marks
from boardsight.vision.pieces import Floats, Spots, frame_of, values_of
from boardsight.vision.table import fitted

LEAST = 4
"""Marks that say together how cards lie; fewer are left as they are."""
PLANE = 8
"""From so many marks on the size may change over the photo; fewer give one size."""
ODD = 0.4
"""A mark whose size is off by more than this, as a logarithm, is no card of this pile."""
SURE = 0.3
"""Marks from this height on say how cards lie."""
ASIDE, ALONG = 0.7, 0.28
"""Two ends of one direction that are nearer than this, in half card widths aside and along, are one."""


def settle(spots: Spots) -> Spots:
    """Return a pile's marks with frames that agree, without those that cannot belong to it."""
    if len(spots) < LEAST:
        return spots
    values = values_of(spots.frames)
    sure = np.flatnonzero((spots.scores >= SURE) & (spots.kinds == END))
    if len(sure) < LEAST:
        return spots
    shapes = fitted(spots, values, sure, sloping=len(sure) >= PLANE)
    kept = np.abs(values[:, 0] - shapes[:, 0]) < ODD
    if kept.sum() < LEAST:
        return spots
    moved = values.copy()
    moved[:, :3] = shapes
    # `frame_of` counts sizes from one picture's pixels to the same, so they come back as they were
    whole = Spots(spots.centres, frame_of(moved), spots.kinds, spots.scores).take(kept)
    return _in_line(_single(whole))


def _single(spots: Spots) -> Spots:
    """Return the marks without ends that double a surer one."""
    kept: list[int] = []
    inverse = np.linalg.inv(spots.frames)
    for i in np.argsort(-spots.scores, kind="stable"):
        double = False
        for k in kept:
            if spots.kinds[i] != spots.kinds[k]:
                continue
            x, y = inverse[k] @ (spots.centres[i] - spots.centres[k])
            alike = float(spots.frames[i][:, 1] @ spots.frames[k][:, 1]) > 0 or spots.kinds[i] == MIDDLE
            double = double or (alike and abs(x) < ASIDE and abs(y) < ALONG)
        if not double:
            kept.append(int(i))
    return spots.take(np.array(sorted(kept), np.intp))


def _in_line(spots: Spots) -> Spots:
    """Return the marks, the two ends of a card turned into the line between them, and its middle with them."""
    groups, _ = group_marks(spots, np.arange(len(spots)), [0] * len(spots))
    values = values_of(spots.frames)
    for group in groups:
        if not group.ends:
            continue
        i, j = group.ends[0], group.ends[-1]
        if i == j:
            _turn_middle(values, group.middle, values[i, 3:].copy())
            continue
        shape = values[[i, j]].mean(0)
        shape[3:] = 1.0, 0.0
        x, y = np.linalg.solve(frame_of(shape[None])[0], spots.centres[j] - spots.centres[i])
        away = float(np.hypot(x, y))
        # down is (0, 1): the turn that takes it along the line
        values[i, 3:] = y / away, -x / away
        values[j, 3:] = -y / away, x / away
        _turn_middle(values, group.middle, values[i, 3:].copy())
    return Spots(spots.centres, frame_of(values), spots.kinds, spots.scores)


def _turn_middle(values: Floats, middle: int | None, turn: Floats) -> None:
    """Turn a card's middle as its end is turned, or the other way up if that is nearer to what was seen."""
    if middle is not None:
        values[middle, 3:] = turn if float(values[middle, 3:] @ turn) >= 0 else -turn
