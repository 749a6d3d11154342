"""Every photo set keeps its floor, and nothing is misread in silence.

This is a quick look: each set as it is and in one other variant. ``make accuracy`` runs them all.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.photos.runner import Read, over_budget, quick, run, table
from tests.photos.sets import SETS, PhotoSet

from boardsight.vision.reader import Reader


@pytest.fixture(scope="module")
def read() -> Read:
    """Return the reader, whose models are loaded once."""
    return Reader().read


@pytest.mark.slow
@pytest.mark.parametrize(("number", "photos"), tuple(enumerate(SETS)), ids=[photos.name for photos in SETS])
def test_set(number: int, photos: PhotoSet, read: Read, tmp_path: Path) -> None:
    if not photos.there:
        pytest.skip(f"{photos.name} are not on this machine")
    rows = tuple(run(photos, quick(photos, number), read, tmp_path))
    print(table(rows))
    for row in rows:
        if row.notice:
            print(f"notice: {row.notice}")
    assert not [*(problem for row in rows for problem in row.problems), *over_budget(rows)]
