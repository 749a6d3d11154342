"""Piles of Take 5! cards spread out on a table: rows, grids, columns, fans, photographed by a made-up camera.

Card coordinates: card widths from the card's middle, x right, y down as the card is read. An end is a card's short
edge with the numbers in its two corners; end 0 is the top, end 1 the bottom, which reads upright from the other side.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.scoring.take5 import heads as printed_heads
from boardsight.training import camera, clutter
from boardsight.training.card_art import CardEdition
from boardsight.training.symbols import Image, hsv
from boardsight.vision.card_groups import EDGE

END_DEPTH = EDGE / 2
"""How far an end's mark lies below the card's edge, in card widths."""
Matrix = NDArray[np.float64]
MOST_TRIES = 30
"""Piles that are drawn until every card shows an end."""
LAYOUTS = ("grid", "grid", "columns", "columns", "rows", "fan", "fan", "loose")
COUNTS, COUNT_SHARES = (1, 2, 3, 4, 5, 6, 7), (0.26, 0.19, 0.16, 0.07, 0.15, 0.05, 0.12)
"""Numbers of heads on cards that do not exist, and how often."""


@dataclass
class End:
    """One end of a card as the photo shows it."""

    homography: Matrix
    """(3, 3) end coordinates (card widths; the middle of its strip is (0, 0), its own up is up) to pixels."""
    corners: int
    """How many of its two numbers are in sight."""
    heads: int
    """How many heads are printed there and in sight; 0 if not all of them are."""


@dataclass
class Placed:
    """A card in a scene and its answer."""

    text: str
    colour: str
    count: int
    ends: tuple[End, End]
    homography: Matrix
    """(3, 3) card coordinates to pixels."""
    middle_seen: bool


@dataclass
class Pile:
    """A picture and its answer."""

    image: Image
    cards: list[Placed]
    edition: CardEdition
    backs: NDArray[np.float64]
    """(n, 2) middles of face-down stacks in pixels."""


def deal(rng: np.random.Generator, count: int, scrambled: bool) -> list[tuple[str, str, int]]:
    """Return so many cards (text, colour, heads); scrambled ones have any colour and number of heads."""
    numbers = [str(n) for n in rng.permutation(np.arange(1, 99))]
    specials = rng.random() < 0.6
    cards: list[tuple[str, str, int]] = []
    for _ in range(count):
        if specials and rng.random() < 0.16:
            cards.append((str(rng.choice(["x2", "+5"])), "", 0))
            continue
        text = numbers.pop()
        colour, heads = printed_heads(text)
        if scrambled:
            colour, heads = str(rng.choice(["green", "red"])), int(rng.choice(COUNTS, p=COUNT_SHARES))
        cards.append((text, colour, heads))
    return cards


def lay_out(rng: np.random.Generator, count: int, edition: CardEdition) -> list[tuple[float, float, float]]:
    """Return x, y (card widths) and turn (radians) of each card, in the order in which they are laid down."""
    kind = str(rng.choice(LAYOUTS))
    a = edition.aspect
    loose, shake = rng.uniform(0, 0.05), rng.uniform(0, 0.10)
    places: list[tuple[float, float, float]] = []
    if kind == "grid":
        cols = int(np.clip(round(np.sqrt(count * a) * rng.uniform(0.6, 1.4)), 1, count))
        dx, dy = 1 + rng.uniform(0.02, 0.35), a + rng.uniform(0.02, 0.35)
        places = [(k % cols * dx, k // cols * dy, 0.0) for k in range(count)]
        if rng.random() < 0.5:
            rng.shuffle(places)
    elif kind in ("columns", "rows"):
        each = int(rng.integers(2, 9))
        strip = edition.corner[1] + 0.6 * edition.digit
        if kind == "columns":
            step = max(strip, edition.head_top + 2.4 * edition.head_size) + rng.uniform(0.01, 0.4)
            between = 1 + rng.uniform(0.03, 0.5)
            places = [(k // each * between, k % each * step, 0.0) for k in range(count)]
            if edition.both_ends and rng.random() < 0.25:
                places = [(x, -y, t) for x, y, t in places]
        else:
            step = rng.uniform(0.55, 1.0) * rng.choice([-1, 1])
            places = [(k % each * step, k // each * (a + rng.uniform(0.02, 0.3)), 0.0) for k in range(count)]
    elif kind == "fan":
        each = int(rng.integers(4, 11))
        radius = a * rng.uniform(1.0, 2.2)
        step = rng.uniform(0.5, 0.95) / radius * rng.choice([-1, 1])
        each = max(3, min(each, int(2.4 / abs(step))))
        fans = -(-count // each)
        for f in range(fans):
            n = min(each, count - f * each)
            for k in range(n):
                t = (k - (n - 1) / 2) * step
                reach = radius - a / 2
                width = 2 * radius * np.sin(min(1.5, abs(step) * each / 2)) + 1.6
                places.append((f % 2 * width + reach * np.sin(t), f // 2 * (a * 2.0) - reach * np.cos(t), t))
    else:
        side = np.sqrt(count) * rng.uniform(1.5, 2.0)
        for _ in range(400):
            p = rng.uniform(0, side, 2) * (1, 1.2)
            if all(np.hypot(p[0] - x, p[1] - y) > a * 0.95 for x, y, _t in places):
                places.append((float(p[0]), float(p[1]), float(rng.uniform(0, 6.3))))
            if len(places) == count:
                break
    flipped = rng.random() < 0.2 and kind in ("grid", "loose")
    out = []
    for x, y, t in places:
        turn = t + rng.normal(0, shake) + (np.pi if flipped and rng.random() < 0.5 else 0.0)
        out.append((x + rng.normal(0, loose), y + rng.normal(0, loose), float(turn)))
    return out


def draw_pile(
    rng: np.random.Generator,
    split: str = "train",
    *,
    harsh: float = 1.0,
    long_side: tuple[int, int] = (1000, 1800),
    scrambled: float = 0.0,
    counts: tuple[int, int] = (6, 30),
) -> Pile:
    """Draw a pile of ``counts`` cards; ``scrambled`` is the chance of cards that do not exist."""
    tries = 0
    while True:
        pile = _draw(rng, split, harsh, long_side, rng.random() < scrambled, counts)
        tries += 1
        if tries == MOST_TRIES or all(any(end.corners for end in card.ends) for card in pile.cards):
            return pile


def _draw(
    rng: np.random.Generator,
    split: str,
    harsh: float,
    long_side: tuple[int, int],
    scrambled: bool,
    counts: tuple[int, int],
) -> Pile:
    size = rng.uniform(*long_side)
    count = round(counts[0] + (counts[1] - counts[0]) * float(rng.random()) ** 1.6)
    pitch = int(np.clip(size / (1.3 * np.sqrt(count) + 2.5), 90, 260))
    edition = CardEdition(split, rng, pitch)
    places = lay_out(rng, count, edition)
    cards = deal(rng, len(places), scrambled)
    w, h = edition.size
    to_card = np.array([[1 / w, 0, -0.5 + 0.5 / w], [0, 1 / w, -h / w / 2 + 0.5 / w], [0, 0, 1]])
    half = edition.aspect / 2
    box = np.array([[-0.5, -half], [0.5, -half], [0.5, half], [-0.5, half]])
    rigid = [_rigid(*p) for p in places]
    outline = np.concatenate([camera.apply(m, box) for m in rigid])
    cam = camera.aim(outline, rng, size, harsh)
    image = camera.paint_table(clutter.table(rng, split), cam)
    backs = _stacks(image, cam, outline, edition, rng)
    owner = np.full((cam.size[1] // 2 + 1, cam.size[0] // 2 + 1), -1, np.int16)
    fall = rng.normal(0, 0.02, 2)
    for k, (m, (text, colour, heads)) in enumerate(zip(rigid, cards, strict=True)):
        pose = cam.homography @ m
        moved = np.array([[1, 0, fall[0]], [0, 1, fall[1]], [0, 0, 1]]) @ m
        camera.lay(image, edition.shadow, cam.homography @ moved @ to_card @ _shift(-12, -12))
        picture = edition.card(text, colour, heads)
        if rng.random() < 0.5:
            gain = 1 + rng.normal(0, 0.03)
            picture[..., :3] = np.clip(picture[..., :3] * gain, 0, 255).astype(np.uint8)
        camera.lay(image, picture, pose @ to_card)
        cv2.fillPoly(owner, [np.round(camera.apply(pose, box) / 2).astype(np.int32)], k)
    clutter.scatter(image, cam, outline, rng)
    image = camera.develop(image, outline, cam, rng, harsh)
    placed = [
        _answer(k, cam.homography @ m, card, edition, owner)
        for k, (m, card) in enumerate(zip(rigid, cards, strict=True))
    ]
    return Pile(image, placed, edition, backs)


def _answer(k: int, pose: Matrix, card: tuple[str, str, int], edition: CardEdition, owner: NDArray[np.int16]) -> Placed:
    text, colour, count = card
    ends = []
    for end in (0, 1):
        turn = np.diag([1.0, 1.0, 1.0]) if end == 0 else np.diag([-1.0, -1.0, 1.0])
        frame = pose @ turn @ _shift(0, END_DEPTH - edition.aspect / 2)
        x0, y0, x1, y1 = edition.corner_box(text)
        shares = []
        for side in (1, -1):
            xs, ys = np.meshgrid(np.linspace(x0, x1, 7) * side, np.linspace(y0, y1, 5) - END_DEPTH)
            shares.append(_seen(owner, camera.apply(frame, np.stack([xs.ravel(), ys.ravel()], 1)), k))
        shown = count if end == 0 or edition.both_ends else 0
        if shown:
            spots = edition.head_places(shown) - (0, END_DEPTH)
            r = edition.head_size * 0.4
            around = np.concatenate([spots + d for d in ((0, 0), (r, 0), (-r, 0), (0, r), (0, -r))])
            shown = shown if _seen(owner, camera.apply(frame, around), k) > 0.97 else 0
        ends.append(End(frame, sum(s > 0.85 for s in shares), shown))
    xs, ys = np.meshgrid(np.linspace(-0.25, 0.25, 5), np.linspace(-0.25, 0.25, 5))
    middle = _seen(owner, camera.apply(pose, np.stack([xs.ravel(), ys.ravel()], 1)), k) > 0.9
    return Placed(text, colour, count, (ends[0], ends[1]), pose, middle)


def _seen(owner: NDArray[np.int16], points: NDArray[np.float64], k: int) -> float:
    """Return the share of pixels (n, 2) at which card ``k`` is on top."""
    p = np.round(points / 2).astype(int)
    inside = ((p >= 0) & (p < (owner.shape[1] - 1, owner.shape[0] - 1))).all(1)
    p = p.clip(0, (owner.shape[1] - 1, owner.shape[0] - 1))
    return float(np.mean((owner[p[:, 1], p[:, 0]] == k) & inside))


def _stacks(
    image: Image, cam: camera.Camera, outline: NDArray[np.float64], edition: CardEdition, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Lay face-down cards beside the pile and return their middles in pixels."""
    w, h = edition.size
    to_card = np.array([[1 / w, 0, -0.5], [0, 1 / w, -h / w / 2], [0, 0, 1]])
    spots = []
    hull = cv2.convexHull(outline.astype(np.float32))
    for _ in range(int(rng.choice([0, 0, 1, 1, 2, 4]))):
        lo, hi = outline.min(0) - 2, outline.max(0) + 2
        p = rng.uniform(lo, hi)
        if cv2.pointPolygonTest(hull, (float(p[0]), float(p[1])), True) > -1.1:
            continue
        back = edition.back()
        turn = rng.uniform(0, 6.3)
        for level in range(int(rng.choice([1, 1, 8, 16]))):
            camera.lay(image, back, cam.homography @ _rigid(p[0] + 0.006 * level, p[1] - 0.01 * level, turn) @ to_card)
            if level == 0:
                back = back.copy()
        spots.append(camera.apply(cam.homography, p[None])[0])
    if rng.random() < 0.2:  # a score pad with figures
        p = outline.max(0) + rng.uniform(0.9, 2.0, 2) * rng.choice([-1, 1], 2)
        if cv2.pointPolygonTest(hull, (float(p[0]), float(p[1])), True) < -1.3:
            sheet = np.full((300, 220, 4), 255, np.uint8)
            for y in range(30, 300, 24):
                cv2.line(sheet, (0, y), (219, y), (*hsv(220, 0.4, 0.8), 255), 1)
                glyph, _fat = edition.face.mask(str(rng.integers(1, 99)), 13)
                part = sheet[y - 20 : y - 20 + glyph.shape[0], 30 : 30 + glyph.shape[1], :3]
                part[:] = (part * (1 - glyph[: part.shape[0], : part.shape[1], None] * 0.8)).astype(np.uint8)
            camera.lay(
                image,
                sheet,
                cam.homography
                @ _rigid(float(p[0]), float(p[1]), rng.uniform(0, 6.3))
                @ np.diag([1 / 130, 1 / 130, 1.0]),
            )
    return np.array(spots).reshape(-1, 2)


def _shift(x: float, y: float) -> Matrix:
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]], float)


def _rigid(x: float, y: float, angle: float) -> Matrix:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, x], [s, c, y], [0, 0, 1]], float)
