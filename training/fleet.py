"""Spaceships, launch pads and rings, drawn in many styles, and where they stand.

What is known: ten ships in ten colours, eight to fifteen millimetres high beside tiles of forty; a pad of eleven round
buttons in a line left of the tiles, 0 at the bottom to 200 on top, each in its ship's colour; a black ring. All else is
chosen by chance, and validation has other shapes of ships than training.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.scoring.boards import Board
from boardsight.scoring.pad import BUTTONS, SHIPS, highest_button
from boardsight.training import solids
from boardsight.training.edition import Edition
from boardsight.training.symbols import Colour, Image, blend, fixed, hsv

Floats = NDArray[np.float64]

#: Hue (degrees), saturation and value of each ship's plastic, and how far they may stray.
PLASTIC: dict[str, tuple[float, float, float, float, float, float]] = {
    "white": (45, 0.03, 0.95, 180, 0.04, 0.06),
    "orange": (20, 0.90, 0.93, 9, 0.12, 0.10),
    "yellow": (49, 0.88, 0.95, 8, 0.14, 0.08),
    "pink": (336, 0.48, 0.92, 14, 0.24, 0.10),
    "green": (137, 0.76, 0.50, 20, 0.22, 0.22),
    "purple": (273, 0.68, 0.46, 15, 0.20, 0.20),
    "blue": (221, 0.82, 0.68, 14, 0.15, 0.24),
    "red": (358, 0.86, 0.76, 8, 0.12, 0.17),
    "silver": (215, 0.05, 0.66, 180, 0.05, 0.13),
    "gold": (41, 0.74, 0.70, 8, 0.18, 0.15),
}
#: Radius and height along a ship, foot to top, as shares of its own.
SHAPES: dict[str, dict[str, tuple[tuple[float, float], ...]]] = {
    "train": {
        "rocket": ((0.62, 0), (0.74, 0.2), (0.74, 0.45), (0.55, 0.75), (0.25, 0.93), (0, 1)),
        "missile": ((0.7, 0), (0.7, 0.6), (0.4, 0.85), (0, 1)),
        "cone": ((1, 0), (1, 0.05), (0.08, 0.96), (0, 1)),
        "stump": ((1, 0), (0.9, 0.1), (0.35, 0.92), (0.2, 1), (0, 1)),
        "pawn": (
            (1, 0), (1, 0.1), (0.6, 0.24), (0.36, 0.5), (0.5, 0.6), (0.62, 0.74), (0.56, 0.88), (0.3, 0.98), (0, 1),
        ),
        "saucer": ((0.45, 0), (0.75, 0.2), (1, 0.42), (0.98, 0.5), (0.55, 0.62), (0.5, 0.8), (0.28, 0.95), (0, 1)),
        "dome": ((1, 0), (1, 0.3), (0.85, 0.6), (0.5, 0.88), (0, 1)),
    },
    "validate": {
        "dart": ((0.5, 0), (0.42, 0.3), (0.62, 0.5), (0.3, 0.8), (0, 1)),
        "bell": ((1, 0), (0.72, 0.12), (0.52, 0.45), (0.4, 0.75), (0.2, 0.95), (0, 1)),
        "skittle": ((0.8, 0), (0.9, 0.2), (0.5, 0.55), (0.4, 0.65), (0.5, 0.8), (0.3, 0.97), (0, 1)),
        "disc ship": ((0.6, 0), (1, 0.3), (0.6, 0.45), (0.35, 0.5), (0.35, 0.85), (0, 1)),
    },
}  # fmt: skip
FINNED = ("rocket", "missile", "dart")


def plastic(name: str, rng: np.random.Generator) -> Colour:
    """Return one edition's BGR of a ship's colour."""
    h, s, v, dh, ds, dv = PLASTIC[name]
    a = rng.uniform(-1, 1, 3)
    return hsv(h + a[0] * dh, s + a[1] * ds, v + a[2] * dv)


@dataclass(frozen=True)
class Ship:
    """A ship of a scene: its colour and where its foot stands, in board coordinates."""

    colour: str
    at: tuple[float, float]
    cell: int = -1
    """Index of the cell that it stands on; -1 where it stands on the pad or beside the tiles."""
    on_pad: bool = False


@dataclass
class Launch:
    """One look of pad, ring and ships, and where they are in one scene."""

    board: Board
    split: str
    rng: np.random.Generator
    buttons: Floats | None = None
    """(11, 2) board coordinates, button 0 first; None without a pad."""
    ring: int | None = None
    """Button that the ring rests on."""
    more_rings: tuple[int, ...] = ()
    """Buttons with a ring that no game has: only in crowded scenes."""
    ships: list[Ship] = field(default_factory=list)
    crowded: bool = False
    """True for scenes to learn from that hold many ships, of one colour too: no game looks like that."""

    def __post_init__(self) -> None:
        rng = self.rng
        self.shape = str(rng.choice(list(SHAPES[self.split])))
        self.radius = rng.uniform(0.075, 0.15)
        self.height = rng.uniform(0.2, 0.375)
        if "saucer" in self.shape or "disc" in self.shape:
            self.radius, self.height = self.radius * 1.15, self.height * 0.75
        self.sides = int(rng.choice([6, 10, 14, 14]))
        self.fins = int(rng.choice([0, 3, 4])) if self.shape in FINNED else 0
        self.lamp = solids.some_lamp(rng)
        self.hues = {name: plastic(name, rng) for name in SHIPS}
        if rng.random() < 0.85:
            space = rng.uniform(0.44, 0.7)
            self.size = space * rng.uniform(0.28, 0.45)
            x = -0.55 - self.size - rng.uniform(0.08, 1.3)
            y = 2.5 + rng.uniform(-0.5, 0.5)
            k = np.arange(len(BUTTONS)) - 5
            lean = rng.normal(0, 0.02) if rng.random() < 0.3 else 0.0
            self.buttons = np.asarray(np.stack([x + lean * k, y - space * k], 1), np.float64)

    # ------------------------------------------------------------ the pad

    def room(self) -> Floats:
        """Return the least margins (left, top, right, bottom) about the cells' centres, in tile widths."""
        if self.buttons is None:
            return np.zeros(4)
        lo, hi = self.buttons.min(0) - self.size * 2, self.buttons.max(0) + self.size * 2
        return np.array([-lo[0], -lo[1], 0.0, hi[1] - 5])

    def paint(self, image: Image, edition: Edition, origin: tuple[float, float]) -> None:
        """Draw the pad into a board's picture, where board coordinate (0, 0) is at ``origin``."""
        if self.buttons is None:
            return
        rng, pitch = self.rng, edition.pitch
        spots = self.buttons * pitch + origin
        r = self.size * pitch
        tone = hsv(rng.uniform(0, 360), rng.uniform(0, 0.4), rng.uniform(0.05, 0.9))
        if rng.random() < 0.7:
            self._plate(image, spots, r * rng.uniform(1.25, 1.9), tone, bool(rng.random() < 0.6))
        if rng.random() < 0.55:
            pipe = hsv(rng.uniform(0, 360), rng.uniform(0, 0.4), rng.uniform(0.05, 0.7))
            width = max(1, round(r * rng.uniform(0.15, 0.7)))
            cv2.line(image, fixed(spots[0]), fixed(spots[-1]), pipe, width, cv2.LINE_AA, 4)
        zero = hsv(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.05, 0.95))
        edge = hsv(0, 0, rng.uniform(0, 1)) if rng.random() < 0.5 else None
        edge_width = max(1, round(r * rng.uniform(0.04, 0.16)))
        own = rng.random() < 0.6
        text = str(rng.choice(["on", "on", "on", "beside", "none"]))
        tall = r * rng.uniform(0.45, 0.8)
        style = str(rng.choice(["plain", "dark outlined", "light outlined"]))
        side = rng.choice([-1, 1])
        sheen = rng.uniform(0.1, 0.5) if rng.random() < 0.4 else 0.0
        for k, spot in enumerate(spots):
            name = SHIPS[k - 1] if k else ""
            colour = zero if not name else self.hues[name] if own else plastic(name, rng)
            cv2.circle(image, fixed(spot), round(r * 16), colour, -1, cv2.LINE_AA, 4)
            if sheen:
                lighter = tuple(c + (255 - c) * sheen for c in colour)
                cv2.circle(image, fixed(spot - 0.25 * r), round(r * 0.55 * 16), lighter, -1, cv2.LINE_AA, 4)
            if edge is not None:
                cv2.circle(image, fixed(spot), round(r * 16), edge, edge_width, cv2.LINE_AA, 4)
            if text == "none":
                continue
            ground = np.array(colour if text == "on" else tone)
            ink: Colour = (15, 15, 15) if ground @ (0.11, 0.59, 0.3) > 110 else (245, 245, 245)
            halo: Colour | None = None
            if style == "dark outlined":
                ink, halo = (15, 15, 15), (245, 245, 245)
            elif style == "light outlined":
                ink, halo = (245, 245, 245), (15, 15, 15)
            glyph, fat = edition.face.mask(str(BUTTONS[k]), tall, 0.12 * tall if halo else 0.0)
            at = spot + (side * (r * 1.2 + glyph.shape[1] / 2) if text == "beside" else 0.0, 0.0)
            if halo is not None:
                blend(image, fat, halo, float(at[0]), float(at[1]))
            blend(image, glyph, ink, float(at[0]), float(at[1]))

    @staticmethod
    def _plate(image: Image, spots: Floats, reach: float, tone: Colour, rounded: bool) -> None:
        if rounded:
            cv2.line(image, fixed(spots[0]), fixed(spots[-1]), tone, max(1, round(2 * reach)), cv2.LINE_AA, 4)
            return
        along = (spots[-1] - spots[0]) / np.hypot(*(spots[-1] - spots[0]))
        aside = np.array([-along[1], along[0]])
        a, b = spots[0] - along * reach, spots[-1] + along * reach
        box = np.array([a - aside * reach, a + aside * reach, b + aside * reach, b - aside * reach])
        cv2.fillPoly(image, [np.round(box * 16).astype(np.int32)], tone, cv2.LINE_AA, 4)

    # ------------------------------------------------------------ who stands where

    def deal(self, tiles: list[bool]) -> None:
        """Choose by chance which ships stand where and where the ring rests; ``tiles`` says which cells hold one."""
        rng = self.rng
        if self.crowded:
            self._crowd()
            return
        pick = rng.random()
        if pick < 0.12:
            return
        count = 0 if pick < 0.18 else int(rng.choice([10, 10, *range(1, 11)]))
        order = list(SHIPS) if rng.random() < 0.5 else [SHIPS[i] for i in rng.permutation(10)]
        launched = order[:count]
        held = [i for i, tile in enumerate(tiles) if tile] or list(range(len(tiles)))
        crowded = rng.uniform(0, 0.4)
        cell = int(rng.choice(held))
        for name in launched:
            if rng.random() > crowded:
                cell = int(rng.choice(held)) if rng.random() > 0.03 else int(rng.integers(len(tiles)))
            at = self._free(np.array(self.board.centres[cell]), 0.36)
            if at is not None:
                self.ships.append(Ship(name, at, cell))
        if self.buttons is None:
            return
        if rng.random() < 0.85:
            for name in order[count:]:
                if rng.random() < 0.97:
                    at = self._free(self.buttons[SHIPS.index(name) + 1], 0.3 * self.size)
                    if at is not None:
                        self.ships.append(Ship(name, at, on_pad=True))
        if rng.random() < 0.92:
            self.ring = highest_button(launched) if rng.random() < 0.6 else int(rng.choice(BUTTONS))

    def _crowd(self) -> None:
        """Stand ships of any colours everywhere, and the ring on any button."""
        rng = self.rng
        for _ in range(int(rng.integers(25, 60))):
            cell = int(rng.integers(len(self.board.cells)))
            at = self._free(np.array(self.board.centres[cell]), 0.38)
            if at is not None:
                self.ships.append(Ship(str(rng.choice(SHIPS)), at, cell))
        if self.buttons is None:
            return
        self.ring = int(rng.choice(BUTTONS))
        self.more_rings = tuple(b for b in BUTTONS if b != self.ring and rng.random() < 0.35)
        for k, name in enumerate(SHIPS):
            at = self._free(self.buttons[k + 1], 0.3 * self.size)
            if at is not None and rng.random() < 0.4:
                self.ships.append(Ship(name, at, on_pad=True))

    def _free(self, middle: Floats, reach: float) -> tuple[float, float] | None:
        """Return a place near a point, at some distance from all ships so far; None if there is none."""
        for _ in range(12):
            p = middle + self.rng.uniform(-reach, reach, 2)
            if all(np.hypot(p[0] - s.at[0], p[1] - s.at[1]) > 1.7 * self.radius + 0.03 for s in self.ships):
                return float(p[0]), float(p[1])
        return None

    # ------------------------------------------------------------ what stands there

    def place(self, image: Image, homography: Floats, up: Floats, harsh: float) -> None:
        """Stand ring, ships and things that are none on the table."""
        rng = self.rng
        heaps: list[tuple[Floats, Floats]] = []
        if self.ring is not None and self.buttons is not None:
            for ring in (self.ring, *self.more_rings):
                at = self.buttons[BUTTONS.index(ring)] + rng.normal(0, 0.06 * self.size, 2)
                heaps.append(_heap(self._ring(self.size), hsv(rng.uniform(0, 360), 0.1, rng.uniform(0.03, 0.2)), at))
        elif rng.random() < 0.15:
            at = np.array([rng.uniform(-3, 6), rng.choice([-1.2, 6.2])])
            heaps.append(_heap(self._ring(rng.uniform(0.12, 0.25)), (20, 20, 20), at))
        for ship in self.ships:
            heaps.append(_heap(self._ship(), self.hues[ship.colour], np.array(ship.at)))
        if rng.random() < 0.15 + 0.1 * harsh:
            for _ in range(int(rng.integers(1, 5))):
                strange = self._free(rng.uniform(-1, 6, 2), 1.0)
                if strange is not None:
                    colour = hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.1, 1))
                    heaps.append(_heap(self._thing(), colour, np.array(strange)))
        if not heaps:
            return
        feet = np.array([[*quads.reshape(-1, 3)[:, :2].mean(0), 0.0] for quads, _ in heaps])
        depths = solids.project(homography, up, feet)[1]
        a, b = solids.project(homography, up, np.array([[2.0, 2.5, 0], [3.0, 2.5, 0]]))[0]
        solids.shadow(image, homography, up, [quads for quads, _ in heaps], self.lamp, float(np.hypot(*(b - a))))
        for i in np.argsort(-depths, kind="stable"):
            quads, colours = heaps[int(i)]
            solids.stand(image, homography, up, quads, colours, self.lamp)

    def _ring(self, size: float) -> Floats:
        thick = size * self.rng.uniform(0.1, 0.24)
        radius = size * self.rng.uniform(0.95, 1.3) + thick * self.rng.uniform(0, 1)
        return solids.torus(radius, thick, self.rng.uniform(0.3, 1.0))

    def _ship(self) -> Floats:
        profile = np.array(SHAPES[self.split][self.shape]) * (self.radius, self.height)
        quads = [solids.revolve(profile, self.sides)]
        for k in range(self.fins):
            a = 2 * np.pi * k / self.fins
            fin = np.array([[0.4, 0, 0.5], [0.4, 0, 0.1], [1.25, 0, 0.0], [1.2, 0, 0.2]]) * (
                self.radius,
                1,
                self.height,
            )
            quads.append(solids.turned(np.stack([fin, fin[::-1]]), a))
        return solids.turned(np.concatenate(quads), self.rng.uniform(0, 2 * np.pi))

    def _thing(self) -> Floats:
        """Return something that is no ship: a cube, a coin, a flat counter."""
        rng = self.rng
        kind = str(rng.choice(["cube", "coin", "counter"]))
        if kind == "cube":
            side = rng.uniform(0.12, 0.24)
            quads = solids.box(side, side, side)
        else:
            r = rng.uniform(0.2, 0.4) if kind == "coin" else rng.uniform(0.1, 0.2)
            h = rng.uniform(0.02, 0.05)
            quads = solids.revolve(np.array([[r, 0], [r, h], [0, h]]), 20)
        return solids.turned(quads, rng.uniform(0, 2 * np.pi))


def _heap(quads: Floats, colour: Colour, at: Floats) -> tuple[Floats, Floats]:
    """Return quadrangles moved to a place, and the colour of each."""
    return quads + (at[0], at[1], 0.0), np.broadcast_to(np.array(colour), (len(quads), 3))
