"""The command ``replay``: a match file checked move by move, its sheets and its standings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boardsight.scoring.errors import BoardsightError

if TYPE_CHECKING:
    from rich.console import Console

    from boardsight.scoring.record import PlayerRound, Replay, RoundResult


def read_text(file: str) -> str:
    """Return the text of a file, or of standard input for ``-``.

    Raises BoardsightError where it cannot be read.
    """
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BoardsightError(f"{file!r} is no text in UTF-8") from error
    except OSError as error:
        raise BoardsightError(f"{file!r} cannot be read: {error.strerror or error}") from error


def replay_object(name: str, result: Replay) -> dict[str, object]:
    """Return a replay as one JSON object."""
    return {
        "match": name,
        "game": result.match.game,
        "players": list(result.match.players),
        "rules": str(result.match.rules),
        "refusals": [{"line": r.line, "player": r.player, "move": r.move, "reason": r.reason} for r in result.refusals],
        "rounds": [
            {"round": r.number, "first": r.first, "players": [_player_object(p) for p in r.players]}
            for r in result.rounds
        ],
        "standings": [
            {"rank": s.rank, "name": s.name, "total": s.total, **({"note": s.note} if s.note else {})}
            for s in result.standings
        ],
        "winners": list(result.winners),
    }


def _player_object(player: PlayerRound) -> dict[str, object]:
    out: dict[str, object] = {"player": player.player, "points": player.points}
    if player.state is not None:
        out["notation"] = str(player.state)
    if player.sheet is not None:
        out["sheet"] = player.sheet.to_json()
    if player.note:
        out["note"] = player.note
    if player.chip:
        out["chip"] = player.chip
    return out


def _round_rows(game: str, played: RoundResult) -> Iterator[tuple[str, list[str]]]:
    """Yield the lines of a round's score pad: what, and a figure for each player."""
    from boardsight.cli.printing import LAYOUTS

    names = {**dict(LAYOUTS[game].lines), **dict(LAYOUTS[game].notes)}
    sheets = [player.sheet for player in played.players]
    keys = dict.fromkeys(key for sheet in sheets if sheet for key in sheet.subtotals)
    for key in keys:
        yield names.get(key, key), [str(sheet.subtotals.get(key, "")) if sheet else "" for sheet in sheets]
    if game == "high-score":
        yield "score", [str(sheet.total) if sheet else "" for sheet in sheets]
        yield "piece", [player.note for player in played.players]
        yield "chip", [player.chip or "none" for player in played.players]


def _print_round(console: Console, game: str, played: RoundResult) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(title=f"Round {played.number}, {played.first} first", box=SIMPLE, show_footer=True)
    table.title_justify, table.title_style, table.footer_style = "left", "bold", "bold"
    table.add_column("", footer="total")
    for player in played.players:
        table.add_column(player.player, footer=str(player.points), justify="right")
    for what, figures in _round_rows(game, played):
        table.add_row(what, *figures)
    console.print(table)


def _print_standings(console: Console, result: Replay) -> None:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(title="Standings", box=SIMPLE)
    table.title_justify, table.title_style = "left", "bold"
    table.add_column("rank", justify="right")
    table.add_column("player")
    table.add_column("total", justify="right")
    if any(standing.note for standing in result.standings):
        table.add_column("")
    for standing in result.standings:
        table.add_row(
            str(standing.rank), standing.name, str(standing.total), *([standing.note] if standing.note else [])
        )
    console.print(table)
    verb = "wins" if len(result.winners) == 1 else "share the win"
    console.print(f"{' and '.join(result.winners)} {verb}.")


def print_replay(console: Console, result: Replay, *, sheets: bool = False) -> None:
    """Print what was refused, each round's score pad, and the standings; on request every player's full sheet."""
    from boardsight.cli.printing import print_sheet

    for refusal in result.refusals:
        console.print(f"illegal: {refusal}", soft_wrap=True)
    for played in result.rounds:
        _print_round(console, result.match.game, played)
        for player in played.players if sheets else ():
            if player.state is not None and player.sheet is not None:
                console.print(f"{player.player}, {player.state}", soft_wrap=True)
                print_sheet(console, player.state, player.sheet)
    _print_standings(console, result)


def replay_file(
    file: Annotated[str, typer.Argument(help="The match file; - reads standard input.", metavar="FILE")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the replay as one JSON object.")] = False,
    sheets: Annotated[bool, typer.Option("--sheets", help="Print every player's board and full sheet too.")] = False,
) -> None:
    """Check every move of a match file, and print the scores and who won."""
    from boardsight.scoring.match import parse_match
    from boardsight.scoring.replay import replay

    try:
        result = replay(parse_match(read_text(file)))
    except BoardsightError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    if as_json:
        from boardsight.tournament.jsonl import dumps

        typer.echo(dumps(replay_object(file, result)))
    else:
        from rich.console import Console

        print_replay(Console(highlight=False, markup=False, emoji=False), result, sheets=sheets)
    if not result.legal:
        raise typer.Exit(1)
