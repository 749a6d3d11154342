"""Pictures of the stages, from stages that are made up here."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from tests.conftest import MakeBoard

from boardsight.vision.debug import bars, heat, montage, stage_pictures, table, write_stages
from boardsight.vision.reading import BoardReading, Reading

STATE = "9-2-3 9-6-8 9-6-4 / 1-2-8 1-6-3 1-7-8 1-2-4 / 1-2-3 1-6-8 5-6-3 5-7-8 1-7-4 / 9-6-3 9-2-8 9-7-3 9-7-8 / "
STATE += "5-2-3 5-6-8 5-7-3"


@pytest.fixture
def reading(make_board: MakeBoard, tmp_path: Path) -> Reading:
    board: BoardReading = make_board("easy", STATE, at=(200.0, 200.0))
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), np.full((800, 1000, 3), 120, np.uint8))
    centres = np.array([cell.centre for cell in board.cells])
    rng = np.random.default_rng(1)
    stages: dict[str, object] = {
        "marks": {"heatmap": rng.random((40, 50, 2)).astype(np.float32), "peaks": np.c_[centres, np.ones(19)]},
        "lattice": [{"detections": centres + 2, "inliers": np.arange(19) > 0, "points": centres}],
        "crops": rng.integers(0, 255, (19, 48, 48, 3), np.uint8),
        "probabilities": {"v": rng.random((19, 3)), "u": rng.random((19, 3))},
        "seconds": {"load": 0.05, "locate": 0.01},
    }
    return Reading(str(path), (1000, 800), "take-it-easy", (board,), stages=stages)


def test_one_picture_a_stage(reading: Reading, tmp_path: Path) -> None:
    paths = write_stages(reading, tmp_path / "new" / "folder")
    assert [p.name for p in paths] == [
        "1-marks.jpg",
        "2-lattice.jpg",
        "3-crops.jpg",
        "4-probabilities.jpg",
        "5-seconds.jpg",
    ]
    for path in paths:
        picture = cv2.imread(str(path))
        assert picture is not None
        assert max(picture.shape) <= 1600
        assert np.ptp(picture) > 50


def test_marks_and_lattice_lie_where_they_belong(reading: Reading) -> None:
    pictures = dict(stage_pictures(reading))
    lattice = pictures["2-lattice"]
    scale = lattice.shape[1] / 1000
    for cell in reading.boards[0].cells:
        x, y = (round(v * scale) for v in cell.centre)
        assert lattice[y, x].max() > 200
    assert abs(int(lattice[-1, -1, 0]) - 72) < 3


@pytest.mark.parametrize(
    "stages",
    [
        {},
        {"marks": np.zeros((4, 5, 2), np.float32)},
        {"marks": {}},
        {"marks": {"heatmap": np.zeros(3), "peaks": "none"}},
        {"lattice": None},
        {"lattice": {"detections": np.zeros((0, 2)), "inliers": [True]}},
        {"lattice": [3, {"points": [[1.0, 2.0]]}]},
        {"crops": np.zeros((0, 8, 8, 3), np.uint8)},
        {"crops": []},
        {"probabilities": {"a": np.zeros(3)}},
        {"probabilities": [("9-2-3", 0.5)]},
        {"seconds": {}},
        {"image": np.zeros((9, 9, 3), np.uint8), "other": object(), "heads": {"x": np.ones((2, 2))}, "text": "so"},
    ],
)
def test_stages_of_any_form_are_tolerated(stages: dict[str, object], reading: Reading, tmp_path: Path) -> None:
    odd = Reading(reading.photo, reading.size, "", reading.boards, stages=stages)
    write_stages(odd, tmp_path)
    write_stages(Reading("gone.jpg", stages=stages), tmp_path)


def test_parts() -> None:
    assert heat(np.array([[0.0, 1.0]])).tolist() == [[[0, 0, 0], [60, 60, 255]]]
    assert montage(np.zeros((1, 8, 8, 3), np.uint8)).shape[2] == 3
    assert bars({}).shape[0] > 0
    assert table({"v": np.array([[0.0, 1.0]])}, ("c1.1 9-2-3",)).max() == 250
