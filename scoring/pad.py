"""The launch pad of Take It Higher!: its ships, its buttons and where the ring rests."""

from __future__ import annotations

from collections.abc import Collection

#: The ships in the order of the launch pad, from the bottom up (rulebook, "Spaceships").
SHIPS: tuple[str, ...] = (
    "white",
    "orange",
    "yellow",
    "pink",
    "green",
    "purple",
    "blue",
    "red",
    "silver",
    "gold",
)

BUTTON_STEP = 20
"""Points between one button of the pad and the next."""

BUTTONS: tuple[int, ...] = tuple(BUTTON_STEP * i for i in range(len(SHIPS) + 1))
"""Where the ring can rest: 0 (off the pad), 20, 40, ... 200."""


def highest_button(launched: Collection[str]) -> int:
    """Return the highest button below the lowest ship that is still on the pad: the Take It Higher bonus."""
    for i, ship in enumerate(SHIPS):
        if ship not in launched:
            return BUTTONS[i]
    return BUTTONS[-1]
