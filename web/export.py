"""The evening as a table for other programs."""

from __future__ import annotations

import csv
import io

from boardsight.web.evening import Table

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet take a text for a formula (OWASP, "CSV Injection")."""


def harmless(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_of(table: Table) -> str:
    """Return one line a player: rank, name, the points of each round, the total, and whether something is in doubt."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["rank", "player", *(f"round {n}" for n in table.rounds), "total", "certain"])
    for standing in table.standings:
        points = [score.points if score else "" for score in standing.scores]
        certain = "yes" if standing.certain else "no"
        writer.writerow([standing.rank, harmless(standing.player), *points, standing.total, certain])
    return out.getvalue()
