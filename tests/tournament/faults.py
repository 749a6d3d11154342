"""The bad input that phones and people make, kind by kind: each picture or file is made here from a sample photo."""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from pathlib import Path

import cv2
import numpy as np
import pillow_heif
from numpy.typing import NDArray
from PIL import Image as Pillow

from boardsight.scoring.notation import Position

Image = NDArray[np.uint8]
"""Height x width x 3, BGR."""

SAMPLES = Path(__file__).parent.parent.parent / "sample_images"


@dataclass(frozen=True)
class Case:
    """One file of a kind, and what must become of it."""

    kind: str
    name: str
    data: bytes
    want: str = "same"
    """``same``: the sample's boards, all certain or not; ``doubt``: the same, or what is wrong is not certain, or the
    photo is refused with a reason; otherwise the codes that are right, separated by spaces."""
    sample: str = "easy_1"
    answer: Mapping[str, str] | None = None
    """Notation by board where it is not the sample's."""

    @property
    def right(self) -> Mapping[str, str]:
        """Return the notation of each board that the photo shows."""
        return truth(self.sample) if self.answer is None else self.answer


def sample(name: str = "easy_1") -> Image:
    """Return a sample photo."""
    image = cv2.imread(str(SAMPLES / f"{name}.jpg"))
    if image is None:
        raise FileNotFoundError(name)
    return np.asarray(image, np.uint8)


def truth(name: str) -> dict[str, str]:
    """Return the notation of each board of a sample."""
    found = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))
    return {board["board"]: board["notation"] for board in found["boards"]}


def total(name: str) -> int:
    """Return a sample's total."""
    return int(json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))["total"])


def jpeg(image: Image, quality: int = 92) -> bytes:
    """Return a picture as a JPEG file."""
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes())


def png(image: NDArray[np.uint8] | NDArray[np.uint16]) -> bytes:
    """Return a picture of any depth as a PNG file."""
    return bytes(cv2.imencode(".png", image)[1].tobytes())


def pillow(image: Image) -> Pillow.Image:
    """Return a picture as Pillow's."""
    return Pillow.fromarray(np.ascontiguousarray(image[..., ::-1]))


def saved(image: Pillow.Image, kind: str, **options: object) -> bytes:
    """Return one of Pillow's pictures as a file."""
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def heic(image: Image, orientation: int = 1) -> bytes:
    """Return a picture as an HEIC file, as an iPhone writes it."""
    pillow_heif.register_heif_opener()
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    return saved(pillow(image), "HEIF", quality=85, exif=exif.tobytes())


def sideways(image: Image) -> tuple[Image, int]:
    """Return how a camera that was held upright stores a picture, and the EXIF orientation it notes."""
    return np.asarray(cv2.rotate(image, cv2.ROTATE_90_COUNTERCLOCKWISE), np.uint8), 6


def warped(image: Image, matrix: NDArray[np.float64], size: tuple[int, int] | None = None) -> Image:
    """Return a picture under a homography; the table goes on beyond its edges."""
    size = size or (image.shape[1], image.shape[0])
    moved = cv2.warpPerspective(image, matrix, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def turned(image: Image, degrees: float) -> Image:
    """Return a picture turned clockwise, nothing cut off."""
    height, width = image.shape[:2]
    c, s = abs(cos(radians(degrees))), abs(sin(radians(degrees)))
    size = int(np.ceil(c * width + s * height)), int(np.ceil(s * width + c * height))
    matrix = np.vstack([cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), -degrees, 1), [0, 0, 1]])
    matrix[:2, 2] += (np.array(size) - (width, height)) / 2
    return warped(image, np.asarray(matrix, np.float64), size)


def scaled(image: Image, factor: float, size: tuple[int, int] | None = None) -> Image:
    """Return a picture scaled about its middle, on a frame of the same or another size."""
    height, width = image.shape[:2]
    w, h = size or (width, height)
    return warped(
        image,
        np.array([[factor, 0, (w - factor * width) / 2], [0, factor, (h - factor * height) / 2], [0, 0, 1]]),
        (w, h),
    )


def oblique(image: Image, degrees: float) -> Image:
    """Return a picture as if the camera leaned that much further from the vertical."""
    height, width = image.shape[:2]
    f = 1.2 * width
    a = radians(degrees)
    turn = np.array([[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]])
    camera = np.array([[f, 0, width / 2], [0, f, height / 2], [0, 0, 1]])
    plane = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 0]])
    pose = camera @ (turn @ plane + np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1.6 * f]]))
    return warped(image, pose / pose[2, 2])


def curved(image: Image, strength: float = 0.06) -> Image:
    """Return a picture as a wide lens bends it."""
    height, width = image.shape[:2]
    y, x = np.mgrid[:height, :width].astype(np.float32)
    u, v = (x - width / 2) / (width / 2), (y - height / 2) / (width / 2)
    r = 1 + strength * (u * u + v * v)
    bent = cv2.remap(
        image,
        u * r * width / 2 + width / 2,
        v * r * width / 2 + height / 2,
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(bent, np.uint8)


def lit(image: Image, blue: float, green: float, red: float) -> Image:
    """Return a picture under another light."""
    return np.asarray(np.clip(image * np.array([blue, green, red]), 0, 255), np.uint8)


def shadowed(image: Image, dark: float = 0.45) -> Image:
    """Return a picture with the hard shadow of something over its left half."""
    mask = np.ones(image.shape[:2], np.float32)
    height, width = image.shape[:2]
    cv2.fillPoly(mask, [np.array([[0, 0], [width * 6 // 10, 0], [width * 4 // 10, height], [0, height]])], dark)
    return np.asarray(np.clip(image * mask[..., None], 0, 255), np.uint8)


def glared(image: Image) -> Image:
    """Return a picture with a lamp's reflection on some tiles."""
    height, width = image.shape[:2]
    veil = np.zeros((height, width), np.float32)
    cv2.ellipse(veil, (width // 2, height // 2), (width // 7, height // 12), 30, 0, 360, 1.0, -1)
    soft = np.asarray(cv2.GaussianBlur(veil, (0, 0), 12))[..., None]
    return np.asarray(np.clip(image * (1 - soft) + 255 * soft, 0, 255), np.uint8)


def reddened(image: Image) -> Image:
    """Return a picture whose oranges look red and whose whites look grey."""
    hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV).astype(np.int16)
    hsv[..., 0] = (hsv[..., 0] - 6) % 180
    hsv[..., 2] = np.minimum(hsv[..., 2], 205)
    return np.asarray(cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)


def cluttered(image: Image) -> Image:
    """Return a picture on a patterned cloth, with a spare tile and other things beside the board."""
    height, width = image.shape[:2]
    big = np.zeros((height * 14 // 10, width * 14 // 10, 3), np.uint8)
    y, x = np.mgrid[: big.shape[0], : big.shape[1]]
    big[:] = np.where((((x // 23) + (y // 31)) % 2)[..., None] == 0, (60, 80, 150), (170, 160, 120)).astype(np.uint8)
    top, left = (big.shape[0] - height) // 2, (big.shape[1] - width) // 2
    big[top : top + height, left : left + width] = image
    spare = image[height // 2 - 75 : height // 2 + 75, width // 2 - 85 : width // 2 + 85]
    big[20:170, 40:210] = spare
    cv2.circle(big, (big.shape[1] - 120, big.shape[0] - 120), 90, (40, 40, 200), -1, cv2.LINE_AA)
    return big


def blurred(image: Image, sigma: float) -> Image:
    """Return a picture out of focus."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)


def grown(image: Image, long_side: int) -> bytes:
    """Return a picture enlarged to a phone's full resolution, as a JPEG file."""
    factor = long_side / max(image.shape[:2])
    return jpeg(np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_LINEAR), np.uint8), 88)


def bomb(side: int) -> bytes:
    """Return a PNG file of some hundred kilobytes that claims to be `side` x `side` pixels, and is."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    packer = zlib.compressobj(6)
    row = bytes(1 + side // 8)
    body = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def cmyk(image: Image) -> bytes:
    """Return a picture as a JPEG file for printers."""
    return saved(pillow(image).convert("CMYK"), "JPEG", quality=95)


def with_alpha(image: Image) -> bytes:
    """Return a picture as a PNG file with a fourth channel, clear at the border."""
    alpha = np.full(image.shape[:2], 255, np.uint8)
    alpha[:8] = alpha[-8:] = 0
    return png(np.dstack([image, alpha]))


def doubled(image: Image, centres: Sequence[Sequence[float]], tile: float) -> Image:
    """Return a picture with a copy of the tile at the first centre on that at the second."""
    copy = image.copy()
    (ax, ay), (bx, by) = ((int(x), int(y)) for x, y in centres[:2])
    r = int(tile * 0.43)
    mask = np.zeros((2 * r, 2 * r), np.uint8)
    cv2.circle(mask, (r, r), r, 255, -1)
    copy[by - r : by + r, bx - r : bx + r][mask > 0] = image[ay - r : ay + r, ax - r : ax + r][mask > 0]
    return copy


def edition(seed: int) -> tuple[bytes, dict[str, str]]:
    """Return a photo of an edition drawn in typefaces and shapes that no network was trained on, and its answer."""
    from boardsight.training.scene import draw_scene

    scene = draw_scene(np.random.default_rng(seed), "validate", boards=("easy",), harsh=0.2, full=1.0)
    (placed,) = scene.boards
    position = Position(placed.board, tuple(placed.tiles))
    return jpeg(scene.image, 95), {"easy": str(position)}


KINDS = (
    "turned by 90, 180, 270", "turned by any angle", "mirrored", "EXIF orientation", "HEIC", "huge",
    "truncated, empty, misnamed", "path names", "colour models", "light", "glare", "look-alike colours", "cut off",
    "small or large", "oblique or curved", "clutter", "empty spaces", "another edition", "blur", "a piece twice",
)  # fmt: skip
"""Of the cases."""


def cases(centres: Sequence[Sequence[float]], tile: float) -> tuple[Case, ...]:
    """Return every case; `centres` are those of the tiles of ``easy_1`` and `tile` their width, in pixels."""
    image = sample()
    side, orientation = sideways(image)
    upright = heic(image)
    exif = Pillow.Exif()
    exif[0x0112] = orientation
    plain = (SAMPLES / "easy_1.jpg").read_bytes()
    edge = [min(c[i] for c in centres) for i in (0, 1)]
    return (
        Case("turned by 90, 180, 270", "turned 90.jpg", jpeg(turned(image, 90))),
        Case("turned by 90, 180, 270", "turned 180.jpg", jpeg(turned(image, 180))),
        Case("turned by 90, 180, 270", "turned 270.jpg", jpeg(turned(image, 270))),
        Case("turned by any angle", "turned 7.jpg", jpeg(turned(image, 7))),
        Case("turned by any angle", "turned 141.jpg", jpeg(turned(image, 141))),
        Case("mirrored", "mirrored.jpg", jpeg(np.ascontiguousarray(image[:, ::-1]))),
        Case("EXIF orientation", "exif.jpg", saved(pillow(side), "JPEG", quality=92, exif=exif.tobytes())),
        Case("EXIF orientation", "exif.heic", heic(side, orientation)),
        Case("HEIC", "iphone.heic", upright),
        Case("HEIC", "iphone.jxl", b"\xff\x0a" + plain[2:2000], "unsupported-format"),
        Case("huge", "48 megapixels.jpg", grown(image, 8064)),
        Case("huge", "bomb.png", bomb(12_000), "too-large"),
        Case("truncated, empty, misnamed", "cut.jpg", plain[: len(plain) // 2], "truncated"),
        Case("truncated, empty, misnamed", "cut.png", png(image)[:100_000], "truncated"),
        Case("truncated, empty, misnamed", "cut.heic", upright[:20_000], "truncated"),
        Case("truncated, empty, misnamed", "empty.jpg", b"", "not-an-image"),
        Case("truncated, empty, misnamed", "text.jpg", b"Dear all,\nhere is my photo.\n", "not-an-image"),
        Case("truncated, empty, misnamed", "really a png.jpg", png(image)),
        Case("truncated, empty, misnamed", "really a jpeg.png", plain),
        Case("path names", "Zoë's  写真 \N{FACE WITH TEARS OF JOY} (1).jpg", plain + b"\0"),
        Case("path names", "'; DROP TABLE photos; --\n\x1b[2J.jpg", plain + b"\0\0"),
        Case("path names", "=cmd|' C'!A0" + "x" * 180 + ".jpg", plain + b"\0\0\0"),
        Case("colour models", "grey.jpg", jpeg(np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)), "doubt"),
        Case("colour models", "16 bit.png", png(image.astype(np.uint16) * 257)),
        Case("colour models", "cmyk.jpg", cmyk(image)),
        Case("colour models", "alpha.png", with_alpha(image)),
        Case("colour models", "palette.png", saved(pillow(image).quantize(256), "PNG"), "doubt"),
        Case("light", "lamp.jpg", jpeg(lit(image, 0.6, 0.88, 1.12)), "doubt"),
        Case("light", "blue.jpg", jpeg(lit(image, 1.15, 0.95, 0.75)), "doubt"),
        Case("light", "dark.jpg", jpeg(lit(image, 0.35, 0.35, 0.35)), "doubt"),
        Case("light", "shadow.jpg", jpeg(shadowed(image)), "doubt"),
        Case("glare", "glare.jpg", jpeg(glared(image)), "doubt"),
        Case("look-alike colours", "red.jpg", jpeg(reddened(image)), "doubt"),
        Case("cut off", "cut off.jpg", jpeg(image[:, int(edge[0] + 0.2 * tile) :]), "incomplete-board"),
        Case("cut off", "cut close.jpg", jpeg(image[int(edge[1] - 0.8 * tile) :, int(edge[0] - 0.8 * tile) :])),
        Case("small or large", "small.jpg", jpeg(scaled(image, 0.35)), "doubt"),
        Case("small or large", "tiny.jpg", jpeg(scaled(image, 0.06)), "no-board"),
        Case("small or large", "near.jpg", jpeg(scaled(image, 1.25)), "same incomplete-board"),
        Case("oblique or curved", "oblique.jpg", jpeg(oblique(image, 25)), "doubt"),
        Case("oblique or curved", "curved.jpg", jpeg(curved(image)), "doubt"),
        Case("clutter", "clutter.jpg", jpeg(cluttered(image)), "doubt"),
        Case("empty spaces", "empty spaces.jpg", jpeg(sample("higher_2")), "same", "higher_2"),
        *(
            Case("another edition", f"edition {seed}.jpg", data, "doubt", answer=answer)
            for seed in (1, 2)
            for data, answer in [edition(seed)]
        ),
        Case("blur", "blur.jpg", jpeg(blurred(image, 2.0)), "doubt"),
        Case("blur", "very blurred.jpg", jpeg(blurred(image, 14.0)), "doubt"),
        Case("a piece twice", "twice.jpg", jpeg(doubled(image, centres, tile)), "twice"),
    )  # fmt: skip
