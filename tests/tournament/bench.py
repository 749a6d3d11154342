"""Time a batch: ``python -m tests.tournament.bench [--photos N] [--memory N] [--repeat N]``.

Photos of 12 megapixels are read by one process and by two, warm, with and without annotated pictures, and against that
the same files go through nothing but ``cv2.imread`` in one and in two processes. Then one process reads on until
`--memory` photos, and what it uses after 50 is compared with what it uses at the end.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.photos.bench import Figure, table
from tests.tournament.made import made_photos

from boardsight.tournament.batch import DATABASE, Batch
from boardsight.tournament.hand import Hand
from boardsight.tournament.readers import LocalReaders
from boardsight.tournament.store import Store
from boardsight.tournament.work import Job, Settings

TWELVE = 4032
"""Pixels of the longer side."""
DISTINCT = 18
"""Photos that differ; more are copies with another last byte."""
EARLY = 50
"""Photos after which a process has everything that it will ever need."""

_IMREAD = """
import sys, time
import cv2
cv2.setNumThreads(1)
print("ready", flush=True)
files = sys.stdin.readline().rstrip().split("\\0")
start, used = time.perf_counter(), time.process_time()
for path in files:
    assert cv2.imread(path) is not None
print(time.perf_counter() - start, time.process_time() - used, flush=True)
"""


def make(folder: Path, count: int) -> list[Path]:
    """Write photos of 12 megapixels, each with contents of its own, and return their paths."""
    made = list(made_photos(folder / "made", min(count, DISTINCT), long_side=TWELVE, least=1.0))
    photos = folder / "photos"
    photos.mkdir()
    paths = []
    for number in range(count):
        path = photos / f"{number:04d}.jpg"
        path.write_bytes(made[number % len(made)].read_bytes() + number.to_bytes(4, "big"))
        paths.append(path)
    return paths


@dataclass(frozen=True)
class Cost:
    """What it took to go through all photos, the start of the processes not counted."""

    seconds: float
    cpu: float
    """Seconds of processor time of all processes together; a busy machine changes it less."""


def imread(paths: Sequence[Path], processes: int) -> Cost:
    """Return what processes need to decode all photos and do nothing else."""
    workers = [
        subprocess.Popen([sys.executable, "-c", _IMREAD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    for worker in workers:
        if worker.stdout is None or worker.stdout.readline() != "ready\n":
            raise RuntimeError("a process does not start")
    for i, worker in enumerate(workers):
        if worker.stdin is not None:
            worker.stdin.write("\0".join(map(str, paths[i::processes])) + "\n")
            worker.stdin.flush()
    said = [[float(word) for word in worker.communicate()[0].split()] for worker in workers]
    return Cost(max(seconds for seconds, _ in said), sum(cpu for _, cpu in said))


def _cpu(pid: int | None) -> float:
    """Return the seconds of processor time that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def batch(paths: Sequence[Path], out: Path, processes: int, *, pictures: bool) -> Cost:
    """Return what a batch needs with processes that have loaded the networks."""
    readers = LocalReaders(processes)
    try:
        for hand in readers.hands:
            hand.read(Job(Settings(), paths[0].read_bytes()))
        pids = [hand.pid for hand in readers.hands]
        with Store.open(out / DATABASE) as store:
            used = time.process_time() + sum(map(_cpu, pids))
            start = time.perf_counter()
            summary = Batch(store, out, readers, Settings(), pictures=pictures).run([str(path) for path in paths])
            seconds = time.perf_counter() - start
            cpu = time.process_time() + sum(map(_cpu, pids)) - used
    finally:
        readers.close()
    if summary.read != len(paths):
        raise RuntimeError(f"{summary.read} of {len(paths)} photos were read")
    return Cost(seconds, cpu)


def megabytes(pid: int | None) -> float:
    """Return what a process holds in memory now (Linux)."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) / 1000 for line in status if line.startswith("VmRSS"))


def memory(paths: Sequence[Path], count: int) -> tuple[float, float]:
    """Return the megabytes of a reading process after `EARLY` photos and after `count`."""
    hand = Hand()
    early = 0.0
    try:
        for number in range(count):
            hand.read(Job(Settings(), paths[number % len(paths)].read_bytes()))
            if number + 1 == EARLY:
                early = megabytes(hand.pid)
        if hand.started != 1:
            raise RuntimeError("the process was lost")
        return early, megabytes(hand.pid)
    finally:
        hand.close()


def main(arguments: list[str]) -> int:
    """Measure, print the table, and return 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.tournament.bench", description=__doc__)
    parser.add_argument("--photos", type=int, default=80, help="that each run reads")
    parser.add_argument("--memory", type=int, default=1000, help="photos that one process reads; 0 leaves it out")
    parser.add_argument("--repeat", type=int, default=3, help="how often each is timed; the median counts")
    given = parser.parse_args(arguments)
    kinds = ("imread 1", "imread 2", "batch 1", "batch 2", "plain 1", "plain 2")
    costs: dict[str, list[Cost]] = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = make(folder, given.photos)
        for turn in range(given.repeat):
            for kind in kinds:  # in turn, so that all meet the same machine
                what, number = kind.split()
                if what == "imread":
                    costs[kind].append(imread(paths, int(number)))
                else:
                    costs[kind].append(batch(paths, folder / f"{kind} {turn}", int(number), pictures=what == "batch"))
        early, late = memory(paths, given.memory) if given.memory > EARLY else (0.0, 0.0)
    rate = {kind: given.photos / statistics.median(c.seconds for c in each) for kind, each in costs.items()}
    cpu = {kind: 1000 * statistics.median(c.cpu for c in each) / given.photos for kind, each in costs.items()}
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{given.photos} photos of 12 megapixels, {os.cpu_count()} processors{load}")
    names = {"imread": "cv2.imread", "plain": "batch without pictures", "batch": "batch with annotated pictures"}
    figures = []
    for kind in kinds:
        what, number = kind.split()
        figures.append(
            Figure(f"{names[what]}, {number} process(es)", rate[kind], f"photos/s, {cpu[kind]:.0f} ms CPU each")
        )
    figures += [
        Figure("two processes over one: cv2.imread", rate["imread 2"] / rate["imread 1"], ""),
        Figure("two processes over one: batch without pictures", rate["plain 2"] / rate["plain 1"], "(wanted: 1.8)"),
        Figure("two processes over one: batch with pictures", rate["batch 2"] / rate["batch 1"], ""),
        Figure("batch without pictures over cv2.imread", rate["plain 2"] / rate["imread 2"], "(wanted: 0.6)"),
        Figure("batch with pictures over cv2.imread", rate["batch 2"] / rate["imread 2"], ""),
        Figure("the same by CPU, without pictures", cpu["imread 2"] / cpu["plain 2"], ""),
        Figure("the same by CPU, with pictures", cpu["imread 2"] / cpu["batch 2"], ""),
    ]
    if late:
        figures += [
            Figure(f"memory of a process after {EARLY} photos", early, "MB"),
            Figure(f"memory of a process after {given.memory} photos", late, "MB"),
            Figure("growth", late / early, "", 1.1),
        ]
    print(table(figures))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
