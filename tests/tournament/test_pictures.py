"""Names and writing of pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from boardsight.tournament.pictures import WriteError, unique_names, write_picture


def test_names_are_made_from_the_photos_and_unique() -> None:
    photos = ("a/one.jpg", "b/one.heic", "c/ONE.png", "two.jpg")
    assert unique_names(photos, ".annotated.jpg") == (
        "one.annotated.jpg", "one-2.annotated.jpg", "ONE-3.annotated.jpg", "two.annotated.jpg"
    )  # fmt: skip


@pytest.mark.parametrize("name", ["out.jpg", "out.png", "with space é 写真.jpg"])
def test_picture_is_written_whole(tmp_path: Path, name: str) -> None:
    image = np.full((20, 30, 3), 200, np.uint8)
    path = tmp_path / "new folder" / name
    write_picture(path, image)
    back = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    assert back is not None
    assert back.shape == image.shape
    assert [p.name for p in path.parent.iterdir()] == [name]


def test_failed_write_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(WriteError, match="cannot be written"):
        write_picture(tmp_path / "file" / "out.jpg", np.zeros((2, 2, 3), np.uint8))
    (tmp_path / "out.jpg").mkdir()
    with pytest.raises(WriteError, match="cannot be written"):
        write_picture(tmp_path / "out.jpg", np.zeros((2, 2, 3), np.uint8))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "out.jpg"]
