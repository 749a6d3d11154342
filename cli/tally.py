"""The command ``tally``: the same sheet from a line of notation instead of a photo."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from boardsight.cli.arguments import GAMES_HELP, RULES_HELP, check_game, complete_game, rules_or_exit
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.rules import Rules


def _tally_line(text: str, game: str, form: str, rules: Rules, as_json: bool) -> None:
    """Score one line of notation and print it.

    Raises BoardsightError where the line cannot be parsed.
    """
    from boardsight.cli.jsonl import dumps, state_object
    from boardsight.cli.outcome import repeated_tiles, unread_cells
    from boardsight.scoring.notation import parse_state
    from boardsight.scoring.sheets import score

    state = parse_state(text, game, form)
    sheet = score(state, rules)
    unread = unread_cells(state)
    warnings = (*unread, *repeated_tiles(state))
    if as_json:
        typer.echo(dumps(state_object(state, sheet, warnings)))
        return
    from rich.console import Console

    from boardsight.cli.printing import print_sheet, print_warnings

    console = Console(highlight=False)
    print_sheet(console, state, sheet, certain=not unread)
    print_warnings(console, warnings)


def _tally_lines(lines: Iterable[str], game: str, form: str, rules: Rules, as_json: bool) -> bool:
    """Score one state a line and go on past a wrong one; return True where all were right."""
    from boardsight.cli.jsonl import dumps, error_object
    from boardsight.vision.reading import Fault

    good = True
    for line in lines:
        text = line.strip()
        if not text:
            continue
        try:
            _tally_line(text, game, form, rules, as_json)
        except BoardsightError as error:
            good = False
            typer.echo(f"error: {error}", err=True)
            if as_json:
                typer.echo(dumps(error_object("state", text, Fault("bad-notation", str(error)))))
    return good


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
) -> None:
    """Print the score sheet of a state in notation."""
    played = rules_or_exit(rules)
    if state == "-":
        if not _tally_lines(sys.stdin, game, form, played, as_json):
            raise typer.Exit(1)
        return
    try:
        _tally_line(state, game, form, played, as_json)
    except BoardsightError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
