"""Pictures on disk: their names, and how they are written whole or not at all."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from boardsight.scoring.errors import BoardsightError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
"""Formats that a picture can be written in."""


STALE = 3600.0
"""Seconds after which a half-written file belongs to nobody."""


class WriteError(BoardsightError):
    """A file that could not be written; the message names the file and the reason."""


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whose name appears only when it is complete.

    Raises WriteError where it cannot be written.
    """
    partial = path.with_name(f".{path.name[:100]}.{os.getpid()}.{threading.get_ident()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise WriteError(f"{path} cannot be written: {error.strerror or error}") from error


def clear_partials(folder: Path) -> None:
    """Remove what killed runs have left half-written in a folder; what is young may be another run's at work."""
    for partial in folder.glob(".*.part"):
        with suppress(OSError):
            if time.time() - partial.stat().st_mtime > STALE:
                partial.unlink()


def encoded(image: Image, suffix: str) -> bytes:
    """Return a BGR picture as a file of the format that a suffix says.

    Raises WriteError where there is no such format.
    """
    import cv2

    options = [cv2.IMWRITE_JPEG_QUALITY, 90] if suffix.lower() in (".jpg", ".jpeg") else []
    done, data = cv2.imencode(suffix.lower(), image, options)
    if not done:
        raise WriteError(f"the picture cannot be written as {suffix}")
    return data.tobytes()


def write_picture(path: Path, image: Image) -> None:
    """Write a BGR picture in the format that the name's suffix says; the name appears only when it is complete.

    Raises WriteError where it cannot be written.
    """
    write_whole(path, encoded(image, path.suffix))


def unique_names(photos: Iterable[str], ending: str) -> tuple[str, ...]:
    """Return a file name for each photo, made from the photo's own; photos of the same name get numbers."""
    names: list[str] = []
    for photo in photos:
        stem = Path(photo).stem or "photo"
        name, n = stem + ending, 1
        while name.casefold() in (other.casefold() for other in names):
            n += 1
            name = f"{stem}-{n}{ending}"
        names.append(name)
    return tuple(names)
