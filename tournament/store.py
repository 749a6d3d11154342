"""One SQLite file with everything of a tournament: photos, readings, corrections by hand, players and rounds.

Several processes may write at once: each change is one transaction that waits for its turn, and a process that is
killed leaves nothing half-written. A `Store` may be used by several threads.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from boardsight.scoring.errors import BoardsightError
from boardsight.tournament import schema
from boardsight.tournament.rows import Correction, Entry, Evening, Kept, Key, PhotoRow, Points, Round

JsonObject = dict[str, object]

PATIENCE = 60.0
"""Seconds that a change waits for another process's change to end."""


class StoreError(BoardsightError):
    """A database that cannot be opened or written; the message names the file and the reason in one line."""


def _reason(error: sqlite3.Error) -> str:
    return " ".join(str(error).split())


class Store:
    """An open database. Every method that writes is one transaction, unless `transaction` groups several."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()
        self._depth = 0

    @classmethod
    def open(cls, path: Path, *, create: bool = True, patience: float = PATIENCE) -> Store:
        """Open a database, bring its tables up to date, and make it if it does not exist and `create` says so.

        Raises StoreError where that is impossible, or where the file is another program's or a newer version's.
        """
        if not create and not path.is_file():
            raise StoreError(f"{path} does not exist; `boardsight batch` makes it")
        connection: sqlite3.Connection | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA foreign_keys = ON")
            _use_wal(connection, patience)
            connection.execute("PRAGMA synchronous = FULL")
            store = cls(path, connection)
            store._migrate()
        except (sqlite3.Error, OSError, StoreError) as error:
            if connection is not None:
                connection.close()
            if isinstance(error, StoreError):
                raise
            reason = _reason(error) if isinstance(error, sqlite3.Error) else (error.strerror or str(error))
            raise StoreError(f"{path} cannot be opened: {reason}") from error
        return store

    def _migrate(self) -> None:
        with self.transaction():
            version = int(self._one("PRAGMA user_version")[0])
            application = int(self._one("PRAGMA application_id")[0])
            tables = int(self._one("SELECT count(*) FROM sqlite_master")[0])
            if application != schema.APPLICATION and tables:
                raise StoreError(f"{self.path} is another program's database")
            if version > schema.VERSION:
                raise StoreError(f"{self.path} was made by a newer boardsight; install that one")
            for step in schema.STEPS[version:]:
                for statement in filter(str.strip, step.split(";")):
                    self._connection.execute(statement)
            if version < schema.VERSION:
                self._connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
                self._connection.execute(f"PRAGMA user_version = {schema.VERSION}")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------ statements

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all changes within, or none of them; may be nested.

        Raises StoreError where the file cannot be written.
        """
        with self._lock:
            if self._depth:
                yield
                return
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                raise self._cannot(error) from error
            self._depth += 1
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise self._cannot(error) from error
                raise
            finally:
                self._depth -= 1

    def _cannot(self, error: sqlite3.Error) -> StoreError:
        return StoreError(f"{self.path} cannot be written: {_reason(error)}")

    def _one(self, sql: str, *values: object) -> sqlite3.Row:
        row: sqlite3.Row = self._connection.execute(sql, values).fetchone()
        return row

    def _rows(self, sql: str, *values: object) -> list[sqlite3.Row]:
        with self._lock:
            try:
                return self._connection.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise StoreError(f"{self.path} cannot be read: {_reason(error)}") from error

    def _change(self, sql: str, *values: object) -> int:
        """Run one statement and return how many rows it changed."""
        with self.transaction():
            return self._connection.execute(sql, values).rowcount

    def changes(self) -> int:
        """Return a number that differs from the last one if another connection has changed the file in between."""
        return int(self._rows("PRAGMA data_version")[0][0])

    # ------------------------------------------------------------ photos and readings

    def put_photo(self, photo: PhotoRow, obj: Mapping[str, object] | None = None) -> None:
        """Enter a photo, or what is new about it, and with it its reading if `obj` gives it.

        `obj` is the object of docs/json.md without ``photo``; the same photo may lie in several places.
        """
        key = photo.key or Key("", "", "")
        fault = json.dumps({"code": photo.fault[0], "message": photo.fault[1]}) if photo.fault else None
        with self.transaction():
            if obj is not None:
                self._change(
                    "INSERT OR REPLACE INTO readings (content, settings, model, object) VALUES (?, ?, ?, ?)",
                    *(key.content, key.settings, key.model, json.dumps(obj, allow_nan=False)),
                )
            self._change(
                "INSERT OR REPLACE INTO photos (address, name, content, size, stamp, settings, model, fault)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                *(photo.address, photo.name, key.content or None, photo.size, photo.stamp),
                *(key.settings, key.model, fault),
            )

    def forget_photo(self, address: str) -> None:
        """Take a photo off the list; its reading and corrections stay for when the same photo comes back."""
        self._change("DELETE FROM photos WHERE address = ?", address)

    def photo(self, address: str) -> PhotoRow | None:
        """Return the photo at an address, or None if it is not on the list."""
        rows = self._rows("SELECT * FROM photos WHERE address = ?", address)
        return _photo_row(rows[0]) if rows else None

    def photos(self) -> tuple[PhotoRow, ...]:
        """Return all photos, by name and then address."""
        return tuple(_photo_row(row) for row in self._rows("SELECT * FROM photos ORDER BY name, address"))

    def reading(self, key: Key) -> JsonObject | None:
        """Return the object of a reading without ``photo``, or None if there is none."""
        rows = self._rows(
            "SELECT object FROM readings WHERE content = ? AND settings = ? AND model = ?",
            *(key.content, key.settings, key.model),
        )
        return dict(json.loads(rows[0][0])) if rows else None

    def has_reading(self, key: Key) -> bool:
        """Return True where the same content was read in the same way already."""
        sql = "SELECT 1 FROM readings WHERE content = ? AND settings = ? AND model = ?"
        return bool(self._rows(sql, key.content, key.settings, key.model))

    def keep(self, content: str, kept: Kept) -> None:
        """Keep a photo's picture and its whole reading, in place of what was kept before."""
        self._change(
            "INSERT OR REPLACE INTO kept (content, reading, picture, thumbnail, evidence) VALUES (?, ?, ?, ?, ?)",
            *(content, kept.reading, kept.picture, kept.thumbnail, kept.evidence),
        )

    def kept(self, content: str) -> Kept | None:
        """Return what was kept of a photo but its pictures, or None if nothing was."""
        rows = self._rows("SELECT reading, evidence FROM kept WHERE content = ?", content)
        return Kept(rows[0][0], evidence=rows[0][1]) if rows else None

    def picture(self, content: str, *, small: bool = False) -> bytes:
        """Return the picture that was kept of a photo, or the small one; empty if none was."""
        column = "thumbnail" if small else "picture"
        rows = self._rows(f"SELECT {column} FROM kept WHERE content = ?", content)
        return bytes(rows[0][0]) if rows else b""

    # ------------------------------------------------------------ corrections

    def correct(self, correction: Correction) -> int:
        """Enter something set by hand and return its id; the latest for a cell is in force until it is undone."""
        sql = "INSERT INTO corrections (content, board, what, value, who, made) VALUES (?, ?, ?, ?, ?, ?)"
        c = correction
        with self.transaction():
            values = (c.content, c.board, c.what, c.value, c.who, time.time())
            return self._connection.execute(sql, values).lastrowid or 0

    def undo(self, correction: int) -> bool:
        """Undo one correction; return False if there is none of that id in force."""
        return self._change("UPDATE corrections SET undone = 1 WHERE id = ? AND NOT undone", correction) > 0

    def corrections(self, content: str | None = None, *, history: bool = False) -> tuple[Correction, ...]:
        """Return the corrections in force, of one photo or of all; with `history` every one ever made, oldest first."""
        where = "" if content is None else " WHERE content = ?"
        rows = self._rows(f"SELECT * FROM corrections{where} ORDER BY id", *([] if content is None else [content]))
        found = [
            Correction(r["content"], r["board"], r["what"], r["value"], r["who"], r["id"], bool(r["undone"]))
            for r in rows
        ]
        if history:
            return tuple(found)
        return tuple({(c.content, c.board, c.what): c for c in found if not c.undone}.values())

    # ------------------------------------------------------------ evenings

    def put_evening(self, evening: Evening) -> None:
        """Make an evening, or change its title and rules."""
        self._change(
            "INSERT INTO evenings (evening, title, rules, made) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (evening) DO UPDATE SET title = excluded.title, rules = excluded.rules",
            *(evening.evening, evening.title, evening.rules, time.time()),
        )

    def evenings(self) -> tuple[Evening, ...]:
        """Return all evenings, the oldest first."""
        rows = self._rows("SELECT * FROM evenings ORDER BY made, evening")
        return tuple(Evening(r["evening"], r["title"], r["rules"]) for r in rows)

    def _need_evening(self, evening: str) -> None:
        self._change("INSERT OR IGNORE INTO evenings (evening, made) VALUES (?, ?)", evening, time.time())

    def add_player(self, evening: str, player: str) -> str:
        """Add a player in the next seat and return the name that is used for him: an equal name in any case is his."""
        with self.transaction():
            self._need_evening(evening)
            known = self.players(evening)
            same = next((name for name in known if name.casefold() == player.casefold()), None)
            if same is not None:
                return same
            seat = self._one("SELECT coalesce(max(seat), 0) + 1 FROM players WHERE evening = ?", evening)[0]
            self._change("INSERT INTO players (evening, player, seat) VALUES (?, ?, ?)", evening, player, seat)
            return player

    def rename_player(self, evening: str, player: str, name: str) -> None:
        """Rename a player, in everything that is his.

        Raises StoreError where another has that name.
        """
        self._change("UPDATE players SET player = ? WHERE evening = ? AND player = ?", name, evening, player)

    def remove_player(self, evening: str, player: str) -> None:
        """Remove a player and everything that is his; photos and readings stay."""
        self._change("DELETE FROM players WHERE evening = ? AND player = ?", evening, player)

    def players(self, evening: str) -> tuple[str, ...]:
        """Return the players in the order of their seats."""
        rows = self._rows("SELECT player FROM players WHERE evening = ? ORDER BY seat", evening)
        return tuple(row[0] for row in rows)

    def put_round(self, evening: str, played: Round) -> None:
        """Make a round, or change what is played in it."""
        with self.transaction():
            self._need_evening(evening)
            self._change(
                "INSERT INTO rounds (evening, round, game, rules, challenge) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (evening, round) DO UPDATE SET"
                " game = excluded.game, rules = excluded.rules, challenge = excluded.challenge",
                *(evening, played.number, played.game, played.rules, played.challenge),
            )

    def _need_round(self, evening: str, number: int) -> None:
        self._need_evening(evening)
        self._change("INSERT OR IGNORE INTO rounds (evening, round) VALUES (?, ?)", evening, number)

    def rounds(self, evening: str) -> tuple[Round, ...]:
        """Return the rounds in order."""
        rows = self._rows("SELECT * FROM rounds WHERE evening = ? ORDER BY round", evening)
        return tuple(Round(r["round"], r["game"], r["rules"], r["challenge"]) for r in rows)

    def put_entry(self, evening: str, entry: Entry) -> None:
        """Say whose photo it is, in place of what was said before; player and round are made if they are new."""
        with self.transaction():
            player = self.add_player(evening, entry.player)
            self._need_round(evening, entry.round)
            self._change(
                "INSERT OR REPLACE INTO entries (evening, address, part, player, round) VALUES (?, ?, ?, ?, ?)",
                *(evening, entry.address, entry.part, player, entry.round),
            )

    def remove_entry(self, evening: str, address: str, part: int = 1) -> None:
        """Say that a photo is nobody's."""
        self._change("DELETE FROM entries WHERE evening = ? AND address = ? AND part = ?", *(evening, address, part))

    def entries(self, evening: str) -> tuple[Entry, ...]:
        """Return whose each photo is, by round, player and address."""
        rows = self._rows("SELECT * FROM entries WHERE evening = ? ORDER BY round, player, address, part", evening)
        return tuple(Entry(r["address"], r["player"], r["round"], r["part"]) for r in rows)

    def put_points(self, evening: str, points: Points) -> None:
        """Enter a player's points of a round by hand; player and round are made if they are new."""
        with self.transaction():
            player = self.add_player(evening, points.player)
            self._need_round(evening, points.round)
            self._change(
                "INSERT OR REPLACE INTO points (evening, player, round, points, note) VALUES (?, ?, ?, ?, ?)",
                *(evening, player, points.round, points.points, points.note),
            )

    def remove_points(self, evening: str, player: str, number: int) -> None:
        """Take back what was entered by hand."""
        self._change("DELETE FROM points WHERE evening = ? AND player = ? AND round = ?", *(evening, player, number))

    def points(self, evening: str) -> tuple[Points, ...]:
        """Return what was entered by hand, by round and player."""
        rows = self._rows("SELECT * FROM points WHERE evening = ? ORDER BY round, player", evening)
        return tuple(Points(r["player"], r["round"], r["points"], r["note"]) for r in rows)


def _use_wal(connection: sqlite3.Connection, patience: float) -> None:
    """Switch to a write-ahead log; two processes that do so at the same moment wait for each other here."""
    _patiently(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone(), patience)


def _patiently(work: Callable[[], Any], patience: float) -> None:
    # SQLite does not wait where two connections change the journal at once, whatever the timeout.
    end = time.monotonic() + patience
    while True:
        try:
            work()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
        time.sleep(0.02)


def _photo_row(row: sqlite3.Row) -> PhotoRow:
    key = Key(row["content"], row["settings"], row["model"]) if row["content"] else None
    fault = json.loads(row["fault"]) if row["fault"] else None
    return PhotoRow(
        row["address"],
        row["name"],
        key,
        row["size"],
        row["stamp"],
        (fault["code"], fault["message"]) if fault else None,
    )
