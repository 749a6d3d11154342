"""The command ``score``: from photos to score sheets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boardsight.cli.arguments import (
    CARD_HELP,
    GAMES_HELP,
    RULES_HELP,
    card_or_exit,
    check_wanted_game,
    complete_game,
    rules_or_exit,
)

if TYPE_CHECKING:
    from boardsight.tournament.outcome import Outcome


def _print_json(outcome: Outcome) -> None:
    from boardsight.tournament.jsonl import dumps, photo_object

    typer.echo(dumps(photo_object(outcome)))
    if outcome.reading.fault is None:
        for warning in outcome.warnings:
            typer.echo(f"{outcome.name}: warning: {warning}", err=True)


def _print_text(outcome: Outcome, several_photos: bool) -> None:
    from rich.console import Console

    from boardsight.cli.advise import sentences
    from boardsight.cli.printing import print_dice, print_fleet, print_scorings, print_sheet, print_warnings

    if outcome.reading.fault is not None:
        return
    console = Console(highlight=False)
    if several_photos:
        console.print(outcome.name, style="bold underline", markup=False, soft_wrap=True)
    print_dice(console, outcome.reading.dice)
    print_scorings(console, outcome.scorings)
    for number, player in enumerate(outcome.players, start=1):
        if len(outcome.players) > 1:
            console.print(f"Player {number}", style="bold")
        print_sheet(console, player.state, player.sheet, certain=player.certain and outcome.reading.complete)
        print_fleet(console, player.state)
        if player.relocation is not None:
            for sentence in sentences(player.relocation.to_json()):
                console.print(f"  {sentence}", markup=False, soft_wrap=True)
            console.print()
    print_warnings(console, outcome.warnings)


def score_photos(
    photos: Annotated[
        list[str], typer.Argument(help="Photos of boards, in any format a phone makes.", metavar="PHOTO")
    ],
    game: Annotated[
        str | None,
        typer.Option(
            help=f"The game, found out from the photo unless given: {GAMES_HELP}.",
            metavar="GAME",
            callback=check_wanted_game,
            autocompletion=complete_game,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a photo.")] = False,
    rules: Annotated[str, typer.Option(help=RULES_HELP)] = "",
    card: Annotated[str, typer.Option(help=CARD_HELP)] = "",
    dice: Annotated[
        int | None, typer.Option(min=1, help="High Score: how many dice there must be; 7 unless given.")
    ] = None,
    hand: Annotated[
        int, typer.Option(min=0, help="Take 5!: how many special cards are still in hand, 10 points off for each.")
    ] = 0,
    annotate: Annotated[
        Path | None,
        typer.Option(help="Write the photo with what was read drawn on it; a folder where there are several photos."),
    ] = None,
    debug_dir: Annotated[Path | None, typer.Option(help="Write a picture of each stage into this folder.")] = None,
) -> None:
    """Print the score sheet of each photo."""
    from boardsight.cli.pictures import Pictures

    played, challenge = rules_or_exit(rules), card_or_exit(card)
    pictures = Pictures.plan(photos, annotate, debug_dir)

    from boardsight.tournament.outcome import assess
    from boardsight.vision.reader import Reader

    reader = Reader()
    good = True
    for i, photo in enumerate(photos):
        reading = reader.read(photo, game, keep_stages=debug_dir is not None, count=dice)
        outcome = assess(reading, played, challenge, dice, hand)
        fault = outcome.reading.fault
        if as_json:
            _print_json(outcome)
        else:
            _print_text(outcome, len(photos) > 1)
        if fault is not None:
            typer.echo(f"{outcome.name}: error: {fault.message}", err=True)
        saved = pictures.save(i, outcome)
        good = good and fault is None and saved
    if not good:
        raise typer.Exit(1)
