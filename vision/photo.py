"""Load a photo: any file a phone makes, upright, BGR uint8, at no more pixels than are needed.

A file that cannot be read is a fault, not an exception; what it holds is found from its content, never its name.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.vision.files import quoted, read_bytes
from boardsight.vision.jpeg import read_header
from boardsight.vision.reading import Fault

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

Image: TypeAlias = NDArray[np.uint8]
"""Height x width x 3, BGR, 0 to 255."""

READABLE = "JPEG, PNG, HEIC, AVIF, WebP, TIFF, BMP or GIF"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is decoded at most, and how much is enough."""

    pixels: int = 120_000_000
    """Pixels of the full-size picture; more is refused before it is decoded."""
    file_bytes: int = 256_000_000
    """Bytes of the file; more is refused before it is read."""
    long_side: int = 1900
    """Pixels; a picture is halved as long as its longer side stays at least this. More costs time; what needs more
    pixels asks for them (`Photo.at`)."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """An upright picture, decoded at a reduced scale if it is large."""

    name: str
    """The path or name as it was given."""
    size: tuple[int, int]
    """Width and height of the upright photo at full size, in pixels."""
    image: Image = field(repr=False)
    """The upright picture: height x width x 3, BGR uint8."""
    scale: float = 1.0
    """Pixels of ``image`` a pixel of the full-size photo: 1, 1/2, 1/4 or 1/8."""
    data: bytes = field(default=b"", repr=False)
    """The file."""

    def full(self) -> Image:
        """Return the upright picture at full size, decoded again where ``image`` is reduced."""
        return self.at(1.0)

    def scale_for(self, long_side: float) -> float:
        """Return the smallest of the scales 1, 1/2, 1/4 and 1/8 at which the longer side has so many pixels, or 1."""
        return next((scale for scale in (1 / 8, 1 / 4, 1 / 2) if max(self.size) * scale >= long_side), 1.0)

    def at(self, scale: float) -> Image:
        """Return the upright picture at a scale of 1, 1/2, 1/4 or 1/8; where nothing finer is to be had, `image`."""
        if scale <= self.scale or not self.data:
            return self.image
        found = _decode(self.data, self.name, Limits(long_side=1), round(1 / scale))
        return self.image if isinstance(found, Fault) else found.image


# ---------------------------------------------------------------- which format

_SIGNATURES: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\xff\xd8", "JPEG"),
    (0, b"\x89PNG\r\n\x1a\n", "PNG"),
    (0, b"GIF8", "GIF"),
    (0, b"BM", "BMP"),
    (8, b"WEBP", "WebP"),
    (8, b"CR\x02\x00", "CR2"),
    (0, b"II*\x00", "TIFF"),
    (0, b"MM\x00*", "TIFF"),
    (0, b"II+\x00", "TIFF"),
    (0, b"MM\x00+", "TIFF"),
    (0, b"\xff\x0a", "JPEG XL"),
    (4, b"JXL ", "JPEG XL"),
    (4, b"jP  ", "JPEG 2000"),
    (0, b"%PDF", "PDF"),
    (0, b"8BPS", "Photoshop"),
    (0, b"\x1aE\xdf\xa3", "WebM video"),
    (8, b"AVI ", "AVI video"),
    (0, b"PK\x03\x04", "ZIP"),
    (0, b"\x1f\x8b", "gzip"),
    (0, b"FUJIFILMCCD-RAW", "RAF"),
)
"""Offset, bytes and the name of the format that has them there; the first that fits counts."""

_BRANDS: tuple[tuple[str, str], ...] = (
    ("heic heix heim heis hevc hevx mif1 msf1 heif", "HEIC"),
    ("avif avis", "AVIF"),
    ("crx", "CR3"),
    ("qt mp41 mp42 isom iso2 iso5 iso6 M4V 3gp4 3gp5 avc1", "video"),
)
"""Brands of files that are made of boxes (ISO/IEC 14496-12), and what they are."""

_PILLOW = {"PNG": "PNG", "GIF": "GIF", "BMP": "BMP", "WebP": "WEBP", "TIFF": "TIFF", "AVIF": "AVIF"}


def sniff(data: bytes) -> str:
    """Return the name of the file's format, found from its first bytes; empty if it is not known."""
    if data[4:8] == b"ftyp":
        size = min(max(16, int.from_bytes(data[:4], "big")), 256)
        brands = [data[8:12], *(data[i : i + 4] for i in range(16, size, 4))]
        if b"avif" in brands or b"avis" in brands:
            return "AVIF"
        for brand in brands:
            for names, kind in _BRANDS:
                if brand.decode("latin-1").strip() in names.split():
                    return kind
        return "video"
    for at, signature, name in _SIGNATURES:
        if data[at : at + len(signature)] == signature and (name != "BMP" or data[6:10] == bytes(4)):
            return name
    if b"<svg" in data[:1000]:
        return "SVG"
    return ""


def is_picture(head: bytes) -> bool:
    """Return True where a file's first bytes are those of a format that is read."""
    kind = sniff(head)
    return kind in ("JPEG", "HEIC") or kind in _PILLOW


def _boxes_are_whole(data: bytes) -> bool:
    """Return False where a box of an HEIC or AVIF file reaches past the file's end."""
    at = 0
    while at + 8 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        if size == 1:
            size = int.from_bytes(data[at + 8 : at + 16], "big")
        if size == 0:
            return True
        if size < 8:
            return at > 0
        at += size
    return at <= len(data)


# ---------------------------------------------------------------- from bytes to pixels


def _cut_short(name: str) -> Fault:
    return Fault("truncated", f"{quoted(name)} is cut short or damaged; copy it again or take another photo")


def _too_large(name: str, size: tuple[int, int], limits: Limits) -> Fault | None:
    width, height = size
    if width * height <= limits.pixels:
        return None
    most = limits.pixels // 1_000_000
    return Fault(
        "too-large",
        f"{quoted(name)} has {width} x {height} pixels, more than {most} megapixels; save it smaller",
    )


def _reduction(size: tuple[int, int], limits: Limits, wanted: int) -> int:
    """Return by how much to divide the size: 1, 2, 4 or 8, at most `wanted`."""
    divisor = 1
    while divisor < min(wanted, 8) and max(size) >= 2 * divisor * limits.long_side:
        divisor *= 2
    return divisor


def _turned(size: tuple[int, int], orientation: int) -> tuple[int, int]:
    return (size[1], size[0]) if orientation >= 5 else size


def upright(image: Image, orientation: int) -> Image:
    """Return a picture as it is meant to be seen, given its EXIF orientation (1 to 8)."""
    if orientation in (5, 7):
        image = cv2.transpose(image)  # type: ignore[assignment]
    turns = {3: cv2.ROTATE_180, 6: cv2.ROTATE_90_CLOCKWISE, 7: cv2.ROTATE_180, 8: cv2.ROTATE_90_COUNTERCLOCKWISE}
    if orientation in turns:
        return cv2.rotate(image, turns[orientation])  # type: ignore[return-value]
    if orientation in (2, 4):
        return cv2.flip(image, 1 if orientation == 2 else 0)  # type: ignore[return-value]
    return image


_CV_FLAGS = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}


def _decode_jpeg(data: bytes, name: str, limits: Limits, wanted: int) -> Photo | Fault:
    header = read_header(data)
    if header is None:
        return _cut_short(name)
    if fault := _too_large(name, header.size, limits):
        return fault
    if header.bits != 8 or 0 in header.size:
        return Fault("unsupported-format", f"{quoted(name)} is a rare kind of JPEG; save it as an ordinary one")
    if not header.whole:
        return _cut_short(name)
    divisor = _reduction(header.size, limits, wanted)
    flags = _CV_FLAGS[divisor] | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error:
        image = None
    if image is None:
        return _cut_short(name)
    turned = upright(image, header.orientation)  # type: ignore[arg-type]
    return Photo(name, _turned(header.size, header.orientation), turned, 1 / divisor, data)


def _shrunk(image: Image, divisor: int) -> Image:
    if divisor == 1:
        return image
    size = (-(-image.shape[1] // divisor), -(-image.shape[0] // divisor))
    return cv2.resize(image, size, interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def _over_white(image: Image) -> Image:
    """Return a picture without its fourth channel, laid over white."""
    alpha = image[..., 3:].astype(np.uint16)
    return ((image[..., :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)


def _decode_heic(data: bytes, name: str, limits: Limits, wanted: int) -> Photo | Fault:
    try:
        import pillow_heif
    except ImportError:
        return Fault(
            "unsupported-format",
            f"{quoted(name)} is HEIC and pillow-heif is not installed; install it or save the photo as JPEG",
        )
    if not _boxes_are_whole(data):
        return _cut_short(name)
    try:
        # libheif turns the picture itself; its EXIF orientation says the same once more and does not count.
        found = pillow_heif.open_heif(data, convert_hdr_to_8bit=True, bgr_mode=True)
        size = (int(found.size[0]), int(found.size[1]))
        if fault := _too_large(name, size, limits):
            return fault
        divisor = _reduction(size, limits, wanted)
        pixels = _shrunk(np.asarray(found, np.uint8), divisor)
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError, OverflowError, RuntimeError):
        return _cut_short(name)
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[..., None], 3, axis=2)
    image = _over_white(pixels) if pixels.shape[2] == 4 else np.ascontiguousarray(pixels)
    return Photo(name, size, image, 1 / divisor, data)


def _eight_bits(image: PillowImage) -> PillowImage:
    """Return a picture of any kind as RGB or RGBA of 8 bits."""
    from PIL import Image as Pillow

    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        values = np.asarray(image).astype(np.float32)
        top = 65535.0 if image.mode != "F" and values.max(initial=0) > 255 else max(1.0, float(values.max(initial=0)))
        top = 255.0 if 1.0 < top <= 255.0 else top
        return Pillow.fromarray(np.clip(values * (255.0 / top), 0, 255).astype(np.uint8)).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        return image.convert("RGBA")
    return image if image.mode == "RGB" else image.convert("RGB")


_DNG_VERSION = 50706
"""The TIFF tag that only Digital Negatives have."""


def _decode_other(data: bytes, kind: str, name: str, limits: Limits, wanted: int) -> Photo | Fault:
    import io
    import warnings

    from PIL import Image as Pillow
    from PIL import ImageOps, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Pillow.open(io.BytesIO(data), formats=[_PILLOW[kind]]) as opened:
                if fault := _too_large(name, opened.size, limits):
                    return fault
                if _DNG_VERSION in getattr(opened, "tag_v2", ()):
                    return _unsupported(name, "DNG")
                opened.load()
                ImageOps.exif_transpose(opened, in_place=True)
                picture = _eight_bits(opened)
    except Pillow.DecompressionBombError:
        return Fault(
            "too-large", f"{quoted(name)} has more than {limits.pixels // 1_000_000} megapixels; save it smaller"
        )
    except UnidentifiedImageError:
        return _cut_short(name)
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError, OverflowError, RuntimeError):
        return _cut_short(name)
    size = picture.size
    divisor = _reduction(size, limits, wanted)
    if divisor > 1:
        picture = picture.reduce(divisor)
    pixels = np.asarray(picture)
    if pixels.shape[2] == 4:
        pixels = _over_white(pixels)
    image: Image = cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)  # type: ignore[assignment]
    return Photo(name, size, image, 1 / divisor, data)


def _unsupported(name: str, kind: str) -> Fault:
    return Fault("unsupported-format", f"{quoted(name)} is {kind}, which is not read; save it as {READABLE}")


def _decode(data: bytes, name: str, limits: Limits, wanted: int) -> Photo | Fault:
    kind = sniff(data)
    if kind == "JPEG":
        return _decode_jpeg(data, name, limits, wanted)
    if kind == "HEIC":
        return _decode_heic(data, name, limits, wanted)
    if kind in _PILLOW:
        return _decode_other(data, kind, name, limits, wanted)
    if kind:
        return _unsupported(name, kind)
    return Fault("not-an-image", f"{quoted(name)} is not a picture; give a photo as {READABLE}")


def decode(data: bytes, name: str, *, limits: Limits = Limits()) -> Photo | Fault:
    """Return the picture in a file's bytes, or the fault that prevented it; `name` is what messages call it."""
    if not data:
        return Fault("not-an-image", f"{quoted(name)} is empty; copy or take the photo again")
    return _decode(data, name, limits, 8)


def load(path: str | os.PathLike[str], *, limits: Limits = Limits()) -> Photo | Fault:
    """Return the photo at a path, or the fault that prevented it.

    JPEG is decoded at a reduced scale by the decoder itself, so a large photo costs little more than a small one.
    """
    name = os.fspath(path)
    data = read_bytes(name, limits.file_bytes)
    return data if isinstance(data, Fault) else _decode(data, name, limits, 8)
