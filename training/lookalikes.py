"""Flat things that lie on a table and could be taken for pieces: dominoes, counters, cards, buttons, notes, keypads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training import camera, fonts
from boardsight.training.solid import View, frame_on
from boardsight.training.symbols import Image, hsv

Floats = NDArray[np.float64]
Picture = tuple[Image, list[tuple[float, float, float]]]
"""A picture (h, w, 4), and what in it could be taken for a piece: x, y and size in its pixels."""
UNIT = 60.0
"""Pixels of a picture a side of a die."""


def any_colour(rng: np.random.Generator) -> tuple[float, float, float]:
    """Return a colour by chance."""
    return hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.05, 1))


def _write(picture: Image, text: str, x: float, y: float, height: float, ink: object, face: fonts.Typeface) -> None:
    """Write a text in the middle of a place."""
    mask, _ = face.mask(text, height)
    h, w = mask.shape
    x0, y0 = round(x - w / 2), round(y - h / 2)
    if x0 < 0 or y0 < 0 or x0 + w > picture.shape[1] or y0 + h > picture.shape[0]:
        return
    part = picture[y0 : y0 + h, x0 : x0 + w, :3]
    part[:] = (part * (1 - mask[..., None]) + np.array(ink)[:3] * mask[..., None]).astype(np.uint8)


def _sheet(rng: np.random.Generator, w: int, h: int) -> Image:
    picture = np.empty((h, w, 4), np.uint8)
    picture[:] = (*any_colour(rng), 255)
    return picture


def _domino(rng: np.random.Generator, face: fonts.Typeface) -> Picture:
    w, h = 60, 120
    picture, ink = _sheet(rng, w, h), (*any_colour(rng), 255)
    cv2.line(picture, (4, h // 2), (w - 4, h // 2), ink, 2)
    for y0 in (0, h // 2):
        for k in rng.permutation(9)[: int(rng.integers(0, 7))]:
            spot = (w * (1 + int(k) % 3) // 4, y0 + h // 2 * (1 + int(k) // 3) // 4)
            cv2.circle(picture, spot, 5, ink, -1, cv2.LINE_AA)
    return picture, [(30.0, 30.0, 56.0), (30.0, 90.0, 56.0)]


def _counter(rng: np.random.Generator, face: fonts.Typeface) -> Picture:
    s = int(rng.integers(50, 110))
    picture = np.zeros((s, s, 4), np.uint8)
    tone, ink = (*any_colour(rng), 255), (*any_colour(rng), 255)
    if rng.random() < 0.7:
        cv2.circle(picture, (s // 2, s // 2), s // 2 - 2, tone, -1, cv2.LINE_AA)
    else:
        picture[2:-2, 2:-2] = tone
    if rng.random() < 0.5:
        cv2.circle(picture, (s // 2, s // 2), int(s * 0.4), ink, max(1, s // 30), cv2.LINE_AA)
    text = str(rng.integers(1, 10)) if rng.random() < 0.4 else str(rng.integers(10, 200))
    _write(picture, text, s / 2, s / 2, s * rng.uniform(0.3, 0.5), ink, face)
    return picture, [(s / 2, s / 2, 0.8 * s)]


def _button(rng: np.random.Generator, face: fonts.Typeface) -> Picture:
    picture = np.zeros((80, 80, 4), np.uint8)
    ink = (*any_colour(rng), 255)
    cv2.circle(picture, (40, 40), 38, (*any_colour(rng), 255), -1, cv2.LINE_AA)
    for dx, dy in ((-9, -9), (9, 9), (9, -9), (-9, 9))[: int(rng.choice([2, 4]))]:
        cv2.circle(picture, (40 + dx, 40 + dy), 5, ink, -1, cv2.LINE_AA)
    return picture, [(40.0, 40.0, 60.0)]


def _card(rng: np.random.Generator, face: fonts.Typeface) -> Picture:
    w, h = 150, 220
    picture, ink = _sheet(rng, w, h), any_colour(rng)
    text = str(rng.integers(1, 99))
    for x, y, size in ((26, 26, 22), (w - 26, 26, 22), (26, h - 26, 22), (w - 26, h - 26, 22), (75, 110, 60)):
        _write(picture, text, x, y, size, ink, face)
    return picture, [(75.0, 110.0, 80.0), (26.0, 26.0, 40.0)]


def _note(rng: np.random.Generator, face: fonts.Typeface) -> Picture:
    picture, ink = _sheet(rng, 240, 180), any_colour(rng)
    for y in range(24, 170, 26):
        _write(picture, "".join(rng.choice(list("123456 ="), 9)), 120, y, 17, ink, face)
    return picture, [(float(rng.uniform(40, 200)), float(rng.uniform(40, 140)), 36.0)]


def _keypad(rng: np.random.Generator, face: fonts.Typeface) -> Picture:
    columns, rows, pitch = int(rng.integers(3, 6)), int(rng.integers(3, 7)), int(rng.integers(34, 60))
    w, h = columns * pitch + 20, rows * pitch + int(rng.uniform(0.3, 2.2) * pitch) + 20
    picture = _sheet(rng, w, h)
    tones = [(*any_colour(rng), 255) for _ in range(3)]
    inks = [(*any_colour(rng), 255) for _ in range(2)]
    round_keys, size, rounded = rng.random() < 0.5, rng.uniform(0.35, 0.46) * pitch, rng.random() < 0.5
    found = []
    for i in range(columns):
        for j in range(rows):
            x, y = 10 + (i + 0.5) * pitch, h - 10 - (j + 0.5) * pitch
            tone = tones[1 if i == columns - 1 else 2 if j == 0 and rng.random() < 0.3 else 0]
            if round_keys:
                cv2.circle(picture, (int(x), int(y)), int(size), tone, -1, cv2.LINE_AA)
            else:
                a, b = (int(x - size), int(y - size)), (int(x + size), int(y + size))
                cv2.rectangle(picture, a, b, tone, -1)
                if rounded:
                    cv2.rectangle(picture, a, b, tone, max(1, int(0.2 * size)), cv2.LINE_AA)
            text = str(rng.integers(0, 10)) if rng.random() < 0.75 else str(rng.choice(list("+-=%C()")))
            _write(picture, text, x, y, size * rng.uniform(0.8, 1.1), inks[i == columns - 1], face)
            found.append((x, y, 1.7 * size))
    if h > rows * pitch + pitch + 20:
        _write(picture, str(rng.integers(1, 9999)), w / 2, 0.7 * pitch, 0.6 * pitch, inks[0], face)
    return picture, [found[i] for i in rng.permutation(len(found))[:3]]


_DRAWN: Mapping[str, Callable[[np.random.Generator, fonts.Typeface], Picture]] = {
    "domino": _domino,
    "counter": _counter,
    "button": _button,
    "card": _card,
    "note": _note,
    "keypad": _keypad,
}


def lay_flat(
    rng: np.random.Generator, split: str, image: Image, view: View, reach: tuple[float, float]
) -> list[tuple[Floats, Floats]]:
    """Lay something flat onto a picture; ``reach`` is how far from the middle, in sides of a die, at least and at most.

    Returns the places (2,) and frames (2, 2) in pixels of what could be taken for a piece.
    """
    kind = str(rng.choice(["domino", "counter", "counter", "counter", "card", "button", "note", "keypad", "keypad"]))
    face = fonts.Typeface(str(rng.choice(fonts.TRAIN if split == "train" else fonts.VALIDATE)), rng)
    picture, spots = _DRAWN[kind](rng, face)
    h, w = picture.shape[:2]
    for _ in range(6):
        a, turn = rng.uniform(0, 6.3), rng.uniform(0, 6.3)
        at = np.array([np.cos(a), np.sin(a)]) * rng.uniform(*reach)
        p = view(np.array([[*at, 0.0]]))[0]
        if (p < 0).any() or (p > view.size).any():
            continue
        size = rng.uniform(0.6, 1.5) / UNIT
        c, s = np.cos(turn), np.sin(turn)
        place = np.array([[c * size, -s * size, at[0]], [s * size, c * size, at[1]], [0, 0, 1]])
        place = place @ np.array([[1, 0, -w / 2], [0, 1, -h / 2], [0, 0, 1]])
        camera.lay(image, picture, view.flat.homography @ place)
        right, down = np.array([c, s, 0.0]), np.array([-s, c, 0.0])
        seen = []
        for x, y, side in spots:
            centre = np.array([*(place @ (x, y, 1.0))[:2], 0.0])
            spot, frame = frame_on(view, centre, right, down)
            if (spot > 0).all() and (spot < view.size).all():
                seen.append((spot, frame * side * size))
        return seen
    return []
