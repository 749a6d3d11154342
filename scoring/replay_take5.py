"""Replay rounds of Take 5!: the table, the hands if they are known, and every turn.

``table | 97 3 41 ...`` gives the first card of each row. ``deal | 34 x2 ... | ...`` gives the hands and may be
left out. ``turn | 34 x2>97 | 36`` gives each player's one to three cards, a special card with the final number
of its row; ``-`` for a player who has none to play. ``hand | x2 | -`` gives the special cards that are left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from boardsight.scoring.errors import NotationError
from boardsight.scoring.match import Call, Match
from boardsight.scoring.notation import UNREAD_TEXT, State, parse_card
from boardsight.scoring.record import PlayerRound, Refusal, RoundResult
from boardsight.scoring.sheets import score
from boardsight.scoring.take5 import MOST_CARDS_A_TURN, SETUP, Table, game_over, is_special

NONE = "-"


class PileRound:
    """One round while it is replayed; it does not leave this module."""

    def __init__(self, match: Match, first: int) -> None:
        self.match = match
        count = len(match.players)
        self.order = [(first + i) % count for i in range(count)]
        self.table: Table | None = None
        self.hands: list[list[str]] | None = None
        self.left: list[list[str]] | None = None
        self.piles: list[list[str]] = [[] for _ in match.players]
        self.numbers: dict[str, str] = {}
        self.turns = 0
        self.refusals: list[Refusal] = []

    def refuse(self, line: int, move: str, reason: str, player: str = "") -> None:
        """Note a move that is left out."""
        self.refusals.append(Refusal(line, player, move, reason))

    def _cards(self, line: int, entry: str, player: str = "") -> list[str]:
        """Return the cards of an entry that exist."""
        cards = []
        for word in entry.split() if entry != NONE else []:
            try:
                card = parse_card(word, entry)
            except NotationError as error:
                self.refuse(line, entry, str(error), player)
                continue
            if card == UNREAD_TEXT:
                self.refuse(line, entry, "an unread card cannot be played", player)
            else:
                cards.append(card)
        return cards

    def play(self, line: int, call: Call) -> None:
        """Play one line, noting what is refused."""
        if call.call == "table":
            self._lay_table(line, call)
        elif call.call == "deal":
            self._deal(line, call)
        elif call.call == "turn":
            self._turn(line, call)
        elif call.call == "hand":
            self._show_hands(line, call)
        else:
            self.refuse(line, call.call, "a line of Take 5! begins with table, deal, turn or hand")

    def _lay_table(self, line: int, call: Call) -> None:
        if self.table is not None:
            self.refuse(line, str(call), "the table was laid before")
            return
        cards = self._cards(line, call.entries[0])
        if any(is_special(card) for card in cards):
            self.refuse(line, str(call), "rows begin with a number card")
        rows = [card for card in dict.fromkeys(cards) if not is_special(card)]
        expected = SETUP.get(len(self.match.players), (0, len(rows)))[1]
        if len(rows) != expected:
            self.refuse(line, str(call), f"{expected} cards are laid for {len(self.match.players)} players")
        self.table = Table(tuple((card,) for card in rows))
        self.numbers.update((card, "on the table") for card in rows)

    def _deal(self, line: int, call: Call) -> None:
        if self.hands is not None or self.turns:
            self.refuse(line, str(call), "cards are dealt once, before the first turn")
            return
        self.hands = []
        expected = SETUP.get(len(self.match.players), (0, 0))[0]
        dealt = Counter(self.numbers)
        for player, entry in zip(self.match.players, call.entries, strict=True):
            cards = self._cards(line, entry, player)
            if len(cards) != expected:
                self.refuse(line, entry, f"{expected} cards are dealt to each player, not {len(cards)}", player)
            for card in cards:
                if not is_special(card) and card in dealt:
                    self.refuse(line, entry, f"card {card} exists once", player)
                dealt[card] = 1
            self.hands.append(cards)

    def _turn(self, line: int, call: Call) -> None:
        self.turns += 1
        for i in self.order:
            player, entry = self.match.players[i], call.entries[i]
            words = entry.split() if entry != NONE else []
            if not words and self.hands is not None and self.table is not None:
                if not game_over(self.table, [self.hands[i]]):
                    self.refuse(line, entry, "at least one card must be played", player)
            elif len(words) > MOST_CARDS_A_TURN:
                self.refuse(line, entry, f"at most {MOST_CARDS_A_TURN} cards are played a turn", player)
                continue
            for word in words:
                problem = self._play_card(i, word)
                if problem:
                    self.refuse(line, word, problem, player)

    def _play_card(self, i: int, word: str) -> str:
        """Play one card of a player; return why it is refused, or an empty text."""
        card, arrow, row_text = word.partition(">")
        try:
            parse_card(card, word)
        except NotationError as error:
            return str(error)
        if self.table is None:
            return "the table must be laid first"
        if card == UNREAD_TEXT:
            return "an unread card cannot be played"
        if arrow and not (row_text.isascii() and row_text.isdigit()):
            return f"{row_text!r} is no final number of a row"
        if card in self.numbers:
            return f"card {card} is {self.numbers[card]} already"
        if self.hands is not None and card not in self.hands[i]:
            return f"card {card} is not in the hand"
        row = int(row_text) if arrow else None
        problem = self.table.problem(card, row)
        if problem:
            return problem
        played = self.table.play(card, row)
        self.table = played.table
        self.piles[i] += played.taken
        if self.hands is not None:
            self.hands[i].remove(card)
        if not is_special(card):
            self.numbers[card] = "played"
        return ""

    def _show_hands(self, line: int, call: Call) -> None:
        self.left = []
        for i, (player, entry) in enumerate(zip(self.match.players, call.entries, strict=True)):
            cards = self._cards(line, entry, player)
            if any(not is_special(card) for card in cards):
                self.refuse(line, entry, "only special cards in hand count", player)
            specials = [card for card in cards if is_special(card)]
            if self.hands is not None:
                known = [card for card in self.hands[i] if is_special(card)]
                if sorted(specials) != sorted(known):
                    self.refuse(line, entry, f"the hand holds {' '.join(known) or 'no special card'}", player)
                    specials = known
            self.left.append(specials)

    def specials(self, i: int) -> tuple[str, ...]:
        """Return the special cards that a player still holds."""
        if self.hands is not None:
            return tuple(card for card in self.hands[i] if is_special(card))
        return tuple(self.left[i]) if self.left is not None else ()


def replay_round(
    match: Match, number: int, at: int, calls: Sequence[tuple[int, Call]]
) -> tuple[RoundResult, tuple[Refusal, ...]]:
    """Return how a round ended, and the moves that were refused."""
    first = (number - 1) % len(match.players)
    played = PileRound(match, first)
    if len(match.players) not in SETUP:
        played.refuse(at, f"round {number}", f"Take 5! is for 2 to 6 players, not {len(match.players)}")
    for line, call in calls:
        played.play(line, call)
    if played.table is None:
        played.refuse(at, f"round {number}", "the round has no table")
    elif played.hands is not None and not game_over(played.table, played.hands):
        left = sum(map(len, played.hands))
        played.refuse(at, f"round {number}", f"the round is not finished: {left} cards are in hand")
    players = []
    for i, player in enumerate(match.players):
        state = State("take-5", cards=tuple(played.piles[i]), hand=played.specials(i))
        sheet = score(state)
        players.append(PlayerRound(player, sheet.total, state, sheet))
    return RoundResult(number, match.players[first], tuple(players)), tuple(played.refusals)
