"""Check the reader on drawn card piles.

``python -m boardsight.training.card_validate --piles 400`` draws piles in styles that training never saw and prints how
many are exact (every card with its colour and heads, and no other) and how many of the wrong ones say so.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections import Counter
from dataclasses import dataclass, field

import cv2
import numpy as np

from boardsight.training.card_scene import Pile, draw_pile
from boardsight.vision.cards import CERTAIN
from boardsight.vision.loose import LooseReader
from boardsight.vision.photo import Photo
from boardsight.vision.reading import Reading

LONG_SIDE = (1200, 2000)
SEED = 971


@dataclass
class Score:
    """What was read of one pile."""

    seed: int
    cards: int
    exact: bool
    flagged: bool
    """The reading says that it is not sure."""
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    fault: str = ""
    judged: list[tuple[float, bool]] = field(default_factory=list)
    """Confidence and whether it was right, for each card that was read."""


def faces(pile: Pile) -> Counter[str]:
    """Return the cards of a drawn pile, each with its colour and heads, as texts."""
    return Counter(f"{c.text} {c.colour} {c.count}" if c.text.isdigit() else c.text for c in pile.cards)


def judge(pile: Pile, reading: Reading, seed: int) -> Score:
    """Compare a reading with a pile."""
    wanted = faces(pile)
    texts = [" ".join((p.text, *(value for _, value in p.shows))) for p in reading.pieces]
    read = Counter(texts)
    missing, extra = wanted - read, read - wanted
    judged = [(p.confidence, text not in extra) for p, text in zip(reading.pieces, texts, strict=True)]
    return Score(
        seed,
        len(pile.cards),
        not missing and not extra,
        not reading.certain,
        tuple(missing.elements()),
        tuple(extra.elements()),
        reading.fault.code if reading.fault else "",
        judged,
    )


_reader: list[LooseReader] = []


def one(job: tuple[int, str, float]) -> Score:
    """Draw and read one pile: its seed, its split and how harsh it is."""
    seed, split, harsh = job
    cv2.setNumThreads(1)
    if not _reader:
        _reader.append(LooseReader(1))
    pile = draw_pile(np.random.default_rng([SEED, seed]), split, harsh=harsh, long_side=LONG_SIDE, scrambled=0.05)
    h, w = pile.image.shape[:2]
    return judge(pile, _reader[0].read(Photo("drawn", (w, h), pile.image, 1.0), "take-5"), seed)


def main() -> None:
    """Print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", default="validate")
    parser.add_argument("--piles", type=int, default=400)
    parser.add_argument("--harsh", type=float, default=0.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="name the piles that were not exact")
    args = parser.parse_args()
    jobs = [(args.first + i, args.split, args.harsh) for i in range(args.piles)]
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        scores = pool.map(one, jobs, chunksize=4)
    wrong = [s for s in scores if not s.exact]
    right = len(scores) - len(wrong)
    said = sum(s.flagged for s in wrong)
    judged = [pair for s in scores for pair in s.judged]
    print(f"rendered by this project, split {args.split!r}, harshness {args.harsh}")
    print(f"{len(scores)} piles, {sum(s.cards for s in scores)} cards: {right} piles exact, {right / len(scores):.2%}")
    print(
        f"{len(wrong)} piles not exact, {said} of them say so; {sum(s.flagged for s in scores) - said} exact ones doubt"
    )
    silent = sum(not ok and c >= CERTAIN for c, ok in judged)
    print(f"cards read wrong: {sum(not ok for _, ok in judged)}, of which called certain: {silent}")
    if args.list:
        for s in wrong:
            print(s.seed, "flagged" if s.flagged else "SILENT", s.fault, "missing", s.missing, "extra", s.extra)


if __name__ == "__main__":
    main()
