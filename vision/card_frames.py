"""Make the frames of a pile's marks agree: all cards have one size and lie on one table.

A frame is a symmetric matrix after a turn (`boardsight.vision.pieces.frame_of`). The symmetric matrix says how large
and how foreshortened a card is at its place, however it is turned; on a flat table it changes smoothly over the photo,
so it is fitted to all marks together. How a card is turned is told best by the line between its two ends.
"""

from __future__ import annotations

import numpy as np

from boardsight.vision.card_groups import END, MIDDLE, group_marks
from boardsight.vision.pieces import Floats, Spots, frame_of, values_of

LEAST = 4
"""Marks that say together how cards lie; fewer are left as they are."""
PLANE = 8
"""From so many marks on the size may change over the photo; fewer give one size."""
ROUNDS = 6
ODD = 0.4
"""A mark whose size is off by more than this, as a logarithm, is no card of this pile."""
SURE = 0.3
"""Marks from this height on say how cards lie."""
ASIDE, ALONG = 0.7, 0.28
"""Two ends of one direction that are nearer than this, in half card widths aside and along, are one."""
SPREAD = 0.05
"""Deviation of a mark's numbers, as logarithms, that is usual."""


def settle(spots: Spots) -> Spots:
    """Return a pile's marks with frames that agree, without those that cannot belong to it."""
    if len(spots) < LEAST:
        return spots
    values = values_of(spots.frames)
    fitted = _smooth(spots, values)
    if fitted is None:
        return spots
    kept = np.abs(values[:, 0] - fitted[:, 0]) < ODD
    if kept.sum() < LEAST:
        return spots
    moved = values.copy()
    moved[:, :3] = fitted
    # `frame_of` counts sizes from one picture's pixels to the same, so they come back as they were
    whole = Spots(spots.centres, frame_of(moved), spots.kinds, spots.scores).take(kept)
    return _in_line(_single(whole))


def _smooth(spots: Spots, values: Floats) -> Floats | None:
    """Return (n, 3) size, stretch and slant of a card at every mark, fitted to the sure ends; None where too few."""
    sure = np.flatnonzero((spots.scores >= SURE) & (spots.kinds == END))
    if len(sure) < LEAST:
        return None
    middle = np.median(spots.centres[sure], 0)
    reach = max(1.0, float(np.abs(spots.centres[sure] - middle).max()))
    terms = np.column_stack([np.ones(len(spots)), (spots.centres - middle) / reach])
    if len(sure) < PLANE:
        terms = terms[:, :1]
    weight = spots.scores[sure].copy()
    start = np.median(values[sure, :3], 0)
    found = np.tile(start, (len(spots), 1))
    for _ in range(ROUNDS):
        away = np.abs(values[sure, :3] - found[sure]).max(1)
        trust = weight / (1 + (away / SPREAD) ** 2)
        a = terms[sure] * trust[:, None]
        # a little weight on no slope at all keeps few marks from tilting the table
        calm = np.diag([0.0, *[0.3] * (terms.shape[1] - 1)])
        solution = np.linalg.solve(terms[sure].T @ a + calm, a.T @ values[sure, :3])
        found = terms @ solution
    return np.asarray(found)


def _single(spots: Spots) -> Spots:
    """Return the marks without ends that double a surer one."""
    kept: list[int] = []
    for i in np.argsort(-spots.scores, kind="stable"):
        double = False
        for k in kept:
            if spots.kinds[i] != spots.kinds[k]:
                continue
            x, y = np.linalg.solve(spots.frames[k], spots.centres[i] - spots.centres[k])
            alike = float(spots.frames[i][:, 1] @ spots.frames[k][:, 1]) > 0 or spots.kinds[i] == MIDDLE
            double = double or (alike and abs(x) < ASIDE and abs(y) < ALONG)
        if not double:
            kept.append(int(i))
    return spots.take(np.array(sorted(kept), np.intp))


def _in_line(spots: Spots) -> Spots:
    """Return the marks, the two ends of a card turned into the line between them."""
    groups, _ = group_marks(spots, np.arange(len(spots)), [0] * len(spots))
    values = values_of(spots.frames)
    for group in groups:
        if len(group.ends) < 2:
            continue
        i, j = group.ends
        shape = values[[i, j]].mean(0)
        shape[3:] = 1.0, 0.0
        x, y = np.linalg.solve(frame_of(shape[None])[0], spots.centres[j] - spots.centres[i])
        away = float(np.hypot(x, y))
        # down is (0, 1): the turn that takes it along the line
        values[i, 3:] = y / away, -x / away
        values[j, 3:] = -y / away, x / away
    return Spots(spots.centres, frame_of(values), spots.kinds, spots.scores)
