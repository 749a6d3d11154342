"""Pieces of one size on one table: how large and how foreshortened each lies there is fitted to all of them together.

A frame is a symmetric matrix after a turn (`boardsight.vision.pieces.frame_of`). The symmetric matrix says how large
and how foreshortened a piece is at its place, however it is turned; on a flat table it changes smoothly over the photo.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boardsight.vision.pieces import Floats, Spots

SPREADS = (0.4, 0.3, 0.2, 0.12, 0.08, 0.05, 0.05)
"""Deviation of a mark's numbers, as logarithms, that counts as usual, round by round: a wide one first, so that a table
that is seen at a slant is not taken for a few odd marks."""
CALM = 0.1
"""Weight, in marks, on no slope at all: it keeps few marks from tilting the table."""


def fitted(spots: Spots, values: Floats, sure: NDArray[np.intp], *, sloping: bool) -> Floats:
    """Return (n, 3) size, stretch and slant of a piece at every mark.

    ``values`` (n, 5) are what the locator says of each, ``sure`` the marks that are believed, at least one; what most
    of them say counts (weights of Cauchy, reweighted). Not ``sloping``, they are the same all over the photo.
    """
    middle = np.median(spots.centres[sure], 0)
    reach = max(1.0, float(np.abs(spots.centres[sure] - middle).max()))
    terms = np.column_stack([np.ones(len(spots)), (spots.centres - middle) / reach])
    if not sloping:
        terms = terms[:, :1]
    weight = spots.scores[sure]
    found = np.tile(np.median(values[sure, :3], 0), (len(spots), 1))
    for spread in SPREADS:
        away = np.abs(values[sure, :3] - found[sure]).max(1)
        trust = weight / (1 + (away / spread) ** 2)
        a = terms[sure] * trust[:, None]
        calm = np.diag([0.0, *[CALM] * (terms.shape[1] - 1)])
        found = terms @ np.linalg.solve(terms[sure].T @ a + calm, a.T @ values[sure, :3])
    return np.asarray(found, np.float64)
