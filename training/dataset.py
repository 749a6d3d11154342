"""Pictures to learn from: crops of cells with their labels, and whole scenes with their marks, in files.

``python -m boardsight.training.dataset DIR SPLIT SCENES SEED`` draws one shard after the other.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training.camera import apply
from boardsight.training.scene import Scene, draw_nothing, draw_scene
from boardsight.vision.crop import FIELD, PIXELS, crop_cells
from boardsight.vision.heads import FORM, KINDS, WHAT, tile_heads

WIDE = 1.5
"""How much more than a crop is kept, so that it can be turned and shifted later."""
KEPT = int(PIXELS * WIDE)
SCENE = 640
"""Longer side of a stored scene in pixels."""
SHARD = 60
"""Scenes a file."""
HEADS = tile_heads()


def labels_of(scene: Scene) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Return wide crops (n, 96, 96, 3) of all cells of a scene and their labels (n, heads), -1 where none applies."""
    rng = scene.edition.rng if scene.edition else np.random.default_rng(0)
    crops: list[NDArray[np.uint8]] = []
    rows: list[list[int]] = []
    names = list(HEADS)
    h, w = scene.image.shape[:2]
    for placed in scene.boards:
        board = placed.board
        middle = apply(placed.homography, placed.centres)
        seen = np.asarray(((middle > 4) & (middle < (w - 4, h - 4))).all(1))
        # learn from where a fitted lattice would look, mostly, and from where the tile lies
        looks = np.array(board.centres) + rng.uniform(0.3, 1.0) * (placed.centres - np.array(board.centres))
        cut = crop_cells(scene.image, placed.homography, looks, pixels=KEPT, field=FIELD * WIDE)
        for i, tile in enumerate(placed.tiles):
            if not seen[i] or (tile is None and rng.random() < 0.4):
                continue
            row = [-1] * len(names)
            row[names.index("what")] = WHAT.index("space" if tile is None else "tile")
            if tile is not None:
                shows = dict(tile.shows)
                for k, name in enumerate(names):
                    shape, _, attribute = name.partition(".")
                    if shape != board.tile_set.shape:
                        continue
                    label = board.form if attribute == FORM else shows.get(attribute, "")
                    row[k] = HEADS[name].index(label)
            crops.append(cut[i])
            rows.append(row)
        # places where nothing should be read: between tiles and off the board
        lo, hi = np.array(board.centres).min(0) - 1.6, np.array(board.centres).max(0) + 1.6
        spots = rng.uniform(lo, hi, (8, 2))
        away = spots[:, None] - placed.centres[None]
        far = np.hypot(away[..., 0], away[..., 1]).min(1) > 0.42
        spots = spots[far][:3]
        if len(spots):
            crops += list(crop_cells(scene.image, placed.homography, spots, pixels=KEPT, field=FIELD * WIDE))
            rows += [[WHAT.index("other")] + [-1] * (len(names) - 1)] * len(spots)
    if not scene.boards:
        for _ in range(8):
            a, s = rng.uniform(0, 6.3), rng.uniform(20, 160)
            x, y = rng.uniform(0, w), rng.uniform(0, h)
            if len(scene.loose) and np.hypot(*(scene.loose - (x, y)).T).min() < s:
                continue
            m = np.array([[s * np.cos(a), -s * np.sin(a), x], [s * np.sin(a), s * np.cos(a), y], [0, 0, 1]])
            crops += list(crop_cells(scene.image, m, np.zeros((1, 2)), pixels=KEPT, field=FIELD * WIDE))
            rows.append([WHAT.index("other")] + [-1] * (len(names) - 1))
    if not crops:
        return np.zeros((0, KEPT, KEPT, 3), np.uint8), np.zeros((0, len(names)), np.int8)
    return np.stack(crops), np.array(rows, np.int8)


def marks_of(scene: Scene) -> NDArray[np.float32]:
    """Return (n, 3): x, y in pixels and the kind of every tile and space of a scene."""
    rows: list[tuple[float, float, int]] = []
    for placed in scene.boards:
        shape = placed.board.tile_set.shape
        for (x, y), tile in zip(apply(placed.homography, placed.centres), placed.tiles, strict=True):
            rows.append((x, y, KINDS.index(f"{shape} {'space' if tile is None else 'tile'}")))
    rows += [(x, y, KINDS.index(f"{scene.shape} tile")) for x, y in scene.loose]
    return np.array(rows, np.float32).reshape(-1, 3)


def any_scene(rng: np.random.Generator, split: str) -> Scene:
    """Draw a scene as the training set holds them."""
    if rng.random() < 0.12:
        return draw_nothing(rng, split, long_side=(700, 1150))
    return draw_scene(rng, split, long_side=(700, 1350), harsh=float(rng.uniform(0.25, 1.0)), scrambled=0.3)


def main(folder: str, split: str, scenes: int, seed: int) -> None:
    """Draw scenes and write them in shards."""
    cv2.setNumThreads(1)
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for first in range(0, scenes, SHARD):
        crops: list[NDArray[np.uint8]] = []
        labels: list[NDArray[np.int8]] = []
        pictures: list[NDArray[np.uint8]] = []
        marks: list[NDArray[np.float32]] = []
        for k in range(first, min(scenes, first + SHARD)):
            scene = any_scene(np.random.default_rng([seed, k]), split)
            c, r = labels_of(scene)
            crops.append(c)
            labels.append(r)
            h, w = scene.image.shape[:2]
            s = SCENE / max(h, w)
            small = cv2.resize(scene.image, (round(w * s), round(h * s)), interpolation=cv2.INTER_AREA)
            canvas = np.full((SCENE, SCENE, 3), 127, np.uint8)
            canvas[: small.shape[0], : small.shape[1]] = small
            pictures.append(canvas)
            m = marks_of(scene)
            m[:, :2] = (m[:, :2] + 0.5) * s - 0.5
            marks.append(np.concatenate([np.full((len(m), 1), len(marks), np.float32), m], 1))
        part = out / f"{split}_{seed}_{first:06d}.npz.part"
        with part.open("wb") as file:
            np.savez(
                file,
                crops=np.concatenate(crops),
                labels=np.concatenate(labels),
                scenes=np.stack(pictures),
                marks=np.concatenate(marks),
            )
        part.rename(part.with_suffix(""))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
