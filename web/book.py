"""The evening's book: everything that the page knows, kept in the database of `boardsight.tournament`."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from boardsight.scoring.rules import Rules
from boardsight.tournament.evening import MAIN
from boardsight.tournament.rows import Correction, Entry, Evening, Kept, Key, PhotoRow, Points, Round
from boardsight.tournament.store import Store
from boardsight.tournament.work import model
from boardsight.vision.correct import pack, unpack
from boardsight.vision.reading import EMPTY, Reading
from boardsight.web import codec
from boardsight.web.evening import Held, Score, Table, round_scores, table
from boardsight.web.part import EXTRAS, READ_AGAIN, WAY, Part, Played, consequences, extra, parts
from boardsight.web.record import NotThere, blank, object_of, reading_of, settings_line
from boardsight.web.work import Finished

PAGE, HAND = "page:", "hand:"
"""What addresses of photos that were uploaded, and of boards that were entered by hand, begin with."""
REMEMBERED = 2000
"""Photos whose sheets are kept in memory."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A photo, or a board entered by hand."""

    content: str
    address: str
    name: str
    reading: Reading
    """As it was read, before any correction."""
    corrections: tuple[Correction, ...]
    """In force, oldest first, those that follow from others among them."""
    parts: tuple[Part, ...]
    entries: Mapping[int, Entry]
    """Whose the parts are, by their number."""

    @property
    def undoable(self) -> Correction | None:
        """Return the latest correction that somebody made."""
        return next((c for c in reversed(self.corrections) if c.who != READ_AGAIN), None)

    @property
    def reading_now(self) -> Reading:
        """Return the reading with its boards as they are corrected."""
        return replace(self.reading, boards=tuple(board for part in self.parts for _, board in part.boards))

    def part(self, number: int) -> Part:
        """Return the part of one player.

        Raises NotThere if there is none of that number.
        """
        for part in self.parts:
            if part.number == number:
                return part
        raise NotThere("this photo shows no such player")


class Book:
    """The evening that is played now; may be used by several threads."""

    def __init__(self, folder: Path) -> None:
        """Open ``results.db`` in a folder, and make both if they are not there.

        Raises StoreError where that is impossible.
        """
        self.store = Store.open(folder / "results.db")
        self._lock = threading.Lock()  # of what is remembered; never held while the database is used
        self._parts: OrderedDict[object, tuple[Part, ...]] = OrderedDict()
        self._readings: OrderedDict[object, Reading] = OrderedDict()
        if not self.store.evenings():
            self.store.put_evening(Evening(MAIN))
        self.revision = secrets.randbits(32)
        """Changes whenever this process changes the book."""

    def close(self) -> None:
        """Close the file."""
        self.store.close()

    def _changed(self) -> None:
        with self._lock:
            self.revision += 1

    def state(self) -> str:
        """Return a text that differs from the last one if anybody changed the book in between."""
        return f"{self.revision}.{self.store.changes()}"

    # ------------------------------------------------------------ evening

    @property
    def evening(self) -> Evening:
        """Return the evening that is played: the latest."""
        return self.store.evenings()[-1]

    def set_rules(self, rules: Rules) -> None:
        """Say which optional rules are played tonight."""
        self.store.put_evening(replace(self.evening, rules=str(rules)))
        self._changed()

    def rename(self, title: str) -> None:
        """Give the evening a title."""
        self.store.put_evening(replace(self.evening, title=title))
        self._changed()

    def new_evening(self, title: str) -> None:
        """Begin another evening with nobody in it; the others stay in the file."""
        number = len(self.store.evenings()) + 1
        self.store.put_evening(Evening(f"evening-{number}-{secrets.token_hex(3)}", title, self.evening.rules))
        self._changed()

    @property
    def rules(self) -> Rules:
        """Return the optional rules that are played tonight."""
        return Rules.parse(self.evening.rules)

    def players(self) -> tuple[str, ...]:
        """Return the players in the order of seats."""
        return self.store.players(self.evening.evening)

    def add_player(self, name: str) -> None:
        """Add a player."""
        self.store.add_player(self.evening.evening, name)
        self._changed()

    def rename_player(self, player: str, name: str) -> None:
        """Rename a player."""
        self.store.rename_player(self.evening.evening, player, name)
        self._changed()

    def remove_player(self, player: str) -> None:
        """Remove a player; his photos stay."""
        self.store.remove_player(self.evening.evening, player)
        self._changed()

    def rounds(self) -> tuple[Round, ...]:
        """Return the rounds, at least one."""
        return self.store.rounds(self.evening.evening) or (Round(1),)

    def add_round(self) -> int:
        """Begin the next round and return its number."""
        number = self.rounds()[-1].number
        for n in (number, number + 1):
            if all(r.number != n for r in self.store.rounds(self.evening.evening)):
                self.store.put_round(self.evening.evening, Round(n))
        self._changed()
        return number + 1

    def set_challenge(self, number: int, challenge: str) -> None:
        """Say which challenge card is played in a round."""
        now = next((r for r in self.rounds() if r.number == number), Round(number))
        self.store.put_round(self.evening.evening, replace(now, challenge=challenge))
        self._changed()

    def set_points(self, player: str, number: int, points: int | None) -> None:
        """Enter a player's points of a round by hand, or take them back."""
        if points is None:
            self.store.remove_points(self.evening.evening, player, number)
        else:
            self.store.put_points(self.evening.evening, Points(player, number, points))
        self._changed()

    # ------------------------------------------------------------ photos

    def add(self, content: str, name: str, finished: Finished, size: int = 0) -> None:
        """Enter a photo that was read."""
        self._put(PAGE + content, content, name, finished, size)

    def add_by_hand(self, game: str) -> str:
        """Enter a board, a pile or dice without a photo, with nothing on it, and return its content's name."""
        content = HAND + secrets.token_hex(12)
        self._put(content, content, "entered by hand", Finished(blank(game)), 0)
        return content

    def _put(self, address: str, content: str, name: str, finished: Finished, size: int) -> None:
        reading = finished.reading
        key = Key(content, settings_line(), "" if address.startswith(HAND) else model())
        with self.store.transaction():
            kept = Kept(codec.dump(reading), finished.picture, finished.thumbnail, pack(reading.boards))
            self.store.keep(content, kept)
            self.store.put_photo(PhotoRow(address, name, key, size), object_of(reading, self.rules))
        with self._lock:
            self._readings.clear()
            self._parts.clear()
        self._changed()

    def remove(self, shot: Shot) -> None:
        """Take a photo off the list; `restore` brings it back as it was."""
        with self.store.transaction():
            for number in shot.entries:
                self.store.remove_entry(self.evening.evening, shot.address, number)
            self.store.forget_photo(shot.address)
        self._changed()

    def restore(self, content: str) -> None:
        """Put a photo back on the list.

        Raises NotThere where nothing of it was kept.
        """
        kept = self.store.kept(content)
        if kept is None:
            raise NotThere("this photo is gone")
        name, hand = codec.load(kept.reading).photo, content.startswith(HAND)
        key = Key(content, settings_line(), "" if hand else model())
        self.store.put_photo(PhotoRow(content if hand else PAGE + content, name, key))
        self._changed()

    def picture(self, content: str, *, small: bool = False) -> bytes:
        """Return a photo's picture as JPEG; empty if there is none."""
        return self.store.picture(content, small=small)

    def shot(self, content: str) -> Shot:
        """Return a photo with its sheets as they are now.

        Raises NotThere if it is not on the list.
        """
        for row in self.store.photos():
            if row.key is not None and row.key.content == content:
                return self._shot(row, row.key, self.store.entries(self.evening.evening))
        raise NotThere("this photo is not on the list")

    def shots(self) -> tuple[Shot, ...]:
        """Return all photos of the evening, and those that belong to nobody."""
        mine = self.store.entries(self.evening.evening)
        ours = {e.address for e in mine}
        others = {
            e.address
            for evening in self.store.evenings()
            if evening.evening != self.evening.evening
            for e in self.store.entries(evening.evening)
        } - ours
        rows = [(row, row.key) for row in self.store.photos() if row.key and row.address not in others]
        return tuple(self._shot(row, key, mine) for row, key in rows)

    def _shot(self, row: PhotoRow, key: Key, entries: Iterable[Entry]) -> Shot:
        mine = {e.part: e for e in entries if e.address == row.address}
        corrections = tuple(sorted(self.store.corrections(key.content), key=lambda c: c.id))
        reading = self._reading(key, row.name)
        scored = self._scored(key, reading, corrections, mine)
        return Shot(key.content, row.address, row.name, reading, corrections, scored, mine)

    def _reading(self, key: Key, name: str) -> Reading:
        def read() -> Reading:
            kept = self.store.kept(key.content)
            if kept is None:
                return reading_of(self.store.reading(key) or {}, name)
            reading = codec.load(kept.reading)
            return replace(reading, boards=unpack(kept.evidence, reading.boards) if kept.evidence else reading.boards)

        return _remembered(self._lock, self._readings, (key, name), read)

    def _scored(
        self, key: Key, reading: Reading, corrections: tuple[Correction, ...], entries: Mapping[int, Entry]
    ) -> tuple[Part, ...]:
        rounds = {r.number: r for r in self.rounds()}
        last = self.rounds()[-1].number

        def played(number: int) -> Played:
            at = rounds.get(entries[number].round if number in entries else last, Round(last))
            return Played(self.rules if at.rules is None else Rules.parse(at.rules), at.challenge)

        setting = tuple(played(n) for n in range(1, max(entries, default=1) + 1))
        memo = (key, reading.photo, tuple(c.id for c in corrections), setting, played(1 + len(setting)))
        return _remembered(self._lock, self._parts, memo, lambda: parts(reading, corrections, played))

    # ------------------------------------------------------------ corrections

    def correct(self, content: str, board: int, what: str, value: str, mark: str = "") -> None:
        """Set something by hand and read the rest again around it.

        Where the reserve, cards or dice are set as a whole, `mark` names the piece among them that was looked at.

        Raises BoardsightError, and changes nothing, where it is impossible.
        """
        with self.store.transaction():
            shot = self.shot(content)
            _check(shot, board, what, value)
            if any(piece.name == mark for part in shot.parts for piece in part.loose):
                self.store.correct(Correction(content, board, mark, "as set", "page"))
            self.store.correct(Correction(content, board, what, value, "page"))
            self._read_again(content)
        self._changed()

    def undo(self, content: str, what: str = "", board: int = 0) -> Correction | None:
        """Take back the latest correction, or the one about a space, and return it; None if there is none."""
        with self.store.transaction():
            shot = self.shot(content)
            found = shot.undoable
            if what:
                found = next((c for c in shot.corrections if (c.board, c.what) == (board, what)), None)
            if found is None or found.who == READ_AGAIN:
                return None
            self.store.undo(found.id)
            before = next((c for c in shot.corrections if c.id == found.id - 1), None)
            if before is not None and found.what in EXTRAS and before.value == "as set":
                self.store.undo(before.id)  # what named the piece went with it
            self._read_again(content)
        self._changed()
        return found

    def _read_again(self, content: str) -> None:
        """Note what follows from the corrections, so that whoever scores the photo without reading it agrees."""
        for c in self.store.corrections(content):
            if c.who == READ_AGAIN:
                self.store.undo(c.id)
        shot = self.shot(content)
        taken = {(c.board, c.what) for c in shot.corrections}
        for part in shot.parts:
            for board, cell, text in consequences(part):
                if (board, cell) not in taken:
                    self.store.correct(Correction(content, board, cell, text, READ_AGAIN))

    # ------------------------------------------------------------ whose it is

    def give(self, shot: Shot, number: int, player: str, round_number: int) -> str:
        """Give a part of a photo to a player's round; a sheet of the same board that he had there is his no longer.

        Returns the content of the photo that was replaced, empty if none was.
        """
        boards = {board.board.name for _, board in shot.part(number).boards}
        evening, gone = self.evening.evening, ""
        with self.store.transaction():
            for other in self.shots():
                for n, entry in other.entries.items():
                    same = entry.player.casefold() == player.casefold() and entry.round == round_number
                    if same and (other.content, n) != (shot.content, number):
                        theirs = {board.board.name for _, board in other.part(n).boards}
                        if boards & theirs or not (boards and theirs):
                            self.store.remove_entry(evening, other.address, n)
                            gone = other.content
            self.store.put_entry(evening, Entry(shot.address, player, round_number, number))
        self._changed()
        return gone

    def take_back(self, shot: Shot, number: int) -> None:
        """Give a part of a photo to nobody."""
        self.store.remove_entry(self.evening.evening, shot.address, number)
        self._changed()

    # ------------------------------------------------------------ the table

    def table(self) -> Table:
        """Return the standings of the evening."""
        players, rounds = self.players(), self.rounds()
        held: dict[int, dict[str, list[Held]]] = {}
        for shot in self.shots():
            for part in shot.parts:
                if part.number in shot.entries:
                    entry = shot.entries[part.number]
                    held.setdefault(entry.round, {}).setdefault(entry.player, []).append(Held(shot.content, part))
        entered: dict[int, dict[str, Points]] = {}
        for points in self.store.points(self.evening.evening):
            entered.setdefault(points.round, {})[points.player] = points
        rules = [(r.number, self.rules if r.rules is None else Rules.parse(r.rules)) for r in rounds]
        scores: dict[int, Mapping[str, Score]] = {}
        totals = dict.fromkeys(players, 0)
        for number, played in rules:
            found = round_scores(players, number, held.get(number, {}), entered.get(number, {}), played, totals)
            scores[number] = found
            totals = {
                player: total + (found[player].points if player in found else 0) for player, total in totals.items()
            }
        return table(players, rules, scores)


T = TypeVar("T")


def _remembered(lock: threading.Lock, memory: OrderedDict[object, T], key: object, find: Callable[[], T]) -> T:
    """Return what is remembered under a key, or find it and remember it in place of what was used longest ago."""
    with lock:
        if key in memory:
            memory.move_to_end(key)
            return memory[key]
    found = find()
    with lock:
        memory[key] = found
        while len(memory) > REMEMBERED:
            memory.popitem(last=False)
    return found


def _check(shot: Shot, board: int, what: str, value: str) -> None:
    """Refuse what does not fit the photo.

    Raises BoardsightError.
    """
    for part in shot.parts:
        numbers = [number for number, _ in part.boards] or [1]
        if board not in numbers:
            continue
        if what in EXTRAS:
            extra(part.state, what, value)
            return
        if what == WAY and value in ("", "as read"):
            return
        of = dict(part.boards).get(board)
        if of is None or what not in of.board.index:
            raise NotThere(f"there is no space {what!r}")
        if value != EMPTY and value not in of.board.tile_set.by_text:
            raise NotThere(f"{value!r} is no tile of {of.board.title}")
        return
    raise NotThere("this photo shows no such board")
