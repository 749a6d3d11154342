"""Fifty photos at once: each is answered or refused, none is lost, and the page stays awake."""

from __future__ import annotations

import http.client
import json
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.test_cli_serve import start

from boardsight.web.book import Book

SAMPLES = Path(__file__).parent.parent / "sample_images"
CLIENTS, EACH = 10, 5
AWAKE = 0.2
"""Seconds in which the page must say that it is well, on a machine that does nothing else."""
HOPS = 4
"""How often a process gets its turn for one answer: to accept, read, answer and hear it."""
#: Asks how the page is until stdin closes, in a process of its own, so that the uploads do not hold it up.
WATCH = """
import http.client, json, select, sys, time
def ask():
    connection = http.client.HTTPConnection(sys.argv[1].split("/")[2], timeout=60)
    connection.request("GET", "/health")
    assert connection.getresponse().read() == b"ok"
    connection.close()
ask()  # the first one loads what Python needs to ask
print("ready", flush=True)
waits, late, ended = [], [], False
while not ended:
    begun = time.perf_counter()
    ended = bool(select.select([sys.stdin], [], [], 0.02)[0])
    late.append(0.0 if ended else time.perf_counter() - begun - 0.02)
    begun, spent = time.perf_counter(), time.process_time()
    while time.process_time() - spent < 0.004:
        pass
    late.append(time.perf_counter() - begun - 0.004)  # other processes had their turn in between
    begun = time.perf_counter()
    ask()
    waits.append(time.perf_counter() - begun)
print(json.dumps([waits, late]))
"""
BORDER = "------------------------boardsight"


class Client:
    """A phone with a session of its own."""

    def __init__(self, link: str) -> None:
        self.host = link.split("/")[2]
        answer, _ = self.ask("GET", "/" + link.split("/", 3)[3])
        self.cookie = (answer.getheader("set-cookie") or "").split(";")[0]
        self.csrf = re.findall(rb'name="csrf" content="(\w+)"', self.ask("GET", "/")[1])[0].decode()

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection(self.host, timeout=120)
        try:
            headers = {"cookie": getattr(self, "cookie", ""), "connection": "close"}
            connection.request(method, path, body, headers | ({"content-type": kind} if kind else {}))
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def upload(self, name: str, data: bytes) -> tuple[int, str]:
        """Send a photo; return the status and where the answer leads."""
        parts = [("csrf", "", self.csrf.encode()), ("photos", f'; filename="{name}"', data)]
        body = b"".join(
            f'--{BORDER}\r\nContent-Disposition: form-data; name="{field}"{extra}\r\n\r\n'.encode() + value + b"\r\n"
            for field, extra, value in parts
        )
        body += f"--{BORDER}--\r\n".encode()
        answer, _ = self.ask("POST", "/photos", body, f"multipart/form-data; boundary={BORDER}")
        return answer.status, answer.getheader("location") or ""


def different(data: bytes, number: int) -> bytes:
    """Return the same photo as another file: a comment that a phone might have written."""
    comment = f"photo {number}".encode()
    return data[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + data[2:]


@pytest.mark.slow
def test_fifty_uploads_at_once(tmp_path: Path) -> None:
    process, link = start(tmp_path)
    try:
        photos = [(SAMPLES / f"{name}.jpg").read_bytes() for name in ("easy_1", "higher_1", "nexus_2")]
        clients = [Client(link) for _ in range(CLIENTS)]
        watcher = subprocess.Popen([sys.executable, "-c", WATCH, link], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert watcher.stdout is not None
        assert watcher.stdout.readline().strip() == b"ready"
        jobs = [(clients[i % CLIENTS], f"{i}.jpg", different(photos[i % 3], i)) for i in range(CLIENTS * EACH)]
        with ThreadPoolExecutor(CLIENTS * EACH) as pool:
            answers = list(pool.map(lambda job: job[0].upload(*job[1:]), jobs))
        waits, late = json.loads(watcher.communicate(b"")[0])
        statuses = [status for status, _ in answers]
        assert set(statuses) <= {303, 429, 503}, "each is answered or refused"
        places = [place for status, place in answers if status == 303]
        assert len(places) == len(set(places)) >= 5
        print(
            f"{len(places)} read, {len(statuses) - len(places)} refused;"
            f" health {1000 * statistics.median(waits):.0f} ms, at most {1000 * max(waits):.0f} ms of {len(waits)};"
            f" this machine lets a process wait up to {1000 * max(late):.0f} ms"
        )
        assert max(waits) < AWAKE + HOPS * max(late)
        # those that were refused come again, as the page's script does, and are read in the end
        for (client, name, data), status in zip(jobs, statuses, strict=True):
            while status in (429, 503):
                status, place = client.upload(name, data)
                places += [place] if status == 303 else []
            assert status == 303
        book = Book(tmp_path)
        kept = {f"/photos/{shot.content}" for shot in book.shots()}
        book.close()
        assert kept == set(places)
        assert len(kept) == CLIENTS * EACH, "none is lost"
    finally:
        process.kill()
        process.communicate()
