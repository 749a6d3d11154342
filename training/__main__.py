"""Train the networks from nothing: draw scenes, train the four networks, write them as ONNX files.

``python -m boardsight.training [--scenes N] [--minutes M] [--data DIR] [--models DIR]``; under two hours on two cores.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from boardsight.training import dataset, windows

SCENES = 4000
"""Scenes that are drawn to learn from."""
BOARDS = 2400
"""Boards with ships that are drawn to learn from."""
MINUTES = 86.0
"""Minutes of training, all networks together."""
SHARES = {"marks": 26 / 86, "tiles": 26 / 86, "turn": 14 / 86, "fleet": 20 / 86}
"""Each network's share of the time."""
OWN = Path(str(files("boardsight.models").joinpath("manifest.json"))).parent
"""The package's own models; only these are calibrated, for the reader reads with them."""
DRAWERS = 2
"""Processes that draw; each draws scenes of its own."""


def draw(what: Callable[[str, str, int, int], None], folder: Path, scenes: int) -> None:
    """Let ``what`` draw at least ``scenes`` training scenes into ``folder``, ``DRAWERS`` processes at a time."""
    context = multiprocessing.get_context("spawn")
    each = -(-scenes // DRAWERS)
    jobs = [context.Process(target=what, args=(str(folder), "train", each, seed)) for seed in range(DRAWERS)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
        if job.exitcode:
            raise SystemExit(f"drawing scenes failed with exit status {job.exitcode}")


def main(arguments: list[str] | None = None) -> None:
    """Do everything, one step after the other."""
    parser = argparse.ArgumentParser(prog="python -m boardsight.training", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenes", type=int, default=SCENES, help="scenes to draw (default %(default)s)")
    parser.add_argument("--boards", type=int, default=BOARDS, help="boards with ships (default %(default)s)")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="minutes to train in all (default %(default)s)")
    parser.add_argument("--data", type=Path, default=Path("out/training"), help="folder for scenes and weights")
    parser.add_argument("--models", type=Path, help="folder for the ONNX files (default: the package's own)")
    given = parser.parse_args(arguments)
    models = given.models or OWN
    shards, weights = given.data / "shards", given.data / "weights"
    if any(shards.glob("*.npz")):
        raise SystemExit(f"{shards} already holds scenes: give another --data or remove them")
    models.mkdir(parents=True, exist_ok=True)
    draw(dataset.main, shards, given.scenes)
    draw(windows.main, shards / "fleet", given.boards)
    from boardsight.training import calibrate, calibrate_fleet, export, train

    for name, share in SHARES.items():
        train.main(str(shards / "fleet" if name == "fleet" else shards), name, given.minutes * share, str(weights))
    export.main(str(weights), str(models), str(shards))
    if models == OWN:
        calibrate.main([])
        calibrate_fleet.main([])


if __name__ == "__main__":
    main()
