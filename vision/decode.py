"""From log probabilities of single cells to the most probable legal board, jointly.

Each physical tile exists once, so the cells of a board compete for the tiles: one rectangular assignment finds the
best board exactly. How sure a cell is comes from the same problem: for every other reading of the cell, how much
worse is the best legal board that has it?

Letters: n cells, m of them free (not set by hand), T tiles in the set; a cell's readings are the T tiles, then
``--``, then ``??``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from boardsight.scoring.boards import Board, TileSet
from boardsight.vision.reading import EMPTY, UNREAD

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: What can lie on a cell, in the order of the columns of `Evidence.what`.
WHAT = ("tile", "space", "other")

HEAD_FLOOR = math.log(1e-4)
"""No head counts as surer than this that a label is wrong, so that the others can outvote it."""
WHAT_FLOOR = math.log(1e-8)
"""The same for what lies on a cell, which is easier to see than what is printed on it."""
UNREAD_PENALTY = 3.0
"""Nats by which an unread tile is less probable beforehand, so that a readable tile is preferred."""
UNMARKED_PENALTY = 6.0
"""Nats more by which it is less probable where the locator saw no tile: art or a shadow on an empty space."""

_NOTHING: Mapping[int, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the classifier says about the n cells of one board, in the order of ``board.cells``."""

    what: NDArray[np.float32]
    """(n, 3) log probabilities of `WHAT`."""
    heads: Mapping[str, NDArray[np.float32]]
    """Attribute name to (n, k) log probabilities of its k labels."""
    labels: Mapping[str, tuple[str, ...]]
    """Attribute name to the k labels of its head, which may be more than a tile set has."""
    marked: NDArray[np.bool_] | None = None
    """(n,) where the locator saw a tile; None where it was not asked."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The most probable legal board and how sure each of its n cells is."""

    tiles: tuple[str, ...]
    """n texts in the notation, among them ``--`` and ``??``."""
    confidence: tuple[float, ...]
    """n numbers, 0 to 1: the weight of the best board among the best boards for each reading of the cell. Never more
    than the sigmoid of the margin, and low where many readings are nearly tied. 1 for cells set by hand."""
    runner_up: tuple[str, ...]
    """n texts: what the cell holds in the best legal board where it does not hold its tile; empty if set by hand."""
    margin: tuple[float, ...]
    """n numbers, nats by which that board is worse than the best one; infinite for cells set by hand."""
    log_likelihood: float
    """Sum over all cells of the log probability of their readings."""
    mean_log_likelihood: float
    """Mean over the cells that hold tiles; 0 if none does."""


def decode(
    board: Board,
    evidence: Evidence,
    *,
    fixed: Mapping[int, str] = _NOTHING,
    temperature: float = 1.0,
    taken: AbstractSet[str] = frozenset(),
) -> Decoded:
    """Return the most probable legal board.

    ``fixed`` sets cells by hand (index to tile text, ``--`` or ``??``) and the others are decoded around them.
    ``taken`` names tiles that lie elsewhere. Margins are divided by ``temperature`` for the confidence.

    Raises ValueError if arrays have the wrong shape, or the cells set by hand are no legal board.
    """
    return decode_together([(board, evidence)], fixed=[fixed], temperature=temperature, taken=taken)[0]


def decode_together(
    pairs: Sequence[tuple[Board, Evidence]],
    *,
    fixed: Sequence[Mapping[int, str]] = (),
    temperature: float = 1.0,
    taken: AbstractSet[str] = frozenset(),
) -> tuple[Decoded, ...]:
    """Decode several boards of one player, which share the tiles of one set.

    ``fixed`` has one mapping for each board, or none at all; see `decode`.
    """
    if not pairs:
        return ()
    if not temperature > 0:
        raise ValueError(f"the temperature is {temperature}, not above 0")
    tile_set = pairs[0][0].tile_set
    if any(board.tile_set is not tile_set for board, _ in pairs):
        raise ValueError("boards that are decoded together must share one tile set")
    by_hand = fixed or [_NOTHING] * len(pairs)
    if len(by_hand) != len(pairs):
        raise ValueError(f"{len(pairs)} boards, but cells set by hand for {len(by_hand)}")

    texts = (*(tile.text for tile in tile_set.tiles), EMPTY, UNREAD)
    column = {text: c for c, text in enumerate(texts)}
    tables = [likelihoods(board, evidence) for board, evidence in pairs]
    likelihood = np.concatenate([table for table, _ in tables])
    score = likelihood.copy()
    known = np.concatenate([_known(evidence) for _, evidence in pairs])
    score[:, -2:] += np.concatenate([level for _, level in tables])[:, None]

    n = len(score)
    tiles = len(tile_set.tiles)
    reading = np.full(n, -1, dtype=np.intp)
    gone = {column[text] for text in taken if column.get(text, tiles) < tiles}
    start = 0
    for (board, _), cells in zip(pairs, by_hand, strict=True):
        for cell, text in cells.items():
            if not 0 <= cell < len(board.cells):
                raise ValueError(f"{board.title} has no cell with index {cell}")
            if text not in column:
                raise ValueError(f"{text!r} is no tile of {board.title}")
            if column[text] in gone:
                raise ValueError(f"tile {text} is set by hand but lies elsewhere too")
            if column[text] < tiles:
                gone.add(column[text])
            reading[start + cell] = column[text]
        start += len(board.cells)

    free = np.flatnonzero(reading < 0)
    open_columns = np.array([c for c in range(tiles + 2) if c not in gone], dtype=np.intp)
    confidence, margin, runner_up = np.ones(n), np.full(n, np.inf), np.full(n, -1, dtype=np.intp)
    if free.size:
        table = score[np.ix_(free, open_columns)]
        best = assign(table)
        loss = losses(table, best)
        rows = np.arange(free.size)
        loss[rows, best] = np.inf
        second = loss.argmin(axis=1)
        reading[free], runner_up[free] = open_columns[best], open_columns[second]
        margin[free] = loss[rows, second]
        confidence[free] = (1 / (1 + np.exp(-loss / temperature).sum(axis=1))) * known[free]

    found = likelihood[np.arange(n), reading]
    results = []
    start = 0
    for board, _ in pairs:
        part = slice(start, start + len(board.cells))
        held = found[part][reading[part] < tiles]
        results.append(
            Decoded(
                tiles=tuple(texts[c] for c in reading[part]),
                confidence=tuple(confidence[part].tolist()),
                runner_up=tuple(texts[c] if c >= 0 else "" for c in runner_up[part]),
                margin=tuple(margin[part].tolist()),
                log_likelihood=float(found[part].sum()),
                mean_log_likelihood=float(held.mean()) if held.size else 0.0,
            )
        )
        start += len(board.cells)
    return tuple(results)


def likelihoods(board: Board, evidence: Evidence) -> tuple[Floats, Floats]:
    """Return the (n, T + 2) log likelihoods of all readings, and the (n,) best sums of the heads over the tiles.

    The sum is what an empty or unread cell has to be given to compete with tiles: what lies on a cell is then decided
    by what was seen there, and not by how unsure the heads are which tile it is.
    """
    n = len(board.cells)
    if evidence.what.shape != (n, len(WHAT)):
        raise ValueError(f"{board.title} has {n} cells, but the evidence has the shape {evidence.what.shape}")
    what = np.maximum(evidence.what.astype(np.float64), WHAT_FLOOR)
    heads = np.zeros((n, len(board.tile_set.tiles)))
    for name, values in evidence.heads.items():
        labels = evidence.labels[name]
        if values.shape != (n, len(labels)):
            raise ValueError(f"head {name!r} has the shape {values.shape}, not {(n, len(labels))}")
        columns = _columns(board.tile_set, name, labels)
        if columns is not None:
            heads += np.maximum(values.astype(np.float64), HEAD_FLOOR)[:, columns]
    readings = np.hstack([what[:, :1] + heads, what[:, 1:]])
    readings[:, -1] -= UNREAD_PENALTY
    if evidence.marked is not None:
        readings[~evidence.marked, -1] -= UNMARKED_PENALTY
    return readings, heads.max(axis=1)


def _known(evidence: Evidence) -> Floats:
    """Return (n,) how sure it is that a cell shows a tile or a space, 1 where the locator saw a tile."""
    if evidence.marked is None:
        return np.ones(len(evidence.what))
    strange = np.exp(evidence.what[:, WHAT.index("other")].astype(np.float64))
    return np.where(evidence.marked, 1.0, 1.0 - strange)


def _columns(tile_set: TileSet, name: str, labels: Sequence[str]) -> Indices | None:
    """Return for each of the T tiles the column of its label in a head; None if the head says nothing about the set.

    A tile set without the attribute shows nothing there, which is the label ``""`` if the head has it.
    """
    at = {label: k for k, label in enumerate(labels)}
    if all(attribute.name != name for attribute in tile_set.attributes):
        return np.full(len(tile_set.tiles), at[""], dtype=np.intp) if "" in at else None
    missing = [label for label in tile_set.attribute(name).labels if label not in at]
    if missing:
        raise ValueError(f"head {name!r} lacks the labels {missing} of the tile set {tile_set.name!r}")
    return np.array([at[tile.get(name)] for tile in tile_set.tiles], dtype=np.intp)


def assign(table: Floats) -> Indices:
    """Return the (m,) columns with the greatest sum of ``table`` (m, T + 2); only the last two may repeat."""
    # of scipy's two solvers the one that is loaded in half the time; what is not stored in the matrix is forbidden
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    m, tiles = len(table), table.shape[1] - 2
    alone = table[:, tiles:].argmax(axis=1)
    rows = np.arange(m)
    cost = np.column_stack([-table[:, :tiles], -table[rows, tiles + alone]])
    cost += 1.0 - cost.min()  # a weight of zero would not count as stored
    columns = np.tile(np.arange(tiles + 1), (m, 1))
    columns[:, tiles] += rows
    graph = csr_matrix((cost.ravel(), columns.ravel(), np.arange(m + 1) * (tiles + 1)), shape=(m, tiles + m))
    best: Indices = min_weight_full_bipartite_matching(graph)[1].astype(np.intp)
    chosen: Indices = np.where(best < tiles, best, tiles + alone)
    return chosen


def losses(table: Floats, best: Indices) -> Floats:
    """Return how much worse the best legal board becomes if a cell holds a given reading: (m, T + 2), exact.

    A cell that takes another's tile sends that one on, until a cell takes the tile that the first one left. What
    nobody holds lies in a pool, which takes part like one more cell and takes any tile at no cost. So a change is a
    cycle, and the cheapest one with a given first step closes it by a shortest path (Floyd and Warshall; no cycle is
    negative, as the board is the best one).
    """
    m, tiles = len(table), table.shape[1] - 2
    rows, pool = np.arange(m), m
    step = table[rows, best][:, None] - table
    holds = np.flatnonzero(best < tiles)
    held = best[holds]

    nobody = step.copy()
    nobody[:, held] = np.inf
    nobody[rows, best] = np.inf
    path = np.full((m + 1, m + 1), np.inf)
    path[:m, holds] = step[:, held]
    path[:m, pool] = nobody.min(axis=1)
    path[pool, :m] = 0.0
    np.fill_diagonal(path, 0.0)
    for k in range(m + 1):
        np.minimum(path, path[:, k, None] + path[None, k], out=path)

    loss: Floats = step + path[pool, :m, None]
    loss[:, held] = step[:, held] + path[holds, :m].T
    loss[rows, best] = 0.0
    return np.maximum(loss, 0.0, out=loss)
