"""A made-up phone camera: where it stands, the light on the table, and what lens and file do to the picture."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Matrix = NDArray[np.float64]


@dataclass
class Camera:
    """Where the camera stands: table coordinates (tile widths) to pixels, and the picture's size."""

    homography: Matrix
    size: tuple[int, int]
    """Width and height in pixels."""
    up: Matrix = field(default_factory=lambda: np.zeros(3))
    """(3,) column for heights above the table, in tile widths, at the homography's scale."""


def apply(homography: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map (n, 2) points through a homography."""
    p = np.concatenate([points, np.ones((len(points), 1))], 1) @ homography.T
    return p[:, :2] / p[:, 2:]


def aim(outline: NDArray[np.float64], rng: np.random.Generator, long_side: float, harsh: float) -> Camera:
    """Point a camera at what lies within ``outline`` ((n, 2), table coordinates).

    ``harsh`` 0 to 1: how slanting, near and far the view may be.
    """
    ratio = float(rng.choice([0.75, 0.75, 0.5625, 1.0]))
    w, h = (long_side, long_side * ratio) if rng.random() < 0.6 else (long_side * ratio, long_side)
    yaw = (
        rng.uniform(0, 2 * np.pi) if rng.random() < 0.6 else rng.normal(0, 0.15) + rng.choice([0, 0.5, 1, 1.5]) * np.pi
    )
    tilt = np.radians(abs(rng.normal(0, 12 + 10 * harsh)) if rng.random() < 1 - 0.3 * harsh else rng.uniform(0, 52))
    tilt = min(tilt, np.radians(55))
    centre = (outline.min(0) + outline.max(0)) / 2
    reach = np.abs(outline - centre).max()
    distance = reach * rng.uniform(2.2, 5.0)
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    ct, st = np.cos(tilt), np.sin(tilt)
    lean = np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]])
    r = lean @ turn
    # plane point (x, y, 0) -> camera; z grows away from the camera
    m = np.column_stack([r[:, 0], r[:, 1], np.array([0, 0, distance])]) @ np.array(
        [[1, 0, -centre[0]], [0, 1, -centre[1]], [0, 0, 1]]
    )
    p = apply(m, outline)
    lo, hi = p.min(0), p.max(0)
    fill = rng.uniform(0.62, 1.0) if rng.random() < 0.9 - 0.15 * harsh else rng.uniform(0.35, 0.7)
    if rng.random() < 0.06 * harsh:
        fill = rng.uniform(1.0, 1.12)
    k = fill * min(w / (hi[0] - lo[0]), h / (hi[1] - lo[1]))
    room = np.array([w, h]) - k * (hi - lo)
    at = room / 2 + rng.uniform(-0.4, 0.4, 2) * np.abs(room) - k * lo
    lens = np.array([[k, 0, at[0]], [0, k, at[1]], [0, 0, 1]])
    homography = lens @ m
    # the camera looks along z, so that a height above the table takes z away
    return Camera(homography / homography[2, 2], (int(w), int(h)), lens @ -r[:, 2] / homography[2, 2])


def paint_table(texture: Image, cam: Camera) -> Image:
    """Return the picture of the bare table; ``texture`` is a (h, w, 3) square that repeats, 6 tile widths a side."""
    s = texture.shape[0]
    w, h = cam.size
    inverse = np.linalg.inv(cam.homography) * 1.0
    inverse = np.diag([s / 6.0, s / 6.0, 1.0]) @ inverse
    xs, ys = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    d = inverse[2, 0] * xs + inverse[2, 1] * ys + inverse[2, 2]
    d = np.where(np.abs(d) < 1e-6, 1e-6, d)
    mx = ((inverse[0, 0] * xs + inverse[0, 1] * ys + inverse[0, 2]) / d).astype(np.float32) % (s - 1)
    my = ((inverse[1, 0] * xs + inverse[1, 1] * ys + inverse[1, 2]) / d).astype(np.float32) % (s - 1)
    return np.asarray(cv2.remap(texture, mx, my, cv2.INTER_LINEAR), np.uint8)


def lay(image: Image, picture: Image, homography: Matrix) -> None:
    """Lay a BGRA picture on the table; ``homography`` maps its pixels to the image's."""
    h, w = picture.shape[:2]
    pts = apply(homography, np.array([[0, 0], [w, 0], [w, h], [0, h]], float))
    x0, y0 = np.maximum(np.floor(pts.min(0)).astype(int) - 1, 0)
    x1, y1 = np.minimum(np.ceil(pts.max(0)).astype(int) + 2, (image.shape[1], image.shape[0]))
    if x1 <= x0 or y1 <= y0:
        return
    m = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]], float) @ homography
    warped = cv2.warpPerspective(picture, m, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR)
    a = warped[..., 3:].astype(np.float32) / 255
    part = image[y0:y1, x0:x1]
    part[:] = (part * (1 - a) + warped[..., :3] * a + 0.5).astype(np.uint8)


def develop(image: Image, sheet: NDArray[np.float64], cam: Camera, rng: np.random.Generator, harsh: float) -> Image:
    """Light the scene and take the picture: shadows, glare, cast, blur, noise, compression. Returns BGR uint8."""
    h, w = image.shape[:2]
    f: NDArray[Any] = image.astype(np.float32) / 255
    small = (max(8, w // 8), max(8, h // 8))
    ys, xs = np.mgrid[0 : small[1], 0 : small[0]].astype(np.float32)
    xs, ys = xs / small[0], ys / small[1]
    light = np.ones((small[1], small[0]), np.float32)
    if rng.random() < 0.8:  # uneven light
        a, g = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.25 + 0.45 * harsh)
        light *= 1 + g * ((xs - 0.5) * np.cos(a) + (ys - 0.5) * np.sin(a))
    if rng.random() < 0.1 + 0.2 * harsh:  # a hard or soft shadow
        a, k = rng.uniform(0, 2 * np.pi), rng.uniform(-0.3, 0.3)
        edge = (xs - 0.5) * np.cos(a) + (ys - 0.5) * np.sin(a) - k
        edge = edge + 0.06 * np.sin(rng.uniform(3, 12) * (xs * np.sin(a) - ys * np.cos(a)))
        light *= 1 - (0.4 + 0.6 * harsh) * rng.uniform(0.2, 0.65) * np.clip(edge / rng.uniform(0.01, 0.12) + 0.5, 0, 1)
    if rng.random() < 0.4:  # vignette
        light *= 1 - rng.uniform(0.1, 0.5) * ((xs - 0.5) ** 2 + (ys - 0.5) ** 2)
    veil = np.zeros_like(light)
    if rng.random() < 0.15 + 0.45 * harsh:  # lamps in the glossy print
        for _ in range(int(rng.integers(1, 4))):
            c = apply(cam.homography, rng.uniform(sheet.min(0), sheet.max(0), (1, 2)))[0] / (w, h)
            sx, sy = rng.uniform(0.03, 0.30, 2)
            a = rng.uniform(0, np.pi)
            u, v = (xs - c[0]) * np.cos(a) + (ys - c[1]) * np.sin(a), -(xs - c[0]) * np.sin(a) + (ys - c[1]) * np.cos(a)
            veil = np.maximum(
                veil, rng.beta(1.3, 2.2) * (0.25 + 0.75 * harsh) * np.exp(-((u / sx) ** 2) - (v / sy) ** 2)
            )
    if rng.random() < 0.3:
        veil = np.maximum(veil, rng.uniform(0, 0.06 + 0.16 * harsh))

    def big(x: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(cv2.resize(x, (w, h), interpolation=cv2.INTER_LINEAR))[..., None]

    cast = np.array([rng.uniform(0.62, 1.12), rng.uniform(0.88, 1.06), rng.uniform(0.9, 1.18)], np.float32)
    if rng.random() < 0.3:
        cast = cast[::-1]
    if rng.random() < 0.4:
        cast = np.ones(3, np.float32)
    cast = 1 + (cast - 1) * np.float32(0.4 + 0.6 * harsh)
    f = f**2.0 * (big(light) * cast)
    if veil.max() > 0:
        v = big(veil)
        if rng.random() < 0.6:  # linen-embossed print
            n = rng.normal(0, 1, (h // 2 + 1, w // 2 + 1)).astype(np.float32)
            n = cv2.GaussianBlur(n, (0, 0), 0.8) * 1.6
            v = v * (1 + rng.uniform(0.1, 0.7) * cv2.resize(n, (w, h))[..., None])
        v = np.clip(v, 0, 0.98)
        f = f * (1 - v) + v * rng.uniform(0.7, 1.15) * (0.5 + 0.5 * cast)
    f *= np.exp(rng.normal(0, 0.12 + 0.16 * harsh))
    f = np.clip(f, 0, 1.0) ** (1 / rng.uniform(1.7, 2.3))
    if rng.random() < 0.4:
        grey = f.mean(2, keepdims=True)
        f = grey + (f - grey) * rng.uniform(0.65, 1.4)
    if rng.random() < 0.3:
        f = (f - 0.5) * rng.uniform(0.75, 1.3) + 0.5
    scale = w / 1000
    if rng.random() < 0.7:
        f = cv2.GaussianBlur(f, (0, 0), max(0.3, abs(rng.normal(0, 0.9)) * scale * (0.4 + 0.6 * harsh)))
    if rng.random() < 0.2:
        length = int(rng.integers(2, 3 + round(5 * harsh * scale)))
        kernel = np.zeros((length, length), np.float32)
        a = rng.uniform(0, np.pi)
        mid = (length - 1) / 2
        dx, dy = mid * np.cos(a), mid * np.sin(a)
        cv2.line(kernel, (round(mid - dx), round(mid - dy)), (round(mid + dx), round(mid + dy)), 1.0)
        f = np.asarray(cv2.filter2D(f, -1, kernel / max(kernel.sum(), 1)))
    sigma = abs(rng.normal(0, 0.02)) * (0.4 + 0.6 * harsh)
    if sigma > 0.002:
        noise = rng.integers(-128, 128, (h, w, 3), np.int8).astype(np.float32) * (sigma / 74)
        if rng.random() < 0.4:
            noise = np.asarray(cv2.GaussianBlur(noise, (0, 0), 0.9), np.float32) * 2
        f = f + noise
    if rng.random() < 0.35:
        f = f + (f - cv2.GaussianBlur(f, (0, 0), 1.2)) * rng.uniform(0.3, 1.2)
    out = np.clip(f * 255 + 0.5, 0, 255).astype(np.uint8)
    if rng.random() < 0.03 * harsh:  # somebody drew lines over the photo
        for _ in range(int(rng.integers(2, 12))):
            p = rng.uniform(0, 1, 4) * (w, h, w, h)
            colour = tuple(float(x) for x in rng.choice([0, 255], 3))
            cv2.line(out, (int(p[0]), int(p[1])), (int(p[2]), int(p[3])), colour, int(rng.integers(1, 4)))
    if rng.random() < 0.85:
        _done, data = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(55, 96))])
        out = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return out
