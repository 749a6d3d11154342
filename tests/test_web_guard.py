"""Who may use the page, and how much of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.testclient import TestClient
from starlette.types import Message, Scope
from tests.web_app.conftest import ADDRESS, TOKEN, Here

from boardsight.web import guard
from boardsight.web.app import ROUTES, make_app
from boardsight.web.book import Book
from boardsight.web.guard import BodyLimit, Keys, KnownHosts
from boardsight.web.place import Place

CHANGES = sorted(route.path for route in ROUTES if "POST" in (route.methods or ()))
PAGES = sorted(
    route.path for route in ROUTES if "GET" in (route.methods or ()) and route.path not in ("/health", "/events")
)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    book, workers = Book(tmp_path), Here()
    app = make_app(Place.of(book, workers, TOKEN, ADDRESS), ["laptop"])
    with TestClient(app, base_url="http://127.0.0.1:8321", follow_redirects=False) as found:
        yield found
    book.close()
    workers.close()


def let_in(client: TestClient) -> str:
    """Let the client in and return what its pages send along."""
    assert client.get(f"/?token={TOKEN}").status_code == 303
    return str(re.findall(r'name="csrf" content="(\w+)"', client.get("/").text)[0])


def test_nothing_but_the_health_is_open_without_a_token(client: TestClient) -> None:
    assert client.get("/health").text == "ok"
    for path in (*PAGES, "/nowhere", "/events"):
        assert client.get(path).status_code == 403, path
    for path in CHANGES:
        assert client.post(path, data={"csrf": "x"}).status_code == 403, path


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1], TOKEN + "x", "é", "%00"])
def test_a_wrong_token_is_refused(client: TestClient, token: str) -> None:
    answer = client.get("/", params={"token": token})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert client.get("/").status_code == 403


def test_the_token_opens_a_session_and_leaves_the_address(client: TestClient) -> None:
    answer = client.get(f"/photos/abc?cell=1.c1.1&token={TOKEN}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/photos/abc?cell=1.c1.1"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert TOKEN not in cookie
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example"])
def test_the_way_in_leads_to_no_other_site(client: TestClient, path: str) -> None:
    answer = client.get(f"http://127.0.0.1:8321{path}?token={TOKEN}")
    assert not answer.headers.get("location", "/x").startswith("//")


@pytest.mark.parametrize("cookie", ["", "x", "x.y", "a." + "0" * 64])
def test_a_made_up_session_is_refused(client: TestClient, cookie: str) -> None:
    assert client.get("/", headers={"cookie": f"boardsight={cookie}"}).status_code == 403


def test_sessions_end_with_the_token() -> None:
    old, new = Keys("one"), Keys("two")
    session = old.new_session()
    assert old.knows(session)
    assert not new.knows(session)
    assert not old.accepts(old.new_session(), old.csrf(session))
    assert old.accepts(session, old.csrf(session))


@pytest.mark.parametrize("path", CHANGES)
def test_nothing_changes_without_the_secret_of_the_session(client: TestClient, path: str) -> None:
    let_in(client)
    for data in ({}, {"csrf": ""}, {"csrf": "0" * 64}):
        answer = client.post(path.replace("{content}", "abc"), data=data)
        assert answer.status_code == 403, answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_what_another_site_sends_is_refused(client: TestClient, headers: dict[str, str]) -> None:
    csrf = let_in(client)
    assert client.post("/players", data={"csrf": csrf, "name": "x"}, headers=headers).status_code == 403
    own = {"origin": "http://127.0.0.1:8321", "sec-fetch-site": "same-origin"}
    assert client.post("/players", data={"csrf": csrf, "name": "x"}, headers=own).status_code == 303


def test_nothing_is_changed_by_looking(client: TestClient) -> None:
    let_in(client)
    for path in CHANGES:
        if path not in PAGES:
            assert client.get(path.replace("{content}", "abc")).status_code in (404, 405)


def test_every_answer_tells_the_browser_what_is_allowed(client: TestClient) -> None:
    answers = [client.get("/health"), client.get("/"), client.get("/", headers={"host": "evil.example"})]
    let_in(client)
    answers += [client.get(path) for path in ("/", "/nowhere", "/static/app.js", "/photos/abc", "/export.csv")]
    answers.append(client.post("/players", data={"csrf": "wrong"}))
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"]


def test_pages_keep_to_the_policy(client: TestClient) -> None:
    let_in(client)
    for path in ("/", "/invite", "/print", "/nowhere"):
        text = client.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=\"/static/)", text), "no script inside a page"
        assert not re.search(r"\son\w+=|\sstyle=|<style|javascript:", text)


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8321", True),
        ("192.168.1.7", True),
        ("[::1]:80", True),
        ("localhost:1", True),
        ("laptop", True),
        ("laptop.local:8321", True),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("laptop@evil.example", False),
        ("", False),
    ],
)
def test_only_this_machines_names_are_answered(client: TestClient, host: str, known: bool) -> None:
    assert KnownHosts(client.app, ["laptop"]).knows(host) is known
    assert (client.get("/health", headers={"host": host}).status_code == 200) is known


# ---------------------------------------------------------------- sizes


def test_three_thousand_million_bytes_are_refused_before_they_are_read(client: TestClient) -> None:
    let_in(client)
    for path in ("/photos", "/players"):
        answer = client.post(path, content=b"", headers={"content-length": str(3 * 10**9)})
        assert answer.status_code == 413
    for said in ("-1", "many", "1e3"):
        assert client.post("/players", content=b"x", headers={"content-length": said}).status_code == 413


async def _answer_of(app: BodyLimit, chunks: list[bytes], path: str, wait: float = 0.0) -> tuple[int, int]:
    """Send a body that does not say its length; return the status and how many chunks were taken."""
    taken, sent = 0, []

    async def receive() -> Message:
        nonlocal taken
        await asyncio.sleep(wait)
        taken += 1
        return {"type": "http.request", "body": chunks[taken - 1], "more_body": taken < len(chunks)}

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {"type": "http", "method": "POST", "path": path, "headers": [], "query_string": b""}
    await app(scope, receive, send)
    return sent[0]["status"], taken


def _reading_app() -> BodyLimit:
    from starlette.applications import Starlette
    from starlette.routing import Route

    async def eat(request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    inner = Starlette(routes=[Route("/photos", eat, methods=["POST"]), Route("/players", eat, methods=["POST"])])
    return BodyLimit(inner, ("/photos",), upload=1000, form=100)


def test_a_body_that_does_not_say_its_length_is_counted() -> None:
    app = _reading_app()
    assert asyncio.run(_answer_of(app, [b"x" * 100] * 5, "/photos")) == (200, 5)
    assert asyncio.run(_answer_of(app, [b"x" * 100] * 1000, "/photos")) == (413, 11)
    assert asyncio.run(_answer_of(app, [b"x" * 101], "/players")) == (413, 1)


def test_an_endless_upload_is_cut_off_while_it_is_taken_apart(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    csrf = let_in(client)
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield b'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n' + csrf.encode() + b"\r\n"
        yield b'--x\r\nContent-Disposition: form-data; name="photos"; filename="a.jpg"\r\n\r\n'
        while sent < 3 * guard.UPLOAD_BODY:
            sent += 1_000_000
            yield b"x" * 1_000_000

    headers = {"content-type": "multipart/form-data; boundary=x"}
    assert client.post("/photos", content=endless(), headers=headers).status_code == 413


def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "CHUNK_SECONDS", 0.05)
    assert asyncio.run(_answer_of(_reading_app(), [b"x"] * 3, "/photos", wait=0.5)) == (408, 0)
