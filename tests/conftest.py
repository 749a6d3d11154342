"""What several test modules use."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from boardsight.scoring.boards import BOARDS
from boardsight.scoring.notation import parse_position, tile_text
from boardsight.vision.reading import BoardReading, CellReading

MakeBoard = Callable[..., BoardReading]


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make what the commands print independent of who runs the tests."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def make_board() -> MakeBoard:
    """Return a function that makes the reading of a board out of notation, as if it lay at a place in a photo."""

    def make(
        name: str,
        notation: str,
        *,
        at: tuple[float, float] = (0.0, 0.0),
        doubts: Mapping[str, tuple[float, str]] | None = None,
        form: str = "",
    ) -> BoardReading:
        """Make a reading; `doubts` gives confidence and runner-up of the doubtful cells, by the cells' names."""
        board = BOARDS[name].form_named(form)
        position = parse_position(notation, board)
        cells = []
        for cell, tile, (x, y) in zip(board.cells, position.tiles, board.centres, strict=True):
            confidence, runner_up = (doubts or {}).get(cell.name, (0.99987, ""))
            cells.append(
                CellReading(
                    cell.name,
                    tile_text(tile),
                    confidence,
                    (at[0] + 100 * x, at[1] + 100 * y),
                    runner_up=runner_up,
                    certain=cell.name not in (doubts or {}),
                )
            )
        return BoardReading(board, tuple(cells), (100.0, 0.0, at[0], 0.0, 100.0, at[1], 0.0, 0.0, 1.0))

    return make
