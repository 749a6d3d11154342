"""Make the confidences of ships and ring honest, on drawn boards in training styles that training did not see.

``python -m boardsight.training.calibrate_fleet [--scenes N] [--models DIR] [--ships]`` writes its figures into the
table of temperatures beside the networks; those of ships only with ``--ships``, and without them the reader reads the
ring alone. Training is crowded with ships, so that a height of the network's map says too much: a logistic function of
it is fitted (Platt 1999), and a temperature each for colours and ring.
"""

from __future__ import annotations

import argparse
import multiprocessing
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.models import load_network
from boardsight.scoring.pad import BUTTONS
from boardsight.training.scene import draw_scene
from boardsight.training.temperatures import GRID, note
from boardsight.training.validate_fleet import truth_of
from boardsight.training.windows import WITH_SHIPS, loosened, window_of
from boardsight.vision.fleet import find_feet
from boardsight.vision.heads import FLEET, SHIP_COLOURS
from boardsight.vision.launchpad import cut_strip, fit_pad, ring_odds
from boardsight.vision.window import STRIDE, map_to_board

SEED = 995
NEAR = 3.0
"""How far from a ship's foot, in pixels of the map, a mark is its own."""
Floats = NDArray[np.float64]


@dataclass
class Seen:
    """What the network says about drawn boards, and what is true."""

    feet: list[tuple[float, bool]] = field(default_factory=list)
    """Log odds that a ship stands at a mark, and whether one does."""
    colours: list[tuple[Floats, int]] = field(default_factory=list)
    """Log probabilities of the colours of a ship that is there, and its own."""
    rings: list[tuple[Floats, int]] = field(default_factory=list)
    """Log odds of each button and of none, and where the ring is."""
    missed: int = 0
    """Ships without a mark."""


def look(job: int) -> Seen:
    """Draw a board and say what the network sees in its window."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng([SEED, job])
    kind = WITH_SHIPS[job % len(WITH_SHIPS)]
    scene = draw_scene(
        rng, boards=(kind,), harsh=float(rng.uniform(0, 1)), full=0.75, long_side=(700, 1300), with_launch=True
    )
    loose = loosened(scene.boards[0].homography, rng)
    window, rows = window_of(scene, loose)
    maps = load_network("fleet")(window[None])[0]
    seen = Seen()
    ships = rows[rows[:, 0] < SHIP_COLOURS]
    spots = (ships[:, 1:].astype(np.float64) - (STRIDE - 1) / 2) / STRIDE
    feet = find_feet(maps)
    free = set(range(len(ships)))
    for spot, there, colours in zip(feet.spots, feet.there, feet.colours, strict=True):
        away = {i: float(np.hypot(*(spots[i] - spot))) for i in free}
        own = min(away, key=away.__getitem__, default=-1)
        right = own >= 0 and away[own] < NEAR
        seen.feet.append((float(np.log(there / (1 - there))), right))
        if right:
            free.remove(own)
            seen.colours.append((colours, int(ships[own, 0])))
    seen.missed = len(free)
    pad = fit_pad(maps[1 + FLEET.index(str(BUTTONS[0])) :], np.ones(maps.shape[1:], np.bool_))
    if pad is not None:
        ring = truth_of(scene)[1]
        true = BUTTONS.index(ring) if ring is not None else len(BUTTONS)
        strip = cut_strip(scene.image, loose, map_to_board(pad.buttons))
        seen.rings.append((ring_odds(load_network("pad")(strip[None])[0]), true))
    return seen


def platt(pairs: list[tuple[float, bool]]) -> tuple[float, float]:
    """Return scale and shift of log odds under which what is true is likeliest, by Newton's method."""
    x = np.array([value for value, _ in pairs])
    y = np.array([right for _, right in pairs], np.float64)
    basis = np.column_stack([x, np.ones(len(x))])
    w = np.array([1.0, 0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(basis @ w, -30, 30)))
        slope = basis.T @ (p - y) + 1e-3 * (w - (1, 0))
        bend = (basis * (p * (1 - p))[:, None]).T @ basis + 1e-3 * np.eye(2)
        step = np.clip(np.linalg.solve(bend, slope), -1, 1)
        w = w - step
        if np.abs(step).max() < 1e-6:
            break
    return float(w[0]), float(w[1])


def temperature(rows: list[tuple[Floats, int]]) -> float:
    """Return what log probabilities are divided by for the true ones to be likeliest."""

    def cost(t: float) -> float:
        total = 0.0
        for row, true in rows:
            scaled = row / t
            total -= float(scaled[true] - np.logaddexp.reduce(scaled))
        return total

    return float(min(GRID, key=cost))


def ring_figures(rows: list[tuple[Floats, int]]) -> tuple[float, float]:
    """Return the temperature of the ring's log odds, and what is added to those of no ring, under which truth is
    likeliest."""
    said, true = np.array([row for row, _ in rows]), np.array([place for _, place in rows])

    def cost(t: float, none: float) -> float:
        scaled = said / t + np.where(np.arange(said.shape[1]) == said.shape[1] - 1, none, 0.0)
        return float((np.logaddexp.reduce(scaled, axis=1) - scaled[np.arange(len(true)), true]).sum())

    return min(((float(t), float(b)) for t in GRID for b in np.linspace(-4, 4, 33)), key=lambda pair: cost(*pair))


def main(arguments: list[str] | None = None) -> None:
    """Find the figures, print what they came from and write them."""
    parser = argparse.ArgumentParser(prog="python -m boardsight.training.calibrate_fleet", description=__doc__)
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--ships", action="store_true", help="write what ships need to be read, too")
    given = parser.parse_args(arguments)
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        seen = pool.map(look, range(given.scenes), chunksize=4)
    feet = [pair for one in seen for pair in one.feet]
    colours = [pair for one in seen for pair in one.colours]
    rings = [pair for one in seen for pair in one.rings]
    ring, none = ring_figures(rings)
    found = {"fleet.ring": round(ring, 3), "fleet.none": round(none, 3)}
    if given.ships:
        scale, shift = platt(feet)
        honest = {"scale": scale, "shift": shift, "colour": temperature(colours)}
        found |= {f"fleet.{name}": round(value, 3) for name, value in honest.items()}
    told = np.mean([row.argmax() == true for row, true in colours])
    rest = np.mean([row.argmax() == true for row, true in rings])
    print(
        f"{len(feet)} marks, {sum(right for _, right in feet)} of them ships, {sum(one.missed for one in seen)} missed"
    )
    print(f"{told:.1%} of {len(colours)} colours and {rest:.1%} of {len(rings)} rings are the likeliest: {found}")
    note(found, given.models)


if __name__ == "__main__":
    main()
