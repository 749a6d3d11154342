"""Dice: the faces that lie on top, ordinary ones among them, and a throw that is seen in a mirror."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from boardsight.models import temperatures
from boardsight.vision.pieces import SOLID as SOLID_MARK
from boardsight.vision.pieces import (
    Decoded,
    Floats,
    PieceSet,
    Sighting,
    Spots,
    apart,
    frame_of,
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
UNLIKE, ODD = 2.2, 0.1
"""Dice of a throw are alike: one so many times larger or smaller than the others is so much less likely one."""
FLOOR = np.log(1e-4)
"""No die says more clearly than this that the photo is not mirrored."""
SELFIE = np.log(0.02)
"""Log probability beforehand that a photo is mirrored."""

LEAST = 4
"""Dice that say together how they lie; fewer are left as they are."""
SLOPING = 5
"""From so many dice on their size may change over the photo."""
BESIDE = 0.9
"""Tops of dice that lie side by side are one unit apart; nearer ones are a die's top and its side."""
OTHER_SIZE = 0.7
"""A mark whose size is off by more than this, as a logarithm, is no die of this throw."""


def settle(spots: Spots) -> Spots:
    """Return the marks of a throw with frames that agree, without those that cannot belong to it."""
    values = values_of(spots.frames)
    values[:, 3:] = 1.0, 0.0
    sure = np.flatnonzero(spots.scores >= SOLID_MARK)
    if len(sure) < LEAST:
        return replace(spots, frames=frame_of(values))
    shapes = fitted(spots, values, sure, sloping=len(sure) >= SLOPING)
    alike = np.abs(values[:, 0] - shapes[:, 0]) < OTHER_SIZE
    values[:, :3] = shapes
    return apart(replace(spots, frames=frame_of(values)).take(alike), BESIDE)


def presence(sighting: Sighting) -> Floats:
    """Return (n,) how probable it is that each mark is a die."""
    solid = np.minimum(1.0, sighting.spots.scores / SOLID_MARK)
    there = np.exp(sighting.heads["what"][:, 0].astype(np.float64)) * solid
    if there.sum() > 0:
        order = np.argsort(sighting.spots.sizes)
        middle = sighting.spots.sizes[order][np.searchsorted(np.cumsum(there[order]), there.sum() / 2)]
        ratio = sighting.spots.sizes / middle
        there = np.where((ratio > UNLIKE) | (ratio < 1 / UNLIKE), there * ODD, there)
    return np.asarray(there, np.float64)


def face_probabilities(says: Floats, temperature: float) -> tuple[Floats, float]:
    """Return (n, faces) probabilities of n dice in one photo, and the probability that it is mirrored.

    ``says`` (n, 2 * faces) are log probabilities of the faces, then of the same faces in a mirror.
    """
    both = np.maximum(says, FLOOR).reshape(len(says), 2, len(FACES)) / temperature
    each = np.logaddexp.reduce(both, axis=2)
    plain, mirrored = each.sum(0) + (0.0, SELFIE) if len(says) else np.array([0.0, SELFIE])
    turned = float(np.exp(mirrored - np.logaddexp(plain, mirrored)))
    given = np.exp(both - each[:, :, None])
    result: Floats = (1 - turned) * given[:, 0] + turned * given[:, 1]
    return result, turned


def decode_dice(declared: PieceSet, sighting: Sighting, expected: int | None) -> Decoded:
    """Return the dice of a photo; a mark that may be none counts where that makes the expected number."""
    there = presence(sighting)
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
    pieces = []
    for i, k in enumerate(kept):
        first, second = np.argsort(-faces[i], kind="stable")[:2]
        confidence = float(faces[i, first] * there[k])
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
    warnings = ["the photo is mirrored; it is read as if it were not"] if mirrored > 0.5 and pieces else []
    for k in doubtful if pieces else ():
        x, y = sighting.spots.centres[k]
        warnings.append(
            f"what lies at ({x:.0f}, {y:.0f}) is not counted; it may be a die ({100 * there[k]:.0f} % sure)"
        )
    return Decoded(tuple(pieces), not doubtful, tuple(warnings))


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
    apart=0.8,
    settle=settle,
    least=4,
    count=7,
)
"""Dice: one unit is the side of the top face, the mark is its centre, and its frame is known up to quarter turns."""
