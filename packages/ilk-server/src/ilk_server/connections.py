"""Connections: how long a client may take, and which process answers its next request.

A large request is one that sends more than ``SMALL`` bytes, a body without a length, or its next
request with it, or whose answer may be long. The annex answers these, another process, so that the
others never wait for its interpreter, its threads or its hold on the store. The parser of HTTP
decides with every head; then the connection goes over with all that has been read of the request.
It comes back with the next small one.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from ilk_server import problems
from ilk_server.guard import Guard
from ilk_server.limits import SMALL
from ilk_server.problems import Refused
from ilk_server.sessions import Session

#: What is large whatever it sends.
_LONG = re.compile(
    rb"(GET /(documents|documents/[^/]+/text|clusters|compare/.*)|POST /batch)(\?.*)?", re.DOTALL
)

#: Bytes to take from a connection at a time; the others wait until then, and bytes cost most as
#: chunks of one byte.
_TURN = 16 << 10

#: Seconds to the next try to send a connection.
_AGAIN = 0.01


def is_large_request_or_answer(request: h11.Request, bytes_after_head: int) -> bool:
    """Return whether a request is large.

    Args:
        request: its head.
        bytes_after_head: how many came after it.
    """
    headers = dict(request.headers)
    size = int(headers.get(b"content-length", b"0"))
    return (
        size > SMALL
        or bytes_after_head > size
        or b"transfer-encoding" in headers
        or _LONG.fullmatch(request.method + b" " + request.target) is not None
    )


class _HeadParser(h11.Connection):
    """A parser that asks about every head whether this process answers its request."""

    def __init__(self, hand_over: Callable[[h11.Request, bytes], bool]) -> None:
        super().__init__(h11.SERVER)
        self._hand_over_if_other_process_answers = hand_over

    def next_event(self) -> Any:
        """Return what came next; nothing more when the connection leaves."""
        read = self.trailing_data[0] if self.their_state is h11.IDLE else b""
        event = super().next_event()
        if isinstance(event, h11.Request) and self._hand_over_if_other_process_answers(event, read):
            return h11.NEED_DATA
        return event


class Connection(H11Protocol):
    """A connection that ends when a head, or the reader of an answer, is slow."""

    def __init__(self, *arguments: Any, read: bytes = b"", **keywords: Any) -> None:
        """Begin with what another process has read."""
        super().__init__(*arguments, **keywords)
        self.conn = _HeadParser(self._hand_over_if_other_process_answers)
        self._guard: Guard = self.config.app  # type: ignore[assignment]
        self._read = read
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a head."""
        super().connection_made(transport)
        self._start_abort_timer_if_stopped("head")
        with contextlib.suppress(AttributeError):  # Other loops than asyncio's lack it.
            transport.max_size = _TURN  # type: ignore[attr-defined]
        if self._read:
            self.data_received(self._read)

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request."""
        super().data_received(data)
        self._update_timers(self.conn.their_state is h11.IDLE)

    def _hand_over_if_other_process_answers(self, request: h11.Request, bytes_read: bytes) -> bool:
        """Return whether the other process answers a request; then the connection goes there."""
        guard, first = self._guard, bool(self._read)
        self._read = b""
        stays = (
            guard.link is None
            or is_large_request_or_answer(request, self._count_unparsed_bytes()) == guard.annexed
        )
        headers = {name.decode(): value.decode("latin-1") for name, value in request.headers}
        if guard.annexed and not first:
            # Behind a proxy, whoever had logged in for the first request may not send this one.
            self.app_state = {}
            stays = stays and "cookie" not in headers
        if not stays:
            self.flow.pause_reading()
            self._start_abort_timer_if_stopped("handover")
            self._send_connection_and_abort_or_retry(
                guard.session_of_cookie_header(headers), bytes_read
            )
        return not stays

    def _count_unparsed_bytes(self) -> int:
        """Return how many bytes were read that are no part of the last event."""
        return len(self.conn.trailing_data[0])

    def _send_connection_and_abort_or_retry(
        self, session: Session | None, bytes_read: bytes
    ) -> None:
        """Send the connection to the other process, after the rest of the last answer."""
        if self.transport.is_closing():
            return
        link, waits = self._guard.link, self.transport.get_write_buffer_size() > 0
        try:
            if link is not None and not waits:
                link.send_connection(
                    self.transport.get_extra_info("socket").fileno(), session, bytes_read
                )
        except OSError:  # It has much to take, or has ended and begins again.
            waits = True
        if waits:
            self.loop.call_later(
                _AGAIN, self._send_connection_and_abort_or_retry, session, bytes_read
            )
        else:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, and say why, if no answer to it has begun."""
        error = sys.exception()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            status = getattr(error, "error_status_hint", HTTPStatus.BAD_REQUEST)
            why = str(error or msg).partition(": bytearray")[0]
            refused = Refused(
                status,
                f"this is no request of HTTP/1.1 ({why}); addresses must be percent-encoded, and a "
                "head may take 16 kB.",
            )
            body = problems.problem_json(refused)
            headers = {"Content-Type": problems.TYPE, "Content-Length": str(len(body))}
            answer = h11.Response(
                status_code=status, headers=[*headers.items(), ("Connection", "close")]
            )
            for event in (answer, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def on_response_complete(self) -> None:
        """Expect the rest of a request that has begun."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._update_timers(
                self.conn.their_state is h11.IDLE and self._count_unparsed_bytes() > 0
            )

    def _update_timers(self, head_is_due: bool) -> None:
        """Expect the end of a head, and of a body that was answered before its end."""
        self._set_abort_timer("head", is_due=head_is_due)
        answered = self.cycle is not None and self.cycle.response_complete
        self._set_abort_timer("body", is_due=answered and self.conn.their_state is h11.SEND_BODY)

    def pause_writing(self) -> None:
        """Wait for the reader."""
        super().pause_writing()
        self._start_abort_timer_if_stopped("reader")

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        self._stop_abort_timer_if_running("reader")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        super().connection_lost(exc)
        for what in tuple(self._timers):
            self._stop_abort_timer_if_running(what)

    def _set_abort_timer(self, timer: str, *, is_due: bool) -> None:
        if is_due:
            self._start_abort_timer_if_stopped(timer)
        else:
            self._stop_abort_timer_if_running(timer)

    def _start_abort_timer_if_stopped(self, timer: str) -> None:
        if timer not in self._timers:
            seconds = self._guard.limits.seconds
            self._timers[timer] = self.loop.call_later(seconds, self.transport.abort)

    def _stop_abort_timer_if_running(self, timer: str) -> None:
        if timer in self._timers:
            self._timers.pop(timer).cancel()
