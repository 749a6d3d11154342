"""A score sheet as the page lays it out: as the printed one, and below it each line that scores."""

from __future__ import annotations

from dataclasses import dataclass

from boardsight.cli.printing import LAYOUTS, where
from boardsight.scoring.account import SheetLine
from boardsight.scoring.boards import COLOURS, DIRECTION_NAMES
from boardsight.web.colours import ink_on, paint
from boardsight.web.overlay import line_key
from boardsight.web.part import Part


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the printed sheet."""

    name: str
    how: str
    points: int
    keys: str
    """Names of the lines below that make it, separated by spaces."""
    paint: str = ""
    """Its colour, with a number on it in `ink`; empty where it has none."""
    ink: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line that scores, as the page lists it."""

    key: str
    what: str
    where: str
    direction: str
    colour: str
    paint: str
    ink: str
    value: str
    account: str
    points: int


@dataclass(frozen=True, slots=True)
class SheetView:
    """A whole sheet."""

    title: str
    rows: tuple[Row, ...]
    notes: tuple[tuple[str, int], ...]
    entries: tuple[Entry, ...]
    total: int
    certain: bool


_SUBTOTAL_OF = {
    "row": "rows",
    "gold": "golds",
    "silver": "silvers",
    "ring": "take-it-higher",
    "bonus": "bonuses",
    "ray": "ray",
    "penalty": "scrapyard-penalty",
}
"""Which subtotal each kind of line belongs to."""


def _account(line: SheetLine) -> str:
    if line.what == "bonus":
        return "all 3 rows score" if line.length == 3 else f"{line.length} rows score"
    if line.what == "penalty":
        return f"worth {line.value}"
    if line.what == "ring":
        return f"ring on {line.value}"
    if line.length is None or line.value is None or line.length * line.value != line.points:
        return ""
    return f"{line.length} × {line.value}"


def _entry(part: int, n: int, line: SheetLine) -> Entry:
    direction = DIRECTION_NAMES.get(line.direction, "")
    return Entry(
        line_key(part, n),
        line.what,
        where(line),
        direction,
        line.colour,
        paint(line.colour) if line.colour else "",
        ink_on(line.colour) if line.colour else "",
        str(line.value) if line.value is not None and line.colour else "",
        _account(line),
        line.points,
    )


def _colour_rows(part: Part, entries: tuple[SheetLine, ...]) -> list[Row]:
    rows = []
    names = COLOURS[part.state.positions[0].board.tile_set.name].values()
    for value, colour in sorted((int(label), colour) for labels in names for label, colour in labels.items()):
        keys = [line_key(part.number, n) for n, e in enumerate(entries) if e.what == "row" and e.colour == colour]
        tiles = sum(e.length or 0 for e in entries if e.what == "row" and e.colour == colour)
        rows.append(
            Row(
                colour,
                f"{tiles} × {value}",
                tiles * value,
                " ".join(keys),
                paint(colour),
                ink_on(colour),
                str(value),
            )
        )
    return rows


def sheet_view(part: Part) -> SheetView | None:
    """Return the sheet of a part as the page lays it out, or None where it has none yet."""
    if part.sheet is None:
        return None
    layout, lines = LAYOUTS[part.state.game], part.sheet.lines
    rows = _colour_rows(part, lines) if layout.by_colour and part.state.positions else []
    for key, name in layout.lines:
        if key in part.sheet.subtotals:
            keys = [line_key(part.number, n) for n, e in enumerate(lines) if _SUBTOTAL_OF.get(e.what) == key]
            rows.append(Row(name, "", part.sheet.subtotals[key], " ".join(keys)))
    notes = tuple((name, part.sheet.subtotals[key]) for key, name in layout.notes if key in part.sheet.subtotals)
    entries = tuple(_entry(part.number, n, line) for n, line in enumerate(lines))
    return SheetView(layout.title, tuple(rows), notes, entries, part.sheet.total, part.certain)


def game_title(game: str) -> str:
    """Return a game's title; empty for one that is not known."""
    return LAYOUTS[game].title if game in LAYOUTS else ""
