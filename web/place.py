"""What every answer needs: the book, the workers, the templates, and how a page is made of them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import jinja2
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from boardsight.web.book import Book
from boardsight.web.guard import CSRF_FIELD, CSRF_HEADER, Keys, session_of
from boardsight.web.hub import Hub
from boardsight.web.workers import Workers

NAME_LENGTH = 40
"""Letters of a player's name, of an evening's title and of a photo's name."""
MOST_PHOTOS = 12
"""Photos in one request."""
MOST_FIELDS = 40


def _folder(name: str) -> dict[str, bytes]:
    """Return all files of one of the package's folders, by name, so that no request ever reaches the disk."""
    return {item.name: item.read_bytes() for item in files("boardsight.web").joinpath(name).iterdir() if item.is_file()}


@dataclass(frozen=True, eq=False)
class Place:
    """Everything that the answers share."""

    book: Book
    workers: Workers
    keys: Keys
    hub: Hub
    address: str
    """The address that lets somebody in, with the token."""
    static: dict[str, bytes]
    templates: jinja2.Environment

    @classmethod
    def of(cls, book: Book, workers: Workers, token: str, address: str) -> Place:
        """Return what the answers share for a book and workers."""
        pages = {name: data.decode("utf-8") for name, data in _folder("templates").items()}
        templates = jinja2.Environment(
            loader=jinja2.DictLoader(pages),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        return cls(book, workers, Keys(token), Hub(book), address, _folder("static"), templates)

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        """Return a page made of a template."""
        common = {
            "csrf": self.keys.csrf(session_of(request)),
            "state": self.book.state(),
            "evening": self.book.evening,
            "path": request.url.path,
        }
        return HTMLResponse(self.templates.get_template(template).render(**common, **values), status)

    async def form(self, request: Request, most_photos: int = 0) -> FormData:
        """Return the fields of a request that changes something, once it is clear that it comes from our own pages.

        Raises HTTPException for one that does not, or that has too many parts.
        """
        form = await request.form(max_files=most_photos, max_fields=MOST_FIELDS, max_part_size=8000)
        given = request.headers.get(CSRF_HEADER) or form.get(CSRF_FIELD)
        if not isinstance(given, str) or not self.keys.accepts(session_of(request), given):
            raise HTTPException(403, "This page was open for too long. Load it again.")
        return form


def place_of(request: Request) -> Place:
    """Return what the answers share."""
    place: Place = request.app.state.place
    return place


def text_of(form: FormData, name: str, most: int = 200) -> str:
    """Return a field as one line of at most `most` letters without control characters; empty if it is not there."""
    value = form.get(name)
    return clean(value, most) if isinstance(value, str) else ""


def clean(text: str, most: int = NAME_LENGTH) -> str:
    """Return text from outside as one printable line."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(line.split())[:most].strip()


def number_of(form: FormData, name: str, least: int = 0, most: int = 999) -> int:
    """Return a field as a whole number.

    Raises HTTPException where it is none, or out of bounds.
    """
    text = text_of(form, name)
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and least <= int(text) <= most):
        raise HTTPException(400, f"{name} must be a number from {least} to {most}.")
    return int(text)


def photos_of(form: FormData) -> list[UploadFile]:
    """Return the files of an upload."""
    return [item for item in form.getlist("photos") if isinstance(item, UploadFile) and item.filename]


def back(path: str) -> Response:
    """Return the answer that leads to a page after a change."""
    return RedirectResponse(path, 303)
