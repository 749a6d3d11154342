"""What is right about a photo, and how a reading compares with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boardsight.vision.reading import BoardReading, Reading


@dataclass(frozen=True)
class TrueBoard:
    """A board of a photo as it is."""

    name: str
    tiles: tuple[str, ...]
    """In notation order."""
    centres: NDArray[np.float64] | None = field(default=None, compare=False)
    """Cells x 2, centres in pixels of the upright photo; None where they are not known."""
    reserve: frozenset[str] | None = None
    """The loose tiles that belong to the board; None where the answer does not say."""
    ships: tuple[tuple[str, str], ...] = ()
    """Each spaceship on a tile and its cell."""
    ring: int | None = None
    """Button that the ring rests on; None where there is none."""

    @property
    def pieces(self) -> int:
        """Return how many ships and rings there are to read."""
        return len(self.ships) + (self.ring is not None)


@dataclass(frozen=True)
class Truth:
    """The right answer of a photo."""

    photo: Path
    game: str
    """``none`` where nothing may be read."""
    boards: tuple[TrueBoard, ...] = ()
    group: str = ""


def load_truth(path: Path, photos: Path) -> Truth:
    """Return the answer in a JSON file; the photo that it speaks of lies in `photos`."""
    data = json.loads(path.read_text("utf-8"))
    boards = []
    for board in data.get("boards", ()):
        centres = board.get("corners_px")
        tiles = tuple(board["notation"].replace(" / ", " ").split())
        reserve = frozenset(data["reserve"]) if board["board"] == "orchid" and "reserve" in data else None
        at = None if centres is None else np.array(centres, float)
        there = board["board"] == "higher"
        ships = [(s, cell) for cell, some in data.get("ships", {}).items() for s in some] if there else []
        ring = data.get("ring") if there else None
        boards.append(TrueBoard(board["board"], tiles, at, reserve, tuple(sorted(ships)), ring))
    return Truth(photos / data["photo"], data["game"], tuple(boards), data.get("group", ""))


@dataclass(frozen=True)
class Count:
    """How readings compare with the truth; counts of several photos add up."""

    photos: int = 0
    boards: int = 0
    """Boards that there are; for a photo with none, the photo itself."""
    exact: int = 0
    """Boards read without a mistake, ships and ring included, and photos without a board in which none was read."""
    tiles: int = 0
    wrong: int = 0
    """Tiles read wrong, those of boards that are not there included."""
    refused: int = 0
    """Boards that were not read."""
    silent: int = 0
    """Tiles, and boards for their ships, that were called certain and are wrong."""
    doubts: int = 0
    """Tiles that are right and were not called certain."""
    pieces: int = 0
    """Ships on tiles and rings that there are."""
    astray: int = 0
    """Ships and rings that are not read, read elsewhere, or read and not there."""
    faults: tuple[str, ...] = ()
    """One line for each photo that was not read as it should be."""

    def __add__(self, other: Count) -> Count:
        return Count(
            self.photos + other.photos,
            self.boards + other.boards,
            self.exact + other.exact,
            self.tiles + other.tiles,
            self.wrong + other.wrong,
            self.refused + other.refused,
            self.silent + other.silent,
            self.doubts + other.doubts,
            self.pieces + other.pieces,
            self.astray + other.astray,
            self.faults + other.faults,
        )


def _distance(true: TrueBoard, read: BoardReading, matrix: NDArray[np.float64]) -> float:
    """Return how far a board that was read is from a true one: 0 is the same, from 1 on they have nothing in common."""
    if true.name != read.board.name or len(true.tiles) != len(read.cells):
        return 2.0
    if true.centres is not None:
        moved = true.centres @ matrix[:, :2].T + matrix[:, 2]
        found = np.array([cell.centre for cell in read.cells])
        span = float(np.ptp(moved, axis=0).max())
        return float(np.hypot(*(found.mean(axis=0) - moved.mean(axis=0)))) / max(1.0, span)
    return sum(a != b.tile for a, b in zip(true.tiles, read.cells, strict=True)) / len(true.tiles)


def _pair(
    truth: Sequence[TrueBoard], read: Sequence[BoardReading], matrix: NDArray[np.float64]
) -> tuple[list[tuple[TrueBoard, BoardReading]], list[TrueBoard], list[BoardReading]]:
    """Return which board is which, the boards that were not read, and those that are not there."""
    left, free = list(truth), list(read)
    pairs = []
    while left and free:
        best = min(((t, r) for t in left for r in free), key=lambda tr: _distance(tr[0], tr[1], matrix))
        if _distance(*best, matrix) >= 1.0:
            break
        pairs.append(best)
        left = [t for t in left if t is not best[0]]
        free = [r for r in free if r is not best[1]]
    return pairs, left, free


def compare(truth: Truth, reading: Reading, matrix: NDArray[np.float64] | None = None) -> Count:
    """Return how a reading compares with the truth; `matrix` (2 x 3) says where the photo's pixels went."""
    where = np.eye(2, 3) if matrix is None else matrix
    name = truth.photo.name
    phantom = [cell for board in reading.boards for cell in board.cells]
    if not truth.boards:
        silent = sum(cell.certain for cell in phantom)
        code = reading.fault.code if reading.fault else "read"
        good = not phantom and code == "no-board"
        faults = () if good else (f"{name}: {code} instead of no-board",)
        return Count(1, 1, int(good), 0, len(phantom), 0, silent, faults=faults)
    pairs, missing, extra = _pair(truth.boards, reading.boards, where)
    tiles = sum(len(board.tiles) + len(board.reserve or ()) for board in truth.boards)
    pieces = sum(board.pieces for board in truth.boards)
    total = Count(1, len(truth.boards), tiles=tiles, refused=len(missing), pieces=pieces)
    if missing:
        code = reading.fault.code if reading.fault else "not found"
        total += Count(faults=(f"{name}: {', '.join(board.name for board in missing)} {code}",))
    for board in extra:
        silent = sum(cell.certain for cell in board.cells)
        total += Count(wrong=len(board.cells), silent=silent, faults=(f"{name}: {board.board.name} is not there",))
    for true, board in pairs:
        bad = [(t, c) for t, c in zip(true.tiles, board.cells, strict=True) if t != c.tile]
        silent = sum(c.certain for _, c in bad)
        doubts = sum(not cell.certain for cell in board.cells) - (len(bad) - silent)
        texts = [f"{c.cell} {t} read as {c.tile}{'' if c.certain else ' ?'}" for t, c in bad]
        if true.reserve is not None:
            loose = {cell.tile: cell for cell in board.reserve}
            phantom = [cell for tile, cell in loose.items() if tile not in true.reserve]
            texts += [f"{cell.tile} read in the reserve{'' if cell.certain else ' ?'}" for cell in phantom]
            texts += [f"{tile} of the reserve not read" for tile in sorted(true.reserve - loose.keys())]
            doubts += sum(not cell.certain for cell in board.reserve if cell not in phantom)
            silent += sum(cell.certain for cell in phantom)
        wrong = len(texts)
        lost = astray(true, board)
        # a board whose ships are not read says nothing about them
        silent += bool(lost) and board.fleet is not None and board.fleet.certain
        texts += lost
        faults = (f"{name}: {true.name} {'; '.join(texts)}",) if texts else ()
        total += Count(exact=int(not texts), wrong=wrong, silent=silent, doubts=doubts, astray=len(lost), faults=faults)
    return total


def astray(true: TrueBoard, board: BoardReading) -> list[str]:
    """Return what is wrong with the ships and the ring of a board, a text each."""
    fleet = board.fleet
    read = {ship: cell for cell, some in fleet.on_tiles for ship in some} if fleet is not None else {}
    right = dict(true.ships)
    texts = [
        f"{ship} ship {right.get(ship, 'nowhere')} read {read.get(ship, 'nowhere')}"
        for ship in sorted({*right, *read})
        if right.get(ship) != read.get(ship)
    ]
    ring = fleet.ring if fleet is not None else None
    return texts if ring == true.ring else [*texts, f"ring {true.ring} read {ring}"]
