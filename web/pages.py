"""The pages that are looked at: the evening, a photo with its sheet, what is printed and exported."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from boardsight.scoring.boards import Tile
from boardsight.scoring.highscore import FREE, ROLL_TYPES, SCORINGS, Challenge
from boardsight.scoring.notation import DICE_FACES, GAMES, SPECIAL_CARDS
from boardsight.scoring.pad import BUTTONS, SHIPS
from boardsight.scoring.relocation import best_relocation
from boardsight.scoring.rules import Rules
from boardsight.tournament.rows import Round
from boardsight.vision.correct import Choice, choices
from boardsight.vision.reading import EMPTY
from boardsight.web.address import qr_svg
from boardsight.web.book import Shot
from boardsight.web.colours import Stripe, ink_on, paint, stripes
from boardsight.web.export import csv_of
from boardsight.web.overlay import overlay
from boardsight.web.part import Loose, Part
from boardsight.web.place import Place, clean, place_of
from boardsight.web.record import HAND_GAMES
from boardsight.web.sheet import SheetView, game_title, sheet_view

BEST = 5
"""Tiles that are shown large, beside the empty space."""
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "png": "image/png"}

Handler = Callable[[Request], Awaitable[Response]]


def threaded(make: Callable[[Request], Response]) -> Handler:
    """Return a handler that makes its answer in a thread, so that the event loop never waits for the database."""

    @functools.wraps(make)
    async def handler(request: Request) -> Response:
        return await run_in_threadpool(make, request)

    return handler


async def health(request: Request) -> Response:
    """Say that the page answers."""
    return PlainTextResponse("ok")


async def events(request: Request) -> Response:
    """Tell a page whenever the evening changes."""
    hub = place_of(request).hub
    if hub.full:
        raise HTTPException(503, "Too many pages are open.")
    return StreamingResponse(hub.listen(), media_type="text/event-stream")


async def static(request: Request) -> Response:
    """Give out one of the page's own files."""
    name = request.path_params["name"]
    data = place_of(request).static.get(name)
    if data is None:
        raise HTTPException(404, "There is no such file.")
    kind = TYPES[name.rpartition(".")[2]]
    return Response(data, media_type=kind, headers={"cache-control": "private, max-age=60"})


@threaded
def invite(request: Request) -> Response:
    """Show the code that lets another phone in."""
    place = place_of(request)
    return place.page(request, "invite.html", address=place.address)


async def code(request: Request) -> Response:
    """Give out that code as a picture."""
    return Response(qr_svg(place_of(request).address), media_type="image/svg+xml")


@dataclass(frozen=True, slots=True)
class Item:
    """A sheet in the list of the evening."""

    shot: Shot
    part: Part | None
    player: str
    round: int | None
    game: str


def _items(place: Place, shots: tuple[Shot, ...]) -> list[Item]:
    found = []
    for shot in shots:
        if not shot.parts:
            found.append(Item(shot, None, "", None, game_title(shot.reading.game)))
        for part in shot.parts:
            entry = shot.entries.get(part.number)
            title = part.boards[0][1].board.title if part.boards else game_title(shot.reading.game)
            found.append(Item(shot, part, entry.player if entry else "", entry.round if entry else None, title))
    return sorted(found, key=lambda i: (i.round is not None, -(i.round or 0), i.player.casefold(), i.shot.name))


def _games(shots: tuple[Shot, ...]) -> set[str]:
    return {shot.reading.game for shot in shots if shot.reading.game}


@threaded
def evening(request: Request) -> Response:
    """Show the evening: upload, standings, sheets, and what is played."""
    place = place_of(request)
    book, shots = place.book, place.book.shots()
    removed = clean(request.query_params.get("removed", ""), 80)
    return place.page(
        request,
        "evening.html",
        players=book.players(),
        rounds=book.rounds(),
        table=book.table(),
        items=_items(place, shots),
        rules=book.rules,
        games=_games(shots),
        game_title=game_title,
        all_games=GAMES,
        hand_games=HAND_GAMES,
        removed=removed if removed and book.store.kept(removed) else "",
        cards=[(r, Challenge.parse(r.challenge) if r.challenge else None) for r in book.rounds()],
        scorings=SCORINGS,
        rolls=tuple(ROLL_TYPES),
        free=FREE,
    )


@dataclass(frozen=True, slots=True)
class Option:
    """A tile that may be chosen, with its picture."""

    choice: Choice
    shape: str
    stripes: tuple[Stripe, ...]
    letter: str
    mark: str
    spoken: str

    @property
    def text(self) -> str:
        """Return the tile's text."""
        return self.choice.text


def _option(choice: Choice, part: Part) -> Option:
    tile_set = part.boards[0][1].board.tile_set
    tile: Tile | None = tile_set.by_text.get(choice.text)
    if tile is None:
        return Option(choice, tile_set.shape, (), "", "", "empty space")
    shows = dict(tile.shows)
    mark = {"s": "sun", "m": "moon", "G": "gold stud", "S": "silver stud"}.get(
        shows.get("symbol", shows.get("stud", "")), ""
    )
    mark += {"g": ", gold 80", "v": ", silver 40"}.get(shows.get("bonus", ""), "")
    return Option(choice, tile_set.shape, stripes(tile, tile_set), shows.get("letter", ""), mark, f"{tile.text} {mark}")


@dataclass(frozen=True, slots=True)
class Fix:
    """What can be set on the space that was tapped."""

    board: int
    cell: str
    title: str
    part: Part
    now: str
    by_hand: bool
    best: tuple[Option, ...]
    others: tuple[Option, ...]
    at: tuple[float, float]
    reach: float
    ships: tuple[tuple[str, bool, str, str], ...]
    """Each ship, whether it stands here, and its colour and ink; none on boards without ships."""


@dataclass(frozen=True, slots=True)
class LooseFix:
    """What can be set on a loose piece that was tapped."""

    piece: Loose
    part: int
    board: int
    values: tuple[str, ...]
    """What it may be, where that is a few things only."""
    at: tuple[float, float]
    reach: float


def _loose_fix(shot: Shot, key: str) -> LooseFix | None:
    what, _, rest = key.partition(".")
    for part in shot.parts:
        for piece in part.loose:
            if f"{piece.index + 1}.{part.number}" == rest and piece.what == what:
                tiles = part.boards[0][1].board.tile_set.by_text if part.boards else {}
                values = {"dice": DICE_FACES, "cards": SPECIAL_CARDS, "reserve": tuple(tiles)}[what]
                likely = tuple(text for text in (piece.text, piece.other) if text in values)
                values = tuple(dict.fromkeys((*likely, *values))) if what == "reserve" else values
                unit = overlay(shot.reading, shot.parts).unit
                board = part.boards[0][0] if part.boards else 1
                return LooseFix(piece, part.number, board, values, piece.centre, round(unit, 1))
    return None


def _fix(shot: Shot, key: str) -> Fix | None:
    number, _, cell = key.partition(".")
    for part in shot.parts:
        for i, (n, board) in enumerate(part.boards):
            if str(n) != number or cell not in board.board.index:
                continue
            found = choices(part.seen, part.fixed, i, cell, taken=part.taken)
            options = [_option(choice, part) for choice in found]
            reading = next(c for c in board.cells if c.cell == cell)
            empty = next(o for o in options if o.text == EMPTY)
            tiles = [o for o in options if o.text != EMPTY]
            first = options[: BEST + 1] if empty in options[: BEST + 1] else [*tiles[:BEST], empty]
            unit = overlay(shot.reading, shot.parts).unit
            here = dict(part.state.ships).get(cell, ())
            ships = tuple((ship, ship in here, paint(ship), ink_on(ship)) for ship in SHIPS)
            return Fix(
                n,
                cell,
                board.board.title,
                part,
                reading.tile,
                cell in part.fixed[i],
                tuple(first),
                tuple(sorted((o for o in tiles if o not in first), key=lambda o: list(_order(o.text)))),
                reading.centre,
                round(0.8 * unit, 1),
                ships if board.board.name == "higher" else (),
            )
    return None


def _order(text: str) -> Iterator[tuple[int, str]]:
    for piece in text.split("-"):
        digits = "".join(c for c in piece if c.isdigit())
        yield int(digits or 0), piece


@dataclass(frozen=True, slots=True)
class PartView:
    """One player's part of a photo as the page shows it."""

    part: Part
    sheet: SheetView | None
    player: str
    round: int
    board: int
    """Number of its first board."""
    extras: tuple[str, ...]
    """What can be entered beside the boards."""
    advice: str
    """The best move that the reserve is still good for; empty where there is none."""


def _extras(part: Part) -> tuple[str, ...]:
    names = {board.board.name for _, board in part.boards}
    return {"take-5": ("cards", "hand"), "high-score": ("dice",), "take-it-higher": ("ships", "ring")}.get(
        part.state.game, ("reserve",) if "orchid" in names else ()
    )


def _advice(part: Part, rules: Rules) -> str:
    """Return the best relocation of an Orchid's reserve, in words; empty where there is none to make."""
    if not part.state.reserve or not all(isinstance(tile, Tile) for tile in part.state.reserve):
        return ""
    best = best_relocation(part.state, rules)
    if not best.moves:
        return "The reserve is best left where it is."
    moves = " and ".join(f"{tile} onto {cell}" for cell, tile in best.moves)
    return f"The reserve can still bring {best.gain} points: {moves}, total {best.total}."


@threaded
def photo(request: Request) -> Response:
    """Show a photo with what was read drawn on it, its sheets, and what can be corrected."""
    place = place_of(request)
    book = place.book
    shot = book.shot(request.path_params["content"])
    rounds, cell = book.rounds(), request.query_params.get("cell", "")
    views = []
    for part in shot.parts:
        entry = shot.entries.get(part.number)
        first = part.boards[0][0] if part.boards else 1
        at = entry.round if entry else rounds[-1].number
        views.append(
            PartView(
                part,
                sheet_view(part),
                entry.player if entry else "",
                at,
                first,
                _extras(part),
                _advice(part, book.rules),
            )
        )
    return place.page(
        request,
        "photo.html",
        shot=shot,
        title=game_title(shot.reading.game) or "Photo",
        has_picture=bool(book.picture(shot.content, small=True)),
        over=overlay(shot.reading, shot.parts),
        views=views,
        fix=_fix(shot, cell),
        loose_fix=_loose_fix(shot, cell),
        players=book.players(),
        rounds=rounds,
        challenge=_challenge(rounds, views),
        replaced=clean(request.query_params.get("replaced", ""), 80),
        all_games=GAMES,
        game_title=game_title,
        buttons=BUTTONS,
        ships=[(ship, paint(ship), ink_on(ship)) for ship in SHIPS],
        reserve_tiles=_reserve_tiles(shot),
        scorings=SCORINGS,
        rolls=tuple(ROLL_TYPES),
        free=FREE,
    )


def _challenge(rounds: tuple[Round, ...], views: list[PartView]) -> Challenge | None:
    at = views[0].round if views else rounds[-1].number
    text = next((r.challenge for r in rounds if r.number == at), "")
    return Challenge.parse(text) if text else None


def _reserve_tiles(shot: Shot) -> tuple[str, ...]:
    for part in shot.parts:
        for _, board in part.boards:
            if board.board.name == "orchid":
                return tuple(tile.text for tile in board.board.tile_set.tiles)
    return ()


@threaded
def picture(request: Request) -> Response:
    """Give out a photo's picture as it was encoded anew."""
    small = "small" in request.query_params
    data = place_of(request).book.picture(request.path_params["content"], small=small)
    if not data:
        raise HTTPException(404, "There is no such picture.")
    return Response(data, media_type="image/jpeg", headers={"cache-control": "private, max-age=86400"})


@threaded
def printed(request: Request) -> Response:
    """Show the evening on paper: the standings, and every sheet."""
    place = place_of(request)
    items = [(item, sheet_view(item.part)) for item in _items(place, place.book.shots()) if item.part]
    return place.page(
        request, "print.html", table=place.book.table(), items=items, rounds=place.book.rounds(), rules=place.book.rules
    )


@threaded
def export(request: Request) -> Response:
    """Give out the evening as CSV."""
    book = place_of(request).book
    return Response(
        csv_of(book.table()),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": 'attachment; filename="evening.csv"'},
    )
