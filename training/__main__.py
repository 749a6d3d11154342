"""Train the networks from nothing: draw scenes, train, write the networks as ONNX files, make confidences honest.

``python -m boardsight.training [--scenes N] [--minutes M] [--only NAME] [--data DIR] [--models DIR]``; at most an
hour and a half a network on two cores, about six hours in all.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from boardsight.training import dataset, pieces, windows

SCENES = 5200
"""Scenes of boards that are drawn to learn from."""
WITH_SHIPS = 2400
"""Boards with ships that are drawn to learn from."""
NETWORKS: Mapping[str, float] = MappingProxyType(
    {"marks": 34.0, "tiles": 34.0, "turn": 16.0, "fleet": 90.0, "pad": 10.0}
)
"""Minutes of training each of the boards' networks."""
MINUTES = sum(NETWORKS.values())
OWN = Path(str(files("boardsight.models").joinpath("manifest.json"))).parent
"""The package's own models; only these are calibrated, for the reader reads with them."""
DRAWERS = 2
"""Processes that draw; each draws scenes of its own."""
BOARDS = "boards"


@dataclass(frozen=True, slots=True)
class Lesson:
    """How much is drawn and how long is trained for one kind of loose pieces."""

    scenes: int
    marks: float
    """Minutes of training the locator."""
    reads: float
    """Minutes of training the classifier."""


LESSONS: Mapping[str, Lesson] = MappingProxyType({"dice": Lesson(4800, 28.0, 22.0), "cards": Lesson(2800, 26.0, 56.0)})
"""The kinds of loose pieces that are trained."""


def _shards(folder: Path, scenes: int, seed: int) -> None:
    dataset.main(str(folder), "train", scenes, seed)


def _windows(folder: Path, scenes: int, seed: int) -> None:
    windows.main(str(folder), "train", scenes, seed)


def _piece_shards(name: str, folder: Path, scenes: int, seed: int) -> None:
    pieces.draw_shards(name, folder, scenes, seed)


def draw(target: Callable[..., None], given: tuple[object, ...], folder: Path, scenes: int) -> None:
    """Draw at least ``scenes`` training scenes into ``folder``, ``DRAWERS`` processes at a time."""
    if any(folder.glob("*.npz")):
        raise SystemExit(f"{folder} already holds scenes: give another --data or remove them")
    context = multiprocessing.get_context("spawn")
    each = -(-scenes // DRAWERS)
    jobs = [context.Process(target=target, args=(*given, folder, each, seed)) for seed in range(DRAWERS)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
        if job.exitcode:
            raise SystemExit(f"drawing scenes failed with exit status {job.exitcode}")


def boards(data: Path, models: Path, scenes: int, minutes: float) -> None:
    """Train what reads boards."""
    shards, weights = data / "shards", data / "weights"
    draw(_shards, (), shards, scenes)
    draw(_windows, (), shards / "fleet", max(2, scenes * WITH_SHIPS // SCENES))
    from boardsight.training import calibrate, calibrate_fleet, export, train

    for name, own in NETWORKS.items():
        pictures = shards / "fleet" if name in ("fleet", "pad") else shards
        train.main(str(pictures), name, own * minutes / MINUTES, str(weights))
    export.main(str(weights), str(models), str(shards))
    if models == OWN:
        calibrate.main([])
        calibrate_fleet.main([])


def loose(name: str, data: Path, models: Path, share: float) -> None:
    """Train what reads one kind of loose pieces; ``share`` is how much of its lesson."""
    from boardsight.training import validate_pieces

    lesson = LESSONS[name]
    shards, weights = data / name, data / "weights"
    draw(_piece_shards, (name,), shards, max(2, round(lesson.scenes * share)))
    for what, minutes, known in (("marks", lesson.marks, "marks.pt"), ("reads", lesson.reads, "tiles.pt")):
        start = weights / known
        pieces.train(name, what, shards, minutes * share, weights, DRAWERS, start if start.exists() else None)
    pieces.export(name, weights, models, shards)
    if models == OWN:
        validate_pieces.main([name, "--calibrate", "--scenes", "200", "--jobs", str(DRAWERS)])


def main(arguments: list[str] | None = None) -> None:
    """Do everything, one step after the other."""
    parser = argparse.ArgumentParser(prog="python -m boardsight.training", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenes", type=int, default=SCENES, help="scenes of boards to draw (default %(default)s)")
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, help="minutes to train the boards' networks (default %(default)s)"
    )
    parser.add_argument(
        "--share", type=float, default=1.0, help="how much of the lessons of loose pieces (default all)"
    )
    parser.add_argument("--only", choices=(BOARDS, *LESSONS), help="train only these")
    parser.add_argument("--data", type=Path, default=Path("out/training"), help="folder for scenes and weights")
    parser.add_argument("--models", type=Path, help="folder for the ONNX files (default: the package's own)")
    given = parser.parse_args(arguments)
    models = given.models or OWN
    models.mkdir(parents=True, exist_ok=True)
    if given.only in (None, BOARDS):
        boards(given.data, models, given.scenes, given.minutes)
    for name in LESSONS:
        if given.only in (None, name):
            loose(name, given.data, models, given.share)


if __name__ == "__main__":
    main()
