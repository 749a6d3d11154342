"""High Score: challenge cards, and what seven dice are worth under them.

Source: rulebook High Score, whose examples are the tests. Groups are forced by the dice, not chosen, except
that under ``tens-minus`` the partition with most tens counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, product

from boardsight.scoring.account import Sheet, SheetLine
from boardsight.scoring.errors import NotationError
from boardsight.scoring.notation import DICE_FACES, UNREAD_TEXT, State

DICE = 7
FREE = "0-6"
"""The vortex value that is chosen for each vortex."""
FREE_VALUES = range(7)
VORTEX_VALUES = range(-20, 21)
"""The fixed vortex values that are accepted; the cards known bear -5 to 10."""

SHOWN_VORTICES = ("-5", "0", "5", "6", "10", FREE)
"""The vortex values that a table of all scorings shows."""

ROLL_TYPES: dict[str, int] = {"four-full": 4, "any-three": 3, "set-aside": DICE}
"""Roll type to the highest number of rolls."""

Groups = list[tuple[int, ...]]
"""The groups of dice that count, each a tuple of values; a list of single dice where there are no groups."""


def _same_number(values: Sequence[int]) -> Groups:
    return [(value,) * n for value, n in Counter(values).items() if n >= 2]


def _of_a_kind(size: int) -> Callable[[Sequence[int]], Groups]:
    def groups(values: Sequence[int]) -> Groups:
        return [(value,) * size for value, n in Counter(values).items() for _ in range(n // size)]

    return groups


def _tens(values: Sequence[int]) -> Groups:
    return list(_most_tens(tuple(sorted(values))))


@cache
def _most_tens(values: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return a partition with most groups of sum ten, by trying all; a single 10 is a ten of its own."""
    if not values:
        return ()
    first, others = values[0], values[1:]
    best = _most_tens(others)
    for bits in range(1 << len(others)):
        chosen = (first, *(v for i, v in enumerate(others) if bits >> i & 1))
        if sum(chosen) == 10:
            rest = _most_tens(tuple(v for i, v in enumerate(others) if not bits >> i & 1))
            if len(rest) + 1 > len(best):
                best = (chosen, *rest)
    return best


def _ascending(values: Sequence[int]) -> Groups:
    """Return the ones, twos and so on up to the first number that is missing."""
    groups, count = [], Counter(values)
    number = 1
    while count[number]:
        groups.append((number,) * count[number])
        number += 1
    return groups


_GROUPS: dict[str, Callable[[Sequence[int]], Groups]] = {
    "total": lambda values: [(value,) for value in values],
    "same-number": _same_number,
    "tens": _tens,
    "two-of-a-kind": _of_a_kind(2),
    "three-of-a-kind": _of_a_kind(3),
    "odd": lambda values: [(value,) for value in values if value % 2],
    "shown": lambda values: [(value,) for value in values if 1 <= value <= 4],
    "ascending": _ascending,
}

SCORINGS: tuple[str, ...] = (
    "total",
    "same-number",
    "same-number-minus",
    "tens-minus",
    "two-of-a-kind",
    "two-of-a-kind-minus",
    "three-of-a-kind-minus",
    "odd",
    "odd-minus",
    "shown-minus",
    "ascending",
)


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge card: how the dice score, what a vortex is worth, and how they may be rolled."""

    scoring: str
    vortex: int | None = None
    """The vortex value; None where each vortex may be 0 to 6."""
    roll: str = ""
    """``four-full``, ``any-three`` or ``set-aside``; empty where it is not said."""

    @classmethod
    def parse(cls, text: str) -> Challenge:
        """Return the challenge that a line gives, e.g. ``total vortex=-5 roll=four-full``.

        Raises NotationError where it cannot be parsed.
        """
        words = text.split()
        if not words or words[0] not in SCORINGS:
            raise NotationError(f"challenge {text!r} must begin with one of {', '.join(SCORINGS)}")
        given: dict[str, str] = {}
        for word in words[1:]:
            name, equals, value = word.partition("=")
            if not equals or name not in ("vortex", "roll") or name in given:
                raise NotationError(f"{word!r} in challenge {text!r} must be vortex=VALUE or roll=TYPE, each once")
            given[name] = value
        if "vortex" not in given:
            raise NotationError(f"challenge {text!r} must say vortex=VALUE, a number or {FREE}")
        vortex = None
        if given["vortex"] != FREE:
            if given["vortex"] not in map(str, VORTEX_VALUES):
                raise NotationError(f"vortex {given['vortex']!r} in {text!r} must be a small number or {FREE}")
            vortex = int(given["vortex"])
        roll = given.get("roll", "")
        if roll not in ("", *ROLL_TYPES) or given.get("roll") == "":
            raise NotationError(f"roll {roll!r} in {text!r} must be one of {', '.join(ROLL_TYPES)}")
        return cls(words[0], vortex, roll)

    def __str__(self) -> str:
        vortex = FREE if self.vortex is None else str(self.vortex)
        return f"{self.scoring} vortex={vortex}" + (f" roll={self.roll}" if self.roll else "")

    @property
    def frozen(self) -> bool:
        """Return True where a vortex may not be rolled again: it is worth nothing."""
        return self.vortex == 0


@dataclass(frozen=True, slots=True)
class DiceScore:
    """What dice are worth: the groups that count, the rest, and the value of each vortex."""

    groups: tuple[tuple[int, ...], ...]
    rest: tuple[int, ...]
    """Values of the dice that do not count."""
    remainder: int
    """What is taken off for the rest; 0 where the challenge takes nothing off."""
    vortices: tuple[int, ...]

    @property
    def counted(self) -> int:
        """Return the sum of the dice that count."""
        return sum(map(sum, self.groups))

    @property
    def total(self) -> int:
        """Return the score."""
        return self.counted - self.remainder


def score_values(values: Sequence[int], scoring: str, vortices: Sequence[int] = ()) -> DiceScore:
    """Return what dice of these values are worth, vortices among them at their own values."""
    dice = [*values, *vortices]
    groups = _GROUPS[scoring.removesuffix("-minus")](dice)
    if scoring == "ascending":
        # "Ascending values and vortices": a vortex counts wherever its value does not continue the run already.
        inside = Counter(value for group in groups for value in group)
        for vortex, n in Counter(vortices).items():
            if vortex not in inside:
                groups += [(vortex,)] * n
    rest = Counter(dice)
    rest.subtract(value for group in groups for value in group)
    left = tuple(sorted(rest.elements()))
    remainder = sum(left) if scoring.endswith("-minus") else 0
    return DiceScore(tuple(groups), left, remainder, tuple(vortices))


def score_dice(dice: Sequence[str], challenge: Challenge) -> DiceScore:
    """Return what dice are worth under a challenge; where the vortex value is free, each takes its best.

    Dice that could not be read count nothing.
    """
    values = [int(die) for die in dice if die not in ("V", UNREAD_TEXT)]
    count = sum(die == "V" for die in dice)
    if challenge.vortex is not None:
        return score_values(values, challenge.scoring, (challenge.vortex,) * count)
    choices = combinations_with_replacement(FREE_VALUES, count)
    return max((score_values(values, challenge.scoring, choice) for choice in choices), key=lambda s: s.total)


def best_vortices(dice: Sequence[str], challenge: Challenge) -> tuple[int, ...]:
    """Return the best value of each vortex, lowest first."""
    return score_dice(dice, challenge).vortices


def every_vortex_choice(dice: Sequence[str], challenge: Challenge) -> dict[tuple[int, ...], int]:
    """Return the total of every choice of vortex values, each vortex by itself."""
    values = [int(die) for die in dice if die not in ("V", UNREAD_TEXT)]
    choices = product(FREE_VALUES, repeat=sum(die == "V" for die in dice))
    return {choice: score_values(values, challenge.scoring, choice).total for choice in choices}


def score_roll(state: State, challenge: Challenge) -> Sheet:
    """Return the sheet of a state of High Score under a challenge."""
    result = score_dice(state.dice, challenge)
    lines = [
        SheetLine(
            "dice",
            sum(group),
            tuple(map(str, group)),
            value=group[0] if len(set(group)) == 1 else None,
            length=len(group),
        )
        for group in sorted(result.groups, key=sum, reverse=True)
    ]
    if result.remainder or (result.rest and challenge.scoring.endswith("-minus")):
        lines.append(SheetLine("dice", -result.remainder, tuple(map(str, result.rest)), length=len(result.rest)))
    return Sheet(tuple(lines), {"counted": result.counted, "remainder": result.remainder}, result.total)


def throw_problem(dice: Sequence[str], count: int = DICE) -> str:
    """Return why dice cannot be scored as a throw of so many, or an empty text if they can."""
    shown = " ".join(dice)
    if len(dice) != count:
        return f"shows {len(dice)} dice ({shown}) and not {count}"
    odd = [die for die in dice if die not in (*DICE_FACES, UNREAD_TEXT)]
    if odd:
        good = len(dice) - len(odd)
        return f"shows {shown}: only {good} of {count} dice show a face of High Score, which has no {odd[0]}"
    return ""


def every_card(dice: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return what dice are worth under each scoring, by the vortex value; without a vortex its value is ``any``."""
    values = SHOWN_VORTICES if "V" in dice else ("any",)
    return {
        scoring: {
            value: score_dice(dice, Challenge(scoring, None if value in (FREE, "any") else int(value))).total
            for value in values
        }
        for scoring in SCORINGS
    }


def roll_problem(challenge: Challenge, number: int, kept: Sequence[str], before: Sequence[str], were_kept: int) -> str:
    """Return why dice may not be kept for roll `number` (2 and up), or an empty text if they may.

    `kept` are the dice that lie still, `before` all dice after the roll before, of which `were_kept` had been
    set aside by then.
    """
    most = ROLL_TYPES.get(challenge.roll, DICE)
    if number > most:
        return f"{challenge.roll} allows {most} rolls"
    missing = Counter(kept) - Counter(before)
    if missing:
        return f"a {next(iter(missing))} is kept that did not lie there"
    if challenge.frozen and Counter(kept)["V"] < Counter(before)["V"]:
        return "a vortex worth 0 is frozen and may not be rolled again"
    if challenge.roll == "four-full" and Counter(kept) - (
        Counter("V" * len(before)) if challenge.frozen else Counter()
    ):
        return "four-full rolls all dice again"
    if challenge.roll == "set-aside" and len(kept) <= were_kept:
        return "at least one more die must be set aside"
    return ""
