"""Where the pictures of a command go."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from boardsight.cli.pictures import Pictures


def test_one_photo_may_name_its_picture(tmp_path: Path) -> None:
    assert Pictures.plan(["a.jpg"], tmp_path / "x.png", None).annotated == (tmp_path / "x.png",)
    assert Pictures.plan(["a.jpg"], tmp_path, None).annotated == (tmp_path / "a.annotated.jpg",)


def test_several_photos_go_into_a_folder(tmp_path: Path) -> None:
    plan = Pictures.plan(["a.jpg", "b.jpg"], tmp_path / "new", tmp_path / "stages")
    assert plan.annotated == (tmp_path / "new" / "a.annotated.jpg", tmp_path / "new" / "b.annotated.jpg")
    assert plan.stages == (tmp_path / "stages" / "a", tmp_path / "stages" / "b")


def test_file_for_several_photos_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jpg").write_bytes(b"")
    with pytest.raises(typer.BadParameter, match="must be a folder"):
        Pictures.plan(["a.jpg", "b.jpg"], tmp_path / "x.jpg", None)
