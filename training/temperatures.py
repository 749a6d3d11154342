"""The table of temperatures beside the networks, as calibration writes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path

import numpy as np

from boardsight.models import CALIBRATION

GRID = np.geomspace(0.5, 20, 80)
UNCERTAIN = 1.92
"""Log likelihood that a temperature may cost and still be the true one: half the 95 % point of chi squared (Wilks,
1938). Of all such temperatures the highest is taken, for the fewer scenes there are the less they may be trusted."""


def cautious(cost: Callable[[float], float]) -> float:
    """Return the highest temperature that the scenes do not speak against, at least 1.

    ``cost`` (temperature) is by how many nats all scenes together are less likely than certain.
    """
    costs = np.array([cost(t) for t in GRID])
    return max(1.0, float(GRID[np.flatnonzero(costs <= costs.min() + UNCERTAIN).max()]))


def note(entries: Mapping[str, float], models: Path | None = None) -> None:
    """Write entries into the table in a folder of models, the package's own if none is given; the others stay."""
    path = (models or Path(str(files("boardsight.models").joinpath("manifest.json"))).parent) / CALIBRATION
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**known, **entries}, indent=1) + "\n", "utf-8")
