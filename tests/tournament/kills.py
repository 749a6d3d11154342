"""Prove that a batch may be killed at any moment: ``python -m tests.tournament.kills [--photos N] [--kills K]``.

The photos are read through undisturbed, and again (which must read none); then into another folder by a run that is
killed with SIGKILL at random moments and started anew. Both databases must hold the same rows, both folders the same
lists and the same annotated pictures.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.tournament.made import made_photos

COMMAND = (sys.executable, "-m", "boardsight.cli", "batch")
TABLES = {"photos": "address", "readings": "content, settings, model"}
"""What a batch writes, and in which order rows are compared."""


def rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows that a batch has written, in an order that does not depend on when."""
    with sqlite3.connect(folder / "results.db") as database:
        (state,) = database.execute("PRAGMA integrity_check").fetchone()
        if state != "ok":
            raise RuntimeError(f"the database is damaged: {state}")
        return {name: database.execute(f"SELECT * FROM {name} ORDER BY {by}").fetchall() for name, by in TABLES.items()}


def files(folder: Path) -> dict[str, str]:
    """Return the sha256 of each list and annotated picture, by name; half-written ones have other names."""
    found = [folder / "results.jsonl", folder / "results.csv", *(folder / "annotated").glob("[!.]*.jpg")]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def start(photos: Path, out: Path, jobs: int) -> subprocess.Popen[str]:
    """Start the command."""
    call = [*COMMAND, str(photos), "--out", str(out), "--jobs", str(jobs)]
    return subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(photos: Path, out: Path, jobs: int) -> tuple[int, float]:
    """Run the command to its end; return how many photos it read, and seconds."""
    begin = time.monotonic()
    process = start(photos, out, jobs)
    said, wrong = process.communicate()
    found = re.search(r"(\d+) read now", said)
    if found is None or process.returncode not in (0, 1):
        raise RuntimeError(f"the command failed: {wrong.strip()[-500:]}")
    return int(found[1]), time.monotonic() - begin


def known(out: Path) -> int:
    """Return how many readings a folder's database has."""
    if not (out / "results.db").exists():
        return 0
    with sqlite3.connect(out / "results.db", timeout=60) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'readings'").fetchone():
            return 0
        return int(database.execute("SELECT count(*) FROM readings").fetchone()[0])


def disturbed(photos: Path, out: Path, jobs: int, count: int, kills: int, rng: random.Random) -> list[int]:
    """Run the command and kill it at random moments; return how many photos were known after each time."""
    counts: list[int] = []
    while len(counts) < kills:
        before = known(out)
        target = before + rng.randint(0, 2 * (count - before) // (kills - len(counts) + 2))
        process = start(photos, out, jobs)
        while process.poll() is None and known(out) < target:
            time.sleep(0.05)
        time.sleep(rng.uniform(0, 1))
        if process.poll() is not None:
            raise RuntimeError(f"the run ended before it was killed {kills} times: give it more photos")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        counts.append(known(out))
    return counts


def main(arguments: list[str]) -> int:
    """Run the proof, print what was measured, and return 0 if everything is the same."""
    parser = argparse.ArgumentParser(prog="python -m tests.tournament.kills", description=__doc__)
    parser.add_argument("--photos", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        photos = folder / "photos"
        for _ in made_photos(photos, given.photos):
            pass
        read, seconds = run(photos, folder / "calm", given.jobs)
        print(f"{given.photos} photos, undisturbed: {read} read in {seconds:.0f} s", flush=True)
        again, short = run(photos, folder / "calm", given.jobs)
        print(f"again: {again} read in {short:.1f} s", flush=True)
        counts = disturbed(photos, folder / "killed", given.jobs, given.photos, given.kills, random.Random(given.seed))
        print(f"killed {given.kills} times, with {', '.join(map(str, counts))} photos known", flush=True)
        rest, _ = run(photos, folder / "killed", given.jobs)
        print(f"resumed: {rest} read", flush=True)
        same_rows = rows(folder / "calm") == rows(folder / "killed")
        same_files = files(folder / "calm") == files(folder / "killed")
        total = sum(len(table) for table in rows(folder / "calm").values())
        print(f"database row for row ({total} rows): {'the same' if same_rows else 'DIFFERENT'}")
        print(f"lists and annotated pictures: {'the same' if same_files else 'DIFFERENT'}")
        good = (read, again) == (given.photos, 0) and same_rows and same_files and rest == given.photos - counts[-1]
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
