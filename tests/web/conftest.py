"""A headless Chromium and a page of our own for it; run by ``make test-web``, which says where Chromium is."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Scheme = Literal["light", "dark"]
CHROMIUM = os.environ.get("BOARDSIGHT_CHROMIUM", "")
SAMPLES = Path(__file__).parent.parent.parent / "sample_images"
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
#: Screen, and whether it is touched.
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 820}}

if not CHROMIUM:
    collect_ignore_glob = ["test_*.py"]


class Served:
    """The page as `boardsight serve` runs it, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.start()

    def start(self) -> None:
        """Start the server, at the port that it had before."""
        command = [sys.executable, "-m", "boardsight.cli", "serve", str(self.folder), "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.match(r"(http://127\.0\.0\.1:(\d+)/)\?token=\S+", line):
                self.link, self.home, self.port = found[0], found[1], int(found[2])
                return
        raise AssertionError("the page did not start")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server."""
        self._process.send_signal(how)
        self._process.wait(30)
        if self._process.stdout is not None:
            self._process.stdout.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Serve an empty evening."""
    server = Served(tmp_path / "evening")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Start Chromium once."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(SWITCHES))
        yield chromium
        chromium.close()


Open = Callable[..., "Page"]


@pytest.fixture
def open_page(browser: Browser, served: Served) -> Iterator[Open]:
    """Return a function that opens the page on a device of its own; a script's error or a foreign request fails."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def make(device: dict[str, Any] = DESKTOP, scheme: Scheme = "light") -> Page:
        context = browser.new_context(**device, color_scheme=scheme)
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"script: {error}"))
        page.on("request", lambda r: wrong.append(r.url) if not r.url.startswith((served.home, "blob:")) else None)
        page.on(
            "console", lambda m: wrong.append(m.text) if m.type == "error" and "Content Security" in m.text else None
        )
        page.goto(served.link)
        return page

    yield make
    for context in contexts:
        context.close()
    assert wrong == []
