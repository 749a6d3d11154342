"""Draw the spaceships and the ring of a board into its annotated picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from boardsight.scoring.pad import BUTTONS
from boardsight.vision import ink
from boardsight.vision.ink import Colour, Label, Spot
from boardsight.vision.photo import Image
from boardsight.vision.reading import BoardReading, FleetReading, Point


def in_sight(board: BoardReading, nearer: float) -> list[Point]:
    """Return what of a board a picture must show: its tiles and spaces, and where ships are read its launch pad.

    A button is given ``nearer`` pixels nearer to the board, as it needs less of a margin.
    """
    spots = [cell.centre for cell in board.pieces]
    fleet = board.fleet
    if fleet is None or not fleet.buttons or not (fleet.ships or fleet.ring is not None):
        return spots
    x = sum(spot[0] for spot in spots) / len(spots)
    y = sum(spot[1] for spot in spots) / len(spots)
    for bx, by in fleet.buttons:
        away = max(1.0, ((bx - x) ** 2 + (by - y) ** 2) ** 0.5)
        share = max(0.0, 1 - nearer / away)
        spots.append((x + (bx - x) * share, y + (by - y) * share))
    return spots


def draw_fleet(
    image: Image,
    fleet: FleetReading,
    view: Callable[[float, float], Spot],
    tile: float,
    palette: Mapping[str, Colour],
    doubt: Colour,
) -> None:
    """Mark each ship with a circle and its name in its colour, and the ring with its button's figure.

    ``view`` maps pixels of the full photo to the picture's; ``tile`` is a tile's width there. Doubtful ones are in the
    colour of doubt.
    """
    line = max(1.5, 0.02 * tile)
    for ship in fleet.ships:
        x, y = view(*ship.at)
        name = ship.ship or ship.runner_up
        colour = palette.get(name, ink.LIGHT)
        ink.ring(image, (x, y), 0.15 * tile, colour if ship.certain else doubt, line)
        text = name if ship.certain else f"{name} ?"
        plate = colour if ship.certain else doubt
        label = Label((text,), (x, y + 0.24 * tile), 0.085 * tile, plate, None if ship.certain else ink.DARK)
        ink.write(image, label)
    if fleet.ring is not None and fleet.buttons:
        step = view(*fleet.buttons[1])[1] - view(*fleet.buttons[0])[1]
        aside = view(*fleet.buttons[1])[0] - view(*fleet.buttons[0])[0]
        apart = (step * step + aside * aside) ** 0.5
        x, y = view(*fleet.buttons[BUTTONS.index(fleet.ring)])
        colour = palette["gold"] if fleet.ring_certain else doubt
        ink.ring(image, (x, y), 0.55 * apart, colour, 1.5 * line)
        text = f"ring {fleet.ring}" + ("" if fleet.ring_certain else " ?")
        label = Label((text,), (x, y), 0.1 * tile, colour)
        # beside the button, on the side away from the line of buttons
        turn = (-step / max(apart, 1e-6), aside / max(apart, 1e-6))
        side = 0.65 * apart + 0.5 * label.size[0]
        ink.write(image, label.moved(turn[0] * side, turn[1] * side))
