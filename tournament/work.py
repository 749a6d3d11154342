"""One photo's work, the same in this process, in a worker beside it, and on another machine: bytes to result."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from boardsight.scoring.rules import Rules
from boardsight.tournament.texts import printable
from boardsight.vision.reading import Fault

if TYPE_CHECKING:
    from boardsight.vision.reader import Reader

TILE = 80.0
"""Pixels that a tile should have in an annotated picture: enough to read it in a list of a thousand."""

JsonObject = dict[str, object]

PHOTO = "{photo}"
"""Stands for the photo's name in what is kept of a reading, which is of the content and not of a name."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one photo may cost at most."""

    megapixels: float = 120.0
    """Of the full-size picture; more is refused before it is decoded."""
    megabytes: float = 256.0
    """Of the file; more is refused before it is read."""
    seconds: float = 60.0
    """Of reading; the process that takes longer is ended."""

    @property
    def bytes(self) -> int:
        """Return the most bytes of a file."""
        return round(self.megabytes * 1e6)

    def __str__(self) -> str:
        return f"{self.megapixels:g} megapixels, {self.megabytes:g} MB, {self.seconds:g} s"


@dataclass(frozen=True, slots=True)
class Settings:
    """How photos are read."""

    game: str | None = None
    rules: str = ""
    """Words of ``Rules.parse``, of the sheets in the lists."""
    bounds: Bounds = Bounds()

    def __str__(self) -> str:
        return f"game={self.game or ''} rules={Rules.parse(self.rules)}"


@dataclass(frozen=True, slots=True)
class Job:
    """A photo to read."""

    settings: Settings
    data: bytes = field(default=b"", repr=False)
    """The file; empty where the worker fetches it itself."""
    address: str = ""
    """Where the worker fetches it; only without `data`."""
    picture: bool = True
    """True where an annotated picture is wanted."""
    content: str = ""
    """sha256 of `data`, where it is known already."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a photo."""

    object: JsonObject
    """As in docs/json.md, without ``photo`` and with `PHOTO` in messages."""
    picture: bytes = field(default=b"", repr=False)
    """The annotated picture as a JPEG file; empty where there is none."""
    content: str = ""
    """sha256 of the file."""
    seconds: float = 0.0
    """Of reading and drawing."""


def failure(code: str, message: str) -> JsonObject:
    """Return the object of a photo that could not be read."""
    return {"error": {"code": code, "message": message}}


def code_of(obj: JsonObject) -> str:
    """Return the error code of a photo's object, or an empty text where it was read."""
    error = obj.get("error")
    return str(error["code"]) if isinstance(error, dict) else ""


def has_picture(obj: JsonObject) -> bool:
    """Return True where there is something to draw on a photo with this object."""
    return "boards" in obj or "pieces" in obj


def content_of(data: bytes) -> str:
    """Return what a file is known by: its sha256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


@cache
def model() -> str:
    """Return what the reader is known by: a sha256 over its networks, their calibration and the version."""
    from boardsight.models import manifest, temperatures

    try:
        release = version("boardsight")
    except PackageNotFoundError:
        release = ""
    text = repr((sorted(manifest().items()), sorted(temperatures().items()), release))
    return hashlib.sha256(text.encode()).hexdigest()


def read(reader: Reader, job: Job) -> Result:
    """Read one photo; whatever goes wrong with it is an error in the object, with a code."""
    import time

    start = time.perf_counter()
    content = job.content or content_of(job.data)
    try:
        obj, picture = _read(reader, job)
    except Exception as error:
        # The reader must not raise; where it does after all, the other photos go on and this one says so.
        what = printable(f"{type(error).__name__}: {error}", 200)
        obj, picture = failure("failed", f"'{PHOTO}' could not be read, which is a fault of the program ({what})"), b""
    return Result(obj, picture, content, time.perf_counter() - start)


def _read(reader: Reader, job: Job) -> tuple[JsonObject, bytes]:
    from boardsight.tournament.jsonl import photo_object
    from boardsight.tournament.outcome import assess
    from boardsight.tournament.pictures import encoded
    from boardsight.vision.annotate import Style, annotate
    from boardsight.vision.annotate_pieces import annotate_pieces
    from boardsight.vision.photo import Limits, decode

    bounds = job.settings.bounds
    limits = Limits(pixels=round(bounds.megapixels * 1e6), file_bytes=bounds.bytes)
    photo = decode(job.data, PHOTO, limits=limits)
    if isinstance(photo, Fault):
        return failure(photo.code, photo.message), b""
    outcome = assess(reader.read_photo(photo, job.settings.game), Rules.parse(job.settings.rules))
    obj = photo_object(outcome)
    del obj["photo"]
    if not job.picture or not has_picture(obj):
        return obj, b""
    if outcome.reading.boards:
        drawn = annotate(photo.image, outcome.reading, outcome.players, Style(tile=TILE))
    else:
        drawn = annotate_pieces(photo.image, outcome.reading, outcome.players)
    return obj, encoded(drawn, ".jpg")
