"""Drawn ships, launch pads and rings are where their scene says."""

from __future__ import annotations

import numpy as np
import pytest

from boardsight.scoring.boards import BOARDS
from boardsight.scoring.pad import BUTTONS, SHIPS, highest_button
from boardsight.training import solids
from boardsight.training.camera import aim, apply
from boardsight.training.fleet import FINNED, PLASTIC, SHAPES, Launch
from boardsight.training.scene import Scene, draw_scene
from boardsight.training.validate_fleet import FleetScore, judge, truth_of
from boardsight.training.windows import MARGIN, WITH_SHIPS, loosened, pieces_of, strip_of, window_of
from boardsight.vision.heads import FLEET
from boardsight.vision.launchpad import STRIP
from boardsight.vision.reading import BoardReading, CellReading, FleetReading, Reading, ShipReading
from boardsight.vision.window import SIZE

LAMP = solids.Lamp(np.array([0.0, 0.0, 1.0]), 0.6, 0.0, 10.0, 0.5, 0.03)


def scene(seed: int) -> Scene:
    return draw_scene(
        np.random.default_rng(seed), boards=WITH_SHIPS, harsh=0.2, full=1.0, long_side=(500, 600), with_launch=True
    )


def test_no_shape_is_in_both_splits() -> None:
    assert not set(SHAPES["train"]) & set(SHAPES["validate"])
    assert set(FINNED) <= set(SHAPES["train"]) | set(SHAPES["validate"])
    assert tuple(PLASTIC) == SHIPS
    for shapes in SHAPES.values():
        for profile in shapes.values():
            radii, heights = np.array(profile).T
            assert heights[0] == 0 and heights[-1] == 1 and (np.diff(heights) >= 0).all()
            assert radii.max() <= 1 and radii[-1] == 0


def test_heights_lean_away_from_the_camera() -> None:
    outline = np.array([[0.0, 0.0], [6.0, 0.0], [6.0, 6.0], [0.0, 6.0]])
    for seed in range(5):
        cam = aim(outline, np.random.default_rng(seed), 800.0, 1.0)
        foot, far = solids.project(cam.homography, cam.up, np.array([[3.0, 3.0, 0.0], [3.0, 3.0, 0.3]]))[0]
        assert foot == pytest.approx(apply(cam.homography, np.array([[3.0, 3.0]]))[0])
        eye = np.linalg.solve(np.column_stack([cam.homography[:, :2], cam.up]), -cam.homography[:, 2])
        assert eye[2] > 3
        # what is higher hides a part of the table that is farther from the camera's foot
        behind = apply(np.asarray(np.linalg.inv(cam.homography), np.float64), far[None])[0]
        away = np.array([3.0, 3.0]) - eye[:2]
        assert (behind - (3.0, 3.0)) @ away >= -1e-9


def test_a_solid_covers_its_foot_and_has_its_colour() -> None:
    image = np.full((200, 200, 3), 90, np.uint8)
    homography = np.diag([100.0, 100.0, 1.0])
    up = np.array([0.0, -20.0, -0.1])
    quads = solids.revolve(np.array([[0.2, 0], [0.2, 0.3], [0, 0.3]])) + (1, 1, 0)
    solids.shadow(image, homography, up, [quads], LAMP, 100)
    solids.stand(image, homography, up, quads, np.broadcast_to(np.array([0.0, 0.0, 250.0]), (len(quads), 3)), LAMP)
    blue, _, red = image[98, 100].astype(int)
    assert red > 120 and blue < 40
    assert (image[10, 10] == 90).all()


def test_solids_are_closed_and_stand_on_the_table() -> None:
    for quads in (solids.box(0.2, 0.1, 0.3), solids.torus(0.2, 0.04), solids.turned(solids.box(1, 1, 1), 0.3)):
        assert quads.shape[1:] == (4, 3)
        assert quads[..., 2].min() == pytest.approx(0, abs=1e-9)


def test_pieces_are_in_the_window_where_they_stand() -> None:
    for seed in range(4):
        drawn = scene(seed)
        launch = drawn.launch
        assert launch is not None
        window, rows = window_of(drawn, loosened(drawn.boards[0].homography, np.random.default_rng(0)))
        assert window.shape == (SIZE[1], SIZE[0], 3)
        assert {FLEET[int(k)] for k in rows[:, 0]} <= {*FLEET}
        assert len(rows) == len(pieces_of(drawn))
        names = [FLEET[int(k)] for k in rows[:, 0]]
        assert len(set(names)) == len(names)
        if launch.buttons is not None and {"0", "200"} <= set(names):
            low, high = rows[names.index("0")], rows[names.index("200")]
            assert low[2] > high[2]


def test_strips_say_where_the_ring_rests() -> None:
    found = 0
    for seed in range(8):
        drawn = scene(seed)
        launch = drawn.launch
        assert launch is not None
        strip = strip_of(drawn, drawn.boards[0].homography)
        assert (strip is None) == (launch.buttons is None)
        if strip is None:
            continue
        found += 1
        picture, rings = strip
        assert picture.shape == (STRIP[1] + 2 * MARGIN, STRIP[0] + 2 * MARGIN, 3)
        seen = {button for button, ring in zip(BUTTONS[::-1], rings, strict=True) if ring == 1}
        assert seen <= {launch.ring}
        assert len(seen) or launch.ring is None or rings[BUTTONS[::-1].index(launch.ring)] == -1
    assert found > 3


def test_ships_stand_on_their_tiles_and_the_ring_on_its_button() -> None:
    board = BOARDS["higher"]
    rings = 0
    for seed in range(60):
        launch = Launch(board, "train", np.random.default_rng(seed))
        launch.deal([True] * len(board.cells))
        assert len({ship.colour for ship in launch.ships}) == len(launch.ships)
        for ship in launch.ships:
            if ship.on_pad:
                assert launch.buttons is not None
                button = launch.buttons[SHIPS.index(ship.colour) + 1]
                assert np.hypot(*(np.array(ship.at) - button)) < launch.size
            else:
                assert np.abs(np.array(ship.at) - board.centres[ship.cell]).max() <= 0.36
        if launch.ring is not None:
            assert launch.ring in BUTTONS
            launched = [ship.colour for ship in launch.ships if not ship.on_pad]
            rings += launch.ring == highest_button(launched)
    assert rings > 15


def reading_of(drawn: Scene, ships: dict[str, str], ring: int | None, certain: bool = True) -> Reading:
    placed = drawn.boards[0]
    spots = apply(placed.homography, np.array(placed.board.centres))
    cells = tuple(
        CellReading(cell.name, tile.text if tile else "--", 0.9999, (float(x), float(y)))
        for cell, tile, (x, y) in zip(placed.board.cells, placed.tiles, spots, strict=True)
    )
    some = tuple(
        ShipReading(name, "" if cell == "pad" else cell, 0.9, (0.0, 0.0), certain=certain)
        for name, cell in ships.items()
    )
    fleet = FleetReading(some, ring)
    flat = tuple(float(v) for v in placed.homography.ravel())
    h, w = drawn.image.shape[:2]
    return Reading("a", (w, h), placed.board.game, (BoardReading(placed.board, cells, flat, fleet=fleet),))


def some_scene() -> Scene:
    for seed in range(40):
        drawn = scene(seed)
        where, ring = truth_of(drawn)
        if len(where) > 3 and ring is not None and judge(drawn, reading_of(drawn, where, ring)).boards:
            return drawn
    raise AssertionError("no scene has ships and a ring")


def test_judging_counts_what_is_wrong_and_whether_it_was_said() -> None:
    drawn = some_scene()
    where, ring = truth_of(drawn)
    right = judge(drawn, reading_of(drawn, where, ring))
    assert (right.exact, right.flagged, right.ships_wrong, right.ring_wrong) == (1, 0, 0, 0)
    fewer = dict(list(where.items())[1:])
    wrong = judge(drawn, reading_of(drawn, fewer, ring, certain=False))
    assert (wrong.exact, wrong.flagged, wrong.ships_wrong) == (0, 1, 1)
    no_ring = judge(drawn, reading_of(drawn, where, None))
    assert (no_ring.exact, no_ring.ring_wrong) == (0, 1)
    assert isinstance(right, FleetScore) and right.ships == len(where)
