"""Dice: the faces that lie on top, ordinary ones among them, and a throw that is seen in a mirror."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.models import temperatures
from boardsight.scoring.notation import DICE_FACES
from boardsight.vision.pieces import (
    IN_A_MIRROR,
    SELFIE,
    Decoded,
    Floats,
    PieceSet,
    Sighting,
    Spots,
    apart,
    frame_of,
    presence,
    reading_order,
    values_of,
)
from boardsight.vision.reading import PieceReading
from boardsight.vision.table import fitted

FACES = ("1", "2", "3", "4", "5", "6", "V")
"""Faces that are told apart; a six is on no die of High Score, and is read so that it is not taken for another."""
MIRRORED = "~"
"""Begins the label of a face that is seen in a mirror."""
CERTAIN = 0.99
"""A die is certain from this calibrated confidence on; more asks the player more often."""
SURELY, HARDLY = 0.95, 0.05
"""Between these probabilities that there is a die, the number of dice decides; below the lower one nothing is said."""
UNLIKE, OTHER_TONE, ODD = 2.2, 30.0, 0.1
"""Dice of a throw are alike: the odds of one that is so many times larger or smaller than the others, or so far from
their hue in L*a*b*, are so much less."""
FLOOR = np.log(1e-4)
"""No die says more clearly than this that the photo is not mirrored."""
TOGETHER = 0.1
"""Dice of one photo err together: this share of the others' mean doubt is also each one's own."""
ORDINARY = np.log(0.1)
"""Log probability beforehand that the dice are ordinary ones, with a six for the vortex."""
WHOLE = 0.9
"""Probability beforehand that a photo shows all the dice that it should, and no other."""
_FACES_OF_A_SET = np.log([[face in DICE_FACES or 1e-300 for face in FACES], [face != "V" or 1e-300 for face in FACES]])
"""(2, faces) log of whether a face is on the game's dice, and on ordinary ones."""

HEARD = 0.3
"""Marks from this height on say how dice lie, the higher the more."""
LEAST = 4
"""Dice that say together how they lie; fewer are left as they are."""
SLOPING = 5
"""From so many dice on their size may change over the photo."""
BESIDE = 0.9
"""Tops of dice that lie side by side are one unit apart; nearer ones are a die's top and its side."""
HIDDEN = 1e-3
"""The odds of a mark nearer than that to a surer one are so much less."""
TOPMOST = 5.0
"""Log odds that of two marks, the one where the other's top would be is the top, looked they both as much like one: it
was 34 times of 35 in drawn throws, and a side looks five times more like a top than what else is marked."""
UPRIGHT = 3.0
"""Log odds beforehand that up in the photo is up at the table, where dice lean straight up or down."""
LIT = 6.0
"""Units of L* by which one of top and side is nearer to the lightness of all tops for a nat."""
TELLING = 1.5
"""Nats that one pair of a top and a side, or of what looks like them, says at most of which way is up."""
SLANT = 0.17
"""Sine of the angle from straight above from which on a side of a die may be seen."""
FITTING = 0.2
"""How far a side may be from where it has to be under its top, in sides of a die."""
OTHER_SIZE = 0.7
"""A mark whose size is off by more than this, as a logarithm, is no die of this throw."""


def settle(spots: Spots) -> Spots:
    """Return the marks of a throw with frames that agree, without those that cannot belong to it."""
    values = values_of(spots.frames)
    values[:, 3:] = 1.0, 0.0
    sure = np.flatnonzero(spots.scores >= HEARD)
    if len(sure) < LEAST:
        return replace(spots, frames=frame_of(values))
    shapes = fitted(spots, values, sure, sloping=len(sure) >= SLOPING)
    alike = np.abs(values[:, 0] - shapes[:, 0]) < OTHER_SIZE
    values[:, :3] = shapes
    return replace(spots, frames=frame_of(values)).take(alike)


def there_are(declared: PieceSet, sighting: Sighting) -> Floats:
    """Return (n,) how probable it is that each mark is a die of this throw, whose dice are alike."""
    there = presence(declared, sighting)
    if not there.sum() > 0:
        return there
    spots = sighting.spots
    ratio = np.log(spots.sizes / _middle(spots.sizes, there))
    ground = grounds(sighting.crops)
    off = ground - [_middle(column, there) for column in ground.T]
    away = np.hypot(off[:, 1], off[:, 2])
    odd = (np.abs(ratio) > np.log(UNLIKE)).astype(float) + (away > OTHER_TONE)
    there, order = _tops(spots, there, np.abs(off[:, 0]))
    # of a die's top and its side, the one stays that is likelier the top
    kept = apart(replace(spots, scores=order, kinds=np.arange(len(spots))), BESIDE).kinds
    weight = ODD**odd * np.where(np.isin(np.arange(len(spots)), kept), 1.0, HIDDEN)
    return np.asarray(there * weight / (there * weight + 1 - there), np.float64)


def sides(spots: Spots) -> tuple[Floats, Floats]:
    """Return (n, n) where mark j lies where a side of a die with its top at mark i has to be, and (n, 2) the way up.

    A frame is how a level square is seen, so it tells how far the camera leans and along which line; which end of that
    line is up it does not tell. The first value is 1 where j fits under i, -1 where it fits if up is down, else 0.
    """
    n = len(spots)
    spread, axes = np.linalg.eigh(spots.frames @ spots.frames.transpose(0, 2, 1))
    short, long = np.sqrt(np.maximum(spread[:, 0], 1e-9)), np.sqrt(np.maximum(spread[:, 1], 1e-9))
    up = axes[:, :, 0]
    # all dice of a photo are seen from one side: the lines agree, each with the mean of all
    up = up * np.where(up @ _mean_axis(up) < 0, -1.0, 1.0)[:, None]
    up = up * (-1.0 if up[:, 1].sum() > 0 else 1.0)
    ratio = short / long
    lean = np.sqrt(np.maximum(1 - ratio**2, 0))
    fits = np.zeros((n, n))
    for i in range(n):
        if lean[i] < SLANT:
            continue
        step = (spots.centres - spots.centres[i]) / long[i]
        down = -(step @ up[i])
        across = np.abs(step @ (-up[i, 1], up[i, 0]))
        turned = np.minimum(2 * across, 1.0)
        wanted = 0.5 * (ratio[i] * np.sqrt(1 - turned**2) + lean[i])
        close = across < 0.5 + FITTING
        fits[i] = close * ((np.abs(down - wanted) < FITTING).astype(float) - (np.abs(-down - wanted) < FITTING))
        fits[i, i] = 0
    return fits, np.asarray(up, np.float64)


def _mean_axis(lines: Floats) -> Floats:
    """Return the direction (2,) that lines (n, 2) have on average, whichever end each of them names."""
    return np.asarray(np.linalg.eigh(lines.T @ lines)[1][:, -1], np.float64)


def _tops(spots: Spots, there: Floats, unlit: Floats) -> tuple[Floats, Floats]:
    """Return how probable a die is at each mark (n,) now that sides tell of their tops, and which is the likelier top.

    The second is in nats. Where two marks fit as top and side of one die, the upper one is the top: it is there if
    either of them is. ``unlit`` (n,) is how far each is from the tops' lightness: all of them lie under the same lamp.
    """
    p = there.clip(1e-6, 1 - 1e-6)
    odds = np.log(p / (1 - p))
    fits, up = sides(spots)
    difference = (odds[:, None] - odds[None]).clip(-TELLING, TELLING)
    seen = np.maximum(p[:, None], p[None])
    way = float((fits * difference * seen).sum()) - UPRIGHT * float(up[:, 1].mean())
    order, found = odds.copy(), there.copy()
    for i, j in np.argwhere(fits == (1.0 if way >= 0 else -1.0)):
        if p[j] > 0.5:
            lit = float(np.clip((unlit[j] - unlit[i]) / LIT, -TOPMOST, TOPMOST))
            upper = 1 / (1 + np.exp(odds[j] - odds[i] - TOPMOST - lit))
            order[i] = max(order[i], odds[i] + TOPMOST + lit)
            found[i] = max(found[i], there[j] * upper)
            found[j] = min(found[j], there[j] * (1 - upper))
    return found, order


def grounds(crops: NDArray[np.uint8]) -> Floats:
    """Return (n, 3) the colour of what lies in the middle of crops (n, h, w, 3): CIE L*a*b*, medians."""
    n, h, w = crops.shape[:3]
    if not n:
        return np.zeros((0, 3))
    middle = np.ascontiguousarray(crops[:, h // 4 : h - h // 4, w // 4 : w - w // 4]).reshape(1, -1, 3)
    lab = cv2.cvtColor(middle.astype(np.float32) / 255, cv2.COLOR_BGR2Lab).reshape(n, -1, 3)
    return np.asarray(np.median(lab, axis=1), np.float64)


def _middle(values: Floats, weights: Floats) -> float:
    """Return the weighted median."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)])


def counted(there: Floats, expected: int) -> Floats:
    """Return (n,) how probable each mark is a die, given that most photos show all ``expected`` dice and no other.

    Every number of dice has a probability from the marks alone (Poisson binomial); the prior of numbers weighs them.
    """
    n = len(there)
    numbers = np.arange(n + 1)
    prior = np.where(numbers == expected, WHOLE, (1 - WHOLE) * 0.5 ** np.abs(numbers - expected))

    def sums(chances: Floats) -> Floats:
        found = np.ones(1)
        for p in chances:
            found = np.convolve(found, (1 - p, p))
        return found

    result = np.empty(n)
    for i in range(n):
        others = sums(np.delete(there, i))
        present, absent = there[i] * (others @ prior[1:]), (1 - there[i]) * (others @ prior[:-1])
        result[i] = present / max(present + absent, 1e-300)
    return result


def face_probabilities(says: Floats, temperature: float) -> tuple[Floats, float]:
    """Return (n, faces) probabilities of n dice in one photo, and the probability that it is mirrored.

    ``says`` (n, 2 * faces) are log probabilities of the faces, then of the same faces in a mirror. The dice of a throw
    are all seen plain or all in a mirror, and they are all the game's or all ordinary ones: a vortex and a six do not
    lie side by side.
    """
    both = np.maximum(says, FLOOR).reshape(len(says), 2, len(FACES)) / temperature
    masked = both[:, :, None] + _FACES_OF_A_SET
    each = np.logaddexp.reduce(masked, axis=3)
    likely = each.sum(0) + np.array([[0.0], [SELFIE]]) + np.array([0.0, ORDINARY])
    weight = np.exp(likely - np.logaddexp.reduce(likely, axis=None))
    given = np.exp(masked - each[..., None])
    result: Floats = np.einsum("vs,nvsf->nf", weight, given)
    return result, float(weight[1].sum())


def decode_dice(declared: PieceSet, sighting: Sighting, expected: int | None) -> Decoded:
    """Return the dice of a photo; a mark that may be none counts where that makes the expected number."""
    alone = there_are(declared, sighting)
    there = counted(alone, expected) if expected is not None else alone
    order = np.argsort(-there, kind="stable")
    count = int((there >= 0.5).sum())
    if expected is not None and (there >= SURELY).sum() <= expected <= (there > HARDLY).sum():
        count = expected
    kept, left = order[:count], order[count:]
    spots = sighting.spots.take(kept)
    turn = reading_order(spots.centres, spots.sizes)
    kept, spots = kept[turn], spots.take(turn)
    faces, mirrored = face_probabilities(
        sighting.heads["face"][kept].astype(np.float64), temperatures().get(declared.name, 1.0)
    )
    sure = faces.max(1) * there[kept]
    doubt = (1 - sure).sum() - (1 - sure)
    sure = sure * (1 - TOGETHER * doubt / max(1, len(kept) - 1))
    pieces = []
    for i in range(len(kept)):
        first, second = np.argsort(-faces[i], kind="stable")[:2]
        confidence = float(sure[i])
        x, y = spots.centres[i]
        corners = spots.centres[i] + np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) @ spots.frames[i].T
        pieces.append(
            PieceReading(
                "die",
                FACES[first],
                round(confidence, 6),
                (round(float(x), 1), round(float(y), 1)),
                tuple((round(float(u), 1), round(float(v), 1)) for u, v in corners),
                FACES[second],
                confidence >= CERTAIN,
            )
        )
    doubtful = [k for k in left if there[k] > HARDLY]
    warnings = [IN_A_MIRROR] if mirrored > 0.5 and pieces else []
    for k in doubtful if pieces else ():
        x, y = sighting.spots.centres[k]
        warnings.append(
            f"what lies at ({x:.0f}, {y:.0f}) is not counted; it may be a die ({100 * there[k]:.0f} % sure)"
        )
    there_alone, spare = tuple(float(p) for p in alone[kept]), float(alone[left].sum())
    return Decoded(tuple(pieces), not doubtful, tuple(warnings), there_alone, spare)


DICE = PieceSet(
    name="dice",
    game="high-score",
    kinds=("die",),
    heads=MappingProxyType({"what": ("die", "other"), "face": (*FACES, *(MIRRORED + face for face in FACES))}),
    window=(-0.8, -0.8, 0.8, 0.8),
    pixels=(48, 48),
    decode=decode_dice,
    turned=False,
    mirror=MappingProxyType({(1, i): (i + len(FACES)) % (2 * len(FACES)) for i in range(2 * len(FACES))}),
    turns=(0.0, 97.0, 187.0, 277.0),
    floor=0.06,
    apart=0.5,
    settle=settle,
    least=4,
    count=7,
)
"""Dice: one unit is the side of the top face, the mark is its centre, and its frame is known up to quarter turns."""
