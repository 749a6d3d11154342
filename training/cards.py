"""Scenes of card piles as the networks for loose pieces learn from them: ends, middles, and what is neither."""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training.camera import apply
from boardsight.training.card_scene import Pile, Placed, draw_pile
from boardsight.training.pieces import TYPICAL, PieceScene, TruePiece
from boardsight.training.scene import draw_nothing, draw_scene
from boardsight.training.validate import photo_of
from boardsight.training.validate_pieces import Score
from boardsight.vision.card_groups import END, MIDDLE
from boardsight.vision.loose import LooseReader
from boardsight.vision.reading import PieceReading, Reading

LEAST_WIDTH = 40.0
"""Cards narrower than this, in pixels of the scene, are marked, but what they say is not learned."""
LONG_SIDE = (760, 1350)
"""Range of a scene's longer side in pixels."""
CHECKED_SIDE = (1200, 2000)
"""The same of a scene that is read to check the reader."""
WITHOUT = 0.08
"""Share of scenes without any card."""


def draw(rng: np.random.Generator, split: str) -> PieceScene:
    """Draw a scene to learn from."""
    if rng.random() < WITHOUT:
        return without(rng, split)
    pile = draw_pile(rng, split, harsh=float(rng.uniform(0.15, 1)), long_side=LONG_SIDE, scrambled=0.45)
    return PieceScene(pile.image, pieces_of(pile, rng), {"pile": pile})


def without(rng: np.random.Generator, split: str) -> PieceScene:
    """Draw a scene without cards: tile boards, other games, loose tiles, clutter."""
    boards = draw_nothing if rng.random() < 0.6 else draw_scene
    image = boards(rng, split, long_side=(700, 1150)).image
    h, w = image.shape[:2]
    spots = rng.uniform(0, 1, (4, 2)) * (w, h)
    return PieceScene(image, tuple(_other(p, rng.uniform(20, 120), rng) for p in spots))


def check(rng: np.random.Generator, harsh: float) -> PieceScene:
    """Draw a pile as it is checked: in styles kept from training, now and then with heads that are not the table's."""
    pile = draw_pile(rng, "validate", harsh=harsh, long_side=CHECKED_SIDE, scrambled=0.05)
    return PieceScene(pile.image, pieces_of(pile, rng), {"pile": pile})


def typical(rng: np.random.Generator) -> PieceScene:
    """Draw a scene as calibration needs it: in training styles, as people take photos, now and then without a card."""
    if rng.random() < WITHOUT:
        return without(rng, "train")
    harsh = float(rng.uniform(0, TYPICAL))
    pile = draw_pile(rng, "train", harsh=harsh, long_side=CHECKED_SIDE, scrambled=0.05)
    return PieceScene(pile.image, pieces_of(pile, rng), {"pile": pile})


def faces(pile: Pile) -> Counter[str]:
    """Return the cards of a drawn pile, each with its colour and heads."""
    return Counter(f"{c.text} {c.colour} {c.count}" if c.text.isdigit() else c.text for c in pile.cards)


def said(piece: PieceReading) -> str:
    """Return what was read of a card in the same words."""
    return " ".join((piece.text, *(value for _, value in piece.shows)))


def judge(scene: PieceScene, reading: Reading, seed: int = 0) -> Score:
    """Compare a reading with a pile: a card is right with its number, colour and heads, wherever it lies."""
    wanted, read = faces(scene.notes["pile"]), Counter(map(said, reading.pieces))
    missing, extra = wanted - read, read - wanted
    right = wanted & read
    silent = doubts = 0
    left = Counter(extra)
    for piece in reading.pieces:
        text = said(piece)
        wrong = left[text] > 0
        left[text] -= wrong
        silent += wrong and piece.certain
        doubts += not wrong and not piece.certain
    what = [f"{text} missed" for text in missing.elements()] + [f"{text} is not there" for text in extra.elements()]
    fault = reading.fault.code if reading.fault else ""
    return Score(
        seed,
        wanted.total(),
        right.total(),
        extra.total(),
        silent,
        reading.certain,
        fault,
        doubts,
        "; ".join(what),
    )


def confidences(rng: np.random.Generator) -> list[tuple[float, bool]]:
    """Return the confidence of each card of a pile in training styles, and whether it is right."""
    cv2.setNumThreads(1)
    scene = typical(rng)
    reading = LooseReader(1).read(photo_of(scene.image), "take-5")
    wanted = faces(scene.notes["pile"]) if "pile" in scene.notes else Counter()
    return [(piece.confidence, wanted[said(piece)] > 0) for piece in reading.pieces]


def pieces_of(pile: Pile, rng: np.random.Generator) -> tuple[TruePiece, ...]:
    """Return the ends and middles of a pile's cards that are in sight, and some places that are neither."""
    pieces: list[TruePiece] = []
    away = []
    for card in pile.cards:
        for end in card.ends:
            centre, frame = local(end.homography)
            away.append(centre)
            if end.corners:
                pieces.append(TruePiece(END, centre, frame, labels(card, end.heads, frame)))
        centre, frame = local(card.homography)
        if card.middle_seen:
            shows = labels(card, 0, frame)
            if pile.edition.middle == "none":
                shows = {k: v for k, v in shows.items() if k not in ("tens", "ones", "colour")}
            pieces.append(TruePiece(MIDDLE, centre, frame, shows))
            away.append(centre)
    middles = np.array(away)
    h, w = pile.image.shape[:2]
    size = float(np.sqrt(abs(np.linalg.det(pieces[0].frame)))) if pieces else 40.0
    for _ in range(5):
        near = middles[int(rng.integers(len(middles)))] + rng.normal(0, 2 * size, 2)
        spot = near if rng.random() < 0.6 else rng.uniform(0, 1, 2) * (w, h)
        if len(pile.backs) and rng.random() < 0.5:
            spot = pile.backs[0] + rng.normal(0, 0.5 * size, 2)
        if np.hypot(*(middles - spot).T).min() > 0.8 * size:
            pieces.append(_other(spot, size * float(np.exp(rng.normal(0, 0.2))), rng))
    return tuple(pieces)


def local(homography: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where a homography (card widths to pixels) puts its origin, and its frame there in half card widths."""
    p = apply(homography, np.array([[0, 0], [-0.5, 0], [0.5, 0], [0, -0.25], [0, 0.25]], float))
    return p[0], np.column_stack([(p[2] - p[1]) / 2, p[4] - p[3]])


def labels(card: Placed, heads: int, frame: NDArray[np.float64]) -> dict[str, str]:
    """Return what the classifier should say of an end with so many heads in sight, or of a middle."""
    if not card.text.isdigit():
        return {"what": card.text}
    if 2 * np.sqrt(abs(np.linalg.det(frame))) < LEAST_WIDTH:
        return {"what": "number"}
    return {
        "what": "number",
        "tens": card.text[:-1],
        "ones": card.text[-1],
        "colour": card.colour,
        "heads": str(heads),
    }


def _other(spot: NDArray[np.float64], size: float, rng: np.random.Generator) -> TruePiece:
    a = rng.uniform(0, 2 * np.pi)
    frame = size * np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    return TruePiece(END, spot, frame, {"what": "other"}, marked=False)
