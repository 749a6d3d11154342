"""Read boards again with some of their spaces set by hand.

A tile that is set by hand is gone for every other space, and the tile that was read there before is free again: so
one correction can mend others. Any tile of the set may be set, whether it was thought possible or not.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from boardsight.models import temperatures
from boardsight.scoring.errors import BoardsightError
from boardsight.vision.decode import Decoded, Evidence, assign, decode_together, likelihoods, losses
from boardsight.vision.reader import CERTAIN
from boardsight.vision.reading import EMPTY, UNREAD, BoardReading, CellReading

EXCHANGED = -3.0
"""Log prior that two spaces were taken for each other, where one of them was: one in twenty. What makes one tile look
like another makes the other look like the one."""

Fixed = Sequence[Mapping[str, str]]
"""For each board: name of a cell to the text of what lies there, a tile or ``--``."""


class CorrectionError(BoardsightError, ValueError):
    """Something set by hand that is no space or no tile of the board, or a tile set on two spaces."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may lie on a space."""

    text: str
    """A tile in the notation, or ``--``."""
    probability: float
    """How probable it is, 0 to 1, with everything else that was set by hand as it is."""
    elsewhere: str = ""
    """Name of the space that holds the tile now; empty if none does."""
    by_hand: bool = False
    """True where the tile was set on that space by hand."""


def correct(
    boards: Sequence[BoardReading], fixed: Fixed, *, taken: AbstractSet[str] = frozenset(), settled: bool = False
) -> tuple[BoardReading, ...]:
    """Return the boards of one player as they are read with some spaces set by hand.

    Spaces set by hand are certain. `taken` names tiles that lie elsewhere, in the reserve say. With `settled` the way
    the boards lie is certain too. Boards without evidence keep
    what they hold, but for a tile that was set elsewhere: what lies there instead is unread.

    Raises CorrectionError where a cell or tile does not exist, or a tile is set on two spaces.
    """
    _check(boards, fixed, taken)
    if not settled and not taken and not any(fixed):
        return tuple(boards)
    if any(board.evidence is None for board in boards):
        return _placed(boards, fixed, taken)
    decoded, weights = _decode(boards, fixed, taken)
    return tuple(
        _reading(board, result, part, weight, 1.0 if settled else board.way)
        for board, result, part, weight in zip(boards, decoded, fixed, weights, strict=True)
    )


def choices(
    boards: Sequence[BoardReading], fixed: Fixed, board: int, cell: str, *, taken: AbstractSet[str] = frozenset()
) -> tuple[Choice, ...]:
    """Return everything that may lie on a space, the most probable first: every tile of the set and ``--``.

    Tiles that are `taken` or set on another space by hand come last; setting them here takes them from there.

    Raises CorrectionError as `correct` does.
    """
    others = [{c: t for c, t in part.items() if (b, c) != (board, cell)} for b, part in enumerate(fixed)]
    _check(boards, others, taken)
    if not 0 <= board < len(boards) or cell not in boards[board].board.index:
        raise CorrectionError(f"there is no space {cell!r}")
    now = correct(boards, others, taken=taken)
    holds = {c.tile: c.cell for reading in now for c in reading.cells if c.tile not in (EMPTY, UNREAD)}
    holds |= dict.fromkeys(taken, "reserve")
    by_hand = {text for part in others for text in part.values()} | taken
    tiles = boards[board].board.tile_set.tiles
    texts = (*(tile.text for tile in tiles), EMPTY)
    chance = _chances(boards, others, board, cell, taken)
    here = next(c.tile for c in now[board].cells if c.cell == cell)
    found = [
        Choice(text, chance.get(text, 0.0), "" if text == here else holds.get(text, ""), text in by_hand)
        for text in texts
    ]
    return tuple(sorted(found, key=lambda c: (-c.probability, c.by_hand, c.text == EMPTY)))


# ---------------------------------------------------------------- reading again


def _check(boards: Sequence[BoardReading], fixed: Fixed, taken: AbstractSet[str]) -> None:
    if len(fixed) != len(boards):
        raise CorrectionError(f"{len(boards)} boards, but spaces set by hand for {len(fixed)}")
    seen: dict[str, str] = dict.fromkeys(taken, "the reserve")
    for reading, part in zip(boards, fixed, strict=True):
        for cell, text in part.items():
            if cell not in reading.board.index:
                raise CorrectionError(f"{reading.board.title} has no space {cell!r}")
            if text == EMPTY:
                continue
            if text not in reading.board.tile_set.by_text:
                raise CorrectionError(f"{text!r} is no tile of {reading.board.title}")
            where = f"{reading.board.title} {cell}"
            if text in seen:
                raise CorrectionError(f"tile {text} is set on {seen[text]} and on {where}")
            seen[text] = where


def _pairs(boards: Sequence[BoardReading]) -> list[tuple[int, BoardReading, Evidence]]:
    return [(i, board, board.evidence) for i, board in enumerate(boards) if board.evidence is not None]


def _run(
    boards: Sequence[BoardReading], seen: Sequence[Evidence], fixed: Fixed, taken: AbstractSet[str]
) -> tuple[Decoded, ...]:
    by_index = [
        {reading.board.index[c]: t for c, t in part.items()} for reading, part in zip(boards, fixed, strict=True)
    ]
    pairs = [(reading.board, one) for reading, one in zip(boards, seen, strict=True)]
    return decode_together(pairs, fixed=by_index, temperature=temperatures()["tiles"], taken=taken)


def _decode(
    boards: Sequence[BoardReading], fixed: Fixed, taken: AbstractSet[str]
) -> tuple[tuple[Decoded, ...], list[dict[str, float]]]:
    """Return the most probable boards, and how sure an exchange of two spaces is, by the cell's name."""
    seen = [one for _, _, one in _pairs(boards)]
    best = _run(boards, seen, fixed, taken)
    weights: list[dict[str, float]] = [{} for _ in boards]
    holds = {c.tile: (b, c.cell) for b, reading in enumerate(boards) for c in reading.cells}
    for b, part in enumerate(fixed):
        for cell, text in part.items():
            other = holds.get(text)
            if text == EMPTY or other is None or other == (b, cell) or other[1] in fixed[other[0]]:
                continue
            i, j = boards[b].board.index[cell], boards[other[0]].board.index[other[1]]
            swapped = _exchanged(seen, (b, i), (other[0], j))
            rival = _run(boards, swapped, fixed, taken)
            gain = EXCHANGED + sum(d.log_likelihood for d in rival) - sum(d.log_likelihood for d in best)
            if gain > 0:
                seen, best = swapped, rival
                weights[other[0]][other[1]] = 1 / (1 + math.exp(-min(gain / temperatures()["tiles"], 50.0)))
    return best, weights


def _exchanged(seen: Sequence[Evidence], first: tuple[int, int], second: tuple[int, int]) -> list[Evidence]:
    """Return evidence in which two spaces, each a board and an index, have changed places."""
    result = [Evidence(e.what.copy(), {n: rows.copy() for n, rows in e.heads.items()}, e.labels) for e in seen]
    for (b, i), (o, j) in ((first, second), (second, first)):
        result[b].what[i] = seen[o].what[j]
        for name, rows in result[b].heads.items():
            rows[i] = seen[o].heads[name][j]
    return result


def _reading(
    board: BoardReading, decoded: Decoded, fixed: Mapping[str, str], weights: Mapping[str, float], way: float
) -> BoardReading:
    cells = []
    for i, cell in enumerate(board.cells):
        if cell.cell in fixed:
            cells.append(replace(cell, tile=fixed[cell.cell], confidence=1.0, runner_up="", certain=True))
            continue
        tile = decoded.tiles[i]
        confidence = round(decoded.confidence[i] * way * weights.get(cell.cell, 1.0), 6)
        certain = confidence >= CERTAIN and tile != UNREAD
        cells.append(replace(cell, tile=tile, confidence=confidence, runner_up=decoded.runner_up[i], certain=certain))
    return replace(board, cells=tuple(cells), way=way)


def _placed(boards: Sequence[BoardReading], fixed: Fixed, taken: AbstractSet[str]) -> tuple[BoardReading, ...]:
    """Return boards with tiles laid on them by hand, where nothing was seen that could be read again."""
    gone = {text for part in fixed for text in part.values()} - {EMPTY} | taken

    def cell_of(cell: CellReading, part: Mapping[str, str]) -> CellReading:
        if cell.cell in part:
            return replace(cell, tile=part[cell.cell], confidence=1.0, runner_up="", certain=True)
        if cell.tile in gone:
            return replace(cell, tile=UNREAD, confidence=0.0, runner_up="", certain=False)
        return cell

    return tuple(
        replace(reading, cells=tuple(cell_of(cell, part) for cell in reading.cells))
        for reading, part in zip(boards, fixed, strict=True)
    )


def _chances(
    boards: Sequence[BoardReading], fixed: Fixed, board: int, cell: str, taken: AbstractSet[str]
) -> dict[str, float]:
    """Return how probable each reading of a space is: the weight of the best legal boards that have it."""
    pairs = _pairs(boards)
    if len(pairs) != len(boards):
        return {}
    tables = [likelihoods(reading.board, one) for _, reading, one in pairs]
    score = np.concatenate([table for table, _ in tables])
    score[:, -2:] += np.concatenate([level for _, level in tables])[:, None]
    texts = [*(tile.text for tile in boards[board].board.tile_set.tiles), EMPTY, UNREAD]
    gone = {text for part in fixed for text in part.values()} - {EMPTY} | taken
    columns = [k for k, text in enumerate(texts) if text not in gone]
    names = [(b, c.name) for b, reading, _ in pairs for c in reading.board.cells]
    free = [i for i, (b, name) in enumerate(names) if name not in fixed[b]]
    table = score[np.ix_(free, columns)]
    loss = losses(table, assign(table))[free.index(names.index((board, cell)))]
    weight = np.exp(-loss / temperatures()["tiles"])
    weight /= weight.sum()
    return {texts[k]: float(w) for k, w in zip(columns, weight, strict=True) if texts[k] != UNREAD}


# ---------------------------------------------------------------- keeping the evidence


def pack(boards: Sequence[BoardReading]) -> bytes:
    """Return the evidence of boards as the bytes of an .npz file; boards without evidence are left out."""
    arrays: dict[str, NDArray[np.generic]] = {}
    labels: dict[str, dict[str, tuple[str, ...]]] = {}
    for i, _, one in _pairs(boards):
        arrays[f"{i}.what"] = one.what.astype(np.float32)
        for name, rows in one.heads.items():
            arrays[f"{i}.head.{name}"] = rows.astype(np.float32)
        labels[str(i)] = dict(one.labels)
    arrays["labels"] = np.frombuffer(json.dumps(labels).encode(), np.uint8)
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()


def unpack(data: bytes, boards: Sequence[BoardReading]) -> tuple[BoardReading, ...]:
    """Return boards with the evidence that `pack` made of them.

    Raises CorrectionError where the bytes are not such evidence.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            labels = json.loads(arrays["labels"].tobytes())
            return tuple(
                replace(board, evidence=_one(arrays, str(i), labels[str(i)])) if str(i) in labels else board
                for i, board in enumerate(boards)
            )
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise CorrectionError("the evidence of a reading is damaged") from error


def _one(arrays: Mapping[str, NDArray[np.float32]], number: str, labels: Mapping[str, Sequence[str]]) -> Evidence:
    heads = {name: np.asarray(arrays[f"{number}.head.{name}"], np.float32) for name in labels}
    return Evidence(
        np.asarray(arrays[f"{number}.what"], np.float32), heads, {name: tuple(texts) for name, texts in labels.items()}
    )
