"""Make confidences honest: find the temperatures of the orientation and of the reading, on drawn scenes.

``python -m boardsight.training.calibrate [--scenes N] [--models DIR]`` draws scenes in training styles that training
did not see, and writes ``calibration.json`` beside the networks. Tiles of one photo err together, so what they say is
worth less than its sum; the temperature is what the sum is divided by (Guo et al., On Calibration of Modern Neural
Networks, 2017).
"""

from __future__ import annotations

import argparse
import multiprocessing
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.models import load_network
from boardsight.training.scene import draw_scene
from boardsight.training.temperatures import cautious, note
from boardsight.training.validate import one
from boardsight.vision.classify import ways
from boardsight.vision.crop import crop_cells
from boardsight.vision.finder import TURN_SIDE, VOTERS

SEED = 991


def votes(job: int) -> tuple[str, NDArray[np.float64]]:
    """Return a shape and the votes of one drawn board's tiles for each way it could lie; the true way is the first."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng([SEED, job])
    kind = ("higher", "higher", "easy", "orchid")[job % 4]
    scene = draw_scene(rng, "train", boards=(kind,), harsh=float(rng.uniform(0.3, 1)), full=0.7, long_side=(420, 1500))
    placed = scene.boards[0]
    shape = placed.board.tile_set.shape
    with_tile = [i for i, tile in enumerate(placed.tiles) if tile is not None][:VOTERS]
    crops = crop_cells(scene.image, placed.homography, np.array(placed.board.centres)[with_tile], pixels=TURN_SIDE)
    return shape, ways(crops, load_network("turn"), shape)


def turn_temperature(all_votes: list[NDArray[np.float64]]) -> float:
    """Return the highest temperature under which the true ways may be likeliest; 1 where every board is told right."""
    rows = np.array(all_votes)
    if (rows.argmax(1) == 0).all():
        return 1.0

    def cost(t: float) -> float:
        return float((np.logaddexp.reduce(rows / t, axis=1) - rows[:, 0] / t).sum())

    return cautious(cost)


def tile_temperature(judged: list[tuple[float, bool]], present: float) -> float:
    """Return the highest temperature under which being right may be as likely as said; ``present`` is in use."""
    p = np.array([c for c, _ in judged]).clip(1e-9, 1 - 1e-9)
    right = np.array([ok for _, ok in judged])
    margin = np.log(p / (1 - p)) * present

    def cost(t: float) -> float:
        signed = np.where(right, margin, -margin) / t
        return float(np.logaddexp(0, -signed).sum())

    return cautious(cost)


def main(arguments: list[str] | None = None) -> None:
    """Find both temperatures and write them."""
    parser = argparse.ArgumentParser(prog="python -m boardsight.training.calibrate", description=__doc__)
    parser.add_argument("--scenes", type=int, default=400)
    parser.add_argument("--models", type=Path)
    given = parser.parse_args(arguments)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        rows = pool.map(votes, range(given.scenes), chunksize=4)
        found = {s: turn_temperature([v for shape, v in rows if shape == s]) for s in ("hexagon", "octagon")}
        for shape, t in found.items():
            right = [v for s, v in rows if s == shape]
            share = np.mean([v.argmax() == 0 for v in right])
            print(f"{shape}: {len(right)} boards, {share:.1%} lie as their tiles say, temperature {t:.2f}")
        turns = {f"turn.{shape}": round(t, 3) for shape, t in found.items()}
        note({**turns, "tiles": 1.0}, given.models)
        scores = pool.map(one, [(i, "train", 0.6) for i in range(SEED, SEED + given.scenes)], chunksize=4)
    judged = [pair for s in scores for pair in s.judged]
    tiles = round(tile_temperature(judged, 1.0), 3)
    print(f"{len(judged)} spaces, {sum(not ok for _, ok in judged)} read wrong, temperature {tiles:.2f}")
    note({"tiles": tiles}, given.models)


if __name__ == "__main__":
    main()
