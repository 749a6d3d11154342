"""Boards and tile sets as data: geometry, lines, tiles, values and colours.

Everything that tells one game from another stands in the declarations at the end of this module; the code
above them knows only lattices, cells, lines and tiles. Source of the facts: the four rulebooks and the tile
list of Take It to the Limit!; which facts are inferred is said at each declaration.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from types import MappingProxyType

from boardsight.scoring.pad import SHIPS

Vector = tuple[int, int]

#: Lattice vector of each row direction; x runs right, y down. Hex vectors are axial (q, r).
HEX_STEPS: Mapping[str, Vector] = MappingProxyType({"v": (0, 1), "u": (1, -1), "d": (1, 0)})
SQUARE_STEPS: Mapping[str, Vector] = MappingProxyType({"v": (0, 1), "h": (1, 0), "d": (1, 1), "u": (1, -1)})

DIRECTION_NAMES: Mapping[str, str] = MappingProxyType(
    {"v": "vertical", "h": "horizontal", "u": "rising", "d": "falling"}
)


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something printed on every tile of a set: a stripe, a letter, a stud, a symbol or a bonus."""

    name: str
    labels: tuple[str, ...]
    """What it can show, as written in notation order; the labels of the classifier's head."""
    stripe: bool = False
    """True where the labels are the numbers of a stripe."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One physical tile: its text in the notation, and what is printed on it."""

    text: str
    shows: tuple[tuple[str, str], ...]
    """Pairs of attribute name and label, in the order of the set's attributes."""

    def get(self, attribute: str) -> str:
        """Return the label that the tile shows for an attribute."""
        for name, label in self.shows:
            if name == attribute:
                return label
        raise KeyError(attribute)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class TileSet:
    """The tiles of one player, each of which exists once."""

    name: str
    shape: str
    """``hexagon`` or ``octagon``."""
    attributes: tuple[Attribute, ...]
    tiles: tuple[Tile, ...]

    @cached_property
    def by_text(self) -> Mapping[str, Tile]:
        """Return the tiles by their text in the notation."""
        return MappingProxyType({tile.text: tile for tile in self.tiles})

    def attribute(self, name: str) -> Attribute:
        """Return the attribute of that name."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Cell:
    """A space of a board: its name and its place in the lattice."""

    name: str
    at: Vector
    kind: str = "space"
    """``space``, or ``orchid`` for one that is filled only by moving a tile there."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a board from edge to edge: cell indices in order, its direction and the stripe that scores in it."""

    direction: str
    attribute: str
    cells: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Board:
    """One board: cells on a lattice, the stripe that runs in each direction, and the tiles that lie on it."""

    name: str
    game: str
    title: str
    lattice: str
    """``hex`` (flat-top hexagons, axial coordinates) or ``square`` (octagons)."""
    cells: tuple[Cell, ...]
    groups: tuple[int, ...]
    """Number of cells in each column (hex) or row (square), for the notation."""
    stripes: Mapping[str, str]
    """Row direction to the name of the tile attribute that runs in it."""
    tile_set: TileSet
    form: str = ""
    """Names an alternative form of a board whose real look is inferred; empty for the usual one."""
    form_note: str = ""
    beside: str = ""
    """Name of the board that it belongs to and shares the tiles with; empty where it is a board of its own."""
    reserve: tuple[float, float, float, float] | None = None
    """Where tiles are kept loose for later: left, top, right and bottom in tile widths; None where none are."""
    ships: tuple[str, ...] = ()
    """Ships that stand on its tiles or on the launch pad left of it, bottom button first; empty without a pad."""
    others: tuple[Board, ...] = field(default=(), repr=False)
    """The alternative forms."""

    @property
    def forms(self) -> tuple[Board, ...]:
        """Return every form of the board, the usual one first."""
        return (self, *self.others)

    @property
    def steps(self) -> Mapping[str, Vector]:
        """Return the lattice vector of each row direction."""
        return HEX_STEPS if self.lattice == "hex" else SQUARE_STEPS

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Return the index of each cell by its name."""
        return MappingProxyType({cell.name: i for i, cell in enumerate(self.cells)})

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Return all rows, direction by direction, each from its upper or left end."""
        at = {cell.at: i for i, cell in enumerate(self.cells)}
        lines: list[Line] = []
        for direction, attribute in self.stripes.items():
            dx, dy = self.steps[direction]
            for x, y in at:
                if (x - dx, y - dy) in at:
                    continue
                run = []
                while (x, y) in at:
                    run.append(at[x, y])
                    x, y = x + dx, y + dy
                lines.append(Line(direction, attribute, tuple(run)))
        return tuple(lines)

    @cached_property
    def lines_through(self) -> tuple[tuple[Line, ...], ...]:
        """Return the rows through each cell."""
        return tuple(tuple(line for line in self.lines if i in line.cells) for i in range(len(self.cells)))

    @cached_property
    def centres(self) -> tuple[tuple[float, float], ...]:
        """Return each cell's centre (x, y), x right, y down, in widths of a tile from flat side to flat side."""
        return tuple(lattice_point(self.lattice, cell.at) for cell in self.cells)

    def form_named(self, form: str) -> Board:
        """Return the board's form of that name.

        Raises KeyError if there is none.
        """
        for board in self.forms:
            if board.form == form:
                return board
        raise KeyError(form)

    def __reduce__(self) -> tuple[Callable[[str, str], Board], tuple[str, str]]:
        """Pickle a declared board by its name and form, so that the copy is the same object."""
        return board_named, (self.name, self.form)


def lattice_point(lattice: str, at: tuple[float, float]) -> tuple[float, float]:
    """Return the centre (x, y) of a lattice position in tile widths (flat side to flat side); x right, y down."""
    x, y = at
    return (x * math.sqrt(3) / 2, y + x / 2) if lattice == "hex" else (float(x), float(y))


def _hex_cells(columns: Sequence[int], orchids: Iterable[str] = ()) -> tuple[Cell, ...]:
    """Return the cells of columns that are centred on one horizontal axis."""
    special = set(orchids)
    cells = []
    for q, count in enumerate(columns):
        top, odd = divmod(columns[0] - count - q, 2)
        if odd:
            raise ValueError(f"columns {tuple(columns)!r} do not interlock at column {q + 1}")
        for k in range(count):
            name = f"c{q + 1}.{k + 1}"
            cells.append(Cell(name, (q, top + k), "orchid" if name in special else "space"))
    return tuple(cells)


def _square_cells(rows: Sequence[int]) -> tuple[Cell, ...]:
    """Return the cells of rows that are centred on one vertical axis."""
    widest = max(rows)
    return tuple(
        Cell(f"r{y + 1}.{k + 1}", ((widest - count) // 2 + k, y)) for y, count in enumerate(rows) for k in range(count)
    )


# ---------------------------------------------------------------- tile sets

EASY_STRIPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"v": ("1", "5", "9"), "u": ("2", "6", "7"), "d": ("3", "4", "8")}
)
LIMIT_STRIPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"v": ("1", "4", "9", "12"), "u": ("2", "6", "7", "11"), "d": ("3", "5", "8", "10")}
)
HIGHER_STRIPES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"white-red": ("1", "8"), "orange-blue": ("2", "7"), "yellow-purple": ("3", "6"), "pink-green": ("4", "5")}
)


def _stripes(table: Mapping[str, tuple[str, ...]]) -> tuple[Attribute, ...]:
    return tuple(Attribute(name, labels, stripe=True) for name, labels in table.items())


def _easy_tiles() -> Iterator[Tile]:
    for v in EASY_STRIPES["v"]:
        for u in EASY_STRIPES["u"]:
            for d in EASY_STRIPES["d"]:
                yield Tile(f"{v}-{u}-{d}", (("v", v), ("u", u), ("d", d)))


def _limit_tiles() -> Iterator[Tile]:
    """Yield the 64 tiles; symbol and bonus follow from the ranks of the numbers (tile list of the rulebook)."""
    for i, v in enumerate(LIMIT_STRIPES["v"]):
        for j, u in enumerate(LIMIT_STRIPES["u"]):
            for k, d in enumerate(LIMIT_STRIPES["d"]):
                symbol = "m" if (i + j + k) % 2 else "s"
                bonus = ""
                if max(i, j, k) <= 1:
                    bonus = "g" if (v, u, d) in (("1", "2", "3"), ("4", "6", "5")) else "v"
                shows = (("v", v), ("u", u), ("d", d), ("symbol", symbol), ("bonus", bonus))
                yield Tile(f"{v}-{u}-{d}{symbol}{bonus}", shows)


def _higher_tiles() -> Iterator[Tile]:
    """Yield the 32 tiles; the letter is a code for the stripes, white, orange, yellow and pink being its bits."""
    for stud in "GS":
        for code, letter in enumerate("ABCDEFGHIJKLMNOP"):
            stripes = tuple(
                (name, low if code & (8 >> bit) else high)
                for bit, (name, (low, high)) in enumerate(HIGHER_STRIPES.items())
            )
            yield Tile(stud + letter, (*stripes, ("letter", letter), ("stud", stud)))


EASY_TILES = TileSet("easy", "hexagon", _stripes(EASY_STRIPES), tuple(_easy_tiles()))
LIMIT_TILES = TileSet(
    "limit",
    "hexagon",
    (*_stripes(LIMIT_STRIPES), Attribute("symbol", ("s", "m")), Attribute("bonus", ("", "v", "g"))),
    tuple(_limit_tiles()),
)
HIGHER_TILES = TileSet(
    "higher",
    "octagon",
    (*_stripes(HIGHER_STRIPES), Attribute("letter", tuple("ABCDEFGHIJKLMNOP")), Attribute("stud", ("G", "S"))),
    tuple(_higher_tiles()),
)

#: The colour name of each stripe's number, by tile set and attribute. That 12 is purple is a guess (about 70 %).
COLOURS: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "easy": {
            "v": {"1": "grey", "5": "turquoise", "9": "yellow"},
            "u": {"2": "pink", "6": "red", "7": "lime"},
            "d": {"3": "magenta", "4": "blue", "8": "orange"},
        },
        "limit": {
            "v": {"1": "grey", "4": "blue", "9": "yellow", "12": "purple"},
            "u": {"2": "pink", "6": "red", "7": "green", "11": "white"},
            "d": {"3": "cherry", "5": "turquoise", "8": "orange", "10": "black"},
        },
        "higher": {
            "white-red": {"1": "white", "8": "red"},
            "orange-blue": {"2": "orange", "7": "blue"},
            "yellow-purple": {"3": "yellow", "6": "purple"},
            "pink-green": {"4": "pink", "5": "green"},
        },
    }
)

# ---------------------------------------------------------------- boards

_PLAIN = MappingProxyType({"v": "v", "u": "u", "d": "d"})

EASY = Board(
    "easy", "take-it-easy", "Take It Easy!", "hex", _hex_cells((3, 4, 5, 4, 3)), (3, 4, 5, 4, 3), _PLAIN, EASY_TILES
)
NEXUS = Board(
    "nexus",
    "take-it-to-the-limit",
    "Nexus",
    "hex",
    _hex_cells((4, 5, 6, 7, 6, 5, 4)),
    (4, 5, 6, 7, 6, 5, 4),
    _PLAIN,
    LIMIT_TILES,
)
SCRAPYARD = Board(
    "scrapyard",
    "take-it-to-the-limit",
    "Scrap Yard",
    "hex",
    _hex_cells((2, 3, 2)),
    (2, 3, 2),
    _PLAIN,
    LIMIT_TILES,
    beside="nexus",
)

# That the triangle points left is inferred (about 85 % sure), so the mirrored board is a second form. The large orchid
# with the loose tiles fills the lower left corner, and the lower right one where the board is mirrored.
ORCHID = Board(
    "orchid",
    "take-it-to-the-limit",
    "Orchid",
    "hex",
    _hex_cells((2, 3, 4, 5, 6, 5), ("c6.3", "c3.1", "c3.4")),
    (2, 3, 4, 5, 6, 5),
    _PLAIN,
    LIMIT_TILES,
    reserve=(-3.0, 1.2, 0.6, 4.8),
    others=(
        Board(
            "orchid",
            "take-it-to-the-limit",
            "Orchid",
            "hex",
            _hex_cells((5, 6, 5, 4, 3, 2), ("c1.3", "c4.1", "c4.4")),
            (5, 6, 5, 4, 3, 2),
            _PLAIN,
            LIMIT_TILES,
            form="right",
            reserve=(3.73, 1.2, 7.33, 4.8),
            form_note="the triangle points right",
        ),
    ),
)

# Which diagonal carries yellow and purple is inferred (about 75 % sure), so the swap is a second form.
HIGHER = Board(
    "higher",
    "take-it-higher",
    "Take It Higher!",
    "square",
    _square_cells((2, 4, 6, 6, 4, 2)),
    (2, 4, 6, 6, 4, 2),
    MappingProxyType({"v": "white-red", "h": "orange-blue", "d": "yellow-purple", "u": "pink-green"}),
    HIGHER_TILES,
    ships=SHIPS,
)
HIGHER = replace(
    HIGHER,
    others=(
        replace(
            HIGHER,
            stripes=MappingProxyType({"v": "white-red", "h": "orange-blue", "d": "pink-green", "u": "yellow-purple"}),
            form="swapped",
            form_note="yellow and purple run on the rising diagonal",
        ),
    ),
)

BOARDS: Mapping[str, Board] = MappingProxyType({b.name: b for b in (EASY, NEXUS, SCRAPYARD, ORCHID, HIGHER)})


@cache
def boards_of(game: str) -> tuple[Board, ...]:
    """Return the boards of a game, in declaration order."""
    return tuple(board for board in BOARDS.values() if board.game == game)


def board_named(name: str, form: str = "") -> Board:
    """Return the declared board of that name and form.

    Raises KeyError if there is none.
    """
    return BOARDS[name].form_named(form)
