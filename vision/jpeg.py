"""Read what a JPEG file says about itself without decoding it: size, orientation, and whether it is whole."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

_START, _END, _SCAN, _APP1 = 0xD8, 0xD9, 0xDA, 0xE1
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE = frozenset({0x01, *range(0xD0, 0xD8)})
"""Markers without a length: TEM and the restarts."""
_NEXT_MARKER = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
"""A marker that ends entropy-coded data; 0xFF there is followed by zero, or by a restart number."""

_ORIENTATION_TAG = 0x0112
_EXIF = b"Exif\0\0"


@dataclass(frozen=True, slots=True)
class JpegHeader:
    """What a JPEG file says about its picture."""

    size: tuple[int, int]
    """Width and height as stored, before orientation."""
    orientation: int
    """EXIF orientation, 1 to 8; 1 where the file has none or an impossible one."""
    bits: int
    """Bits a sample; 8 in every photo."""
    whole: bool
    """False where the data stops before the picture's end marker."""


def exif_orientation(tiff: bytes) -> int:
    """Return the orientation (1 to 8) in a TIFF-structured EXIF block, 1 where there is none (EXIF 2.32, 4.6.4)."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None or len(tiff) < 8:
        return 1
    try:
        (start,) = struct.unpack_from(order + "I", tiff, 4)
        (count,) = struct.unpack_from(order + "H", tiff, start)
        for i in range(count):
            tag, kind, _ = struct.unpack_from(order + "HHI", tiff, start + 2 + 12 * i)
            if tag == _ORIENTATION_TAG:
                code = "I" if kind == 4 else "H"
                (value,) = struct.unpack_from(order + code, tiff, start + 10 + 12 * i)
                return value if 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1


def read_header(data: bytes) -> JpegHeader | None:
    """Return what the file says, or None where it is no JPEG or ends before the size of its picture.

    The segments are walked one by one, so that markers in an embedded thumbnail and whatever a phone appends
    after the picture (motion photos) do not count.
    """
    if data[:2] != b"\xff\xd8":
        return None
    size: tuple[int, int] | None = None
    orientation, bits, whole = 1, 8, False
    seen_exif = False
    at = 2
    while at + 1 < len(data):
        if data[at] != 0xFF:
            at = data.find(b"\xff", at)
            if at < 0:
                break
            continue
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == _END:
            whole = size is not None
            break
        at += 2
        if marker in _BARE or marker in (0x00, _START):
            continue
        if at + 2 > len(data):
            break
        length = int.from_bytes(data[at : at + 2], "big")
        body = data[at + 2 : at + length] if marker in _FRAMES or marker == _APP1 else b""
        if marker in _FRAMES and len(body) >= 6 and size is None:
            bits, height, width = struct.unpack_from(">BHH", body)
            size = (width, height)
        elif marker == _APP1 and not seen_exif and body.startswith(_EXIF):
            orientation, seen_exif = exif_orientation(body[len(_EXIF) :]), True
        at += max(2, length)
        if marker == _SCAN:
            found = _NEXT_MARKER.search(data, at)
            if found is None:
                break
            at = found.start()
    return None if size is None else JpegHeader(size, orientation, bits, whole)
