"""The tables of ``results.db``; what they mean is in docs/database.md."""

from __future__ import annotations

VERSION = 2
"""Kept in the file as ``user_version``; a change of the tables raises it and adds a step to `STEPS`."""
APPLICATION = 0x42535447
"""Kept in the file as ``application_id``, so that another program's database is not taken for ours: "BSTG"."""

TABLES = """
CREATE TABLE photos (
    address  TEXT PRIMARY KEY,
    name     TEXT NOT NULL,
    content  TEXT,
    size     INTEGER,
    stamp    TEXT NOT NULL DEFAULT '',
    settings TEXT NOT NULL DEFAULT '',
    model    TEXT NOT NULL DEFAULT '',
    fault    TEXT
);
CREATE INDEX photos_content ON photos (content);
CREATE TABLE readings (
    content  TEXT NOT NULL,
    settings TEXT NOT NULL,
    model    TEXT NOT NULL,
    object   TEXT NOT NULL,
    PRIMARY KEY (content, settings, model)
);
CREATE TABLE evenings (
    evening TEXT PRIMARY KEY,
    title   TEXT NOT NULL DEFAULT '',
    rules   TEXT NOT NULL DEFAULT '',
    made    REAL NOT NULL
);
CREATE TABLE players (
    evening TEXT NOT NULL REFERENCES evenings ON DELETE CASCADE,
    player  TEXT NOT NULL,
    seat    INTEGER NOT NULL,
    PRIMARY KEY (evening, player)
);
CREATE TABLE rounds (
    evening   TEXT NOT NULL REFERENCES evenings ON DELETE CASCADE,
    round     INTEGER NOT NULL,
    game      TEXT NOT NULL DEFAULT '',
    rules     TEXT,
    challenge TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (evening, round)
);
CREATE TABLE entries (
    evening TEXT NOT NULL,
    address TEXT NOT NULL,
    part    INTEGER NOT NULL DEFAULT 1,
    player  TEXT NOT NULL,
    round   INTEGER NOT NULL,
    PRIMARY KEY (evening, address, part),
    FOREIGN KEY (evening, player) REFERENCES players ON UPDATE CASCADE ON DELETE CASCADE,
    FOREIGN KEY (evening, round) REFERENCES rounds ON DELETE CASCADE
);
CREATE TABLE points (
    evening TEXT NOT NULL,
    player  TEXT NOT NULL,
    round   INTEGER NOT NULL,
    points  INTEGER NOT NULL,
    note    TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (evening, player, round),
    FOREIGN KEY (evening, player) REFERENCES players ON UPDATE CASCADE ON DELETE CASCADE,
    FOREIGN KEY (evening, round) REFERENCES rounds ON DELETE CASCADE
);
CREATE TABLE corrections (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    content TEXT NOT NULL,
    board   INTEGER NOT NULL,
    what    TEXT NOT NULL,
    value   TEXT NOT NULL,
    who     TEXT NOT NULL DEFAULT '',
    made    REAL NOT NULL,
    undone  INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX corrections_content ON corrections (content);
"""

KEPT = """
CREATE TABLE kept (
    content   TEXT PRIMARY KEY,
    reading   TEXT NOT NULL,
    picture   BLOB NOT NULL,
    thumbnail BLOB NOT NULL,
    evidence  BLOB NOT NULL
);
"""
"""Photos that were read on the page: all that is needed to show and to correct them without their file."""

STEPS: tuple[str, ...] = (TABLES, KEPT)
"""What brings a file from version n to version n + 1."""
