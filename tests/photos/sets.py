"""The photo sets, as data: where they lie, who made them, and how many boards must be exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from tests.photos.drawn import DRAWINGS
from tests.photos.truth import Truth, load_truth
from tests.photos.variants import PLAIN, VARIANTS

ROOT = Path(__file__).parent.parent.parent
SHARED = ROOT / ".." / "shared" / "photos"
TILE_GAMES = ("take-it-easy", "take-it-to-the-limit", "take-it-higher")


@dataclass(frozen=True)
class PhotoSet:
    """Photos of one kind, with what is asked of the reader."""

    name: str
    source: str
    """Who made the pictures."""
    photos: Path
    """Folder; a set whose folder is absent is skipped."""
    truths: Path
    """Folder of the right answers, a JSON file for each photo."""
    wanted: Callable[[Truth], bool]
    """Which photos of the folder belong to the set."""
    floors: Mapping[str, int] = field(default_factory=dict)
    """Boards that must be exact, by variant; for the photos of a negative set, photos in which nothing is read."""
    misreads: int = 0
    """Tiles that may be called certain and be wrong, over all variants."""
    draw: bool = False
    """True where the pictures are drawn into the folder first."""

    def load(self, folder: Path) -> Iterator[Truth]:
        """Yield the answers of the set's photos; drawn ones are put into `folder`."""
        if self.draw:
            yield from _draw(folder)
            return
        for path in sorted(self.truths.glob("*.json")):
            truth = load_truth(path, self.photos)
            if truth.photo.exists() and self.wanted(truth):
                yield truth

    @property
    def there(self) -> bool:
        """Return False where the set's photos are not on this machine."""
        return self.draw or self.photos.is_dir()


def _draw(folder: Path) -> Iterator[Truth]:
    for seed, (name, draw) in enumerate(DRAWINGS.items()):
        path = folder / f"drawn_{name}.png"
        cv2.imwrite(str(path), draw(np.random.default_rng(seed)))
        yield Truth(path, "none")


def _group(name: str) -> Callable[[Truth], bool]:
    return lambda truth: truth.group == name and truth.game in TILE_GAMES


def _dice(truth: Truth) -> bool:
    return truth.pieces is not None and truth.pieces.kind == "die"


def _cards(*groups: str) -> Callable[[Truth], bool]:
    return lambda truth: truth.pieces is not None and truth.pieces.kind == "card" and truth.group in groups


def _dev(group: str, floors: Mapping[str, int]) -> PhotoSet:
    photos = SHARED / "dev"
    return PhotoSet(
        f"dev {group}", "path tracer, other hand", photos / "photos", photos / "truth", _group(group), floors
    )


def _some(n: int, *others: str) -> dict[str, int]:
    """Return the same floor for the plain photos and for the variants that are named."""
    return dict.fromkeys((PLAIN.name, *others), n)


def _each(n: int, **others: int) -> dict[str, int]:
    """Return the same floor for all variants but those that are named."""
    floors = dict.fromkeys((variant.name for variant in VARIANTS), n)
    return {**floors, **{variant.replace("_", " "): floor for variant, floor in others.items()}}


SAMPLES = ROOT / "sample_images"

SETS = (
    PhotoSet(
        "samples", "path tracer, other hand", SAMPLES, SAMPLES, lambda t: t.game in TILE_GAMES, _each(11, warm=10)
    ),
    _dev("normal", _each(9, warm=8)),
    _dev("difficult", _each(4, warm=3)),
    _dev("hard", _each(2, darkened=1)),
    PhotoSet(
        "real",
        "real phones",
        SHARED / "real",
        SHARED / "real",
        lambda t: t.game in TILE_GAMES,
        _each(2),
    ),
    PhotoSet("sample dice", "path tracer, other hand", SAMPLES, SAMPLES, _dice, _each(1)),
    PhotoSet(
        "dev dice",
        "path tracer, other hand",
        SHARED / "dev" / "photos",
        SHARED / "dev" / "truth",
        _dice,
        _some(2),
    ),
    PhotoSet(
        "sample cards",
        "path tracer, other hand",
        SAMPLES,
        SAMPLES,
        _cards(""),
        _each(1),
    ),
    PhotoSet(
        "dev cards",
        "path tracer, other hand",
        SHARED / "dev" / "photos",
        SHARED / "dev" / "truth",
        _cards("normal", "difficult", "hard"),
        _some(1, "mirrored"),
    ),
    PhotoSet("real dice", "real phones", SHARED / "real", SHARED / "real", _dice, _each(1)),
    PhotoSet(
        "dev negatives",
        "path tracer, other hand",
        SHARED / "dev" / "photos",
        SHARED / "dev" / "truth",
        lambda t: t.game == "none",
        _each(3),
    ),
    PhotoSet("real negatives", "real phones", SHARED / "real", SHARED / "real", lambda t: t.game == "none", _each(2)),
    PhotoSet("drawn negatives", "drawn by the test", ROOT, ROOT, lambda t: True, _each(len(DRAWINGS)), draw=True),
)
