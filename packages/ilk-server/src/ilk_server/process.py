"""The process that serves: its address, its signals, its end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn

from ilk.companions import portable
from ilk.plugins import OptionError
from ilk_server import logs
from ilk_server.annex import POSSIBLE, Annex
from ilk_server.connections import Connection
from ilk_server.errors import ServiceError
from ilk_server.guard import Guard

#: Addresses that mean all of a machine's.
_ALL = ("", "0.0.0.0", "::")

#: Seconds that a connection may stay open without a request.
_KEPT = 60


#: Seconds after which a thread of Python's lets another one run that waits.
_SWITCH = 0.0005


class Server(uvicorn.Server):
    """A server that takes connections from another process too."""

    def __init__(self, config: uvicorn.Config, guard: Guard) -> None:
        super().__init__(config)
        self.guard = guard
        self._connection_tasks = set[asyncio.Task[Any]]()

    def serve_received_connections(self) -> None:
        """Serve the connections that another process has sent, each in a task of its own."""
        loop = asyncio.get_running_loop()
        for connection, session, read in (
            self.guard.link.receive_waiting_connections() if self.guard.link else ()
        ):
            state = {**self.lifespan.state, "session": session}
            made = partial(Connection, self.config, self.server_state, state, read=read)
            task = loop.create_task(loop.connect_accepted_socket(made, connection))
            self._connection_tasks.add(task)
            task.add_done_callback(self._connection_tasks.discard)


class _MainServer(Server):
    """A server that prints its address once it listens, and may open it in a browser."""

    def __init__(self, config: uvicorn.Config, guard: Guard, opens: bool, path: Path) -> None:
        super().__init__(config, guard)
        self._opens, self._path = opens, path
        self._handle: int | None = None

    async def startup(self, sockets: Any = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        listening = (socket for server in self.servers for socket in server.sockets)
        places = [socket.getsockname()[:2] for socket in listening]
        urls = [
            f"http://[{host}]:{p}" if ":" in host else f"http://{host}:{p}" for host, p in places
        ]
        self._write_address_note_or_print_other_server(urls[-1])
        print("\n".join(urls), flush=True)
        if self._opens:
            link = f"{urls[-1]}/enter?code={self.guard.make_invitation_code('admin')}"
            print(f"open: {link}", flush=True)
            # In a thread: a browser in a terminal would keep the server waiting.
            threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()

    def _write_address_note_or_print_other_server(self, url: str) -> None:
        """Write the address and this process into a locked file next to what it serves.

        If another process holds the lock, print what that has written instead.
        """
        try:
            handle = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError:  # Nothing can be written there; the store itself says so where it matters.
            return
        try:
            portable.lock_file(handle)
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
        if isinstance(self.guard.link, Annex):
            await self.guard.link.close(_seconds_to_finish(self.guard))
        if self._handle is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
            os.close(self._handle)


def serve(
    make_app_for_hosts: Callable[[Sequence[str]], Guard],
    host: str,
    port: int,
    *,
    allowed_hosts: Sequence[str],
    note_file: Path,
    open_browser: bool = False,
    store_settings: Mapping[str, Any] | None = None,
    **log_fields: Any,
) -> None:
    """Serve an application until SIGTERM or SIGINT; answer requests in progress first.

    Args:
        make_app_for_hosts: returns the application, given the names by which clients reach it.
        host, port: the address.
        allowed_hosts: names besides the host.
        note_file: the file, next to what is served, that names the serving process.
        open_browser: whether to open it in a browser.
        store_settings: what the annex must know of the store, if one is served.
        log_fields: for the first line of the log.

    Raises:
        OptionError: the names by which clients reach it are unknown.
        ServiceError: it cannot listen on the address.
    """
    if host in _ALL and not allowed_hosts:
        raise OptionError(
            f"`host` is {host!r}, which is every address of this machine; give the names by which "
            "clients reach it: `allow_host`."
        )
    guard = make_app_for_hosts(allowed_hosts if host in _ALL else (host, *allowed_hosts))
    logs.write_log_line("start", **log_fields)
    server = _MainServer(
        prepare_process_and_configure(guard, host=host, port=port), guard, open_browser, note_file
    )
    if store_settings is not None and POSSIBLE:
        guard.link = Annex(
            {**store_settings, **guard.settings_for_annex()},
            guard.metrics,
            server.serve_received_connections,
        )
    gc.freeze()  # What stays to the end is not looked through while requests wait.
    # The server raises the signal that ended it again, which must not count as an error.
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        server.run()
    except SystemExit as end:
        raise ServiceError(
            f"cannot listen at {host}, port {port}: it is in use, or is not an address of this "
            "machine; choose another one (`port`)."
        ) from end
    finally:
        signal.signal(signal.SIGTERM, before)
        logs.write_log_line("end")


def prepare_process_and_configure(guard: Guard, **uvicorn_settings: Any) -> uvicorn.Config:
    """Set up this process to serve, and return how uvicorn serves an application."""
    portable.raise_open_file_limit_if_possible()
    sys.setswitchinterval(_SWITCH)
    logging.lastResort = logs.Notes(logging.WARNING)  # Every line of the log is JSON.
    return uvicorn.Config(
        guard,
        http=Connection,
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_seconds_to_finish(guard),
        timeout_keep_alive=_KEPT,
        ws="none",
        **uvicorn_settings,
    )


def _seconds_to_finish(guard: Guard) -> int:
    """Return the seconds that requests in progress have at the end."""
    return int(guard.limits.seconds) + 5
