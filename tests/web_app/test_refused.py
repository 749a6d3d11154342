"""What the page refuses: what is no photo, what is too much, and what would be run instead of shown."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image
from tests.web_app.conftest import SAMPLES, Phone

from boardsight.web.guard import FORM_BODY, UPLOAD_BODY


def png(width: int, height: int) -> bytes:
    """Return a PNG of a few bytes that says it has that many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0" * 1_000_000, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (png(60_000, 60_000), "megapixels"),
        (b"", "is empty"),
        (b"<script>alert(1)</script>", "is not a picture"),
        (b"GIF89a", "cut short"),
        (b"%PDF-1.7", "is PDF"),
    ],
)
def test_what_is_no_photo_is_refused_and_not_kept(phone: Phone, data: bytes, words: str) -> None:
    answer = phone.upload(data, "x.jpg")
    assert answer.status_code == 422
    assert words in answer.text
    assert phone.book.shots() == ()


def test_a_bomb_is_refused_before_it_is_decoded(phone: Phone) -> None:
    import tracemalloc

    data = png(60_000, 60_000)
    tracemalloc.start()
    assert phone.upload(data).status_code == 422
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40_000_000, "3.6 thousand million pixels were not decoded"


def test_a_photo_is_known_by_its_content_and_loses_its_place(phone: Phone) -> None:
    image = Image.open(SAMPLES / "easy_2.jpg")
    exif = Image.Exif()
    exif[0x010F] = "SECRETPHONE"
    gps = exif.get_ifd(0x8825)
    gps[1], gps[2], gps[3], gps[4] = "N", (48.0, 8.0, 15.5), "E", (11.0, 34.0, 30.25)
    exif[0x8825] = gps
    out = io.BytesIO()
    image.save(out, "JPEG", exif=exif, quality=95)
    assert b"SECRETPHONE" in out.getvalue()
    answer = phone.upload(out.getvalue(), "not-a-jpeg.txt")
    assert answer.status_code == 200
    content = phone.client.get(f"{answer.url.path}/picture").content
    assert b"SECRETPHONE" not in content
    assert not Image.open(io.BytesIO(content)).getexif()
    phone.book.store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = (phone.book.store.path).read_bytes()
    assert b"SECRETPHONE" not in kept


@pytest.mark.parametrize(
    "name", ["../../../../etc/passwd.jpg", "..\\..\\boot.ini", "/etc/cron.d/x", "C:\\x\\a.jpg", "a\x00b.jpg", "x" * 400]
)
def test_a_path_in_a_file_name_is_a_label_and_nothing_else(phone: Phone, tmp_path: Path, name: str) -> None:
    before = {p.name for p in tmp_path.iterdir()}
    answer = phone.upload((SAMPLES / "easy_2.jpg").read_bytes(), name)
    assert answer.status_code == 200
    assert {p.name for p in tmp_path.iterdir()} == before
    label = phone.book.shots()[0].name
    assert "/" not in label
    assert "\\" not in label
    assert len(label) <= 40


@pytest.mark.parametrize(
    "path", ["/photos/..%2f..%2fetc%2fpasswd", "/static/..%2fapp.py", "/static/../app.py", "/photos/x"]
)
def test_no_path_of_a_request_reaches_the_disk(phone: Phone, path: str) -> None:
    assert phone.client.get(path).status_code == 404


SCRIPT = '<script>alert("x")</script>'


def test_script_in_a_name_is_only_text(phone: Phone) -> None:
    phone.post("/players", name=SCRIPT)
    path = phone.sample("easy_2", player=SCRIPT, round="1")
    phone.post("/evening", title="<img src=x onerror=alert(1)>")
    phone.upload((SAMPLES / "easy_1.jpg").read_bytes(), f"{SCRIPT}.jpg")
    for page in ("/", path, "/print", "/invite"):
        text = phone.client.get(page).text
        assert SCRIPT not in text
        assert "<img src=x" not in text
    assert "&lt;script&gt;" in phone.client.get("/").text


def test_a_name_that_a_spreadsheet_would_run_is_text_in_the_export(phone: Phone) -> None:
    phone.post("/players", name='=HYPERLINK("http://x")')
    phone.post("/points", player='=HYPERLINK("http://x")', round="1", points="5")
    assert "\"'=HYPERLINK" in phone.client.get("/export.csv").text


def test_a_photo_that_is_too_large_is_refused(phone: Phone) -> None:
    from boardsight.web.work import PHOTO_BYTES

    answer = phone.upload(b"\xff\xd8" + b"0" * PHOTO_BYTES)
    assert answer.status_code == 413
    assert "32 MB" in answer.text
    assert phone.workers.jobs == []


def test_too_many_parts_are_refused(phone: Phone) -> None:
    files = [("photos", (f"{i}.jpg", b"x")) for i in range(13)]
    assert phone.client.post("/photos", data={"csrf": phone.csrf}, files=files).status_code == 400
    assert phone.post("/players", **{f"f{i}": "x" for i in range(60)}).status_code == 400
    assert phone.post("/players", name="x" * (FORM_BODY + 1)).status_code == 413
    assert UPLOAD_BODY > FORM_BODY
