"""Check the reader on drawn boards.

``python -m boardsight.training.validate --split validate --boards 1000`` prints boards exact, tiles wrong and what was
called certain and is wrong.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections import Counter
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training.camera import apply
from boardsight.training.scene import Scene, draw_nothing, draw_scene
from boardsight.vision.photo import Photo
from boardsight.vision.reader import Reader
from boardsight.vision.reading import EMPTY, Reading

BOARDS = (("easy",), ("nexus", "scrapyard"), ("orchid",), ("higher",))


@dataclass
class Score:
    """What was read of one scene."""

    kind: str
    boards: int = 0
    exact: int = 0
    tiles: int = 0
    wrong: int = 0
    certain: int = 0
    certain_wrong: int = 0
    refused: int = 0
    fault: str = ""
    judged: list[tuple[float, bool]] = field(default_factory=list)
    """Confidence and whether it was right, for each space."""
    seed: int = 0


def judge(scene: Scene, reading: Reading, kind: str) -> Score:
    """Compare a reading with a scene's answer."""
    score = Score(kind, fault=reading.fault.code if reading.fault else "")
    for placed in scene.boards:
        centres = apply(placed.homography, np.array(placed.board.centres))
        if ((centres < 0) | (centres > (scene.image.shape[1], scene.image.shape[0]))).any():
            continue
        score.boards += 1
        score.tiles += len(centres)
        if reading.fault:
            score.refused += 1
            continue
        middle = centres.mean(0)
        near = sorted(
            (float(np.hypot(*(np.mean([c.centre for c in b.cells], 0) - middle))), i)
            for i, b in enumerate(reading.boards)
        )
        width = float(np.hypot(*(centres.max(0) - centres.min(0)))) / 4
        if not near or near[0][0] > width:
            score.refused += 1
            continue
        board = reading.boards[near[0][1]]
        wanted = [tile.text if tile else EMPTY for tile in placed.tiles]
        read = [cell.tile for cell in board.cells]
        if board.board.name != placed.board.name or len(read) != len(wanted):
            score.wrong += len(wanted)
            score.certain_wrong += sum(cell.certain for cell in board.cells)
            continue
        right = [a == b for a, b in zip(read, wanted, strict=True)]
        score.exact += all(right)
        score.wrong += right.count(False)
        score.certain += sum(cell.certain for cell in board.cells)
        score.certain_wrong += sum(cell.certain and not ok for cell, ok in zip(board.cells, right, strict=True))
        score.judged += [(cell.confidence, ok) for cell, ok in zip(board.cells, right, strict=True)]
    return score


@cache
def reader() -> Reader:
    """Return the reader of this process."""
    return Reader(1)


def photo_of(image: NDArray[np.uint8]) -> Photo:
    """Return a drawn picture as a photo that is loaded."""
    return Photo("drawn", (image.shape[1], image.shape[0]), image, 1.0)


def one(job: tuple[int, str, float]) -> Score:
    """Draw and read one scene: its seed, its split and how harsh it is."""
    seed, split, harsh = job
    cv2.setNumThreads(1)
    rng = np.random.default_rng([977, seed])
    kind = BOARDS[seed % len(BOARDS)]
    scene = draw_scene(rng, split, boards=kind, harsh=harsh, full=0.75, long_side=(1200, 2000))
    score = judge(scene, reader().read_photo(photo_of(scene.image)), "+".join(kind))
    score.seed = seed
    return score


def _nothing(job: tuple[int, str, float]) -> list[tuple[str, int, int]]:
    """Return the boards that are read where there is none: name, tiles, tiles called certain."""
    seed, split, harsh = job
    cv2.setNumThreads(1)
    scene = draw_nothing(np.random.default_rng([983, seed]), split, harsh=harsh, long_side=(1200, 2000))
    reading = reader().read_photo(photo_of(scene.image))
    return [
        (b.board.name, sum(c.tile != EMPTY for c in b.cells), sum(c.certain for c in b.cells)) for b in reading.boards
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", default="validate")
    parser.add_argument("--boards", type=int, default=1000)
    parser.add_argument("--harsh", type=float, default=0.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--nothing", type=int, default=0, help="also read so many scenes without a board")
    parser.add_argument("--list", action="store_true", help="name the scenes that were not exact")
    args = parser.parse_args()
    jobs = [(args.first + i, args.split, args.harsh) for i in range(args.boards)]
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        scores = pool.map(one, jobs, chunksize=8)
        empty = pool.map(_nothing, [(i, args.split, args.harsh) for i in range(args.nothing)], chunksize=8)
    print(f"rendered by this project, split {args.split!r}, harshness {args.harsh}")
    print(
        f"{'boards':18}{'boards':>8}{'exact':>8}{'refused':>9}{'tiles':>8}{'wrong':>7}{'certain':>9}"
        f"{'certain wrong':>15}"
    )
    for kind in [*sorted({s.kind for s in scores}), "all"]:
        part = [s for s in scores if kind in (s.kind, "all")]
        n = {
            k: sum(getattr(s, k) for s in part)
            for k in ("boards", "exact", "refused", "tiles", "wrong", "certain", "certain_wrong")
        }
        print(
            f"{kind:18}{n['boards']:8}{n['exact']:8}{n['refused']:9}{n['tiles']:8}{n['wrong']:7}{n['certain']:9}{n['certain_wrong']:15}"
            f"   {n['exact'] / max(1, n['boards']):.2%} exact, {n['wrong'] / max(1, n['tiles']):.3%} of tiles wrong"
        )
    print("faults:", dict(Counter(s.fault for s in scores if s.fault)))
    if args.nothing:
        print(
            f"{args.nothing} scenes without a board: {sum(map(bool, empty))} in which one is read:",
            [b for b in empty if b],
        )
    if args.list:
        print("not exact:", [(s.seed, s.kind, s.wrong, s.certain_wrong, s.fault) for s in scores if s.exact < s.boards])


if __name__ == "__main__":
    main()
