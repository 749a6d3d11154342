"""The page as an ASGI application, and how it is served."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Sequence
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from boardsight.scoring.errors import BoardsightError
from boardsight.tournament.store import StoreError
from boardsight.web import actions, pages
from boardsight.web.actions import changing
from boardsight.web.guard import BodyLimit, Door, KnownHosts, SafeHeaders
from boardsight.web.place import Place
from boardsight.web.record import NotThere
from boardsight.web.workers import GaveUp

UPLOADS = "/photos"
"""The path that photos are sent to."""
PARSING = 3
"""Uploads that are taken in at once; the others wait at the door, so that the page stays awake."""
REFUSALS = (413, 429, 503)
"""What is answered in one plain line, because it must cost nothing."""
CONNECTIONS = 200
"""Connections at once; more are refused with 503."""

ROUTES: Sequence[Route] = (
    Route("/health", pages.health),
    Route("/", pages.evening),
    Route("/events", pages.events),
    Route("/static/{name}", pages.static),
    Route("/invite", pages.invite),
    Route("/invite.svg", pages.code),
    Route("/print", pages.printed),
    Route("/export.csv", pages.export),
    Route("/photos/{content}", pages.photo),
    Route("/photos/{content}/picture", pages.picture),
    Route("/photos/{content}/annotated", actions.annotated),
    Route(UPLOADS, actions.upload, methods=["POST"]),
    Route("/photos/{content}/game", actions.read_again, methods=["POST"]),
    Route("/photos/{content}/correct", changing(actions.correct), methods=["POST"]),
    Route("/photos/{content}/way", changing(actions.confirm_way), methods=["POST"]),
    Route("/photos/{content}/undo", changing(actions.undo), methods=["POST"]),
    Route("/photos/{content}/ship", changing(actions.launch), methods=["POST"]),
    Route("/photos/{content}/card", changing(actions.add_card), methods=["POST"]),
    Route("/photos/{content}/reserve", changing(actions.set_reserve), methods=["POST"]),
    Route("/photos/{content}/give", changing(actions.give), methods=["POST"]),
    Route("/photos/{content}/remove", changing(actions.remove), methods=["POST"]),
    Route("/photos/{content}/restore", changing(actions.restore), methods=["POST"]),
    Route("/boards", changing(actions.by_hand), methods=["POST"]),
    Route("/players", changing(actions.add_player), methods=["POST"]),
    Route("/players/rename", changing(actions.rename_player), methods=["POST"]),
    Route("/players/remove", changing(actions.remove_player), methods=["POST"]),
    Route("/rounds", changing(actions.next_round), methods=["POST"]),
    Route("/rounds/challenge", changing(actions.set_challenge), methods=["POST"]),
    Route("/rules", changing(actions.set_rules), methods=["POST"]),
    Route("/points", changing(actions.set_points), methods=["POST"]),
    Route("/evening", changing(actions.rename), methods=["POST"]),
    Route("/evening/new", changing(actions.new_evening), methods=["POST"]),
)


async def _sorry(request: Request, error: Exception) -> Response:
    """Return the page that says what is wrong."""
    headers = None
    if isinstance(error, HTTPException):
        status, words, headers = error.status_code, error.detail, error.headers
    elif isinstance(error, NotThere):
        status, words = 404, str(error)
    elif isinstance(error, StoreError):
        status, words = 503, str(error)
    elif isinstance(error, GaveUp):
        status, words = 422, f"This photo {error}. Take another one."
    else:
        status, words = 400, str(error)
    words = words[:1].upper() + words[1:]
    if status in REFUSALS:
        return PlainTextResponse(words, status, headers)
    place: Place = request.app.state.place
    return await run_in_threadpool(lambda: place.page(request, "sorry.html", status, words=words))


def make_app(place: Place, names: Sequence[str] = ()) -> ASGIApp:
    """Return the application; `names` are this machine's own."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        place.hub.start()
        yield
        place.hub.close()

    inner = Starlette(
        routes=ROUTES,
        lifespan=lifespan,
        middleware=[
            Middleware(SafeHeaders),
            Middleware(KnownHosts, names=names),
            Middleware(Door, keys=place.keys),
            Middleware(BodyLimit, upload_paths=(UPLOADS,)),
        ],
        exception_handlers={HTTPException: _sorry, BoardsightError: _sorry},
    )
    inner.state.place = place
    inner.state.uploads = 0
    inner.state.parsing = asyncio.Semaphore(PARSING)
    return inner


class PageServer(uvicorn.Server):
    """A server that lets go of the pages that listen when it is told to end."""

    def __init__(self, config: uvicorn.Config, place: Place) -> None:
        super().__init__(config)
        self._place = place

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End."""
        self._place.hub.close()
        super().handle_exit(sig, frame)


def server_of(place: Place, names: Sequence[str] = ()) -> PageServer:
    """Return a server that is ready to run on a socket."""
    config = uvicorn.Config(
        make_app(place, names),
        log_level="warning",
        access_log=False,  # addresses carry the token
        server_header=False,
        http="h11",
        ws="none",
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=3,
    )
    return PageServer(config, place)


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens; with port 0 on a free one.

    Raises BoardsightError where the port is taken.
    """
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
    except OSError as error:
        sock.close()
        reason = error.strerror or str(error)
        raise BoardsightError(f"port {port} on {host} cannot be used: {reason}; choose another with --port") from error
    sock.listen(128)
    return sock
