"""Ways to draw the small heads on cards."""

from __future__ import annotations

import cv2
import numpy as np

from boardsight.training.symbols import Colour, Image, fixed, poly

HEAD_KINDS = {
    "train": ("shield", "round", "horns", "silhouette", "square", "bull"),
    "validate": ("bucket", "moon"),
}
"""Ways to draw a head; none is in both splits."""


def draw_head(
    image: Image,
    kind: str,
    at: tuple[float, float],
    size: float,
    colour: Colour,
    horn: Colour,
    spot: bool,
) -> None:
    """Draw one head about ``size`` pixels across at a pixel (x, y); ``spot`` puts a dark spot in its middle."""
    r = size / 2
    dark = tuple(np.array(colour) * 0.45)
    c = np.array(at, float)

    def shape(points: list[tuple[float, float]], tone: Colour) -> None:
        poly(image, c + r * np.array(points), tone)

    if kind in ("shield", "bucket", "bull"):
        tone = horn if kind != "bull" else colour
        for s in (-1, 1):
            shape([(s * 0.4, -0.5), (s * 0.95, -0.95), (s * 1.05, -0.7), (s * 0.55, -0.1)], tone)
    if kind == "shield":
        shape([(-0.6, -0.6), (0.6, -0.6), (0.45, 0.4), (0.0, 0.95), (-0.45, 0.4)], colour)
    elif kind == "bucket":
        shape([(-0.65, -0.75), (0.65, -0.75), (0.42, 0.85), (-0.42, 0.85)], colour)
        cv2.circle(
            image,
            fixed(c + (0, 0.6 * r)),
            round(r * 0.45 * 16),
            tuple(np.array(colour) * 0.8 + 40),
            -1,
            cv2.LINE_AA,
            4,
        )
    elif kind == "round":
        for s in (-1, 1):
            cv2.circle(image, fixed(c + (s * 0.7 * r, -0.6 * r)), round(r * 0.3 * 16), dark, -1, cv2.LINE_AA, 4)
        cv2.circle(image, fixed(c), round(r * 0.75 * 16), colour, -1, cv2.LINE_AA, 4)
    elif kind == "horns":
        shape(
            [
                (-1.0, -0.9),
                (-0.55, -0.35),
                (0.55, -0.35),
                (1.0, -0.9),
                (0.7, 0.0),
                (0.3, 0.9),
                (-0.3, 0.9),
                (-0.7, 0.0),
            ],
            colour,
        )
    elif kind == "silhouette":
        cv2.ellipse(
            image,
            fixed(c + (0, 0.1 * r)),
            (round(r * 0.5 * 16), round(r * 0.8 * 16)),
            0,
            0,
            360,
            colour,
            -1,
            cv2.LINE_AA,
            4,
        )
        cv2.ellipse(
            image,
            fixed(c - (0, 0.7 * r)),
            (round(r * 0.9 * 16), round(r * 0.5 * 16)),
            0,
            0,
            180,
            colour,
            max(1, round(r * 0.22)),
            cv2.LINE_AA,
            4,
        )
    elif kind == "square":
        shape([(-0.75, -0.75), (0.75, -0.75), (0.75, 0.75), (-0.75, 0.75)], colour)
        for s in (-1, 1):
            cv2.circle(
                image,
                fixed(c + (s * 0.35 * r, -0.2 * r)),
                max(8, round(r * 0.15 * 16)),
                (245, 245, 245),
                -1,
                cv2.LINE_AA,
                4,
            )
    elif kind == "bull":
        cv2.ellipse(
            image, fixed(c), (round(r * 0.62 * 16), round(r * 0.75 * 16)), 0, 0, 360, colour, -1, cv2.LINE_AA, 4
        )
        cv2.ellipse(
            image,
            fixed(c + (0, 0.5 * r)),
            (round(r * 0.45 * 16), round(r * 0.3 * 16)),
            0,
            0,
            360,
            dark,
            -1,
            cv2.LINE_AA,
            4,
        )
    elif kind == "moon":
        cv2.circle(image, fixed(c), round(r * 0.7 * 16), colour, -1, cv2.LINE_AA, 4)
        cv2.ellipse(
            image,
            fixed(c - (0, 0.55 * r)),
            (round(r * 0.95 * 16), round(r * 0.6 * 16)),
            0,
            20,
            160,
            dark,
            max(1, round(r * 0.25)),
            cv2.LINE_AA,
            4,
        )
    if spot and size > 7:
        cv2.circle(image, fixed(c), max(8, round(r * 0.14 * 16)), dark, -1, cv2.LINE_AA, 4)
