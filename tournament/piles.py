"""From the cards that a photo shows to a pile's sheet, and what each doubtful card is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from boardsight.scoring.account import Sheet
from boardsight.scoring.notation import SPECIAL_CARDS, UNREAD_TEXT, State
from boardsight.scoring.take5 import pile_sheet
from boardsight.vision.reading import PieceReading


def pile_state(cards: Sequence[PieceReading], hand: int) -> State:
    """Return the state of a pile with so many special cards, of whatever kind, still in hand."""
    return State("take-5", cards=tuple(card.text for card in cards), hand=(UNREAD_TEXT,) * hand)


def seen_sheet(cards: Sequence[PieceReading], hand: int) -> Sheet:
    """Return the sheet of a pile by the heads that are seen on its cards."""
    seen = {}
    for card in cards:
        shows = dict(card.shows)
        if "heads" in shows:
            seen[card.text] = shows["colour"], int(shows["heads"])
    state = pile_state(cards, hand)
    return pile_sheet(state.cards, state.hand, seen)


def pile_doubts(cards: Sequence[PieceReading], hand: int) -> list[str]:
    """Return a warning for each doubtful card: its reading, the runner-up, and how the total would change."""
    now = seen_sheet(cards, hand).total
    found = []
    for i, card in enumerate(cards):
        if card.certain:
            continue
        where = f"card at ({card.centre[0]:.0f}, {card.centre[1]:.0f})"
        says = f"{where} reads {_say(card.text, card.shows)} ({100 * card.confidence:.0f} % sure)"
        other = replace(card, text=card.runner_up, shows=card.runner_up_shows)
        then = seen_sheet((*cards[:i], other, *cards[i + 1 :]), hand).total
        change = f"would stay {now}" if then == now else f"would be {then} instead of {now}"
        same = card.runner_up == card.text
        may = _say(other.text, other.shows) if same or other.text in SPECIAL_CARDS else other.text
        found.append(f"{says}; it may be {may}, and then the total {change}")
    return found


def _say(text: str, shows: Sequence[tuple[str, str]]) -> str:
    """Return a card's text with its heads, where it has any."""
    faces = dict(shows)
    if "heads" not in faces:
        return text
    return f"{text} with {faces['heads']} {faces['colour']} head{'' if faces['heads'] == '1' else 's'}"
