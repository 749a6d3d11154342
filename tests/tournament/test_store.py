"""The database: what goes in comes out, corrections stay beside readings, and many may write at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from boardsight.tournament import schema
from boardsight.tournament.rows import Correction, Entry, Evening, Kept, Key, PhotoRow, Points, Round
from boardsight.tournament.store import Store, StoreError

KEY = Key("c0ffee", "game=", "m1")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "results.db")


def test_a_photo_and_its_reading_come_back(store: Store) -> None:
    photo = PhotoRow("/photos/a.jpg", "a.jpg", KEY, 12, "s1")
    store.put_photo(photo, {"game": "take-it-easy", "certain": True})
    assert store.photo("/photos/a.jpg") == photo
    assert store.photos() == (photo,)
    assert store.reading(KEY) == {"game": "take-it-easy", "certain": True}
    assert store.has_reading(KEY)
    assert not store.has_reading(Key("c0ffee", "game=", "m2"))
    assert store.reading(Key("c0ffee", "game=x", "m1")) is None


def test_a_photo_without_content_keeps_its_fault(store: Store) -> None:
    photo = PhotoRow("/photos/b.jpg", "b.jpg", None, fault=("not-found", "'b.jpg' does not exist"))
    store.put_photo(photo)
    assert store.photo("/photos/b.jpg") == photo


def test_a_forgotten_photo_keeps_its_reading(store: Store) -> None:
    store.put_photo(PhotoRow("/a", "a", KEY), {"game": "x"})
    store.forget_photo("/a")
    assert store.photos() == ()
    assert store.has_reading(KEY)


def test_corrections_stand_beside_the_reading_and_can_be_undone(store: Store) -> None:
    store.put_photo(PhotoRow("/a", "a", KEY), {"game": "x"})
    first = store.correct(Correction("c0ffee", 1, "c1.1", "9-2-3", "Anna"))
    second = store.correct(Correction("c0ffee", 1, "c1.1", "1-2-3"))
    store.correct(Correction("other", 1, "c1.1", "5-2-3"))
    assert [c.value for c in store.corrections("c0ffee")] == ["1-2-3"]
    assert store.undo(second)
    assert not store.undo(second)
    (kept,) = store.corrections("c0ffee")
    assert (kept.id, kept.value, kept.who) == (first, "9-2-3", "Anna")
    assert [c.undone for c in store.corrections("c0ffee", history=True)] == [False, True]
    assert len(store.corrections()) == 2
    assert store.reading(KEY) == {"game": "x"}


def test_an_evening_with_players_rounds_and_photos(store: Store) -> None:
    store.put_evening(Evening("club", "Club night", "studs"))
    store.put_evening(Evening("club", "Club night", "studs,simple"))
    assert store.evenings() == (Evening("club", "Club night", "studs,simple"),)
    store.put_round("club", Round(1, "take-it-higher", "basic"))
    store.put_entry("club", Entry("/a", "Zoë", 1))
    store.put_entry("club", Entry("/b", "ZOË", 2))
    store.put_entry("club", Entry("/c", "Ben", 2, part=2))
    store.put_points("club", Points("Ben", 1, 77, "photo was lost"))
    assert store.players("club") == ("Zoë", "Ben")
    assert store.rounds("club") == (Round(1, "take-it-higher", "basic"), Round(2))
    store.rename_player("club", "Zoë", "Zoe")
    assert store.entries("club") == (Entry("/a", "Zoe", 1), Entry("/c", "Ben", 2, 2), Entry("/b", "Zoe", 2))
    assert store.points("club") == (Points("Ben", 1, 77, "photo was lost"),)
    store.remove_entry("club", "/b")
    store.remove_points("club", "Ben", 1)
    store.remove_player("club", "Ben")
    assert store.entries("club") == (Entry("/a", "Zoe", 1),)
    assert store.points("club") == ()


def test_a_name_of_two_players_is_refused(store: Store) -> None:
    store.add_player("club", "Anna")
    store.add_player("club", "Ben")
    with pytest.raises(StoreError, match="cannot be written"):
        store.rename_player("club", "Ben", "Anna")
    assert store.players("club") == ("Anna", "Ben")


def test_all_of_a_transaction_or_nothing(store: Store) -> None:
    with pytest.raises(KeyError), store.transaction():
        store.add_player("club", "Anna")
        raise KeyError("stopped half-way")
    assert store.players("club") == ()
    store.add_player("club", "Ben")
    assert store.players("club") == ("Ben",)


def test_changes_of_another_are_seen(store: Store) -> None:
    before = store.changes()
    with Store.open(store.path) as other:
        other.add_player("club", "Anna")
    assert store.changes() != before
    assert store.players("club") == ("Anna",)


def test_the_file_is_a_documented_version_with_a_write_ahead_log(store: Store) -> None:
    with sqlite3.connect(store.path) as raw:
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert raw.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
        tables = raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    page = (Path(__file__).parent.parent.parent / "docs" / "database.md").read_text("utf-8")
    assert f"version {schema.VERSION}" in page
    for (table,) in tables:
        assert table == "sqlite_sequence" or f"`{table}`" in page


def test_a_newer_file_is_refused(store: Store) -> None:
    store.close()
    with sqlite3.connect(store.path) as raw:
        raw.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="newer boardsight"):
        Store.open(store.path)


def test_what_is_no_database_of_ours_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database at all, but long enough to have a header" * 9)
    with pytest.raises(StoreError, match="cannot be opened: file is not a database"):
        Store.open(tmp_path / "text.db")
    with sqlite3.connect(tmp_path / "other.db") as raw:
        raw.execute("CREATE TABLE t (x)")
    with pytest.raises(StoreError, match="another program's"):
        Store.open(tmp_path / "other.db")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open(tmp_path / "text.db" / "results.db")
    with pytest.raises(StoreError, match="does not exist"):
        Store.open(tmp_path / "none.db", create=False)


def test_a_full_disk_is_one_line_and_harms_nothing(store: Store) -> None:
    store.put_photo(PhotoRow("/a", "a", KEY), {"game": "x"})
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="cannot be written: database or disk is full") as caught:
        store.put_photo(PhotoRow("/b", "b", Key("d", "", "")), {"game": "y" * 200_000})
    assert "\n" not in str(caught.value)
    assert [photo.address for photo in store.photos()] == ["/a"]


WRITER = """
import sys
from pathlib import Path
from boardsight.tournament.rows import Entry, Key, PhotoRow
from boardsight.tournament.store import Store
number = sys.argv[2]
with Store.open(Path(sys.argv[1])) as store:
    for i in range(40):
        store.put_photo(PhotoRow(f"/{number}/{i}", "x", Key(f"{i}", "", "")), {"i": i})
        store.put_entry("club", Entry(f"/{number}/{i}", f"player {i % 4}", 1))
"""


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(number)]) for number in range(3)]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    with Store.open(path) as store:
        assert len(store.photos()) == 120
        assert store.reading(Key("7", "", "")) == {"i": 7}
        assert len(store.entries("club")) == 120
        assert sorted(store.players("club")) == [f"player {i}" for i in range(4)]
        assert store._connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_several_threads_share_a_store(store: Store) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: store.put_photo(PhotoRow(f"/{i}", "x", Key(f"{i}", "", "")), {"i": i}), range(80)))
    assert len(store.photos()) == 80


def test_a_photo_is_kept_with_all_that_a_correction_needs(store: Store) -> None:
    assert store.kept("abc") is None
    assert store.picture("abc") == b""
    store.keep("abc", Kept('{"game": "x"}', b"jpeg", b"small", b"npz"))
    assert store.kept("abc") == Kept('{"game": "x"}', evidence=b"npz")
    assert store.picture("abc") == b"jpeg"
    assert store.picture("abc", small=True) == b"small"
