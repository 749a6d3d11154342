"""The evening as a table for other programs."""

from __future__ import annotations

import csv
import io

from boardsight.tournament.texts import csv_text
from boardsight.web.evening import Table


def csv_of(table: Table) -> str:
    """Return one line a player: rank, name, the points of each round, the total, and whether something is in doubt."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["rank", "player", *(f"round {n}" for n in table.rounds), "total", "certain"])
    for standing in table.standings:
        points = [score.points if score else "" for score in standing.scores]
        certain = "yes" if standing.certain else "no"
        writer.writerow([standing.rank, csv_text(standing.player), *points, standing.total, certain])
    return out.getvalue()
