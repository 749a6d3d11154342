"""Every kind of loose pieces that is read. A new kind is one declaration in this list and its two networks."""

from __future__ import annotations

from boardsight.vision.cards import CARDS
from boardsight.vision.dice import DICE
from boardsight.vision.pieces import PieceSet

PIECE_SETS: tuple[PieceSet, ...] = (DICE, CARDS)
