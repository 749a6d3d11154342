"""What a worker process does: read a photo and re-encode it, or draw what was read.

Nothing of a photo's file leaves here: the picture is decoded by its content and encoded anew, so that no EXIF data,
the place among it, comes along.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from boardsight.vision.photo import Limits, decode
from boardsight.vision.reading import Fault, Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from boardsight.tournament.outcome import Player
    from boardsight.vision.reader import Reader

PICTURE_SIDE = 2000
"""Pixels of the longer side of the picture that is kept, at most."""
PICTURE_QUALITY = 86
"""JPEG quality of the picture that is kept, 0 to 100."""
THUMBNAIL_SIDE = 240
"""Pixels of the longer side of the small picture."""
PHOTO_BYTES = 32_000_000
"""Bytes of a photo's file; phones make 2 to 15 million."""
PHOTO_PIXELS = 120_000_000
"""Pixels of a photo; more is refused before it is decoded."""

LIMITS = Limits(pixels=PHOTO_PIXELS, file_bytes=PHOTO_BYTES)


@dataclass(frozen=True, slots=True)
class ReadJob:
    """Read a photo."""

    data: bytes = field(repr=False)
    name: str
    """What the messages call it; never a path."""
    game: str = ""
    """What game it is; empty if the photo shall tell."""


@dataclass(frozen=True, slots=True)
class DrawJob:
    """Draw what was read and what scores into a picture."""

    picture: bytes = field(repr=False)
    reading: Reading
    players: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """A photo that was read, or the fault that prevented it, and its picture encoded anew."""

    reading: Reading
    picture: bytes = field(repr=False, default=b"")
    """JPEG, upright, without any metadata; empty where the file is no picture."""
    thumbnail: bytes = field(repr=False, default=b"")
    """The same, small."""


Job: TypeAlias = ReadJob | DrawJob
Result: TypeAlias = Finished | bytes


@functools.cache
def reader() -> Reader:
    """Return the one reader of this process."""
    from boardsight.vision.reader import Reader

    return Reader()


def encode(image: NDArray[np.uint8], side: int = PICTURE_SIDE) -> bytes:
    """Return a BGR picture as a JPEG of at most `side` pixels a side."""
    import cv2

    scale = side / max(image.shape[:2])
    if scale < 1:
        size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, PICTURE_QUALITY])
    return data.tobytes()


def work(job: Job) -> Result:
    """Do a job."""
    return read(job) if isinstance(job, ReadJob) else draw(job)


def read(job: ReadJob) -> Finished:
    """Read a photo; one that cannot be decoded gives a reading with a fault and no picture."""
    photo = decode(job.data, job.name, limits=LIMITS)
    if isinstance(photo, Fault):
        return Finished(Reading(job.name, fault=photo))
    reading = reader().read_photo(photo, job.game or None)
    return Finished(reading, encode(photo.image), encode(photo.image, THUMBNAIL_SIDE))


def draw(job: DrawJob) -> bytes:
    """Return the picture with what was read drawn on it, as a JPEG."""
    from boardsight.vision.annotate import annotate

    photo = decode(job.picture, job.reading.photo, limits=LIMITS)
    if isinstance(photo, Fault):
        return job.picture
    return encode(annotate(photo.full(), job.reading, job.players))
