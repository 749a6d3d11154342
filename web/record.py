"""From a reading to the object that the database's lists are made of, and from such an object to a reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from boardsight.scoring.boards import BOARDS, Board, board_named
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.rules import Rules
from boardsight.tournament.jsonl import JsonObject, photo_object
from boardsight.tournament.outcome import assess
from boardsight.tournament.work import PHOTO, Settings
from boardsight.vision.reading import EMPTY, BoardReading, CellReading, Fault, Reading

HAND_GAMES: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "take-it-easy": ("Take It Easy!", ("easy",)),
        "take-it-higher": ("Take It Higher!", ("higher",)),
        "nexus": ("Take It to the Limit!, Nexus and Scrap Yard", ("nexus", "scrapyard")),
        "orchid": ("Take It to the Limit!, Orchid", ("orchid",)),
        "take-5": ("Take 5!", ()),
        "high-score": ("High Score", ()),
    }
)
"""What can be entered without a photo: its title and its boards."""


class NotThere(BoardsightError):
    """Something that is asked for and is not in the book."""


def settings_line() -> str:
    """Return how photos are read here, as the database names it."""
    return str(Settings())


def object_of(reading: Reading, rules: Rules) -> JsonObject:
    """Return the object of a reading as the database keeps it."""
    obj = photo_object(assess(replace(reading, photo=PHOTO), rules))
    obj.pop("photo", None)
    return obj


def reading_of(obj: Mapping[str, Any], name: str) -> Reading:
    """Return the reading that an object of the database is about; what the object does not have is left out."""
    error = obj.get("error")
    if error or not obj:
        fault = Fault(error["code"], str(error["message"]).replace(PHOTO, name)) if error else Fault("unread", "")
        return Reading(name, fault=fault)
    boards = tuple(_board(item) for item in obj.get("boards", ()))
    xs = [cell.centre[0] for board in boards for cell in board.cells]
    ys = [cell.centre[1] for board in boards for cell in board.cells]
    size = (round(max(xs, default=0) + 200), round(max(ys, default=0) + 200))
    warnings = tuple(str(text).replace(PHOTO, name) for text in obj.get("warnings", ()))
    return Reading(name, size, str(obj.get("game", "")), boards, warnings)


def _board(item: Mapping[str, Any]) -> BoardReading:
    board = board_named(item["board"], item.get("form", ""))
    cells = tuple(
        CellReading(
            cell["cell"],
            cell["tile"],
            float(cell["confidence"]),
            (float(cell["centre"][0]), float(cell["centre"][1])),
            runner_up=cell.get("runner_up", ""),
            certain=bool(cell.get("certain", True)),
        )
        for cell in item["cells"]
    )
    return BoardReading(board, cells, _homography(board, cells), bool(item.get("mirrored")))


def _homography(board: Board, cells: tuple[CellReading, ...]) -> tuple[float, ...]:
    """Return the homography from board coordinates to where the cells lie (direct linear transform)."""
    rows = []
    spots = np.array([cell.centre for cell in cells])
    middle, spread = spots.mean(0), max(float(spots.std()), 1e-9)
    for (x, y), (u, v) in zip(board.centres, (spots - middle) / spread, strict=True):
        rows.append([-x, -y, -1, 0, 0, 0, u * x, u * y, u])
        rows.append([0, 0, 0, -x, -y, -1, v * x, v * y, v])
    h = np.linalg.svd(np.array(rows))[2][-1].reshape(3, 3)
    h = np.array([[spread, 0, middle[0]], [0, spread, middle[1]], [0, 0, 1]]) @ h
    return tuple(float(value) for value in (h / h[2, 2]).ravel())


def blank(game: str) -> Reading:
    """Return the reading of an empty board of a game, as if it lay straight in a picture of its own.

    Raises NotThere where a name is neither a game nor a board.
    """
    names = {kind: boards for kind, (_, boards) in HAND_GAMES.items()}
    if game not in names:
        raise NotThere(f"{game!r} is no game that can be entered by hand")
    boards: list[BoardReading] = []
    left, height = 0.0, 0.0
    for name in names[game]:
        board = BOARDS[name]
        xs, ys = zip(*board.centres, strict=True)
        dx, dy = left + 110 - 100 * min(xs), 110 - 100 * min(ys)
        cells = tuple(
            CellReading(cell.name, EMPTY, 1.0, (dx + 100 * x, dy + 100 * y))
            for cell, (x, y) in zip(board.cells, board.centres, strict=True)
        )
        boards.append(BoardReading(board, cells, (100.0, 0.0, dx, 0.0, 100.0, dy, 0.0, 0.0, 1.0)))
        left += 100 * (max(xs) - min(xs)) + 160
        height = max(height, 100 * (max(ys) - min(ys)) + 220)
    of = BOARDS[names[game][0]].game if names[game] else game
    return Reading("entered by hand", (round(left + 60), round(height)), of, tuple(boards))
