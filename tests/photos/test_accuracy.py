"""The command that prints the accuracy table, with a reader that is made up here."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from tests.photos import accuracy
from tests.photos.drawn import DRAWINGS

from boardsight.vision.reading import Fault, Reading


class Blind:
    """A reader that finds no board anywhere."""

    def read(self, path: str) -> Reading:
        """Return that there is no board."""
        return Reading(path, fault=Fault("no-board", "no board"))


@pytest.fixture(autouse=True)
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("boardsight.vision.reader")
    monkeypatch.setattr(module, "Reader", Blind, raising=False)
    monkeypatch.setitem(sys.modules, "boardsight.vision.reader", module)


def test_negatives_that_read_nothing_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert accuracy.main(["drawn negatives", "--variant", "as it is"]) == 0
    out = capsys.readouterr().out
    assert f"{len(DRAWINGS)}       {len(DRAWINGS)}" in out
    assert "FAILED" not in out


def test_samples_that_are_not_read_fail(capsys: pytest.CaptureFixture[str]) -> None:
    assert accuracy.main(["samples", "--variant", "as it is", "--faults"]) == 1
    out = capsys.readouterr().out
    assert "FAILED: samples, as it is: 0 boards exact" in out
    assert "as it is: easy_1.jpg: easy no-board" in out


def test_an_unknown_set_is_wrong_usage() -> None:
    with pytest.raises(SystemExit) as stopped:
        accuracy.main(["nowhere"])
    assert stopped.value.code == 2
