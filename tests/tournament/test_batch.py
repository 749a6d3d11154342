"""A batch reads only what is new, and what it writes does not depend on when it was stopped."""

from __future__ import annotations

import csv
import json
import os
import threading
from dataclasses import replace
from pathlib import Path

import fsspec
import pytest
from tests.tournament.fakes import EASY, FakeReaders, board_object, objects, photo_bytes, run
from tests.tournament.kills import rows

from boardsight.tournament.batch import DATABASE, Batch, Step
from boardsight.tournament.pictures import WriteError
from boardsight.tournament.store import Store, StoreError
from boardsight.tournament.work import Bounds, Job, Result, Settings, failure

GOOD = board_object(EASY)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    for number in range(6):
        (folder / f"p{number}.jpg").write_bytes(photo_bytes(GOOD, str(number)))
    (folder / "bad.jpg").write_bytes(b"\xff\xd8 nothing")
    return folder


def test_every_photo_is_read_once_and_listed(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    summary = run(out, photos)
    assert (summary.photos, summary.read) == (7, 7)
    assert [(step.place.name, step.code) for step in summary.faults] == [("bad.jpg", "no-board")]
    found = objects(out)
    assert list(found) == ["bad.jpg", *(f"p{n}.jpg" for n in range(6))]
    assert found["p0.jpg"] == {"photo": "p0.jpg", **GOOD}
    assert found["bad.jpg"]["error"] == {
        "code": "no-board",
        "message": "'bad.jpg' shows no board; take it from above",
    }
    with (out / "results.csv").open(newline="", encoding="utf-8") as file:
        lines = {line["photo"]: line for line in csv.DictReader(file)}
    assert lines["p3.jpg"]["total"] == "233"
    assert lines["bad.jpg"]["error"] == "no-board"
    assert len(list((out / "annotated").glob("*.jpg"))) == 6
    assert sorted(p.name for p in out.iterdir()) == ["annotated", "results.csv", "results.db", "results.jsonl"]


def test_again_reads_nothing(photos: Path, tmp_path: Path) -> None:
    run(tmp_path / "out", photos)
    before = rows(tmp_path / "out"), objects(tmp_path / "out")
    readers = FakeReaders()
    summary = run(tmp_path / "out", photos, readers=readers)
    assert (summary.read, len(readers.jobs), len(summary.faults)) == (0, 0, 1)
    assert (rows(tmp_path / "out"), objects(tmp_path / "out")) == before


def test_only_what_is_new_or_changed_is_read(photos: Path, tmp_path: Path) -> None:
    run(tmp_path / "out", photos)
    (photos / "p0.jpg").write_bytes(photo_bytes(GOOD, "taken again"))
    (photos / "new.jpg").write_bytes(photo_bytes(GOOD, "new"))
    (photos / "copy.jpg").write_bytes((photos / "p1.jpg").read_bytes())
    (photos / "p2.jpg").rename(photos / "moved.jpg")
    (photos / "p3.jpg").unlink()
    os.utime(photos / "p4.jpg", (1, 1))
    readers = FakeReaders()
    run(tmp_path / "out", photos, readers=readers)
    assert {json.loads(job.data[2:])["salt"] for job in readers.jobs} == {"taken again", "new"}
    assert set(objects(tmp_path / "out")) == {path.name for path in photos.iterdir()}
    assert len({path.name for path in (tmp_path / "out" / "annotated").glob("copy.*.jpg")}) == 1


def test_other_settings_or_another_model_read_again(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "out", photos)
    assert run(tmp_path / "out", photos, settings=Settings("take-it-easy")).read == 7
    assert run(tmp_path / "out", photos).read == 0
    assert run(tmp_path / "out", photos, settings=Settings(rules="studs")).read == 7
    monkeypatch.setattr("boardsight.tournament.batch.model", lambda: "another")
    assert run(tmp_path / "out", photos, settings=Settings(rules="studs")).read == 7


def test_errors_are_read_again_on_request_or_with_other_bounds(photos: Path, tmp_path: Path) -> None:
    (photos / "slow.jpg").write_bytes(photo_bytes(failure("too-slow", "'{photo}' took longer than 60 s")))
    out = tmp_path / "out"
    run(out, photos)
    assert run(out, photos, settings=Settings(bounds=Bounds(seconds=90))).read == 1
    assert run(out, photos, settings=Settings(bounds=Bounds(seconds=90))).read == 0
    assert run(out, photos, settings=Settings(bounds=Bounds(seconds=90)), retry=True).read == 2
    assert objects(out)["slow.jpg"]["error"] == {"code": "too-slow", "message": "'slow.jpg' took longer than 60 s"}


def test_a_file_past_the_limit_is_not_read(photos: Path, tmp_path: Path) -> None:
    (photos / "large.jpg").write_bytes(bytes(300_000))
    readers = FakeReaders()
    summary = run(tmp_path / "out", photos, readers=readers, settings=Settings(bounds=Bounds(megabytes=0.2)))
    assert [(s.place.name, s.code) for s in summary.faults] == [("bad.jpg", "no-board"), ("large.jpg", "too-large")]
    assert len(readers.jobs) == 7
    assert run(tmp_path / "out", photos).read == 1


def test_a_source_that_is_not_there_is_listed_until_it_is_not_asked_for(photos: Path, tmp_path: Path) -> None:
    summary = run(tmp_path / "out", photos, tmp_path / "gone.jpg")
    assert summary.faults[0].code == "not-found"
    assert any(name.endswith("gone.jpg") for name in objects(tmp_path / "out"))
    run(tmp_path / "out", photos)
    assert not any(name.endswith("gone.jpg") for name in objects(tmp_path / "out"))


def test_a_second_folder_adds_to_the_list(photos: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    (second / "p1.jpg").write_bytes(photo_bytes(GOOD, "second"))
    run(tmp_path / "out", photos)
    assert run(tmp_path / "out", second).read == 1
    found = objects(tmp_path / "out")
    assert len(found) == 8
    assert {str(photos / "p1.jpg"), str(second / "p1.jpg")} < set(found)


def test_photos_in_memory(tmp_path: Path) -> None:
    system = fsspec.filesystem("memory")
    system.pipe({"/batch/a.jpg": photo_bytes(GOOD, "a"), "/batch/b.jpg": photo_bytes(GOOD, "b")})
    try:
        assert run(tmp_path / "out", "memory://batch").read == 2
        assert run(tmp_path / "out", "memory://batch").read == 0
        assert list(objects(tmp_path / "out")) == ["a.jpg", "b.jpg"]
    finally:
        system.rm("/batch", recursive=True)


def test_copies_are_read_once(photos: Path, tmp_path: Path) -> None:
    for number in range(20):
        (photos / f"copy{number}.jpg").write_bytes((photos / "p0.jpg").read_bytes())
    readers = FakeReaders(8, 0.02)
    assert run(tmp_path / "out", photos, readers=readers).photos == 27
    assert len(readers.jobs) == 7


class Stopping(FakeReaders):
    """Stops the batch after some photos, as Ctrl-C does."""

    def __init__(self, after: int) -> None:
        super().__init__(1)
        self.after = after

    def read(self, job: Job) -> Result:
        if len(self.jobs) == self.after:
            raise KeyboardInterrupt
        return super().read(job)


def test_stopped_and_resumed_is_the_same_as_undisturbed(photos: Path, tmp_path: Path) -> None:
    run(tmp_path / "calm", photos)
    for after in (0, 1, 2):
        readers = Stopping(after)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "out", photos, readers=readers)
        assert readers.closed == 1
        known = len(rows(tmp_path / "out")["readings"])
        assert len(objects(tmp_path / "out")) == known
    assert known == 3
    assert run(tmp_path / "out", photos).read == 4
    assert rows(tmp_path / "out") == rows(tmp_path / "calm")
    assert objects(tmp_path / "out") == objects(tmp_path / "calm")


def test_two_runs_at_once_on_one_folder(photos: Path, tmp_path: Path) -> None:
    for number in range(40):
        (photos / f"more{number}.jpg").write_bytes(photo_bytes(GOOD, f"more {number}"))
    run(tmp_path / "calm", photos)
    threads = [
        threading.Thread(target=run, args=(tmp_path / "out", photos), kwargs={"readers": FakeReaders(2, 0.005)})
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows(tmp_path / "out") == rows(tmp_path / "calm")
    assert objects(tmp_path / "out") == objects(tmp_path / "calm")


def test_a_full_disk_stops_with_one_line_and_can_go_on(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with Store.open(out / DATABASE) as store:
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        with pytest.raises(StoreError, match="disk is full") as caught:
            Batch(store, out, FakeReaders(), Settings()).run([str(photos)])
        assert "\n" not in str(caught.value)
    known = len(rows(out)["readings"])
    assert run(out, photos).read == 7 - known
    assert len(objects(out)) == 7


def test_a_folder_that_takes_no_pictures_is_one_line(photos: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "annotated").write_text("in the way")
    with pytest.raises(WriteError, match="cannot be written") as caught:
        run(tmp_path / "out", photos)
    assert "\n" not in str(caught.value)
    assert run(tmp_path / "out", photos, pictures=False).photos == 7


def test_pictures_are_made_when_they_are_asked_for_later(photos: Path, tmp_path: Path) -> None:
    run(tmp_path / "out", photos, pictures=False)
    assert not (tmp_path / "out" / "annotated").exists()
    assert run(tmp_path / "out", photos).read == 6
    assert len(list((tmp_path / "out" / "annotated").iterdir())) == 6


def test_a_photo_without_anything_to_draw_is_not_read_again(tmp_path: Path) -> None:
    photo = tmp_path / "dice.jpg"
    photo.write_bytes(photo_bytes({"game": "high-score", "dice": ["5"], "certain": True, "warnings": []}))
    run(tmp_path / "out", photo)
    assert run(tmp_path / "out", photo).read == 0


def test_an_error_keeps_what_was_read(tmp_path: Path) -> None:
    photo = tmp_path / "dice.jpg"
    pieces = [{"piece": "die", "text": "5", "certain": True}]
    error = failure("wrong-count", "'{photo}' shows 1 die")
    photo.write_bytes(photo_bytes({**error, "game": "high-score", "dice": ["5"], "pieces": pieces}))
    run(tmp_path / "out", photo)
    found = objects(tmp_path / "out")["dice.jpg"]
    assert found["error"] == {"code": "wrong-count", "message": "'dice.jpg' shows 1 die"}
    assert (found["dice"], found["pieces"]) == (["5"], pieces)


def test_what_happens_is_watched(photos: Path, tmp_path: Path) -> None:
    steps: list[Step] = []
    summary = run(tmp_path / "out", photos, steps=steps)
    assert len(steps) == summary.photos
    assert replace(steps[0], place=steps[0].place) in steps
