"""Where photos lie: folders, patterns, files and fsspec addresses, and the bytes that lie there."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boardsight.scoring.errors import BoardsightError
from boardsight.tournament.texts import storable
from boardsight.vision.files import existing, quoted
from boardsight.vision.reading import Fault

# fmt: off
PHOTO_SUFFIXES = frozenset((
    ".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".heic", ".heif", ".hif", ".avif", ".webp", ".tif", ".tiff", ".bmp",
    ".gif", ".dng", ".cr2", ".cr3", ".raf", ".jxl", ".jp2",
))
"""Files of a folder that are taken for photos by their name, whatever they hold."""
OTHER_SUFFIXES = frozenset((
    ".json", ".jsonl", ".txt", ".md", ".csv", ".html", ".htm", ".xml", ".db", ".db-wal", ".db-shm", ".py", ".mov",
    ".mp4", ".aae", ".zip", ".pdf", ".ini", ".log",
))
"""Files of a folder that are no photos; any other is looked into."""
# fmt: on
_STAMPS = ("mtime", "ETag", "etag", "md5Hash", "content_md5", "LastModified", "last_modified", "updated", "CRC")
"""What the file systems of fsspec call that which changes with a file."""
_MAGIC = "*?["


class SourceError(BoardsightError):
    """A source that no photos can come from; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    """One file that is meant to be a photo."""

    address: str
    """In full, so that the same file has the same address in every run."""
    name: str
    """The path below the source, as lists show it."""
    path: str
    """For the file system."""
    system: Any = field(repr=False, compare=False)
    """The fsspec file system; None where nothing was found."""
    size: int | None = None
    stamp: str = ""

    @property
    def local(self) -> bool:
        """Return True where the file lies on this machine, so that a worker elsewhere cannot fetch it."""
        return self.system is None or _protocol(self.system) in ("file", "local", "memory") or "::" in self.address


def _protocol(system: Any) -> str:
    protocol = system.protocol
    return str(protocol if isinstance(protocol, str) else protocol[0])


def _open(source: str) -> tuple[Any, str, str]:
    """Return the file system of a source, the path in it, and what an address in it ends with.

    Raises SourceError where the address is wrong or needs a package that is missing.
    """
    import fsspec
    from fsspec.core import url_to_fs

    try:
        local = existing(source)
        if os.path.lexists(local) or not ("::" in source or "://" in source):
            return fsspec.filesystem("file"), os.path.abspath(os.path.expanduser(local)), ""
        inner, chain, outer = source.partition("::")
        if chain and "://" not in outer:
            outer = os.path.abspath(os.path.expanduser(outer))
        system, path = url_to_fs(f"{inner}{chain}{outer}")
    except ImportError as error:
        raise SourceError(f"{quoted(source)} needs a package that is not installed: {error}") from error
    except (ValueError, OSError, RuntimeError) as error:
        raise SourceError(f"{quoted(source)} cannot be opened: {error}") from error
    return system, path, f"{chain}{outer}"


def _archive(source: str) -> str:
    """Return the source with a ZIP archive that is named plainly written as fsspec wants it."""
    if "::" in source:
        return source
    bare = source.removeprefix("zip://")
    if bare.lower().endswith(".zip") and "://" not in bare and os.path.isfile(existing(bare)):
        return f"zip://::{existing(bare)}"
    return source


def _stamp(info: Mapping[str, object]) -> str:
    return ",".join(f"{name}={info[name]}" for name in _STAMPS if info.get(name) is not None)


def _address(system: Any, path: str, tail: str) -> str:
    protocol = _protocol(system)
    if protocol in ("file", "local"):
        return storable(path)
    if tail:
        return storable(f"{protocol}://{path}{tail}")
    return storable(str(system.unstrip_protocol(path)))


def _place(system: Any, path: str, tail: str, base: str | None, info: Mapping[str, object]) -> Place:
    """Return a file as a place; its name is the path below `base`, or its last part where that is None."""
    name = posixpath.basename(path) if base is None else path.removeprefix(base.rstrip("/")).lstrip("/")
    size = info.get("size")
    return Place(
        _address(system, path, tail),
        storable(name),
        path,
        system,
        size if isinstance(size, int) else None,
        _stamp(info),
    )


def _is_photo(system: Any, path: str) -> bool:
    """Return True where a file of a folder is meant to be a photo: by its name, or else by what it begins with."""
    from boardsight.vision.photo import is_picture

    suffix = posixpath.splitext(path)[1].lower()
    if suffix in PHOTO_SUFFIXES:
        return True
    if suffix in OTHER_SUFFIXES:
        return False
    try:
        return is_picture(system.cat_file(path, start=0, end=256))
    except Exception:
        # Whatever a remote file system raises: what cannot be looked into is no photo by its name.
        return False


def _missing(source: str, why: str) -> Place:
    return Place(storable(source), storable(source), why, None)


def _within(source: str, leave_out: Path | None) -> Iterator[Place]:
    system, path, tail = _open(_archive(source))
    kept = (
        str(leave_out.absolute()) + os.sep if leave_out is not None and _protocol(system) in ("file", "local") else ""
    )

    if any(c in path for c in _MAGIC) and not system.isfile(path):
        base = path[: min(path.index(c) for c in _MAGIC if c in path)].rpartition("/")[0]
        found: Mapping[str, Mapping[str, object]] = system.glob(path, detail=True)
    elif system.isfile(path):
        yield _place(system, path, tail, None, system.info(path))
        return
    elif system.isdir(path):
        base, found = path, system.find(path, detail=True)
    else:
        return
    for each, info in sorted(found.items()):
        place = _place(system, each, tail, base, info)
        hidden = any(part.startswith(".") for part in place.name.split("/"))
        if hidden or info.get("type", "file") not in ("file", "link") or (kept and each.startswith(kept)):
            continue
        if base != path or _is_photo(system, each):
            yield place


def find(sources: Sequence[str], leave_out: Path | None = None) -> tuple[Place, ...]:
    """Return every photo of the sources once, in the order of the sources and then of the names.

    A folder gives the photos below it, hidden ones and the folder `leave_out` excepted; a pattern or a file gives what
    it names. A source that gives nothing is a place without a file, whose `fetch` says so.

    Raises SourceError where an address is wrong or needs a package that is missing.
    """
    places: dict[str, Place] = {}
    for source in sources:
        try:
            found = list(_within(source, leave_out))
        except FileNotFoundError:
            found = []
        except (OSError, ValueError) as error:
            raise SourceError(f"{quoted(source)} cannot be listed: {error}") from error
        for place in found or [_missing(source, _why_nothing(source))]:
            places.setdefault(place.address, place)
    return tuple(places.values())


def _why_nothing(source: str) -> str:
    called = quoted(source)
    if os.path.isdir(existing(source)):
        return f"{called} has no photo in it; check the folder"
    if any(c in source for c in _MAGIC):
        return f"{called} fits no file; check the pattern"
    return f"{called} does not exist; check the name and the folder"


def gone(system: Any, path: str) -> bool:
    """Return True where a file that was there is not there any more."""
    try:
        return not system.exists(path)
    except (OSError, ValueError):
        return False


def fetch(place: Place, most: int) -> bytes | Fault:
    """Return what a file holds, or the fault that prevented it; a file of more than `most` bytes is not read."""
    if place.system is None:
        return Fault("not-found", place.path)
    called = quoted(place.name)
    large = Fault("too-large", f"{called} is larger than {most / 1e6:g} MB; save it smaller, 12 megapixels are plenty")
    if place.size is not None and place.size > most:
        return large
    try:
        with place.system.open(place.path, "rb") as file:
            data: bytes = file.read(most + 1)
    except FileNotFoundError:
        return Fault("not-found", f"{called} does not exist any more; check the folder")
    except PermissionError:
        return Fault("not-found", f"{called} may not be read; check its permissions")
    except Exception as error:
        # Each file system has errors of its own; none of them may stop the others' photos.
        reason = " ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split())
        return Fault("not-found", f"{called} cannot be fetched ({reason}); check the address")
    return large if len(data) > most else data
