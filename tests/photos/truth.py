"""What is right about a photo, and how a reading compares with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boardsight.scoring.take5 import heads, is_special
from boardsight.vision.reading import BoardReading, PieceReading, Reading


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
class TruePieces:
    """The loose pieces of a photo as they are."""

    kind: str
    """``die`` or ``card``."""
    texts: tuple[str, ...]
    """As `says` has them: a card with its colour and heads."""
    centres: NDArray[np.float64] | None = field(default=None, compare=False)
    """Pieces x 2, in pixels of the upright photo; None where they are not known."""


@dataclass(frozen=True)
class Truth:
    """The right answer of a photo."""

    photo: Path
    game: str
    """``none`` where nothing may be read."""
    boards: tuple[TrueBoard, ...] = ()
    group: str = ""
    pieces: TruePieces | None = None


PIECES = {"dice": "die", "cards": "card"}
"""Where a JSON file names loose pieces, and what each is called in a reading."""


def _heads(card: str) -> tuple[str, ...]:
    """Return colour and number of the heads that a card of the photos has: those of the table of numbers."""
    if is_special(card):
        return ()
    colour, count = heads(card)
    return colour, str(count)


def says(piece: PieceReading) -> str:
    """Return what a loose piece reads, a card with its colour and heads."""
    return " ".join((piece.text, *(value for _, value in piece.shows)))


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
    pieces = None
    for key, kind in PIECES.items():
        if key in data:
            centres = data.get(f"{key}_px")
            texts = tuple(" ".join((text, *_heads(text))) if kind == "card" else text for text in data[key])
            pieces = TruePieces(kind, texts, None if centres is None else np.array(centres, float))
    return Truth(photos / data["photo"], data["game"], tuple(boards), data.get("group", ""), pieces)


@dataclass(frozen=True)
class Count:
    """How readings compare with the truth; counts of several photos add up."""

    photos: int = 0
    boards: int = 0
    """Boards that there are, and throws of dice; for a photo with none, the photo itself."""
    exact: int = 0
    """Boards and throws read without a mistake, ships and ring too, and photos without any in which none was read."""
    tiles: int = 0
    """Tiles, and loose pieces."""
    wrong: int = 0
    """Tiles and pieces read wrong, those that are not there included."""
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


def _compare_pieces(name: str, true: TruePieces, reading: Reading, matrix: NDArray[np.float64]) -> Count:
    """Return how loose pieces compare: each true one with what was read nearest, or, without places, with its like."""
    n = len(true.texts)
    read = [piece for piece in reading.pieces if piece.kind == true.kind]
    if not read:
        code = reading.fault.code if reading.fault else "not found"
        silent = sum(cell.certain for board in reading.boards for cell in board.cells)
        return Count(1, 1, 0, n, refused=1, silent=silent, faults=(f"{name}: {code}",))
    left = list(read)
    faults: list[str] = []
    silent = right = doubts = 0
    for i, text in enumerate(true.texts):
        like = [piece for piece in left if says(piece) == text]
        if true.centres is not None:
            x, y = matrix[:, :2] @ true.centres[i] + matrix[:, 2]
            near = min(left, key=lambda p: (p.centre[0] - x) ** 2 + (p.centre[1] - y) ** 2, default=None)
            like = [near] if near is not None and _covers(near, float(x), float(y)) else []
        if not like:
            faults.append(f"{text} missed")
            continue
        piece = like[0]
        left = [other for other in left if other is not piece]
        if says(piece) == text:
            right += 1
            doubts += not piece.certain
        else:
            silent += piece.certain
            faults.append(f"{text} read as {says(piece)}{'' if piece.certain else ' ?'}")
    silent += sum(piece.certain for piece in left)
    faults += [f"{says(piece)} is not there" for piece in left]
    exact = right == n and not left
    said = (f"{name}: {'; '.join(faults)}",) if faults else ()
    wrong = n - right + len(left)
    return Count(1, 1, int(exact), n, wrong, silent=silent, doubts=doubts, faults=said)


def _covers(piece: PieceReading, x: float, y: float) -> bool:
    """Return True where a place lies within reach of a piece: the longer side of its outline."""
    corners = np.array(piece.outline)
    reach = float(np.hypot(*(corners - np.roll(corners, 1, 0)).T).max()) if len(corners) else 0.0
    return bool(np.hypot(piece.centre[0] - x, piece.centre[1] - y) <= reach)


def compare(truth: Truth, reading: Reading, matrix: NDArray[np.float64] | None = None) -> Count:
    """Return how a reading compares with the truth; `matrix` (2 x 3) says where the photo's pixels went."""
    where = np.eye(2, 3) if matrix is None else matrix
    name = truth.photo.name
    if truth.pieces is not None:
        return _compare_pieces(name, truth.pieces, reading, where)
    if not truth.boards:
        made_up = [cell.certain for board in reading.boards for cell in board.cells]
        made_up += [piece.certain for piece in reading.pieces]
        code = reading.fault.code if reading.fault else "read"
        good = not made_up and code == "no-board"
        faults = () if good else (f"{name}: {code} instead of no-board",)
        return Count(1, 1, int(good), 0, len(made_up), 0, sum(made_up), faults=faults)
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
            ghosts = [cell for tile, cell in loose.items() if tile not in true.reserve]
            texts += [f"{cell.tile} read in the reserve{'' if cell.certain else ' ?'}" for cell in ghosts]
            texts += [f"{tile} of the reserve not read" for tile in sorted(true.reserve - loose.keys())]
            doubts += sum(not cell.certain for cell in board.reserve if cell not in ghosts)
            silent += sum(cell.certain for cell in ghosts)
        wrong = len(texts)
        lost = astray(true, board)
        # a board none of whose ships are read says nothing about them
        said = [text for text in lost if not text.endswith(NOWHERE) or board.fleet is None or board.fleet.ships]
        silent += bool(said) and board.fleet is not None and board.fleet.certain
        texts += lost
        faults = (f"{name}: {true.name} {'; '.join(texts)}",) if texts else ()
        total += Count(exact=int(not texts), wrong=wrong, silent=silent, doubts=doubts, astray=len(lost), faults=faults)
    return total


NOWHERE = "read nowhere"
"""Ends what is said of a ship that was not read."""


def astray(true: TrueBoard, board: BoardReading) -> list[str]:
    """Return what is wrong with the ships and the ring of a board, a text each."""
    fleet = board.fleet
    read = {ship: cell for cell, some in fleet.on_tiles for ship in some} if fleet is not None else {}
    right = dict(true.ships)
    texts = [
        f"{ship} ship {right.get(ship, 'nowhere')} {f'read {read[ship]}' if ship in read else NOWHERE}"
        for ship in sorted({*right, *read})
        if right.get(ship) != read.get(ship)
    ]
    ring = fleet.ring if fleet is not None else None
    return texts if ring == true.ring else [*texts, f"ring {true.ring} read {ring}"]
