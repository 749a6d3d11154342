"""Small solid pieces that stand on a table: spaceships, rings, cubes, coins, as the made-up camera sees them.

A solid is a heap of quadrangles in tile widths, x right, y down, z up from the table, wound so that their normals point
out. It is shaded by one lamp, seen with the camera's own perspective, drawn three times as large and averaged down.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.training.symbols import Image

Floats = NDArray[np.float64]

FINE = 3
"""How many times larger a solid is drawn before it is averaged down."""


@dataclass(frozen=True, eq=False)
class Lamp:
    """The light that falls on solids."""

    towards: Floats
    """(3,) unit vector from the table to the lamp."""
    ambient: float
    """Brightness of what the lamp does not reach, 0 to 1."""
    gloss: float
    """How much a highlight adds, 0 to 1."""
    shine: float
    """How small a highlight is: exponent of Blinn and Phong."""
    shadow: float
    """How much light a shadow takes away, 0 to 1."""
    soft: float
    """How blurred the shadow's edge is, in tile widths."""


def some_lamp(rng: np.random.Generator) -> Lamp:
    """Return a lamp by chance."""
    a, steep = rng.uniform(0, 2 * np.pi), rng.uniform(0.35, 1.4)
    towards = np.array([np.cos(a) * np.cos(steep), np.sin(a) * np.cos(steep), np.sin(steep)])
    return Lamp(
        towards,
        rng.uniform(0.45, 0.85),
        rng.uniform(0, 0.9),
        rng.uniform(4, 40),
        rng.uniform(0, 0.65),
        rng.uniform(0.01, 0.08),
    )


def revolve(profile: Floats, sides: int = 14) -> Floats:
    """Return the quadrangles (n, 4, 3) of a profile (m, 2) of radius and height, from the foot to the top, turned."""
    a = np.linspace(0, 2 * np.pi, sides + 1)
    ring = np.stack([np.cos(a), np.sin(a)], 1)
    points = np.concatenate(
        [
            profile[:, None, :1] * ring[None],
            np.broadcast_to(profile[:, None, 1:], (len(profile), sides + 1, 1)),
        ],
        2,
    )
    quads = np.stack([points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]], 2)
    return np.asarray(quads.reshape(-1, 4, 3), np.float64)


def torus(radius: float, thick: float, flat: float = 1.0, sides: int = 26) -> Floats:
    """Return the quadrangles of a ring that lies on the table; ``thick`` is the radius of its body."""
    b = np.linspace(-0.5 * np.pi, 1.5 * np.pi, 11)
    profile = np.stack([radius + thick * np.cos(b), thick * flat * (1 + np.sin(b))], 1)
    return revolve(profile, sides)


def box(width: float, depth: float, height: float) -> Floats:
    """Return the quadrangles of a box that stands on the table."""
    x, y = width / 2, depth / 2
    low = np.array([[-x, -y, 0], [x, -y, 0], [x, y, 0], [-x, y, 0]])
    top = low + (0, 0, height)
    walls = [np.array([low[i], low[(i + 1) % 4], top[(i + 1) % 4], top[i]]) for i in range(4)]
    return np.array([*walls, top])


def turned(quads: Floats, angle: float) -> Floats:
    """Return quadrangles turned about the vertical."""
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(quads @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]), np.float64)


def project(homography: Floats, up: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Return pixels (n, 2) and depths (n,) of points (n, 3); ``up`` (3,) is the camera's column for heights."""
    p = np.concatenate([points[:, :2], np.ones((len(points), 1))], 1) @ homography.T + points[:, 2:] * up
    return p[:, :2] / p[:, 2:], p[:, 2]


def shadow(image: Image, homography: Floats, up: Floats, solids: list[Floats], lamp: Lamp, pixels: float) -> None:
    """Darken where solids keep the lamp's light from the table; ``pixels`` a tile width."""
    if lamp.shadow <= 0 or not solids:
        return
    slant = -lamp.towards[:2] / lamp.towards[2]
    mask = np.zeros(image.shape[:2], np.uint8)
    for quads in solids:
        points = quads.reshape(-1, 3)
        flat = np.column_stack([points[:, :2] + points[:, 2:] * slant, np.zeros(len(points))])
        spots, _ = project(homography, up, flat)
        cv2.fillConvexPoly(mask, cv2.convexHull(np.round(spots).astype(np.int32)), 255)
    ys, xs = np.nonzero(mask.max(1)), np.nonzero(mask.max(0))
    if not len(ys[0]):
        return
    edge = int(4 * lamp.soft * pixels) + 2
    y0, y1 = max(0, int(ys[0][0]) - edge), int(ys[0][-1]) + edge
    x0, x1 = max(0, int(xs[0][0]) - edge), int(xs[0][-1]) + edge
    part = cv2.GaussianBlur(mask[y0:y1, x0:x1], (0, 0), max(0.4, lamp.soft * pixels)).astype(np.float32) / 255
    view = image[y0:y1, x0:x1]
    view[:] = (view * (1 - lamp.shadow * part[..., None])).astype(np.uint8)


def stand(
    image: Image,
    homography: Floats,
    up: Floats,
    quads: Floats,
    colours: Floats,
    lamp: Lamp,
) -> None:
    """Draw one solid; ``quads`` (n, 4, 3) in table coordinates, ``colours`` (n, 3) BGR 0 to 255 of each."""
    spots, depth = project(homography, up, quads.reshape(-1, 3))
    spots, depth = spots.reshape(-1, 4, 2), depth.reshape(-1, 4).mean(1)
    lo = np.floor(spots.reshape(-1, 2).min(0)).astype(int) - 1
    hi = np.ceil(spots.reshape(-1, 2).max(0)).astype(int) + 2
    x0, y0 = np.maximum(lo, 0)
    x1, y1 = np.minimum(hi, (image.shape[1], image.shape[0]))
    if x1 <= x0 or y1 <= y0:
        return
    normal = np.cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
    size = np.linalg.norm(normal, axis=1)
    normal = normal / np.maximum(size, 1e-12)[:, None]
    # towards the camera: the point that the camera's three by four matrix maps to nothing
    eye = np.linalg.solve(np.column_stack([homography[:, :2], up]), -homography[:, 2])
    view = eye - quads.mean(1)
    view /= np.linalg.norm(view, axis=1)[:, None]
    seen = ((normal * view).sum(1) > 0) & (size > 1e-12)
    spots, depth, colours, normal, view = spots[seen], depth[seen], colours[seen], normal[seen], view[seen]
    lit = np.maximum(0, normal @ lamp.towards)
    half = view + lamp.towards
    half /= np.linalg.norm(half, axis=1)[:, None]
    glow = lamp.gloss * np.maximum(0, (normal * half).sum(1)) ** lamp.shine
    shades = colours * (lamp.ambient + (1.2 - lamp.ambient) * lit)[:, None] + 255 * glow[:, None]
    shades = np.clip(shades, 0, 255)
    w, h = int(x1 - x0) * FINE, int(y1 - y0) * FINE
    canvas = np.zeros((h, w, 4), np.float32)
    order = np.argsort(-depth, kind="stable")
    at = np.round((spots[order] - (x0, y0) + 0.5) * FINE - 0.5).astype(np.int32)
    for corners, (b, g, r) in zip(at, shades[order].tolist(), strict=True):
        cv2.fillConvexPoly(canvas, corners, (b, g, r, 1.0))
    small = np.asarray(cv2.resize(canvas, (int(x1 - x0), int(y1 - y0)), interpolation=cv2.INTER_AREA), np.float32)
    part = image[y0:y1, x0:x1]
    part[:] = np.clip(part * (1 - small[..., 3:]) + small[..., :3] + 0.5, 0, 255).astype(np.uint8)
