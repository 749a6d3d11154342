"""Scenes of dice: a throw on a table or in a tray, seen from a chair, with whatever else lies about."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training import camera, clutter
from boardsight.training.diefaces import SIDE, Faces
from boardsight.training.lookalikes import any_colour, lay_flat
from boardsight.training.pieces import TYPICAL, PieceScene, TruePiece
from boardsight.training.scene import draw_nothing, draw_scene
from boardsight.training.solid import Lamp, Solid, View, cast_shadows, frame_on, stand, trace

Floats = NDArray[np.float64]
Real = NDArray[np.float32]

GAME = ("1", "2", "3", "4", "5", "V")
ORDINARY = ("1", "2", "3", "4", "5", "6")
OTHER = {"what": "other"}
NOTHING = 0.2
"""Share of scenes without dice."""
SIDE_SEEN = 0.15
"""Cosine between a side's normal and the line of sight from which on the side can be seen."""
SIZES = {"train": (620.0, 1050.0), "validate": (1000.0, 1600.0)}
"""Range of a picture's longer side in pixels."""


def draw(rng: np.random.Generator, split: str = "train") -> PieceScene:
    """Draw a scene as the training set holds them: any number of dice, or none."""
    if rng.random() < NOTHING:
        return without(rng, split)
    count = 7 if rng.random() < 0.5 else int(rng.integers(1, 12))
    return throw(rng, split, count=count, harsh=float(rng.uniform(0.2, 1.0)), turned=0.45)


def check(rng: np.random.Generator, harsh: float) -> PieceScene:
    """Draw a throw of seven as it is checked: whole in the picture, in styles kept from training, upright or turned."""
    while True:
        scene = throw(rng, "validate", count=7, harsh=harsh, turned=0.25, ordinary=0.0)
        if scene.notes["complete"]:
            return scene


def typical(rng: np.random.Generator) -> PieceScene:
    """Draw a scene as calibration needs it: in training styles, as people take photos, now and then without dice."""
    if rng.random() < NOTHING:  # without boards, which are looked for before dice are
        return throw(rng, "train", count=0, harsh=float(rng.uniform(0, TYPICAL)), turned=0.25)
    count = 7 if rng.random() < 0.7 else int(rng.integers(1, 12))
    harsh = float(rng.uniform(0, TYPICAL))
    return throw(rng, "train", count=count, harsh=harsh, turned=0.25, long_side=SIZES["validate"])


def text(labels: Mapping[str, str]) -> str:
    """Return what a die says, from its labels."""
    return labels["face"]


def without(rng: np.random.Generator, split: str) -> PieceScene:
    """Draw a scene without dice: boards, other games, blank cubes, counters, numbers on cards."""
    pick = rng.random()
    if pick < 0.15:
        image = draw_nothing(rng, split, long_side=(620, 1000)).image
    elif pick < 0.35:
        image = draw_scene(rng, split, long_side=(620, 1000)).image
    else:
        return throw(rng, split, count=0, harsh=float(rng.uniform(0.1, 1.0)), turned=0.45)
    return PieceScene(image, _elsewhere(rng, image, ()))


def throw(
    rng: np.random.Generator,
    split: str,
    *,
    count: int = 7,
    harsh: float = 0.5,
    turned: float = 0.0,
    tilt: float | None = None,
    ordinary: float = 0.25,
    long_side: tuple[float, float] | None = None,
) -> PieceScene:
    """Draw a throw.

    ``count`` dice; ``harsh`` 0 to 1 how bad light and camera may be; ``turned`` the chance that the photo does not
    stand upright; ``tilt`` degrees from straight above; ``ordinary`` the chance of dice with a six for the vortex;
    ``long_side`` the range of the picture's longer side in pixels, of `SIZES` if it is not given.
    """
    make = Faces(split, rng)
    faces = ORDINARY if rng.random() < ordinary else GAME
    places = _scatter(rng, max(count, 2), rng.uniform(1.4, 5.0))
    reach = float(np.abs(places[:, :2]).max()) + rng.uniform(0.6, 1.6)
    corners = reach * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
    points = np.column_stack([np.concatenate([corners, corners]), np.repeat([0.0, 1.0], 4)])
    leaning = tilt if tilt is not None else float(rng.uniform(3, 50) if rng.random() < 0.8 else abs(rng.normal(0, 12)))
    fill = float(rng.uniform(0.75, 1.3) if rng.random() < 0.75 else rng.uniform(0.35, 0.75))
    view = stand(points, rng, float(rng.uniform(*(long_side or SIZES[split]))), leaning, fill)
    image, flat = _table(rng, split, view, corners, count > 0)
    lamp = _lamp(rng, harsh)
    body = _Body(rng, make, harsh)
    solids = [(body.die(places[i], _numbers(rng, faces), rng), True) for i in range(count)]
    solids += [(solid, False) for solid in _strangers(rng, make, places, reach, many=count == 0)]
    pieces = _draw_solids(rng, image, [s for s, _ in solids], view, lamp)
    true = [_truth(view, solid, body.tops[id(solid)], np.array(pieces.shape[1::-1])) for solid, die in solids if die]
    found = tuple(piece for piece in true if piece is not None)
    tops = list(found)
    blank = (_truth(view, solid, "", np.array(pieces.shape[1::-1])) for solid, die in solids if not die)
    flat = (*flat, *(piece for piece in blank if piece is not None))
    flat = tuple(
        p for p in flat if all(np.hypot(*(np.linalg.inv(t.frame) @ (p.centre - t.centre))) > 1.5 for t in tops)
    )
    flat = (*flat, *_sides(rng, view, [s for s, die in solids if die], tops))
    found = (*found, *flat)
    picture = camera.develop(np.clip(pieces, 0, 255).astype(np.uint8), corners, view.flat, rng, harsh)
    if rng.random() < turned:
        picture, found = _turn(picture, found, int(rng.integers(1, 4)))
    return PieceScene(
        picture, (*found, *_elsewhere(rng, picture, found)), {"complete": len(tops) == count, "tilt": leaning}
    )


def _scatter(rng: np.random.Generator, count: int, spread: float) -> Floats:
    """Return (n, 3): x, y and yaw of dice of side 1 that do not overlap."""
    placed: list[tuple[float, float, float]] = []
    gap = 1.0 + (rng.uniform(0, 0.8) if rng.random() < 0.6 else 0.02)
    while len(placed) < count:
        x, y = rng.normal(0, spread * 0.55, 2) if rng.random() < 0.5 else rng.uniform(-spread, spread, 2)
        if placed and rng.random() < 0.25:  # beside another one
            px, py, _ = placed[int(rng.integers(len(placed)))]
            a = rng.uniform(0, 6.3)
            x, y = px + 1.15 * np.cos(a), py + 1.15 * np.sin(a)
        yaw = float(rng.uniform(0, 2 * np.pi))
        box = ((float(x), float(y)), (gap, gap), float(np.degrees(yaw)))
        if all(
            cv2.rotatedRectangleIntersection(box, ((px, py), (1.0, 1.0), float(np.degrees(pa))))[0] == 0
            for px, py, pa in placed
        ):
            placed.append((float(x), float(y), yaw))
        spread *= 1.01
    return np.array(placed)


def _numbers(rng: np.random.Generator, faces: tuple[str, ...]) -> list[str]:
    """Return what the five visible sides bear: +x, -x, +y, -y, top."""
    return [faces[i] for i in rng.permutation(6)[:5]]


class _Body:
    """The shape and material that the dice of a throw share."""

    def __init__(self, rng: np.random.Generator, make: Faces, harsh: float) -> None:
        self._make, self._harsh = make, harsh
        self._round = float(rng.uniform(0.03, 0.2))
        self._ball = float(rng.uniform(0.66, 0.8)) if rng.random() < 0.25 else 2.0
        self._marbled = rng.uniform(10, 45) if rng.random() < 0.2 else 0.0
        self._washed = rng.random() < 0.3
        self.tops: dict[int, str] = {}

    def die(self, place: Floats, numbers: list[str], rng: np.random.Generator) -> Solid:
        """Return a die that stands at (x, y, yaw)."""
        textures = []
        for number in numbers:
            texture = np.rot90(self._make.texture(number), int(rng.integers(4)))
            if self._marbled:
                n = rng.normal(0, 1, (7, 7, 3 if rng.random() < 0.3 else 1)).astype(np.float32)
                clouds = np.asarray(cv2.resize(n, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)).reshape(SIDE, SIDE, -1)
                texture = np.clip(texture + self._marbled * clouds, 0, 255)
            textures.append(np.ascontiguousarray(texture, np.float32))
        wash = float(rng.beta(1.2, 1.6)) * (0.4 + 0.45 * self._harsh) if self._washed and rng.random() < 0.7 else 0.0
        solid = Solid(
            np.array([place[0], place[1], 0.5]),
            float(place[2]),
            np.full(3, 0.5),
            self._round,
            self._ball,
            tuple(textures),
            self._make.ground,
            wash,
        )
        self.tops[id(solid)] = numbers[4]
        return solid


def _lamp(rng: np.random.Generator, harsh: float) -> Lamp:
    a, up = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(30, 85))
    towards = (float(np.cos(a) * np.cos(up)), float(np.sin(a) * np.cos(up)), float(np.sin(up)))
    ambient = rng.uniform(0.35, 0.85)
    return Lamp(
        towards,
        float((1.05 - ambient) / max(0.5, np.sin(up)) * rng.uniform(0.7, 1.1)),
        float(ambient),
        float(rng.uniform(0, 0.9)) if rng.random() < 0.8 else 0.0,
        float(rng.choice([12, 30, 80, 200])),
        float(rng.uniform(0.05, 0.35 + 0.3 * harsh)),
        float(rng.uniform(0.01, 0.22)),
    )


def _table(
    rng: np.random.Generator, split: str, view: View, corners: Floats, tray: bool
) -> tuple[Real, tuple[TruePiece, ...]]:
    """Return the picture of a table (h, w, 3), with a tray and flat things, and what looks like a die."""
    flat = view.flat
    image = camera.paint_table(clutter.table(rng, split), flat)
    if rng.random() < 0.15:  # the table ends somewhere
        far = corners.copy()
        far[:, 1] -= rng.uniform(3, 12)
        line = view(np.column_stack([far[:2] * (6, 1), np.zeros(2)]))
        if np.isfinite(line).all() and (np.abs(line) < 1e5).all():
            beyond = np.array([line[0], line[1], line[1] - (0, 5000), line[0] - (0, 5000)])
            cv2.fillPoly(image, [np.round(beyond).astype(np.int32)], any_colour(rng), cv2.LINE_AA)
    if tray and rng.random() < 0.25:
        _tray(rng, split, image, view, corners)
    found: list[tuple[Floats, Floats]] = []
    reach = float(np.abs(corners).max())
    for _ in range(int(rng.choice([0, 0, 1, 2, 4]) if tray else rng.integers(0, 9))):
        found += lay_flat(rng, split, image, view, (0.8 * reach if tray else 0.0, 1.5 * reach))
    clutter.scatter(image, flat, corners * 0.9, rng)
    seen = [found[i] for i in rng.permutation(len(found))[:6]]
    return image.astype(np.float32), tuple(TruePiece(0, at, frame, OTHER, marked=False) for at, frame in seen)


def _tray(rng: np.random.Generator, split: str, image: NDArray[np.uint8], view: View, corners: Floats) -> None:
    """Draw a tray about the dice: its felt, its walls inside, its rim."""
    tall, wall = rng.uniform(0.5, 1.8), rng.uniform(0.2, 0.8)
    inside = corners * 1.02
    felt = camera.paint_table(clutter.table(rng, split), view.flat)
    mask = np.zeros(image.shape[:2], np.uint8)
    low, high = (view(np.column_stack([inside, np.full(4, z)])) for z in (0.0, tall))
    outer = view(np.column_stack([inside * (1 + wall / np.abs(inside).max()), np.full(4, tall)]))
    if not all(np.isfinite(p).all() and (np.abs(p) < 1e5).all() for p in (low, high, outer)):
        return
    tone = np.array(any_colour(rng))
    cv2.fillPoly(image, [np.round(outer).astype(np.int32)], tuple(tone), cv2.LINE_AA)
    for i in range(4):
        j = (i + 1) % 4
        side = np.array([low[i], low[j], high[j], high[i]])
        cv2.fillPoly(image, [np.round(side).astype(np.int32)], tuple(tone * rng.uniform(0.3, 0.8)), cv2.LINE_AA)
    cv2.fillPoly(mask, [np.round(low).astype(np.int32)], 255, cv2.LINE_AA)
    keep = (mask[..., None] / 255.0).astype(np.float32)
    image[:] = (image * (1 - keep) + felt * keep).astype(np.uint8)


def _strangers(rng: np.random.Generator, make: Faces, places: Floats, reach: float, many: bool) -> list[Solid]:
    """Return boxes that are no dice: blank cubes, houses, packs."""
    found: list[Solid] = []
    most = int(rng.integers(1, 9)) if many else int(rng.choice([0, 0, 0, 1, 2, 3]))
    for _ in range(most):
        cube = rng.random() < 0.6
        half = np.full(3, 0.5) if cube else rng.uniform(0.2, 1.6, 3)
        x, y = rng.uniform(-1.5, 1.5, 2) * reach
        others = [*places[:, :2], *(s.centre[:2] for s in found)]
        if any(np.hypot(x - px, y - py) < 1.0 + float(np.hypot(*half[:2])) for px, py in others):
            continue
        ground = make.ground if cube and rng.random() < 0.4 else np.array(any_colour(rng), np.float32)
        texture = np.empty((8, 8, 3), np.float32)
        texture[:] = ground
        texture += rng.normal(0, 1, (8, 8, 1)) * rng.choice([0, 0, 12])
        centre = np.array([x, y, half[2]])
        found.append(Solid(centre, float(rng.uniform(0, 6.3)), half, 0.06, 5.0, (texture,) * 5, ground))
    return found


def _draw_solids(rng: np.random.Generator, image: Real, solids: list[Solid], view: View, lamp: Lamp) -> Real:
    """Draw solids and their shadows, the far ones first."""
    in_front = [s for s in solids if float((s.corners @ view.axes.T + view.shift)[:, 2].min()) > 0.1]
    cast_shadows(image, in_front, view, lamp)
    for solid in sorted(in_front, key=lambda s: -float(np.linalg.norm(s.centre - view.eye))):
        trace(image, solid, view, lamp, rng)
    return image


def _truth(view: View, solid: Solid, face: str, size: NDArray[np.int64]) -> TruePiece | None:
    """Return the top of a die, or of a box without a face; None where it lies outside the picture."""
    axes = solid.axes
    centre = solid.centre + (0, 0, solid.half[2])
    at, frame = frame_on(view, centre, axes[:, 0], axes[:, 1])
    if (at < 2).any() or (at > size - 3).any():
        return None
    if not face:
        return TruePiece(0, at, frame * 2 * solid.half[:2], OTHER, marked=False)
    return TruePiece(0, at, frame, {"what": "die", "face": face})


def _sides(rng: np.random.Generator, view: View, solids: list[Solid], tops: list[TruePiece]) -> tuple[TruePiece, ...]:
    """Return sides of dice that a locator could take for tops, with the frame that a top would have there."""
    found = []
    for solid in solids:
        outward = [sign * solid.axes[:, axis] for axis in (0, 1) for sign in (-1, 1)]
        sight = (view.eye - solid.centre) / np.linalg.norm(view.eye - solid.centre)
        seen = [normal for normal in outward if normal @ sight > SIDE_SEEN]
        if not seen or rng.random() < 0.4:
            continue
        normal = seen[int(rng.integers(len(seen)))]
        at, frame = frame_on(view, solid.centre + 0.5 * normal, solid.axes[:, 0], solid.axes[:, 1])
        if all(np.hypot(*(np.linalg.inv(t.frame) @ (at - t.centre))) > 0.6 for t in tops):
            found.append(TruePiece(0, at, frame, OTHER, marked=False))
    return tuple(found)


def _turn(
    picture: NDArray[np.uint8], pieces: tuple[TruePiece, ...], quarters: int
) -> tuple[NDArray[np.uint8], tuple[TruePiece, ...]]:
    """Return a scene turned by quarters, counterclockwise."""
    for _ in range(quarters):
        w = picture.shape[1]
        picture = np.ascontiguousarray(np.rot90(picture))
        turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
        pieces = tuple(
            TruePiece(p.kind, turn @ p.centre + (0, w - 1), turn @ p.frame, p.labels, p.marked) for p in pieces
        )
    return picture, pieces


def _elsewhere(
    rng: np.random.Generator, picture: NDArray[np.uint8], pieces: tuple[TruePiece, ...]
) -> tuple[TruePiece, ...]:
    """Return places where there is no die, some of them close beside one."""
    h, w = picture.shape[:2]
    found = []
    for _ in range(4):
        if pieces and rng.random() < 0.5:
            near = pieces[int(rng.integers(len(pieces)))]
            a = rng.uniform(0, 6.3)
            at = near.centre + near.frame @ (rng.uniform(0.75, 1.5) * np.array([np.cos(a), np.sin(a)]))
            frame = near.frame
        else:
            at, size = rng.uniform(0, 1, 2) * (w, h), rng.uniform(15, 120)
            a = rng.uniform(0, 6.3)
            frame = size * np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        inverse = [np.linalg.inv(p.frame) @ (at - p.centre) for p in pieces]
        if (at < 0).any() or (at >= (w, h)).any() or any(np.hypot(*v) < 0.7 for v in inverse):
            continue
        found.append(TruePiece(0, at, frame, OTHER, marked=False))
    return tuple(found)
