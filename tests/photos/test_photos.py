"""Every photo set keeps its floor, and nothing is misread in silence.

This is a quick look: each set as it is and in one other variant. ``make accuracy`` runs them all.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.photos.runner import over_budget, quick, run, table
from tests.photos.sets import SETS, PhotoSet

reader = pytest.importorskip("boardsight.vision.reader")


@pytest.fixture(scope="module")
def read() -> object:
    """Return the reader, whose models are loaded once."""
    return reader.Reader().read


@pytest.mark.slow
@pytest.mark.parametrize(("number", "photos"), enumerate(SETS), ids=[photos.name for photos in SETS])
def test_set(number: int, photos: PhotoSet, read: object, tmp_path: Path) -> None:
    if not photos.there:
        pytest.skip(f"{photos.name} are not on this machine")
    rows = tuple(run(photos, quick(photos, number), read, tmp_path))  # type: ignore[arg-type]
    print(table(rows))
    for row in rows:
        if row.notice:
            print(f"notice: {row.notice}")
    assert not [*(problem for row in rows for problem in row.problems), *over_budget(rows)]
