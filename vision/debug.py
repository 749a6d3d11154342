"""Draw what each stage of the reader saw, one picture a stage.

The reader leaves in ``Reading.stages`` what it is asked to keep; every key may be missing, and one that is not known
here is drawn by its shape. Places are (x, y) in pixels of the full-size upright photo.

=================  ====================================================================================
``marks``          ``heatmap``: rows x columns x kinds, 0 to 1; ``peaks``: places, N x 2 or more columns
``lattice``        one or several of: ``detections`` N x 2, ``inliers`` N (bool), ``points`` M x 2 (fitted)
``crops``          N x rows x columns x 3, BGR uint8, in the order of the boards' cells
``probabilities``  by name of the head: N x labels, 0 to 1
``seconds``        by name of the stage
=================  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.vision import ink
from boardsight.vision.ink import Colour, Label
from boardsight.vision.photo import Image, load
from boardsight.vision.reading import Fault, Reading

LONG_SIDE = 1600
"""Pixels of a picture's longer side at most."""
_KINDS: tuple[Colour, ...] = ((60, 60, 255), (80, 255, 80), (255, 140, 40), (40, 220, 255), (255, 80, 255))
_FOUND, _OUTLIER, _FITTED = (80, 255, 80), (60, 60, 255), (40, 220, 255)


def _fitted(image: Image, longest: int = LONG_SIDE) -> Image:
    """Return a picture that is no longer than that, small ones enlarged by a whole number without smoothing."""
    height, width = image.shape[:2]
    scale = longest / max(height, width)
    if scale >= 2:
        return np.repeat(np.repeat(image, int(scale), axis=0), int(scale), axis=1)
    if scale >= 1:
        return image.copy()
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _places(value: object) -> NDArray[np.float64]:
    """Return places as an N x 2 array, whatever form they come in."""
    try:
        found = np.asarray(value, float)
    except (TypeError, ValueError):
        return np.zeros((0, 2))
    if found.ndim != 2 or found.shape[1] < 2:
        return np.zeros((0, 2))
    return found[:, :2]


def _dots(image: Image, places: NDArray[np.float64], scale: float, colour: Colour, radius: float) -> None:
    for x, y in places:
        ink.ring(image, (float(x) * scale, float(y) * scale), radius, colour, 2)


def heat(values: NDArray[Any], under: Image | None = None) -> Image:
    """Return a map of values (rows x columns, or x kinds; 0 to 1), a colour for each kind, over a darkened picture."""
    maps = np.clip(np.nan_to_num(values.astype(np.float32)), 0, 1)
    maps = maps[..., None] if maps.ndim == 2 else maps
    if under is None:
        out = np.zeros((*maps.shape[:2], 3), np.float32)
    else:
        out = under.astype(np.float32) * 0.4
        size = (under.shape[1], under.shape[0])
        grown = cv2.resize(maps, size, interpolation=cv2.INTER_LINEAR).reshape(*under.shape[:2], -1)
        maps = np.asarray(grown, np.float32)
    for i in range(maps.shape[2]):
        share = maps[..., i : i + 1]
        out = out * (1 - share) + np.asarray(_KINDS[i % len(_KINDS)], np.float32) * share
    return out.astype(np.uint8)


def montage(crops: NDArray[np.uint8], captions: Sequence[str] = ()) -> Image:
    """Return crops (N x rows x columns x 3) side by side, each with its caption below."""
    count, height, width = crops.shape[:3]
    zoom = max(1, min(4, int(LONG_SIDE / max(1.0, ceil(sqrt(count)) * width))))
    columns = max(1, min(count, LONG_SIDE // (width * zoom + 6)))
    strip = 22 if captions else 0
    cell = (height * zoom + strip + 6, width * zoom + 6)
    rows = ceil(count / columns)
    out: Image = np.full((max(1, rows) * cell[0], columns * cell[1], 3), 40, np.uint8)
    for i in range(count):
        y, x = (i // columns) * cell[0] + 3, (i % columns) * cell[1] + 3
        big = np.repeat(np.repeat(crops[i], zoom, axis=0), zoom, axis=1)
        out[y : y + height * zoom, x : x + width * zoom] = big
        if i < len(captions):
            at = (x + width * zoom / 2, y + height * zoom + strip / 2)
            ink.write(out, Label((captions[i],), at, 10.0, opacity=0.0))
    return out


def table(columns: Mapping[str, NDArray[Any]], rows: Sequence[str]) -> Image:
    """Return probabilities as a table of squares, brighter for likelier: a row for each cell, a block for each head."""
    side, left, top = 16, 150, 24
    count = max((len(values) for values in columns.values()), default=0)
    gap = 14
    width = left + sum(values.shape[1] * side + gap for values in columns.values())
    out: Image = np.full((top + count * side + 6, max(width, left + 1), 3), 24, np.uint8)
    x = left
    for name, values in columns.items():
        ink.write(out, Label((name,), (x + values.shape[1] * side / 2, top / 2), 9.0, opacity=0.0))
        shades = np.clip(np.nan_to_num(values.astype(np.float64)), 0, 1)
        for i, j in np.ndindex(*shades.shape):
            level = float(shades[i, j])
            doubtful = 0.05 < level < 0.95
            colour = (0, int(60 + 120 * level), int(90 + 165 * level)) if doubtful else (int(30 + 215 * level),) * 3
            corner = (x + j * side, top + i * side)
            cv2.rectangle(out, corner, (corner[0] + side - 2, corner[1] + side - 2), colour, -1)
        x += values.shape[1] * side + gap
    for i, row in enumerate(rows[:count]):
        ink.write(out, Label((row,), (left / 2, top + (i + 0.5) * side - 1), 9.0, opacity=0.0))
    return out


def bars(seconds: Mapping[str, float]) -> Image:
    """Return a bar for each stage's share of the time."""
    step, left, length = 34, 220, 700
    total = sum(seconds.values()) or 1.0
    out: Image = np.full((step * (len(seconds) + 1), left + length + 160, 3), 24, np.uint8)
    for i, (name, value) in enumerate((*seconds.items(), ("total", total))):
        y = i * step
        cv2.rectangle(out, (left, y + 7), (left + max(1, int(length * value / total)), y + 26), (220, 150, 60), -1)
        ink.write(out, Label((name,), (left / 2, y + step / 2), 12.0, opacity=0.0))
        text = f"{1000 * value:.1f} ms"
        ink.write(out, Label((text,), (left + length + 80, y + step / 2), 12.0, opacity=0.0))
    return out


def _captions(reading: Reading) -> list[str]:
    return [f"{cell.cell} {cell.tile}" for board in reading.boards for cell in board.cells]


def _marks(value: Mapping[str, Any], photo: Image, scale: float) -> Image:
    heatmap = np.asarray(value.get("heatmap", np.zeros((1, 1))), float)
    out = heat(heatmap, photo) if heatmap.ndim in (2, 3) else photo.copy()
    _dots(out, _places(value.get("peaks", ())), scale, (255, 255, 255), 5)
    return out


def _lattice(value: object, photo: Image, scale: float) -> Image:
    out: Image = (photo * 0.6).astype(np.uint8)
    parts: Iterable[Any] = (value,) if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    for part in parts:
        if not isinstance(part, Mapping):
            continue
        found = _places(part.get("detections", ()))
        inliers = np.asarray(part.get("inliers", np.ones(len(found))), bool).ravel()
        inliers = inliers if len(inliers) == len(found) else np.ones(len(found), bool)
        _dots(out, found[inliers], scale, _FOUND, 7)
        _dots(out, found[~inliers], scale, _OUTLIER, 7)
        for x, y in _places(part.get("points", ())) * scale:
            arm = 6
            ink.stroke(out, (x - arm, y), (x + arm, y), _FITTED, 2)
            ink.stroke(out, (x, y - arm), (x, y + arm), _FITTED, 2)
    return out


def _by_shape(value: object) -> Image | None:
    """Return a picture of something that is not known by its name, or None."""
    if isinstance(value, Mapping):
        numbers = {str(k): float(v) for k, v in value.items() if isinstance(v, (int, float))}
        if numbers and len(numbers) == len(value):
            return bars(numbers)
        tables = {str(k): np.asarray(v) for k, v in value.items() if isinstance(v, np.ndarray) and v.ndim == 2}
        return table(tables, ()) if tables else None
    if not isinstance(value, np.ndarray) or value.size == 0:
        return None
    if value.ndim == 4 and value.shape[3] == 3 and value.dtype == np.uint8:
        return montage(value)
    if value.ndim == 3 and value.shape[2] == 3 and value.dtype == np.uint8:
        return value
    return heat(value) if value.ndim in (2, 3) else None


def _draw(key: str, value: object, reading: Reading, photo: Image | None, scale: float) -> Image | None:
    if key == "marks" and isinstance(value, Mapping) and photo is not None:
        return _marks(value, photo, scale)
    if key == "lattice" and photo is not None:
        return _lattice(value, photo, scale)
    if key == "crops" and isinstance(value, np.ndarray) and value.ndim == 4 and value.size:
        captions = _captions(reading)
        return montage(value, captions if len(captions) == len(value) else ())
    if key == "probabilities" and isinstance(value, Mapping):
        tables = {str(k): np.asarray(v) for k, v in value.items() if np.asarray(v).ndim == 2}
        return table(tables, _captions(reading)) if tables else None
    return _by_shape(value)


def stage_pictures(reading: Reading, photo: Image | None = None) -> Iterator[tuple[str, Image]]:
    """Yield a name and a picture (BGR uint8) for each stage that the reading has kept, in the order of the stages.

    `photo` is the upright photo at any scale; it is loaded again where it is not given.
    """
    if photo is None and reading.stages:
        found = load(reading.photo)
        photo = None if isinstance(found, Fault) else found.image
    scale = 1.0
    if photo is not None:
        photo = _fitted(photo)
        scale = photo.shape[1] / (reading.size[0] or photo.shape[1])
    number = 0
    for key, value in reading.stages.items():
        picture = _draw(key, value, reading, photo, scale)
        if picture is not None:
            number += 1
            yield f"{number}-{key}", _fitted(picture)


def write_stages(reading: Reading, folder: Path) -> tuple[Path, ...]:
    """Write a picture of each stage into a folder, which is made, and return their paths.

    Raises OSError where the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, picture in stage_pictures(reading):
        path = folder / f"{name}.jpg"
        path.write_bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes())
        paths.append(path)
    return tuple(paths)
