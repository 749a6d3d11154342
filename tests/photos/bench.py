"""Time the reader against merely decoding the photo: ``python -m tests.photos.bench [PHOTO] [--repeat N]``.

Everything runs in one process and one thread, warm, unless the line says otherwise. Without a photo, a sample is
enlarged to 12 megapixels; a 48-megapixel photo for the peak memory is always made so.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2

SAMPLE = Path(__file__).parent.parent.parent / "sample_images" / "nexus_1.jpg"
TWELVE, FORTY_EIGHT = 4000, 8064
"""Pixels of the longer side of photos of 12 and 48 megapixels, 4 : 3."""

_PEAK = """
import resource, sys
from boardsight.tournament.outcome import assess
from boardsight.scoring.rules import Rules
from boardsight.vision.reader import Reader
assess(Reader().read(sys.argv[1]), Rules())
try:
    # Unlike ru_maxrss, this does not start from what the parent process used.
    with open("/proc/self/status") as status:
        print(next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")))
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak if sys.platform == "darwin" else peak * 1024)
"""


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    value: float
    unit: str
    limit: float | None = None
    """What the value must not exceed."""

    @property
    def good(self) -> bool:
        """Return True where the value keeps its limit."""
        return self.limit is None or self.value <= self.limit


def enlarged(photo: Path, long_side: int, folder: Path) -> Path:
    """Return the path of a JPEG that shows a photo at another size."""
    image = cv2.imread(str(photo))
    if image is None:
        raise FileNotFoundError(photo)
    scale = long_side / max(image.shape[:2])
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    path = folder / f"{photo.stem}_{long_side}.jpg"
    cv2.imwrite(str(path), cv2.resize(image, size, interpolation=cv2.INTER_CUBIC), [cv2.IMWRITE_JPEG_QUALITY, 92])
    return path


def _milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def in_turn(first: Callable[[], object], second: Callable[[], object], repeat: int) -> tuple[float, float]:
    """Return the median milliseconds of two pieces of work, done in turn so that both meet the same machine."""
    for work in (first, second, first, second):
        work()
    pairs = [(_milliseconds(first), _milliseconds(second)) for _ in range(repeat)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def one_processor() -> None:
    """Keep this process on one processor and OpenCV in one thread."""
    cv2.setNumThreads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def command() -> list[str]:
    """Return how to start the command-line program of this environment."""
    script = shutil.which("boardsight", path=str(Path(sys.executable).parent))
    return [script] if script else [sys.executable, "-m", "boardsight.cli"]


def cold_start(photo: Path, repeat: int) -> float:
    """Return the median seconds that the command takes for one photo, from nothing to the sheet."""
    call = [*command(), "score", str(photo)]
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        done = subprocess.run(call, capture_output=True, text=True)
        seconds.append(time.perf_counter() - start)
        if done.returncode != 0:
            raise RuntimeError(f"the command failed: {done.stderr.strip()}")
    return statistics.median(seconds)


def peak_memory(photo: Path) -> float:
    """Return the megabytes that a process has used at most when it has read one photo."""
    done = subprocess.run([sys.executable, "-c", _PEAK, str(photo)], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1e6


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as a table of plain text."""
    lines = []
    for figure in figures:
        limit = "" if figure.limit is None else f"  at most {figure.limit:g}{'' if figure.good else '  MISSED'}"
        digits = 2 if figure.value < 10 else 0
        lines.append(f"{figure.what:<52}{figure.value:>9.{digits}f} {figure.unit}{limit}")
    return "\n".join(lines)


def shares(seconds: Mapping[str, float]) -> list[Figure]:
    """Return the share of each stage, the largest first."""
    total = sum(seconds.values()) or 1.0
    ordered = sorted(seconds.items(), key=lambda item: -item[1])
    return [Figure(f"  {name}", 100 * value / total, f"% ({1000 * value:.1f} ms)") for name, value in ordered]


def main(arguments: list[str]) -> int:
    """Measure, print the table, and return 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.photos.bench", description=__doc__)
    parser.add_argument("photo", nargs="?", type=Path, help="a sample enlarged to 12 megapixels unless given")
    parser.add_argument("--repeat", type=int, default=15, help="how often each is timed; the median counts")
    given = parser.parse_args(arguments)
    # The command and the memory are measured as a user meets them, on all processors: before this process keeps to one.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        photo = given.photo or enlarged(SAMPLE, TWELVE, folder)
        cold = cold_start(photo, 5)
        peak = peak_memory(enlarged(given.photo or SAMPLE, FORTY_EIGHT, folder))
        one_processor()

        from boardsight.scoring.rules import Rules
        from boardsight.tournament.outcome import assess
        from boardsight.vision.photo import load
        from boardsight.vision.reader import Reader

        reader, rules = Reader(), Rules()
        imread, whole = in_turn(
            lambda: cv2.imread(str(photo)), lambda: assess(reader.read(str(photo)), rules), given.repeat
        )
        _, loaded = in_turn(lambda: cv2.imread(str(photo)), lambda: load(photo), given.repeat)
        reading = reader.read(str(photo), keep_stages=True)
        stages = reading.stages.get("seconds")
    outcome = "read" if reading.fault is None else reading.fault.code
    print(f"{photo.name}, {reading.size[0]} x {reading.size[1]}, {outcome}")
    figures = [
        Figure("cv2.imread", imread, "ms"),
        Figure("loading the photo", loaded, "ms"),
        Figure("photo to sheet", whole, "ms"),
        Figure("photo to sheet over cv2.imread", whole / imread, "", 1.5),
        *(shares(stages) if isinstance(stages, Mapping) else ()),
        Figure("cold start of the command", cold, "s", 1.5),
        Figure("peak memory of reading a photo of 48 megapixels", peak, "MB", 500),
    ]
    print(table(figures))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
