"""Check the reader on drawn loose pieces, in styles that training never saw.

``python -m boardsight.training.validate_pieces dice --scenes 400`` prints scenes read exactly, pieces wrong, how many
of the scenes that were not exact say that they are not sure, and in how many scenes without pieces some are read.
``--calibrate`` finds the set's temperature on scenes in training styles instead, and writes it beside the networks.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.models import temperatures
from boardsight.training.pieces import DRAWN, PieceScene, TruePiece, declared
from boardsight.training.temperatures import cautious, note
from boardsight.training.validate import photo_of, reader
from boardsight.vision.loose import LooseReader
from boardsight.vision.pieces import WORDS, words
from boardsight.vision.reading import Reading

SEED, NOTHING_SEED, CALIBRATION_SEED = 1201, 1203, 1207
NEAR_ENOUGH = 0.4
"""Units of a piece's frame within which a mark is that piece's."""


@dataclass(frozen=True, slots=True)
class Score:
    """What was read of one scene."""

    seed: int
    pieces: int
    right: int
    extra: int
    """Pieces read that are not there."""
    silent: int
    """Pieces called certain that are wrong or not there."""
    certain: bool
    """True where the reading as a whole says that it is sure."""
    fault: str
    doubts: int
    """Pieces that are right and were not called certain."""
    what: str = ""

    @property
    def exact(self) -> bool:
        """Return True where every piece is right and there is no other."""
        return not self.fault and self.right == self.pieces and not self.extra


def judge(scene: PieceScene, reading: Reading, text: Any, seed: int = 0) -> Score:
    """Compare a reading with a scene's answer, piece by piece where they lie."""
    left = list(reading.pieces)
    true = [piece for piece in scene.pieces if piece.marked]
    right = silent = doubts = 0
    what = []
    for piece in true:
        far = away(piece, np.array([r.centre for r in left]).reshape(-1, 2))
        if far.min(initial=1.0) > 0.5:
            what.append(f"{text(piece.labels)} missed")
            continue
        found = left.pop(int(far.argmin()))
        if found.text == text(piece.labels):
            right += 1
            doubts += not found.certain
        else:
            what.append(f"{text(piece.labels)} as {found.text}{'' if found.certain else ' ?'}")
            silent += found.certain
    what += [f"{r.text}{'' if r.certain else ' ?'} is not there" for r in left]
    silent += sum(r.certain for r in left)
    fault = reading.fault.code if reading.fault else ""
    return Score(seed, len(true), right, len(left), silent, reading.certain, fault, doubts, "; ".join(what))


def one(job: tuple[str, int, float]) -> Score:
    """Draw and read one scene: the set, its seed and how harsh it is."""
    name, seed, harsh = job
    cv2.setNumThreads(1)
    module = import_module(DRAWN[name])
    scene = module.check(np.random.default_rng([SEED, seed]), harsh)
    reading = reader().read_photo(photo_of(scene.image))
    own: Callable[[PieceScene, Reading, int], Score] | None = getattr(module, "judge", None)
    return own(scene, reading, seed) if own else judge(scene, reading, module.text, seed)


def _nothing(job: tuple[str, int, float]) -> str:
    """Return what is read where there is nothing: the game and how many pieces, or an empty text."""
    name, seed, _ = job
    cv2.setNumThreads(1)
    scene = import_module(DRAWN[name]).without(np.random.default_rng([NOTHING_SEED, seed]), "validate")
    reading = reader().read_photo(photo_of(scene.image))
    return f"{seed}: {len(reading.pieces)} in {reading.game}" if reading.pieces else ""


def table(name: str, scores: list[Score], harsh: float) -> str:
    """Return the figures as lines of text."""
    n, pieces = len(scores), sum(s.pieces for s in scores)
    exact = sum(s.exact for s in scores)
    wrong = [s for s in scores if not s.exact]
    flagged = sum(not s.certain for s in wrong)
    lines = [
        f"{name}: rendered by this project, styles kept from training, harshness {harsh}",
        f"  scenes {n}, exact {exact} ({exact / max(1, n):.2%})",
        f"  pieces {pieces}, right {sum(s.right for s in scores)}, not there {sum(s.extra for s in scores)}",
        f"  scenes not exact {len(wrong)}, of these flagged {flagged} ({flagged / max(1, len(wrong)):.1%})",
        f"  pieces called certain and wrong {sum(s.silent for s in scores)}",
        f"  right and not called certain {sum(s.doubts for s in scores)}, "
        f"exact scenes called certain {sum(s.exact and s.certain for s in scores)}",
        f"  faults {dict(Counter(s.fault for s in scores if s.fault))}",
    ]
    return "\n".join(lines)


def away(piece: TruePiece, spots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (n,) how far spots (n, 2) are from a true piece, in units of its frame."""
    return np.asarray(np.hypot(*(np.linalg.inv(piece.frame) @ (spots - piece.centre).T)), np.float64)


def margins(job: tuple[str, int]) -> list[tuple[float, bool]]:
    """Return the log odds of the best reading of each piece of a drawn scene, and whether it is right.

    The head ``face`` or, where a set has none, the second one is what is judged; a set whose pieces are decoded
    together says itself how sure it was of each (``confidences``).
    """
    name, seed = job
    cv2.setNumThreads(1)
    of, module = declared(name), import_module(DRAWN[name])
    if hasattr(module, "confidences"):
        present = temperatures().get(name, 1.0)
        judged = module.confidences(np.random.default_rng([CALIBRATION_SEED, seed]))
        return [(present * float(np.log(p / (1 - p))), ok) for p, ok in judged if 0 < p < 1]
    head = "face" if "face" in of.heads else list(of.heads)[1]
    rng = np.random.default_rng([CALIBRATION_SEED, seed])
    scene = module.typical(rng)
    sighting = LooseReader(1).sight(photo_of(scene.image), of)
    found = []
    labels = of.heads[head]
    for piece in (p for p in scene.pieces if p.marked and head in p.labels):
        far = away(piece, sighting.spots.centres)
        if far.min(initial=1.0) > NEAR_ENOUGH:
            continue
        row = sighting.heads[head][int(far.argmin())].astype(np.float64)
        if of.mirror:  # both ways of seeing a face count for it
            index = list(of.heads).index(head)
            row = np.array([np.logaddexp(row[i], row[of.mirror.get((index, i), i)]) for i in range(len(row) // 2)])
        best = int(row.argmax())
        others = np.logaddexp.reduce(np.delete(row, best))
        found.append((float(row[best] - others), labels[best] == piece.labels[head]))
    return found


def looks(job: tuple[str, int]) -> list[tuple[tuple[float, ...], bool]]:
    """Return what tells whether each mark of a drawn scene is a piece, and whether it is one."""
    name, seed = job
    cv2.setNumThreads(1)
    of = declared(name)
    scene = import_module(DRAWN[name]).typical(np.random.default_rng([CALIBRATION_SEED, 1, seed]))
    sighting = LooseReader(1).sight(photo_of(scene.image), of)
    true = [piece for piece in scene.pieces if piece.marked]
    found = []
    for said, centre, kind in zip(words(of, sighting), sighting.spots.centres, sighting.spots.kinds, strict=True):
        far = [float(away(piece, centre[None])[0]) for piece in true if piece.kind == kind]
        found.append((tuple(float(v) for v in said), min(far, default=1.0) < NEAR_ENOUGH))
    return found


def weigh(seen: list[tuple[tuple[float, ...], bool]]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression, found by Newton's method with a little ridge."""
    x, y = np.array([said for said, _ in seen]), np.array([ok for _, ok in seen], float)
    weights = np.zeros(x.shape[1])
    ridge = 1e-4 * len(x) * np.eye(x.shape[1])
    for _ in range(60):
        p = np.exp(-np.logaddexp(0, -(x @ weights)))
        slope = x.T @ (p - y) + ridge @ weights
        step = np.linalg.solve(x.T @ (x * (p * (1 - p))[:, None]) + ridge, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-6:
            break
    return np.asarray(weights, np.float64)


def calibrate_marks(name: str, seen: list[tuple[tuple[float, ...], bool]]) -> None:
    """Find how much a mark's crop and height say of whether it is a piece, and write it."""
    weights = weigh(seen)
    note({f"{name}.{word}": round(float(w), 3) for word, w in zip(WORDS, weights, strict=True)})
    said = np.array([row for row, _ in seen]) @ weights > 0
    right = np.array([ok for _, ok in seen])
    shown = ", ".join(f"{word} {w:.2f}" for word, w in zip(WORDS, weights, strict=True))
    print(f"{name}: {len(seen)} marks, {int(right.sum())} pieces, {int((said != right).sum())} taken wrong; {shown}")


def calibrate(name: str, judged: list[tuple[float, bool]]) -> float:
    """Return the highest temperature under which being right may be as likely as said, and write it."""
    margin, right = np.array([m for m, _ in judged]), np.array([ok for _, ok in judged])
    signed = np.where(right, margin, -margin)
    temperature = round(cautious(lambda t: float(np.logaddexp(0, -signed / t).sum())), 3)
    note({name: temperature})
    print(f"{name}: {len(judged)} pieces, {int((~right).sum())} read wrong, temperature {temperature:.2f}")
    return temperature


def main(arguments: list[str] | None = None) -> None:
    """Print the figures of a set."""
    parser = argparse.ArgumentParser(prog="python -m boardsight.training.validate_pieces", description=__doc__)
    parser.add_argument("set", choices=sorted(DRAWN))
    parser.add_argument("--scenes", type=int, default=400)
    parser.add_argument("--nothing", type=int, default=0, help="also read so many scenes without pieces")
    parser.add_argument("--harsh", type=float, default=0.0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="name the scenes that were not exact")
    parser.add_argument("--calibrate", action="store_true")
    given = parser.parse_args(arguments)
    seeds = range(given.first, given.first + given.scenes)
    context = multiprocessing.get_context("spawn")
    if given.calibrate:
        jobs = [(given.set, seed) for seed in seeds]
        with context.Pool(given.jobs) as pool:
            calibrate_marks(given.set, [pair for row in pool.map(looks, jobs, chunksize=4) for pair in row])
        with context.Pool(given.jobs) as pool:  # processes that know the new weights
            calibrate(given.set, [pair for row in pool.map(margins, jobs, chunksize=4) for pair in row])
        return
    with context.Pool(given.jobs) as pool:
        scores = pool.map(one, [(given.set, seed, given.harsh) for seed in seeds], chunksize=4)
        empty = pool.map(_nothing, [(given.set, i, given.harsh) for i in range(given.nothing)], chunksize=4)
    print(table(given.set, scores, given.harsh))
    if given.nothing:
        read = [text for text in empty if text]
        print(f"  scenes without pieces {given.nothing}, in which some are read {len(read)} {read or ''}")
    if given.list:
        for score in scores:
            if not score.exact:
                print(f"  scene {score.seed}: {score.fault} {score.what}{'' if score.certain else ' (flagged)'}")


if __name__ == "__main__":
    main()
