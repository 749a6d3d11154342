"""Read whole sets of photos, as they are and spoiled in known ways, and count; in the manner of zxing-cpp's runner."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
from tests.photos.sets import PhotoSet
from tests.photos.truth import Count, Truth, compare
from tests.photos.variants import PLAIN, VARIANTS, Variant

from boardsight.vision.photo import load
from boardsight.vision.reading import Fault, Reading

Read = Callable[[str], Reading]
"""From a path to what the photo says."""


@dataclass(frozen=True)
class Row:
    """One set in one variant."""

    photos: PhotoSet
    variant: Variant
    count: Count
    seconds: float
    """Spent reading, over all photos."""

    @property
    def floor(self) -> int:
        """Return how many boards must be exact."""
        return self.photos.floors.get(self.variant.name, 0)

    @property
    def problems(self) -> tuple[str, ...]:
        """Return what is not as it must be."""
        found = []
        where = f"{self.photos.name}, {self.variant.name}"
        if self.count.exact < self.floor:
            found.append(f"{where}: {self.count.exact} boards exact, at least {self.floor} must be")
        if self.count.photos == 0:
            found.append(f"{where}: no photos")
        return (*found, *(self.count.faults if found else ()))

    @property
    def notice(self) -> str:
        """Return that the floor can be raised, where it can."""
        if self.count.exact <= self.floor:
            return ""
        return (
            f"{self.photos.name}, {self.variant.name}: the floor can be raised from {self.floor} to {self.count.exact}"
        )


def spoil(truth: Truth, variant: Variant, folder: Path) -> tuple[Path, object]:
    """Return the path of a photo's variant and where its pixels went (2 x 3); a new picture is put into `folder`."""
    if variant.plain:
        return truth.photo, None
    photo = load(truth.photo)
    if isinstance(photo, Fault):
        raise FileNotFoundError(photo.message)
    image, matrix = variant.apply(photo.full())
    path = folder / f"{truth.photo.stem}.jpg"
    cv2.imwrite(str(path), image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    return path, matrix


def run(photos: PhotoSet, variants: Sequence[Variant], read: Read, folder: Path) -> Iterator[Row]:
    """Yield a row for each variant of a set; pictures that are made on the way are put into `folder`."""
    truths = tuple(photos.load(folder))
    for variant in variants:
        total, seconds = Count(), 0.0
        for truth in truths:
            path, matrix = spoil(truth, variant, folder)
            start = time.perf_counter()
            reading = read(str(path))
            seconds += time.perf_counter() - start
            total += compare(truth, reading, matrix)  # type: ignore[arg-type]
            if path != truth.photo:
                path.unlink()
        yield Row(photos, variant, total, seconds)


def over_budget(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the sets whose silent misreads are more than they may be, with what was misread."""
    found: list[str] = []
    for photos in dict.fromkeys(row.photos.name for row in rows):
        mine = [row for row in rows if row.photos.name == photos]
        silent = sum(row.count.silent for row in mine)
        if silent > mine[0].photos.misreads:
            found.append(f"{photos}: {silent} tiles called certain and wrong, at most {mine[0].photos.misreads} may be")
            found += [f"{row.variant.name}: {fault}" for row in mine if row.count.silent for fault in row.count.faults]
    return tuple(found)


_HEADINGS = (
    "set",
    "source",
    "variant",
    "photos",
    "boards",
    "exact",
    "tiles",
    "wrong",
    "refused",
    "silent",
    "doubts",
    "pieces",
    "astray",
    "ms",
)


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table of plain text, with a sum over the variants that are not the photos as they are."""
    lines: list[tuple[str, ...]] = [_HEADINGS]
    for row in rows:
        lines.append((row.photos.name, row.photos.source, row.variant.name, *_figures(row.count, row.seconds)))
    spoiled = [row for row in rows if not row.variant.plain]
    for title, some in (("all", [row for row in rows if row.variant.plain]), ("all", spoiled)):
        if some:
            total = sum((row.count for row in some), Count())
            kind = PLAIN.name if some[0].variant.plain else "spoiled"
            lines.append((title, "", kind, *_figures(total, sum(row.seconds for row in some))))
    widths = [max(len(line[i]) for line in lines) for i in range(len(_HEADINGS))]
    texts = []
    for line in lines:
        cells = [v.ljust(w) if i < 3 else v.rjust(w) for i, (v, w) in enumerate(zip(line, widths, strict=True))]
        texts.append("  ".join(cells).rstrip())
    texts.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(texts)


def _figures(count: Count, seconds: float) -> tuple[str, ...]:
    return (
        str(count.photos),
        str(count.boards),
        str(count.exact),
        str(count.tiles),
        str(count.wrong),
        str(count.refused),
        str(count.silent),
        str(count.doubts),
        str(count.pieces),
        str(count.astray),
        f"{1000 * seconds / max(1, count.photos):.0f}",
    )


def quick(photos: PhotoSet, number: int) -> tuple[Variant, ...]:
    """Return the variants for a quick look at a set: the photos as they are, and one other, another for each set."""
    others = VARIANTS[1:]
    return (PLAIN, others[number % len(others)])
