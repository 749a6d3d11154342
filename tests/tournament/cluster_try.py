"""Lose a worker half-way: ``python -m tests.tournament.cluster_try [--photos N]``.

The photos are read by processes here, then on a Dask cluster of two worker processes, then on another one of which a
worker is killed with SIGKILL half-way. All three databases must hold the same rows.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from tests.tournament.kills import rows
from tests.tournament.made import made_photos

from boardsight.tournament.batch import DATABASE, Batch, Step, Summary
from boardsight.tournament.cluster import ClusterReaders
from boardsight.tournament.readers import LocalReaders, Readers
from boardsight.tournament.store import Store
from boardsight.tournament.work import Settings


class Killer:
    """Kills a worker of a cluster once some photos are done."""

    def __init__(self, readers: ClusterReaders, after: int) -> None:
        self.readers, self.after = readers, after
        self.done = 0
        self.killed: list[int] = []

    def __call__(self, step: Step, total: int) -> None:
        """Count a photo."""
        self.done += 1
        if self.done >= self.after and not self.killed:
            pid = next(iter(self.readers.client.run(os.getpid).values()))
            os.kill(pid, signal.SIGKILL)
            self.killed.append(pid)


def read(photos: Iterable[Path], out: Path, readers: Readers, watch: Killer | None = None) -> Summary:
    """Read photos into a folder."""
    try:
        with Store.open(out / DATABASE) as store:
            return Batch(store, out, readers, Settings()).run([str(path) for path in photos], watch)
    finally:
        readers.close()


def main(arguments: list[str]) -> int:
    """Run it, print what was found, and return 0 if all is the same."""
    parser = argparse.ArgumentParser(prog="python -m tests.tournament.cluster_try", description=__doc__)
    parser.add_argument("--photos", type=int, default=60)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        photos = list(made_photos(folder / "photos", given.photos))
        start = time.monotonic()
        print(
            f"here: {read(photos, folder / 'here', LocalReaders(2)).read} read, {time.monotonic() - start:.0f} s",
            flush=True,
        )
        start = time.monotonic()
        calm = read(photos, folder / "calm", ClusterReaders("local", 2))
        print(f"cluster of two workers: {calm.read} read, {time.monotonic() - start:.0f} s", flush=True)
        readers = ClusterReaders("local", 2)
        killer = Killer(readers, given.photos // 2)
        lost = read(photos, folder / "lost", readers, killer)
        print(f"one worker killed half-way: {lost.read} read, {len(killer.killed)} killed", flush=True)
        same = rows(folder / "here") == rows(folder / "calm") == rows(folder / "lost")
        print(f"databases row for row: {'the same' if same else 'DIFFERENT'}")
        return 0 if same and len(killer.killed) == 1 else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
