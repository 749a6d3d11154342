"""Text from outside, made harmless: for terminals and lists, for spreadsheets, and for file names."""

from __future__ import annotations

import unicodedata

LONGEST = 120
"""Letters of a name in a list; longer ones lose their middle."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
"""What makes a spreadsheet take a cell for a formula (OWASP, "CSV Injection")."""


def storable(text: str) -> str:
    """Return a text that any database or file can hold: bytes of a name that are no text become ``\\udcff``."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def printable(text: str, most: int = 0) -> str:
    """Return a text as one line without control, escape or direction characters, cut in its middle past `most`."""
    line = "".join(c if c.isprintable() and unicodedata.category(c) != "Cf" else "?" for c in storable(text))
    if not most or len(line) <= most:
        return line
    head = most * 2 // 3
    return f"{line[:head]}...{line[len(line) - (most - head - 3) :]}"


def csv_text(text: str) -> str:
    """Return a text for a cell of a CSV file that no spreadsheet takes for a formula."""
    line = printable(text)
    return f"'{line}" if text.startswith(_FORMULA) or line.lstrip().startswith(_FORMULA) else line


def file_stem(name: str, most: int = 60) -> str:
    """Return a file name's stem made from any name: letters, digits and ``._-`` only, never empty or hidden."""
    stem = name.replace("\\", "/").rsplit("/", 1)[-1]
    stem = stem.rsplit(".", 1)[0] if "." in stem[1:] else stem
    safe = "".join(c if c.isalnum() or c in "._-" else "_" for c in storable(stem)).strip(".")
    # File systems count bytes, and a letter may be four.
    return safe.encode("utf-8")[:most].decode("utf-8", "ignore") or "photo"
