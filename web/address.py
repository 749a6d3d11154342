"""Under which address the page is found, and the code that a phone scans."""

from __future__ import annotations

import io
import os
import secrets
import socket
from pathlib import Path

import segno

from boardsight.scoring.errors import BoardsightError

TOKEN_FILE = "serve.token"
"""In the evening's folder: the token, so that phones stay in when the server starts again."""


def token_in(folder: Path, *, new: bool = False) -> str:
    """Return the token of an evening's folder, made when it is first asked for; only its owner can read the file.

    Raises BoardsightError where it cannot be kept.
    """
    path = folder / TOKEN_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not new and path.is_file():
            text = path.read_text("ascii").strip()
            if len(text) >= 20:
                return text
        token = secrets.token_urlsafe(18)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(token + "\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BoardsightError(f"{path} cannot be kept: {reason}") from error
    return token


def own_address() -> str:
    """Return this machine's address in the local network; the loopback address if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a test network (RFC 5737); nothing is sent to choose a way there
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def own_names() -> tuple[str, ...]:
    """Return the names that this machine goes by in the local network."""
    name = socket.gethostname().casefold().partition(".")[0]
    return (name,) if name else ()


def qr_text(address: str) -> str:
    """Return an address as a code made of block characters, for a terminal."""
    out = io.StringIO()
    segno.make(address, error="l", micro=False).terminal(out, border=2, compact=True)
    return out.getvalue()


def qr_svg(address: str) -> bytes:
    """Return an address as a code, black on white, as SVG."""
    out = io.BytesIO()
    segno.make(address, error="m", micro=False).save(out, kind="svg", scale=8, border=3, dark="#000", light="#fff")
    return out.getvalue()
