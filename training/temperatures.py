"""The table of temperatures beside the networks, as calibration writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from boardsight.models import CALIBRATION


def note(entries: Mapping[str, float], models: Path | None = None) -> None:
    """Write entries into the table in a folder of models, the package's own if none is given; the others stay."""
    path = (models or Path(str(files("boardsight.models").joinpath("manifest.json"))).parent) / CALIBRATION
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**known, **entries}, indent=1) + "\n", "utf-8")
