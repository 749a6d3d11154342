"""The reader's front door: from a photo to what it says.

The stages stand side by side here and nowhere else: load, locate, fit, crop, classify, decode.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from boardsight.models import Network, load_network, temperatures
from boardsight.scoring.boards import BOARDS, Board
from boardsight.vision.beside import fit_beside
from boardsight.vision.crop import tile_pixels
from boardsight.vision.decode import Decoded, decode_together
from boardsight.vision.files import quoted
from boardsight.vision.finder import LEAST_BESIDE, LEAST_TILES, TILE_SIDE, Finder, Found, merit
from boardsight.vision.fleet import FleetReader
from boardsight.vision.lattice import Lattice, Marks, lattices, project
from boardsight.vision.locate import SIDE, Located, Region, around, crowd, locate
from boardsight.vision.loose import LooseReader
from boardsight.vision.photo import Photo, load
from boardsight.vision.reading import EMPTY, UNREAD, BoardReading, CellReading, Fault, Reading
from boardsight.vision.reserve import loose_marks, reserve_board

CERTAIN = 0.99
"""A space is certain from this calibrated confidence on; more asks the player more often."""
DOUBT = 0.999
"""A space is looked at again, from several sides, if it is less sure than this before calibration."""
CLOSER = 0.75
"""A part of the photo is looked at alone if its longer side is at most this share of the photo's."""
SOLID = 0.7
"""Share of a board's spaces that must be marked for it to be beyond doubt, and height of a mark that is."""
SMALL = 17.0
"""Tile width in pixels of the locator's picture below which the photo is looked at again, larger."""
TOO_SMALL = 18.0
"""Tile width in pixels of the full photo below which nothing is read: about 10 px a hexagon's edge."""
COARSE = 26.0
"""Tile width in pixels of the decoded picture below which a board is found again in the full photo."""
LARGEST_LOOK = 4700
"""Longer side in pixels up to which a photo is decoded for the last look: 16 megapixels."""
LEAST_PIXELS = 0.7 * TILE_SIDE
"""Tile width in pixels below which a board that was found is read in a larger picture."""
MOST_BOARDS = 8

Look: TypeAlias = tuple[Located, list[Found], list[Lattice]]
"""What one look at a photo found: its marks, its boards, and the lattices under them."""


class Reader:
    """Reads photos; holds the networks, so make one and keep it."""

    def __init__(self, threads: int = 1) -> None:
        self._marks: Network = load_network("marks", threads)
        self._tiles: Network = load_network("tiles", threads)
        self._finder = Finder(load_network("turn", threads), self._tiles)
        self._fleet = FleetReader(threads)
        self._loose = LooseReader(threads)

    def read(
        self,
        path: str | os.PathLike[str],
        game: str | None = None,
        keep_stages: bool = False,
        count: int | None = None,
    ) -> Reading:
        """Read a photo file; ``game`` restricts what is looked for; a bad photo gives a reading with a fault.

        ``count`` says how many loose pieces there should be, where house rules have another number than the game's.
        """
        start = time.perf_counter()
        name = os.fspath(path)
        photo = load(path)
        if isinstance(photo, Fault):
            return Reading(name, fault=photo)
        return self.read_photo(photo, game, keep_stages, {"load": time.perf_counter() - start}, count)

    def read_photo(
        self,
        photo: Photo,
        game: str | None = None,
        keep_stages: bool = False,
        seconds: dict[str, float] | None = None,
        count: int | None = None,
    ) -> Reading:
        """Read a photo that is loaded already: boards first, loose pieces where there is none."""
        clock = _Clock(seconds if seconds is not None else {})
        boards = tuple(b for b in BOARDS.values() if game is None or b.game == game)
        if not boards:
            return self._read_loose(photo, game, count, keep_stages, clock)
        image, scale = photo.image, photo.scale
        look = self._look(image, boards, SIDE, None, clock)
        loose: Reading | None = None
        if not look[1] and game is None:
            loose = self._read_loose(photo, game, count, keep_stages, clock)
            if loose.certain or loose.fault is None and (look[0].marks.scores > SOLID).sum() < LEAST_TILES:
                return loose
        located, found, lattices = self._best_look(image, boards, look, clock)
        if not found and loose is not None and (loose.fault is None or loose.fault.code != "no-board"):
            return loose
        finest = _finest(photo.size)
        if finest > scale and (not found or _smallest(found) < COARSE):
            larger = photo.at(finest)
            look = self._last_look(larger, larger.shape[1] / image.shape[1], found, boards, clock)
            if look[1]:
                (located, found, lattices), image, scale = look, larger, finest
        if not found and loose is not None:
            return loose
        seen_at = 1 / scale
        spots = [loose_marks(f.board, f.homography, located.marks) for f in found]
        if found and scale < 1 and _smallest(found) < LEAST_PIXELS:
            scale = photo.scale_for(max(image.shape[:2]) * LEAST_PIXELS / _smallest(found))
            seen, image = image, photo.at(scale)
            ratio = image.shape[1] / seen.shape[1]
            clock.lap("load")
            found = [self._finder.sharpened(f, image, ratio) for f in found]
            clock.lap("classify")
        for f, kept in zip(found, spots, strict=True):
            self._finder.relight(f, DOUBT)
            self._finder.look_again(f, DOUBT, CERTAIN)
            self._finder.gather(f, image, kept)
        clock.lap("classify")
        reading = self._fleet.added(self._conclude(photo, found, scale, clock), image, scale, CERTAIN)
        clock.lap("ships")
        if keep_stages:
            reading.stages.update(_stages(located, lattices, found, seen_at))
            reading.stages["seconds"] = dict(clock.seconds)
        return reading

    def _read_loose(
        self, photo: Photo, game: str | None, count: int | None, keep_stages: bool, clock: _Clock
    ) -> Reading:
        reading = self._loose.read(photo, game, count, keep_stages)
        clock.lap("pieces")
        if keep_stages:
            reading.stages["seconds"] = dict(clock.seconds)
        return reading

    # ------------------------------------------------------------ stages

    def _best_look(self, image: NDArray[np.uint8], boards: tuple[Board, ...], best: Look, clock: _Clock) -> Look:
        """Look at the photo at one scale after the other until what is found is beyond doubt; return the best look.

        ``best`` is the first one, of the whole picture at `SIDE`.
        """
        size = image.shape[1], image.shape[0]
        region = crowd(best[0].marks, size)
        for side, part in ((SIDE, region), (2 * SIDE, None), (SIDE * 9 // 16, None), (4 * SIDE, None)):
            if _beyond_doubt(best[1], SIDE / max(size)):
                break
            if side > 2 * SIDE and best[1] and _smallest(best[1]) * 2 * SIDE / max(size) > SMALL:
                break
            larger = max(part[2] - part[0], part[3] - part[1]) if part is not None else max(size)
            if side == SIDE and (part is None or larger > CLOSER * max(size)) or side > SIDE and larger < 0.6 * side:
                continue
            side = min(side, larger) if side > 2 * SIDE else side
            look = self._look(image, boards, side, part, clock)
            if _worth(look[1]) > _worth(best[1]):
                best = look
        return best

    def _last_look(
        self, image: NDArray[np.uint8], ratio: float, found: list[Found], boards: tuple[Board, ...], clock: _Clock
    ) -> Look:
        """Look at every pixel of a picture ``ratio`` times as large, or of the part where boards were found small."""
        clock.lap("load")
        size = image.shape[1], image.shape[0]
        boards_at = [project(f.homography, f.board.centres) * ratio for f in found]
        part = around(np.concatenate(boards_at), size, 0.3) if found else None
        side = max(part[2] - part[0], part[3] - part[1]) if part else max(size)
        return self._look(image, boards, side, part, clock)

    def _look(
        self, image: NDArray[np.uint8], boards: tuple[Board, ...], side: int, region: Region | None, clock: _Clock
    ) -> Look:
        """Find boards one after the other, each time among the marks that belong to none yet."""
        located = locate(image, self._marks, side=side, region=region)
        clock.lap("locate")
        marks = located.marks
        free = np.ones(len(marks.centres), bool)
        found: list[Found] = []
        used: list[Lattice] = []
        size = image.shape[1], image.shape[0]
        for _ in range(MOST_BOARDS):
            names = {f.board.name for f in found}
            fitting = tuple(b for b in boards if not (found and b.beside) or b.beside in names)
            pair: tuple[Found, Lattice] | None = None
            for lattice in self._lattices(marks, free, found):
                clock.lap("fit")
                board = self._finder.find(lattice, marks, image, size, fitting, LEAST_BESIDE if found else LEAST_TILES)
                clock.lap("classify")
                if board is not None:
                    pair = board, lattice
                    break
            clock.lap("fit")
            if pair is None:
                break
            board, lattice = pair
            found.append(board)
            used.append(lattice)
            centres = project(board.homography, board.board.centres)
            width = tile_pixels(board.homography, np.array(board.board.centres))
            away = (
                np.hypot(*(marks.centres[:, None] - centres[None]).transpose(2, 0, 1)).min(1)
                if len(marks.centres)
                else np.zeros(0)
            )
            free &= away > 0.5 * width
        return located, found, used

    def _lattices(self, marks: Marks, free: NDArray[np.bool_], found: list[Found]) -> Iterator[Lattice]:
        """Yield lattices among the free marks, the likelier first."""
        if int(free.sum()) < LEAST_TILES:
            return
        for first in found[:1]:
            beside = fit_beside(marks, free, first.homography, first.board.lattice)
            if beside is not None:
                yield beside
        index = np.flatnonzero(free)
        part = Marks(marks.centres[index], marks.kinds[index], marks.scores[index])
        for lattice in islice(lattices(part), 3):
            yield replace(lattice, members={p: int(index[m]) for p, m in lattice.members.items()})

    # ------------------------------------------------------------ the end

    def _conclude(self, photo: Photo, found: list[Found], scale: float, clock: _Clock) -> Reading:
        """Decode the boards that share a tile set together and put the reading together."""
        if not found:
            return _refused(photo, "no-board", "shows no board; take it from above, with the whole board in even light")
        games = {f.board.game for f in found}
        if len(games) > 1:
            # a few marks of another lattice do not make the photo ambiguous
            largest = max(found, key=lambda f: len([t for t in f.decoded.tiles if t != EMPTY]))
            rivals = [
                f
                for f in found
                if f.board.game != largest.board.game and len(f.board.cells) > 7 and merit(f) > 0.6 * merit(largest)
            ]
            if rivals:
                names = ", ".join(sorted(games))
                return _refused(photo, "ambiguous-game", f"could show {names}; say which with --game")
            found = [f for f in found if f.board.game == largest.board.game]
        temperature = temperatures()["tiles"]
        for group in _owners(found):
            pairs = [(f.board, f.evidence) for f in group]
            kept = [f for f in group if f.reserve is not None]
            pairs += [(reserve_board(f.board, len(f.reserve.places)), f.reserve.evidence) for f in kept if f.reserve]
            together = decode_together(pairs, temperature=temperature)
            for f, decoded in zip(group, together, strict=False):
                f.decoded = decoded
            for f, decoded in zip(kept, together[len(group) :], strict=True):
                f.kept = decoded
        clock.lap("decode")
        if any(f.vague for f in found):
            what = "shows few tiles, and hardly a space round them: it cannot be told which board it is"
            return _refused(photo, "no-board", what)
        for f in found:
            if f.cut:
                what = f"cuts {f.board.title} off at {', '.join(f.cut)}; take it with the whole board in the picture"
                return _refused(photo, "incomplete-board", what, f.board.game)
        if _smallest(found) / scale < TOO_SMALL:
            return _refused(photo, "no-board", "shows its board too small; go nearer")
        readings = tuple(self._reading(f, scale) for f in found)
        warnings = []
        for f, r in zip(found, readings, strict=True):
            if r.mirrored:
                warnings.append(f"{f.board.title}: the photo is mirrored; it is read as if it were not")
            if f.board.form:
                warnings.append(f"{f.board.title}: in this photo {f.board.form_note}; scored like that")
        return Reading(photo.name, photo.size, found[0].board.game, readings, tuple(dict.fromkeys(warnings)))

    def _reading(self, found: Found, scale: float) -> BoardReading:
        """Turn a found board into what leaves the reader, in pixels of the full photo."""
        move = np.array([[1 / scale, 0, 0.5 / scale - 0.5], [0, 1 / scale, 0.5 / scale - 0.5], [0, 0, 1]])
        homography = move @ found.homography
        homography = homography / homography[2, 2]
        board = found.board
        temperature = temperatures()["tiles"]
        way_sure = 1 / (1 + float(np.exp(-min(found.rival / temperature, 50.0))))
        names = [cell.name for cell in board.cells]
        cells = _cells(names, found.decoded, project(homography, board.centres), way_sure)
        reserve: tuple[CellReading, ...] = ()
        if found.reserve is not None and found.kept is not None:
            names = [f"reserve {n + 1}" for n in range(len(found.reserve.places))]
            reserve = _cells(names, found.kept, project(homography, found.reserve.places), way_sure)
            reserve = tuple(cell for cell in reserve if cell.tile != EMPTY)
        return BoardReading(
            board,
            cells,
            tuple(float(v) for v in homography.ravel()),
            found.placement.mirrored,
            found.error,
            reserve=reserve,
            evidence=found.evidence,
            way=way_sure,
        )


def _cells(
    names: Sequence[str], decoded: Decoded, places: NDArray[np.float64], way_sure: float
) -> tuple[CellReading, ...]:
    """Return the readings of cells at places (n, 2); ``way_sure`` is how sure it is that the board lies this way."""
    cells = []
    for i, name in enumerate(names):
        confidence = decoded.confidence[i] * way_sure
        sure = confidence >= CERTAIN and decoded.tiles[i] != UNREAD
        at = round(float(places[i][0]), 1), round(float(places[i][1]), 1)
        tile, runner_up = decoded.tiles[i], decoded.runner_up[i]
        cells.append(CellReading(name, tile, round(confidence, 6), at, runner_up=runner_up, certain=sure))
    return tuple(cells)


def _refused(photo: Photo, code: str, why: str, game: str = "") -> Reading:
    return Reading(photo.name, photo.size, game, fault=Fault(code, f"{quoted(photo.name)} {why}"))


def _stages(located: Located, lattices: list[Lattice], found: list[Found], full: float) -> dict[str, object]:
    """Return what the stages saw, for the debugging pictures; places in pixels of the full photo."""
    centres = (located.marks.centres + 0.5) * full - 0.5
    return {
        "marks": {"heatmap": located.maps, "peaks": np.column_stack([centres, located.marks.scores])},
        "lattice": [
            {"detections": centres, "inliers": centres[list(lattice.members.values())]} for lattice in lattices
        ],
        "crops": np.concatenate([f.crops for f in found] or [np.zeros((0, TILE_SIDE, TILE_SIDE, 3), np.uint8)]),
        "probabilities": {
            name: np.exp(rows)
            for f in found[:1]
            for name, rows in {"what": f.evidence.what, **f.evidence.heads}.items()
        },
    }


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


def _beyond_doubt(found: list[Found], scale: float) -> bool:
    """Return True where every board is marked nearly everywhere and large enough; ``scale`` locator pixels a pixel."""
    return bool(found) and all(
        f.placement.score >= SOLID * len(f.board.cells)
        and tile_pixels(f.homography, np.array(f.board.centres)) * scale >= SMALL
        for f in found
    )


def _finest(size: tuple[int, int]) -> float:
    """Return the scale, 1 or a power of 1/2, of the finest picture that the last look may take."""
    scale = 1.0
    while max(size) * scale > LARGEST_LOOK:
        scale /= 2
    return scale


def _smallest(found: list[Found]) -> float:
    """Return the width in pixels of the tiles of the board that is seen smallest."""
    return min(tile_pixels(f.homography, np.array(f.board.centres)) for f in found)


def _worth(found: list[Found]) -> float:
    return sum(f.placement.score for f in found)


def _owners(found: list[Found]) -> list[list[Found]]:
    """Return the boards that share one set of tiles: a Scrap Yard goes with the Nexus nearest to it."""
    groups = [[f] for f in found if not f.board.beside]
    for f in (f for f in found if f.board.beside):
        at = project(f.homography, f.board.centres).mean(0)
        free = [g for g in groups if g[0].board.name == f.board.beside and len(g) == 1]
        if not free:
            groups.append([f])
            continue
        away = [float(np.hypot(*(project(g[0].homography, g[0].board.centres).mean(0) - at))) for g in free]
        free[int(np.argmin(away))].append(f)
    return groups
