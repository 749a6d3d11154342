"""Launch the spaceships of Take It Higher!: what is legal after a placement, and why something is not.

Source: rulebook Take It Higher!, "Simple spaceships" and "Advanced spaceships".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from boardsight.scoring.account import SheetLine
from boardsight.scoring.notation import Position, State
from boardsight.scoring.pad import SHIPS, highest_button
from boardsight.scoring.sheets import row_line, stud_line

KINDS = ("simple", "advanced")


@dataclass(frozen=True, slots=True)
class Launch:
    """One legal launch: the ships, the tile they fly to, the row that each uses, and the ring after it."""

    cell: str
    ships: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Cells of the row that each ship uses."""
    ring: int
    """Highest button that the ring reaches with this launch."""


def completed_rows(position: Position, cell: str) -> tuple[SheetLine, ...]:
    """Return the scoring rows through a cell; those that were completed if its tile was the last one placed."""
    lines = position.board.lines_through[position.board.index[cell]]
    return tuple(entry for line in lines if (entry := row_line(position, line)) is not None)


def _serves(position: Position, entry: SheetLine, ship: str) -> bool:
    """Return True where a scoring row can launch a ship: of its colour, or all gold or silver."""
    if ship in ("gold", "silver"):
        bonus = stud_line(position, entry)
        return bonus is not None and bonus.what == ship
    return entry.colour == ship


def usable_rows(position: Position, rows: Sequence[SheetLine], ship: str) -> tuple[SheetLine, ...]:
    """Return those of some scoring rows that can launch a ship."""
    return tuple(entry for entry in rows if _serves(position, entry, ship))


def ship_on(state: State, entry: SheetLine, cell: str) -> tuple[str, str] | None:
    """Return a ship that stands on another tile of a row than `cell`, and where; None if there is none."""
    for other, ships in state.ships:
        if other != cell and other in entry.cells:
            return ships[0], other
    return None


def assign_rows(position: Position, rows: Sequence[SheetLine], ships: Sequence[str]) -> tuple[SheetLine, ...] | None:
    """Return a different row for each ship, or None if there is no such choice."""
    for chosen in permutations(rows, len(ships)):
        if all(_serves(position, entry, ship) for entry, ship in zip(chosen, ships, strict=True)):
            return chosen
    return None


def _launch(state: State, cell: str, ships: Sequence[str], rows: Sequence[SheetLine]) -> Launch:
    ring = highest_button({*state.launched, *ships})
    return Launch(cell, tuple(ships), tuple(entry.cells for entry in rows), ring)


def launches(state: State, cell: str, kind: str = "simple") -> tuple[Launch, ...]:
    """Return every legal launch after a tile was placed on a cell, none being legal always.

    `state` has the tile on its board already. Simple ships leave in the order of the launch pad, as many as
    rows were completed; advanced ships in any order, one a turn, and only if no ship stands on another tile of
    the row that is used.
    """
    position = state.positions[0]
    rows = completed_rows(position, cell)
    on_pad = [ship for ship in SHIPS if ship not in state.launched]
    found = []
    if kind == "advanced":
        for ship in on_pad:
            for entry in rows:
                if _serves(position, entry, ship) and not ship_on(state, entry, cell):
                    found.append(_launch(state, cell, (ship,), (entry,)))
                    break
        return tuple(found)
    for n in range(1, len(rows) + 1):
        chosen = assign_rows(position, rows, on_pad[:n]) if n <= len(on_pad) else None
        if chosen is None:
            break
        found.append(_launch(state, cell, on_pad[:n], chosen))
    return tuple(found)


def launch_problem(state: State, cell: str, ships: Sequence[str], kind: str = "simple") -> str:
    """Return why a launch after a placement on a cell is illegal, or an empty text if it is legal."""
    if any(launch.ships == tuple(ships) for launch in launches(state, cell, kind)):
        return ""
    for ship in ships:
        if ship not in SHIPS:
            return f"{ship!r} is no ship"
        if ship in state.launched:
            return f"the {ship} ship was launched before"
    if len(set(ships)) < len(ships):
        return "a ship is launched twice"
    if kind == "advanced" and len(ships) > 1:
        return "advanced ships leave one a turn"
    position = state.positions[0]
    rows = completed_rows(position, cell)
    for ship in ships:
        usable = usable_rows(position, rows, ship)
        if not usable:
            what = f"all-{ship} scoring row" if ship in ("gold", "silver") else f"{ship} row"
            return f"no {what} was completed on {cell}"
        if kind == "advanced" and (blocker := ship_on(state, usable[0], cell)):
            return f"the {blocker[0]} ship stands on {blocker[1]}, on the row that the {ship} ship needs"
    expected = [ship for ship in SHIPS if ship not in state.launched][: len(ships)]
    if list(ships) != expected:
        return f"ships leave in the order of the launch pad: next is {expected[0]}"
    return "each ship needs a completed row of its own"


def with_launch(state: State, cell: str, ships: Sequence[str]) -> State:
    """Return the state after a launch, the ring moved to its highest button; legality is not checked."""
    stands = dict(state.ships)
    stands[cell] = (*stands.get(cell, ()), *ships)
    after = replace(state, ships=tuple(stands.items()))
    return replace(after, ring=highest_button(after.launched))


def open_launches(state: State, kind: str = "simple") -> tuple[Launch, ...]:
    """Return every launch that is legal if its tile was the last one placed, for all tiles without a ship."""
    taken = {cell for cell, _ in state.ships}
    cells = [name for name, _ in state.positions[0].placed() if name not in taken]
    return tuple(launch for cell in cells for launch in launches(state, cell, kind))
