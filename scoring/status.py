"""Everything that is wrong with a state, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from boardsight.scoring.boards import Tile
from boardsight.scoring.highscore import DICE
from boardsight.scoring.notation import UNREAD, UNREAD_TEXT, Position, State
from boardsight.scoring.pad import SHIPS, highest_button
from boardsight.scoring.rules import Rules
from boardsight.scoring.ships import assign_rows, completed_rows, ship_on, usable_rows
from boardsight.scoring.take5 import is_special

RESERVE = 3
"""Tiles that the Orchid's reserve holds."""

#: The rule that each kind of problem breaks.
RULES: Mapping[str, str] = MappingProxyType(
    {
        "tile-twice": "each tile of a player exists once",
        "tile-false": "what a tile shows follows from its text: letter and stripes, numbers and symbol and bonus",
        "tiles-drawn": "44 tiles are drawn for Nexus and Scrap Yard, 37 without Scrap Yard, 25 for the Orchid",
        "reserve": "up to three tiles are kept in reserve",
        "orchid-symbols": "the Orchid is played with suns only or moons only, unless suns and moons are agreed",
        "orchid-early": "tiles are moved onto orchid cells after the last tile only",
        "unread": "every tile, card and die can be read",
        "ship-twice": "each ship exists once",
        "ship-nowhere": "a ship stands on a tile",
        "ship-row": "a ship is launched onto a tile that completed a scoring row of its colour, or an all-gold or "
        "all-silver one",
        "ship-own-row": "each ship needs a completed row of its own",
        "ship-order": "simple ships leave in the order of the launch pad",
        "ship-one-a-turn": "at most one advanced ship is launched a turn, so that no two stand on one tile",
        "ship-shared-row": "no advanced ship may stand on another tile of the row that is used",
        "ships-not-played": "without spaceships there are no ships and no ring",
        "ring": "the ring rests on the highest button below the lowest ship still on the pad",
        "card-twice": "each number card exists once",
        "dice": "there are seven dice",
    }
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a state."""

    code: str
    """Key of ``RULES``."""
    message: str
    cells: tuple[str, ...] = ()
    """Cells that it is about, or cards or dice; with the board's name where a state has several boards."""

    @property
    def rule(self) -> str:
        """Return the rule that it breaks."""
        return RULES[self.code]

    def __str__(self) -> str:
        where = f" ({', '.join(self.cells)})" if self.cells else ""
        return f"{self.message}{where}: {self.rule}"


def status(state: State, rules: Rules | None = None) -> tuple[Problem, ...]:
    """Return everything that is wrong with a state; an empty tuple if nothing is."""
    rules = rules or Rules()
    if state.game == "take-5":
        return tuple(_cards(state))
    if state.game == "high-score":
        return tuple(_dice(state))
    problems = [*_tiles(state), *_limit(state, rules)]
    if state.game == "take-it-higher" and state.positions:
        problems += _ships(state, rules)
    return tuple(problems)


def _named(state: State, position: Position, cell: str) -> str:
    return f"{position.board.name} {cell}" if len(state.positions) > 1 else cell


def _tiles(state: State) -> Iterator[Problem]:
    places: dict[str, list[str]] = {}
    for position in state.positions:
        known = position.board.tile_set.by_text
        for cell, tile in zip(position.board.cells, position.tiles, strict=True):
            where = _named(state, position, cell.name)
            if tile is UNREAD:
                yield Problem("unread", f"the tile on {where} could not be read", (where,))
            if not isinstance(tile, Tile):
                continue
            places.setdefault(tile.text, []).append(where)
            right = known.get(tile.text)
            if right is None:
                yield Problem("tile-false", f"{tile.text!r} is no tile of this game", (where,))
            elif right != tile:
                false = [name for name, label in right.shows if (name, label) not in tile.shows]
                yield Problem("tile-false", f"tile {tile.text} shows another {' and '.join(false)}", (where,))
    for kept in state.reserve:
        if isinstance(kept, Tile):
            places.setdefault(kept.text, []).append("reserve")
        else:
            yield Problem("unread", "a tile of the reserve could not be read", ("reserve",))
    for text, cells in places.items():
        if len(cells) > 1:
            yield Problem("tile-twice", f"tile {text} is there {len(cells)} times", tuple(cells))


def _limit(state: State, rules: Rules) -> Iterator[Problem]:
    if len(state.reserve) > RESERVE:
        yield Problem("reserve", f"{len(state.reserve)} tiles are in reserve", ("reserve",))
    yard = state.position("scrapyard")
    if yard and rules.scrapyard == "none" and any(tile is not None for tile in yard.tiles):
        nexus = state.position("nexus")
        drawn = sum(tile is not None for p in (nexus, yard) if p for tile in p.tiles)
        yield Problem("tiles-drawn", f"tiles lie on the Scrap Yard, which is not played; {drawn} tiles were drawn")
    orchid = state.position("orchid")
    if orchid is None:
        return
    drawn = len(state.reserve) + sum(tile is not None for tile in orchid.tiles)
    if drawn > 25:
        yield Problem("tiles-drawn", f"{drawn} tiles were drawn for the Orchid")
    symbols: dict[str, list[str]] = {}
    for cell, tile in orchid.placed():
        symbols.setdefault(tile.get("symbol"), []).append(_named(state, orchid, cell))
    for kept in state.reserve:
        if isinstance(kept, Tile):
            symbols.setdefault(kept.get("symbol"), []).append("reserve")
    if len(symbols) > 1 and not rules.mixed:
        fewer = min(symbols.values(), key=len)
        yield Problem("orchid-symbols", "suns and moons are mixed on the Orchid", tuple(fewer))
    moved = [
        _named(state, orchid, cell.name)
        for cell, tile in zip(orchid.board.cells, orchid.tiles, strict=True)
        if cell.kind == "orchid" and tile is not None
    ]
    if moved and not orchid.full:
        yield Problem("orchid-early", "orchid cells are filled while spaces are empty", tuple(moved))


def _ships(state: State, rules: Rules) -> Iterator[Problem]:
    if rules.ships == "none":
        if state.ships or state.ring:
            yield Problem("ships-not-played", "ships or a ring are there", tuple(cell for cell, _ in state.ships))
        return
    position = state.positions[0]
    stands: dict[str, list[str]] = {}
    for cell, ships in state.ships:
        for ship in ships:
            stands.setdefault(ship, []).append(cell)
        yield from _ships_on(state, position, cell, ships, rules)
    for ship, cells in stands.items():
        if len(cells) > 1:
            yield Problem("ship-twice", f"the {ship} ship is there {len(cells)} times", tuple(cells))
    launched = state.launched
    if rules.ships == "simple" and launched != SHIPS[: len(launched)]:
        missing = next(ship for ship in SHIPS if ship not in launched)
        late = [ship for ship in launched if SHIPS.index(ship) > SHIPS.index(missing)]
        where = tuple(dict.fromkeys(cell for ship in late for cell in stands[ship]))
        yield Problem("ship-order", f"{', '.join(late)} left before {missing}", where)
    right = highest_button(launched)
    # A state without any ship says nothing about which were launched.
    if launched and state.ring is not None and state.ring != right:
        lowest = next((ship for ship in SHIPS if ship not in launched), "")
        why = f"above the {lowest} ship, which is still on the pad" if state.ring > right else f"below {right}"
        yield Problem("ring", f"the ring rests on {state.ring}, {why}")


def _ships_on(state: State, position: Position, cell: str, ships: tuple[str, ...], rules: Rules) -> Iterator[Problem]:
    if position.at(cell) is None:
        yield Problem("ship-nowhere", f"{', '.join(ships)} on an empty space", (cell,))
        return
    rows = completed_rows(position, cell)
    rowless = [ship for ship in ships if not usable_rows(position, rows, ship)]
    for ship in rowless:
        yield Problem("ship-row", f"the {ship} ship stands on no row that launches it", (cell,))
    if not rowless and len(set(ships)) == len(ships) and assign_rows(position, rows, ships) is None:
        yield Problem("ship-own-row", f"{' and '.join(ships)} used one row together", (cell,))
    if rules.ships != "advanced":
        return
    if len(ships) > 1:
        yield Problem("ship-one-a-turn", f"{' and '.join(ships)} stand on one tile", (cell,))
    for ship in ships:
        usable = usable_rows(position, rows, ship)
        others = [ship_on(state, row, cell) for row in usable]
        if usable and all(others):
            name, other = next(found for found in others if found)
            yield Problem("ship-shared-row", f"the {ship} ship shares its row with the {name} ship", (cell, other))


def _cards(state: State) -> Iterator[Problem]:
    numbers = [card for card in state.cards if not is_special(card) and card != UNREAD_TEXT]
    for card in dict.fromkeys(numbers):
        if numbers.count(card) > 1:
            yield Problem("card-twice", f"card {card} is there {numbers.count(card)} times", (card,))
    if unread := state.cards.count(UNREAD_TEXT):
        yield Problem("unread", f"{unread} cards could not be read")


def _dice(state: State) -> Iterator[Problem]:
    if len(state.dice) != DICE:
        yield Problem("dice", f"{len(state.dice)} dice are there", state.dice)
    if unread := state.dice.count(UNREAD_TEXT):
        yield Problem("unread", f"{unread} dice could not be read")
