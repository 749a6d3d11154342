"""Lay a board on a fitted lattice: which board, which way up, mirrored or not, and what lies on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from boardsight.models import Network, temperatures
from boardsight.scoring.boards import Board
from boardsight.vision.classify import evidence, form_scores, way_of, ways
from boardsight.vision.crop import Closeup, closeup, crop_cells, tile_pixels
from boardsight.vision.decode import Decoded, Evidence, decode
from boardsight.vision.glances import GLANCES, NEARER, Glance, clearness, lamps, relit, views_of
from boardsight.vision.heads import KINDS, WHAT, turn_heads
from boardsight.vision.lattice import Lattice, Marks, project
from boardsight.vision.placement import Placement, another_fits, placements
from boardsight.vision.reading import EMPTY, UNREAD
from boardsight.vision.reserve import Reserve, read_reserve

SETS = 2
"""Sets of positions of a lattice that are tried, the best ones."""
LEAST_BESIDE = 2
"""Tiles that a second board in the plane of a first one must hold."""
SEEN = 0.6
"""Share of a board's spaces that must be marked, or it could as well be another board."""
WELL_SEEN, MANY = 0.9, 0.25
"""Share of its spaces from which on a board's strays do not matter, unless they are this share of its spaces."""
SURE = 0.5
"""Least height of a mark that counts when boards are weighed against each other."""
STRAYS = 1
"""Marks on a board's lattice beside its spaces that may be loose tiles; more, and it could be another board."""
UNSURE = 2.0
"""Nats by which a board that could as well be another is likelier: 88 %."""
FEW_TILES = 1 / 3
"""Share of a board's spaces that must hold tiles where its spaces hardly show."""
LEAST_TILES = 4
"""Tiles that a board must hold to be read."""
STRANGE = 1 / 3
"""Share of a board's spaces that may show neither a tile nor a space of ours."""
PLAIN = 0.75
"""Mean probability that what lies on a board's spaces is a tile where one is read and a space where none is."""
DIM = 0.1
"""Share of doubtful spaces from which a board is read again as if under other lamps."""
MIRRORED = -4.6
"""Log prior of a mirrored photo: about one in a hundred."""
OTHER_FORM = -1.4
"""Log prior of a board's other form: the two inferences are 75 to 85 % sure."""
LEAST_LIKELY = -4.5
"""Mean log likelihood of a board's tiles below which it is not a board of ours."""
TURN_SIDE, TILE_SIDE = 64, 64
"""Sides of the crops in pixels."""
VOTERS = 24
"""Tiles that are asked which way the board lies."""
FIRST_VOTERS, DECIDED = 8, 25.0
"""Tiles that are asked first, and the lead in nats after which no more are asked."""
EDGE = 0.25
"""A space whose centre is nearer to the photo's edge than this, in tile widths, is cut off."""


@dataclass(eq=False)
class Found:
    """A board as it was found, before it is decoded for good."""

    placement: Placement
    homography: NDArray[np.float64]
    """Board coordinates to pixels of the decoded picture."""
    evidence: Evidence
    decoded: Decoded
    crops: NDArray[np.uint8]
    near: Closeup
    error: float
    rival: float
    """How much less likely the best other way to lay the board is, in nats."""
    cut: tuple[str, ...] = ()
    gains: NDArray[np.float32] | None = None
    """(3,) what each channel of the crops is multiplied by, where another lamp reads better."""
    vote: float = 0.0
    """Log probability, of the tiles and the prior together, that the board lies this way."""
    forms: Mapping[str, float] = field(default_factory=dict)
    open: bool = False
    """True where the marks leave open which board it is."""
    reserve: Reserve | None = None
    """The loose tiles that belong to it."""
    kept: Decoded | None = None
    """What the loose tiles are."""

    @property
    def vague(self) -> bool:
        """Return True where it is open which board it is and its few tiles do not tell."""
        return self.open and sum(t != EMPTY for t in self.decoded.tiles) < FEW_TILES * len(self.board.cells)

    @property
    def board(self) -> Board:
        return self.placement.board


class Finder:
    """Lays boards on lattices; holds the two networks that look at crops."""

    def __init__(self, turn: Network, tiles: Network) -> None:
        self._turn = turn
        self._tiles = tiles

    def find(
        self,
        lattice: Lattice,
        marks: Marks,
        image: NDArray[np.uint8],
        size: tuple[int, int],
        boards: tuple[Board, ...],
        least: int = LEAST_TILES,
    ) -> Found | None:
        """Return the board that a lattice carries, laid the likeliest way, or None if there is none of ours."""
        ranked = placements(lattice, marks, size, boards, SETS)
        best: Found | None = None
        groups = sorted({p.group for p in ranked})
        for group in groups:
            some = [p for p in ranked if p.group == group]
            if best is not None and some[0].score < best.placement.score - 2.0:
                continue
            found = self._laid(some, lattice, marks, image, size, least)
            if found is not None and (best is None or merit(found) > merit(best)):
                best = found
        if best is not None and _could_be_another(best.placement, lattice, marks, boards):
            best.rival = min(best.rival, UNSURE)
            best.open = True
        return best

    def _laid(
        self,
        some: list[Placement],
        lattice: Lattice,
        marks: Marks,
        image: NDArray[np.uint8],
        size: tuple[int, int],
        least: int,
    ) -> Found | None:
        """Return the likeliest of placements that cover the same positions."""
        first = some[0]
        shape = first.board.tile_set.shape
        centres = np.array(first.board.centres)
        with_tile = [i for i, m in enumerate(first.marks) if _shows_tile(marks, m)]
        if len(with_tile) < least:
            return None
        # the surest tiles suffice to see which way they lie
        with_tile = sorted(with_tile, key=lambda i: -float(marks.scores[first.marks[i]]))[:VOTERS]
        h0 = np.asarray(first.homography, np.float64)
        near = closeup(image, h0, centres)
        middle = project(h0, centres.mean(0)[None])[0]
        count = turn_heads()[shape]
        laid = [way_of(_relative(first.homography, placement.homography, middle), shape, count) for placement in some]
        votes = np.zeros(count)
        for voters in (with_tile[:FIRST_VOTERS], with_tile[FIRST_VOTERS:]):
            crops = crop_cells(near.image, near.move @ h0, centres[voters], pixels=TURN_SIDE)
            votes += ways(crops, self._turn, shape) / temperatures()[f"turn.{shape}"]
            second, first_way = np.sort(votes)[-2:]
            if first_way - second > DECIDED or len(with_tile) <= FIRST_VOTERS:
                break
        options = [
            (float(votes[way]) + _prior(placement), placement) for way, placement in zip(laid, some, strict=True)
        ]
        options.sort(key=lambda item: -item[0])
        # forms that differ in their stripes only share a homography: the first stands for all
        tried: list[Found] = []
        top = options[0][0]
        missed = -np.inf
        seen: list[NDArray[np.float64]] = []
        for vote, placement in options:
            if vote < top - 8.0 or len(tried) >= 3:
                missed = vote
                break
            if any(np.allclose(project(placement.homography, placement.board.centres), s, atol=1e-3) for s in seen):
                continue
            seen.append(project(placement.homography, placement.board.centres))
            found = self._read_at(placement, marks, near, size, lattice.error)
            found.vote = vote
            tried.append(found)
        tried.sort(key=lambda f: -_posterior(f))
        best = tried[0]
        if len(tried) > 1:
            best.rival = _posterior(best) - _posterior(tried[1])
        best.rival = min(best.rival, max(0.0, best.vote - missed))
        same = [
            p
            for _, p in options
            if np.allclose(
                project(p.homography, p.board.centres),
                project(best.placement.homography, best.board.centres),
                atol=1e-3,
            )
        ]
        if best.forms and len(same) > 1:
            ranked = sorted(same, key=lambda p: -best.forms.get(p.board.form, -1e9) - _prior(p))
            best.placement = ranked[0]
            worth = [best.forms.get(p.board.form, -1e9) + _prior(p) for p in ranked[:2]]
            best.rival = min(best.rival, worth[0] - worth[1])
        return best if _is_ours(best, least) else None

    def _read_at(self, placement: Placement, marks: Marks, near: Closeup, size: tuple[int, int], error: float) -> Found:
        """Crop, classify and decode a board that lies as a placement says."""
        homography = np.asarray(placement.homography, np.float64)
        found, forms, crops = self._classify(placement.board, homography, near)
        found = replace(found, marked=np.array([_shows_tile(marks, m) for m in placement.marks]))
        places = project(homography, placement.board.centres)
        width = tile_pixels(homography, np.array(placement.board.centres))
        cut = tuple(
            cell.name
            for cell, (x, y) in zip(placement.board.cells, places, strict=True)
            if not (EDGE * width < x < size[0] - EDGE * width and EDGE * width < y < size[1] - EDGE * width)
        )
        return Found(
            placement, homography, found, decode(placement.board, found), crops, near, error, 50.0, cut, forms=forms
        )

    def _classify(
        self, board: Board, homography: NDArray[np.float64], near: Closeup
    ) -> tuple[Evidence, dict[str, float], NDArray[np.uint8]]:
        crops = crop_cells(near.image, near.move @ homography, np.array(board.centres), pixels=TILE_SIDE)
        found, parts = evidence(crops, self._tiles, board.tile_set.shape)
        return found, form_scores(parts, self._tiles, board.tile_set.shape), crops

    def relight(self, found: Found, below: float) -> None:
        """Read a board again as if under other lamps, where many spaces are less sure than ``below``.

        The likeliest reading stays. One lamp lights the whole board, so one correction holds for all its spaces.
        """
        doubtful = [i for i, c in enumerate(found.decoded.confidence) if c < below]
        if len(doubtful) < DIM * len(found.board.cells):
            return
        shape = found.board.tile_set.shape
        best, before = found.decoded.log_likelihood, clearness(found.evidence)[doubtful].sum()
        for gains in lamps(found.crops):
            crops = relit(found.crops, gains)
            # what does not make the doubtful spaces clearer is not tried on all
            if clearness(evidence(crops[doubtful], self._tiles, shape)[0]).sum() <= before:
                continue
            seen, _ = evidence(crops, self._tiles, shape)
            seen = replace(seen, marked=found.evidence.marked)
            decoded = decode(found.board, seen)
            if decoded.log_likelihood > best:
                best = decoded.log_likelihood
                found.evidence, found.decoded, found.gains = seen, decoded, gains

    def look_again(self, found: Found, below: float, doubtful: float) -> None:
        """Look at the spaces that are less sure than ``below`` from several sides, and decode the board again.

        Those that are then still less sure than ``doubtful`` are looked at from nearer as well.
        """
        looks = 1
        for least, glances in ((below, GLANCES), (doubtful, NEARER)):
            cells = [i for i, c in enumerate(found.decoded.confidence) if c < least]
            if cells:
                self._glance(found, cells, glances, looks)
            looks += len(glances)

    def _glance(self, found: Found, cells: list[int], glances: Sequence[Glance], looks: int) -> None:
        """Mix what more looks at some cells say with what ``looks`` looks said before."""
        board, near = found.board, found.near
        centres = np.array(board.centres)[cells]
        views = [view for centre in centres for view in views_of(centre, glances)]
        many = np.repeat(centres, len(glances), axis=0)
        crops = crop_cells(near.image, near.move @ found.homography, many, pixels=TILE_SIDE, views=views)
        if found.gains is not None:
            crops = relit(crops, found.gains)
        seen, _ = evidence(crops, self._tiles, board.tile_set.shape)

        def mixed(first: NDArray[np.float32], more: NDArray[np.float32]) -> NDArray[np.float32]:
            result = first.copy()
            total = np.exp(more).reshape(len(cells), len(glances), -1).sum(1) + looks * np.exp(first[cells])
            result[cells] = np.log(np.maximum(total / (len(glances) + looks), 1e-12))
            return result

        heads = {name: mixed(rows, seen.heads[name]) for name, rows in found.evidence.heads.items()}
        found.evidence = replace(found.evidence, what=mixed(found.evidence.what, seen.what), heads=heads)
        found.decoded = decode(board, found.evidence)

    def gather(self, found: Found, image: NDArray[np.uint8], spots: NDArray[np.float64]) -> None:
        """Read the loose tiles of a board at spots (n, 2) in board coordinates; ``image`` is what it was found in."""
        if len(spots):
            found.reserve = read_reserve(image, found.board, found.homography, spots, self._tiles)

    def sharpened(self, found: Found, image: NDArray[np.uint8], ratio: float) -> Found:
        """Read a board again in a larger picture of the same photo."""
        move = np.array([[ratio, 0, (ratio - 1) / 2], [0, ratio, (ratio - 1) / 2], [0, 0, 1]])
        homography = move @ found.homography
        near = closeup(image, homography, np.array(found.board.centres))
        again, forms, crops = self._classify(found.board, homography, near)
        again = replace(again, marked=found.evidence.marked)
        return replace(
            found,
            homography=homography,
            evidence=again,
            decoded=decode(found.board, again),
            crops=crops,
            near=near,
            forms=forms,
        )


def _is_ours(found: Found, least: int) -> bool:
    """Return False where what lies there is not tiles of ours: another game's board, cards, a pattern."""
    readable = [t for t in found.decoded.tiles if t not in (EMPTY, UNREAD)]
    what = np.exp(found.evidence.what)
    kinds = [WHAT.index({EMPTY: "space", UNREAD: "other"}.get(t, "tile")) for t in found.decoded.tiles]
    plain = float(what[np.arange(len(kinds)), kinds].mean())
    strange = float(what[:, WHAT.index("other")].mean())
    return (
        len(readable) >= least
        and strange <= STRANGE
        and plain >= PLAIN
        and found.decoded.mean_log_likelihood >= LEAST_LIKELY
    )


def _shows_tile(marks: Marks, m: int) -> bool:
    """Return True where mark ``m`` is one and is that of a tile."""
    return m >= 0 and KINDS[marks.kinds[m]].endswith("tile")


def _could_be_another(placement: Placement, lattice: Lattice, marks: Marks, boards: tuple[Board, ...]) -> bool:
    """Return True where it is open which board it is: few of its spaces are seen, or others beside them."""
    cells = len(placement.board.cells)
    seen = sum(m >= 0 for m in placement.marks)
    outside = sum(p not in placement.positions and marks.scores[m] >= SURE for p, m in lattice.members.items())
    if seen >= WELL_SEEN * cells:
        return bool(outside > MANY * cells)
    return (
        seen < SEEN * cells
        or outside > STRAYS
        or another_fits(placement, lattice, marks, boards, sure=SURE, spare=STRAYS)
    )


def _prior(placement: Placement) -> float:
    """Return the log prior of a placement: few photos are mirrored, and the usual form of a board is the likelier."""
    return (MIRRORED if placement.mirrored else 0.0) + (OTHER_FORM if placement.board.form else 0.0)


def _posterior(found: Found) -> float:
    return found.decoded.log_likelihood + found.vote


def merit(found: Found) -> float:
    """Return how much a board explains: its placement's score, less what its tiles leave doubtful."""
    return found.placement.score + 0.3 * found.decoded.mean_log_likelihood * len(found.board.cells) / 10


def _relative(
    first: NDArray[np.float64], other: NDArray[np.float64], middle: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the 2 x 2 map from the other placement's board coordinates to the first one's, about a pixel."""
    m = np.linalg.inv(first) @ other
    at = np.linalg.inv(other) @ np.append(middle, 1)
    x, y = at[0] / at[2], at[1] / at[2]
    w = m[2, 0] * x + m[2, 1] * y + m[2, 2]
    p = (m[:2] @ np.array([x, y, 1.0])) / w
    result: NDArray[np.float64] = (m[:2, :2] - np.outer(p, m[2, :2])) / w
    return result
