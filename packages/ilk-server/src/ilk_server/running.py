"""The process that serves: its address, its signals, its end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ilk.plugins import OptionError, portable
from ilk_server import logs
from ilk_server.errors import ServiceError
from ilk_server.guard import Guard

#: Addresses that mean all of a machine's.
_ALL = ("", "0.0.0.0", "::")

#: Seconds that a connection may stay open without a request.
_KEPT = 60


#: Bytes to take from a connection at a time, and while a plain body arrives. The others wait
#: meanwhile, and bytes cost most as chunks of one byte.
_TURN, _PLAIN = 2 << 10, 16 << 10

#: Seconds of a turn, and bytes of a body, from which a connection waits before its next turn; and
#: how many times as long as all such turns took.
_LONG, _LARGE, _WAITS = 0.002, 64 << 10, 4

#: Seconds after which a thread of Python's lets another one run that waits.
_SWITCH = 0.0005


class _Patient(H11Protocol):
    """A connection that takes turns, and ends when a head, or the reader of an answer, is slow."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Expect a head."""
        super().connection_made(transport)
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._arrived = 0  # Bytes of a plain body.
        self._begin("head")
        self._take(_TURN)

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request."""
        begun = self.loop.time()
        super().data_received(data)
        now = self.loop.time()
        self._expect(self.conn.their_state is h11.IDLE)
        chunked = any(name == b"transfer-encoding" for name, _ in self.headers or ())
        plain = self.conn.their_state is h11.SEND_BODY and not chunked
        self._take(_PLAIN if plain else _TURN)
        self._arrived = self._arrived + len(data) if plain else 0
        if now - begun > _LONG or self._arrived > _LARGE:
            # However many send large bodies, together they take a part of the time.
            guard: Guard = self.config.app  # type: ignore[assignment]
            guard.turns = max(guard.turns, now) + _WAITS * (now - begun)
            # Not by `flow`, which whoever reads the body resumes.
            self.transport.pause_reading()
            self.loop.call_later(guard.turns - now, self._resume)

    def _resume(self) -> None:
        if not self.flow.read_paused:
            self.transport.resume_reading()

    def on_response_complete(self) -> None:
        """Expect the rest of a request that has begun."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._expect(self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0]))

    def _expect(self, head: bool) -> None:
        """Expect the end of a head, and of a body that was answered before its end."""
        self._begin("head") if head else self._end("head")
        answered = self.cycle is not None and self.cycle.response_complete
        body = answered and self.conn.their_state is h11.SEND_BODY
        self._begin("body") if body else self._end("body")

    def pause_writing(self) -> None:
        """Wait for the reader."""
        super().pause_writing()
        self._begin("reader")

    def resume_writing(self) -> None:
        """Go on writing."""
        super().resume_writing()
        self._end("reader")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        super().connection_lost(exc)
        for what in tuple(self._timers):
            self._end(what)

    def _begin(self, what: str) -> None:
        if what not in self._timers:
            guard: Guard = self.config.app  # type: ignore[assignment]
            self._timers[what] = self.loop.call_later(guard.limits.seconds, self.transport.abort)

    def _end(self, what: str) -> None:
        if what in self._timers:
            self._timers.pop(what).cancel()

    def _take(self, most: int) -> None:
        with contextlib.suppress(AttributeError):  # Other loops than asyncio's lack it.
            self.transport.max_size = most  # type: ignore[attr-defined]


class _Server(uvicorn.Server):
    """A server that prints its address once it listens, and may open it in a browser."""

    def __init__(self, config: uvicorn.Config, app: Guard, opens: bool, served: Path) -> None:
        super().__init__(config)
        self._app, self._opens, self._served = app, opens, served
        self._handle: int | None = None

    async def startup(self, sockets: Any = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        listening = (socket for server in self.servers for socket in server.sockets)
        places = [socket.getsockname()[:2] for socket in listening]
        urls = [
            f"http://[{host}]:{p}" if ":" in host else f"http://{host}:{p}" for host, p in places
        ]
        self._announce(urls[-1])
        print("\n".join(urls), flush=True)
        if self._opens:
            link = f"{urls[-1]}/enter?code={self._app.invite('admin')}"
            print(f"open: {link}", flush=True)
            # In a thread: a browser in a terminal would keep the server waiting.
            threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()

    def _announce(self, url: str) -> None:
        """Note beside what is served who serves it; if another process does, name that one."""
        try:
            handle = os.open(self._served, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError:  # Nothing can be written there; the store itself says so where it matters.
            return
        try:
            portable.lock(handle)
        except OSError:
            other = os.read(handle, 1000).decode(errors="replace").strip()
            print(f"also served: {other or 'by another process'}", flush=True)
            os.close(handle)
            return
        with contextlib.suppress(OSError):  # On a full disk, it holds the store all the same.
            os.ftruncate(handle, 0)
            since = time.strftime("%Y-%m-%d %H:%M:%S")
            os.write(handle, f"{url} (process {os.getpid()}, since {since})\n".encode())
        self._handle = handle

    async def shutdown(self, sockets: Any = None) -> None:
        """End; the note goes with the server."""
        await super().shutdown(sockets)
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self._served.unlink()
            os.close(self._handle)


def serve(
    app_of: Callable[[Sequence[str]], Guard],
    host: str,
    port: int,
    allowed: Sequence[str],
    served: Path,
    *,
    opens: bool = False,
    **said: Any,
) -> None:
    """Serve an application until SIGTERM or SIGINT; answer requests in progress first.

    Args:
        app_of: returns the application for the names by which clients reach it.
        host, port: the address.
        allowed: names besides the host.
        served: the file that says beside what is served who serves it.
        opens: whether to open it in a browser.
        said: for the first line of the log.

    Raises:
        OptionError: the names by which clients reach it are unknown.
        ServiceError: it cannot listen on the address.
    """
    if host in _ALL and not allowed:
        raise OptionError(
            f"`host` is {host!r}, which is every address of this machine; give the names by which "
            "clients reach it: `allow_host`."
        )
    app = app_of(allowed if host in _ALL else (host, *allowed))
    logs.line("start", **said)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=_Patient,
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=int(app.limits.seconds) + 5,
        timeout_keep_alive=_KEPT,
        ws="none",
    )
    portable.open_many()
    sys.setswitchinterval(_SWITCH)
    gc.freeze()  # What stays to the end is not looked through while requests wait.
    # The server raises the signal that ended it again, which must not count as an error.
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        _Server(config, app, opens, served).run()
    except SystemExit as end:
        raise ServiceError(
            f"cannot listen at {host}, port {port}: it is in use, or is not an address of this "
            "machine; choose another one (`port`)."
        ) from end
    finally:
        signal.signal(signal.SIGTERM, before)
        logs.line("end")
