"""The board of High Score: spaces, the 30+ marker, chips and who wins."""

from __future__ import annotations

from collections.abc import Collection, Mapping

ROUNDS = 7
LAST_SPACE = 30
#: Chips from the highest place down, and what each is worth (rulebook, "End of a round").
CHIPS: Mapping[str, int] = {"gold": 3, "silver": 2, "bronze": 1}


def place(score: int, taken: Collection[int]) -> int | None:
    """Return the number that a piece stands for: the next lower free one where its own is taken.

    With zero or less no piece is placed: None.
    """
    number = score
    while number in taken:
        number -= 1
    return number if number > 0 else None


def space(number: int) -> tuple[int, bool]:
    """Return the space on the board, 1 to 30, and whether the 30+ marker lies under the piece.

    37 stands on 7 with the marker, and may share the space with a 7. What is over 60 stands on 30: the
    rulebook, whose dice rarely come so far, is silent.
    """
    return (number, False) if number <= LAST_SPACE else (min(number - LAST_SPACE, LAST_SPACE), True)


def award(places: Mapping[str, int], players: int) -> dict[str, str]:
    """Return the chip of each player who wins one, by where the pieces stand; two players leave silver out."""
    chips = [chip for chip in CHIPS if players > 2 or chip != "silver"]
    order = sorted(places, key=lambda player: -places[player])
    return dict(zip(order, chips, strict=False))


def chip_key(chips: Collection[str]) -> tuple[int, int, int]:
    """Return what ranks a player: points of all chips, then the gold ones, then the silver ones."""
    won = list(chips)
    return sum(CHIPS[chip] for chip in won), won.count("gold"), won.count("silver")
