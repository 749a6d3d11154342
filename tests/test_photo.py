"""Photos of every kind that a phone makes, and files that are none; all are made here, so the answer is known."""

from __future__ import annotations

import io
import os
import struct
import unicodedata
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image as Pillow

from boardsight.vision.jpeg import exif_orientation, read_header
from boardsight.vision.photo import Limits, Photo, decode, load, sniff, upright
from boardsight.vision.reading import Fault

CORNERS = {"red": (0, 0, 220), "green": (0, 200, 0), "blue": (220, 0, 0), "yellow": (0, 210, 210)}


def scene(width: int = 120, height: int = 80) -> NDArray[np.uint8]:
    """Return a BGR picture whose quarters are red, green / blue, yellow."""
    image = np.zeros((height, width, 3), np.uint8)
    h, w = height // 2, width // 2
    image[:h, :w], image[:h, w:] = CORNERS["red"], CORNERS["green"]
    image[h:, :w], image[h:, w:] = CORNERS["blue"], CORNERS["yellow"]
    return image


def stored(image: NDArray[np.uint8], orientation: int) -> NDArray[np.uint8]:
    """Return how a camera with that orientation stores an upright picture: the inverse of `upright`."""
    back = {6: 8, 8: 6}.get(orientation, orientation)
    return upright(image, back)


def pillow(image: NDArray[np.uint8]) -> Pillow.Image:
    return Pillow.fromarray(np.ascontiguousarray(image[..., ::-1]))


def encoded(image: Pillow.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def with_orientation(orientation: int) -> Pillow.Exif:
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    return exif


def photo_of(data: bytes, **limits: int) -> Photo:
    found = decode(data, "a.jpg", limits=Limits(**limits))
    assert isinstance(found, Photo), found
    return found


def fault_of(data: bytes, **limits: int) -> Fault:
    found = decode(data, "a.jpg", limits=Limits(**limits))
    assert isinstance(found, Fault), found
    assert "\n" not in found.message
    assert "'a.jpg'" in found.message
    return found


def assert_upright(photo: Photo, tolerance: int = 12, size: tuple[int, int] = (120, 80)) -> None:
    assert photo.size == size
    image = photo.image
    assert image.dtype == np.uint8
    assert image.flags.c_contiguous
    h, w = image.shape[:2]
    assert (w, h) == (-(-size[0] * photo.scale // 1), -(-size[1] * photo.scale // 1))
    places = {"red": (0.25, 0.25), "green": (0.25, 0.75), "blue": (0.75, 0.25), "yellow": (0.75, 0.75)}
    for colour, (y, x) in places.items():
        got = image[int(y * h), int(x * w)].astype(int)
        assert np.abs(got - CORNERS[colour]).max() <= tolerance, (colour, got)


@pytest.fixture
def jpeg() -> bytes:
    return encoded(pillow(scene()), "JPEG", quality=95)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_orientation_is_applied_exactly_once(kind: str, orientation: int) -> None:
    data = encoded(pillow(stored(scene(), orientation)), kind, exif=with_orientation(orientation), quality=95)
    assert_upright(photo_of(data))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["HEIF", "AVIF"])
def test_orientation_of_heic_and_avif(kind: str, orientation: int) -> None:
    heif = pytest.importorskip("pillow_heif")
    heif.register_heif_opener()
    image = pillow(stored(scene(), orientation))
    try:
        data = encoded(image, kind, exif=with_orientation(orientation).tobytes(), quality=90)
    except (KeyError, OSError) as error:
        pytest.skip(f"no encoder here: {error}")
    assert sniff(data) == {"HEIF": "HEIC", "AVIF": "AVIF"}[kind]
    assert_upright(photo_of(data), tolerance=40)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_of_a_reduced_picture_and_of_the_full_one(orientation: int) -> None:
    image = stored(scene(402, 301), orientation)
    data = encoded(pillow(image), "JPEG", exif=with_orientation(orientation), quality=95)
    photo = photo_of(data, long_side=100)
    assert photo.scale == 0.25
    assert_upright(photo, size=(402, 301))
    assert photo.full().shape == (301, 402, 3)
    assert photo.at(0.5).shape == (151, 201, 3)
    assert photo.at(0.1) is photo.image
    assert np.abs(photo.full()[0, 0].astype(int) - CORNERS["red"]).max() < 12


@pytest.mark.parametrize(
    ("size", "scale"), [((1600, 1200), 1.0), ((3264, 2448), 1.0), ((4000, 3000), 0.5), ((8064, 6048), 0.25)]
)
def test_large_photos_are_decoded_at_a_reduced_scale(size: tuple[int, int], scale: float) -> None:
    photo = photo_of(encoded(Pillow.new("L", size), "JPEG"))
    assert photo.size == size
    assert photo.scale == scale
    assert photo.image.shape == (size[1] * scale, size[0] * scale, 3)


@pytest.mark.parametrize(("long_side", "scale"), [(1, 0.125), (500, 0.125), (501, 0.25), (1900, 0.5), (9000, 1.0)])
def test_the_picture_can_be_had_with_as_many_pixels_as_are_needed(long_side: int, scale: float) -> None:
    photo = photo_of(encoded(Pillow.new("L", (4000, 3000)), "JPEG"))
    assert photo.scale_for(long_side) == scale
    assert photo.at(photo.scale_for(long_side)).shape[1] == 4000 * max(scale, photo.scale)


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "BMP", "GIF", "TIFF"])
def test_other_formats_are_found_by_content(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    options = {"lossless": True} if kind == "WEBP" else {}
    path.write_bytes(encoded(pillow(scene()), kind, **options))
    found = load(path)
    assert isinstance(found, Photo)
    assert_upright(found)
    reduced = photo_of(path.read_bytes(), long_side=50)
    assert reduced.scale == 0.5
    assert_upright(reduced)
    assert reduced.full().shape == (80, 120, 3)


def test_kinds_of_pixels() -> None:
    rgb = pillow(scene())
    assert_upright(photo_of(encoded(rgb.convert("P", palette=Pillow.Palette.ADAPTIVE), "PNG")))
    assert_upright(photo_of(encoded(rgb.convert("CMYK"), "JPEG", quality=95)), tolerance=30)
    assert_upright(photo_of(encoded(rgb.convert("CMYK"), "TIFF")), tolerance=30)
    assert_upright(photo_of(encoded(rgb, "JPEG", quality=95, progressive=True)))
    deep = cv2.imencode(".png", scene().astype(np.uint16) * 257)[1].tobytes()
    assert_upright(photo_of(deep))
    assert_upright(photo_of(cv2.imencode(".tiff", scene().astype(np.uint16) * 257)[1].tobytes()))


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
@pytest.mark.parametrize("depth", [np.uint8, np.uint16])
def test_grey(kind: str, depth: type[np.uint8] | type[np.uint16]) -> None:
    grey = np.tile(np.linspace(0, np.iinfo(depth).max, 64).astype(depth), (16, 1))
    photo = photo_of(encoded(Pillow.fromarray(grey), kind))
    want = np.linspace(0, 255, 64)
    assert np.abs(photo.image[8].mean(axis=1) - want).max() <= 1
    assert np.ptp(photo.image, axis=2).max() == 0


def test_grey_jpeg_and_one_bit_png() -> None:
    assert np.ptp(photo_of(encoded(pillow(scene()).convert("L"), "JPEG")).image, axis=2).max() == 0
    assert set(np.unique(photo_of(encoded(pillow(scene()).convert("1"), "PNG")).image)) == {0, 255}


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_alpha_is_laid_over_white(kind: str) -> None:
    image = np.zeros((20, 20, 4), np.uint8)
    image[:, 10:] = (255, 0, 0, 255)
    options = {"lossless": True} if kind == "WEBP" else {}
    photo = photo_of(encoded(Pillow.fromarray(image), kind, **options))
    assert photo.image[5, 2].tolist() == [255, 255, 255]
    assert photo.image[5, 15].tolist() == [0, 0, 255]


def test_cut_off_photos(jpeg: bytes) -> None:
    for share in (0.02, 0.3, 0.7, 0.99):
        assert fault_of(jpeg[: int(len(jpeg) * share)]).code == "truncated"
    progressive = encoded(pillow(scene()), "JPEG", progressive=True)
    assert fault_of(progressive[:-200]).code == "truncated"
    assert fault_of(jpeg[: len(jpeg) // 2] + bytes(len(jpeg) // 2)).code == "truncated"
    noise = Pillow.fromarray(np.random.default_rng(1).integers(0, 256, (90, 90, 3), np.uint8))
    for kind in ("PNG", "WEBP", "BMP", "GIF", "TIFF"):
        data = encoded(noise, kind)
        assert fault_of(data[: len(data) * 2 // 3]).code == "truncated", kind


def test_a_cut_off_heic() -> None:
    heif = pytest.importorskip("pillow_heif")
    heif.register_heif_opener()
    data = encoded(pillow(scene()), "HEIF")
    for share in (0.3, 0.6, 0.95):
        assert fault_of(data[: int(len(data) * share)]).code == "truncated"


def test_what_phones_append_after_the_picture_is_no_damage(jpeg: bytes) -> None:
    for trailer in (b"\0\0\0\x18ftypmp42 and a film", b"\0" * 999, b"\xff\xd8\xff\xe1 a second picture, cut off"):
        assert_upright(photo_of(jpeg + trailer))


def test_the_end_of_a_thumbnail_is_not_the_end_of_the_photo(jpeg: bytes) -> None:
    thumbnail = b"Exif\0\0" + b"II*\0\x08\0\0\0\0\0\0\0\0\0" + jpeg
    data = jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(thumbnail) + 2) + thumbnail + jpeg[2:]
    assert_upright(photo_of(data))
    assert fault_of(data[:-300]).code == "truncated"


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("kind", "pad"), [(3, "H2x"), (4, "I")])
def test_orientation_in_exif(order: str, kind: int, pad: str) -> None:
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "IH", 8, 2)
    make = struct.pack(order + "HHII", 0x010F, 2, 4, 0)
    for value in (1, 6, 8, 0, 9):
        block = head + make + struct.pack(order + "HHI" + pad, 0x0112, kind, 1, value)
        assert exif_orientation(block) == (value if 1 <= value <= 8 else 1)
    assert exif_orientation(head + make) == 1
    assert exif_orientation(b"II*\0") == 1
    assert exif_orientation(b"") == 1


def test_a_header_is_read_whatever_is_in_it(jpeg: bytes) -> None:
    header = read_header(jpeg)
    assert header is not None
    assert header.size == (120, 80)
    assert read_header(b"") is None
    assert read_header(b"\xff\xd8\xff") is None
    rng = np.random.default_rng(2)
    for _ in range(300):
        broken = bytearray(jpeg)
        for at in rng.integers(2, len(jpeg), 5):
            broken[at] = rng.integers(0, 256)
        found = decode(bytes(broken), "a.jpg")
        assert isinstance(found, Photo) or found.code in ("truncated", "too-large", "unsupported-format")


def _bomb(width: int, height: int) -> bytes:
    """Return a PNG that says it has that many pixels and holds none."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def test_huge_pictures_are_refused_before_they_are_decoded(jpeg: bytes) -> None:
    at = jpeg.index(b"\xff\xc0") + 5
    huge = jpeg[:at] + struct.pack(">HH", 60000, 60000) + jpeg[at + 4 :]
    assert fault_of(huge).code == "too-large"
    assert "60000 x 60000" in fault_of(huge).message
    for size in ((60000, 60000), (11000, 11000), (14000, 14000)):
        assert fault_of(_bomb(*size)).code == "too-large"
    assert fault_of(jpeg, pixels=9000).code == "too-large"


def test_large_files_are_refused_before_they_are_read(tmp_path: Path, jpeg: bytes) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(jpeg)
    found = load(path, limits=Limits(file_bytes=len(jpeg) - 1))
    assert isinstance(found, Fault)
    assert found.code == "too-large"
    assert isinstance(load(path, limits=Limits(file_bytes=len(jpeg))), Photo)


@pytest.mark.parametrize(
    "data", [b"", b"hello, this is a text", b"BMW is no bitmap", b"\0" * 500, b"GIF", bytes(range(256))]
)
def test_files_that_are_no_picture(data: bytes) -> None:
    assert fault_of(data).code == "not-an-image"


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"%PDF-1.7\n", "PDF"),
        (b"\0\0\0\x20ftypqt  \0\0\0\0qt  ", "video"),
        (b"\0\0\0\x18ftypcrx \0\0\0\1crx isom", "CR3"),
        (b"\xff\x0a" + bytes(30), "JPEG XL"),
        (b"<?xml version='1.0'?><svg xmlns='x'></svg>", "SVG"),
        (b"PK\x03\x04" + bytes(30), "ZIP"),
    ],
)
def test_formats_that_are_not_read_are_named(data: bytes, named: str) -> None:
    fault = fault_of(data)
    assert fault.code == "unsupported-format"
    assert named in fault.message


def test_names_of_every_kind(tmp_path: Path, jpeg: bytes) -> None:
    for name in ("a b.jpg", "фото 写真.jpg", "it's (1).jpg", "n" * 240 + ".jpg", "no suffix", "x.png"):
        path = tmp_path / name
        path.write_bytes(jpeg)
        pasted = [str(path), f"'{path}'", f'"{path}" ', f" {path}\n"]
        if os.sep == "/":
            pasted += [path.as_uri(), str(path).replace(" ", "\\ ")]
        for given in pasted:
            found = load(given)
            assert isinstance(found, Photo), given
            assert found.name == given
    (tmp_path / unicodedata.normalize("NFD", "über.jpg")).write_bytes(jpeg)
    assert isinstance(load(tmp_path / unicodedata.normalize("NFC", "über.jpg")), Photo)


@pytest.mark.parametrize("name", ["gone.jpg", "n" * 5000, "a\0b", "", "two\nlines.jpg", "gone/\udcff.jpg"])
def test_files_that_are_not_there(name: str, tmp_path: Path) -> None:
    found = load(os.path.join(tmp_path, name) if name else name)
    assert isinstance(found, Fault)
    assert found.code == "not-found"
    assert "\n" not in found.message
    assert len(found.message) < 250
    found.message.encode("utf-8")


def test_a_folder_and_a_file_that_may_not_be_read(tmp_path: Path, jpeg: bytes) -> None:
    folder = load(tmp_path)
    assert isinstance(folder, Fault)
    assert folder.code == "not-an-image"
    assert "folder" in folder.message
    locked = tmp_path / "locked.jpg"
    locked.write_bytes(jpeg)
    locked.chmod(0)
    if os.access(locked, os.R_OK):
        pytest.skip("this user may read every file")
    found = load(locked)
    assert isinstance(found, Fault)
    assert found.code == "not-found"
    assert "permission" in found.message
