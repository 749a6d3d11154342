"""Read the spaceships of a board: which stand on which tiles, which are on the launch pad, where the ring is.

A network marks the foot of each ship in one upright picture of the board, and how likely each colour is. Each ship
exists once, so the marks compete for the colours: the same assignment that decodes tiles gives the most probable fleet
and how much worse every other one is. A second one tells on which button of the pad the ring rests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import erf, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.models import Network, load_network, temperatures
from boardsight.scoring.boards import Board
from boardsight.scoring.pad import BUTTONS
from boardsight.vision.decode import assign, losses
from boardsight.vision.heads import FLEET, SHIP_COLOURS
from boardsight.vision.lattice import project
from boardsight.vision.launchpad import Pad, cut_strip, fit_pad, hilltop, on_map, ring_odds
from boardsight.vision.reading import BoardReading, FleetReading, Reading, ShipReading
from boardsight.vision.window import SIZE, STRIDE, cut_window, map_to_board

Floats = NDArray[np.float64]

SHIPS_ARE_READ = "fleet.scale"
"""Ships are read where the table of temperatures says how honest their network is; without it only the ring is."""
FLOOR = 0.05
"""Height of the map of ships below which nothing is asked."""
MOST = 40
"""Places that are asked, the likeliest: four for each ship that there is."""
COLOUR_FLOOR = np.log(1e-3)
"""No colour counts as surer than this to be wrong."""
AT_HOME = np.log(0.95)
"""Log probability beforehand that a ship on the pad stands on its own button."""
OFF_TILE = 0.12
"""How far beside its tile a ship's foot may seem to be, in tile widths."""
SPREAD = 0.045
"""How far a foot is found from where it is, in tile widths: a standard deviation."""
ON_BUTTON = 0.55
"""How far from a button's middle a ship stands on it, in distances of two buttons."""


@dataclass(frozen=True, slots=True, eq=False)
class Feet:
    """Where ships may stand in the maps: n places."""

    spots: Floats
    """(n, 2) x, y in pixels of the map."""
    there: Floats
    """(n,) probability that a ship stands there."""
    colours: Floats
    """(n, ships) log probability of each colour, were a ship there."""


def find_feet(maps: NDArray[np.float32]) -> Feet:
    """Return where ships may stand, from the maps (1 + ships ..., h, w) of the network."""
    heat = maps[0]
    high = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= high) & (heat > FLOOR))
    order = np.argsort(-heat[ys, xs], kind="stable")
    alone: list[int] = []
    for i in order.tolist():
        if len(alone) < MOST and all(abs(xs[i] - xs[j]) > 1 or abs(ys[i] - ys[j]) > 1 for j in alone):
            alone.append(i)
    ys, xs = ys[alone], xs[alone]
    chances = np.exp(maps[1 : 1 + SHIP_COLOURS].astype(np.float64))
    spots, colours = [], []
    for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
        spots.append(hilltop(heat, x, y))
        part = (slice(max(0, y - 1), y + 2), slice(max(0, x - 1), x + 2))
        weight = heat[part].astype(np.float64)
        colours.append((chances[:, part[0], part[1]] * weight).sum((1, 2)) / weight.sum())
    table = np.array(colours, np.float64).reshape(-1, SHIP_COLOURS)
    there = heat[ys, xs].astype(np.float64).clip(1e-4, 1 - 1e-4)
    return Feet(np.array(spots, np.float64).reshape(-1, 2), there, np.log(np.maximum(table, 1e-9)))


def cell_of(board: Board, x: float, y: float) -> tuple[int, float]:
    """Return the cell nearest to a place in board coordinates, and how far inside its octagon's edge that is."""
    away = np.array(board.centres) - (x, y)
    k = int(np.argmin((away**2).sum(1)))
    dx, dy = np.abs(away[k])
    return k, float(0.5 - max(dx, dy, (dx + dy) / sqrt(2)))


@dataclass(frozen=True, slots=True)
class Place:
    """What a foot stands on."""

    cell: int = -1
    button: int = -1
    inside: float = 0.0
    """How far inside its edge, in tile widths; on the pad, 1."""

    @property
    def known(self) -> bool:
        return self.cell >= 0 or self.button >= 0


def place_of(board: Board, spot: Floats, pad: Pad | None) -> Place:
    """Return what a foot at a spot of the map stands on."""
    if pad is not None:
        away = np.hypot(*(pad.buttons - spot).T)
        k = int(np.argmin(away))
        if away[k] < ON_BUTTON * float(np.hypot(*(pad.buttons[1] - pad.buttons[0]))):
            return Place(button=k, inside=1.0)
    x, y = map_to_board(spot[None])[0]
    cell, inside = cell_of(board, float(x), float(y))
    return Place(cell, inside=inside) if inside > -OFF_TILE else Place()


def assign_ships(feet: Feet, places: Sequence[Place]) -> tuple[NDArray[np.intp], Floats, NDArray[np.intp]]:
    """Return for n feet the likeliest ships, each at most once, how sure each is, and the second likeliest.

    A ship is its number in pad order; ``SHIP_COLOURS`` stands for none.
    """
    n = len(feet.there)
    honest = temperatures()
    odds = np.log(feet.there / (1 - feet.there)) * honest["fleet.scale"] + honest["fleet.shift"]
    colours = np.maximum(feet.colours / honest["fleet.colour"], COLOUR_FLOOR)
    for i, place in enumerate(places):
        if place.button > 0:
            colours[i] += np.log((1 - np.exp(AT_HOME)) / (SHIP_COLOURS - 1))
            colours[i, place.button - 1] += AT_HOME - np.log((1 - np.exp(AT_HOME)) / (SHIP_COLOURS - 1))
    table = np.full((n, SHIP_COLOURS + 2), -1e3)
    table[:, :SHIP_COLOURS] = -np.logaddexp(0, -odds)[:, None] + colours
    table[:, SHIP_COLOURS] = -np.logaddexp(0, odds)
    best = assign(table)
    loss = losses(table, best)
    loss[np.arange(n), best] = np.inf
    runner_up = loss.argmin(1)
    sure = 1 / (1 + np.exp(-loss).sum(1))
    return best, sure, runner_up


class FleetReader:
    """Reads the ships of boards that have a launch pad; loads its networks when the first one comes."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads

    @cached_property
    def _network(self) -> Network:
        return load_network("fleet", self._threads)

    @cached_property
    def _pad_network(self) -> Network:
        return load_network("pad", self._threads)

    def added(self, reading: Reading, image: NDArray[np.uint8], scale: float, certain: float) -> Reading:
        """Return a reading with the ring of its boards and, where `SHIPS_ARE_READ`, their ships.

        Parameters: ``image`` (h, w, 3) shows the photo at ``scale`` pixels a pixel of the full photo; ``certain`` is
        the probability from which on a ship or the ring is certain.
        """
        if reading.fault is not None or not any(board.board.ships for board in reading.boards):
            return reading
        move = np.array([[scale, 0, 0.5 * scale - 0.5], [0, scale, 0.5 * scale - 0.5], [0, 0, 1.0]])
        boards = tuple(
            replace(board, fleet=self.read(image, move, board, certain)) if board.board.ships else board
            for board in reading.boards
        )
        return replace(reading, boards=boards)

    def maps(self, image: NDArray[np.uint8], homography: Floats) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the network's maps of a board and where they show the photo and not what lies beyond its edge."""
        maps = self._network(cut_window(image, homography)[None])[0]
        ys, xs = np.mgrid[0 : SIZE[1] // STRIDE, 0 : SIZE[0] // STRIDE].astype(np.float64)
        spots = project(homography, map_to_board(np.column_stack([xs.ravel(), ys.ravel()])))
        h, w = image.shape[:2]
        inside = ((spots >= 0) & (spots < (w, h))).all(1).reshape(xs.shape)
        return maps, np.asarray(inside, np.bool_)

    def read(self, image: NDArray[np.uint8], move: Floats, reading: BoardReading, certain: float) -> FleetReading:
        """Return ships and ring of one board; ``move`` (3, 3) maps pixels of the full photo to pixels of ``image``."""
        board = reading.board
        full = np.array(reading.homography).reshape(3, 3)
        maps, inside = self.maps(image, move @ full)
        pad = fit_pad(maps[1 + FLEET.index(str(BUTTONS[0])) :], inside)

        def photo(spots: Floats) -> list[tuple[float, float]]:
            at = project(full, map_to_board(spots))
            return [(round(float(x), 1), round(float(y), 1)) for x, y in at]

        ships = self._ships(board, maps, inside, pad, photo, certain) if SHIPS_ARE_READ in temperatures() else ()
        if pad is None:
            return FleetReading(ships)
        strip = cut_strip(image, move @ full, map_to_board(pad.buttons))
        odds = ring_odds(self._pad_network(strip[None])[0]) / temperatures()["fleet.ring"]
        odds[-1] += temperatures()["fleet.none"]
        odds[:-1][~on_map(inside, pad.buttons)] = -50.0
        chances = np.exp(odds - np.logaddexp.reduce(odds))
        first, second = np.argsort(-chances, kind="stable")[:2]
        texts = (*BUTTONS, None)
        return FleetReading(
            ships,
            texts[first],
            round(float(chances[first]), 6),
            texts[second],
            bool(chances[first] >= certain),
            tuple(photo(pad.buttons)),
        )

    def _ships(
        self,
        board: Board,
        maps: NDArray[np.float32],
        inside: NDArray[np.bool_],
        pad: Pad | None,
        photo: Callable[[Floats], list[tuple[float, float]]],
        certain: float,
    ) -> tuple[ShipReading, ...]:
        """Return the ships of one board; ``photo`` maps spots of the maps (n, 2) to pixels of the full photo."""
        feet = find_feet(maps)
        places = [place_of(board, spot, pad) for spot in feet.spots]
        keep = [
            i
            for i, place in enumerate(places)
            if on_map(inside, feet.spots[i : i + 1])[0] and (place.known or feet.there[i] > 0.5)
        ]
        feet = Feet(feet.spots[keep], feet.there[keep], feet.colours[keep])
        places = [places[i] for i in keep]

        ships: list[ShipReading] = []
        if keep:
            best, sure, other = assign_ships(feet, places)
            names = (*board.ships, "", "")
            for i, at in enumerate(photo(feet.spots)):
                place = places[i]
                if not place.known:
                    continue
                where = board.cells[place.cell].name if place.cell >= 0 else ""
                chance = float(sure[i]) * (0.5 + 0.5 * erf(place.inside / SPREAD / sqrt(2)) if names[best[i]] else 1.0)
                name, runner_up = names[best[i]], names[other[i]]
                if not name and chance >= certain:
                    continue
                ships.append(ShipReading(name, where, round(chance, 6), at, runner_up, chance >= certain))
        order = {name: k for k, name in enumerate(board.ships)}
        ships.sort(key=lambda s: (order.get(s.ship, len(order)), s.cell))
        return tuple(ships)
