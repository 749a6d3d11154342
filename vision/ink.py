"""Draw cased lines, rings, outlines and labels on a picture; the pen that the annotated pictures share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.vision.photo import Image

Colour = tuple[int, int, int]
"""Blue, green, red, 0 to 255."""
Spot = tuple[float, float]
"""x right, y down, in pixels of the picture that is drawn on."""

DARK: Colour = (24, 20, 18)
LIGHT: Colour = (250, 250, 250)
_FRACTION_BITS = 3
"""Coordinates are drawn to an eighth of a pixel."""


def contrast(colour: Colour) -> Colour:
    """Return the dark or the light ink, whichever stands out from a colour."""
    blue, green, red = colour
    return DARK if 0.114 * blue + 0.587 * green + 0.299 * red > 95 else LIGHT


@dataclass(frozen=True, slots=True)
class Label:
    """Lines of text on a rounded plate, centred on a spot."""

    lines: tuple[str, ...]
    at: Spot
    height: float
    """Height of a capital letter, in pixels."""
    plate: Colour = DARK
    edge: Colour | None = None
    opacity: float = 0.8
    """Of the plate, 0 to 1."""

    @property
    def size(self) -> tuple[float, float]:
        """Return width and height of the plate in pixels."""
        return _size(self.lines, self.height)

    def moved(self, dx: float, dy: float) -> Label:
        """Return the label at another place."""
        return replace(self, at=(self.at[0] + dx, self.at[1] + dy))

    def overlaps(self, other: Label, gap: float = 2.0) -> bool:
        """Return True where the two plates are closer than `gap` pixels."""
        (w, h), (ow, oh) = self.size, other.size
        return abs(self.at[0] - other.at[0]) < (w + ow) / 2 + gap and abs(self.at[1] - other.at[1]) < (h + oh) / 2 + gap


@lru_cache(maxsize=512)
def _size(lines: tuple[str, ...], height: float) -> Spot:
    """Return width and height of the plate of some lines in pixels."""
    widest = max((_mask(line, round(height, 1))[0].shape[1] for line in lines), default=0)
    return widest + 0.9 * height, len(lines) * 1.45 * height + 0.35 * height


@lru_cache(maxsize=512)
def _mask(text: str, height: float) -> tuple[NDArray[np.uint8], int]:
    """Return the ink of a line of text (rows x columns, 0 to 255) and the row of its baseline."""
    from PIL import Image as Pillow
    from PIL import ImageDraw, ImageFont

    size = max(6.0, height / 0.7)
    font = ImageFont.load_default(size)
    bold = int(size / 24)
    left, top, right, bottom = (round(v) for v in font.getbbox(text, anchor="ls", stroke_width=bold))
    picture = Pillow.new("L", (max(1, right - left + 2), max(1, bottom - top + 2)), 0)
    ImageDraw.Draw(picture).text((1 - left, 1 - top), text, fill=255, font=font, anchor="ls", stroke_width=bold)
    return np.asarray(picture, np.uint8), 1 - top


def _fixed(points: Sequence[Spot]) -> NDArray[np.int32]:
    return np.round(np.asarray(points, float) * (1 << _FRACTION_BITS)).astype(np.int32).reshape(-1, 1, 2)


def outline(image: Image, corners: Sequence[Spot], colour: Colour, width: float) -> None:
    """Draw a closed line with a casing in the contrasting ink."""
    points = [_fixed(corners)]
    for ink, thickness in ((contrast(colour), width + max(2.0, width)), (colour, width)):
        cv2.polylines(image, points, True, ink, max(1, round(thickness)), cv2.LINE_AA, _FRACTION_BITS)


def stroke(image: Image, start: Spot, end: Spot, colour: Colour, width: float, opacity: float = 1.0) -> None:
    """Draw a straight line with a casing in the contrasting ink."""
    pad = round(2 * width + 4)
    xs, ys = (start[0], end[0]), (start[1], end[1])
    left, top = max(0, int(min(xs)) - pad), max(0, int(min(ys)) - pad)
    area = image[top : max(top, int(max(ys)) + pad), left : max(left, int(max(xs)) + pad)]
    if area.size == 0:
        return
    under = area.copy()
    points = [_fixed(((start[0] - left, start[1] - top), (end[0] - left, end[1] - top)))]
    drawn = np.ascontiguousarray(area)
    for ink, thickness in ((contrast(colour), width + max(2.0, 0.7 * width)), (colour, width)):
        cv2.polylines(drawn, points, False, ink, max(1, round(thickness)), cv2.LINE_AA, _FRACTION_BITS)
    area[:] = cv2.addWeighted(drawn, opacity, under, 1 - opacity, 0)


def ring(image: Image, centre: Spot, radius: float, colour: Colour, width: float) -> None:
    """Draw a circle with a casing in the contrasting ink."""
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    circle = [(centre[0] + radius * float(np.cos(a)), centre[1] + radius * float(np.sin(a))) for a in angles]
    outline(image, circle, colour, width)


def resized(image: Image, zoom: float) -> Image:
    """Return a picture at another size, always a new one."""
    size = max(1, round(image.shape[1] * zoom)), max(1, round(image.shape[0] * zoom))
    if size == image.shape[1::-1]:
        return image.copy()
    # averaging over areas costs ten times as much, and shows only where a pixel covers several
    how = cv2.INTER_CUBIC if zoom > 1 else cv2.INTER_LINEAR if zoom > 0.7 else cv2.INTER_AREA
    return np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)


def dim(image: Image, mask: NDArray[np.uint8], brightness: float) -> None:
    """Darken a picture where a mask (height x width) is 0, to a share of its brightness."""
    darker = cv2.LUT(image, (np.arange(256) * brightness).astype(np.uint8))
    cv2.copyTo(darker, cv2.bitwise_not(mask), image)


def _blend(image: Image, mask: NDArray[np.uint8], corner: tuple[int, int], colour: Colour, opacity: float) -> None:
    """Lay a colour over a picture where a mask (0 to 255) says so; what falls outside the picture is left out."""
    x, y = corner
    top, left = max(0, -y), max(0, -x)
    part = mask[top : max(0, image.shape[0] - y), left : max(0, image.shape[1] - x)]
    if part.size == 0:
        return
    area = image[y + top : y + top + part.shape[0], x + left : x + left + part.shape[1]]
    share = part[..., None].astype(np.float32) * (opacity / 255)
    area[:] = (area * (1 - share) + np.asarray(colour, np.float32) * share + 0.5).astype(np.uint8)


def _plate(width: int, height: int, radius: int) -> NDArray[np.uint8]:
    """Return a filled rounded rectangle with smooth edges."""
    mask: NDArray[np.uint8] = np.zeros((height, width), np.uint8)
    radius = max(0, min(radius, (min(width, height) - 1) // 2))
    cv2.rectangle(mask, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(mask, (0, radius), (width - 1, height - 1 - radius), 255, -1)
    for x in (radius, width - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(mask, (x, y), radius, 255, -1, cv2.LINE_AA)
    return mask


def write(image: Image, label: Label) -> None:
    """Draw a label."""
    width, height = (max(3, round(side)) for side in label.size)
    x, y = round(label.at[0] - width / 2), round(label.at[1] - height / 2)
    radius = round(0.5 * label.height)
    if label.edge is not None:
        rim = max(1, round(0.14 * label.height))
        plate = _plate(width + 2 * rim, height + 2 * rim, radius + rim)
        _blend(image, plate, (x - rim, y - rim), label.edge, 1.0)
        _blend(image, _plate(width, height, radius), (x, y), label.plate, 1.0)
    else:
        _blend(image, _plate(width, height, radius), (x, y), label.plate, label.opacity)
    ink = contrast(label.plate)
    for i, line in enumerate(label.lines):
        mask, baseline = _mask(line, round(label.height, 1))
        base = y + (0.175 + 0.225 + i * 1.45 + 1.0) * label.height
        _blend(image, mask, (round(label.at[0] - mask.shape[1] / 2), round(base - baseline)), ink, 1.0)
