"""Cards of Take 5!: what lies in a pile, from the ends and the middles of its cards.

An end is a short edge with the numbers in its two corners and the heads between them; it reads upright from its own
side, so that a card that lies open shows two ends that say the same. One unit is half a card's width.
"""

from __future__ import annotations

from types import MappingProxyType

from boardsight.vision.pieces import Decoded, PieceSet, Sighting

END, MIDDLE = 0, 1
"""Kinds of marks: the middle of the strip at a card's end, and the middle of a card that lies open."""
DEPTH = 0.30
"""How far the mark of an end lies below the card's edge."""


def decode_cards(declared: PieceSet, sighting: Sighting, expected: int | None) -> Decoded:
    """Return the cards of a pile."""
    raise NotImplementedError


CARDS = PieceSet(
    name="cards",
    game="take-5",
    kinds=("end", "middle"),
    heads=MappingProxyType(
        {
            "what": ("number", "x2", "+5", "other"),
            "tens": ("", *"123456789"),
            "ones": tuple("0123456789"),
            "colour": ("green", "red"),
            "heads": tuple("01234567"),
        }
    ),
    window=(-1.12, -0.375, 1.12, 0.496),
    pixels=(144, 56),
    decode=decode_cards,
    least=3,
)
"""Cards: heads that are not all in sight are ``0``."""
