"""The examples in docstrings, each module under its real name."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = [
    f"boardsight.{folder}.{path.stem}"
    for folder in ("scoring", "vision", "models", "cli", "training")
    for path in sorted((ROOT / folder).glob("*.py"))
    if path.stem not in ("__init__", "__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name in ("torch", "onnx"):
            pytest.skip(f"needs the extra [train]: {error.name}")
        raise
    assert doctest.testmod(module).failed == 0
