"""What else is in a picture: tables, board art, other games, phones, cups, spaceships."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training.camera import Camera, apply
from boardsight.training.edition import Edition, shade
from boardsight.training.symbols import Image, hsv, shape_corners

Points = NDArray[np.float64]


def table(rng: np.random.Generator, split: str) -> Image:
    """Return a (384, 384, 3) table texture."""
    s = 384
    a = np.array(hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.04, 0.95)), np.float32)
    b = np.clip(a * rng.uniform(0.4, 1.5) + rng.uniform(-40, 40, 3), 0, 255).astype(np.float32)
    kinds = ("plain", "wood", "check", "dots", "carpet") if split == "train" else ("plain", "wood", "stripes", "stone")
    kind = str(rng.choice(kinds))
    ys, xs = np.mgrid[0:s, 0:s].astype(np.float32) / s
    if kind == "wood":
        n = cv2.resize(rng.normal(0, 1, (24, 3)).astype(np.float32), (s, s), interpolation=cv2.INTER_CUBIC)
        m = 0.5 + 0.5 * np.sin(2 * np.pi * (ys * rng.uniform(3, 14) + 0.3 * n))
        a = np.array(hsv(rng.uniform(12, 38), rng.uniform(0.2, 0.75), rng.uniform(0.25, 0.9)), np.float32)
        b = a * rng.uniform(0.6, 0.9)
    elif kind in ("check", "stripes"):
        k = int(rng.integers(2, 8))
        m = ((xs * k).astype(int) % 2 + (0 if kind == "stripes" else 1) * ((ys * k).astype(int) % 2)) / (
            2 if kind == "check" else 1
        )
        m = m.astype(np.float32)
    elif kind == "dots":
        m = np.zeros((s, s), np.float32)
        out = np.empty((s, s, 3), np.float32)
        out[:] = a
        for _ in range(int(rng.integers(5, 60))):
            c = tuple(int(v) for v in rng.integers(0, s, 2))
            cv2.circle(
                out,
                c,
                int(rng.integers(3, 28)),
                hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.2, 1)),
                -1,
                cv2.LINE_AA,
            )
        return np.clip(out + rng.normal(0, 4, (s, s, 1)), 0, 255).astype(np.uint8)
    else:
        grain = 1 if kind == "carpet" else int(rng.integers(2, 12))
        m = np.clip(cv2.resize(rng.normal(0.5, 0.3, (s // grain, s // grain)).astype(np.float32), (s, s)), 0, 1)
        if kind == "plain":
            m *= rng.uniform(0, 0.4)
    out = a * (1 - m[..., None]) + b * m[..., None]
    return np.clip(out + rng.normal(0, rng.uniform(0, 8), (s, s, 1)), 0, 255).astype(np.uint8)


def board_art(image: Image, rng: np.random.Generator, edition: Edition, pitch: int) -> None:
    """Draw what a publisher prints on a board round the spaces."""
    h, w = image.shape[:2]
    if rng.random() < 0.5:
        for _ in range(int(rng.integers(5, 90))):
            cv2.circle(
                image,
                (int(rng.integers(w)), int(rng.integers(h))),
                int(rng.integers(1, 3)),
                (240, 240, 240),
                -1,
                cv2.LINE_AA,
            )
    if rng.random() < 0.4:
        for _ in range(int(rng.integers(2, 14))):
            p = rng.uniform(0, 1, 4) * (w, h, w, h)
            cv2.line(
                image,
                (int(p[0]), int(p[1])),
                (int(p[2]), int(p[3])),
                hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.2, 1)),
                int(rng.integers(1, max(2, pitch // 12))),
                cv2.LINE_AA,
            )
    if rng.random() < 0.4:
        for _ in range(int(rng.integers(1, 5))):
            cv2.circle(
                image,
                (int(rng.integers(w)), int(rng.integers(h))),
                int(rng.uniform(0.3, 2) * pitch),
                hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.1, 0.9)),
                -1,
                cv2.LINE_AA,
            )
    if rng.random() < 0.7:  # bars along the edges
        t = int(rng.uniform(0.06, 0.2) * pitch)
        for x0, y0, x1, y1 in (
            (2 * t, t, w - 2 * t, 2 * t),
            (2 * t, h - 2 * t, w - 2 * t, h - t),
            (t, 2 * t, 2 * t, h - 2 * t),
            (w - 2 * t, 2 * t, w - t, h - 2 * t),
        ):
            if rng.random() < 0.8:
                cut = rng.uniform(0, 0.4)
                x1, y1 = (x1 - int(cut * w), y1) if x1 - x0 > y1 - y0 else (x1, y1 - int(cut * h))
                cv2.rectangle(
                    image, (x0, y0), (x1, y1), hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.4, 1)), -1
                )
    words = ["TAKE IT", "EASY!", "to the LIMIT!", "HIGHER!", "NEXUS", "Scrap Yard", "A", "B", "C", "1 2 3"]
    for _ in range(int(rng.integers(0, 5))):
        mask, _fat = edition.face2.mask(str(rng.choice(words)), rng.uniform(0.15, 0.5) * pitch)
        if rng.random() < 0.3:
            mask = np.ascontiguousarray(np.rot90(mask, int(rng.integers(1, 4))))
        mh, mw = mask.shape
        if mh < h and mw < w:
            x = int(rng.integers(0, w - mw)) if rng.random() < 0.5 else int(rng.choice([0, max(0, w - mw - 4)]))
            y = int(rng.choice([4, max(0, h - mh - 4)])) if rng.random() < 0.8 else int(rng.integers(0, h - mh))
            part = image[y : y + mh, x : x + mw]
            part[:] = (
                part * (1 - mask[..., None])
                + np.array(hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.4, 1))) * mask[..., None]
            ).astype(np.uint8)


def launch_pad(image: Image, rng: np.random.Generator, edition: Edition, pitch: int) -> None:
    """Draw the launch pad: eleven round buttons down the left side."""
    h = image.shape[0]
    names = ["yellow", "grey", "red", "blue", "purple", "green", "pink", "yellow", "orange", "white", "black"]
    x, r = int(rng.uniform(0.55, 0.9) * pitch), rng.uniform(0.14, 0.24) * pitch
    y0, y1 = rng.uniform(0.06, 0.15) * h, rng.uniform(0.8, 0.94) * h
    tone = hsv(0, 0, rng.uniform(0.05, 0.8))
    cv2.rectangle(image, (int(x - 1.6 * r), int(y0 - 1.6 * r)), (int(x + 1.6 * r), int(y1 + 1.6 * r)), tone, -1)
    for k, name in enumerate(names):
        c = (x, int(y0 + (y1 - y0) * k / 10))
        cv2.circle(image, c, int(r), shade(name, rng), -1, cv2.LINE_AA)
        mask, _fat = edition.face.mask(str(200 - 20 * k), 0.55 * r)
        mh, mw = mask.shape
        px, py = c[0] - mw // 2, c[1] - mh // 2
        part = image[max(0, py) : py + mh, max(0, px) : px + mw]
        m = mask[: part.shape[0], : part.shape[1], None]
        part[:] = (part * (1 - m)).astype(np.uint8)


def pipes(image: Image, centres: Points, origin: tuple[float, float], pitch: int, rng: np.random.Generator) -> None:
    """Draw what shows in the square gaps between octagons: pipes along the diagonals."""
    tone = hsv(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.05, 0.5))
    width = max(1, int(rng.uniform(0.08, 0.2) * pitch))
    for c in centres:
        x, y = c * pitch + origin
        for sx, sy in ((0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)):
            g = (int(x + sx * pitch), int(y + sy * pitch))
            d = int(0.21 * pitch)
            cv2.line(image, (g[0] - d, g[1] - d), (g[0] + d, g[1] + d), tone, width)
            cv2.line(image, (g[0] - d, g[1] + d), (g[0] + d, g[1] - d), tone, width)


def flower(
    image: Image, c: Points, r: float, colours: tuple[tuple[float, float, float], ...], petals: int, turn: float
) -> None:
    """Draw an orchid of radius ``r`` pixels."""
    for k in range(petals):
        a = turn + 2 * np.pi * k / petals
        p = (int(c[0] + 0.55 * r * np.cos(a)), int(c[1] + 0.55 * r * np.sin(a)))
        cv2.ellipse(image, p, (int(0.5 * r), int(0.36 * r)), np.degrees(a), 0, 360, colours[0], -1, cv2.LINE_AA)
        cv2.ellipse(
            image,
            p,
            (int(0.5 * r), int(0.36 * r)),
            np.degrees(a),
            0,
            360,
            tuple(0.6 * np.array(colours[0])),
            1,
            cv2.LINE_AA,
        )
    cv2.circle(image, (int(c[0]), int(c[1])), int(0.2 * r), colours[1], -1, cv2.LINE_AA)


def scatter(image: Image, cam: Camera, outline: Points, rng: np.random.Generator) -> None:
    """Put phones, cups, coins, pencils and paper beside what lies within ``outline`` (table coordinates)."""
    hull = cv2.convexHull(apply(cam.homography, outline).astype(np.float32))
    h, w = image.shape[:2]
    unit = np.sqrt(max(1.0, cv2.contourArea(hull))) / 8
    for _ in range(int(rng.choice([0, 1, 2, 4]))):
        p = rng.uniform(-0.05, 1.05, 2) * (w, h)
        kind = str(rng.choice(["coin", "cup", "pencil", "paper", "phone"]))
        reach = {"coin": 0.5, "cup": 1.0, "pencil": 2.2, "paper": 2.2, "phone": 2.2}[kind] * unit
        if cv2.pointPolygonTest(hull, (float(p[0]), float(p[1])), True) > -reach:
            continue
        c = (int(p[0]), int(p[1]))
        colour = hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.05, 1))
        angle = rng.uniform(0, 180)
        if kind == "coin":
            cv2.circle(image, c, int(unit * rng.uniform(0.25, 0.5)), colour, -1, cv2.LINE_AA)
        elif kind == "cup":
            cv2.circle(image, c, int(unit), colour, -1, cv2.LINE_AA)
            cv2.circle(image, c, int(unit * 0.85), (20, 25, 40), -1, cv2.LINE_AA)
        else:
            size = {"pencil": (4 * unit, 0.2 * unit), "paper": (4 * unit, 2.6 * unit), "phone": (4 * unit, 2 * unit)}[
                kind
            ]
            box = cv2.boxPoints((tuple(p), size, angle))
            cv2.fillPoly(image, [box.astype(np.int32)], (235, 235, 235) if kind == "paper" else colour, cv2.LINE_AA)
            if kind == "phone":
                for i in range(12):
                    a = np.radians(angle)
                    q = p + unit * (
                        (i % 4 - 1.5) * 0.8 * np.array([np.cos(a), np.sin(a)])
                        + (i // 4 - 1) * 0.5 * np.array([-np.sin(a), np.cos(a)])
                    )
                    cv2.circle(
                        image, (int(q[0]), int(q[1])), int(0.2 * unit), hsv(0, 0, rng.uniform(0.2, 1)), -1, cv2.LINE_AA
                    )


def ships(image: Image, homography: NDArray[np.float64], centres: Points, rng: np.random.Generator) -> None:
    """Stand small plastic ships on some tiles, leaning away from the camera's foot."""
    up = np.array([rng.normal(0, 0.25), -1.0])
    for i in rng.permutation(len(centres))[: int(rng.integers(1, 9))]:
        for _ in range(1 if rng.random() < 0.75 else 2):
            p = apply(homography, (centres[i] + rng.uniform(-0.28, 0.28, 2))[None])[0]
            q = apply(homography, (centres[i] + np.array([0.5, 0]))[None])[0]
            r = np.hypot(*(q - p)) * rng.uniform(0.18, 0.34)
            tall = r * rng.uniform(0.3, 2.4)
            colour = np.array(hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.1, 1)))
            tip = p + up * tall
            n = np.array([-up[1], up[0]])
            cv2.ellipse(
                image,
                (int(p[0]), int(p[1])),
                (max(1, int(r * 1.1)), max(1, int(r * 0.8))),
                0,
                0,
                360,
                tuple(colour * 0.5),
                -1,
                cv2.LINE_AA,
            )
            top = rng.uniform(0.1, 0.9)
            body = np.array([p - n * r, p + n * r, tip + n * r * top, tip - n * r * top])
            cv2.fillPoly(image, [body.astype(np.int32)], tuple(colour * 0.8), cv2.LINE_AA)
            cv2.circle(image, (int(tip[0]), int(tip[1])), max(1, int(r * top)), tuple(colour), -1, cv2.LINE_AA)


def other_board(rng: np.random.Generator, pitch: int) -> Image:
    """Return another game's board, BGRA: landscape hexes with tokens, squares, cards or dots."""
    kind = str(rng.choice(["hexes", "hexes", "squares", "cards", "octagons", "dots"]))
    s = 8 * pitch
    image = np.empty((s, s, 3), np.uint8)
    image[:] = hsv(rng.uniform(0, 360), rng.uniform(0, 0.8), rng.uniform(0.1, 0.95))
    c0 = np.array([s / 2, s / 2])
    if kind in ("hexes", "octagons"):
        hexes = kind == "hexes"
        corners = np.array(shape_corners("hexagon" if hexes else "octagon"))
        k = int(rng.integers(1, 4))
        palette = [hsv(rng.uniform(0, 360), rng.uniform(0.1, 0.9), rng.uniform(0.2, 0.95)) for _ in range(6)]
        line = hsv(rng.uniform(20, 60), rng.uniform(0, 0.5), rng.uniform(0, 1))
        for q in range(-k, k + 1):
            for r in range(-k, k + 1):
                if hexes and abs(q + r) > k:
                    continue
                xy = np.array([q * 3**0.5 / 2, r + q / 2]) if hexes else np.array([q, r])
                c = c0 + xy * pitch
                pts = (corners * pitch + c).astype(np.int32)
                tone = palette[int(rng.integers(6))]
                cv2.fillPoly(image, [pts], tone, cv2.LINE_AA)
                for _ in range(int(rng.integers(0, 25))):
                    d = c + rng.normal(0, 0.2, 2) * pitch
                    cv2.circle(
                        image,
                        (int(d[0]), int(d[1])),
                        int(rng.uniform(0.02, 0.09) * pitch) + 1,
                        tuple(np.clip(np.array(tone) * rng.uniform(0.5, 1.4), 0, 255)),
                        -1,
                        cv2.LINE_AA,
                    )
                cv2.polylines(image, [pts], True, line, max(1, int(rng.uniform(0.02, 0.1) * pitch)), cv2.LINE_AA)
                if rng.random() < 0.75:
                    token = c + rng.normal(0, 0.06, 2) * pitch
                    cv2.circle(
                        image, (int(token[0]), int(token[1])), int(0.2 * pitch), hsv(45, 0.2, 0.92), -1, cv2.LINE_AA
                    )
                    cv2.putText(
                        image,
                        str(rng.integers(2, 13)),
                        (int(token[0] - 0.14 * pitch), int(token[1] + 0.1 * pitch)),
                        0,
                        pitch / 100,
                        (20, 20, 20) if rng.random() < 0.7 else (30, 30, 200),
                        1 + pitch // 50,
                        cv2.LINE_AA,
                    )
    elif kind == "squares":
        n = int(rng.integers(6, 15))
        a, b = (
            hsv(rng.uniform(0, 360), rng.uniform(0, 0.8), rng.uniform(0.1, 0.9)),
            hsv(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.3, 1)),
        )
        colours = [a, b, hsv(rng.uniform(0, 360), 0.7, 0.8), hsv(rng.uniform(0, 360), 0.7, 0.8)]
        d = s / (n + 1)
        for i in range(n):
            for j in range(n):
                tone = colours[(i + j) % 2] if rng.random() < 0.85 else colours[int(rng.integers(4))]
                p = np.array([(i + 0.5) * d, (j + 0.5) * d])
                cv2.rectangle(image, (int(p[0]), int(p[1])), (int(p[0] + d - 1), int(p[1] + d - 1)), tone, -1)
                if rng.random() < 0.2:
                    cv2.circle(
                        image,
                        (int(p[0] + d / 2), int(p[1] + d / 2)),
                        int(d * 0.35),
                        colours[int(rng.integers(4))],
                        -1,
                        cv2.LINE_AA,
                    )
    elif kind == "cards":
        for _ in range(int(rng.integers(6, 25))):
            box = cv2.boxPoints((tuple(rng.uniform(0.1, 0.9, 2) * s), (1.2 * pitch, 1.8 * pitch), rng.uniform(0, 90)))
            cv2.fillPoly(image, [box.astype(np.int32)], (240, 240, 240), cv2.LINE_AA)
            cv2.putText(
                image,
                str(rng.integers(1, 99)),
                tuple(int(v) for v in box.mean(0) - 10),
                0,
                pitch / 60,
                hsv(rng.uniform(0, 360), 1, 0.7),
                2,
                cv2.LINE_AA,
            )
    else:
        for _ in range(int(rng.integers(10, 80))):
            cv2.circle(
                image,
                tuple(int(v) for v in rng.integers(0, s, 2)),
                int(rng.uniform(0.1, 0.6) * pitch),
                hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.1, 1)),
                -1,
                cv2.LINE_AA,
            )
    return np.dstack([image, np.full((s, s), 255, np.uint8)])
