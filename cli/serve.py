"""The command ``serve``: the page on the table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boardsight.scoring.errors import BoardsightError

PORT = 8321
"""Where the page is found unless another port is given."""
HERE, EVERYWHERE = "127.0.0.1", "0.0.0.0"


def serve(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Folder that the evening is kept in, made if it is not there; that of `batch` will do.", metavar="DIR"
        ),
    ] = Path("evening"),
    lan: Annotated[
        bool, typer.Option("--lan", help="Let phones in the same network in; otherwise only this machine.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port of the address; 0 takes a free one.", min=0, max=65535)] = PORT,
    workers: Annotated[
        int, typer.Option(help="Processes that read photos; 0 is one less than the machine has cores.", min=0, max=64)
    ] = 0,
    new_token: Annotated[
        bool, typer.Option("--new-token", help="Make a new address; phones that were let in are out.")
    ] = False,
) -> None:
    """Open a page for the table: take a photo, see the sheet, tap what is wrong."""
    try:
        from boardsight.web import address, app
        from boardsight.web.book import Book
        from boardsight.web.place import Place
        from boardsight.web.workers import Workers
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("boardsight"):
            raise
        typer.echo(f"error: the page needs {error.name}: pip install 'boardsight[web]'", err=True)
        raise typer.Exit(2) from error
    try:
        token = address.token_in(folder, new=new_token)
        book = Book(folder)
        sock = app.bound(EVERYWHERE if lan else HERE, port)
    except BoardsightError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from error
    host = address.own_address() if lan else HERE
    link = f"http://{host}:{sock.getsockname()[1]}/?token={token}"
    typer.echo(address.qr_text(link) if lan else "", nl=False)
    typer.echo(f"{link}\n")
    if lan:
        typer.echo("Scan the code with a phone in the same network, or open the address on this machine.")
    else:
        typer.echo("Open the address on this machine; with --lan phones in the same network can open it too.")
    typer.echo(f"Everything is kept in {folder / 'results.db'}. Ctrl-C ends.")
    pool = Workers(workers or None)
    try:
        app.server_of(Place.of(book, pool, token, link), address.own_names()).run(sockets=[sock])
    except KeyboardInterrupt:
        typer.echo("The evening is kept.")
    finally:
        pool.close()
        book.close()
