"""What must be said about the spaceships of a board: doubts, contradictions, and what each would change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from boardsight.scoring.notation import State
from boardsight.scoring.rules import Rules
from boardsight.scoring.sheets import score
from boardsight.scoring.status import status
from boardsight.vision.reading import FleetReading, Reading, ShipReading


def without_ships(reading: Reading) -> Reading:
    """Return a reading whose boards have neither ships nor ring: what counts where no ships are played."""
    return replace(reading, boards=tuple(replace(board, fleet=None) for board in reading.boards))


def with_fleet(state: State, fleet: FleetReading | None) -> State:
    """Return a state with the ships on its tiles and the ring's button."""
    return state if fleet is None else replace(state, ships=fleet.on_tiles, ring=fleet.ring)


def _doubt(name: str, ship: ShipReading) -> str:
    where = f"{name} {ship.cell}" if ship.cell else f"{name}: the launch pad"
    sure = f"({100 * ship.confidence:.0f} % sure)"
    if not ship.ship:
        return f"{where} may hold the {ship.runner_up} ship; it is read as if none stood there {sure}"
    if not ship.runner_up:
        return f"{where} seems to hold the {ship.ship} ship {sure}; there may be none"
    other = f"the {ship.runner_up} one" if ship.runner_up != ship.ship else "on the next tile"
    return f"{where} seems to hold the {ship.ship} ship {sure}; it may be {other}"


def _ring(name: str, fleet: FleetReading, state: State, rules: Rules) -> Iterator[str]:
    figures = fleet.figures
    if len(figures) > 1:
        yield (
            f"{name}: by the ships on tiles the ring has to rest on {figures[0]}, by those on the launch pad on "
            f"{figures[1]}; one may be hidden"
        )
    changes = ""
    if not fleet.ring_certain:
        then = score(replace(state, ring=fleet.ring_runner_up), rules).total
        changes = f"and then the total would be {then} instead of {score(state, rules).total}"
    sure = f"({100 * fleet.ring_confidence:.0f} % sure)"
    if fleet.ring is None:
        if fleet.launched and figures:
            yield f"{name}: no ring is to be seen; by the ships it has to rest on {figures[0]}, and that is counted"
        elif changes:
            yield f"{name}: no ring is to be seen {sure}; it may rest on {fleet.ring_runner_up}, {changes}"
        return
    if changes:
        other = "nowhere" if fleet.ring_runner_up is None else f"on {fleet.ring_runner_up}"
        yield f"{name}: the ring rests on {fleet.ring} {sure}; it may rest {other}, {changes}"
    if not fleet.agrees and len(figures) == 1:
        yield f"{name}: the ring rests on {fleet.ring}, which counts, but by the ships it has to rest on {figures[0]}"


def fleet_warnings(name: str, fleet: FleetReading, state: State, rules: Rules) -> Iterator[str]:
    """Yield all that must be said about the ships of a board; ``state`` is the board's, ships and ring included."""
    for ship in fleet.ships:
        if not ship.certain:
            yield _doubt(name, ship)
    yield from _ring(name, fleet, state, rules)
    if fleet.missing:
        yield f"{name}: not to be seen on tiles or launch pad: {', '.join(fleet.missing)}"
    for problem in status(state, rules):
        if problem.code == "ship-nowhere":
            yield f"{name}: {problem}"
