"""Who may use the page, and how much of it: token, sessions, forged requests, host names, body sizes, headers.

The address that `boardsight serve` prints carries a token. Whoever opens it gets a session of his own in a cookie; what
changes anything needs that session's second secret too, which only our own pages know (OWASP, "Cross-Site Request
Forgery Prevention": signed double submit).
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Collection
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "boardsight"
CSRF_FIELD, CSRF_HEADER = "csrf", "x-csrf"
OPEN_PATHS = ("/health",)
"""Paths that need no token; they tell nothing."""
SAFE_METHODS = ("GET", "HEAD")
COOKIE_SECONDS = 30 * 24 * 3600

UPLOAD_BODY = 64_000_000
"""Bytes of a request with photos."""
FORM_BODY = 64_000
"""Bytes of any other request."""
CHUNK_SECONDS = 20.0
"""A body of which nothing comes for that long is given up."""

CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Keys:
    """What is derived from the token: sessions and their second secrets."""

    def __init__(self, token: str) -> None:
        self._token = token

    def opens(self, token: str) -> bool:
        """Return True for the right token."""
        return hmac.compare_digest(token.encode(), self._token.encode())

    def _sign(self, what: str, text: str) -> str:
        return hmac.new(self._token.encode(), f"{what}:{text}".encode(), hashlib.sha256).hexdigest()

    def new_session(self) -> str:
        """Return the cookie of a new session."""
        name = secrets.token_urlsafe(16)
        return f"{name}.{self._sign('session', name)}"

    def knows(self, cookie: str) -> bool:
        """Return True for a cookie that `new_session` made with this token."""
        name, _, signature = cookie.partition(".")
        return hmac.compare_digest(signature.encode(), self._sign("session", name).encode())

    def csrf(self, cookie: str) -> str:
        """Return the second secret of a session."""
        return self._sign("csrf", cookie)

    def accepts(self, cookie: str, given: str) -> bool:
        """Return True where `given` is the second secret of a session."""
        return hmac.compare_digest(given.encode(), self.csrf(cookie).encode())


def session_of(request: Request) -> str:
    """Return the cookie of a request's session."""
    return request.cookies.get(COOKIE, "")


class SafeHeaders:
    """Puts the headers on every answer that keep a browser from doing what our pages never ask for."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


class KnownHosts:
    """Refuses requests for a name that is not this machine's, so that no other site can point its name here."""

    def __init__(self, app: ASGIApp, names: Collection[str] = ()) -> None:
        self.app = app
        self._names = {"localhost", *(name.casefold() for name in names)}

    def knows(self, host: str) -> bool:
        """Return True for a bare address, this machine's name, and that name in a local domain."""
        name = urlsplit(f"//{host}").hostname or ""
        try:
            ipaddress.ip_address(name.partition("%")[0])
        except ValueError:
            return name in self._names or any(name.startswith(f"{own}.") for own in self._names)
        return True

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and not self.knows(Headers(scope=scope).get("host", "")):
            await PlainTextResponse("There is no such host here.", 421)(scope, receive, send)
            return
        await self.app(scope, receive, send)


class BodyLimit:
    """Refuses bodies that are too long, before they are read where they say so, and those that do not come."""

    def __init__(
        self, app: ASGIApp, upload_paths: Collection[str], upload: int = UPLOAD_BODY, form: int = FORM_BODY
    ) -> None:
        self.app = app
        self._paths = upload_paths
        self._upload, self._form = upload, form

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = self._upload if scope["path"] in self._paths else self._form
        said = Headers(scope=scope).get("content-length", "0")
        if not said.isdigit() or int(said) > most:
            await self._refuse(most)(scope, receive, send)
            return
        got, ended = 0, False

        async def counted() -> Message:
            nonlocal got, ended
            if ended:  # the body is here; what comes now is that the client leaves, whenever it likes
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), CHUNK_SECONDS)
            except TimeoutError as error:
                raise HTTPException(408, "The photo did not arrive in time. Try again.") from error
            got += len(message.get("body", b""))
            ended = message["type"] != "http.request" or not message.get("more_body", False)
            if got > most:
                raise HTTPException(413, self._words(most))
            return message

        await self.app(scope, counted, send)

    @staticmethod
    def _words(most: int) -> str:
        return f"That is too much at once: at most {most // 1000} kB can be sent."

    def _refuse(self, most: int) -> Response:
        return PlainTextResponse(self._words(most), 413, {"connection": "close"})


class Door:
    """Lets in whoever has the token or a session, and nothing that another site sends."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self.app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self.app(scope, receive, send)
            return
        await (self._answer(scope) or self.app)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response | None:
        """Return the answer to a request that does not go on, or None for one that does."""
        headers = Headers(scope=scope)
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        token = next((value for name, value in query if name == "token"), None)
        if token is not None and scope["method"] in SAFE_METHODS:
            if not self._keys.opens(token):
                return _closed("This address is not the right one any more.")
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            answer = RedirectResponse("/" + scope["path"].strip("/") + (f"?{rest}" if rest else ""), 303)
            answer.set_cookie(
                COOKIE,
                self._keys.new_session(),
                max_age=COOKIE_SECONDS,
                httponly=True,
                samesite="lax",
            )
            return answer
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        if not self._keys.knows(cookie):
            return _closed("This page is open to those at the table.")
        if scope["method"] not in SAFE_METHODS and not _from_here(headers):
            return PlainTextResponse("That came from another site.", 403)
        return None


def _closed(why: str) -> Response:
    return PlainTextResponse(f"{why} Scan the code that `boardsight serve` shows, or ask for it.", 403)


def _from_here(headers: Headers) -> bool:
    """Return False for a request that a browser says another site made."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host", "")
