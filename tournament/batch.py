"""Read many photos into a database: only what is new, and so that a stop at any moment loses what was in flight."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from boardsight.scoring.errors import BoardsightError
from boardsight.tournament import places
from boardsight.tournament.lists import write_lists
from boardsight.tournament.pictures import WriteError, clear_partials, write_whole
from boardsight.tournament.places import Place
from boardsight.tournament.readers import Readers
from boardsight.tournament.rows import Key, PhotoRow
from boardsight.tournament.store import Store
from boardsight.tournament.texts import file_stem
from boardsight.tournament.work import Job, JsonObject, Settings, code_of, content_of, has_picture, model
from boardsight.vision.reading import Fault

DATABASE, ANNOTATED = "results.db", "annotated"
"""Names of the database and of the folder of annotated pictures within the batch's own folder."""
BOUNDED = ("too-large", "too-slow")
"""Codes of errors that another bound may do away with."""


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one photo."""

    place: Place
    code: str = ""
    """Error code; empty where it was read."""
    message: str = ""
    read: bool = False
    """True where it was read now, False where what is known still holds."""
    seconds: float = 0.0
    """Of reading."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did."""

    photos: int
    """That the sources hold."""
    read: int
    """That were read now."""
    faults: tuple[Step, ...]
    """Those that could not be read, now or before, by name."""


def picture_path(folder: Path, name: str, content: str) -> Path:
    """Return where the annotated picture of a photo lies: named after the photo and what it holds."""
    return folder / ANNOTATED / f"{file_stem(name)}.{content[:8]}.jpg"


class Batch:
    """One run: sources into a folder. `watch` is called for every photo as it is done, from one thread."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        readers: Readers,
        settings: Settings,
        *,
        pictures: bool = True,
        retry: bool = False,
    ) -> None:
        self._store, self._folder, self._readers, self._settings = store, folder, readers, settings
        self._pictures, self._retry = pictures, retry
        self._line, self._model = str(settings), model()
        self._busy: dict[Key, threading.Lock] = {}
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def run(self, sources: Sequence[str], watch: Callable[[Step, int], None] | None = None) -> Summary:
        """Read what is new in the sources and write the lists; `watch` gets each step and the number of all.

        Raises SourceError for a wrong source, StoreError or WriteError where the folder cannot be written, and
        HandError or ClusterError where nobody can read.
        """
        clear_partials(self._folder / ANNOTATED)
        found = places.find(sources, self._folder)
        self._forget(found)
        steps: list[Step] = []
        pool = ThreadPoolExecutor(max(1, self._readers.slots), "photo")
        waiting: set[Future[Step]] = set()
        try:
            for place in found:
                waiting.add(pool.submit(self._handle, place))
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    steps.append(future.result())
                    if watch is not None:
                        watch(steps[-1], len(found))
        except BaseException:
            self._stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            self._readers.close()
            pool.shutdown()
            # Stopped by hand or by a full disk: the lists tell what is there, if they can.
            with suppress(BoardsightError):
                write_lists(self._store, self._folder)
            raise
        pool.shutdown()
        write_lists(self._store, self._folder)
        faults = tuple(sorted((s for s in steps if s.code), key=lambda s: (s.place.name, s.place.address)))
        return Summary(len(found), sum(step.read for step in steps), faults)

    def _forget(self, found: Sequence[Place]) -> None:
        """Take photos off the list that were never there, or that a folder of this run does not hold any more."""
        here = {place.address for place in found}
        roots = {(id(p.system), _root(p)): p.system for p in found if p.system is not None and _root(p)}
        for row in self._store.photos():
            if row.address in here:
                continue
            if row.fault is not None and row.fault[0] == "not-found":
                self._store.forget_photo(row.address)
                continue
            for (_, root), system in roots.items():
                if row.address.startswith(root) and places.gone(system, row.address):
                    self._store.forget_photo(row.address)
                    break

    # ------------------------------------------------------------ one photo

    def _handle(self, place: Place) -> Step:
        """Do whatever a photo needs. Runs in several threads at once."""
        if self._stopped.is_set():
            return Step(place, "failed", "stopped")
        known = self._known(place)
        if known is not None:
            return known
        bounds = self._settings.bounds
        if self._readers.remote and not place.local and place.stamp and (place.size or 0) <= bounds.bytes:
            return self._read(place, Key("", self._line, self._model), b"")
        data = places.fetch(place, bounds.bytes)
        if isinstance(data, Fault):
            row = PhotoRow(place.address, place.name, None, place.size, place.stamp, (data.code, data.message))
            self._store.put_photo(row)
            return Step(place, data.code, data.message, read=True)
        key = Key(content_of(data), self._line, self._model)
        with self._lock:
            turn = self._busy.setdefault(key, threading.Lock())
        with turn:  # a copy of a photo that is being read waits for its reading
            obj = self._current(place, key)
            if obj is None:
                return self._read(place, key, data)
            self._store.put_photo(self._row(place, key, len(data)))
            return _step(place, obj, read=False)

    def _row(self, place: Place, key: Key, size: int | None) -> PhotoRow:
        return PhotoRow(place.address, place.name, key, size, place.stamp)

    def _known(self, place: Place) -> Step | None:
        """Return the step of a photo that is as it was, without looking into it; None if it may have changed."""
        row = self._store.photo(place.address)
        if row is None or row.key is None or not place.stamp or (row.stamp, row.size) != (place.stamp, place.size):
            return None
        if (row.key.settings, row.key.model) != (self._line, self._model):
            return None
        obj = self._current(place, row.key)
        if obj is not None and row.name != place.name:
            self._store.put_photo(self._row(place, row.key, row.size))
        return None if obj is None else _step(place, obj, read=False)

    def _current(self, place: Place, key: Key) -> JsonObject | None:
        """Return the reading of a content if it still holds, and see to it that its picture is there."""
        obj = self._store.reading(key)
        if obj is None:
            return None
        code = code_of(obj)
        if code:
            other = code in BOUNDED and obj.get("bounds") != str(self._settings.bounds)
            return None if self._retry or other else obj
        if not self._pictures or not has_picture(obj):
            return obj
        path = picture_path(self._folder, place.name, key.content)
        if path.exists():
            return obj
        twin = next(iter(sorted(path.parent.glob(f"*.{key.content[:8]}.jpg"))), None)
        if twin is None:
            return None
        try:
            write_whole(path, twin.read_bytes())
        except OSError as error:
            raise WriteError(f"{twin} cannot be read: {error.strerror or error}") from error
        return obj

    def _read(self, place: Place, key: Key, data: bytes) -> Step:
        job = Job(self._settings, data, "" if data else place.address, self._pictures, key.content)
        result = self._readers.read(job)
        if self._stopped.is_set():
            return Step(place, "failed", "stopped")
        obj = result.object
        if code_of(obj) in BOUNDED:
            obj = {**obj, "bounds": str(self._settings.bounds)}
        if not data and not result.content:
            error = obj["error"]
            fault = (str(error["code"]), str(error["message"])) if isinstance(error, dict) else ("failed", "")
            self._store.put_photo(PhotoRow(place.address, place.name, None, place.size, place.stamp, fault))
            return Step(place, *fault, read=True)
        key = Key(result.content, key.settings, key.model)
        if result.picture:
            write_whole(picture_path(self._folder, place.name, key.content), result.picture)
        self._store.put_photo(self._row(place, key, len(data) if data else place.size), obj)
        return _step(place, obj, read=True, seconds=result.seconds)


def _root(place: Place) -> str:
    """Return the folder that a local photo of a folder or pattern was found in, with a separator at its end."""
    if not place.address.startswith(os.sep) or not place.path.endswith(place.name):
        return ""
    folder = place.path[: len(place.path) - len(place.name)]
    return folder if folder.endswith(os.sep) else ""


def _step(place: Place, obj: JsonObject, *, read: bool, seconds: float = 0.0) -> Step:
    from boardsight.tournament.lists import named

    error = named(obj, place.name).get("error")
    code, message = (str(error["code"]), str(error["message"])) if isinstance(error, dict) else ("", "")
    return Step(place, code, message, read, seconds)
