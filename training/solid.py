"""Solid pieces on a table: a camera in space, and rounded boxes traced ray by ray (sphere tracing, Hart 1996)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training.camera import Camera

Floats = NDArray[np.float64]
Real = NDArray[np.float32]

STEPS = 16
"""Steps along a ray; more makes edges that are seen flat a little cleaner."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera: table coordinates (x right, y down as seen from above, z up) to pixels."""

    axes: Floats
    """(3, 3) table axes as columns, in the camera's coordinates (x right, y down, z away)."""
    shift: Floats
    """(3,) the table's origin in the camera's coordinates."""
    focal: float
    middle: Floats
    """(2,) the principal point in pixels."""
    size: tuple[int, int]
    """Width and height in pixels."""

    def __call__(self, points: Floats) -> Floats:
        """Return pixels (n, 2) of points (n, 3)."""
        p = points @ self.axes.T + self.shift
        return np.asarray(self.focal * p[:, :2] / p[:, 2:] + self.middle, np.float64)

    @property
    def eye(self) -> Floats:
        """Return (3,) where the camera stands."""
        return np.asarray(-self.axes.T @ self.shift, np.float64)

    @property
    def flat(self) -> Camera:
        """Return the camera of the table's plane."""
        k = np.array([[self.focal, 0, self.middle[0]], [0, self.focal, self.middle[1]], [0, 0, 1]])
        h = k @ np.column_stack([self.axes[:, 0], self.axes[:, 1], self.shift])
        return Camera(h / h[2, 2], self.size)


def stand(points: Floats, rng: np.random.Generator, long_side: float, tilt: float, fill: float) -> View:
    """Return a camera that sees points (n, 3) of the table, ``tilt`` degrees from straight above.

    What is near lies low in the picture, as in a photo held upright.
    """
    ratio = float(rng.choice([0.75, 0.75, 0.5625, 1.0]))
    w, h = (long_side, long_side * ratio) if rng.random() < 0.55 else (long_side * ratio, long_side)
    yaw, lean = rng.uniform(0, 2 * np.pi), np.radians(tilt)
    roll = np.radians(rng.normal(0, 4))
    c, s, ct, st = np.cos(yaw), np.sin(yaw), np.cos(lean), np.sin(lean)
    # turned on the table, then leant back so that y (down) comes nearer and z (up) goes up in the picture and nearer
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    back = np.array([[1, 0, 0], [0, ct, -st], [0, -st, -ct]])
    cr, sr = np.cos(roll), np.sin(roll)
    axes = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]]) @ back @ turn
    centre = (points.min(0) + points.max(0)) / 2
    reach = float(np.abs(points - centre).max())
    distance = reach * rng.uniform(2.0, 5.0)
    shift = np.array([0, 0, distance]) - axes @ centre
    seen = points @ axes.T + shift
    flat = seen[:, :2] / seen[:, 2:]
    lo, hi = flat.min(0), flat.max(0)
    focal = fill * float(min(np.array([w, h]) / np.maximum(hi - lo, 1e-6)))
    room = np.array([w, h]) - focal * (hi - lo)
    middle = room / 2 + rng.uniform(-0.45, 0.45, 2) * np.abs(room) - focal * lo
    return View(axes, shift, focal, middle, (int(w), int(h)))


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A rounded box that stands on the table."""

    centre: Floats
    """(3,) its middle."""
    yaw: float
    half: Floats
    """(3,) half its sides."""
    round: float
    """Radius of its edges."""
    ball: float
    """Radius of the sphere that cuts its corners off; large for none."""
    faces: tuple[Real, ...]
    """Textures (s, s, 3) of the sides +x, -x, +y, -y, +z; each as seen from outside, upright."""
    ground: Real
    """(3,) colour of the edges."""
    wash: float = 0.0
    """How white the top is by a lamp mirrored in it, 0 to 1."""

    @property
    def axes(self) -> Floats:
        """Return (3, 3): the box's axes as columns."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    @property
    def corners(self) -> Floats:
        """Return (8, 3) corners."""
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        return np.asarray(signs * self.half @ self.axes.T + self.centre, np.float64)


@dataclass(frozen=True, slots=True)
class Lamp:
    """The light: where it comes from, and how strong and hard it is."""

    towards: tuple[float, float, float]
    """Unit vector to the lamp."""
    strength: float
    ambient: float
    shine: float
    """Of the highlight, 0 to 1."""
    sharp: float
    """Exponent of the highlight."""
    shadow: float
    """Darkness of shadows, 0 to 1."""
    soft: float
    """Blur of shadows, in pixels a pixel of the piece's size."""


def cast_shadows(image: Real, solids: list[Solid], view: View, lamp: Lamp) -> None:
    """Darken the table where pieces keep the light away, and close around them."""
    h, w = image.shape[:2]
    cast, close = np.zeros((h, w), np.float32), np.zeros((h, w), np.float32)
    towards = np.array(lamp.towards)
    size = 1.0
    for solid in solids:
        corners = solid.corners
        down = corners - corners[:, 2:] / max(towards[2], 0.25) * towards
        for canvas, points in ((cast, down), (close, corners[corners[:, 2] < solid.centre[2]] * (1, 1, 0))):
            hull = cv2.convexHull(view(points).astype(np.float32))
            cv2.fillPoly(canvas, [np.round(hull * 8).astype(np.int32)], 1.0, cv2.LINE_AA, 3)
        size = max(size, float(np.ptp(view(corners), axis=0).max()))
    cast = np.asarray(cv2.GaussianBlur(cast, (0, 0), max(0.6, lamp.soft * size)), np.float32)
    close = np.asarray(cv2.GaussianBlur(close, (0, 0), max(0.6, 0.07 * size)), np.float32)
    image *= ((1 - lamp.shadow * cast) * (1 - 0.5 * close))[..., None]


def trace(image: Real, solid: Solid, view: View, lamp: Lamp, rng: np.random.Generator) -> None:
    """Draw a solid onto a picture (h, w, 3) float BGR 0 to 255."""
    h, w = image.shape[:2]
    seen = view(solid.corners)
    x0, y0 = np.clip(np.floor(seen.min(0)).astype(int) - 2, 0, (w, h))
    x1, y1 = np.clip(np.ceil(seen.max(0)).astype(int) + 3, 0, (w, h))
    if x1 <= x0 or y1 <= y0:
        return
    fine = int(np.clip(np.ceil(60 / max(1.0, float(np.ptp(seen, axis=0).max()))), 1, 4))
    xs = (np.arange((x1 - x0) * fine, dtype=np.float32) + 0.5) / fine - 0.5 + x0
    ys = (np.arange((y1 - y0) * fine, dtype=np.float32) + 0.5) / fine - 0.5 + y0
    u, v = np.meshgrid((xs - view.middle[0]) / view.focal, (ys - view.middle[1]) / view.focal)
    rays = np.stack([u, v, np.ones_like(u)], -1).reshape(-1, 3) / np.sqrt(u * u + v * v + 1).reshape(-1, 1)
    to_box = (view.axes @ solid.axes).astype(np.float32)
    d = np.ascontiguousarray((rays @ to_box).T, np.float32)
    o = ((view.eye - solid.centre) @ solid.axes).astype(np.float32)
    colour, alpha = _shade(solid, o, d, 1.0 / (view.focal * fine), lamp, rng)
    shape = ((y1 - y0) * fine, (x1 - x0) * fine)
    picture = np.dstack([colour.reshape(*shape, 3) * alpha.reshape(*shape, 1), alpha.reshape(shape)])
    if fine > 1:
        picture = np.asarray(cv2.resize(picture, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA))
    part = image[y0:y1, x0:x1]
    part *= 1 - picture[..., 3:]
    part += picture[..., :3]


def _length(p: Real) -> Real:
    """Return (n,) lengths of vectors (3, n); faster so than by rows of three."""
    return np.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])


def _distance(solid: Solid, p: Real) -> tuple[Real, Real, Real]:
    """Return (n,) distances of points (3, n) from the box, the (3, n) excess over its core, and box over sphere."""
    q = np.abs(p) - (solid.half - solid.round).astype(np.float32)[:, None]
    most = np.maximum(np.maximum(q[0], q[1]), q[2])
    out = _length(np.maximum(q, 0)) + np.minimum(most, 0) - np.float32(solid.round)
    ball = _length(p) - np.float32(solid.ball)
    return np.maximum(out, ball), q, ball - out


def _shade(solid: Solid, o: Real, d: Real, pixel: float, lamp: Lamp, rng: np.random.Generator) -> tuple[Real, Real]:
    """Return colours (n, 3) and coverage (n,) of rays from one point (3,) in directions (3, n), in the box's axes."""
    reach = np.float32(np.linalg.norm(solid.half))
    start = o[:, None]
    along = -(o @ d)
    t = along - reach
    nearest = np.full(d.shape[1], 1e9, np.float32)
    for _ in range(STEPS):
        gap, _, _ = _distance(solid, np.asarray(start + d * t, np.float32))
        nearest = np.minimum(nearest, gap)
        t = t + np.where(t < along + reach, gap, 0)
    p = np.asarray(start + d * t, np.float32)
    gap, q, over = _distance(solid, p)
    footprint = np.maximum(np.abs(t) * np.float32(pixel), 1e-6)
    alpha = np.clip(1 - np.minimum(nearest, gap) / footprint, 0, 1)
    alpha[(gap > 0.05) & (nearest > footprint)] = 0
    away = np.maximum(q, 0)
    most = np.maximum(np.maximum(q[0], q[1]), q[2])
    away = np.where(most <= 0, (q >= most).astype(np.float32), away)
    n = np.where(over > 0, p, np.sign(p) * away)
    n /= np.maximum(_length(n), 1e-6)
    albedo = _albedo(solid, p)
    axes, towards = solid.axes.astype(np.float32), np.array(lamp.towards, np.float32)
    world = axes @ n
    diffuse = np.maximum(towards @ world, 0)
    height = (p[2] / solid.half[2] + 1) / 2
    light = lamp.ambient * (0.6 + 0.4 * world[2]) * (0.55 + 0.45 * height) + lamp.strength * diffuse
    mirror = d - 2 * (d * n).sum(0) * n
    shine = lamp.shine * np.maximum(towards @ (axes @ mirror), 0) ** lamp.sharp
    colour = albedo * light[:, None] + 255 * shine[:, None]
    if solid.wash:
        veil = np.float32(solid.wash) * np.clip((world[2] - 0.985) / 0.015, 0, 1)
        veil = veil * np.float32(rng.uniform(0.7, 1.0)) * (1 + 0.3 * p[0] * rng.uniform(-1, 1) / solid.half[0])
        colour += (255 - colour) * np.clip(veil, 0, 0.93)[:, None]
    return np.clip(colour, 0, 300).astype(np.float32), alpha.astype(np.float32)


def _albedo(solid: Solid, p: Real) -> Real:
    """Return (n, 3) colours of points (3, n) of the surface: the texture of the side that each lies on."""
    scaled = p / solid.half.astype(np.float32)[:, None]
    x, y, z = scaled
    ax, ay, az = np.abs(scaled)
    axis = np.where((ax >= ay) & (ax >= az), 0, np.where(ay >= az, 1, 2))
    sign = np.where(axis == 0, x, np.where(axis == 1, y, z)) > 0
    out = np.empty((p.shape[1], 3), np.float32)
    out[:] = solid.ground
    # as seen from outside with z up: what is right and what is down on each side
    sides = ((0, True, -y, -z), (0, False, y, -z), (1, True, x, -z), (1, False, -x, -z), (2, True, x, y))
    for texture, (number, positive, right, down) in zip(solid.faces, sides, strict=True):
        on = (axis == number) & (sign == positive)
        if on.any():
            s = texture.shape[0]
            # OpenCV takes no row of more than 32767 pixels
            n = int(on.sum())
            where = np.pad((np.stack([right[on], down[on]]) + 1) / 2 * s - 0.5, ((0, 0), (0, -n % 256))).reshape(
                2, -1, 256
            )
            part = cv2.remap(texture, where[0], where[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            out[on] = np.asarray(part, np.float32).reshape(-1, 3)[:n]
    return out


def frame_on(view: View, centre: Floats, right: Floats, down: Floats) -> tuple[Floats, Floats]:
    """Return the pixel of a point (3,) and the frame (2, 2) of two unit vectors (3,) there."""
    e = 1e-3
    p = view(np.stack([centre, centre + e * right, centre - e * right, centre + e * down, centre - e * down]))
    return p[0], np.column_stack([(p[1] - p[2]) / (2 * e), (p[3] - p[4]) / (2 * e)])
