"""The application: its commands and the options that stand before them.

Heavy modules (numpy, OpenCV, ONNX Runtime, rich) are imported inside the commands, so that ``--help`` and a
usage error come at once and no command pays for what it does not use.
"""

from __future__ import annotations

from typing import Annotated

import typer

from boardsight.cli.advise import advise
from boardsight.cli.batch import batch_photos
from boardsight.cli.replay import replay_file
from boardsight.cli.score import score_photos
from boardsight.cli.serve import serve
from boardsight.cli.standings import standings
from boardsight.cli.tally import tally

app = typer.Typer(
    name="boardsight",
    help="Read a board game from a phone photo and print its score sheet.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # one plain line for a wrong argument, not a box
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("score")(score_photos)
# A state may begin with an empty space, "--", which must not be taken for an option.
app.command("tally", context_settings={"ignore_unknown_options": True})(tally)
app.command("batch")(batch_photos)
app.command("standings")(standings)
app.command("replay")(replay_file)
app.command("advise", context_settings={"ignore_unknown_options": True})(advise)
app.command("serve")(serve)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"boardsight {version('boardsight')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Read a board game from a phone photo and print its score sheet."""
