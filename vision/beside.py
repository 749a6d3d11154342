"""Find a second board in the plane of a first one: there the lattice has the same size and needs no perspective."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boardsight.scoring.boards import lattice_point
from boardsight.vision.lattice import KINDS, Lattice, Marks, inverse, plane_matrix, project

Floats = NDArray[np.float64]

REACH = 0.2
"""How far a mark may lie from its lattice position, in tile widths."""
SIZES = (0.9, 1.12)
"""Range of a neighbour's distance in tile widths of the first board."""
FEWEST = 5


def fit_beside(marks: Marks, free: NDArray[np.bool_], homography: Floats, lattice: str) -> Lattice | None:
    """Return the largest lattice among the free marks, rigid in the plane that ``homography`` maps to pixels.

    Parameters: ``free`` (n,) which marks belong to no board yet; ``lattice`` ``hex`` or ``square``. None if fewer than
    five marks lie together.
    """
    shape = "hexagon" if lattice == "hex" else "octagon"
    chosen = np.flatnonzero(free & np.array([KINDS[k].startswith(shape) for k in marks.kinds], bool))
    if len(chosen) < FEWEST:
        return None
    points = project(inverse(homography), marks.centres[chosen].astype(np.float64))
    to_plane = plane_matrix(lattice)
    back = np.linalg.inv(to_plane)
    gap = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    best: tuple[int, float, Floats, NDArray[np.int64], NDArray[np.intp]] | None = None
    for a, b in zip(*np.nonzero(np.triu((gap > SIZES[0]) & (gap < SIZES[1]))), strict=True):
        x = points[b] - points[a]
        turn = np.array([[x[0], -x[1]], [x[1], x[0]]])
        first = np.array(lattice_point(lattice, (1, 0)))
        turn = turn @ np.linalg.inv(np.array([[first[0], -first[1]], [first[1], first[0]]]))
        local = (points - points[a]) @ np.linalg.inv(turn).T
        at = np.rint(local @ back.T).astype(np.int64)
        away = np.hypot(*(local - at @ to_plane.T).T)
        near = np.flatnonzero(away < REACH)
        held = _together(at[near], away[near], int(np.flatnonzero(near == a)[0]))
        members = near[held]
        merit = (len(members), -float(away[members].sum()))
        if best is None or merit > best[:2]:
            best = (*merit, turn, at[members], members)
    if best is None or best[0] < FEWEST:
        return None
    _, _, _, at, members = best
    # a similarity by least squares, then once more with what it adds
    plane, seen = at @ to_plane.T, points[members]
    fitted = _similarity(plane, seen)
    residual = np.hypot(*(seen - (plane @ fitted[:, :2].T + fitted[:, 2])).T)
    full = homography @ np.vstack([fitted, [0, 0, 1]])
    return Lattice(
        lattice,
        full,
        {(int(q), int(r)): int(chosen[m]) for (q, r), m in zip(at, members, strict=True)},
        float(np.median(residual)),
    )


def _together(at: NDArray[np.int64], away: Floats, start: int) -> list[int]:
    """Return which marks hang together with the first one, one a position, gaps of one position allowed."""
    order = np.argsort(away)
    taken: dict[tuple[int, int], int] = {}
    for k in order:
        taken.setdefault((int(at[k, 0]), int(at[k, 1])), int(k))
    queue = [(int(at[start, 0]), int(at[start, 1]))]
    reached = {queue[0]}
    while queue:
        q, r = queue.pop()
        for other in taken:
            if (
                other not in reached
                and max(abs(other[0] - q), abs(other[1] - r), abs(other[0] + other[1] - q - r)) <= 2
            ):
                reached.add(other)
                queue.append(other)
    return [taken[p] for p in sorted(reached) if p in taken]


def _similarity(plane: Floats, seen: Floats) -> Floats:
    """Return the (2, 3) turn, scale and shift that maps plane points to seen ones best."""
    p, s = plane - plane.mean(0), seen - seen.mean(0)
    norm = max(float((p**2).sum()), 1e-9)
    c, d = float((p * s).sum()) / norm, float((p[:, 0] * s[:, 1] - p[:, 1] * s[:, 0]).sum()) / norm
    m = np.array([[c, -d], [d, c]])
    return np.column_stack([m, seen.mean(0) - m @ plane.mean(0)])
