"""The games' colours as the page shows them, and pictures of single tiles. A number always stands beside a colour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from boardsight.scoring.boards import BOARDS, COLOURS, Tile, TileSet
from boardsight.vision.annotate import PALETTE


def _hex(bgr: tuple[int, int, int]) -> str:
    blue, green, red = bgr
    return f"#{red:02x}{green:02x}{blue:02x}"


PAINT: Mapping[str, str] = MappingProxyType({name: _hex(bgr) for name, bgr in PALETTE.items()})
"""The colours of the annotated pictures, as CSS has them."""


def paint(name: str) -> str:
    """Return a colour of the games as CSS has it; white for one that is not known."""
    return PAINT.get(name, "#ffffff")


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb``, 0 to 1 (WCAG 2.2)."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast_ratio(one: str, other: str) -> float:
    """Return the contrast of two colours ``#rrggbb``, 1 to 21 (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def ink_on(name: str) -> str:
    """Return the ink that stands out more from a colour of the games."""
    return max(("#000000", "#ffffff"), key=lambda ink: contrast_ratio(ink, paint(name)))


@dataclass(frozen=True, slots=True)
class Stripe:
    """One stripe of a tile in its picture of 100 x 100."""

    colour: str
    ink: str
    number: str
    turn: int
    """Degrees by which a vertical stripe is turned."""
    at: tuple[int, int]
    """Where its number stands."""


#: Where each stripe of a tile runs, in degrees clockwise from vertical, and where its number stands.
_HEXAGON = {"v": (0, (50, 22)), "u": (60, (25, 64)), "d": (-60, (75, 64))}
_TURNS = {"v": 0, "h": 90, "d": -45, "u": 45}
_OCTAGON_NUMBERS = {"v": (50, 15), "h": (15, 53), "d": (80, 80), "u": (80, 25)}
"""In which direction the eye finds each number of an octagon's stripes."""


def stripes(tile: Tile, tile_set: TileSet) -> tuple[Stripe, ...]:
    """Return the stripes of a tile, those that lie under the others first."""
    found = []
    board = next(b for b in BOARDS.values() if b.tile_set is tile_set)
    for direction, attribute in board.stripes.items():
        label = tile.get(attribute)
        colour = COLOURS[tile_set.name][attribute][label]
        if tile_set.shape == "hexagon":
            turn, at = _HEXAGON[direction]
        else:
            turn, at = _TURNS[direction], _OCTAGON_NUMBERS[direction]
        found.append(Stripe(paint(colour), ink_on(colour), label, turn, at))
    return tuple(found)
