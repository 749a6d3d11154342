"""Typefaces for the drawings: which are learned from and which are kept for validation.

Each comes from its own package (``fontpkg-NAME``, extra ``[train]``), all under open licences.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, files

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from boardsight.scoring.errors import BoardsightError

TRAIN = (
    "abeezee", "acme", "alegreya-sans", "alfa-slab-one", "anton", "archivo", "arvo", "baloo-2",
    "barlow-condensed", "bebas-neue", "bitter", "bungee", "cabin", "changa-one", "comfortaa", "dosis",
    "eb-garamond", "exo-2", "fira-sans", "fjalla-one", "fredoka", "hammersmith-one", "ibm-plex-mono",
    "inconsolata", "kalam", "lato", "lilita-one", "luckiest-guy", "merriweather", "montserrat", "noto-sans",
    "nunito", "open-sans", "oswald", "permanent-marker", "play", "playfair-display", "poppins", "pt-serif",
    "roboto", "roboto-slab", "rowdies", "rubik", "russo-one", "signika", "teko", "titan-one", "vollkorn",
    "work-sans",
)  # fmt: skip
VALIDATE = (
    "asap", "chivo", "dm-serif-display", "encode-sans", "kanit", "lexend", "lora", "maven-pro", "righteous",
    "source-sans-3", "varela-round", "viga", "zilla-slab", "rajdhani",
)  # fmt: skip


@cache
def _paths(family: str) -> tuple[str, ...]:
    """Return the font files of a family's package.

    Raises BoardsightError where the package is not installed.
    """
    try:
        listed = files(f"fontpkg-{family}") or []
    except PackageNotFoundError as error:
        raise BoardsightError(f"font package fontpkg-{family} is missing: pip install 'boardsight[train]'") from error
    found = tuple(sorted(str(f.locate()) for f in listed if f.suffix.lower() in (".ttf", ".otf")))
    upright = tuple(f for f in found if "italic" not in f.lower())
    if not found:
        raise BoardsightError(f"font package fontpkg-{family} holds no font")
    return upright or found


class Typeface:
    """One typeface at one weight, drawn as coverage masks."""

    def __init__(self, family: str, rng: np.random.Generator) -> None:
        paths = _paths(family)
        heavy = [p for p in paths if any(w in p.lower() for w in ("bold", "black", "heavy", "medium"))]
        pool = heavy if heavy and rng.random() < 0.6 else list(paths)
        self.path = pool[int(rng.integers(len(pool)))]
        self.family = family
        self.weight = float(rng.random())
        self._fonts: dict[int, ImageFont.FreeTypeFont] = {}

    def _font(self, size: int) -> ImageFont.FreeTypeFont:
        if size not in self._fonts:
            font = ImageFont.truetype(self.path, size)
            try:
                axes = font.get_variation_axes()
                values = []
                for axis in axes:
                    low, default, high = (float(axis[key] or 0) for key in ("minimum", "default", "maximum"))
                    name = axis.get("name", "")
                    text = name.decode() if isinstance(name, bytes) else str(name)
                    if text.lower().startswith("w") and high >= 600:
                        values.append(max(low, 400.0) + self.weight * (high - max(low, 400.0)))
                    else:
                        values.append(default)
                font.set_variation_by_axes(values)
            except OSError:
                pass
            self._fonts[size] = font
        return self._fonts[size]

    def mask(self, text: str, height: float, stroke: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Draw text whose capitals are ``height`` pixels high.

        Returns two coverage masks of shape (h, w), float32 from 0 to 1: the glyphs, and the glyphs with an
        outline of ``stroke`` pixels around them.
        """
        size = max(6, round(height * 1.40))
        font = self._font(size)
        pad = int(np.ceil(stroke)) + 2
        left, top, right, bottom = font.getbbox(text)
        w, h = int(right - left) + 2 * pad, int(bottom - top) + 2 * pad
        plain = Image.new("L", (w, h))
        ImageDraw.Draw(plain).text((pad - left, pad - top), text, fill=255, font=font)
        fat = plain
        if stroke >= 0.5:
            fat = Image.new("L", (w, h))
            ImageDraw.Draw(fat).text(
                (pad - left, pad - top), text, fill=255, font=font, stroke_width=round(stroke), stroke_fill=255
            )
        return np.asarray(plain, np.float32) / 255, np.asarray(fat, np.float32) / 255
