"""The reader's front door: from a photo to what it says.

The stages stand side by side here and nowhere else: load, locate, fit, crop, classify, decode.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from boardsight.models import Network, load_network
from boardsight.scoring.boards import BOARDS, Board
from boardsight.vision.beside import fit_beside
from boardsight.vision.classify import evidence, form_scores, way_of, ways
from boardsight.vision.crop import crop_cells, tile_pixels
from boardsight.vision.decode import Decoded, Evidence, decode, decode_together
from boardsight.vision.heads import KINDS
from boardsight.vision.lattice import Lattice, Marks, fit_lattices, project
from boardsight.vision.locate import SIDE, Located, locate
from boardsight.vision.photo import Photo, load
from boardsight.vision.placement import Placement, placements
from boardsight.vision.reading import BoardReading, CellReading, Fault, Reading

CERTAIN = 0.99
"""A space is certain from this calibrated confidence on; more asks the player more often."""
LEAST_TILES = 4
"""Tiles that a board must hold to be read."""
SIDES = (SIDE, 2 * SIDE, SIDE * 9 // 16)
"""Longer sides at which the locator looks at a photo, one after the other, until a board is found beyond doubt."""
SOLID = 0.7
"""Share of a board's spaces that must be marked for it to be beyond doubt."""
SMALL = 17.0
"""Tile width in pixels of the locator's picture below which the photo is looked at again, larger."""
TOO_SMALL = 18.0
"""Tile width in pixels of the full photo below which nothing is read: about 10 px a hexagon's edge."""
LEAST_LIKELY = -4.5
"""Mean log likelihood of a board's tiles below which it is not a board of ours."""
TURN_SIDE, TILE_SIDE = 40, 64
MOST_BOARDS = 8
EDGE = 0.25
"""A space whose centre is nearer to the photo's edge than this, in tile widths, is cut off."""


@dataclass(eq=False)
class _Found:
    """A board as it was found, before it is decoded for good."""

    placement: Placement
    homography: NDArray[np.float64]
    """Board coordinates to pixels of the decoded picture."""
    evidence: Evidence
    decoded: Decoded
    crops: NDArray[np.uint8]
    marks: Marks
    error: float
    rival: float
    """How much less likely the best other way to lay the board is, in nats."""
    cut: tuple[str, ...] = ()
    forms: Mapping[str, float] = field(default_factory=dict)

    @property
    def board(self) -> Board:
        return self.placement.board


class Reader:
    """Reads photos; holds the networks, so make one and keep it."""

    def __init__(self, threads: int = 1) -> None:
        self._marks: Network = load_network("marks", threads)
        self._turn: Network = load_network("turn", threads)
        self._tiles: Network = load_network("tiles", threads)

    def read(self, path: str | os.PathLike[str], game: str | None = None, keep_stages: bool = False) -> Reading:
        """Read a photo file; ``game`` restricts what is looked for; a bad photo gives a reading with a fault."""
        start = time.perf_counter()
        name = os.fspath(path)
        photo = load(path)
        if isinstance(photo, Fault):
            return Reading(name, fault=photo)
        return self.read_photo(photo, game, keep_stages, {"load": time.perf_counter() - start})

    def read_photo(
        self, photo: Photo, game: str | None = None, keep_stages: bool = False, seconds: dict[str, float] | None = None
    ) -> Reading:
        """Read a photo that is loaded already."""
        clock = _Clock(seconds if seconds is not None else {})
        boards = tuple(b for b in BOARDS.values() if game is None or b.game == game)
        image = photo.image
        located, found, lattices = self._best_look(image, boards, clock)
        scale = photo.scale
        if found and photo.scale < 1 and min(tile_pixels(f.homography, np.array(f.board.centres)) for f in found) < TILE_SIDE * 0.7:
            image = photo.full()
            scale = 1.0
            ratio = image.shape[1] / photo.image.shape[1]
            found = [g for f in found if (g := self._sharpened(f, image, ratio)) is not None]
            clock.lap("classify")
        reading = self._conclude(photo, found, scale, clock)
        if keep_stages:
            full = 1 / photo.scale
            reading.stages.update(
                {
                    "marks": {"heatmap": located.maps, "peaks": np.column_stack([(located.marks.centres + 0.5) * full - 0.5, located.marks.scores])},
                    "lattice": [
                        {
                            "detections": (located.marks.centres + 0.5) * full - 0.5,
                            "inliers": (located.marks.centres[list(l.members.values())] + 0.5) * full - 0.5,
                        }
                        for l in lattices
                    ],
                    "crops": np.concatenate([f.crops for f in found]) if found else np.zeros((0, TILE_SIDE, TILE_SIDE, 3), np.uint8),
                    "probabilities": {
                        name: np.exp(rows) for f in found[:1] for name, rows in {"what": f.evidence.what, **f.evidence.heads}.items()
                    },
                    "seconds": dict(clock.seconds),
                }
            )
        return reading

    # ------------------------------------------------------------ stages

    def _best_look(
        self, image: NDArray[np.uint8], boards: tuple[Board, ...], clock: _Clock
    ) -> tuple[Located, list[_Found], list[Lattice]]:
        """Look at the photo at one scale after the other until what is found is beyond doubt; return the best look."""
        best: tuple[float, tuple[Located, list[_Found], list[Lattice]]] | None = None
        longest = max(image.shape[:2])
        for side in SIDES:
            if best is not None and side > SIDE and longest < 1.2 * SIDE:
                continue
            look = self._look(image, boards, side, clock)
            found = look[1]
            worth = sum(f.placement.score for f in found)
            if best is None or worth > best[0] + 1e-6:
                best = worth, look
            widths = [tile_pixels(f.homography, np.array(f.board.centres)) * side / longest for f in found]
            solid = [f.placement.score >= SOLID * len(f.board.cells) for f in found]
            if found and all(solid) and min(widths) >= SMALL:
                break
        if best is None:
            return self._look(image, boards, SIDE, clock)
        return best[1]

    def _look(self, image: NDArray[np.uint8], boards: tuple[Board, ...], side: int, clock: _Clock) -> tuple[Located, list[_Found], list[Lattice]]:
        """Find boards one after the other, each time among the marks that belong to none yet."""
        located = locate(image, self._marks, side=side)
        clock.lap("locate")
        marks = located.marks
        free = np.ones(len(marks.centres), bool)
        found: list[_Found] = []
        used: list[Lattice] = []
        size = image.shape[1], image.shape[0]
        for _ in range(MOST_BOARDS):
            best: tuple[float, _Found, Lattice] | None = None
            for lattice in self._lattices(marks, free, found):
                clock.lap("fit")
                board = self._board(lattice, marks, image, size, boards, clock)
                if board is not None and (best is None or board.placement.score > best[0]):
                    best = board.placement.score, board, lattice
                if best is not None:
                    break
            clock.lap("fit")
            if best is None:
                break
            _, board, lattice = best
            found.append(board)
            used.append(lattice)
            centres = project(board.homography, board.board.centres)
            width = tile_pixels(board.homography, np.array(board.board.centres))
            away = np.hypot(*(marks.centres[:, None] - centres[None]).transpose(2, 0, 1)).min(1) if len(marks.centres) else np.zeros(0)
            free &= away > 0.5 * width
        return located, found, used

    def _lattices(self, marks: Marks, free: NDArray[np.bool_], found: list[_Found]) -> list[Lattice]:
        """Return lattices among the free marks, the likelier first."""
        if int(free.sum()) < LEAST_TILES:
            return []
        result = []
        for first in found[:1]:
            beside = fit_beside(marks, free, first.homography, first.board.lattice)
            if beside is not None:
                result.append(beside)
        index = np.flatnonzero(free)
        part = Marks(marks.centres[index], marks.kinds[index], marks.scores[index])
        for lattice in fit_lattices(part)[:3]:
            result.append(replace(lattice, members={p: int(index[m]) for p, m in lattice.members.items()}))
        return result

    def _board(self, lattice: Lattice, marks: Marks, image: NDArray[np.uint8], size: tuple[int, int], boards: tuple[Board, ...], clock: _Clock) -> _Found | None:
        """Return the board that a lattice carries, laid the likeliest way, or None if there is none of ours."""
        ranked = placements(lattice, marks, size, boards)
        clock.lap("fit")
        best: _Found | None = None
        groups = sorted({p.group for p in ranked})[:2]
        for group in groups:
            some = [p for p in ranked if p.group == group]
            if best is not None and some[0].score < best.placement.score - 2.0:
                continue
            found = self._laid(some, lattice, marks, image, size)
            clock.lap("classify")
            if found is not None and (best is None or _merit(found) > _merit(best)):
                best = found
        return best

    def _laid(self, some: list[Placement], lattice: Lattice, marks: Marks, image: NDArray[np.uint8], size: tuple[int, int]) -> _Found | None:
        """Return the likeliest of placements that cover the same positions."""
        first = some[0]
        shape = first.board.tile_set.shape
        centres = np.array(first.board.centres)
        with_tile = [i for i, m in enumerate(first.marks) if m >= 0 and KINDS[marks.kinds[m]].endswith("tile")]
        if len(with_tile) < LEAST_TILES:
            return None
        # the surest tiles suffice to see which way they lie
        with_tile = sorted(with_tile, key=lambda i: -float(marks.scores[first.marks[i]]))[:16]
        h0 = _tuned(first, marks)
        crops = crop_cells(image, h0, centres[with_tile], pixels=TURN_SIDE)
        votes = ways(crops, self._turn, shape)
        options: list[tuple[float, Placement]] = []
        middle = project(h0, centres.mean(0)[None])[0]
        for placement in some:
            way = way_of(_relative(first.homography, placement.homography, middle), shape, len(votes))
            options.append((float(votes[way]), placement))
        options.sort(key=lambda item: -item[0])
        # forms that differ in their stripes only share a homography: the first stands for all
        tried: list[_Found] = []
        top = options[0][0]
        seen: list[NDArray[np.float64]] = []
        for vote, placement in options:
            if vote < top - 8.0 or len(tried) >= 3:
                break
            if any(np.allclose(project(placement.homography, placement.board.centres), s, atol=1e-3) for s in seen):
                continue
            seen.append(project(placement.homography, placement.board.centres))
            found = self._read_at(placement, marks, image, size, lattice.error)
            tried.append(found)
        tried.sort(key=lambda f: -f.decoded.log_likelihood)
        best = tried[0]
        if len(tried) > 1:
            best.rival = best.decoded.log_likelihood - tried[1].decoded.log_likelihood
        same = [p for _, p in options if np.allclose(project(p.homography, p.board.centres), project(best.placement.homography, best.board.centres), atol=1e-3)]
        if best.forms and len(same) > 1:
            form = max(same, key=lambda p: best.forms.get(p.board.form, -1e9))
            best.placement = form
        tiles = [t for t in best.decoded.tiles if t != "--"]
        if len(tiles) < LEAST_TILES or best.decoded.mean_log_likelihood < LEAST_LIKELY:
            return None
        return best

    def _read_at(self, placement: Placement, marks: Marks, image: NDArray[np.uint8], size: tuple[int, int], error: float) -> _Found:
        """Crop, classify and decode a board that lies as a placement says."""
        homography = _tuned(placement, marks)
        found, forms, crops = self._classify(placement.board, homography, image)
        places = project(homography, placement.board.centres)
        width = tile_pixels(homography, np.array(placement.board.centres))
        cut = tuple(
            cell.name
            for cell, (x, y) in zip(placement.board.cells, places, strict=True)
            if not (EDGE * width < x < size[0] - EDGE * width and EDGE * width < y < size[1] - EDGE * width)
        )
        return _Found(placement, homography, found, decode(placement.board, found), crops, marks, error, 50.0, cut, forms)

    def _classify(self, board: Board, homography: NDArray[np.float64], image: NDArray[np.uint8]) -> tuple[Evidence, dict[str, float], NDArray[np.uint8]]:
        crops = crop_cells(image, homography, np.array(board.centres), pixels=TILE_SIDE)
        found, parts = evidence(crops, self._tiles, board.tile_set.shape)
        return found, form_scores(parts, self._tiles, board.tile_set.shape), crops

    def _sharpened(self, found: _Found, image: NDArray[np.uint8], ratio: float) -> _Found | None:
        """Read a board again in a larger picture of the same photo."""
        move = np.array([[ratio, 0, (ratio - 1) / 2], [0, ratio, (ratio - 1) / 2], [0, 0, 1]])
        homography = move @ found.homography
        again, forms, crops = self._classify(found.board, homography, image)
        return replace(found, homography=homography, evidence=again, decoded=decode(found.board, again), crops=crops, forms=forms)

    # ------------------------------------------------------------ the end

    def _conclude(self, photo: Photo, found: list[_Found], scale: float, clock: _Clock) -> Reading:
        """Decode the boards that share a tile set together and put the reading together."""
        if not found:
            return Reading(photo.name, photo.size, fault=Fault("no-board", f"{photo.name}: no board found; take the photo from above with the whole board in it, in even light"))
        games = {f.board.game for f in found}
        if len(games) > 1:
            # a few marks of another lattice do not make the photo ambiguous
            largest = max(found, key=lambda f: len([t for t in f.decoded.tiles if t != "--"]))
            rivals = [f for f in found if f.board.game != largest.board.game and len(f.board.cells) > 7 and _merit(f) > 0.6 * _merit(largest)]
            if rivals:
                names = ", ".join(sorted(games))
                return Reading(photo.name, photo.size, fault=Fault("ambiguous-game", f"{photo.name}: could be {names}; say which with --game"))
            found = [f for f in found if f.board.game == largest.board.game]
        temperature = self._tiles.temperature
        for group in _owners(found):
            together = decode_together([(f.board, f.evidence) for f in group], temperature=temperature)
            for f, decoded in zip(group, together, strict=True):
                f.decoded = decoded
        clock.lap("decode")
        cut = [(f, f.cut) for f in found if f.cut]
        if cut:
            f, cells = cut[0]
            return Reading(photo.name, photo.size, f.board.game, fault=Fault("incomplete-board", f"{photo.name}: {f.board.title} is cut off at {', '.join(cells)}; take the photo with the whole board in it"))
        if min(tile_pixels(f.homography, np.array(f.board.centres)) for f in found) / scale < TOO_SMALL:
            return Reading(photo.name, photo.size, fault=Fault("no-board", f"{photo.name}: the board is too small in the photo; go nearer"))
        readings = tuple(self._reading(f, scale) for f in found)
        warnings = []
        for f, r in zip(found, readings, strict=True):
            if r.mirrored:
                warnings.append(f"{f.board.title}: the photo is mirrored; it is read as if it were not")
            if f.board.form:
                warnings.append(f"{f.board.title}: in this photo {f.board.form_note}; scored like that")
        return Reading(photo.name, photo.size, found[0].board.game, readings, tuple(dict.fromkeys(warnings)))

    def _reading(self, found: _Found, scale: float) -> BoardReading:
        """Turn a found board into what leaves the reader, in pixels of the full photo."""
        move = np.array([[1 / scale, 0, 0.5 / scale - 0.5], [0, 1 / scale, 0.5 / scale - 0.5], [0, 0, 1]])
        homography = move @ found.homography
        homography = homography / homography[2, 2]
        board = found.board
        places = project(homography, board.centres)
        temperature = self._tiles.temperature
        turn_confidence = 1 / (1 + float(np.exp(-min(found.rival / temperature, 50.0))))
        cells = []
        for i, cell in enumerate(board.cells):
            confidence = found.decoded.confidence[i] * turn_confidence
            tile = found.decoded.tiles[i]
            cells.append(
                CellReading(cell.name, tile, round(confidence, 6), (round(float(places[i][0]), 1), round(float(places[i][1]), 1)),
                            runner_up=found.decoded.runner_up[i], certain=confidence >= CERTAIN and tile != "??")
            )  # fmt: skip
        return BoardReading(board, tuple(cells), tuple(float(v) for v in homography.ravel()), found.placement.mirrored, found.error)


class _Clock:
    """Adds up the seconds of each stage."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """Give the time since the last lap to a stage."""
        now = time.perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now


def _merit(found: _Found) -> float:
    """Return how much a board explains: its placement's score, less what its tiles leave doubtful."""
    return found.placement.score + 0.3 * found.decoded.mean_log_likelihood * len(found.board.cells) / 10


def _owners(found: list[_Found]) -> list[list[_Found]]:
    """Return the boards that share one set of tiles: a Scrap Yard goes with the Nexus nearest to it."""
    groups = [[f] for f in found if f.board.name != "scrapyard"]
    for f in found:
        if f.board.name != "scrapyard":
            continue
        at = project(f.homography, f.board.centres).mean(0)
        open_groups = [g for g in groups if g[0].board.name == "nexus" and len(g) == 1]
        if open_groups:
            min(open_groups, key=lambda g: float(np.hypot(*(project(g[0].homography, g[0].board.centres).mean(0) - at)))).append(f)
        else:
            groups.append([f])
    return groups


def _relative(first: NDArray[np.float64], other: NDArray[np.float64], middle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the 2 x 2 map from the other placement's board coordinates to the first one's, about a place in the photo."""
    m = np.linalg.inv(first) @ other
    at = np.linalg.inv(other) @ np.append(middle, 1)
    x, y = at[0] / at[2], at[1] / at[2]
    w = m[2, 0] * x + m[2, 1] * y + m[2, 2]
    p = (m[:2] @ np.array([x, y, 1.0])) / w
    result: NDArray[np.float64] = (m[:2, :2] - np.outer(p, m[2, :2])) / w
    return result


def _tuned(placement: Placement, marks: Marks) -> NDArray[np.float64]:
    """Return the placement's homography; kept apart so that a finer fit has its place."""
    return np.asarray(placement.homography, np.float64)
