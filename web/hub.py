"""Tells every open page when the evening changed, whoever changed it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool

from boardsight.web.book import Book

LISTENERS = 64
"""Pages that may listen at once."""
LOOK_SECONDS = 1.0
"""How often the file is asked whether another program changed it."""
BEAT_SECONDS = 15.0
"""How often a silent connection says that it is alive."""


class Hub:
    """Passes on the book's state to the pages that listen."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._state = ""
        self._listeners: set[asyncio.Event] = set()
        self._closed = False
        self._watch: asyncio.Task[None] | None = None

    @property
    def full(self) -> bool:
        """Return True where no more pages can listen."""
        return len(self._listeners) >= LISTENERS

    def start(self) -> None:
        """Begin to watch the book."""
        self._watch = asyncio.create_task(self._look())

    def close(self) -> None:
        """End every listening page's connection."""
        self._closed = True
        if self._watch is not None:
            self._watch.cancel()
        for event in self._listeners:
            event.set()

    async def _look(self) -> None:
        while True:
            await self.tell()
            await asyncio.sleep(LOOK_SECONDS)

    async def tell(self) -> None:
        """Pass on the book's state if it changed."""
        state = await run_in_threadpool(self._book.state)
        if state != self._state:
            self._state = state
            for event in self._listeners:
                event.set()

    async def listen(self) -> AsyncIterator[str]:
        """Yield server-sent events: the state at once, and whenever it changes."""
        event = asyncio.Event()
        self._listeners.add(event)
        try:
            yield "retry: 1000\n\n"
            while not self._closed:
                yield f"data: {self._state}\n\n"
                event.clear()
                try:
                    await asyncio.wait_for(event.wait(), BEAT_SECONDS)
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            self._listeners.discard(event)
