"""Pictures to learn ships, rings and launch pads from: windows of boards, strips of pads, and what stands where there.

``python -m boardsight.training.windows DIR SPLIT SCENES SEED`` draws one shard after the other.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.scoring.boards import BOARDS
from boardsight.scoring.pad import BUTTONS
from boardsight.training.camera import apply
from boardsight.training.scene import Scene, draw_scene
from boardsight.vision.heads import FLEET
from boardsight.vision.launchpad import FEWEST, STRIP, cut_strip
from boardsight.vision.window import cut_window, to_window

SHARD = 60
"""Scenes a file."""
CROWDED = 0.65
"""Share of scenes that are crowded with ships, so that much is learned from each."""
MARGIN = 24
"""Pixels around a strip that are kept, so that it can be moved a little later."""
WITH_SHIPS = tuple(board.name for board in BOARDS.values() if board.ships)
"""Boards that have a launch pad."""


def pieces_of(scene: Scene) -> NDArray[np.float64]:
    """Return (n, 3): index in ``FLEET``, x and y in board coordinates of all that stands in the photo."""
    launch, placed = scene.launch, scene.boards[0]
    rows: list[tuple[float, float, float]] = []
    if launch is None:
        return np.zeros((0, 3))
    rows += [(FLEET.index(ship.colour), *ship.at) for ship in launch.ships]
    if launch.buttons is not None:
        rows += [(FLEET.index(str(b)), float(x), float(y)) for b, (x, y) in zip(BUTTONS, launch.buttons, strict=True)]
    found = np.array(rows, np.float64).reshape(-1, 3)
    spots = apply(placed.homography, found[:, 1:]) if len(found) else np.zeros((0, 2))
    return np.asarray(found[_in_photo(scene, spots)], np.float64)


def _in_photo(scene: Scene, spots: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which spots (n, 2) in pixels a scene's picture shows."""
    h, w = scene.image.shape[:2]
    return np.asarray(((spots > 2) & (spots < (w - 2, h - 2))).all(1), np.bool_)


def loosened(homography: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a homography a little off, as one is that was fitted to marks."""
    corners = np.array([[0.0, 0.0], [5.0, 0.0], [5.0, 5.0], [0.0, 5.0]])
    moved = corners + rng.normal(0, 0.025, (4, 2))
    change, _ = cv2.findHomography(corners, moved)
    return np.asarray(homography @ np.asarray(change, np.float64), np.float64)


def window_of(scene: Scene, loose: NDArray[np.float64]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Return a scene's window and (n, 3) its pieces: index in ``FLEET``, x and y in pixels of the window.

    ``loose`` (3, 3) is the homography that it is cut with.
    """
    homography = scene.boards[0].homography
    rows = pieces_of(scene)
    seen = (
        apply(np.asarray(np.linalg.inv(loose), np.float64), apply(homography, rows[:, 1:]))
        if len(rows)
        else rows[:, 1:]
    )
    return cut_window(scene.image, loose), np.column_stack([rows[:, 0], to_window(seen)]).astype(np.float32)


def strip_of(scene: Scene, loose: NDArray[np.float64]) -> tuple[NDArray[np.uint8], NDArray[np.int8]] | None:
    """Return a scene's launch pad as a strip with `MARGIN` around, and (11,) from its top: 1 with a ring, 0 without.

    ``loose`` (3, 3) is the homography that it is cut with. -1 stands for a button that the photo does not show; None
    where it shows too few of them.
    """
    launch = scene.launch
    if launch is None or launch.buttons is None:
        return None
    seen = _in_photo(scene, apply(scene.boards[0].homography, launch.buttons))
    if seen.sum() < FEWEST:
        return None
    rings = () if launch.ring is None else (launch.ring, *launch.more_rings)
    answer = np.array([button in rings for button in BUTTONS], np.int8)
    answer[~seen] = -1
    return cut_strip(scene.image, loose, launch.buttons, MARGIN), answer[::-1].copy()


def main(folder: str, split: str, scenes: int, seed: int) -> None:
    """Draw scenes and write their windows in shards."""
    cv2.setNumThreads(1)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for first in range(0, scenes, SHARD):
        windows: list[NDArray[np.uint8]] = []
        pieces: list[NDArray[np.float32]] = []
        strips: list[NDArray[np.uint8]] = []
        rings: list[NDArray[np.int8]] = []
        for k in range(first, min(scenes, first + SHARD)):
            rng = np.random.default_rng([seed, k, 7])
            scene = draw_scene(
                rng,
                split,
                boards=(str(rng.choice(WITH_SHIPS)),),
                harsh=float(rng.uniform(0.1, 1.0)),
                full=0.75,
                long_side=(600, 1150),
                scrambled=0.2,
                with_launch=True,
                crowded=bool(rng.random() < CROWDED),
            )
            loose = loosened(scene.boards[0].homography, rng)
            window, rows = window_of(scene, loose)
            pieces.append(np.column_stack([np.full(len(rows), len(windows), np.float32), rows]))
            windows.append(window)
            strip = strip_of(scene, loose)
            if strip is not None:
                strips.append(strip[0])
                rings.append(strip[1])
        part = out / f"{split}_{seed}_{first:06d}.npz.part"
        with part.open("wb") as file:
            np.savez(
                file,
                windows=np.stack(windows),
                pieces=np.concatenate(pieces),
                strips=np.array(strips, np.uint8).reshape(-1, STRIP[1] + 2 * MARGIN, STRIP[0] + 2 * MARGIN, 3),
                rings=np.array(rings, np.int8).reshape(-1, len(BUTTONS)),
            )
        part.rename(part.with_suffix(""))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
