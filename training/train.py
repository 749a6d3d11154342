"""Train the networks from drawn pictures, against the clock.

``python -m boardsight.training.train DATA NAME MINUTES OUT [THREADS]`` writes the weights ``OUT/NAME.pt``; NAME is
``marks``, ``tiles``, ``turn``, ``fleet`` or ``pad``.
"""

from __future__ import annotations

import copy
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from boardsight.training.dataset import KEPT, SCENE
from boardsight.training.nets import FleetNet, MarkNet, PadNet, TileNet, TurnNet
from boardsight.vision.crop import FIELD, PIXELS
from boardsight.vision.heads import KINDS, WHAT, tile_heads, turn_heads

RATE = 2e-3
"""Highest learning rate (AdamW)."""
AGAIN = 5e-4
"""The same where training goes on from trained weights: three times as much first undoes what they have learned."""
TURN_PIXELS = 64
"""Side of a crop that the orientation network sees, in pixels."""
WINDOW = 352
"""Side of a window of a scene that the locator learns from, in pixels."""


def load(folder: Path, names: tuple[str, ...]) -> list[list[NDArray[Any]]]:
    """Read arrays of all shards of a folder: one list of parts a name."""
    out: list[list[NDArray[Any]]] = [[] for _ in names]
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as z:
            for part, name in zip(out, names, strict=True):
                part.append(z[name])
    return out


def spoil(crop: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Change a crop's colours a little: gain, gamma and offset a channel."""
    x = np.arange(256, dtype=np.float32) / 255
    gain = np.exp(rng.normal(0, 0.10)) * np.exp(rng.normal(0, 0.05, 3))
    table = (x[:, None] ** np.exp(rng.normal(0, 0.12))) * gain + rng.normal(0, 0.02)
    return np.asarray(cv2.LUT(crop, np.clip(table * 255, 0, 255).astype(np.uint8)[None]), np.uint8)


def view(
    crop: NDArray[np.uint8], rng: np.random.Generator, pixels: int, turn: NDArray[np.float64] | None = None
) -> NDArray[np.uint8]:
    """Return a crop of ``pixels`` a side from a wide one, a little turned, shifted, scaled and sheared."""
    a, s = np.radians(rng.normal(0, 2.5)), np.exp(rng.normal(0, 0.035))
    m = s * np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ (np.eye(2) + rng.normal(0, 0.025, (2, 2)))
    if turn is not None:
        m = m @ turn
    m = m * (PIXELS / pixels)
    c = np.full(2, (KEPT - 1) / 2) + rng.normal(0, 0.022, 2) * PIXELS / FIELD
    full = np.column_stack([m, c - m @ np.full(2, (pixels - 1) / 2)])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(crop, full, (pixels, pixels), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8
    )


def way(shape: str, k: int) -> NDArray[np.float64]:
    """Return the 2 x 2 map from upright coordinates to those of a crop that lies way ``k``."""
    n = turn_heads()[shape] // 2
    a = 2 * np.pi * (k % n) / n
    m = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    return m if k < n else m @ np.diag([-1.0, 1.0])


class Average:
    """A running average of a network's weights, which reads better than the last ones."""

    def __init__(self, net: nn.Module) -> None:
        self.net = copy.deepcopy(net).eval()
        self.step = 0

    def update(self, net: nn.Module) -> None:
        """Take the present weights in."""
        self.step += 1
        d = min(0.998, self.step / (self.step + 10))
        with torch.no_grad():
            for a, b in zip(self.net.state_dict().values(), net.state_dict().values(), strict=True):
                if a.dtype.is_floating_point:
                    a.mul_(d).add_(b, alpha=1 - d)
                else:
                    a.copy_(b)


def halves_are_faster(net: nn.Module, x: Tensor, target: Sequence[Tensor], loss: Callable[..., Tensor]) -> bool:
    """Return True where this machine learns a batch faster in bfloat16 than in float32; many take ten times as long."""
    taken: list[float] = []
    for halves in (False, True):
        best = float("inf")
        for _ in range(3):  # the first one also prepares
            start = time.perf_counter()
            with torch.autocast("cpu", torch.bfloat16, enabled=halves):
                value = loss(net(x), *target)
            value.backward()  # type: ignore[no-untyped-call]
            best = min(best, time.perf_counter() - start)
            if taken and best > 5 * taken[0]:
                break
        taken.append(best)
    net.zero_grad(set_to_none=True)
    return taken[1] < taken[0]


def chance(weights: Path) -> np.random.Generator:
    """Return the chance that chooses what is learned: another one each time that training goes on from a file.

    With the same one, training would begin each time with the same pictures and learn those by heart.
    """
    return np.random.default_rng([1, zlib.crc32(weights.read_bytes())] if weights.exists() else 1)


def known(net: nn.Module, weights: Path) -> float:
    """Give a network the weights of a file, where it is there, and return the rate to train it with."""
    if not weights.exists():
        return RATE
    net.load_state_dict(torch.load(weights, map_location="cpu"))
    return AGAIN


def run(
    net: nn.Module,
    batches: Iterator[tuple[Tensor, ...]],
    loss: Callable[..., Tensor],
    minutes: float,
    rate: float,
    save: Path,
) -> nn.Module:
    """Train until the time is up; the rate rises, then falls to nothing at the end."""
    net.to(memory_format=torch.channels_last).train()  # type: ignore[call-overload]
    average = Average(net)
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.02)
    x, *target = next(batches)
    halves = halves_are_faster(copy.deepcopy(net), x, target, loss)
    start = time.monotonic()
    shown, step, since, total = start, 0, 0, 0.0
    while True:
        done = (time.monotonic() - start) / (minutes * 60)
        if done >= 1:
            break
        lr = rate * min(1.0, (step + 1) / 200) * 0.5 * (1 + np.cos(np.pi * done))
        for group in optimiser.param_groups:
            group["lr"] = lr
        x, *target = next(batches)
        with torch.autocast("cpu", torch.bfloat16, enabled=halves):
            value = loss(net(x), *target)
        optimiser.zero_grad(set_to_none=True)
        value.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        average.update(net)
        total += float(value.detach())
        step += 1
        if time.monotonic() - shown > 20:
            print(f"{save.stem}: {done:5.1%} step {step} loss {total / max(1, step - since):.4f}", flush=True)
            shown, total, since = time.monotonic(), 0.0, step
            torch.save(average.net.state_dict(), save)
    torch.save(average.net.state_dict(), save)
    return average.net


def tile_batches(
    crops: list[NDArray[np.uint8]], labels: NDArray[np.int8], rng: np.random.Generator, size: int = 128
) -> Iterator[tuple[Tensor, ...]]:
    """Yield crops and labels for TileNet."""
    where = [(i, j) for i, part in enumerate(crops) for j in range(len(part))]
    size = min(size, len(where) - 1)
    while True:
        order = rng.permutation(len(where))
        for first in range(0, len(where) - size, size):
            pick = order[first : first + size]
            x = np.stack([spoil(view(crops[where[k][0]][where[k][1]], rng, PIXELS), rng) for k in pick])
            yield torch.from_numpy(x), torch.from_numpy(labels[pick].astype(np.int64))


def tile_loss(y: Tensor, target: Tensor) -> Tensor:
    """Return the summed cross entropy of all heads, leaving out what does not apply."""
    at, value = 0, y.new_zeros(())
    for k, options in enumerate(tile_heads().values()):
        known = target[:, k] >= 0
        if known.any():
            part = nn.functional.nll_loss(y[:, at : at + len(options)][known], target[:, k][known], reduction="sum")
            value = value + part / len(target)
        at += len(options)
    return value


def turn_batches(
    crops: list[NDArray[np.uint8]], labels: NDArray[np.int8], rng: np.random.Generator, size: int = 128
) -> Iterator[tuple[Tensor, ...]]:
    """Yield crops that lie any way, their shape (0 hexagon, 1 octagon) and which way they lie."""
    names = list(tile_heads())
    hexagon = labels[:, names.index("hexagon.v")] >= 0
    where = [(i, j) for i, part in enumerate(crops) for j in range(len(part))]
    tiles = np.flatnonzero(labels[:, 0] == WHAT.index("tile"))
    while True:
        # which way an octagon lies shows in its letter and numbers only, so most of the lesson is theirs
        pick = np.concatenate(
            [rng.choice(tiles[hexagon[tiles]], size // 4), rng.choice(tiles[~hexagon[tiles]], size - size // 4)]
        )
        x, shapes, ways = [], [], []
        for k in pick:
            shape = "hexagon" if hexagon[k] else "octagon"
            w = int(rng.integers(turn_heads()[shape]))
            i, j = where[k]
            x.append(spoil(view(crops[i][j], rng, TURN_PIXELS, np.linalg.inv(way(shape, w)).astype(np.float64)), rng))
            shapes.append(0 if hexagon[k] else 1)
            ways.append(w)
        yield torch.from_numpy(np.stack(x)), torch.tensor(shapes), torch.tensor(ways)


def turn_loss(y: Tensor, shapes: Tensor, ways: Tensor) -> Tensor:
    """Return the cross entropy of the head that fits each crop's shape."""
    n = turn_heads()["hexagon"]
    value = y.new_zeros(())
    for s, part in ((0, y[:, :n]), (1, y[:, n:])):
        if (shapes == s).any():
            value = value + nn.functional.nll_loss(part[shapes == s], ways[shapes == s], reduction="sum")
    return value / len(y)


def mark_batches(
    scenes: Sequence[NDArray[np.uint8]], marks: list[NDArray[np.float32]], rng: np.random.Generator, size: int = 8
) -> Iterator[tuple[Tensor, ...]]:
    """Yield windows of scenes, flipped, scaled and recoloured, and their maps (n, kinds, h/4, w/4)."""
    while True:
        xs, ys = [], []
        for k in rng.integers(0, len(scenes), size):
            s = float(np.exp(rng.uniform(-0.45, 0.75)))
            m = marks[k]
            focus = m[int(rng.integers(len(m))), :2] if len(m) and rng.random() < 0.75 else rng.uniform(0, SCENE, 2)
            focus = focus + rng.normal(0, 60, 2)
            turn = np.diag([rng.choice([-1, 1]), rng.choice([-1, 1])]) * s
            if rng.random() < 0.5:
                turn = turn[::-1]
            move = np.column_stack([turn, np.full(2, WINDOW / 2) - turn @ focus])
            x = cv2.warpAffine(
                scenes[k],
                move,
                (WINDOW, WINDOW),
                flags=cv2.INTER_AREA if s < 0.8 else cv2.INTER_LINEAR,
                borderValue=(127, 127, 127),
            )
            xs.append(spoil(np.asarray(x, np.uint8), rng))
            p = m[:, :2] @ turn.T + move[:, 2]
            y = np.zeros((len(KINDS), WINDOW // 4, WINDOW // 4), np.float32)
            for (px, py), kind in zip(p, m[:, 2].astype(int), strict=True):
                draw_mark(y[kind], (px - 1.5) / 4, (py - 1.5) / 4)
            ys.append(y)
        yield torch.from_numpy(np.stack(xs)), torch.from_numpy(np.stack(ys))


def draw_mark(plane: NDArray[np.float32], x: float, y: float, sigma: float = 1.1) -> None:
    """Draw one mark as a round hill of height 1."""
    x0, y0 = int(round(x)) - 3, int(round(y)) - 3
    xs, ys = np.arange(x0, x0 + 7), np.arange(y0, y0 + 7)
    u = (xs >= 0) & (xs < plane.shape[1])
    v = (ys >= 0) & (ys < plane.shape[0])
    if not u.any() or not v.any():
        return
    hill = np.exp(-((xs[u][None] - x) ** 2 + (ys[v][:, None] - y) ** 2) / (2 * sigma**2)).astype(np.float32)
    part = plane[ys[v][0] : ys[v][-1] + 1, xs[u][0] : xs[u][-1] + 1]
    np.maximum(part, hill, out=part)


def mark_loss(y: Tensor, target: Tensor) -> Tensor:
    """Return a focal loss over soft targets (quality focal loss, Li et al. 2020)."""
    y = y.clamp(1e-5, 1 - 1e-5)
    bce = -(target * y.log() + (1 - target) * (1 - y).log())
    return ((target - y).abs().pow(1.5) * bce).sum((1, 2, 3)).mean() / 50


def main(data: str, what: str, minutes: float, out: str, threads: int = 2) -> None:
    """Train one network, ``marks`` say, on the shards in ``data`` and write its weights into ``out``."""
    torch.manual_seed(1)
    torch.set_num_threads(threads)
    cv2.setNumThreads(1)
    folder, save = Path(data), Path(out)
    save.mkdir(parents=True, exist_ok=True)
    weights = save / f"{what}.pt"
    rng = chance(weights)
    net: nn.Module
    batches: Iterator[tuple[Tensor, ...]]
    loss: Callable[..., Tensor]
    if what in ("marks", "fleet"):
        pictures, answers = load(folder, ("scenes", "marks") if what == "marks" else ("windows", "pieces"))
        scenes = [one for part in pictures for one in part]
        flat: list[NDArray[np.float32]] = []
        for part, rows in zip(pictures, answers, strict=True):
            flat += [rows[rows[:, 0] == i][:, 1:].astype(np.float32) for i in range(len(part))]
        print(f"{len(flat)} scenes", flush=True)
        if what == "marks":
            batches, net, loss = mark_batches(scenes, flat, rng), MarkNet(), mark_loss
        else:
            from boardsight.training.lessons import fleet_batches, fleet_loss

            batches, net, loss = fleet_batches(scenes, flat, rng), FleetNet(), fleet_loss
    elif what == "pad":
        from boardsight.training.lessons import strip_batches, strip_loss

        strips, rings = (np.concatenate(parts) for parts in load(folder, ("strips", "rings")))
        print(f"{len(strips)} launch pads", flush=True)
        batches, net, loss = strip_batches(strips, rings, rng), PadNet(), strip_loss
    elif what in ("turn", "tiles"):
        crops, labels = load(folder, ("crops", "labels"))
        rows = np.concatenate(labels)
        print(f"{len(rows)} crops", flush=True)
        if what == "turn":
            batches, net, loss = turn_batches(crops, rows, rng), TurnNet(), turn_loss
        else:
            batches, net, loss = tile_batches(crops, rows, rng), TileNet(), tile_loss
    else:
        raise SystemExit(f"there is no network {what!r}")
    run(net, batches, loss, minutes, known(net, weights), weights)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4], *map(int, sys.argv[5:]))
