"""What several commands take: games, rules, and how a wrong value is refused."""

from __future__ import annotations

import typer

from boardsight.scoring.errors import NotationError
from boardsight.scoring.highscore import Challenge
from boardsight.scoring.notation import GAMES
from boardsight.scoring.rules import WORDS, Rules

GAMES_HELP = ", ".join(GAMES)
CARD_HELP = "High Score: the challenge card, e.g. 'same-number vortex=-5'."
RULES_HELP = f"Optional rules that are played, separated by commas: {', '.join(WORDS)}."


def check_game(value: str) -> str:
    """Return the name of a game as it was given.

    Raises typer.BadParameter, which ends the command with status 2, where there is no such game.
    """
    if value not in GAMES:
        raise typer.BadParameter(f"{value!r} is no game; known: {GAMES_HELP}")
    return value


def check_wanted_game(value: str | None) -> str | None:
    """Return the name of a game as it was given, or None where none was given.

    Raises typer.BadParameter, which ends the command with status 2, where there is no such game.
    """
    return None if value is None else check_game(value)


def complete_game(start: str) -> list[str]:
    """Return the games whose names begin like this, for the shell."""
    return [game for game in GAMES if game.startswith(start)]


def rules_or_exit(text: str) -> Rules:
    """Return the rules that an option names.

    Raises typer.BadParameter, which ends the command with status 2, where a word is wrong.
    """
    try:
        return Rules.parse(text)
    except NotationError as error:
        raise typer.BadParameter(str(error), param_hint="'--rules'") from error


def card_or_exit(text: str) -> Challenge | None:
    """Return the challenge card that an option gives, or None where none was given.

    Raises typer.BadParameter, which ends the command with status 2, where it cannot be parsed.
    """
    try:
        return Challenge.parse(text) if text else None
    except NotationError as error:
        raise typer.BadParameter(str(error), param_hint="'--card'") from error
