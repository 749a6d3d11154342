"""A phone that has been let in to the page, whose photos are read in this process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from boardsight.web.app import make_app
from boardsight.web.book import Book
from boardsight.web.place import Place
from boardsight.web.work import Job, Result, work
from boardsight.web.workers import Busy, GaveUp, Workers

SAMPLES = Path(__file__).parent.parent.parent / "sample_images"
TOKEN = "test-token-that-is-long-enough"
ADDRESS = f"http://127.0.0.1:8321/?token={TOKEN}"


class Here(Workers):
    """Does the work of the worker processes in this one, so that the tests do not wait for them to start."""

    def __init__(self) -> None:
        self.waiting = 4
        self.busy = False
        self.broken = False
        self.jobs: list[Job] = []
        self._taken = 0
        self._pool = ThreadPoolExecutor(1)

    async def run(self, job: Job) -> Result:
        import asyncio

        self.jobs.append(job)
        if self.busy:
            raise Busy("too many photos are waiting; try again in a few seconds")
        if self.broken:
            raise GaveUp("took longer than 30 seconds")
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, job)

    def close(self) -> None:
        self._pool.shutdown()


class Phone:
    """A client that has been let in."""

    def __init__(self, client: TestClient, workers: Here, book: Book) -> None:
        self.client, self.workers, self.book = client, workers, book
        self.csrf = re.findall(r'<meta name="csrf" content="(\w+)">', client.get("/").text)[0]

    def post(self, path: str, **fields: Any) -> Any:
        return self.client.post(path, data={"csrf": self.csrf, **fields})

    def upload(self, data: bytes, name: str = "IMG_1.jpg", **fields: str) -> Any:
        return self.client.post("/photos", data={"csrf": self.csrf, **fields}, files={"photos": (name, data)})

    def sample(self, name: str, **fields: str) -> str:
        """Upload a sample photo and return the path of its page."""
        answer = self.upload((SAMPLES / f"{name}.jpg").read_bytes(), f"{name}.jpg", **fields)
        assert answer.status_code == 200, answer.text
        return str(answer.url.path)

    def total(self, path: str) -> int:
        return int(re.findall(r'data-score="(-?\d+)"', self.client.get(path).text)[0])


Enter = Callable[[], Phone]


@pytest.fixture(scope="module")
def workers() -> Iterator[Here]:
    here = Here()
    yield here
    here.close()


@pytest.fixture
def enter(tmp_path: Path, workers: Here) -> Iterator[Enter]:
    """Return a function that starts the page in a folder (again) and lets a phone in."""
    open_clients: list[tuple[TestClient, Book]] = []
    workers.busy = workers.broken = False
    workers.jobs.clear()

    def make() -> Phone:
        book = Book(tmp_path)
        app = make_app(Place.of(book, workers, TOKEN, ADDRESS), ["laptop"])
        client = TestClient(app, base_url="http://127.0.0.1:8321", raise_server_exceptions=True)
        client.__enter__()
        open_clients.append((client, book))
        client.get(f"/?token={TOKEN}")
        return Phone(client, workers, book)

    yield make
    for client, book in open_clients:
        client.__exit__(None, None, None)
        book.close()


@pytest.fixture
def phone(enter: Enter) -> Phone:
    return enter()


def truth(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))
    return found
