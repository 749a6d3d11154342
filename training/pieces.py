"""Learn loose pieces from drawings: what a scene of them is, its pictures in files, its two networks.

``python -m boardsight.training.pieces SET draw|marks|reads|export ...`` does one step for one declaration; each kind
only draws its scenes (`DRAWN`), everything else is the same for all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.vision.pieces import PieceSet, Spots, crop_pieces

if TYPE_CHECKING:
    import torch

Image: TypeAlias = NDArray[np.uint8]

SCENE = 640
"""Longer side of a stored scene in pixels."""
MOST_CROPS = 24
"""Crops that are kept of a scene, chosen by chance."""
SHARD = 40
"""Scenes a file."""
WIDE = 1.5
"""How much more than a crop is kept, so that it can be turned, shifted and scaled later."""
TYPICAL = 0.6
"""Harshness up to which light and cameras are what people's photos have; calibration goes so far."""
WIDTHS: Mapping[str, tuple[int, int, int]] = {"cards": (64, 112, 128), "dice": (48, 72, 88)}
"""Channels of the classifier's three stages where they are not the usual ones; those of `TileNet` can begin with its
weights."""


@dataclass(frozen=True, slots=True, eq=False)
class TruePiece:
    """A piece of a drawn scene."""

    kind: int
    """Index into the kinds of the declaration."""
    centre: NDArray[np.float64]
    """(2,) pixels."""
    frame: NDArray[np.float64]
    """(2, 2) the piece's own coordinates to pixels."""
    labels: Mapping[str, str]
    """Name of a head to the right label; heads that say nothing here are left out."""
    marked: bool = True
    """False for what only looks like a piece: its crop is learned, but the locator must not mark it."""


@dataclass(frozen=True, slots=True, eq=False)
class PieceScene:
    """A picture and its answer."""

    image: Image
    pieces: tuple[TruePiece, ...]
    notes: Mapping[str, Any] = field(default_factory=dict)


Draw: TypeAlias = Callable[[np.random.Generator, str], PieceScene]
"""From chance and a split, ``train`` or ``validate``, to a scene."""

DRAWN: Mapping[str, str] = {"dice": "boardsight.training.dice", "cards": "boardsight.training.cards"}
"""The module of each declaration that draws its scenes with ``draw(rng, split)``."""


def declared(name: str) -> PieceSet:
    """Return the declaration of a name."""
    return getattr(import_module(f"boardsight.vision.{name}"), name.upper())  # type: ignore[no-any-return]


def drawer(name: str) -> Draw:
    """Return what draws the scenes of a declaration."""
    return import_module(DRAWN[name]).draw  # type: ignore[no-any-return]


# ---------------------------------------------------------------- pictures in files


def spots_of(pieces: tuple[TruePiece, ...]) -> Spots:
    """Return where true pieces lie."""
    n = len(pieces)
    return Spots(
        np.array([p.centre for p in pieces], float).reshape(n, 2),
        np.array([p.frame for p in pieces], float).reshape(n, 2, 2),
        np.array([p.kind for p in pieces], np.int64).reshape(n),
        np.ones(n),
    )


def wide(window: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """Return a window that shows `WIDE` times as much about the same middle."""
    x, y = (window[0] + window[2]) / 2, (window[1] + window[3]) / 2
    w, h = (window[2] - window[0]) / 2 * WIDE, (window[3] - window[1]) / 2 * WIDE
    return x - w, y - h, x + w, y + h


def draw_shards(name: str, folder: Path, scenes: int, seed: int, split: str = "train") -> None:
    """Draw scenes and write them in shards: reduced scenes with their marks, and wide crops with their labels."""
    cv2.setNumThreads(1)
    of, draw = declared(name), drawer(name)
    folder.mkdir(parents=True, exist_ok=True)
    for first in range(0, scenes, SHARD):
        pictures: list[Image] = []
        marks: list[tuple[float, ...]] = []
        crops: list[NDArray[np.uint8]] = []
        labels: list[list[int]] = []
        for k in range(first, min(scenes, first + SHARD)):
            rng = np.random.default_rng([seed, k])
            scene = draw(rng, split)
            h, w = scene.image.shape[:2]
            s = SCENE / max(h, w)
            small = cv2.resize(scene.image, (round(w * s), round(h * s)), interpolation=cv2.INTER_AREA)
            canvas = np.full((SCENE, SCENE, 3), 127, np.uint8)
            canvas[: small.shape[0], : small.shape[1]] = small
            spots = spots_of(scene.pieces)
            seen = spots.moved(s)
            for i, piece in enumerate(scene.pieces):
                if piece.marked:
                    marks.append((len(pictures), *seen.centres[i], piece.kind, *seen.frames[i].ravel()))
            chosen = np.sort(rng.permutation(len(scene.pieces))[:MOST_CROPS])
            for piece in (scene.pieces[i] for i in chosen):
                labels.append(
                    [of.heads[head].index(piece.labels[head]) if head in piece.labels else -1 for head in of.heads]
                )
            pixels = round(of.pixels[0] * WIDE), round(of.pixels[1] * WIDE)
            crops.append(crop_pieces(scene.image, spots.take(chosen), wide(of.window), pixels))
            pictures.append(canvas)
        part = folder / f"{split}_{seed}_{first:06d}.npz.part"
        with part.open("wb") as file:
            np.savez(
                file,
                scenes=np.stack(pictures),
                marks=np.array(marks, np.float32).reshape(-1, 8),
                crops=np.concatenate(crops),
                labels=np.array(labels, np.int16).reshape(-1, len(of.heads)),
            )
        part.rename(part.with_suffix(""))
        print(f"{name}: {first + len(pictures)} of {scenes} scenes", flush=True)


# ---------------------------------------------------------------- training and export


def _load(folder: Path, *names: str) -> list[list[NDArray[Any]]]:
    from boardsight.training.train import load

    return load(folder, names)


def classifier(of: PieceSet) -> torch.nn.Module:
    """Return an untrained classifier for a declaration."""
    from boardsight.training.nets import PieceNet

    return PieceNet(of.heads, of.pixels, WIDTHS.get(of.name, (56, 88, 96)))


def locator(of: PieceSet) -> torch.nn.Module:
    """Return an untrained locator for a declaration."""
    from boardsight.training.nets import MarkNet

    return MarkNet(len(of.kinds), frame=True)


def begin(net: torch.nn.Module, start: Path) -> int:
    """Give a network the weights of another one where names and shapes are the same; return how many those are."""
    import torch

    known = torch.load(start, map_location="cpu")
    own = net.state_dict()
    fitting = {name: known[name] for name in own if name in known and known[name].shape == own[name].shape}
    net.load_state_dict({**own, **fitting})
    return len(fitting)


def train(
    name: str, what: str, data: Path, minutes: float, out: Path, threads: int = 1, start: Path | None = None
) -> None:
    """Train ``marks`` or ``reads`` of a declaration on its shards and write the weights; goes on from weights there.

    ``start`` holds the weights of a network that has learned something like it, to begin with.
    """
    import torch

    from boardsight.training.piece_batches import crop_batches, crop_loss, mark_batches, mark_loss, wide_crops
    from boardsight.training.train import chance, known, run

    torch.manual_seed(1)
    torch.set_num_threads(threads)
    cv2.setNumThreads(1)
    of = declared(name)
    out.mkdir(parents=True, exist_ok=True)
    save = out / (f"{name}-marks.pt" if what == "marks" else f"{name}.pt")
    rng = chance(save)
    net: torch.nn.Module
    if what == "marks":
        scenes, marks = _load(data, "scenes", "marks")
        rows = [m[m[:, 0] == i][:, 1:] for part, m in zip(scenes, marks, strict=True) for i in range(len(part))]
        net, loss = locator(of), mark_loss(of.turned)
        batches = mark_batches([s for p in scenes for s in p], rows, len(of.kinds), rng, bool(of.mirror), 8)
    elif what == "reads":
        crops, labels = _load(data, "crops", "labels")
        net, loss = classifier(of), crop_loss(of)
        kept = np.concatenate([wide_crops(of, part) for part in crops])
        batches = crop_batches(of, kept, np.concatenate(labels), rng, 128)
    else:
        raise SystemExit(f"there is no network {what!r}; marks or reads")
    if start is not None:
        print(f"{name}: begins with {begin(net, start)} of {len(net.state_dict())} arrays of {start.name}", flush=True)
    run(net, batches, loss, minutes, known(net, save), save)


def cuts(of: PieceSet, data: Path) -> tuple[list[NDArray[np.uint8]], list[NDArray[np.uint8]]]:
    """Return batches of scenes and of crops of a declaration's shards, spread over the shards."""
    from boardsight.training import export as onnx
    from boardsight.training.piece_batches import wide_crops

    w, h = of.pixels
    y, x = (round(h * WIDE) - h) // 2, (round(w * WIDE) - w) // 2
    scenes: list[NDArray[np.uint8]] = []
    crops: list[NDArray[np.uint8]] = []
    paths = sorted(data.glob("*.npz"))
    for path in paths[:: max(1, len(paths) // onnx.SHARDS)][: onnx.SHARDS]:
        with np.load(path) as shard:
            scenes += [shard["scenes"][k : k + 1] for k in range(3)]
            crops.append(np.ascontiguousarray(wide_crops(of, shard["crops"][:64])[:, y : y + h, x : x + w]))
    return scenes, crops


def export(name: str, weights: Path, models: Path, data: Path) -> None:
    """Write both networks of a declaration as quantised ONNX files."""
    from boardsight.training import export as onnx

    of = declared(name)
    w, h = of.pixels
    scenes, crops = cuts(of, data)
    origin = {"commit": onnx.commit()}
    onnx.write(
        f"{name}-marks",
        locator(of),
        weights / f"{name}-marks.pt",
        models,
        (320, 320),
        {"kinds": json.dumps(of.kinds), "input": "BGR uint8, any multiple of 32", **origin},
        scenes,
        free=True,
    )
    onnx.write(
        name,
        classifier(of),
        weights / f"{name}.pt",
        models,
        (h, w),
        {
            "heads": json.dumps(dict(of.heads)),
            "input": f"{w} x {h}",
            "window": json.dumps(of.window),
            **origin,
        },
        crops,
        free=False,
    )


def main(arguments: list[str] | None = None) -> None:
    """Do one step."""
    parser = argparse.ArgumentParser(prog="python -m boardsight.training.pieces", description=__doc__)
    parser.add_argument("set", choices=sorted(DRAWN))
    parser.add_argument("step", choices=("draw", "marks", "reads", "export"))
    parser.add_argument("--data", type=Path, required=True, help="folder of the shards")
    parser.add_argument("--out", type=Path, help="folder of the weights; of the models when exporting")
    parser.add_argument("--weights", type=Path, help="folder of the weights that are exported")
    parser.add_argument("--scenes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--start", type=Path, help="weights of another network to begin with")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args(arguments)
    if given.step == "draw":
        draw_shards(given.set, given.data, given.scenes, given.seed)
    elif given.step == "export":
        export(given.set, given.weights, given.out, given.data)
    else:
        train(given.set, given.step, given.data, given.minutes, given.out, given.threads, given.start)


if __name__ == "__main__":
    main(sys.argv[1:])
