"""Print the accuracy table: ``python -m tests.photos.accuracy [SET...] [--variant NAME] [--faults]``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.photos.runner import Row, over_budget, run, table
from tests.photos.sets import SETS
from tests.photos.variants import VARIANTS


def main(arguments: list[str]) -> int:
    """Read the sets, print what came out, and return 0 where every floor and every budget holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.photos.accuracy", description=__doc__)
    parser.add_argument("sets", nargs="*", help=f"names out of: {', '.join(s.name for s in SETS)}; all unless given")
    parser.add_argument("--variant", action="append", choices=[v.name for v in VARIANTS], help="all unless given")
    parser.add_argument("--faults", action="store_true", help="say what is wrong with each photo")
    given = parser.parse_args(arguments)
    unknown = set(given.sets) - {s.name for s in SETS}
    if unknown:
        parser.error(f"no set is called {', '.join(sorted(unknown))}")

    from boardsight.vision.reader import Reader

    reader = Reader()
    variants = [v for v in VARIANTS if not given.variant or v.name in given.variant]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for photos in SETS:
            if given.sets and photos.name not in given.sets:
                continue
            if not photos.there:
                print(f"{photos.name}: not here, skipped", file=sys.stderr)
                continue
            for row in run(photos, variants, reader.read, Path(folder)):
                rows.append(row)
                print(f"{photos.name}, {row.variant.name}: {row.count.exact} of {row.count.boards}", file=sys.stderr)
    print(table(rows))
    if given.faults:
        print("\n".join(f"{row.variant.name}: {fault}" for row in rows for fault in row.count.faults))
    for notice in (row.notice for row in rows):
        if notice:
            print(f"notice: {notice}")
    problems = [*(problem for row in rows for problem in row.problems), *over_budget(rows)]
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
