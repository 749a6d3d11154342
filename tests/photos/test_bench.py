"""The bench's own parts; the figures themselves depend on the machine and are no test."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from tests.photos.bench import Figure, command, enlarged, in_turn, shares, table


def test_an_enlarged_photo(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), np.zeros((30, 40, 3), np.uint8))
    image = cv2.imread(str(enlarged(path, 400, tmp_path)))
    assert image is not None
    assert image.shape == (300, 400, 3)


def test_work_in_turn() -> None:
    done: list[str] = []
    first, second = in_turn(lambda: done.append("a"), lambda: done.append("b"), 3)
    assert "".join(done) == "abab" + "ab" * 3
    assert 0 <= first < 100
    assert 0 <= second < 100


def test_the_table_says_what_missed_its_limit() -> None:
    lines = table([Figure("ratio", 1.25, "", 1.5), Figure("memory", 612.3, "MB", 500), Figure("time", 80, "ms")])
    good, bad, free = lines.splitlines()
    assert good.split() == ["ratio", "1.25", "at", "most", "1.5"]
    assert bad.split() == ["memory", "612", "MB", "at", "most", "500", "MISSED"]
    assert free.split() == ["time", "80", "ms"]


def test_shares_add_up() -> None:
    found = shares({"load": 0.01, "classify": 0.03})
    assert [figure.what.strip() for figure in found] == ["classify", "load"]
    assert sum(figure.value for figure in found) == 100
    assert shares({}) == []


def test_the_command_is_there() -> None:
    assert command()
