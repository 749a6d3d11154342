"""Read a photo's file: from a path, however it was typed or pasted, to its bytes, or the fault that prevented it."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from boardsight.vision.reading import Fault


def quoted(name: str) -> str:
    """Return the last part of a path for a message: in quotes, on one line, printable, and not too long."""
    part = os.path.basename(name.rstrip("/\\")) or name
    text = part.encode("utf-8", "replace").decode("utf-8")
    text = "".join(c if c.isprintable() else " " for c in text)
    return repr(text if len(text) <= 80 else f"{text[:50]}...{text[-25:]}")


def _candidates(text: str) -> Iterator[str]:
    """Yield what a path may have meant: as given, then as pasted from a file manager, a shell or a browser."""
    yield text
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "'\"":
        bare = bare[1:-1]
    yield bare
    if bare.lower().startswith("file://"):
        yield unquote(urlsplit(bare).path)
    yield os.path.expanduser(bare)
    if "\\" in bare and os.sep == "/":
        yield bare.replace("\\ ", " ").replace("\\(", "(").replace("\\)", ")").replace("\\'", "'")
    for form in ("NFC", "NFD"):
        yield unicodedata.normalize(form, bare)


def _exists(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def existing(name: str) -> str:
    """Return the path that a name meant, as it was typed or pasted; the name itself if nothing of the kind exists."""
    return next((p for p in _candidates(name) if p and _exists(p)), name)


def read_bytes(name: str, most: int) -> bytes | Fault:
    """Return what a file holds, or the fault that prevented it; more than `most` bytes are not read."""
    path = existing(name)
    called = quoted(name)
    try:
        if os.path.isdir(path):
            return Fault("not-an-image", f"{called} is a folder; give the photos in it")
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        return Fault("not-found", f"{called} does not exist; check the name and the folder")
    except PermissionError:
        return Fault("not-found", f"{called} may not be read; check its permissions")
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        return Fault("not-found", f"{called} cannot be opened ({reason}); check the name and the folder")
    if not data:
        return Fault("not-an-image", f"{called} is empty; copy or take the photo again")
    if len(data) > most:
        advice = "save it smaller, a photo of 12 megapixels is plenty"
        return Fault("too-large", f"{called} is larger than {most // 1_000_000} MB; {advice}")
    return data
