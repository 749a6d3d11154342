"""A reader that says what the test wants, and photos for it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from boardsight.scoring.notation import parse_state
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score
from boardsight.tournament.batch import DATABASE, Batch, Step, Summary
from boardsight.tournament.store import Store
from boardsight.tournament.work import Job, JsonObject, Result, Settings, content_of, failure

EASY = (
    "9-2-3 9-6-8 9-6-4 / 1-2-8 1-6-3 1-7-8 1-2-4 / 1-2-3 1-6-8 5-6-3 5-7-8 1-7-4 / "
    "9-6-3 9-2-8 9-7-3 9-7-8 / 5-2-3 5-6-8 5-7-3"
)
"""A full board of Take It Easy! that scores 233."""


def board_object(
    line: str, game: str = "take-it-easy", doubts: Mapping[str, tuple[float, str]] | None = None
) -> JsonObject:
    """Return the object of a photo of one player's boards, given as notation; doubts by cell: confidence, runner-up."""
    state = parse_state(line, game)
    doubts = doubts or {}
    boards = []
    for position in state.positions:
        cells = []
        for cell, tile in zip(position.board.cells, str(position).replace("/", " ").split(), strict=True):
            confidence, runner_up = doubts.get(cell.name, (0.9999, ""))
            item: JsonObject = {
                "cell": cell.name,
                "tile": tile,
                "confidence": confidence,
                "centre": [0.0, 0.0],
                "certain": cell.name not in doubts,
            }
            if runner_up:
                item["runner_up"] = runner_up
            cells.append(item)
        certain = all(cell["certain"] for cell in cells)
        boards.append({"board": position.board.name, "notation": str(position), "certain": certain, "cells": cells})
    return {
        "game": game,
        "boards": boards,
        "sheet": score(state, Rules()).to_json(),
        "certain": not doubts,
        "warnings": [],
    }


def photo_bytes(obj: JsonObject, salt: str = "") -> bytes:
    """Return the "photo" that the fake reader reads as an object."""
    return b"\xff\xd8" + json.dumps({"says": obj, "salt": salt}).encode()


class FakeReaders:
    """Reads what the bytes say, and counts."""

    remote = False

    def __init__(self, slots: int = 2, seconds: float = 0.0) -> None:
        self.slots = slots
        self.seconds = seconds
        self.jobs: list[Job] = []
        self.closed = 0
        self._lock = threading.Lock()

    def read(self, job: Job) -> Result:
        """Return what the photo says; one that says nothing is an error."""
        time.sleep(self.seconds)
        with self._lock:
            self.jobs.append(job)
        content = content_of(job.data)
        try:
            obj = json.loads(job.data[2:])["says"]
        except ValueError:
            return Result(failure("no-board", "'{photo}' shows no board; take it from above"), content=content)
        return Result(obj, b"a picture" if "boards" in obj and job.picture else b"", content, 0.1)

    def close(self) -> None:
        """Count."""
        self.closed += 1


def run(
    out: Path,
    *sources: object,
    readers: FakeReaders | None = None,
    settings: Settings | None = None,
    pictures: bool = True,
    retry: bool = False,
    steps: list[Step] | None = None,
) -> Summary:
    """Run a batch with the fake reader."""
    with Store.open(out / DATABASE) as store:
        batch = Batch(store, out, readers or FakeReaders(), settings or Settings(), pictures=pictures, retry=retry)
        return batch.run([str(s) for s in sources], lambda step, total: None if steps is None else steps.append(step))


def objects(out: Path) -> dict[str, JsonObject]:
    """Return the lines of ``results.jsonl`` by photo."""
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {str(obj["photo"]): obj for obj in map(json.loads, lines)}
