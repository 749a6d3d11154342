"""The same work on a Dask cluster; real workers, and one that is killed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from tests.tournament.cluster_try import Killer, read
from tests.tournament.kills import rows
from tests.tournament.made import made_photos

from boardsight.tournament import cluster
from boardsight.tournament.batch import DATABASE, Batch
from boardsight.tournament.cluster import ClusterError, ClusterReaders, work
from boardsight.tournament.readers import LocalReaders
from boardsight.tournament.store import Store
from boardsight.tournament.work import Job, Settings, code_of, content_of

pytest.importorskip("distributed")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # what the scheduler's own threads warn of at their end is not ours
def test_a_cluster_that_loses_a_worker_gives_the_same_database(tmp_path: Path) -> None:
    photos = list(made_photos(tmp_path / "photos", 8, long_side=900))
    read(photos, tmp_path / "here", LocalReaders(1))
    readers = ClusterReaders("local", 2)
    killer = Killer(readers, 3)
    assert read(photos, tmp_path / "cluster", readers, killer).read == 8
    assert len(killer.killed) == 1
    assert rows(tmp_path / "cluster") == rows(tmp_path / "here")


@pytest.fixture
def hand(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalReaders]:
    readers = LocalReaders(1)
    monkeypatch.setattr(cluster._own, "hand", readers.hands[0], raising=False)
    yield readers
    readers.close()


@pytest.mark.slow
def test_a_worker_fetches_what_was_not_sent(tmp_path: Path, hand: LocalReaders) -> None:
    (photo,) = made_photos(tmp_path, 1, long_side=700)
    result = work(Job(Settings(), address=str(photo), picture=False))
    assert result.content == content_of(photo.read_bytes())
    assert result.object == work(Job(Settings(), photo.read_bytes(), picture=False)).object
    gone = work(Job(Settings(), address=str(tmp_path / "gone.jpg")))
    assert (code_of(gone.object), gone.content) == ("not-found", "")


class Remote(LocalReaders):
    """Reads as a worker elsewhere does, which fetches photos of remote addresses itself."""

    remote = True
    addresses: list[str]

    def read(self, job: Job):  # type: ignore[no-untyped-def]
        self.addresses.append(job.address)
        cluster._own.hand = self.hands[0]
        return work(job)


@pytest.mark.slow
def test_remote_photos_are_fetched_where_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (photo,) = made_photos(tmp_path / "photos", 1, long_side=700)
    system = fsspec.filesystem("memory")
    system.pipe({"/far/a.jpg": photo.read_bytes()})
    monkeypatch.setattr("boardsight.tournament.places.Place.local", False)
    monkeypatch.setattr("boardsight.tournament.places._stamp", lambda info: "1")
    readers = Remote(1)
    readers.addresses = []
    with Store.open(tmp_path / "out" / DATABASE) as store:
        batch = Batch(store, tmp_path / "out", readers, Settings())
        assert batch.run(["memory://far"]).read == 1
        (row,) = store.photos()
        assert row.key is not None
        assert row.key.content == content_of(photo.read_bytes())
        assert Batch(store, tmp_path / "out", readers, Settings()).run(["memory://far"]).read == 0
    assert readers.addresses == ["memory:///far/a.jpg"]
    readers.close()
    system.rm("/far", recursive=True)


def test_no_cluster_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 0.2)
    with pytest.raises(ClusterError) as caught:
        ClusterReaders("tcp://127.0.0.1:9", 1)
    assert "\n" not in str(caught.value)
    assert "127.0.0.1:9" in str(caught.value)


def test_a_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match="pip install"):
        ClusterReaders("local", 1)
