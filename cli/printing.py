"""Print score sheets for people, laid out as each game's own sheet, and below it what scored where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from rich.box import SIMPLE, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from boardsight.scoring.account import Sheet, SheetLine
from boardsight.scoring.boards import BOARDS, COLOURS, DIRECTION_NAMES
from boardsight.scoring.notation import State
from boardsight.scoring.take5 import formula

#: How a colour of the games looks in a terminal.
TERMINAL_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "grey": "grey62",
        "white": "bright_white",
        "black": "grey42",
        "red": "red3",
        "cherry": "deep_pink4",
        "pink": "pink1",
        "magenta": "magenta3",
        "purple": "medium_purple",
        "orange": "dark_orange",
        "yellow": "yellow1",
        "lime": "green_yellow",
        "green": "green3",
        "turquoise": "turquoise2",
        "blue": "dodger_blue1",
        "gold": "gold3",
        "silver": "grey74",
        "sun": "yellow1",
        "moon": "light_steel_blue",
    }
)


@dataclass(frozen=True, slots=True)
class Layout:
    """What a game's own sheet has lines for."""

    title: str
    by_colour: bool = False
    """True where each colour has a line with the tiles of all its scoring rows."""
    lines: tuple[tuple[str, str], ...] = ()
    """Key of a subtotal and its name on the sheet, from top to bottom."""
    notes: tuple[tuple[str, str], ...] = ()
    """Figures that are shown and not added."""


LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "take-it-easy": Layout("Take It Easy!", by_colour=True),
        "take-it-higher": Layout(
            "Take It Higher!",
            by_colour=True,
            lines=(("golds", "gold"), ("silvers", "silver"), ("take-it-higher", "Take It Higher")),
        ),
        "take-it-to-the-limit": Layout(
            "Take It to the Limit!",
            lines=(("rows", "rows"), ("bonuses", "bonus tiles"), ("ray", "ray"), ("scrapyard-penalty", "Scrap Yard")),
            notes=(("scrapyard-value", "Scrap Yard is worth"),),
        ),
        "take-5": Layout(
            "Take 5!",
            lines=(
                ("green", "green heads"),
                ("red", "red heads"),
                ("plus5", "+5 cards"),
                ("times2", "x2 cards"),
                ("hand", "left in hand"),
            ),
        ),
        "high-score": Layout("High Score", lines=(("counted", "dice that count"), ("remainder", "remainder"))),
    }
)


def _coloured(name: str) -> Text:
    return Text(name, style=TERMINAL_COLOURS.get(name, ""))


def _colour_rows(sheet: Sheet, state: State) -> Iterator[tuple[str, int, int]]:
    """Yield name, value and number of tiles of every colour of the game, lowest value first."""
    tiles = {entry.colour: entry.tiles for entry in sheet.by_colour()}
    names = COLOURS[state.positions[0].board.tile_set.name].values()
    for value, colour in sorted((int(label), colour) for labels in names for label, colour in labels.items()):
        yield colour, value, tiles.get(colour, 0)


def _sheet_table(sheet: Sheet, state: State, layout: Layout, doubtful: bool) -> Table:
    total = Text(f"{sheet.total}{' ?' if doubtful else ''}")
    table = Table(title=layout.title, box=SIMPLE, show_header=False, show_footer=True)
    table.title_justify, table.title_style, table.footer_style = "left", "bold", "bold"
    table.add_column("what", footer="total")
    table.add_column("how", justify="right", style="dim")
    table.add_column("points", footer=total, justify="right")
    if layout.by_colour:
        for colour, value, tiles in _colour_rows(sheet, state):
            table.add_row(_coloured(colour), f"{tiles} x {value} =", str(tiles * value))
    for key, name in layout.lines:
        if key in sheet.subtotals:
            table.add_row(_coloured(name), "", str(sheet.subtotals[key]))
    return table


def where(line: SheetLine) -> str:
    """Return the ends of a row, the cell of a bonus tile, or the board that a penalty is for."""
    if line.what == "penalty":
        return BOARDS[line.board].title
    if line.direction and len(line.cells) > 1:
        return f"{line.cells[0]} to {line.cells[-1]}"
    return " ".join(line.cells)


def _account(line: SheetLine) -> str:
    """Return how a line's points come about."""
    if line.what == "bonus":
        return "all 3 rows" if line.length == 3 else f"{line.length} rows"
    if line.what == "penalty":
        return f"worth {line.value}"
    if line.what == "ring":
        return f"on {line.value}"
    if line.length is None or line.value is None or line.length * line.value != line.points:
        return ""
    return f"{line.length} x {line.value}"


def _lines_table(lines: Iterable[SheetLine]) -> Table:
    table = Table(box=SIMPLE_HEAD, header_style="dim")
    for heading in ("", "where", "direction", "colour"):
        table.add_column(heading)
    table.add_column("length x value", justify="right")
    table.add_column("points", justify="right")
    for line in lines:
        direction, account = DIRECTION_NAMES.get(line.direction, ""), _account(line)
        table.add_row(
            line.what,
            where(line),
            direction,
            _coloured(line.colour),
            f"{account} =" if account else "",
            str(line.points),
        )
    return table


def print_sheet(console: Console, state: State, sheet: Sheet, *, certain: bool = True) -> None:
    """Print a score sheet as the game's own is laid out, and below it each line that scores."""
    layout = LAYOUTS[state.game]
    console.print(_sheet_table(sheet, state, layout, not certain))
    if state.game == "take-5":
        console.print(f"  {formula(sheet)}\n")
    for key, name in layout.notes:
        if key in sheet.subtotals:
            console.print(f"  {name} {sheet.subtotals[key]}\n", style="dim")
    if sheet.lines:
        console.print(_lines_table(sheet.lines))
    elif state.positions:
        console.print("  No row scores.\n")


def print_fleet(console: Console, state: State) -> None:
    """Print which ships stand where and on which button the ring rests; nothing where a state has neither."""
    for cell, ships in state.ships:
        parts = [part for ship in ships for part in (", ", _coloured(ship))][1:]
        console.print(Text.assemble(f"  {cell}  ", *parts))
    if state.ring is not None:
        console.print(f"  the ring rests on {state.ring}")
    if state.ships or state.ring is not None:
        console.print()


def print_dice(console: Console, dice: Sequence[str]) -> None:
    """Print the faces of a throw."""
    if dice:
        console.print(f"  dice  {' '.join(dice)}\n", highlight=False)


def print_scorings(console: Console, scorings: Mapping[str, Mapping[str, int]]) -> None:
    """Print what dice are worth under each scoring, a column for each value of the vortex."""
    if not scorings:
        return
    values = tuple(next(iter(scorings.values())))
    several = len(values) > 1
    title = "High Score, by what a vortex is worth" if several else "High Score"
    table = Table(title=title, box=SIMPLE_HEAD, header_style="dim")
    table.title_justify, table.title_style = "left", "bold"
    table.add_column("scoring")
    for value in values:
        table.add_column(value if several else "total", justify="right")
    for scoring, totals in scorings.items():
        table.add_row(scoring, *map(str, totals.values()))
    console.print(table)


def print_warnings(console: Console, warnings: Iterable[str]) -> None:
    """Print each warning on a line of its own."""
    for warning in warnings:
        console.print(Text.assemble(("warning: ", "yellow"), warning), soft_wrap=True)
