"""The command ``standings``: totals over rounds, and what needs a human."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boardsight.cli.arguments import RULES_HELP, rules_or_exit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from boardsight.tournament.attention import Issue
    from boardsight.tournament.standings import Evening, Line
    from boardsight.tournament.store import Store

MOST_ISSUES = 30
"""That are shown on the terminal; the files have them all."""


def _round_rules(texts: list[str]) -> dict[int, str]:
    found = {}
    for text in texts:
        match = re.fullmatch(r"(\d+)=(.+)", text)
        if match is None:
            raise typer.BadParameter(f"{text!r} must read ROUND=RULES, e.g. 2=studs", param_hint="'--round-rules'")
        rules_or_exit(match[2])
        found[int(match[1])] = match[2]
    return found


def print_standings(console: Console, evening: Evening, lines: Sequence[Line]) -> None:
    """Print the standings as a table; a question mark stands where a doubt may change the figure."""
    from rich.box import SIMPLE
    from rich.table import Table

    from boardsight.tournament.texts import printable

    table = Table(title="Standings", box=SIMPLE)
    table.title_justify, table.title_style = "left", "bold"
    table.add_column("rank", justify="right")
    table.add_column("player")
    for number in evening.rounds:
        table.add_column(f"round {number}", justify="right")
    table.add_column("total", justify="right", style="bold")
    for line in lines:
        figures = []
        for number, points in zip(evening.rounds, line.points, strict=True):
            score = evening.scores.get((line.player, number))
            mark = " ?" if score is not None and score.low != score.high else ""
            figures.append("-" if points is None else f"{points}{mark}")
        total = f"{line.total}{' ?' if line.doubtful else ''}"
        table.add_row(str(line.rank), printable(line.player, 40), *figures, total)
    console.print(table)
    pairs = evening.pairs()
    if pairs:
        table = Table(title="Pairs", box=SIMPLE)
        for heading, justify in (("rank", "right"), ("pair", "left"), ("total", "right")):
            table.add_column(heading, justify="right" if justify == "right" else "left")
        for pair in pairs:
            table.add_row(str(pair.rank), printable(pair.player, 80), str(pair.total))
        console.print(table)


def print_issues(console: Console, found: Sequence[Issue]) -> None:
    """Print what needs a human, the worst first."""
    from boardsight.tournament.texts import printable

    if not found:
        console.print("Nothing needs a human.")
        return
    console.print("What needs a human, the worst first:", style="bold")
    for issue in found[:MOST_ISSUES]:
        worth = f"{issue.stake} points, {issue.places} places" if issue.stake else "no points"
        first = ", may decide the first place" if issue.first else ""
        console.print(f"  {printable(issue.text, 400)} ({worth}{first})", soft_wrap=True)
    if len(found) > MOST_ISSUES:
        console.print(f"  and {len(found) - MOST_ISSUES} more in attention.csv")


def _enter(store: Store, evening: str, correct: list[str], undo: list[int], points: list[str]) -> None:
    """Enter what the command says by hand, all of it or, where some of it is wrong, nothing."""
    from boardsight.tournament.evening import parse_correction, parse_points
    from boardsight.tournament.texts import printable
    from boardsight.tournament.whose import WhoseError

    with store.transaction():
        for text in correct:
            number = store.correct(parse_correction(text, store))
            typer.echo(f"correction {number}: {printable(text)}", err=True)
        for number in undo:
            if not store.undo(number):
                raise WhoseError(f"there is no correction {number} to undo")
        for text in points:
            store.put_points(evening, parse_points(text))


def standings(
    folder: Annotated[Path, typer.Argument(help="The folder that `batch` has written.", metavar="DIR")],
    name: Annotated[
        str,
        typer.Option(
            help="How the photos are named, with {player}, {round} and {table}; slashes are folders. "
            "{player}_r{round} unless given.",
            metavar="PATTERN",
        ),
    ] = "",
    whose: Annotated[
        Path | None, typer.Option(help="CSV file with the columns photo, player and round.", metavar="FILE")
    ] = None,
    rules: Annotated[str, typer.Option(help=RULES_HELP)] = "",
    round_rules: Annotated[
        list[str] | None, typer.Option(help="Rules of one round, e.g. 2=lowest-scrapyard.", metavar="ROUND=RULES")
    ] = None,
    correct: Annotated[
        list[str] | None,
        typer.Option(help="Set a tile by hand, e.g. 'IMG_7.jpg c1.1=9-2-3'.", metavar="'PHOTO CELL=TILE'"),
    ] = None,
    undo: Annotated[list[int] | None, typer.Option(help="Undo a correction.", metavar="NUMBER")] = None,
    points: Annotated[
        list[str] | None, typer.Option(help="Enter points by hand, e.g. Anna,2,77.", metavar="PLAYER,ROUND,POINTS")
    ] = None,
    evening: Annotated[str, typer.Option(help="Which evening of the database.")] = "main",
    title: Annotated[str, typer.Option(help="Heading of the report.")] = "Standings",
) -> None:
    """Print the standings, and write standings.csv, standings.html and attention.csv into the folder."""
    rules_or_exit(rules)
    by_round = _round_rules(round_rules or [])

    from boardsight.scoring.errors import BoardsightError, NotationError
    from boardsight.tournament import report
    from boardsight.tournament.attention import issues
    from boardsight.tournament.batch import DATABASE
    from boardsight.tournament.evening import Question, gather
    from boardsight.tournament.pictures import write_whole
    from boardsight.tournament.standings import Evening
    from boardsight.tournament.store import Store
    from boardsight.tournament.whose import WhoseError

    try:
        with Store.open(folder / DATABASE, create=False) as store:
            _enter(store, evening, correct or [], undo or [], points or [])
            played = Evening(gather(store, Question(evening, name, whose, rules, by_round)))
        lines, found = played.lines(), issues(played)
        write_whole(folder / "standings.csv", report.standings_csv(played, lines))
        write_whole(folder / "attention.csv", report.issues_csv(found))
        write_whole(folder / "standings.html", report.html_report(played, lines, found, folder, title))
    except (WhoseError, NotationError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    except BoardsightError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from error

    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    print_standings(console, played, lines)
    print_issues(console, found)
    typer.echo(f"see {folder / 'standings.html'}")
