"""Scrap Yard variants and pairs of Take It to the Limit!, where a score depends on the other players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from boardsight.scoring.sheets import SCRAPYARD_PENALTY


def shared_penalties(values: Sequence[int], variant: str) -> tuple[int, ...]:
    """Return what each player loses for his scrap yard, as a number below or equal to zero.

    ``lowest``: the lowest value loses 60; ``pass``: the highest. Players who tie share it equally; a share
    that does not come out even is rounded down. There is no threshold. Any other variant gives zeros.
    """
    if variant not in ("lowest", "pass") or not values:
        return (0,) * len(values)
    worst = min(values) if variant == "lowest" else max(values)
    share = SCRAPYARD_PENALTY // sum(value == worst for value in values)
    return tuple(-share if value == worst else 0 for value in values)


def passing_order(players: Sequence[str], totals: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """Return the players in the order in which scrap yards are passed: each to the next, the last to the first.

    In the first game that is the order of seats; afterwards it goes by cumulative total, the leader first, and
    players of the same total stay in the order of seats.
    """
    if not totals or not any(totals.values()):
        return tuple(players)
    return tuple(sorted(players, key=lambda player: -totals.get(player, 0)))


def passed_yards(order: Sequence[str], values: Mapping[str, int]) -> dict[str, int]:
    """Return the value of the scrap yard that each player holds once every yard was passed to the next player."""
    return {receiver: values[order[i - 1]] for i, receiver in enumerate(order)}


def pair_totals(players: Sequence[str], totals: Mapping[str, int]) -> dict[str, int]:
    """Return the sums of the pairs, first with second player, third with fourth and so on, named ``A+B``."""
    return {f"{a}+{b}": totals[a] + totals[b] for a, b in zip(players[::2], players[1::2], strict=False)}
