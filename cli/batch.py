"""The command ``batch``: many photos into one folder, resumable."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boardsight.cli.arguments import GAMES_HELP, RULES_HELP, check_wanted_game, complete_game, rules_or_exit

if TYPE_CHECKING:
    from boardsight.tournament.batch import Step, Summary
    from boardsight.tournament.readers import Readers

MOST_FAULTS = 20
"""Photos that could not be read and are named on the terminal; the lists have them all."""


class Progress:
    """Says how far the batch is: a bar on a terminal, a line now and then otherwise. All on stderr."""

    def __init__(self) -> None:
        from rich.console import Console

        self.console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self.started = time.monotonic()
        self._said = self.started
        self._done = self._read = 0
        self._bar: object = None

    def __call__(self, step: Step, total: int) -> None:
        """Count a photo that is done."""
        self._done += 1
        self._read += step.read
        if self.console.is_terminal:
            self._show(total)
        elif time.monotonic() - self._said >= 10 or self._done == total:
            self._said = time.monotonic()
            typer.echo(self.line(total), err=True)

    def line(self, total: int) -> str:
        """Return the state as one line: how many of how many, how fast, and how long still."""
        seconds = max(1e-6, time.monotonic() - self.started)
        rate = self._done / seconds
        left = (total - self._done) / rate
        return f"{self._done} of {total} photos, {rate:.1f} a second, {left:.0f} s left"

    def _show(self, total: int) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        if self._bar is None:
            bar = Progress(
                TextColumn("photos"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=self.console,
            )
            bar.add_task("photos", total=total, rate="")
            bar.start()
            self._bar = bar
        if isinstance(self._bar, Progress):
            rate = self._done / max(1e-6, time.monotonic() - self.started)
            self._bar.update(self._bar.task_ids[0], completed=self._done, rate=f"{rate:.1f} a second")

    def close(self) -> None:
        """Take the bar off the terminal."""
        from rich.progress import Progress

        if isinstance(self._bar, Progress):
            self._bar.stop()


def _readers(cluster: str, jobs: int) -> Readers:
    from boardsight.tournament.readers import LocalReaders, processors

    number = jobs or processors()
    if cluster:
        from boardsight.tournament.cluster import ClusterReaders

        return ClusterReaders(cluster, number)
    return LocalReaders(number)


def _conclude(summary: Summary, out: Path, seconds: float) -> None:
    """Say what was done, and end with status 1 where a photo could not be read."""
    from boardsight.tournament.texts import printable

    for step in summary.faults[:MOST_FAULTS]:
        typer.echo(f"{printable(step.place.name, 100)}: {step.code}: {printable(step.message, 300)}", err=True)
    if len(summary.faults) > MOST_FAULTS:
        typer.echo(f"and {len(summary.faults) - MOST_FAULTS} more, all in {out / 'results.csv'}", err=True)
    typer.echo(
        f"{summary.photos} photos: {summary.read} read now in {seconds:.1f} s, "
        f"{summary.photos - summary.read} known, {len(summary.faults)} with an error; see {out}"
    )
    if summary.faults:
        raise typer.Exit(1)


def batch_photos(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Folders, patterns, photos, ZIP archives, or addresses of fsspec such as s3://bucket/folder.",
            metavar="SOURCE",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the database, the lists and the annotated pictures.")],
    jobs: Annotated[int, typer.Option(help="Processes that read; 0 is one a processor.", min=0)] = 0,
    game: Annotated[
        str | None,
        typer.Option(
            help=f"The game, found out from each photo unless given: {GAMES_HELP}.",
            metavar="GAME",
            callback=check_wanted_game,
            autocompletion=complete_game,
        ),
    ] = None,
    rules: Annotated[str, typer.Option(help=RULES_HELP)] = "",
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures", help="Write annotated pictures.")] = True,
    retry: Annotated[bool, typer.Option("--retry", help="Read again what gave an error before.")] = False,
    cluster: Annotated[
        str, typer.Option(help="Address of a Dask scheduler that shares the work out, or 'local'.", metavar="ADDRESS")
    ] = "",
    max_megapixels: Annotated[float, typer.Option(help="Refuse larger pictures before they are decoded.", min=0)] = 120,
    max_megabytes: Annotated[float, typer.Option(help="Refuse larger files before they are read.", min=0)] = 256,
    max_seconds: Annotated[float, typer.Option(help="Give a photo up that takes longer.", min=0.01)] = 60,
) -> None:
    """Read many photos; running it again reads only what is new."""
    rules_or_exit(rules)

    from boardsight.scoring.errors import BoardsightError
    from boardsight.tournament.batch import DATABASE, Batch
    from boardsight.tournament.places import SourceError
    from boardsight.tournament.store import Store
    from boardsight.tournament.work import Bounds, Settings

    settings = Settings(game, rules, Bounds(max_megapixels, max_megabytes, max_seconds))
    progress = Progress()
    try:
        with Store.open(out / DATABASE) as store:
            readers = _readers(cluster, jobs)
            try:
                summary = Batch(store, out, readers, settings, pictures=pictures, retry=retry).run(sources, progress)
            finally:
                progress.close()
                readers.close()
    except SourceError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    except BoardsightError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from error
    except KeyboardInterrupt:
        typer.echo("stopped; the same command goes on from here", err=True)
        sys.exit(130)
    _conclude(summary, out, time.monotonic() - progress.started)
