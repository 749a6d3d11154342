"""How cards of Take 5! may look: one edition a pile, with its paper, borders, numbers, heads and backs."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training import fonts
from boardsight.training.card_heads import HEAD_KINDS, draw_head
from boardsight.training.symbols import Colour, Image, blend, contrast, fixed, hsv, poly

DARK: Colour = (20.0, 20.0, 20.0)
LIGHT: Colour = (250.0, 250.0, 250.0)
BORDERS = ("none", "line", "band", "inset band", "frame", "double")
FILLS = ("paper", "paper", "tint", "full", "half")
INKS = ("dark", "dark", "own", "light outlined", "dark outlined")
BACKS = ("heads", "grid", "diamonds", "plain", "dots")


class CardEdition:
    """One look of the cards; lengths in card widths, card coordinates from the middle, x right and y down."""

    def __init__(self, split: str, rng: np.random.Generator, pitch: int) -> None:
        self.rng, self.split, self.pitch = rng, split, pitch
        self.aspect = float(rng.uniform(1.32, 1.62))
        self.radius = float(rng.uniform(0.02, 0.10))
        self.paper = hsv(rng.uniform(20, 60), rng.uniform(0, 0.14), rng.uniform(0.86, 1.0))
        if rng.random() < 0.08:
            self.paper = hsv(rng.uniform(0, 360), rng.uniform(0, 0.4), rng.uniform(0.5, 0.95))
        self.colours: dict[str, Colour] = {
            "green": hsv(rng.uniform(88, 165), rng.uniform(0.45, 0.95), rng.uniform(0.30, 0.82)),
            "red": hsv(rng.uniform(-16, 11), rng.uniform(0.60, 0.97), rng.uniform(0.45, 0.95)),
            "x2": hsv(rng.uniform(195, 250), rng.uniform(0.5, 0.95), rng.uniform(0.35, 0.95)),
            "+5": hsv(rng.uniform(0, 360), rng.uniform(0.3, 0.95), rng.uniform(0.35, 0.98)),
        }
        if rng.random() < 0.5:
            self.colours["+5"] = hsv(rng.uniform(28, 56), rng.uniform(0.6, 0.95), rng.uniform(0.7, 1))
        self.border = str(rng.choice(BORDERS))
        self.border_width = float(rng.uniform(0.02, 0.09))
        self.special_border = float(rng.uniform(0.03, 0.11))
        self.fill = str(rng.choice(FILLS))
        families = fonts.TRAIN if split == "train" else fonts.VALIDATE
        self.face = fonts.Typeface(families[int(rng.integers(len(families)))], rng)
        self.middle_face = (
            self.face if rng.random() < 0.5 else fonts.Typeface(families[int(rng.integers(len(families)))], rng)
        )
        self.ink = str(rng.choice(INKS))
        self.digit = float(rng.uniform(0.075, 0.17))
        self.stroke = float(rng.uniform(0.008, 0.022))
        self.dot = str(rng.choice(["none", "none", "line", "dot"]))
        self.plate = str(rng.choice(["none", "none", "none", "disc", "box"]))
        inset = 0.03 + (self.special_border if self.border != "none" else 0.03)
        self.corner = (
            float(-0.5 + inset + self.digit * rng.uniform(0.65, 0.95)),
            float(inset + self.digit * rng.uniform(0.5, 0.9)),
        )
        self.head_kind = str(rng.choice(HEAD_KINDS[split]))
        self.head_size = float(rng.uniform(0.045, 0.095))
        self.head_gap = float(rng.uniform(1.02, 1.5))
        self.head_rows = str(rng.choice(["one", "two", "pyramid", "widening"]))
        self.head_room = 2 * abs(self.corner[0]) - 1.9 * self.digit
        self.head_size = min(self.head_size, self.head_room / 2 / self.head_gap)
        self.head_top = float(inset + rng.uniform(0.0, 0.08))
        self.head_outline = rng.random() < 0.5
        self.horn = hsv(rng.uniform(30, 60), rng.uniform(0.05, 0.5), rng.uniform(0.3, 1))
        self.both_ends = rng.random() < 0.65
        self.times = str(rng.choice(["x", "x", "X", "\N{MULTIPLICATION SIGN}"]))
        self.middle = str(rng.choice(["head", "number", "head", "disc", "none"], p=[0.35, 0.2, 0.25, 0.15, 0.05]))
        self.middle_height = float(rng.uniform(0.22, 0.42))
        self.pattern = float(rng.uniform(0, 0.10)) if rng.random() < 0.3 else 0.0
        self.special_head = rng.random() < 0.15
        self.glyphs: dict[tuple[str, str, float, float], tuple[NDArray[np.float32], NDArray[np.float32]]] = {}
        self.mask = self._mask()
        soft = cv2.copyMakeBorder(self.mask, 12, 12, 12, 12, cv2.BORDER_CONSTANT)
        soft = cv2.GaussianBlur(soft, (0, 0), float(rng.uniform(1, 6)))
        strength = float(rng.uniform(0.15, 0.75))
        dark = np.zeros((*soft.shape, 3), np.uint8)
        self.shadow: Image = np.dstack([dark, (soft * strength).astype(np.uint8)])

    # ------------------------------------------------------------ places

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height of a card's picture in pixels."""
        return self.pitch, round(self.pitch * self.aspect)

    def corner_box(self, text: str) -> tuple[float, float, float, float]:
        """Return where the number of the upper left corner lies: x0, y0, x1, y1 from the middle of the top edge."""
        half = self.digit * (0.45 if len(text) == 1 else 0.8)
        x, y = self.corner
        return x - half, y - self.digit * 0.55, x + half, y + self.digit * 0.55

    def head_places(self, count: int) -> NDArray[np.float64]:
        """Return the middles (count, 2) of the heads, from the middle of the top edge."""
        step = self.head_size * self.head_gap
        most = max(1, int(self.head_room / step))
        if count <= min(most, 3 if self.head_rows != "one" else most):
            rows = [count]
        elif self.head_rows in ("pyramid", "widening") and most >= 3:
            rows = {4: [3, 1], 5: [3, 2], 6: [3, 2, 1], 7: [3, 3, 1]}[count]
            rows = rows[::-1] if self.head_rows == "widening" else rows
        else:
            full = -(-count // min(most, -(-count // 2)))
            rows = [count // full + (j < count % full) for j in range(full)]
        spots = []
        for j, n in enumerate(rows):
            y = self.head_top + self.head_size * 0.6 + j * step
            spots += [((i - (n - 1) / 2) * step, y) for i in range(n)]
        return np.array(spots).reshape(-1, 2)

    # ------------------------------------------------------------ drawing

    def card(self, text: str, colour: str, count: int) -> Image:
        """Return a card as (h, w, 4) BGRA: its text (a number, ``x2`` or ``+5``), colour and number of heads."""
        w, h = self.size
        own = self.colours[text] if text in self.colours else self.colours[colour]
        image = np.empty((h, w, 3), np.uint8)
        ground = self._ground(image, own, text in self.colours)
        if self.pattern:
            coarse = self.rng.normal(0, 255 * self.pattern * 0.3, (h // 4 + 1, w // 4 + 1)).astype(np.float32)
            grain = cv2.resize(coarse, (w, h))[..., None]
            image[:] = np.clip(image + grain, 0, 255).astype(np.uint8)
        self._middle(image, text, own, ground)
        end = image.copy()
        self._end(end, text, own, ground, count)
        half = h // 2
        image[:half] = end[:half]
        if not self.both_ends:
            end = image.copy()
            turned = np.ascontiguousarray(image[::-1, ::-1])
            self._end(turned, text, own, ground, 0)
            end = np.ascontiguousarray(turned[::-1, ::-1])
        else:
            turned = np.ascontiguousarray(image[::-1, ::-1])
            self._end(turned, text, own, ground, count)
            end = np.ascontiguousarray(turned[::-1, ::-1])
        image[half:] = end[half:]
        return np.dstack([image, self.mask])

    def back(self) -> Image:
        """Return the back of a card as (h, w, 4) BGRA."""
        rng = self.rng
        w, h = self.size
        image = np.empty((h, w, 3), np.uint8)
        image[:] = self.paper
        edge = round(rng.uniform(0, 0.08) * w)
        tone = np.array(hsv(rng.uniform(0, 360), rng.uniform(0.2, 0.95), rng.uniform(0.15, 0.85)))
        cv2.rectangle(image, (edge, edge), (w - 1 - edge, h - 1 - edge), tuple(tone), -1)
        other = tuple(np.clip(tone * rng.uniform(0.5, 1.6) + rng.uniform(-40, 40), 0, 255))
        kind = str(rng.choice(BACKS))
        step = max(6, round(rng.uniform(0.08, 0.3) * w))
        for y in range(edge + step // 2, h - edge, step):
            for x in range(edge + step // 2, w - edge, step):
                if kind == "heads":
                    self._head(image, x, y, step * 0.6, tuple(tone * 0.7))
                elif kind == "dots":
                    cv2.circle(image, (x, y), step // 4, other, -1, cv2.LINE_AA)
                elif kind == "diamonds":
                    poly(
                        image,
                        np.array([[x, y - step / 2], [x + step / 2, y], [x, y + step / 2], [x - step / 2, y]]),
                        other,
                    )
                elif kind == "grid":
                    cv2.rectangle(image, (x - step // 3, y - step // 3), (x + step // 3, y + step // 3), other, 1)
        if rng.random() < 0.4:
            mask, _fat = self.middle_face.mask(str(rng.choice(["TAKE 5!", "5!", "5", "TAKE"])), 0.16 * w)
            blend(image, mask, self.paper, w / 2, h / 2)
        return np.dstack([image, self.mask])

    def _mask(self) -> Image:
        w, h = self.size
        mask = np.zeros((h, w), np.uint8)
        r = max(1, round(self.radius * w))
        cv2.rectangle(mask, (r, 1), (w - 1 - r, h - 2), 255, -1)
        cv2.rectangle(mask, (1, r), (w - 2, h - 1 - r), 255, -1)
        for x in (r, w - 1 - r):
            for y in (r, h - 1 - r):
                cv2.circle(mask, (x, y), r - 1, 255, -1, cv2.LINE_AA)
        return mask

    def _ground(self, image: Image, own: Colour, special: bool) -> Colour:
        """Fill a card and draw its border; return the colour that numbers and heads stand on."""
        h, w = image.shape[:2]
        paper = np.array(self.paper)
        ground = self.paper
        if self.fill == "tint":
            ground = tuple(paper * 0.75 + np.array(own) * 0.25)
        elif self.fill == "full":
            ground = own
        elif self.fill == "half":
            ground = tuple(paper * 0.9 + np.array(own) * 0.1)
        image[:] = ground
        width = self.special_border if special else self.border_width
        kind = "band" if special and self.border in ("none", "line") else self.border
        t = max(1, round(width * w))
        band = tuple(np.array(own) * 0.6) if self.fill == "full" else own
        if kind == "band":
            cv2.rectangle(image, (0, 0), (w - 1, h - 1), band, 2 * t)
        elif kind in ("inset band", "double"):
            image[:] = self.paper
            e = max(2, round(0.03 * w))
            r = max(1, round(self.radius * w * 0.8))
            _rounded(image, e, e, w - e, h - e, r, band)
            _rounded(image, e + t, e + t, w - e - t, h - e - t, max(1, r - t // 2), ground)
            if kind == "double":
                cv2.rectangle(image, (e + 2 * t, e + 2 * t), (w - e - 2 * t, h - e - 2 * t), band, 1)
        elif kind == "frame":
            e = max(2, round(self.border_width * w))
            cv2.rectangle(image, (e, e), (w - 1 - e, h - 1 - e), (90, 90, 90) if not special else own, 1 + special * t)
        elif kind == "line":
            cv2.rectangle(image, (2, 2), (w - 3, h - 3), own, 1)
        return ground

    def _inks(self, own: Colour, ground: Colour) -> tuple[Colour, Colour, float]:
        dark, light = DARK, LIGHT
        if self.ink == "light outlined":
            return light, dark, self.stroke
        if self.ink == "dark outlined":
            return dark, light, self.stroke
        if self.ink == "own" and contrast(own, ground) > 70:
            return own, ground, 0.0
        return (dark if contrast(dark, ground) > contrast(light, ground) else light), ground, 0.0

    def _text(
        self, image: Image, text: str, x: float, y: float, height: float, inks: tuple[Colour, Colour, float]
    ) -> None:
        """Draw a text whose middle is at pixel (x, y), its digits ``height`` pixels high."""
        ink, halo, stroke = inks
        shown = text.replace("x", self.times)
        key = self.face.path, shown, height, stroke
        if key not in self.glyphs:
            self.glyphs[key] = self.face.mask(shown, height, stroke * self.pitch)
        glyph, fat = self.glyphs[key]
        if stroke * self.pitch >= 0.5:
            blend(image, fat, halo, x, y)
        blend(image, glyph, ink, x, y)
        if self.dot != "none" and text in ("6", "9", "66", "99", "68", "89", "86", "98"):
            r = max(1.0, height * 0.07)
            if self.dot == "dot":
                cv2.circle(
                    image, fixed((x + glyph.shape[1] / 2, y + height * 0.5)), round(r * 16), ink, -1, cv2.LINE_AA, 4
                )
            else:
                half = glyph.shape[1] * 0.4
                cv2.line(
                    image,
                    fixed((x - half, y + height * 0.72)),
                    fixed((x + half, y + height * 0.72)),
                    ink,
                    max(1, round(r)),
                    cv2.LINE_AA,
                    4,
                )

    def _end(self, image: Image, text: str, own: Colour, ground: Colour, count: int) -> None:
        """Draw what stands at one end: the number in both corners and the heads between them."""
        w = image.shape[1]
        inks = self._inks(own, ground)
        for side in (-1, 1):
            x, y = (0.5 + side * abs(self.corner[0])) * w, self.corner[1] * w
            if self.plate != "none":
                tone = self.paper if contrast(self.paper, inks[0]) > 90 else own
                tone = tone if contrast(tone, inks[0]) > 60 else ground
                r = self.digit * (0.95 if len(text) > 1 else 0.8) * w
                if self.plate == "disc":
                    cv2.circle(image, fixed((x, y)), round(r * 16), tone, -1, cv2.LINE_AA, 4)
                else:
                    poly(
                        image,
                        np.array(
                            [[x - r, y - 0.8 * r], [x + r, y - 0.8 * r], [x + r, y + 0.8 * r], [x - r, y + 0.8 * r]]
                        ),
                        tone,
                    )
            self._text(image, text, x, y, self.digit * w, inks)
        tone = own
        if contrast(own, ground) < 35:
            tone = tuple(np.array(own) * 0.55) if self.rng.random() < 0.5 else tuple(np.array(own) * 0.4 + 150)
        for x, y in self.head_places(count):
            self._head(image, (x + 0.5) * w, y * w, self.head_size * w, tone)

    def _middle(self, image: Image, text: str, own: Colour, ground: Colour) -> None:
        h, w = image.shape[:2]
        if self.middle == "none" and text not in self.colours:
            return
        size = self.middle_height * w
        special = text in self.colours
        if self.middle == "head" and (not special or self.special_head):
            tone = own if contrast(own, ground) > 30 else tuple(np.array(own) * 0.5)
            self._head(image, w / 2, h / 2, size * 1.5, tone)
        elif self.middle == "disc":
            cv2.circle(image, (w // 2, h // 2), round(size * 0.75), tuple(np.array(own) * 0.8), -1, cv2.LINE_AA)
        face, self.face = self.face, self.middle_face
        ink, halo, _stroke = self._inks(own, ground)
        if self.middle in ("head", "disc"):
            light = self.ink != "dark"
            ink, halo = (LIGHT, DARK) if light else (DARK, LIGHT)
        if special and contrast(own, ground) > 60 and self.rng.random() < 0.5:
            ink = own
        self._text(image, text, w / 2, h / 2, size, (ink, halo, 0.015))
        self.face = face

    def _head(self, image: Image, x: float, y: float, size: float, colour: Colour) -> None:
        draw_head(image, self.head_kind, (x, y), size, colour, self.horn, self.head_outline)


def _rounded(image: Image, x0: int, y0: int, x1: int, y1: int, r: int, tone: Colour) -> None:
    """Fill a rectangle with rounded corners."""
    cv2.rectangle(image, (x0 + r, y0), (x1 - r, y1), tone, -1)
    cv2.rectangle(image, (x0, y0 + r), (x1, y1 - r), tone, -1)
    for x in (x0 + r, x1 - r):
        for y in (y0 + r, y1 - r):
            cv2.circle(image, (x, y), r, tone, -1, cv2.LINE_AA)
