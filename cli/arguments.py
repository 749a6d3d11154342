"""What several commands take: games, rules, and how a wrong value is refused."""

from __future__ import annotations

import typer

from boardsight.scoring.boards import boards_of
from boardsight.scoring.errors import NotationError
from boardsight.scoring.notation import GAMES
from boardsight.scoring.rules import WORDS, Rules

TILE_GAMES: tuple[str, ...] = tuple(game for game in GAMES if boards_of(game))
"""The games that are played on a board of tiles, which a photo can show."""

GAMES_HELP = ", ".join(GAMES)
TILE_GAMES_HELP = ", ".join(TILE_GAMES)
RULES_HELP = f"Optional rules that are played, separated by commas: {', '.join(WORDS)}."


def check_game(value: str) -> str:
    """Return the name of a game as it was given.

    Raises typer.BadParameter, which ends the command with status 2, where there is no such game.
    """
    if value not in GAMES:
        raise typer.BadParameter(f"{value!r} is no game; known: {GAMES_HELP}")
    return value


def check_tile_game(value: str | None) -> str | None:
    """Return the name of a game with a board of tiles as it was given, or None where none was given.

    Raises typer.BadParameter, which ends the command with status 2, where there is no such game.
    """
    if value is not None and value not in TILE_GAMES:
        raise typer.BadParameter(f"{value!r} is no game with a board of tiles; known: {TILE_GAMES_HELP}")
    return value


def complete_game(start: str) -> list[str]:
    """Return the games whose names begin like this, for the shell."""
    return [game for game in GAMES if game.startswith(start)]


def complete_tile_game(start: str) -> list[str]:
    """Return the games with a board of tiles whose names begin like this, for the shell."""
    return [game for game in TILE_GAMES if game.startswith(start)]


def rules_or_exit(text: str) -> Rules:
    """Return the rules that an option names.

    Raises typer.BadParameter, which ends the command with status 2, where a word is wrong.
    """
    try:
        return Rules.parse(text)
    except NotationError as error:
        raise typer.BadParameter(str(error), param_hint="'--rules'") from error
