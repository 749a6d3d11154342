"""Scenes: finished and half-finished boards of one edition on a table, photographed by a made-up camera.

Every scene knows its answer: the boards with their tiles and homographies, and where loose tiles lie.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from boardsight.scoring.boards import BOARDS, Board, Tile, TileSet
from boardsight.training import camera, clutter
from boardsight.training.edition import Edition
from boardsight.training.fleet import Launch
from boardsight.training.symbols import Image, hsv, shape_corners

Matrix = NDArray[np.float64]


@dataclass
class Placed:
    """A board in a scene and its answer."""

    board: Board
    tiles: list[Tile | None]
    """In the order of ``board.cells``; None for an empty space."""
    homography: Matrix
    """Board coordinates (tile widths) to pixels."""
    centres: NDArray[np.float64]
    """(n, 2) where each tile or space really lies, in board coordinates."""


@dataclass
class Scene:
    """A picture and its answer."""

    image: Image
    boards: list[Placed]
    loose: NDArray[np.float64]
    """(n, 2) pixel centres of tiles that lie beside the boards."""
    shape: str
    """Tile shape of the loose tiles."""
    edition: Edition | None = None
    launch: Launch | None = None
    """Pad, ring and ships of the first board, where they were asked for."""


def board_form(board: Board, rng: np.random.Generator) -> Board:
    """Return one of the board's forms, the usual one more often."""
    return board if rng.random() < 0.65 or not board.others else board.others[int(rng.integers(len(board.others)))]


def draw_scene(
    rng: np.random.Generator,
    split: str = "train",
    *,
    boards: tuple[str, ...] | None = None,
    harsh: float = 1.0,
    full: float = 0.6,
    long_side: tuple[int, int] = (760, 1700),
    scrambled: float = 0.0,
    with_launch: bool = False,
    crowded: bool = False,
) -> Scene:
    """Draw a scene.

    Parameters: ``boards`` names what lies there (None: by chance); ``harsh`` 0 to 1 how bad the light and the
    camera may get; ``full`` the share of full boards; ``long_side`` the range of the picture's longer side in
    pixels; ``scrambled`` the chance that the scene's tiles are ones that do not exist, as `scramble` makes them;
    ``with_launch`` gives the first board a launch pad, a ring and ships whose places are known,
    ``crowded`` many more of them than there are in the game.
    """
    if boards is None:
        pick = rng.random()
        boards = (
            ("easy",)
            if pick < 0.24
            else ("nexus", "scrapyard")
            if pick < 0.42
            else ("nexus",)
            if pick < 0.5
            else ("orchid",)
            if pick < 0.66
            else ("higher",)
            if pick < 0.94
            else ("easy", "easy")
            if pick < 0.97
            else ("higher", "higher")
        )
    parts = [board_form(BOARDS[name], rng) for name in boards]
    size = rng.uniform(*long_side)
    cells = sum(len(p.cells) for p in parts)
    pitch = int(np.clip(size / (2.4 * np.sqrt(cells) + 4) * rng.uniform(0.9, 1.1), 28, 100))
    edition = Edition(parts[0].tile_set, parts[0], split, rng, pitch)
    left = [edition.tile_set.tiles[i] for i in rng.permutation(len(edition.tile_set.tiles))]
    table = clutter.table(rng, split)
    launch = Launch(parts[0], split, rng, crowded=crowded) if with_launch else None
    if rng.random() < scrambled:
        left = [scramble(tile, edition.tile_set, rng) for tile in left]
    # lay the boards out on a plane, in tile widths
    sheets: list[tuple[Board, Image, Matrix, Matrix, list[Tile | None], NDArray[np.float64]]] = []
    x = last = 0.0
    loose: list[tuple[float, float]] = []
    corners = []
    for number, board in enumerate(parts):
        if number and board.name != "scrapyard":
            left = [edition.tile_set.tiles[i] for i in rng.permutation(len(edition.tile_set.tiles))]
        full_board = rng.random() < full
        share = 1.0 if full_board else rng.uniform(0.3 if len(board.cells) > 9 else 0.7, 0.97)
        tiles: list[Tile | None] = []
        for cell in board.cells:
            chance = share if cell.kind == "space" else 0.25
            tiles.append(left.pop() if left and rng.random() < chance else None)
        canvas, origin, centres = _draw_board(board, edition, tiles, rng, launch if not number else None)
        h, w = canvas.shape[:2]
        # canvas pixel -> plane: scale, turn a little, shift
        turn = rng.uniform(-0.2, 0.2) if number else 0.0
        if number and rng.random() < 0.2:
            turn = rng.uniform(-3.2, 3.2)
        place = _rigid(turn, x, rng.uniform(-1.5, 1.5) if number else 0.0) @ _scale(1 / pitch) @ _shift(-w / 2, -h / 2)
        reach = max(w, h) / pitch
        if number:
            x_shift = (reach + last) * 0.56
            place = _shift(x_shift, 0) @ place
            x += x_shift
        last = reach
        sheets.append((board, canvas, place @ _shift(*origin) @ _scale(pitch), place, tiles, centres))
        pts = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
        corners.append(camera.apply(place, pts))
    outline = np.concatenate(corners)
    cam = camera.aim(outline, rng, size, harsh)
    image = camera.paint_table(table, cam)
    answer: list[Placed] = []
    for board, canvas, to_plane, place, tiles, centres in sheets:
        camera.lay(image, canvas, cam.homography @ place)
        answer.append(Placed(board, tiles, cam.homography @ to_plane, centres))
    # loose tiles beside the boards
    for _ in range(int(rng.choice([0, 0, 1, 2, 3, 5]))):
        if not left:
            break
        lo, hi = outline.min(0) - 2.5, outline.max(0) + 2.5
        p = rng.uniform(lo, hi)
        if any(cv2.pointPolygonTest(c.astype(np.float32), (float(p[0]), float(p[1])), True) > -0.75 for c in corners):
            continue
        if any(np.hypot(*(p - q)) < 1.3 for q in loose):
            continue
        loose.append((float(p[0]), float(p[1])))
        picture = edition.tile(left.pop())
        c = (edition.side - 1) / 2
        camera.lay(
            image, picture, cam.homography @ _rigid(rng.uniform(0, 6.3), *p) @ _scale(1 / pitch) @ _shift(-c, -c)
        )
    clutter.scatter(image, cam, outline, rng)
    if launch is not None:
        launch.deal([tile is not None for tile in answer[0].tiles])
        launch.place(image, answer[0].homography, cam.up, harsh)
    elif edition.octagon and rng.random() < 0.6 * harsh:
        for placed in answer:
            clutter.ships(image, placed.homography, placed.centres, rng)
    image = camera.develop(image, corners[0], cam, rng, harsh)
    points = camera.apply(cam.homography, np.array(loose).reshape(-1, 2)) if loose else np.zeros((0, 2))
    return Scene(image, answer, points, edition.tile_set.shape, edition, launch)


def draw_nothing(
    rng: np.random.Generator, split: str = "train", *, harsh: float = 1.0, long_side: tuple[int, int] = (760, 1700)
) -> Scene:
    """Draw a scene without any board of ours: other games' boards, loose tiles, blank hexes, clutter."""
    size = rng.uniform(*long_side)
    board = BOARDS[str(rng.choice(["easy", "nexus", "higher"]))]
    pitch = 64
    edition = Edition(board.tile_set, board, split, rng, pitch)
    canvas = clutter.other_board(rng, pitch)
    h, w = canvas.shape[:2]
    place = _rigid(rng.uniform(0, 6.3), 0, 0) @ _scale(1 / pitch) @ _shift(-w / 2, -h / 2)
    outline = camera.apply(place, np.array([[0, 0], [w, 0], [w, h], [0, h]], float))
    cam = camera.aim(outline, rng, size, harsh)
    image = camera.paint_table(clutter.table(rng, split), cam)
    loose: list[NDArray[np.float64]] = []
    if rng.random() < 0.75:
        camera.lay(image, canvas, cam.homography @ place)
        lo, hi = outline.max(0) + 0.8, outline.max(0) + 4
    else:
        lo, hi = outline.min(0), outline.max(0)
    if rng.random() < 0.6:
        for _ in range(int(rng.integers(1, 6))):
            p = rng.uniform(lo, hi)
            if any(np.hypot(*(p - q)) < 1.3 for q in loose):
                continue
            loose.append(p)
            blank = rng.random() < 0.35
            picture = edition.tile(edition.tile_set.tiles[int(rng.integers(len(edition.tile_set.tiles)))]).copy()
            if blank:
                picture[..., :3] = np.clip(np.array(edition.base), 0, 255)
                loose.pop()
            c = (edition.side - 1) / 2
            camera.lay(
                image, picture, cam.homography @ _rigid(rng.uniform(0, 6.3), *p) @ _scale(1 / pitch) @ _shift(-c, -c)
            )
    clutter.scatter(image, cam, outline, rng)
    image = camera.develop(image, outline, cam, rng, harsh)
    points = camera.apply(cam.homography, np.array(loose).reshape(-1, 2)) if loose else np.zeros((0, 2))
    return Scene(image, [], points, edition.tile_set.shape, edition)


def scramble(tile: Tile, tile_set: TileSet, rng: np.random.Generator) -> Tile:
    """Return a tile that does not exist: the same stripes, with any letter, stud, symbol and bonus.

    Pictures of such tiles teach a network to read each mark for itself, not to infer it from the others.
    """
    shows = []
    for attribute in tile_set.attributes:
        label = tile.get(attribute.name)
        if not attribute.stripe:
            label = attribute.labels[int(rng.integers(len(attribute.labels)))]
        shows.append((attribute.name, label))
    return Tile("~" + "|".join(label for _, label in shows), tuple(shows))


# ---------------------------------------------------------------- one board


def _draw_board(
    board: Board,
    edition: Edition,
    tiles: list[Tile | None],
    rng: np.random.Generator,
    launch: Launch | None = None,
) -> tuple[Image, tuple[float, float], NDArray[np.float64]]:
    """Return the board with its tiles (h, w, 4), where board coordinate (0, 0) is on it, and the true centres."""
    pitch = edition.pitch
    centres = np.array(board.centres, np.float64)
    lo, hi = centres.min(0), centres.max(0)
    margin = rng.uniform(0.75, 2.2, 4)
    pad = rng.random() < 0.75 and board.name == "higher"
    if pad:
        margin[0] = rng.uniform(1.9, 2.6)
    if launch is not None:
        margin = np.maximum(margin, launch.room())
    origin = (margin[0] - lo[0]) * pitch, (margin[1] - lo[1]) * pitch
    w, h = int((hi[0] - lo[0] + margin[0] + margin[2]) * pitch), int((hi[1] - lo[1] + margin[1] + margin[3]) * pitch)
    ground = np.array(hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.06, 0.75)))
    if rng.random() < 0.3:
        ground = np.array(edition.base) * rng.uniform(0.8, 1.3)
    canvas = np.empty((h, w, 4), np.uint8)
    canvas[:] = (*np.clip(ground, 0, 255), 255)
    image = np.ascontiguousarray(canvas[..., :3])
    clutter.board_art(image, rng, edition, pitch)
    if launch is not None:
        launch.paint(image, edition, origin)
    elif pad:
        clutter.launch_pad(image, rng, edition, pitch)
    # spaces
    corners = np.array(shape_corners(edition.tile_set.shape))
    drawn = str(rng.choice(["fill line", "fill", "line", "faint"], p=[0.4, 0.2, 0.3, 0.1]))
    fill = tuple(np.clip(ground * rng.uniform(0.5, 1.5) + rng.uniform(-30, 30, 3), 0, 255))
    line = np.clip(ground + rng.choice([-1, 1]) * rng.uniform(40, 140) + rng.uniform(-30, 30, 3), 0, 255)
    space = rng.uniform(0.9, 1.0)
    flower = (
        hsv(rng.uniform(270, 360), rng.uniform(0.2, 0.8), rng.uniform(0.7, 1)),
        hsv(rng.uniform(40, 60), 0.7, 0.95),
    )
    petals = int(rng.integers(3, 7))
    if edition.octagon and rng.random() < 0.7:
        clutter.pipes(image, centres, origin, pitch, rng)
    for cell, centre in zip(board.cells, centres, strict=True):
        c = centre * pitch + origin
        pts = np.round((corners * space * pitch + c) * 16).astype(np.int32)
        if "fill" in drawn:
            cv2.fillPoly(image, [pts], fill, cv2.LINE_AA, 4)
        if "line" in drawn or drawn == "faint":
            colour = tuple(line if drawn != "faint" else ground * 0.85 + line * 0.15)
            cv2.polylines(image, [pts], True, colour, max(1, round(rng.uniform(0.01, 0.035) * pitch)), cv2.LINE_AA, 4)
        if cell.kind == "orchid":
            clutter.flower(image, c, 0.42 * pitch, flower, petals, rng.uniform(0, 6))
    # tiles
    slack = rng.uniform(0.0, 0.035)
    turned = rng.uniform(0.0, 2.5)
    shadow = rng.uniform(-0.05, 0.05, 2) * pitch
    thick = rng.uniform(0, 0.045, 2) * pitch * rng.choice([-1, 1], 2)
    dark = rng.uniform(0.2, 0.8)
    true = centres.copy()
    s = edition.side
    mask = edition.mask()
    side_colour = np.array(hsv(rng.uniform(20, 60), rng.uniform(0, 0.4), rng.uniform(0.15, 0.7)))
    gain = rng.uniform(0, 0.06)
    for i, tile in enumerate(tiles):
        if tile is None:
            continue
        off = rng.normal(0, slack, 2).clip(-0.06, 0.06)
        true[i] += off
        c = true[i] * pitch + origin
        a = np.radians(rng.normal(0, turned))
        if rng.random() < 0.02:
            a = np.radians(rng.uniform(-5, 5))
        m = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0]])
        x0, y0 = int(round(c[0] - s / 2)), int(round(c[1] - s / 2))
        frac = c - (x0 + (s - 1) / 2, y0 + (s - 1) / 2)
        m[:, 2] = (s - 1) / 2 + frac - m[:, :2] @ np.array([(s - 1) / 2, (s - 1) / 2])
        picture = cv2.warpAffine(edition.tile(tile), m, (s, s), flags=cv2.INTER_LINEAR)
        for shift, strength in ((shadow + thick, None), (thick, side_colour)):
            sx, sy = np.round(shift).astype(int)
            y1, y2, x1, x2 = max(0, y0 + sy), min(h, y0 + sy + s), max(0, x0 + sx), min(w, x0 + sx + s)
            sub = (mask[y1 - y0 - sy : y2 - y0 - sy, x1 - x0 - sx : x2 - x0 - sx, None] / 255.0).astype(np.float32)
            part = image[y1:y2, x1:x2]
            if strength is None:
                part[:] = (part * (1 - sub * dark)).astype(np.uint8)
            else:
                part[:] = (part * (1 - sub) + strength * sub).astype(np.uint8)
        y1, y2, x1, x2 = max(0, y0), min(h, y0 + s), max(0, x0), min(w, x0 + s)
        p = picture[y1 - y0 : y2 - y0, x1 - x0 : x2 - x0]
        alpha = (p[..., 3:] / 255.0).astype(np.float32)
        part = image[y1:y2, x1:x2]
        part[:] = np.clip(part * (1 - alpha) + p[..., :3] * (1 + rng.normal(0, gain)) * alpha, 0, 255).astype(np.uint8)
    canvas[..., :3] = image
    if rng.random() < 0.06 and (launch is None or launch.buttons is None):
        canvas[..., 3] = 0
        for i in range(len(tiles)):
            c = np.round((true[i] * pitch + origin) * 16).astype(int)
            cv2.circle(canvas, (int(c[0]), int(c[1])), int(0.6 * pitch * 16), (0, 0, 0, 255), -1, cv2.LINE_AA, 4)
        canvas[..., :3] = image
    return canvas, origin, true


def _shift(x: float, y: float) -> Matrix:
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]], float)


def _scale(s: float) -> Matrix:
    return np.diag([s, s, 1.0])


def _rigid(angle: float, x: float, y: float) -> Matrix:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, x], [s, c, y], [0, 0, 1]], float)
