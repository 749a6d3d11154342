"""Sources of photos: folders, patterns, archives and addresses."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from boardsight.tournament.places import SourceError, fetch, find
from boardsight.vision.reading import Fault

JPEG = b"\xff\xd8\xff\xe0 a photo"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "photos"
    (top / "round 1").mkdir(parents=True)
    (top / ".cache").mkdir()
    for name in ("b.jpg", "a.JPG", "round 1/é 写.heic", ".hidden.jpg", ".cache/c.jpg", "no suffix", "text.jpg"):
        (top / name).write_bytes(JPEG)
    (top / "text.jpg").write_bytes(b"no photo")
    (top / "notes.txt").write_bytes(JPEG)
    (top / "noise.dat").write_bytes(b"no photo")
    return top


def names(*sources: str, leave_out: Path | None = None) -> list[str]:
    return [place.name for place in find(sources, leave_out)]


def test_a_folder_gives_its_photos_by_name_or_content(folder: Path) -> None:
    assert names(str(folder)) == ["a.JPG", "b.jpg", "no suffix", "round 1/é 写.heic", "text.jpg"]
    assert {p.address for p in find([str(folder)])} >= {str(folder / "b.jpg")}


def test_the_results_are_no_photos(folder: Path) -> None:
    assert names(str(folder), leave_out=folder / "round 1") == ["a.JPG", "b.jpg", "no suffix", "text.jpg"]


def test_patterns_and_files(folder: Path) -> None:
    assert names(str(folder / "*.jpg")) == ["b.jpg", "text.jpg"]
    assert names(str(folder / "**" / "*.heic")) == ["round 1/é 写.heic"]
    assert names(str(folder / "notes.txt")) == ["notes.txt"]


def test_a_file_may_be_named_like_a_pattern_or_an_address(tmp_path: Path) -> None:
    for name in ("IMG[1].jpg", "a::b.jpg", "what?.jpg", " spaced .jpg", "x" * 200 + ".jpg", "s3:/x.jpg"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(JPEG)
        (place,) = find([str(path)])
        assert fetch(place, 100) == JPEG


def test_each_photo_comes_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert names("b.jpg", "./b.jpg", str(folder / "b.jpg"), "*.jpg") == ["b.jpg", "text.jpg"]


def test_pasted_names(folder: Path) -> None:
    assert names(f"'{folder / 'b.jpg'}'") == ["b.jpg"]
    assert names(f"file://{folder}/round%201/é 写.heic") == ["é 写.heic"]


@pytest.mark.skipif(os.name != "posix", reason="names are text elsewhere")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad \xff.jpg")).write_bytes(JPEG)
    (place,) = find([str(tmp_path)])
    assert place.name == "bad \\udcff.jpg"
    assert fetch(place, 100) == JPEG


def test_a_source_without_photos_is_a_place_with_a_fault(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    sources = [str(tmp_path / "gone.jpg"), str(tmp_path / "*.png"), str(tmp_path / "empty")]
    faults = [fetch(place, 100) for place in find(sources)]
    assert all(isinstance(fault, Fault) and fault.code == "not-found" for fault in faults)
    texts = [fault.message for fault in faults if isinstance(fault, Fault)]
    assert [text.partition(" ")[2].partition(";")[0] for text in texts] == [
        "does not exist", "fits no file", "has no photo in it"
    ]  # fmt: skip


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    system = fsspec.filesystem("memory")
    system.pipe({"/club/r1/anna.jpg": JPEG, "/club/r1/ben.jpg": JPEG + b"2", "/club/readme.txt": b"x"})
    yield system
    system.rm("/club", recursive=True)


def test_an_address_in_memory(memory: fsspec.AbstractFileSystem) -> None:
    places = find(["memory://club"])
    assert [(p.address, p.name) for p in places] == [
        ("memory:///club/r1/anna.jpg", "r1/anna.jpg"),
        ("memory:///club/r1/ben.jpg", "r1/ben.jpg"),
    ]
    assert fetch(places[1], 100) == JPEG + b"2"
    assert names("memory://club/r1/*.jpg") == ["anna.jpg", "ben.jpg"]
    assert find([places[0].address])[0].address == places[0].address
    stamp = places[0].stamp
    memory.pipe({"/club/r1/anna.jpg": JPEG + b"9"})
    assert not stamp or find(["memory://club"])[0].stamp != stamp


@pytest.mark.parametrize("form", ["{}", "zip://{}", "zip://::{}"])
def test_an_archive(tmp_path: Path, form: str) -> None:
    path = tmp_path / "evening.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("r1/anna.jpg", JPEG)
        archive.writestr("r1/notes.txt", "x")
    (place,) = find([form.format(path)])
    assert (place.name, place.address) == ("r1/anna.jpg", f"zip://r1/anna.jpg::{path}")
    assert place.local
    assert fetch(place, 100) == JPEG
    (again,) = find([place.address])
    assert again.address == place.address


def test_a_pattern_in_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "evening.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("r1/anna.jpg", JPEG)
        archive.writestr("r2/anna.png", JPEG)
    assert names(f"zip://**/*.jpg::{path}") == ["r1/anna.jpg"]


@pytest.mark.parametrize("source", ["nosuch://x/y", "zip://a.jpg::/does/not/exist.zip"])
def test_a_wrong_address_is_refused_in_one_line(source: str) -> None:
    with pytest.raises(SourceError) as caught:
        found = find([source])
        if isinstance(fault := fetch(found[0], 100), Fault):
            raise SourceError(fault.message)
    assert "\n" not in str(caught.value)


def test_more_bytes_than_allowed_are_not_read(folder: Path) -> None:
    (place, *_) = find([str(folder / "b.jpg")])
    fault = fetch(place, 5)
    assert isinstance(fault, Fault)
    assert fault.code == "too-large"


def test_a_photo_that_went_away_meanwhile(folder: Path) -> None:
    (place, *_) = find([str(folder / "b.jpg")])
    (folder / "b.jpg").unlink()
    fault = fetch(place, 100)
    assert isinstance(fault, Fault)
    assert fault.code == "not-found"
