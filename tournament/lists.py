"""The lists beside the database: ``results.jsonl`` and ``results.csv``, made from it."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from boardsight.tournament.jsonl import dumps, error_object
from boardsight.tournament.pictures import write_whole
from boardsight.tournament.store import Store
from boardsight.tournament.texts import csv_text, printable
from boardsight.tournament.work import PHOTO, JsonObject
from boardsight.vision.files import quoted

COLUMNS = ("photo", "game", "player", "boards", "total", "certain", "doubts", "error", "message")
"""Of ``results.csv``: one line a photo, or a player where a photo shows several."""


def named(obj: JsonObject, name: str) -> JsonObject:
    """Return a stored object as the object of the photo of that name."""
    error = obj.get("error")
    if isinstance(error, dict):
        message = str(error["message"]).replace(f"'{PHOTO}'", quoted(name)).replace(PHOTO, printable(name, 80))
        rest = {key: value for key, value in obj.items() if key not in ("error", "bounds")}
        return {**error_object("photo", name, str(error["code"]), message), **rest}
    return {"photo": name, **obj}


def photo_objects(store: Store) -> Iterator[JsonObject]:
    """Yield the object of every photo, sorted by name; photos that share a name go by their address."""
    rows = store.photos()
    often = Counter(row.name for row in rows)
    for row in rows:
        name = row.name if often[row.name] == 1 else row.address
        if row.fault is not None:
            yield error_object("photo", name, *row.fault)
        elif row.key is not None and (obj := store.reading(row.key)) is not None:
            yield named(obj, name)


def boards_by_player(obj: JsonObject) -> tuple[tuple[JsonObject, ...], ...]:
    """Return the boards of a photo's object player by player; none where it was not read."""
    boards = obj.get("boards")
    found: dict[int, list[JsonObject]] = {}
    for board in boards if isinstance(boards, list) else ():
        found.setdefault(int(board.get("player", 1)), []).append(board)
    return tuple(tuple(found[number]) for number in sorted(found))


def sheet_of(obj: JsonObject, boards: Sequence[JsonObject]) -> Mapping[str, object]:
    """Return the sheet of one player's boards in a photo's object."""
    sheet = obj.get("sheet") or next((board["sheet"] for board in boards if "sheet" in board), None)
    return sheet if isinstance(sheet, dict) else {}


def _lines(obj: JsonObject) -> Iterator[dict[str, object]]:
    line: dict[str, object] = {"photo": csv_text(str(obj["photo"])), "game": obj.get("game", "")}
    error = obj.get("error")
    if isinstance(error, dict):
        yield {**line, "error": error["code"], "message": csv_text(str(error["message"]))}
        return
    for number, boards in enumerate(boards_by_player(obj) or ((),), start=1):
        doubts = [str(cell["cell"]) for board in boards for cell in _items(board, "cells") if not cell["certain"]]
        doubts += [str(piece["text"]) for piece in _items(obj, "pieces") if not piece["certain"]]
        yield {
            **line,
            "player": number,
            "boards": " ".join(str(board["board"]) for board in boards),
            "total": sheet_of(obj, boards).get("total", ""),
            "certain": "no" if doubts else "yes",
            "doubts": csv_text(" ".join(doubts)),
        }


def _items(obj: JsonObject, name: str) -> list[JsonObject]:
    items = obj.get(name)
    return items if isinstance(items, list) else []


def csv_file(columns: Sequence[str], lines: Iterator[Mapping[str, object]]) -> bytes:
    """Return a CSV file with a header, in UTF-8."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue().encode()


def write_lists(store: Store, folder: Path) -> None:
    """Write both lists of a database into a folder, each whole or not at all.

    Raises WriteError where one cannot be written.
    """
    objects = list(photo_objects(store))
    write_whole(folder / "results.jsonl", "".join(f"{dumps(obj)}\n" for obj in objects).encode())
    write_whole(folder / "results.csv", csv_file(COLUMNS, (line for obj in objects for line in _lines(obj))))


def parsed(text: str) -> JsonObject:
    """Return the object of one line of ``results.jsonl``."""
    return dict(json.loads(text))
