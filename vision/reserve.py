"""Read the tiles that lie loose in a board's reserve: no lattice says where, so each is found by itself.

A mark says roughly where a loose tile is; a tile that another one covers is marked beside its middle. The place and
the turn at which the networks read a crop most clearly are the tile's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boardsight.models import Network
from boardsight.scoring.boards import Board, Cell
from boardsight.vision.classify import evidence
from boardsight.vision.crop import crop_cells
from boardsight.vision.decode import Evidence
from boardsight.vision.glances import views_of
from boardsight.vision.heads import KINDS, WHAT
from boardsight.vision.lattice import Marks, inverse, project

Floats = NDArray[np.float64]

AWAY = 0.75
"""Tile widths by which a loose tile's middle must lie off every space of the board."""
APART = 0.45
"""Two marks nearer to each other than this, in tile widths, are one tile."""
TILE = 0.5
"""Probability from which on a crop shows a tile."""
TRIED = 8
"""Marks that are looked at, the surest."""
STEPS: tuple[tuple[tuple[float, float, float], ...], ...] = (
    tuple((dx, dy, 0.0) for dx in (-0.16, 0.0, 0.16) for dy in (-0.16, 0.0, 0.16)),
    tuple((0.0, 0.0, turn) for turn in (-24.0, -16.0, -8.0, 0.0, 8.0, 16.0, 24.0)),
    (
        *((dx, dy, 0.0) for dx, dy in ((0.0, 0.0), (-0.07, 0.0), (0.07, 0.0), (0.0, -0.07), (0.0, 0.07))),
        *((0.0, 0.0, turn) for turn in (-4.0, 4.0)),
    ),
)
"""How far each look goes from the best one so far: tile widths right and down, degrees clockwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Reserve:
    """The loose tiles of one board."""

    places: Floats
    """(n, 2) their middles in board coordinates."""
    evidence: Evidence
    """What the network says about each, (n, ...)."""


def loose_marks(board: Board, homography: Floats, marks: Marks) -> Floats:
    """Return where tiles are marked in the board's reserve, the surest first: (n, 2) in board coordinates."""
    if board.reserve is None or not len(marks.centres):
        return np.zeros((0, 2))
    points = project(inverse(homography), marks.centres.astype(np.float64))
    x0, y0, x1, y1 = board.reserve
    inside = (points > (x0, y0)).all(1) & (points < (x1, y1)).all(1)
    off = np.hypot(*(points[:, None] - np.array(board.centres)[None]).transpose(2, 0, 1)).min(1) > AWAY
    tile = np.array([KINDS[k].endswith("tile") for k in marks.kinds], bool)
    fits = np.flatnonzero(inside & off & tile)
    order = fits[np.argsort(-marks.scores[fits], kind="stable")]
    return points[order[:TRIED]].reshape(-1, 2)


def read_reserve(
    image: NDArray[np.uint8], board: Board, homography: Floats, spots: Floats, network: Network
) -> Reserve | None:
    """Look for a loose tile at each spot (n, 2), in board coordinates; return those that are tiles, or None.

    ``homography`` maps board coordinates to pixels of ``image`` (h, w, 3) BGR. A board keeps no more loose tiles than
    it has cells for them; the surest marks count. They are returned from the top of the board down.
    """
    most = sum(cell.kind != "space" for cell in board.cells)
    found: list[tuple[float, Floats, Evidence]] = []
    for spot in spots:
        if len(found) >= most:
            break
        if any(np.hypot(*(spot - place)) < APART for _, place, _ in found):
            continue
        place, turn = np.asarray(spot, np.float64), 0.0
        seen, best = None, 0
        for steps in STEPS:
            looks = [(place + (dx, dy), turn + more) for dx, dy, more in steps]
            seen = _look(image, board, homography, looks, network)
            best = int(np.argmax(_clear(seen)))
            place, turn = looks[best]
            if np.exp(seen.what[best, WHAT.index("tile")]) < TILE / 2:
                break
        if seen is None or np.exp(seen.what[best, WHAT.index("tile")]) < TILE:
            continue
        if any(np.hypot(*(place - other)) < APART for _, other, _ in found):
            continue
        one = Evidence(seen.what[[best]], {k: v[[best]] for k, v in seen.heads.items()}, seen.labels)
        found.append((float(_clear(one)[0]), place, one))
    if not found:
        return None
    found.sort(key=lambda item: (float(item[1][1]), float(item[1][0])))
    parts = [one for _, _, one in found]
    heads = {name: np.concatenate([one.heads[name] for one in parts]) for name in parts[0].heads}
    together = Evidence(np.concatenate([one.what for one in parts]), heads, parts[0].labels)
    return Reserve(np.array([place for _, place, _ in found]), together)


def reserve_board(board: Board, count: int) -> Board:
    """Return loose tiles as cells without a lattice, so that they are decoded together with the board's own."""
    cells = tuple(Cell(f"reserve {n}", (0, 0)) for n in range(1, count + 1))
    name = f"{board.name} reserve"
    return Board(name, board.game, f"{board.title} reserve", board.lattice, cells, (count,), {}, board.tile_set)


def _look(
    image: NDArray[np.uint8], board: Board, homography: Floats, looks: Sequence[tuple[Floats, float]], network: Network
) -> Evidence:
    views = [view for place, turn in looks for view in views_of(place, [(turn, 1.0, 0.0, 0.0)])]
    crops = crop_cells(image, homography, np.array([place for place, _ in looks]), views=views)
    return evidence(crops, network, board.tile_set.shape)[0]


def _clear(seen: Evidence) -> NDArray[np.float64]:
    """Return (n,) the log probability that each crop shows a tile and what it shows most likely."""
    total = seen.what[:, WHAT.index("tile")].astype(np.float64)
    for rows in seen.heads.values():
        total = total + rows.max(1)
    return np.asarray(total, np.float64)
