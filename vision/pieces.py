"""Loose pieces: where they lie and what they show. Dice and cards take the same path, each kind by its declaration.

A piece has a frame, a 2 x 2 matrix: its own coordinates (x right, y down, the mark at the origin) to pixels. What
one unit is, the declaration says. The locator answers, beside a map for each kind, five numbers at every place: the
frame in its polar form. A piece that looks the same from several sides, like a die, has a frame up to that turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.models import Network, temperatures
from boardsight.vision.classify import split
from boardsight.vision.locate import SIDE, STRIDE, Region, at_side, halvable, peaks
from boardsight.vision.reading import PieceReading

Floats: TypeAlias = NDArray[np.float64]

FRAME = ("size", "stretch", "slant", "cos", "sin")
"""What the locator answers beside its maps, in the order of the last channels; see `frame_of`."""
UNIT = 16.0
"""Pixels of the locator's picture that a piece's unit has where ``size`` is 0."""
FLOOR = 0.25
"""A mark's least height, 0 to 1; lower finds more pieces under glare and more that are none."""
SOLID = 0.5
"""A mark from this height on is one without reserve; a lower one is less likely to be a piece in proportion."""
NEAR = 0.7
"""The pieces' part of the photo is looked at alone if its longer side is at most this share of the photo's."""
LARGE = 26.0
"""Pixels of the locator's picture that a piece's unit should have; smaller ones are looked at again, closer."""
MOST = 160
"""Marks that are kept, the surest."""
SELFIE = float(np.log(0.02))
"""Log probability beforehand that a photo is mirrored."""
IN_A_MIRROR = "the photo is mirrored; it is read as if it were not"
"""What is said of a photo that is mirrored."""
MOST_ODDS = 9.0
"""No crop says more clearly than this, in nats, that it shows a piece or none."""
WORDS = ("crop", "height", "shift")
"""What tells whether a mark is a piece, in the order of `words`."""


@dataclass(frozen=True, slots=True, eq=False)
class Spots:
    """Where n pieces lie."""

    centres: Floats
    """(n, 2) x, y in pixels."""
    frames: Floats
    """(n, 2, 2) the piece's own coordinates to pixels, without the centre."""
    kinds: NDArray[np.int64]
    """(n,) index into the kinds of the declaration."""
    scores: Floats
    """(n,) heights of the marks, 0 to 1."""

    def __len__(self) -> int:
        return len(self.centres)

    @property
    def sizes(self) -> Floats:
        """Return (n,) how many pixels one unit of each piece is: the root of the area of a unit square."""
        return np.asarray(np.sqrt(np.abs(np.linalg.det(self.frames))), np.float64)

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Spots:
        """Return some of them."""
        return Spots(self.centres[index], self.frames[index], self.kinds[index], self.scores[index])

    def moved(self, scale: float, shift: tuple[float, float] = (0.0, 0.0)) -> Spots:
        """Return them in another picture's pixels: x' + 0.5 = (x + 0.5) * scale, then shifted."""
        return replace(self, centres=(self.centres + 0.5) * scale - 0.5 + shift, frames=self.frames * scale)


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """What was seen of n pieces of one declaration."""

    spots: Spots
    """In pixels of the full-size upright photo."""
    heads: Mapping[str, NDArray[np.float32]]
    """Name of a head to (n, labels) log probabilities."""
    crops: NDArray[np.uint8] = field(repr=False)
    """(n, h, w, 3) BGR, the first view of each piece."""
    maps: NDArray[np.float32] = field(repr=False)
    """(h, w, kinds), 0 to 1, the locator's."""
    mirrored: bool = False
    """True where the photo is mirrored, and was read as if it were not."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a set of pieces says."""

    pieces: tuple[PieceReading, ...]
    """In reading order."""
    complete: bool = True
    """False where a piece may have been missed, or one may be none."""
    warnings: tuple[str, ...] = ()
    there: tuple[float, ...] = ()
    """How probable it is of each piece that it is one, whatever it says."""
    spare: float = 0.0
    """How many more pieces there seem to be: the sum of the probabilities of marks that are not counted."""


Settle: TypeAlias = Callable[[Spots], Spots]
"""From the marks of a photo to marks that agree with each other."""
Decode: TypeAlias = Callable[["PieceSet", Sighting, int | None], Decoded]
"""From what was seen to what it says; the last is how many pieces are expected, None if that is not known."""


@dataclass(frozen=True, slots=True)
class PieceSet:
    """The declaration of one kind of loose pieces. Its networks are ``NAME-marks`` and ``NAME``."""

    name: str
    """E.g. ``dice``."""
    game: str
    kinds: tuple[str, ...]
    """What the locator marks, in the order of its maps."""
    heads: Mapping[str, tuple[str, ...]]
    """Name of a head of the classifier to its labels."""
    window: tuple[float, float, float, float]
    """What a crop shows, in units: left, top, right, bottom of the mark."""
    pixels: tuple[int, int]
    """Width and height of a crop."""
    decode: Decode
    turned: bool = True
    """False where a frame has no direction: the piece is read any way up."""
    mirror: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """Index of a head and of its label to the label in a mirror, where that is another; what has none is never taught
    mirrored."""
    flips: bool = False
    """True where a photo that is mirrored shows in that all pieces together read better the other way round."""
    turns: tuple[float, ...] = (0.0,)
    """The views that are averaged: degrees by which a crop is turned."""
    floor: float = FLOOR
    """A mark's least height; what is partly hidden is marked lower, and its crop tells whether it is a piece."""
    apart: float = 0.45
    """Two marks closer than this, in units of the surer one's frame, are one piece."""
    settle: Settle | None = None
    """Makes the frames of pieces agree that lie on one table and have one size."""
    clear: float = 0.75
    """Pieces must have this mean confidence to say which game a photo shows: patterns read as pieces are in doubt."""
    least: int = 1
    """Fewer pieces than this say nothing about which game a photo shows."""
    count: int | None = None
    """How many pieces belong to the set, where that is fixed."""


# ---------------------------------------------------------------- frames


def frame_of(values: Floats) -> Floats:
    """Return (n, 2, 2) frames from the locator's (n, 5) numbers, in pixels of its picture.

    A frame is a symmetric matrix after a turn. ``size`` is the log of its scale; ``stretch`` and ``slant`` are the
    matrix logarithm of its shape, which has no trace; ``cos`` and ``sin`` are the turn, clockwise.
    """
    size, p, q, c, s = values.T
    away = np.hypot(p, q)
    sinh = np.where(away > 1e-9, np.sinh(away) / np.maximum(away, 1e-9), 1.0)
    shape = np.empty((len(values), 2, 2))
    shape[:, 0, 0], shape[:, 1, 1] = np.cosh(away) + p * sinh, np.cosh(away) - p * sinh
    shape[:, 0, 1] = shape[:, 1, 0] = q * sinh
    norm = np.hypot(c, s)
    c, s = np.where(norm > 1e-9, c / np.maximum(norm, 1e-9), 1.0), np.where(norm > 1e-9, s / np.maximum(norm, 1e-9), 0)
    turn = np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], 1)
    result: Floats = UNIT * np.exp(size)[:, None, None] * (shape @ turn)
    return result


def values_of(frames: Floats) -> Floats:
    """Return the (n, 5) numbers of (n, 2, 2) frames, the inverse of `frame_of`; a mirrored frame is taken upright."""
    u, spread, v = np.linalg.svd(frames)
    turn = u @ v
    mirrored = np.linalg.det(turn) < 0
    turn[mirrored] = (u @ np.diag([1.0, -1.0]) @ v)[mirrored]
    spread = np.maximum(spread, 1e-9)
    size = np.log(spread).mean(1)
    away = np.log(spread[:, 0]) - size
    # the symmetric factor is u diag(spread) u^T; its logarithm without the trace is away * u diag(1, -1) u^T
    p = away * (u[:, 0, 0] ** 2 - u[:, 0, 1] ** 2)
    q = away * (u[:, 0, 0] * u[:, 1, 0] - u[:, 0, 1] * u[:, 1, 1])
    result: Floats = np.stack([size - np.log(UNIT), p, q, turn[:, 0, 0], turn[:, 1, 0]], 1)
    return result


# ---------------------------------------------------------------- stages


def mark(
    image: NDArray[np.uint8], network: Network, of: PieceSet, *, side: int = SIDE, region: Region | None = None
) -> tuple[Spots, NDArray[np.float32]]:
    """Find pieces; ``image`` is (h, w, 3) BGR, seen at ``side`` pixels on its longer side; also returns the maps.

    ``region`` restricts the look to a part of the picture, which is then seen larger.
    """
    kinds = len(of.kinds)
    x0, y0, x1, y1 = region or (0, 0, image.shape[1], image.shape[0])
    part = halvable(image[y0:y1, x0:x1])
    seen, scale = at_side(part, side)
    answer = _answer(seen, network, of)
    places, kind, scores = peaks(answer[:kinds], of.floor)
    at = np.round(places).astype(int).clip(0, (answer.shape[2] - 1, answer.shape[1] - 1))
    frames = frame_of(answer[kinds:, at[:, 1], at[:, 0]].T.astype(np.float64))
    spots = Spots(places * STRIDE + 1.5, frames, kind, scores).moved(1 / scale)
    inside = np.asarray(((spots.centres >= 0) & (spots.centres < (part.shape[1], part.shape[0]))).all(1))
    spots = apart(spots.take(inside), of.apart)
    maps = np.ascontiguousarray(answer[:kinds].transpose(1, 2, 0))
    return spots.moved(1.0, (float(x0), float(y0))), maps


def _answer(seen: NDArray[np.uint8], network: Network, of: PieceSet) -> NDArray[np.float32]:
    """Return what the locator answers, (kinds + 5, h/4, w/4); where pieces may be mirrored, the mean of both ways."""
    if not of.mirror or of.turned:
        return np.asarray(network(seen[None])[0], np.float32)
    plain, mirrored = network(np.stack([seen, seen[:, ::-1]]))
    mirrored = mirrored[:, :, ::-1].copy()
    mirrored[len(of.kinds) + FRAME.index("slant")] *= -1
    return np.asarray((plain + mirrored) / 2, np.float32)


def apart(spots: Spots, least: float) -> Spots:
    """Return the surest marks, no two of them nearer than ``least`` units of the surer one."""
    kept: list[int] = []
    inverse = np.linalg.inv(spots.frames)
    for i in np.argsort(-spots.scores, kind="stable"):
        away = np.einsum("nij,nj->ni", inverse[kept], spots.centres[i] - spots.centres[kept])
        if not (np.hypot(*away.T) < least).any():
            kept.append(int(i))
    return spots.take(np.array(kept[:MOST], np.intp))


def closer(spots: Spots, size: tuple[int, int]) -> tuple[int, Region | None] | None:
    """Return at which side, and in which part of a photo, a closer look is needed; None if what is seen will do.

    ``spots`` are those of a look at the whole photo of a size (width, height) in pixels.
    """
    sure = spots.take(spots.scores > SOLID)
    if not len(sure):
        return None if max(size) < 1.2 * SIDE else (2 * SIDE, None)
    if float(np.median(sure.sizes)) * SIDE / max(size) >= LARGE:
        return None
    margin = 3 * float(sure.sizes.max()) + 0.02 * max(size)
    heard = spots.centres[spots.scores >= FLOOR]
    x0, y0 = np.maximum(heard.min(0) - margin, 0).astype(int)
    x1, y1 = np.minimum(heard.max(0) + margin, size).astype(int)
    if max(x1 - x0, y1 - y0) <= NEAR * max(size):
        return SIDE, (int(x0), int(y0), int(x1), int(y1))
    return 2 * SIDE, None


def crop_pieces(
    image: NDArray[np.uint8],
    spots: Spots,
    window: tuple[float, float, float, float],
    pixels: tuple[int, int],
    turn: float = 0.0,
) -> NDArray[np.uint8]:
    """Warp each piece to a crop (n, h, w, 3).

    It shows a window (left, top, right, bottom in units), turned by degrees.
    """
    left, top, right, bottom = window
    w, h = pixels
    to_unit = np.array([[(right - left) / w, 0.0], [0.0, (bottom - top) / h]])
    first = np.array([left + to_unit[0, 0] / 2, top + to_unit[1, 1] / 2])
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    crops = np.zeros((len(spots), h, w, 3), np.uint8)
    for i in range(len(spots)):
        frame = spots.frames[i] @ np.array([[c, -s], [s, c]])
        move = np.column_stack([frame @ to_unit, spots.centres[i] + frame @ first])
        part, move = _reduced(image, move, (w, h))
        cv2.warpAffine(
            part,
            move,
            (w, h),
            dst=crops[i],
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return crops


def _reduced(image: NDArray[np.uint8], move: Floats, size: tuple[int, int]) -> tuple[NDArray[np.uint8], Floats]:
    """Return the part of the image that a crop needs, averaged down to about the crop's scale, and the move into it."""
    factor = float(np.sqrt(abs(np.linalg.det(move[:, :2]))))
    if factor < 1.3:
        return image, move
    w, h = size
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]]) @ move[:, :2].T + move[:, 2]
    height, width = image.shape[:2]
    x0, y0 = np.clip(np.floor(corners.min(0)).astype(int) - 2, 0, (width - 2, height - 2))
    x1, y1 = np.clip(np.ceil(corners.max(0)).astype(int) + 3, (x0 + 2, y0 + 2), (width, height))
    new = max(2, round((x1 - x0) / factor)), max(2, round((y1 - y0) / factor))
    part = np.asarray(cv2.resize(image[y0:y1, x0:x1], new, interpolation=cv2.INTER_AREA), np.uint8)
    scale = np.array([new[0] / (x1 - x0), new[1] / (y1 - y0)])
    moved = move * scale[:, None]
    moved[:, 2] = (move[:, 2] - (x0, y0) + 0.5) * scale - 0.5
    return part, moved


def classify(
    image: NDArray[np.uint8], spots: Spots, network: Network, declared: PieceSet
) -> tuple[dict[str, NDArray[np.float32]], NDArray[np.uint8]]:
    """Return each head's (n, labels) log probabilities, averaged over the declared views, and the first views.

    Where the declaration says what labels become in a mirror, the mirrored views count as well.
    """
    views = [crop_pieces(image, spots, declared.window, declared.pixels, turn) for turn in declared.turns]
    answers = [split(network(view), network.heads) for view in views] if len(spots) else []
    if declared.mirror:
        answers += [
            _mirrored(split(network(np.ascontiguousarray(view[:, :, ::-1])), network.heads), declared)
            for view in views
            if len(spots)
        ]
    heads: dict[str, NDArray[np.float32]] = {}
    for name, labels in declared.heads.items():
        mean = np.mean([a[name] for a in answers], 0) if answers else np.zeros((0, len(labels)))
        heads[name] = np.asarray(mean - np.logaddexp.reduce(mean, axis=1, keepdims=True), np.float32)
    return heads, views[0]


def _mirrored(answer: dict[str, NDArray[np.float32]], declared: PieceSet) -> dict[str, NDArray[np.float32]]:
    """Return what heads say of mirrored crops as said of the crops themselves."""
    return {
        name: answer[name][:, [declared.mirror.get((head, i), i) for i in range(len(labels))]]
        for head, (name, labels) in enumerate(declared.heads.items())
    }


def flipped(
    heads: dict[str, NDArray[np.float32]], crops: NDArray[np.uint8], network: Network, declared: PieceSet
) -> tuple[dict[str, NDArray[np.float32]], bool]:
    """Return heads as they are, or those of the mirrored crops where they are far clearer, and whether they were.

    ``crops`` (n, h, w, 3) are those that ``heads`` come from.
    """
    if not declared.flips or not len(crops):
        return heads, False
    other = split(network(np.ascontiguousarray(crops[:, :, ::-1])), network.heads)
    clearer = sum(float((other[name].max(1) - rows.max(1)).sum()) for name, rows in heads.items())
    return (dict(other), True) if clearer + SELFIE > 0 else (heads, False)


def words(of: PieceSet, sighting: Sighting) -> Floats:
    """Return (n, 3) what tells whether each mark is a piece: log odds that its crop shows one, its height, and 1."""
    other = of.heads["what"].index("other")
    none = np.minimum(sighting.heads["what"][:, other].astype(np.float64), -1e-9)
    odds = np.log1p(-np.exp(none)) - none
    return np.column_stack([odds.clip(-MOST_ODDS, MOST_ODDS), sighting.spots.scores, np.ones(len(odds))])


def presence(of: PieceSet, sighting: Sighting) -> Floats:
    """Return (n,) how probable it is that each mark is a piece.

    How much the crop and the mark's height count is in the table of temperatures as ``SET.crop``, ``SET.height`` and
    ``SET.shift``, a logistic regression on drawn scenes; without it the crop alone counts.
    """
    table = temperatures()
    weights = [table.get(f"{of.name}.{name}", default) for name, default in zip(WORDS, (1.0, 0.0, 0.0), strict=True)]
    return np.asarray(1 / (1 + np.exp(-(words(of, sighting) @ np.array(weights)))), np.float64)


def reading_order(centres: Floats, sizes: Floats) -> NDArray[np.intp]:
    """Return the order in which pieces are read: row by row, left to right; pieces within half a size are one row."""
    rest = list(np.argsort(centres[:, 1], kind="stable"))
    order: list[int] = []
    while rest:
        top = centres[rest[0], 1]
        row = [i for i in rest if centres[i, 1] < top + 0.5 * sizes[rest[0]]]
        order += sorted(row, key=lambda i: float(centres[i, 0]))
        rest = [i for i in rest if i not in row]
    return np.array(order, np.intp)
