"""What changes something: uploads, corrections, players, rounds, rules. Every one leads back to a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from boardsight.scoring.highscore import Challenge
from boardsight.scoring.notation import GAMES
from boardsight.scoring.pad import SHIPS, highest_button
from boardsight.scoring.rules import Rules
from boardsight.tournament.outcome import Player
from boardsight.tournament.work import content_of
from boardsight.vision.reading import EMPTY
from boardsight.web.book import Shot
from boardsight.web.part import WAY
from boardsight.web.place import (
    MOST_PHOTOS,
    NAME_LENGTH,
    Place,
    back,
    clean,
    number_of,
    photos_of,
    place_of,
    text_of,
)
from boardsight.web.record import NotThere
from boardsight.web.work import PHOTO_BYTES, DrawJob, Finished, ReadJob
from boardsight.web.workers import Busy

BUSY_SECONDS = 2
"""When a client that was refused may try again."""

Change = Callable[[Place, Request, FormData], str]
Handler = Callable[[Request], Awaitable[Response]]


def busy(words: str) -> HTTPException:
    """Return the answer of a server that has enough to do."""
    return HTTPException(503, words, {"retry-after": str(BUSY_SECONDS)})


def changing(change: Change) -> Handler:
    """Return a handler that changes the book in a thread, tells all open pages, and leads to the page it returns."""

    async def handler(request: Request) -> Response:
        place = place_of(request)
        form = await place.form(request)
        path = await run_in_threadpool(change, place, request, form)
        await place.hub.tell()
        return back(path)

    return handler


def _page(shot: Shot | str) -> str:
    return f"/photos/{shot if isinstance(shot, str) else shot.content}"


# ---------------------------------------------------------------- photos


async def upload(request: Request) -> Response:
    """Read photos and enter them; the answer comes when they are in the book."""
    place = place_of(request)
    state = request.app.state
    if state.uploads >= place.workers.waiting or place.workers.taken >= place.workers.waiting:
        async with state.parsing:  # to the end, or the client would not hear the answer
            async for _ in request.stream():
                pass
        raise busy("Many photos are being read. Try again in a few seconds.")
    state.uploads += 1
    try:
        async with state.parsing:
            form = await place.form(request, MOST_PHOTOS)
        try:
            return await _upload(place, form)
        finally:
            await form.close()
    finally:
        state.uploads -= 1


async def _upload(place: Place, form: FormData) -> Response:
    files = photos_of(form)
    if not files:
        raise HTTPException(400, "Choose a photo first.")
    player, game = text_of(form, "player", NAME_LENGTH), text_of(form, "game")
    number = number_of(form, "round", 1) if form.get("round") else 1
    if game and game not in GAMES:
        raise HTTPException(400, "There is no such game.")
    entered: list[str] = []
    refused: list[str] = []
    for file in files:
        try:
            entered.append(await _enter(place, file, game))
        except HTTPException as error:
            if error.status_code == 503 or len(files) == 1:
                raise
            refused.append(error.detail)
    if player and len(entered) == 1:
        await run_in_threadpool(_give_all, place, entered[0], player, number)
    await place.hub.tell()
    if not entered:
        raise HTTPException(422, " ".join(refused))
    return back(_page(entered[0]) if len(entered) == 1 else "/")


async def _enter(place: Place, file: UploadFile, game: str) -> str:
    """Read one photo, keep it and return its content's name; a photo that is in the book already is not read again.

    Raises HTTPException where it is no photo, too large, or the queue is full.
    """
    if (file.size or 0) > PHOTO_BYTES:
        raise HTTPException(413, f"A photo may have {PHOTO_BYTES // 1_000_000} MB at most.")
    data = await file.read()
    content = await run_in_threadpool(content_of, data)
    # what the file was called is a label and nothing else: no path of a request is ever opened
    name = clean((file.filename or "").replace("\\", "/").rpartition("/")[2]) or "photo"
    if await run_in_threadpool(_is_there, place, content):
        return content
    try:
        finished = await place.workers.run(ReadJob(data, name, game))
    except Busy as error:
        raise busy(str(error)) from error
    assert isinstance(finished, Finished)
    if not finished.picture:
        fault = finished.reading.fault
        raise HTTPException(422, f"{fault.message if fault else name}.")
    await run_in_threadpool(place.book.add, content, name, finished, len(data))
    return content


def _is_there(place: Place, content: str) -> bool:
    try:
        return place.book.shot(content).reading.fault is None
    except NotThere:
        return False


def _give_all(place: Place, content: str, player: str, number: int) -> None:
    """Give a photo to a player, where it shows the boards of one."""
    shot = place.book.shot(content)
    if len(shot.parts) == 1 and 1 not in shot.entries:
        place.book.give(shot, 1, player, number)


async def read_again(request: Request) -> Response:
    """Read a photo again as another game, from the picture that was kept."""
    place = place_of(request)
    form = await place.form(request)
    content, game = request.path_params["content"], text_of(form, "game")
    if game not in GAMES:
        raise HTTPException(400, "There is no such game.")
    shot = await run_in_threadpool(place.book.shot, content)
    picture = await run_in_threadpool(place.book.picture, content)
    if not picture:
        raise HTTPException(404, "Of this photo no picture was kept.")
    try:
        finished = await place.workers.run(ReadJob(picture, shot.name, game))
    except Busy as error:
        raise busy(str(error)) from error
    assert isinstance(finished, Finished)
    await run_in_threadpool(place.book.add, content, shot.name, finished, 0)
    await place.hub.tell()
    return back(_page(content))


async def annotated(request: Request) -> Response:
    """Give out a photo with what was read and what scores drawn on it, to be kept or sent on."""
    place = place_of(request)
    content = request.path_params["content"]
    shot = await run_in_threadpool(place.book.shot, content)
    picture = await run_in_threadpool(place.book.picture, content)
    if not picture or not shot.parts:
        raise HTTPException(404, "There is no such picture.")
    players = tuple(
        Player(tuple(board for _, board in part.boards), part.state, part.sheet)
        for part in shot.parts
        if part.sheet is not None
    )
    try:
        data = await place.workers.run(DrawJob(picture, shot.reading_now, players))
    except Busy as error:
        raise busy(str(error)) from error
    assert isinstance(data, bytes)
    return Response(
        data, media_type="image/jpeg", headers={"content-disposition": 'attachment; filename="boardsight.jpg"'}
    )


def by_hand(place: Place, request: Request, form: FormData) -> str:
    """Begin an empty board, a pile or dice."""
    content = place.book.add_by_hand(text_of(form, "game"))
    if player := text_of(form, "player", NAME_LENGTH):
        _give_all(place, content, player, number_of(form, "round", 1))
    return _page(content)


def remove(place: Place, request: Request, form: FormData) -> str:
    """Take a photo off the list."""
    shot = place.book.shot(request.path_params["content"])
    place.book.remove(shot)
    return f"/?removed={shot.content}"


def restore(place: Place, request: Request, form: FormData) -> str:
    """Put a photo back on the list."""
    content = request.path_params["content"]
    place.book.restore(content)
    return _page(content)


# ---------------------------------------------------------------- corrections


def correct(place: Place, request: Request, form: FormData) -> str:
    """Set a space, the ring, the reserve, cards or dice by hand."""
    content = request.path_params["content"]
    what, value = text_of(form, "what", 20), " ".join(text_of(form, "value", 400).split())
    place.book.correct(content, number_of(form, "board", 1), what, value, text_of(form, "mark", 20))
    return _page(content)


def confirm_way(place: Place, request: Request, form: FormData) -> str:
    """Say that the boards lie as they were read."""
    content = request.path_params["content"]
    place.book.correct(content, number_of(form, "board", 1), WAY, "as read")
    return _page(content)


def undo(place: Place, request: Request, form: FormData) -> str:
    """Take back the latest correction, or the one about a space."""
    content = request.path_params["content"]
    board = number_of(form, "board", 1) if form.get("board") else 0
    place.book.undo(content, text_of(form, "what", 20), board)
    return _page(content)


def launch(place: Place, request: Request, form: FormData) -> str:
    """Put a spaceship on a tile, or take it away; the ring goes where the ships put it."""
    content = request.path_params["content"]
    board, cell, ship = number_of(form, "board", 1), text_of(form, "cell", 20), text_of(form, "ship", 20)
    shot = place.book.shot(content)
    part = next((p for p in shot.parts if any(n == board for n, _ in p.boards)), None)
    if part is None or ship not in SHIPS:
        raise NotThere("there is no such ship")
    stands = {c: [s for s in ships if s != ship] for c, ships in part.state.ships}
    if ship not in dict(part.state.ships).get(cell, ()):
        stands.setdefault(cell, []).append(ship)
    words = [f"{c}={'+'.join(sorted(s, key=SHIPS.index))}" for c, s in stands.items() if s]
    place.book.correct(content, board, "ships", " ".join(words))
    if part.state.ring is not None and part.state.ring == highest_button(part.state.launched):
        launched = {s for ships in stands.values() for s in ships}
        place.book.correct(content, board, "ring", str(highest_button(launched)))
    return f"{_page(content)}?cell={board}.{cell}"


def add_card(place: Place, request: Request, form: FormData) -> str:
    """Add a card to a pile or a hand, a die to a roll or a tile to the reserve; change one, or take one away."""
    content = request.path_params["content"]
    what, card, number = text_of(form, "what", 10), text_of(form, "card", 12), number_of(form, "part", 1, 99)
    shot = place.book.shot(content)
    if what not in ("cards", "hand", "dice", "reserve"):
        raise NotThere("there is no such pile")
    part = shot.part(number)
    now, mark = [str(item) for item in getattr(part.state, what)], ""
    if form.get("away"):
        now.pop(number_of(form, "away", 1, max(1, len(now))) - 1)
    elif form.get("at"):
        at = number_of(form, "at", 1, max(1, len(now)))
        now[at - 1] = card
        mark = next((piece.name for piece in part.loose if piece.what == what and piece.index == at - 1), "")
    else:
        now.append(card)
    place.book.correct(content, part.boards[0][0] if part.boards else 1, what, " ".join(now), mark)
    return _page(content)


def set_reserve(place: Place, request: Request, form: FormData) -> str:
    """Say which tiles are in the Orchid's reserve."""
    content = request.path_params["content"]
    tiles = [str(tile) for tile in form.getlist("tile") if tile and tile != EMPTY]
    place.book.correct(content, number_of(form, "board", 1), "reserve", " ".join(dict.fromkeys(tiles)))
    return _page(content)


# ---------------------------------------------------------------- the evening


def give(place: Place, request: Request, form: FormData) -> str:
    """Say whose boards these are, and of which round."""
    shot = place.book.shot(request.path_params["content"])
    number = number_of(form, "part", 1, 99)
    name = text_of(form, "new", NAME_LENGTH) or text_of(form, "player", NAME_LENGTH)
    shot.part(number)
    if not name:
        place.book.take_back(shot, number)
        return _page(shot)
    replaced = place.book.give(shot, number, name, number_of(form, "round", 1))
    return _page(shot) + (f"?replaced={replaced}" if replaced else "")


def add_player(place: Place, request: Request, form: FormData) -> str:
    """Add a player."""
    name = text_of(form, "name", NAME_LENGTH)
    if not name:
        raise HTTPException(400, "A player needs a name.")
    place.book.add_player(name)
    return "/"


def rename_player(place: Place, request: Request, form: FormData) -> str:
    """Rename a player."""
    name, player = text_of(form, "name", NAME_LENGTH), text_of(form, "player")
    if not name:
        raise HTTPException(400, "A player needs a name.")
    if any(other.casefold() == name.casefold() for other in place.book.players() if other != player):
        raise HTTPException(409, f"There is a player called {name} already.")
    place.book.rename_player(player, name)
    return "/"


def remove_player(place: Place, request: Request, form: FormData) -> str:
    """Remove a player from the evening."""
    place.book.remove_player(text_of(form, "player"))
    return "/"


def next_round(place: Place, request: Request, form: FormData) -> str:
    """Begin the next round."""
    place.book.add_round()
    return "/"


def set_challenge(place: Place, request: Request, form: FormData) -> str:
    """Say which challenge card is played in a round."""
    words = [text_of(form, "scoring"), f"vortex={text_of(form, 'vortex')}"]
    if roll := text_of(form, "roll"):
        words.append(f"roll={roll}")
    challenge = str(Challenge.parse(" ".join(words))) if words[0] else ""
    place.book.set_challenge(number_of(form, "round", 1), challenge)
    to = text_of(form, "back", 100)
    return _page(to) if to and all(c.isalnum() or c in ":" for c in to) else "/"


def set_rules(place: Place, request: Request, form: FormData) -> str:
    """Say which optional rules are played."""
    words = [
        text_of(form, name, 30) for name in ("studs", "ships", "scrapyard", "mixed", "pairs") if text_of(form, name, 30)
    ]
    place.book.set_rules(Rules.parse(",".join(words)))
    return "/"


def set_points(place: Place, request: Request, form: FormData) -> str:
    """Enter points by hand, or take them back where none are given."""
    points = number_of(form, "points", -9999, 9999) if text_of(form, "points") else None
    place.book.set_points(text_of(form, "player"), number_of(form, "round", 1), points)
    return "/"


def rename(place: Place, request: Request, form: FormData) -> str:
    """Give the evening a title."""
    place.book.rename(text_of(form, "title", NAME_LENGTH))
    return "/"


def new_evening(place: Place, request: Request, form: FormData) -> str:
    """Begin another evening."""
    place.book.new_evening(text_of(form, "title", NAME_LENGTH))
    return "/"
