"""Checks of every request, and headers of every answer.

Pages of other sites are refused: the Host must be a served name (so that a foreign name cannot lead
here), and an Origin must equal the Host. A token identifies the client; a browser has a session
instead, and proves with every change that it has read the page (CSRF).
"""

from __future__ import annotations

import asyncio
import dataclasses
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import quote, urlsplit

from starlette.requests import ClientDisconnect

from ilk_server import logs, problems
from ilk_server.annex import ProcessLink
from ilk_server.limits import SMALL, RequestLimits
from ilk_server.metrics import Metrics
from ilk_server.problems import Refused
from ilk_server.sessions import COOKIE, Session, Sessions
from ilk_server.tokens import LoadedTokens

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Paths without a token: health, login, and static files.
_OPEN = ("/health", "/login", "/enter", "/static/")

#: Paths to which people send tokens and codes.
_GUESSED = ("/login", "/enter")

#: Paths with a streamed body: each line is limited, and each piece must arrive in time.
_STREAMS = ("/batch",)

#: The most bytes of a form whose bytes are escaped: reading one takes eighty times its size.
_ESCAPED = 1 << 20

#: The charset that a form in parts may name; Python's others may take the square of the time.
_UTF_8 = re.compile(r'charset="?utf-?8"?\s*(?=;|$)')

#: Bodies of the largest size that may be in memory at a time.
_BODIES = 4

#: Bytes of an answer to send at a time.
PIECE = 64 << 10

#: Methods that change nothing.
_SAFE = ("GET", "HEAD")

#: Seconds that an answer to a wrong token takes, one after the other.
_WRONG = 0.1

#: Names of this machine.
LOOPBACK = ("localhost", "127.0.0.1", "::1")

_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Under `no-referrer`, a browser's own forms would come from the origin `null`.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """The guard in front of the application."""

    def __init__(
        self,
        app: App,
        *,
        tokens: LoadedTokens,
        sessions: Sessions,
        hosts: Iterable[str],
        limits: RequestLimits,
        metrics: Metrics,
    ) -> None:
        """Guard an application, which clients reach by some host names."""
        self._app = app
        self._tokens = tokens
        self._sessions = sessions
        self._hosts = {host.lower() for host in hosts}
        self.limits = limits
        self.metrics = metrics
        self._wrong_answer_time = 0.0
        self.body_bytes_in_memory = 0
        #: The way to another process, if there is one, and whether this one is the annex.
        self.link: ProcessLink | None = None
        self.annexed = False

    def role_of(self, token: str) -> str | None:
        """Return the role of a token; None if it is unknown."""
        return self._tokens.role_of(token)

    def make_invitation_code(self, role: str) -> str:
        """Return a code that begins one session, within some minutes."""
        return self._sessions.make_invitation_code(role)

    def settings_for_annex(self) -> dict[str, Any]:
        """Return what another process must know to guard the same."""
        limits = dataclasses.asdict(self.limits)
        return {"tokens": self._tokens.roles, "hosts": [*self._hosts], "limits": limits}

    def session_of_cookie_header(self, headers: Mapping[str, str]) -> Session | None:
        """Return the session that the cookie of a browser leads to; None without one."""
        return self._sessions.session_of(_session_cookie(headers.get("cookie", "")))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = _Request(scope, receive, send, self)
        # Segments stay as they were sent: an id may contain a slash.
        scope["path"] = scope.get("raw_path", scope["path"].encode()).decode("latin-1")
        self.metrics.running += 1
        try:
            session = self._check_request_and_find_session(request)
            request.set_body_limit(session)
            scope.setdefault("state", {}).update(
                session=session, subtract_held_bytes=request.subtract_held_bytes_of_body
            )
            await self._app(scope, request.receive, request.send)
        except Refused as refused:
            await request.refuse_unless_begun(refused)
        except ClientDisconnect:
            pass  # Nobody is waiting for an answer.
        except Exception as error:
            logs.write_error_place(error, request=request.id)
            if request.status is None:
                await request.refuse_unless_begun(
                    Refused(HTTPStatus.INTERNAL_SERVER_ERROR, f"see the log: {request.id}")
                )
        finally:
            self.metrics.running -= 1
            request.subtract_held_bytes_of_body()
            self._log_and_count(request)

    async def delay_wrong_token_answer(self) -> None:
        """Wait until the answer to a wrong token may be sent: one turn after the one before."""
        now = time.perf_counter()
        self._wrong_answer_time = max(self._wrong_answer_time, now) + _WRONG
        await asyncio.sleep(self._wrong_answer_time - now)

    def _check_request_and_find_session(self, request: _Request) -> Session | None:
        """Return the session of the request; None if it needs no login.

        Raises:
            Refused: this request is not allowed.
        """
        host = request.headers.get("host", "")
        if _host_name(host) not in self._hosts:
            raise Refused(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"the host {host!r} is not served here; if it is a name of this service, start it "
                "with --allow-host NAME.",
            )
        origin = request.headers.get("origin")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            raise Refused(HTTPStatus.FORBIDDEN, f"pages of {origin!r} may not ask this service.")
        coding = request.headers.get("content-encoding", "identity").lower()
        if coding != "identity":
            raise Refused(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                f"a body in {coding!r} is not unpacked here; send it as it is.",
                {"Connection": "close"},
            )
        kind = request.headers.get("content-type", "").lower()
        if kind.startswith("multipart/") and "charset" in _UTF_8.sub("", kind):
            raise Refused(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "a form is read as UTF-8 alone; send it so, without a charset.",
                {"Connection": "close"},
            )
        open_ = request.path.startswith(_OPEN)
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            role = self._tokens.role_of(token.strip())
            if role is not None:
                return Session(role)
            if not open_:
                raise _unauthorised_refusal("this token is unknown")
        # In the annex, who has logged in comes with the connection.
        session = self.session_of_cookie_header(request.headers) or request.scope.get(
            "state", {}
        ).get("session")
        if session is None and not open_:
            if request.method in _SAFE and "text/html" in request.headers.get("accept", ""):
                where = request.scope["path"]
                then = "" if where == "/" else f"?then={quote(where, safe='/')}"
                raise Refused(HTTPStatus.SEE_OTHER, "log in first", {"Location": f"/login{then}"})
            raise _unauthorised_refusal("there is no token")
        csrf_token = request.headers.get("x-csrf-token", "")
        if (
            session is not None
            and request.method not in _SAFE
            and not session.is_proved_by(csrf_token)
        ):
            # A form has the token in its body, which the page itself checks.
            session = session.marked_unproved()
        return session

    def _log_and_count(self, request: _Request) -> None:
        seconds = time.perf_counter() - request.start_time
        path = getattr(request.scope.get("route"), "path", "other")
        status = request.status or 499
        self.metrics.count_request(request.method, path, status, seconds)
        logs.write_log_line(
            "request",
            request=request.id,
            method=request.method,
            path=path,
            status=status,
            seconds=round(seconds, 6),
            received=request.bytes_received,
            sent=request.bytes_sent,
        )


def _unauthorised_refusal(reason: str) -> Refused:
    return Refused(
        HTTPStatus.UNAUTHORIZED,
        f"{reason}; send one from STORE.token: Authorization: Bearer TOKEN",
        {"WWW-Authenticate": 'Bearer realm="ilk"'},
    )


def _host_name(host: str) -> str:
    """Return a host without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _session_cookie(header: str) -> str:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value


class _Request:
    """One guarded request: its limits, and its answer so far."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, guard: Guard) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        self._guard, self._limits = guard, guard.limits
        self.id = secrets.token_hex(8)
        self.start_time = time.perf_counter()
        self.method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self.path: str = scope["path"]
        self.headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        self.status: int | None = None
        self.bytes_received = self.bytes_sent = 0
        self._body_bytes, self._most = 0, SMALL
        self._ended = False

    def set_body_limit(self, session: Session | None) -> None:
        """Set the most bytes of the body, by its type and by whether there is a session."""
        kind = self.headers.get("content-type", "").lower()
        if session is not None:
            self._most = self._limits.body
            if kind.startswith("application/json"):
                self._most = self._limits.max_text_bytes
            elif kind.startswith("application/x-www-form-urlencoded"):
                self._most = min(self._most, _ESCAPED)

    def subtract_held_bytes_of_body(self) -> None:
        """Count the bytes of the body received so far no longer as held in memory."""
        self._guard.body_bytes_in_memory -= self._body_bytes
        self._body_bytes = 0

    async def receive(self) -> Message:
        """Return the next piece of the body, within the limits of time and size."""
        if self._ended:
            return await self._receive()  # Only a disconnect can follow.
        stream = self.path in _STREAMS
        announced = self.headers.get("content-length", "")
        if not stream and announced.isdigit() and int(announced[:20]) > self._most:
            raise self._too_large_error()
        left = self._limits.seconds
        if not stream:
            left -= time.perf_counter() - self.start_time
        try:
            message = await asyncio.wait_for(self._receive(), max(left, 0.001))
        except TimeoutError:
            raise Refused(
                HTTPStatus.REQUEST_TIMEOUT,
                f"the body did not arrive within {self._limits.seconds:g} seconds.",
                {"Connection": "close"},
            ) from None
        size = len(message.get("body", b""))
        self.bytes_received += size
        self._body_bytes += size
        self._guard.body_bytes_in_memory += size
        self._ended = not message.get("more_body", False)
        if not stream and self.bytes_received > self._most:
            raise self._too_large_error()
        # Small requests pass, however much the large ones hold.
        if (
            self._body_bytes > SMALL
            and self._guard.body_bytes_in_memory > _BODIES * self._limits.body
        ):
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"requests in progress hold {self._guard.body_bytes_in_memory:,} bytes; "
                "try again later.",
                {"Retry-After": "10", "Connection": "close"},
            )
        return message

    def _too_large_error(self) -> Refused:
        return Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the body is larger than {self._most:,} bytes, the most that is accepted"
            + {
                self._limits.body: "; raise --limit body for larger documents.",
                self._limits.max_text_bytes: "; send a file, or raise --limit body for larger "
                "texts.",
            }.get(self._most, "."),
            {"Connection": "close"},
        )

    async def send(self, message: Message) -> None:
        """Send a piece of the answer, with the headers that all have."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.status == HTTPStatus.UNAUTHORIZED and self._sends_token_or_code():
                await self._guard.delay_wrong_token_answer()
            there = {name.lower() for name, _ in message.get("headers", ())}
            more = [
                (name.encode(), value.encode())
                for name, value in (*_HEADERS.items(), ("x-request-id", self.id))
                if name.encode() not in there
            ]
            message["headers"] = [*message.get("headers", ()), *more]
            await self._send(message)
            return
        body = memoryview(message.get("body", b""))
        self.bytes_sent += len(body)
        for at in range(0, max(len(body), 1), PIECE):
            ends = at + PIECE >= len(body) and not message.get("more_body", False)
            piece = bytes(body[at : at + PIECE])
            await self._send({**message, "body": piece, "more_body": not ends})
            if not ends:
                await asyncio.sleep(0)  # However fast it is read, the others have their turns.

    def _sends_token_or_code(self) -> bool:
        """Return whether the request sends a token, or a code that stands for one."""
        return self.path in _GUESSED or "authorization" in self.headers

    async def refuse_unless_begun(self, refusal: Refused) -> None:
        """Answer with a problem, unless an answer has begun."""
        if self.status is not None:
            return
        body = problems.problem_json(refusal)
        headers = {
            "Content-Type": problems.TYPE,
            "Content-Length": str(len(body)),
            **refusal.headers,
        }
        coded = [
            (name.lower().encode(), quote(value, safe=_PLAIN).encode())
            for name, value in headers.items()
        ]
        await self.send(
            {"type": "http.response.start", "status": int(refusal.status), "headers": coded}
        )
        await self.send({"type": "http.response.body", "body": body})


#: Methods that are counted by their names.
_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH")

#: Characters that need no escape in a header.
_PLAIN = " !\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"
