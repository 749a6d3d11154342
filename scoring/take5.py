"""Take 5!: the heads on the cards, a pile's score, and the table that the cards are played on.

Source: rulebook Take 5!; which numbers bear how many heads is known for some and follows the sister game's rule
for the rest. A photo is scored by the heads that are seen (``pile_sheet`` with `seen`); the table cross-checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boardsight.scoring.account import Sheet, SheetLine
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.notation import SPECIAL_CARDS, UNREAD_TEXT, State

FULL_ROW = 5
"""The card that takes a row is its fifth with heads; special cards do not count."""
MOST_CARDS_A_TURN = 3
PLUS_FIVE, TIMES_TWO, IN_HAND = 5, 2, -10

#: Players to cards in hand and cards on the table (rulebook, "Setup").
SETUP: Mapping[int, tuple[int, int]] = {2: (14, 7), 3: (12, 9), 4: (12, 12), 5: (12, 15), 6: (10, 15)}


def heads(card: str | int) -> tuple[str, int]:
    """Return the colour (``green`` or ``red``) and number of the heads on a number card."""
    number = int(card)
    if number % 11 == 0:
        return "red", 7 if number == 55 else 5
    if number % 10 == 0:
        return "red", 3
    if number % 5 == 0:
        return "red", 2
    return "green", 2 if number % 10 == 2 else 1


def is_special(card: str) -> bool:
    """Return True for x2 and +5."""
    return card in SPECIAL_CARDS


def pile_sheet(
    cards: Sequence[str], hand: Sequence[str] = (), seen: Mapping[str, tuple[str, int]] | None = None
) -> Sheet:
    """Return the sheet of a pile: green less red heads, 5 for each +5, doubled for each x2, less 10 a card in hand.

    `seen` gives colour and number of heads where a photo showed them; the other cards go by the table. An
    unread card counts nothing.
    """
    found: dict[str, list[str]] = {"green": [], "red": [], "+5": [], "x2": []}
    counts = {"green": 0, "red": 0}
    for card in cards:
        if is_special(card):
            found[card].append(card)
        elif card != UNREAD_TEXT:
            colour, number = (seen or {}).get(card) or heads(card)
            found[colour].append(card)
            counts[colour] += number
    plus5, times2 = len(found["+5"]), len(found["x2"])
    single = counts["green"] - counts["red"] + PLUS_FIVE * plus5
    entries = (
        SheetLine("cards", counts["green"], tuple(found["green"]), colour="green", value=1, length=len(found["green"])),
        SheetLine("cards", -counts["red"], tuple(found["red"]), colour="red", value=-1, length=len(found["red"])),
        SheetLine("cards", PLUS_FIVE * plus5, tuple(found["+5"]), value=PLUS_FIVE, length=plus5),
        SheetLine("cards", single * (TIMES_TWO**times2 - 1), tuple(found["x2"]), value=TIMES_TWO, length=times2),
        SheetLine("cards", IN_HAND * len(hand), tuple(hand), value=IN_HAND, length=len(hand)),
    )
    subtotals = {**counts, "plus5": plus5, "times2": times2, "hand": len(hand)}
    lines = tuple(line for line in entries if line.cells)
    return Sheet(lines, subtotals, sum(line.points for line in lines))


def formula(sheet: Sheet) -> str:
    """Return how a pile's total comes about, e.g. ``(5 green - 3 red + 5 x 1) x 2 - 10 x 1 = 4``."""
    count = sheet.subtotals
    text = f"{count['green']} green - {count['red']} red"
    if count["plus5"]:
        text += f" + {PLUS_FIVE} x {count['plus5']}"
    if count["times2"]:
        text = f"({text})" + f" x {TIMES_TWO}" * count["times2"]
    if count["hand"]:
        text += f" - {-IN_HAND} x {count['hand']}"
    return f"{text} = {sheet.total}"


def score_pile(state: State) -> Sheet:
    """Return the sheet of a state of Take 5!."""
    return pile_sheet(state.cards, state.hand)


@dataclass(frozen=True, slots=True)
class Played:
    """A card that was played: the table after it, and the cards that the player takes."""

    table: Table
    taken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows on the table, each a tuple of cards whose last number is the row's final number."""

    rows: tuple[tuple[str, ...], ...]

    @staticmethod
    def final(row: Sequence[str]) -> int:
        """Return the final number of a row: its last card that is not special."""
        return int(next(card for card in reversed(row) if not is_special(card)))

    @property
    def finals(self) -> tuple[int, ...]:
        """Return the final number of each row."""
        return tuple(self.final(row) for row in self.rows)

    def legal_rows(self, card: str) -> tuple[int, ...]:
        """Return the final numbers of the rows that a card may go to.

        A number has one: the highest final number below it, or else the highest of all. A special card goes to
        any row that has none of its kind.
        """
        if not self.rows:
            return ()
        if is_special(card):
            return tuple(self.final(row) for row in self.rows if card not in row)
        below = [final for final in self.finals if final < int(card)]
        return (max(below or self.finals),)

    def problem(self, card: str, row: int | None = None) -> str:
        """Return why a card may not go to the row with that final number, or an empty text if it may."""
        if not self.rows:
            return "no row is left on the table"
        legal = self.legal_rows(card)
        if row is not None and row not in self.finals:
            return f"no row ends with {row}"
        if is_special(card):
            if row is None:
                return f"{card} needs a row, e.g. {card}>{self.finals[0]}"
            return "" if row in legal else f"the row that ends with {row} has a {card} already"
        return "" if row in (None, *legal) else f"{card} belongs to the row that ends with {legal[0]}, not {row}"

    def play(self, card: str, row: int | None = None) -> Played:
        """Return the table after a card, and what it takes: the fifth card with heads takes its whole row.

        A row that is taken leaves the table: hands and table together are five cards a row in every setup.

        Raises BoardsightError if the card may not go there.
        """
        problem = self.problem(card, row)
        if problem:
            raise BoardsightError(problem)
        final = row if row is not None else self.legal_rows(card)[0]
        at = self.finals.index(final)
        grown = (*self.rows[at], card)
        if sum(not is_special(c) for c in grown) >= FULL_ROW:
            return Played(Table((*self.rows[:at], *self.rows[at + 1 :])), grown)
        return Played(Table((*self.rows[:at], grown, *self.rows[at + 1 :])), ())


def game_over(table: Table, hands: Sequence[Sequence[str]]) -> bool:
    """Return True where no player can play a card: hands are empty, or no row takes what is left in them."""
    return not any(table.legal_rows(card) for hand in hands for card in hand)
