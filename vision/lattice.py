"""From marks to lattices: which tile and space centres of a photo lie on one flat lattice, and how it is seen.

A lattice position is a pair of integers as in :mod:`boardsight.scoring.boards`; its plane coordinates are those of
``boards.lattice_point``, in tile widths. A homography takes plane coordinates to pixels of the upright photo.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from boardsight.scoring import boards

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Position = tuple[int, int]

KINDS = ("hexagon tile", "octagon tile", "hexagon space", "octagon space")
"""What a mark can be; :attr:`Marks.kinds` indexes it."""

SHAPES: Mapping[str, tuple[int, ...]] = {"hex": (0, 2), "square": (1, 3)}
"""The kinds of mark that lie on each lattice."""

MINIMUM = 5
"""The fewest marks that make a lattice."""
_MATCH = 0.3
_OUTLIER = 0.25
_SAME = 0.35
_NEIGHBOURS = 8
_WINDOW = 11
_SEEDS = 6
_SLOPPY = 0.13
_NEVER_SINGULAR = 1e-9 * np.eye(8)


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Centres of tiles and empty spaces that a network found in a photo."""

    centres: NDArray[np.float32]
    """Shape (N, 2): x, y in pixels of the upright full photo."""
    kinds: NDArray[np.int64]
    """Shape (N,): index into :data:`KINDS`."""
    scores: NDArray[np.float32]
    """Shape (N,): 0 to 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """A lattice seen in a photo, with arbitrary origin, rotation and reflection."""

    lattice: str
    """``hex`` or ``square``."""
    homography: Floats
    """Shape (3, 3): plane coordinates in tile widths to pixels; positive denominator where the members lie."""
    members: dict[Position, int]
    """Lattice position to index of the mark that lies there."""
    error: float
    """Median distance of the members from their lattice positions, in tile widths."""


@cache
def plane_matrix(lattice: str) -> Floats:
    """Return the (2, 2) matrix from lattice positions to plane coordinates, in tile widths."""
    columns = [boards.lattice_point(lattice, (1, 0)), boards.lattice_point(lattice, (0, 1))]
    return np.array(columns, dtype=np.float64).T


def project(homography: Floats, points: ArrayLike) -> Floats:
    """Return points of shape (N, 2) taken through a homography, shape (N, 2)."""
    at = np.asarray(points, dtype=np.float64).reshape(-1, 2) @ homography[:, :2].T + homography[:, 2]
    depth = at[:, 2:]
    return np.asarray(at[:, :2] / np.where(np.abs(depth) < 1e-9, 1e-9, depth), dtype=np.float64)


def inverse(homography: Floats) -> Floats:
    """Return the inverse of a homography, or the nearest thing to one where it has none."""
    try:
        return np.asarray(np.linalg.inv(homography), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(homography), dtype=np.float64)


def jacobian(homography: Floats, point: ArrayLike) -> Floats:
    """Return the (2, 2) derivative of a homography at a point (x, y)."""
    at = homography @ np.append(np.asarray(point, dtype=np.float64), 1.0)
    pixel = at[:2] / at[2]
    return np.asarray((homography[:2, :2] - np.outer(pixel, homography[2, :2])) / at[2], dtype=np.float64)


def condition(matrix: Floats) -> float:
    """Return the ratio of the singular values of a (2, 2) matrix: 1 / cosine of the tilt for a view from afar."""
    large, small = np.linalg.svd(matrix, compute_uv=False)
    return float(large / max(small, 1e-12))


@cache
def bases(lattice: str) -> tuple[tuple[Ints, ...], ...]:
    """Return the changes of basis of a lattice, in classes; the first class holds the lattice's own symmetries.

    Seen from far away at a steep angle, a lattice looks like the same lattice sheared and seen from another angle.
    The (2, 2) integer matrices of one class differ only by symmetries; those of the first class are none but them.
    """
    to_plane = plane_matrix(lattice)
    back = np.linalg.inv(to_plane)
    classes: dict[tuple[float, ...], list[Ints]] = {}
    span = range(-2, 3)
    for entries in ((a, b, c, d) for a in span for b in span for c in span for d in span):
        if abs(entries[0] * entries[3] - entries[1] * entries[2]) != 1:
            continue
        change = np.array(entries, dtype=np.int64).reshape(2, 2)
        seen = to_plane @ change @ back
        key = tuple(float(value) for value in np.round((seen @ seen.T).ravel(), 3) + 0.0)
        classes.setdefault(key, []).append(change)
    full = 12 if lattice == "hex" else 8
    whole = [(key, tuple(found)) for key, found in classes.items() if len(found) == full]
    whole.sort(key=lambda pair: pair[0][0] + pair[0][3])
    return tuple(found for _, found in whole)


def fit_lattices(marks: Marks) -> list[Lattice]:
    """Return the lattices that the marks lie on, the one with most members first."""
    return list(lattices(marks))


def lattices(marks: Marks) -> Iterator[Lattice]:
    """Yield the lattices that the marks lie on, the one with most members first.

    The first is there before the others are looked for if it holds more marks than are left.
    """
    found: list[Lattice] = []
    centres = np.asarray(marks.centres, dtype=np.float64)
    groups = [(name, np.flatnonzero(np.isin(marks.kinds, kinds))) for name, kinds in SHAPES.items()]
    groups.sort(key=lambda group: -len(group[1]))
    for number, (lattice, left) in enumerate(groups):
        later = sum(len(others) for _, others in groups[number + 1 :])
        while len(left) >= MINIMUM:
            best = _best(lattice, centres[left])
            if best is None:
                break
            homography, positions, members, error = best
            at = {(int(x), int(y)): int(left[m]) for (x, y), m in zip(positions, members, strict=True)}
            found.append(Lattice(lattice, homography, at, error))
            flat = project(inverse(homography), centres[left])
            seats = positions @ plane_matrix(lattice).T
            near = np.linalg.norm(flat[:, None] - seats[None], axis=2).min(axis=1) < _SAME
            near[members] = True
            left = left[~near]
            found.sort(key=lambda one: -len(one.members))
            while found and len(found[0].members) > len(left) + later:
                yield found.pop(0)
    yield from found


_Grown = tuple[Floats, Ints, Ints, float]


def _best(lattice: str, points: Floats) -> _Grown | None:
    """Return the largest lattice grown from the likeliest seeds among points of shape (N, 2) in pixels."""
    best: _Grown | None = None
    merit = -np.inf
    tried = np.zeros(len(points), dtype=np.bool_)
    attempts = 0
    for seed, basis in _seeds(lattice, points):
        if tried[seed] or attempts >= _SEEDS:
            continue
        attempts += 1
        grown = _grow(lattice, points, seed, basis)
        if grown is None:
            continue
        if len(grown[2]) > 6:
            tried[grown[2]] = True
        worth = _merit(lattice, grown)
        if best is None or worth > merit:
            best, merit = grown, worth
        if len(best[2]) > 0.7 * len(points):
            break
    return best


def _merit(lattice: str, grown: _Grown) -> float:
    """Return how good a grown lattice is: its members count, a loose fit and a steep view count against it."""
    homography, positions, members, error = grown
    local = jacobian(homography, positions.mean(axis=0) @ plane_matrix(lattice).T)
    return len(members) * (1 - 3 * error) - 1.5 * float(np.log(condition(local)))


def _seeds(lattice: str, points: Floats) -> list[tuple[int, Floats]]:
    """Return pairs of a point's index and a (2, 2) basis in pixels (columns), the likeliest first.

    A basis is judged by how many of the marks around fall on its lattice; a coarser one is preferred, so that a
    stray mark does not halve the spacing, but a sub-lattice leaves out every other mark and loses.
    """
    count = len(points)
    offsets = points[None] - points[:, None]
    near = np.argsort((offsets**2).sum(axis=2), axis=1, kind="stable")[:, 1:]
    window = np.take_along_axis(offsets, near[:, : min(_WINDOW, count - 1), None], axis=1)
    first, second = np.triu_indices(min(_NEIGHBOURS, count - 1), 1)
    a, b = window[:, first], window[:, second]
    area = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    lengths = np.linalg.norm(a, axis=2) * np.linalg.norm(b, axis=2)
    flat = np.abs(area) <= 0.25 * lengths
    safe = np.where(flat, 1.0, area)[..., None]
    u = (window[:, None, :, 0] * b[..., None, 1] - window[:, None, :, 1] * b[..., None, 0]) / safe
    v = (a[..., None, 0] * window[:, None, :, 1] - a[..., None, 1] * window[:, None, :, 0]) / safe
    miss = np.maximum(np.abs(u - np.round(u)), np.abs(v - np.round(v)))
    on = np.clip(1.3 - miss / 0.2, 0.0, 1.0).sum(axis=2)
    spacing = np.maximum(np.median(np.linalg.norm(window[:, :4], axis=2), axis=1), 1e-6)
    score = on + np.log2(np.maximum(np.abs(area), 1e-9) / spacing[:, None] ** 2).clip(-3.0, 1.5)
    score[flat] = -np.inf
    choice = score.argmax(axis=1)
    rows = np.arange(count)
    order = np.argsort(-score[rows, choice], kind="stable")
    return [
        (int(i), _reduced(lattice, np.stack([a[i, choice[i]], b[i, choice[i]]], axis=1)))
        for i in order
        if np.isfinite(score[i, choice[i]])
    ]


def _reduced(lattice: str, basis: Floats) -> Floats:
    """Return the shortest basis of the same lattice, with the angle that the lattice's own basis has."""
    a, b = basis[:, 0], basis[:, 1]
    for _ in range(8):
        if a @ a > b @ b:
            a, b = b, a
        turns = round(float(a @ b) / max(float(a @ a), 1e-9))
        if not turns:
            break
        b = b - turns * a
    if lattice == "hex" and a @ b < 0:
        b = -b
    return np.stack([a, b], axis=1)


def _fit(plane: Floats, pixels: Floats, ridge: float) -> Floats:
    """Return the (3, 3) homography from plane to pixels, both (N, 2); the ridge pulls it towards an affine map."""
    middle, centre = plane.mean(axis=0), pixels.mean(axis=0)
    span = max(float(np.sqrt(((plane - middle) ** 2).mean())), 1e-6)
    size = max(float(np.sqrt(((pixels - centre) ** 2).mean())), 1e-6)
    x, u = (plane - middle) / span, (pixels - centre) / size
    count = len(x)
    rows = np.zeros((2 * count + 2, 8))
    rows[:count, 0:2], rows[:count, 2] = x, 1
    rows[count:-2, 3:5], rows[count:-2, 5] = x, 1
    rows[:count, 6:], rows[count:-2, 6:] = -u[:, :1] * x, -u[:, 1:] * x
    rows[-2, 6] = rows[-1, 7] = ridge
    wanted = np.concatenate([u[:, 0], u[:, 1], [0.0, 0.0]])
    weight = np.ones(2 * count + 2)
    found: Floats = np.zeros(8)
    for _ in range(2):
        # the coordinates are normalised and the ridge is there, so that the normal equations are sound, and three
        # times as fast as a decomposition of the rows
        weighed = rows * (weight * weight)[:, None]
        found = np.asarray(np.linalg.solve(rows.T @ weighed + _NEVER_SINGULAR, weighed.T @ wanted), dtype=np.float64)
        depth = np.maximum(1 + x @ found[6:], 0.2)
        weight[:-2] = np.tile(1 / depth, 2)
    core = np.append(found, 1.0).reshape(3, 3)
    into = np.array([[1 / span, 0, -middle[0] / span], [0, 1 / span, -middle[1] / span], [0, 0, 1]])
    out = np.array([[size, 0, centre[0]], [0, size, centre[1]], [0, 0, 1]])
    return np.asarray(out @ core @ into, dtype=np.float64)


def _snap(lattice: str, homography: Floats, points: Floats) -> tuple[Ints, Floats]:
    """Return for points (N, 2) in pixels the nearest lattice positions (N, 2) and the distances (N,) from them."""
    to_plane = plane_matrix(lattice)
    back = inverse(homography)
    flat = project(back, points)
    at = np.clip(flat @ np.linalg.inv(to_plane).T, -999, 999)
    positions = np.rint(at).astype(np.int64)
    away = np.linalg.norm((at - positions) @ to_plane.T, axis=1)
    depth = np.c_[flat, np.ones(len(flat))] @ homography[2]
    away[depth <= 0] = np.inf
    return positions, away


def _chosen(positions: Ints, away: Floats, near: NDArray[np.bool_]) -> Ints:
    """Return the indices of the marks to keep, the nearest one for each position."""
    index = np.flatnonzero(near)
    index = index[np.argsort(away[index], kind="stable")]
    key = positions[index, 0] * 4096 + positions[index, 1]
    return np.asarray(index[np.unique(key, return_index=True)[1]], dtype=np.int64)


def _grow(lattice: str, points: Floats, seed: int, basis: Floats) -> _Grown | None:
    """Grow a lattice ring by ring from one point; return homography, positions, point indices and median error."""
    to_plane = plane_matrix(lattice)
    homography = np.eye(3)
    homography[:2, :2] = basis @ np.linalg.inv(to_plane)
    homography[:2, 2] = points[seed]
    members: Ints = np.array([seed], dtype=np.int64)
    held: Ints = np.zeros((1, 2), dtype=np.int64)
    reach, match = 1, _MATCH
    for _ in range(20):
        positions, away = _snap(lattice, homography, points)
        steps = np.abs(positions[:, None] - held[None]).max(axis=2).min(axis=1)
        chosen = _chosen(positions, away, (away < match) & (steps <= reach))
        if len(chosen) < 3:
            return None
        settled = np.array_equal(chosen, members) and np.array_equal(positions[chosen], held)
        members, held = chosen, positions[chosen]
        if settled:
            if reach == 2:
                break
            reach, match = 2, _OUTLIER
        homography = _fit(held @ to_plane.T, points[members], 0.15 if len(members) < 12 else 0.03)
    if len(members) < MINIMUM:
        return None
    return _finish(lattice, points, homography, members, held)


def _finish(lattice: str, points: Floats, homography: Floats, members: Ints, held: Ints) -> _Grown | None:
    """Fit robustly, drop outliers and marks without neighbours, and choose the least tilted basis."""
    to_plane = plane_matrix(lattice)
    if len(members) >= 10:
        scale = float(np.sqrt(abs(np.linalg.det(jacobian(homography, held.mean(axis=0) @ to_plane.T)))))
        robust, _ = cv2.findHomography(held @ to_plane.T, points[members], cv2.RANSAC, 0.2 * scale, maxIters=200)
        if robust is not None:
            trial = np.asarray(robust, dtype=np.float64)
            trial *= np.sign(np.append(held.mean(axis=0) @ to_plane.T, 1.0) @ trial[2]) or 1.0
            places, distance = _snap(lattice, trial, points)
            if (distance[members] < _OUTLIER).sum() >= 0.7 * len(members) and (places[members] == held).mean() > 0.7:
                homography = trial
    for _ in range(3):
        positions, away = _snap(lattice, homography, points)
        steps = np.abs(positions[:, None] - held[None]).max(axis=2).min(axis=1)
        middle = float(np.median(away[members]))
        limit = min(max(4.5 * middle, 0.12), _OUTLIER)
        chosen = _chosen(positions, away, (away < limit) & (steps <= 2))
        if len(chosen) < MINIMUM:
            return None
        places = positions[chosen]
        apart = np.abs(places[:, None] - places[None]).max(axis=2)
        company = ((apart <= 1).sum(axis=1) >= 2) | ((apart <= 2).sum(axis=1) >= 3)
        members, held = chosen[company], places[company]
        if len(members) < MINIMUM:
            return None
        homography = _fit(held @ to_plane.T, points[members], 0.15 if len(members) < 10 else 0.01)
    away = np.linalg.norm(project(inverse(homography), points[members]) - held @ to_plane.T, axis=1)
    error = float(np.median(away))
    if error > _SLOPPY or np.linalg.matrix_rank(held - held[0]) < 2:
        return None
    back = np.linalg.inv(to_plane)
    local = jacobian(homography, held.mean(axis=0) @ to_plane.T)
    change = min((group[0] for group in bases(lattice)), key=lambda u: condition(local @ to_plane @ u @ back))
    held = np.rint(held @ np.linalg.inv(change).T).astype(np.int64)
    full = np.eye(3)
    full[:2, :2] = to_plane @ change @ back
    homography = homography @ full
    return homography / np.linalg.norm(homography), held, members, error
