"""Check the reader on drawn boards with spaceships, launch pad and ring.

``python -m boardsight.training.validate_fleet --boards 400`` prints on how many boards tiles, ships and ring are all
right, and how many of the others the reader was not certain of.
"""

from __future__ import annotations

import argparse
import multiprocessing
from dataclasses import dataclass, field

import cv2
import numpy as np

from boardsight.training.camera import apply
from boardsight.training.scene import Scene, draw_scene
from boardsight.training.validate import photo_of, reader
from boardsight.training.windows import WITH_SHIPS
from boardsight.vision.reading import EMPTY, BoardReading, Reading

NEAR = 0.15
"""How near a ship must stand to a place, in tile widths, to be the one that is in doubt there."""


@dataclass
class FleetScore:
    """What was read of one scene; counts are of boards where nothing else is said."""

    seed: int = 0
    boards: int = 0
    exact: int = 0
    flagged: int = 0
    """Not exact, and the reading says that it is not certain."""
    doubted: int = 0
    """Exact, and the reading says that it is not certain."""
    tiles_wrong: int = 0
    ships: int = 0
    ships_wrong: int = 0
    """Ships that stand elsewhere than read, are not read, or are read and not there."""
    ring_wrong: int = 0
    ring_silent: int = 0
    """Rings that are wrong and called certain."""
    judged: list[tuple[float, bool]] = field(default_factory=list)
    """Confidence and whether it was right, for each ship, each place in doubt and the ring."""
    notes: list[str] = field(default_factory=list)


def truth_of(scene: Scene) -> tuple[dict[str, str], int | None]:
    """Return where each ship of a scene's first board is, ``pad`` or a cell's name, and the ring's button.

    Ships and buttons that the picture cuts off are left out.
    """
    launch, placed = scene.launch, scene.boards[0]
    if launch is None:
        return {}, None
    h, w = scene.image.shape[:2]

    def seen(at: tuple[float, float]) -> bool:
        spot = apply(placed.homography, np.array([at]))[0]
        return bool((spot > 0).all() and (spot < (w, h)).all())

    where = {
        ship.colour: "pad" if ship.on_pad else placed.board.cells[ship.cell].name
        for ship in launch.ships
        if seen(ship.at)
    }
    ring = launch.ring
    if ring is not None and launch.buttons is not None:
        button = launch.buttons[ring // 20]
        ring = ring if seen((float(button[0]), float(button[1]))) else None
    return where, ring


def judge_fleet(scene: Scene, board: BoardReading, score: FleetScore) -> bool:
    """Compare ships and ring of a board with a scene's answer; return True where all are right."""
    fleet = board.fleet
    where, ring = truth_of(scene)
    score.ships += len(where)
    if fleet is None:
        score.ships_wrong += len(where)
        return not where and ring is None
    read = {ship.ship: ship.cell or "pad" for ship in fleet.ships if ship.ship}
    wrong = [name for name in {*where, *read} if where.get(name) != read.get(name)]
    score.ships_wrong += len(wrong)
    score.notes += [f"{name} {where.get(name)} read {read.get(name)}" for name in wrong]
    launch = scene.launch
    back = np.linalg.inv(np.array(board.homography).reshape(3, 3))
    for ship in fleet.ships:
        if ship.ship:
            right = where.get(ship.ship) == read[ship.ship]
        else:
            at = apply(back, np.array([ship.at]))[0]
            feet = [other.at for other in launch.ships] if launch is not None else []
            right = all(np.hypot(at[0] - x, at[1] - y) > NEAR for x, y in feet)
        score.judged.append((ship.confidence, right))
    if fleet.buttons:
        score.judged.append((fleet.ring_confidence, fleet.ring == ring))
    if fleet.ring != ring:
        score.ring_wrong += 1
        score.ring_silent += fleet.ring_certain
        score.notes.append(f"ring {ring} read {fleet.ring}")
    return not wrong and fleet.ring == ring


def judge(scene: Scene, reading: Reading) -> FleetScore:
    """Compare a reading with a scene's answer; a board that the picture cuts off does not count."""
    score = FleetScore()
    placed = scene.boards[0]
    centres = apply(placed.homography, np.array(placed.board.centres))
    if ((centres < 0) | (centres > (scene.image.shape[1], scene.image.shape[0]))).any():
        return score
    score.boards = 1
    boards = [b for b in reading.boards if b.board.name == placed.board.name]
    if reading.fault is not None or not boards:
        score.flagged = 1
        score.notes.append(reading.fault.code if reading.fault else "not found")
        return score
    board = boards[0]
    wanted = [tile.text if tile else EMPTY for tile in placed.tiles]
    score.tiles_wrong = sum(a != cell.tile for a, cell in zip(wanted, board.cells, strict=True))
    good = judge_fleet(scene, board, score) and not score.tiles_wrong
    score.exact = int(good)
    score.flagged = int(not good and not reading.certain)
    score.doubted = int(good and not reading.certain)
    return score


def one(job: tuple[int, str, float]) -> FleetScore:
    """Draw and read one scene: its seed, its split and how harsh it is."""
    seed, split, harsh = job
    cv2.setNumThreads(1)
    rng = np.random.default_rng([971, seed])
    kind = WITH_SHIPS[seed % len(WITH_SHIPS)]
    scene = draw_scene(rng, split, boards=(kind,), harsh=harsh, full=0.75, long_side=(1200, 2000), with_launch=True)
    score = judge(scene, reader().read_photo(photo_of(scene.image)))
    score.seed = seed
    return score


def main() -> None:
    """Print what was read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--split", default="validate")
    parser.add_argument("--boards", type=int, default=400)
    parser.add_argument("--harsh", type=float, default=0.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="name the scenes that were not exact")
    args = parser.parse_args()
    jobs = [(args.first + i, args.split, args.harsh) for i in range(args.boards)]
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        scores = pool.map(one, jobs, chunksize=4)
    names = (
        "boards",
        "exact",
        "flagged",
        "doubted",
        "tiles_wrong",
        "ships",
        "ships_wrong",
        "ring_wrong",
        "ring_silent",
    )
    n = {name: sum(getattr(score, name) for score in scores) for name in names}
    bad = n["boards"] - n["exact"]
    print(f"rendered by this project, split {args.split!r}, harshness {args.harsh}")
    print(
        f"{n['boards']} boards with ships: {n['exact']} exact ({n['exact'] / max(1, n['boards']):.1%}), "
        f"{n['tiles_wrong']} tiles, {n['ships_wrong']} of {n['ships']} ships and {n['ring_wrong']} rings wrong, "
        f"{n['ring_silent']} of these called certain"
    )
    print(f"not exact: {bad}, of which {n['flagged']} are not called certain ({n['flagged'] / max(1, bad):.1%})")
    print(f"exact, but not called certain: {n['doubted']}")
    if args.list:
        for score in scores:
            if score.exact < score.boards:
                print(score.seed, "flagged" if score.flagged else "SILENT", score.tiles_wrong, "; ".join(score.notes))


if __name__ == "__main__":
    main()
