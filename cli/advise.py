"""The command ``advise``: the best move that is still open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from boardsight.cli.arguments import GAMES_HELP, RULES_HELP, check_game, complete_game, rules_or_exit
from boardsight.scoring.errors import BoardsightError
from boardsight.scoring.notation import State, parse_state
from boardsight.scoring.rules import Rules

JsonObject = dict[str, object]


def relocation_advice(state: State, rules: Rules) -> JsonObject:
    """Return the best relocation of the Orchid's reserve and its gain."""
    from boardsight.scoring.relocation import best_relocation

    return best_relocation(state, rules).to_json()


def launch_advice(state: State, rules: Rules, cell: str) -> JsonObject:
    """Return the legal launches after a placement on a cell, or after any if no cell is named; best ring first.

    Raises BoardsightError where the board has no such cell.
    """
    from boardsight.scoring.ships import launches, open_launches

    kind = rules.ships if rules.ships == "advanced" else "simple"
    if cell and cell not in state.positions[0].board.index:
        raise BoardsightError(f"{cell!r} is no cell of the {state.positions[0].board.name} board")
    found = launches(state, cell, kind) if cell else open_launches(state, kind)
    best = sorted(found, key=lambda launch: -launch.ring)
    return {
        "game": state.game,
        "what": "launches",
        "rules": kind,
        "launches": [
            {
                "cell": launch.cell,
                "ships": list(launch.ships),
                "rows": [list(row) for row in launch.rows],
                "ring": launch.ring,
            }
            for launch in best
        ],
    }


def vortex_advice(state: State, card: str) -> JsonObject:
    """Return the best value of each vortex, and what the dice are worth with them.

    Raises BoardsightError where there is no challenge card.
    """
    from boardsight.scoring.highscore import Challenge, score_dice

    if not card:
        raise BoardsightError(f"dice {str(state)!r} need a challenge card, e.g. --card 'total vortex=0-6'")
    result = score_dice(state.dice, Challenge.parse(card))
    return {"game": state.game, "what": "vortices", "values": list(result.vortices), "total": result.total}


def _advice(state: State, rules: Rules, card: str, cell: str) -> JsonObject:
    if state.game == "high-score":
        return vortex_advice(state, card)
    if state.game == "take-it-higher":
        return launch_advice(state, rules, cell)
    if state.position("orchid") is not None:
        return relocation_advice(state, rules)
    raise BoardsightError("advice is given on Orchid relocations, launches of ships and vortices, not on this state")


def sentences(advice: JsonObject) -> Iterator[str]:
    """Yield the advice in words."""
    match advice:
        case {"what": "relocation", "moves": [], "total": total}:
            yield f"Leave the reserve where it is: the total stays {total}."
        case {"what": "relocation", "moves": list(moves), "won": won, "lost": lost, "gain": gain, "total": total}:
            for move in moves:
                yield f"Move {move['tile']} onto {move['cell']}."
            yield f"That wins {won} and loses {lost}: a gain of {gain}, and a total of {total}."
        case {"what": "launches", "launches": []}:
            yield "No ship can be launched."
        case {"what": "launches", "launches": list(launches)}:
            for launch in launches:
                yield f"{' and '.join(launch['ships'])} onto {launch['cell']}: the ring moves to {launch['ring']}."
        case {"what": "vortices", "values": [], "total": total}:
            yield f"No vortex to choose a value for: {total} points."
        case {"what": "vortices", "values": list(values), "total": total}:
            yield f"Vortices as {' and '.join(map(str, values))}: {total} points."


def advise(
    game: Annotated[
        str,
        typer.Argument(
            help=f"The game that is played: {GAMES_HELP}.",
            metavar="GAME",
            callback=check_game,
            autocompletion=complete_game,
        ),
    ],
    state: Annotated[str, typer.Argument(help="The boards or dice in notation.", metavar="STATE")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    rules: Annotated[str, typer.Option(help=RULES_HELP)] = "",
    form: Annotated[str, typer.Option(help="Form of the board: 'right' for Orchid, 'swapped' for Higher.")] = "",
    card: Annotated[str, typer.Option(help="High Score: the challenge card, e.g. 'total vortex=0-6'.")] = "",
    cell: Annotated[str, typer.Option(help="Take It Higher!: where the last tile was placed, e.g. r3.2.")] = "",
) -> None:
    """Print the best relocation of an Orchid, the legal launches of ships, or the best values of vortices."""
    played = rules_or_exit(rules)
    try:
        advice = _advice(parse_state(state, game, form), played, card, cell)
    except BoardsightError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    if as_json:
        from boardsight.tournament.jsonl import dumps

        typer.echo(dumps(advice))
        return
    for sentence in sentences(advice):
        typer.echo(sentence)
