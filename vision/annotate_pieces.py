"""Draw on a photo which loose pieces were read in it: each with its outline and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

import cv2
import numpy as np

from boardsight.vision import ink
from boardsight.vision.annotate import PALETTE, Player, Style, totals
from boardsight.vision.ink import Label, Spot
from boardsight.vision.photo import Image
from boardsight.vision.reading import PieceReading, Reading

PLAIN = Style()
SIZE = 70.0
"""Pixels that a piece should have; a small photo is enlarged to that as far as the style lets it."""


def _width(piece: PieceReading) -> float:
    """Return the longer side of a piece's outline in pixels of the full photo."""
    corners = piece.outline
    sides = [hypot(a[0] - b[0], a[1] - b[1]) for a, b in zip(corners, corners[1:], strict=False)]
    return max([*sides, 1.0])


def annotate_pieces(image: Image, reading: Reading, players: Sequence[Player], style: Style = PLAIN) -> Image:
    """Return a picture of the loose pieces with outlines and readings; doubtful ones are circled with both readings.

    ``image`` is the upright photo at any scale (height x width x 3, BGR uint8; it is not changed); the reading is in
    pixels of the full-size photo.
    """
    height, width = image.shape[:2]
    given = width / (reading.size[0] or width)
    widest = max((_width(piece) for piece in reading.pieces), default=1.0)
    left, top, right, bottom = 0.0, 0.0, width / given, height / given
    if reading.pieces and style.margin >= 0:
        xs, ys = zip(*(piece.centre for piece in reading.pieces), strict=True)
        reach = 2 * style.margin * widest
        left, right = max(left, min(xs) - reach), min(right, max(xs) + reach)
        top, bottom = max(top, min(ys) - reach), min(bottom, max(ys) + reach)
    x0, y0 = min(int(left * given), width - 1), min(int(top * given), height - 1)
    part = image[y0 : max(y0 + 1, int(bottom * given)), x0 : max(x0 + 1, int(right * given))]
    most = style.long_side / max(part.shape[:2])
    zoom = min(most, max(1.0, SIZE / (widest * given)))
    out = ink.resized(part, zoom)

    def place(spot: Spot) -> Spot:
        return (spot[0] * given - x0) * zoom, (spot[1] * given - y0) * zoom

    mask = np.zeros(out.shape[:2], np.uint8)
    for piece in reading.pieces:
        cv2.circle(
            mask, tuple(round(v) for v in place(piece.centre)), round(1.1 * _width(piece) * given * zoom), 255, -1
        )
    ink.dim(out, mask, style.dim)
    for piece in reading.pieces:
        _draw(out, piece, place(piece.centre), [place(c) for c in piece.outline], _width(piece) * given * zoom, style)
    return np.vstack([out, totals(out.shape[1], reading, players)]) if players else out


def says(piece: PieceReading) -> str:
    """Return what is written on a piece: its text, for a card with heads their number and colour too."""
    shows = dict(piece.shows)
    return f"{piece.text}: {shows['heads']} {shows['colour']}" if "heads" in shows else piece.text


def _draw(out: Image, piece: PieceReading, at: Spot, corners: list[Spot], width: float, style: Style) -> None:
    """Draw one piece: its outline, what it says, and a ring where it is doubtful.

    A die has its label beneath it; a card, which may lie under others, where it was read.
    """
    colour = style.outline if piece.certain else style.doubt
    if corners:
        ink.outline(out, corners, colour, max(1.0, 0.02 * width))
    card = piece.kind == "card"
    height = max(11.0, (0.075 if card else 0.22) * width)
    below = 0.0 if card else max([y for _, y in corners] or [at[1]]) - at[1] + height
    if piece.certain:
        plate = PALETTE.get(dict(piece.shows).get("colour", ""), ink.DARK)
        label = Label((says(piece),), (at[0], at[1] + below), height, plate)
    else:
        ink.ring(out, at, (0.4 if card else 0.85) * width, style.doubt, max(2.0, 0.05 * width))
        lines = (f"{says(piece)} ?", *([f"or {piece.runner_up}"] if piece.runner_up else []))
        label = Label(lines, (at[0], at[1] + below + 0.6 * height * (not card)), height, style.doubt, ink.DARK)
    ink.write(out, label)
