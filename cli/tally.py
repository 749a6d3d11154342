"""The command ``tally``: the same sheet from a line of notation instead of a photo."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import typer

from boardsight.cli.arguments import GAMES_HELP, RULES_HELP, check_game, complete_game, rules_or_exit
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.rules import Rules


@dataclass(frozen=True, slots=True)
class Table:
    """What all lines of a call have in common: the game, how it is played, and how to print."""

    game: str
    form: str
    rules: Rules
    challenge: str
    as_json: bool

    def print_line(self, text: str) -> None:
        """Score one line of notation and print it.

        Raises BoardsightError where the line cannot be parsed.
        """
        from boardsight.scoring.highscore import Challenge
        from boardsight.scoring.notation import parse_state
        from boardsight.scoring.sheets import score
        from boardsight.scoring.status import status

        state = parse_state(text, self.game, self.form)
        sheet = score(state, self.rules, Challenge.parse(self.challenge) if self.challenge else None)
        problems = status(state, self.rules)
        warnings = tuple(str(problem) for problem in problems)
        certain = all(problem.code != "unread" for problem in problems)
        if self.as_json:
            from boardsight.tournament.jsonl import dumps, state_object

            typer.echo(dumps(state_object(state, sheet, certain, warnings)))
            return
        from rich.console import Console

        from boardsight.cli.printing import print_sheet, print_warnings

        console = Console(highlight=False)
        print_sheet(console, state, sheet, certain=certain)
        print_warnings(console, warnings)

    def print_lines(self, lines: Iterable[str]) -> bool:
        """Score one state a line and go on past a wrong one; return True where all were right."""
        good = True
        for line in lines:
            text = line.strip()
            if not text:
                continue
            try:
                self.print_line(text)
            except BoardsightError as error:
                good = False
                self.print_error(text, str(error))
        return good

    def print_error(self, text: str, message: str) -> None:
        """Print what is wrong with a line of notation, to stderr and as an object where JSON is wanted."""
        typer.echo(f"error: {message}", err=True)
        if self.as_json:
            from boardsight.tournament.jsonl import dumps, error_object

            typer.echo(dumps(error_object("state", text, "bad-notation", message)))


def tally(
    game: Annotated[
        str,
        typer.Argument(
            help=f"The game that was played: {GAMES_HELP}.",
            metavar="GAME",
            callback=check_game,
            autocompletion=complete_game,
        ),
    ],
    state: Annotated[
        str, typer.Argument(help="The boards, cards or dice in notation; - reads one state a line.", metavar="STATE")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a state.")] = False,
    rules: Annotated[str, typer.Option(help=RULES_HELP)] = "",
    form: Annotated[
        str, typer.Option(help="Form of the board: 'right' for an Orchid that points right, 'swapped' for Higher.")
    ] = "",
    card: Annotated[str, typer.Option(help="High Score: the challenge card, e.g. 'total vortex=-5'.")] = "",
) -> None:
    """Print the score sheet of a state in notation."""
    table = Table(game, form, rules_or_exit(rules), card, as_json)
    if state == "-":
        if not table.print_lines(sys.stdin):
            raise typer.Exit(1)
        return
    try:
        table.print_line(state)
    except BoardsightError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
