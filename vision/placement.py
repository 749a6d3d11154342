"""From a lattice to boards: which board lies where on it, in every rotation, reflection and form that fits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from boardsight.scoring.boards import BOARDS, Board
from boardsight.vision.lattice import (
    Floats,
    Ints,
    Lattice,
    Marks,
    Position,
    bases,
    condition,
    jacobian,
    plane_matrix,
    project,
)

FEWEST = 4
"""The fewest marks that make a board."""
SHARE = 0.4
"""The least share of a board's spaces that must be marked."""
MOST = 4
"""The most sets of spaces that are returned."""
_MISSED, _UNSEEN = -0.7, -0.5
_STEEPEST = 2.9
_STEEP_COST = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A board in one form, laid on a lattice in one way."""

    board: Board
    homography: Floats
    """Shape (3, 3): board coordinates (tile widths, ``board.centres``) to pixels."""
    mirrored: bool
    """True where the photo shows the board as in a mirror."""
    rotation: int
    """Sixths (hex) or quarters (square) of a turn, clockwise in the photo; at 0 the board is nearest to upright."""
    score: float
    positions: tuple[Position, ...]
    """Lattice position of each cell, in the order of ``board.cells``."""
    marks: tuple[int, ...]
    """Index of the mark of each cell, or -1."""
    group: int
    """Index of the covered set of positions; all placements of a group cover the same one."""


@dataclass(frozen=True, slots=True, eq=False)
class _Pose:
    """A form of a board and a change of basis; the cells then cover ``seats`` moved by some offset."""

    board: Board
    change: Ints
    low: Ints


_Shape = tuple[Position, ...]


def placements(
    lattice: Lattice, marks: Marks, size: tuple[int, int], boards: Iterable[Board] | None = None, most: int = MOST
) -> list[Placement]:
    """Return how boards may lie on a lattice, the best first, in a photo of a size (width, height) in pixels.

    A set of positions is scored by its marked, unmarked and unseen positions and by the marks that it leaves out.
    For each of the best few sets, ``most``, every form of its board is returned in every rotation and reflection that
    covers it.
    """
    if not lattice.members:
        return []
    to_plane = plane_matrix(lattice.lattice)
    back = np.linalg.inv(to_plane)
    at = np.array(list(lattice.members), dtype=np.int64)
    scores = np.asarray(marks.scores, dtype=np.float64)[list(lattice.members.values())]
    local = jacobian(lattice.homography, at.mean(axis=0) @ to_plane.T)
    tilts = [condition(local @ to_plane @ group[0] @ back) for group in bases(lattice.lattice)]
    shapes: dict[_Shape, tuple[float, list[_Pose]]] = {}
    choice = [b for b in (BOARDS.values() if boards is None else boards) if b.lattice == lattice.lattice]
    for number, tilt in enumerate(tilts):
        if tilt > max(_STEEPEST, min(tilts) + 1e-6):
            continue
        cost = _STEEP_COST * float(np.log(tilt / min(tilts)))
        for board in choice:
            for form in board.forms:
                for key, pose in _laid(form, number):
                    shapes.setdefault(key, (cost, []))[1].append(pose)
    if not shapes:
        return []
    found: list[tuple[float, Position, list[_Pose]]] = []
    worth, filled, origin = _worth(lattice, at, scores, size, 1 + max(max(max(seat) for seat in key) for key in shapes))
    for key, (cost, poses) in shapes.items():
        found.extend((score, offset, poses) for score, offset in _offsets(key, worth, filled, origin, cost))
    if not found:
        return []
    found.sort(key=lambda item: -item[0])
    top = found[0][0] + float(scores.sum())
    least = found[0][0] - max(2.5, 0.15 * top)
    result: list[Placement] = []
    for number, (score, offset, poses) in enumerate(item for item in found[:most] if item[0] >= least):
        result.extend(_poses(lattice, score, offset, poses, number))
    return result


def another_fits(
    placement: Placement, lattice: Lattice, marks: Marks, boards: Iterable[Board], *, sure: float, spare: int
) -> bool:
    """Return True where a board laid elsewhere covers the sure marks that a placement covers, all but ``spare``.

    ``sure`` is the least score of such a mark. A board counts only where enough of its own spaces are marked.
    """
    own = set(placement.positions)
    seen = np.array([p for p, m in lattice.members.items() if p in own and marks.scores[m] >= sure], dtype=np.int64)
    if not len(seen):
        return True
    view = jacobian(lattice.homography, seen.mean(axis=0) @ plane_matrix(lattice.lattice).T)
    to_plane = plane_matrix(lattice.lattice)
    tilts = [condition(view @ to_plane @ g[0] @ np.linalg.inv(to_plane)) for g in bases(lattice.lattice)]
    shapes = {
        key
        for number, tilt in enumerate(tilts)
        if tilt <= max(_STEEPEST, min(tilts) + 1e-6)
        for board in boards
        if board.lattice == lattice.lattice
        for form in board.forms
        for key, _ in _laid(form, number)
    }
    for key in shapes:
        seats = np.array(key, dtype=np.int64)
        # how many sure marks each offset covers
        offsets, counts = np.unique((seen[:, None] - seats[None]).reshape(-1, 2), axis=0, return_counts=True)
        enough = (counts >= len(seen) - spare) & (counts >= max(FEWEST, SHARE * len(key)))
        for offset in offsets[enough]:
            if {(int(x), int(y)) for x, y in seats + offset} != own:
                return True
    return False


@cache
def _laid(board: Board, number: int) -> tuple[tuple[_Shape, _Pose], ...]:
    """Return the shapes that a board's cells take under each change of basis of a class, moved to (0, 0)."""
    cells = np.array([cell.at for cell in board.cells], dtype=np.int64)
    laid = []
    for change in bases(board.lattice)[number]:
        seats = cells @ change.T
        low = seats.min(axis=0)
        laid.append((tuple(sorted((int(x), int(y)) for x, y in seats - low)), _Pose(board, change, low)))
    return tuple(laid)


def _worth(lattice: Lattice, at: Ints, scores: Floats, size: tuple[int, int], span: int) -> tuple[Floats, Floats, Ints]:
    """Return what covering each position of a window adds to the score, where marks are, and the window's origin.

    The window, shape (width, height) in lattice steps, holds every board of that span that touches a member.
    """
    origin = at.min(axis=0) - span
    width, height = at.max(axis=0) + span - origin + 1
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height), indexing="ij"), axis=-1).reshape(-1, 2) + origin
    plane = grid @ plane_matrix(lattice.lattice).T
    pixels = project(lattice.homography, plane)
    inside = ((pixels >= 0) & (pixels < np.array(size))).all(axis=1)
    inside &= np.c_[plane, np.ones(len(plane))] @ lattice.homography[2] > 0
    worth = np.where(inside, _MISSED, _UNSEEN).reshape(width, height)
    filled = np.zeros((width, height))
    x, y = (at - origin).T
    worth[x, y] = 2 * scores  # once for covering it, once for not leaving it out
    filled[x, y] = 1
    return np.asarray(worth), filled, np.asarray(origin, dtype=np.int64)


def _offsets(key: _Shape, worth: Floats, filled: Floats, origin: Ints, cost: float) -> list[tuple[float, Position]]:
    """Return the scores and offsets at which a shape covers enough marks, the best few first."""
    high = np.array(key).max(axis=0)
    wide, tall = worth.shape[0] - int(high[0]), worth.shape[1] - int(high[1])
    total, hits = np.zeros((wide, tall)), np.zeros((wide, tall))
    for x, y in key:
        total += worth[x : x + wide, y : y + tall]
        hits += filled[x : x + wide, y : y + tall]
    total -= float(worth[filled > 0].sum()) / 2 + cost
    total[hits < max(FEWEST, SHARE * len(key))] = -np.inf
    order = np.argsort(-total, axis=None, kind="stable")[:MOST]
    return [
        (float(total.flat[i]), (int(i // tall + origin[0]), int(i % tall + origin[1])))
        for i in order
        if np.isfinite(total.flat[i])
    ]


def _poses(lattice: Lattice, score: float, offset: Position, poses: list[_Pose], number: int) -> list[Placement]:
    """Return the placements of one covered set."""
    to_plane = plane_matrix(lattice.lattice)
    back = np.linalg.inv(to_plane)
    steps = 6 if lattice.lattice == "hex" else 4
    result = []
    for pose in poses:
        shift = np.array(offset, dtype=np.int64) - pose.low
        seats = np.array([cell.at for cell in pose.board.cells], dtype=np.int64) @ pose.change.T + shift
        move = np.eye(3)
        move[:2, :2] = to_plane @ pose.change @ back
        move[:2, 2] = to_plane @ shift
        homography = lattice.homography @ move
        middle = np.array(pose.board.centres).mean(axis=0)
        homography = homography / float(homography[2] @ np.append(middle, 1.0))
        view = jacobian(homography, middle)
        positions = tuple((int(x), int(y)) for x, y in seats)
        result.append(
            Placement(
                pose.board,
                homography,
                bool(np.linalg.det(view) < 0),
                _rotation(view, steps),
                score,
                positions,
                tuple(lattice.members.get(position, -1) for position in positions),
                number,
            )
        )
    return result


def _rotation(view: Floats, steps: int) -> int:
    """Return by how many steps of a full turn, clockwise in the photo, a (2, 2) view is turned.

    Of the rotation nearest to the view, so that tilt does not tell: the polar decomposition.
    """
    left, _, right = np.linalg.svd(view if np.linalg.det(view) > 0 else view @ np.diag([-1.0, 1.0]))
    turn = left @ right
    return round(float(np.arctan2(turn[1, 0], turn[0, 0])) / (2 * np.pi / steps)) % steps
