"""The annex: a second process that serves the same store, for large requests alone.

It begins with the first of them (``annexed``), and ends with this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ilk.companions import portable
from ilk_server.metrics import Metrics
from ilk_server.sessions import Session

#: The longest message: a session, a head of the longest kind, and what was read with it.
_LONGEST = 128 << 10

#: Whether connections can go to another process here.
POSSIBLE = hasattr(socket, "send_fds")


class WaitingConnection(NamedTuple):
    """A connection that another process has sent, who has logged in there, and what was read."""

    connection: socket.socket
    session: Session | None
    bytes_read: bytes


class ProcessLink:
    """One end of the link between two processes, which send connections to each other."""

    def __init__(self, end: socket.socket) -> None:
        """Use an end of a pair of sockets for messages."""
        end.setblocking(False)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * _LONGEST)
        self.end = end

    def send_connection(
        self, connection_handle: int, session: Session | None, bytes_read: bytes
    ) -> None:
        """Send a connection to the other process.

        Raises:
            OSError: the other process has much to take, or has ended.
        """
        session_values = None if session is None else dataclasses.asdict(session)
        message = [json.dumps(session_values).encode(), b"\n", bytes_read]
        socket.send_fds(self.end, message, [connection_handle])

    def receive_waiting_connections(self) -> Iterator[WaitingConnection]:
        """Yield the connections that have come; never wait for others."""
        with contextlib.suppress(OSError):  # There is no more.
            while True:
                message, handles, *_ = socket.recv_fds(self.end, _LONGEST, 1)
                session_json, _, read = message.partition(b"\n")
                session = json.loads(session_json)
                for handle in handles:  # Absent where this process may open no more.
                    known = None if session is None else Session(**session)
                    yield WaitingConnection(socket.socket(fileno=handle), known, read)


class Annex(ProcessLink):
    """The annex, which starts with the first connection that is sent to it."""

    def __init__(
        self, settings: dict[str, Any], metrics: Metrics, on_return: Callable[[], None]
    ) -> None:
        """Start nothing yet.

        Args:
            settings: what the annex must know.
            metrics: count what happens there.
            on_return: called when connections have come back.
        """
        self._settings, self._metrics, self._on_return = settings, metrics, on_return
        self._child: subprocess.Popen[bytes] | None = None
        self._unfinished_line = b""

    def send_connection(
        self, connection_handle: int, session: Session | None, bytes_read: bytes
    ) -> None:
        """Send a connection; start the annex before the first one."""
        if self._child is None:
            self._start_process()
        super().send_connection(connection_handle, session, bytes_read)

    def _start_process(self) -> None:
        end, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        super().__init__(end)
        with other:
            self._child = child = subprocess.Popen(
                [sys.executable, "-P", "-m", "ilk_server.annex_process", str(other.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[other.fileno()],
                **portable.OWN_GROUP,  # Ctrl-C at a terminal is for this process alone.
            )
        assert child.stdin is not None
        child.stdin.write(json.dumps(self._settings).encode() + b"\n")
        child.stdin.flush()
        loop = asyncio.get_running_loop()
        loop.add_reader(end, self._on_return)
        loop.add_reader(child.stdout, self._add_counts_or_clean_up_ended_process)  # type: ignore[arg-type]

    def _add_counts_or_clean_up_ended_process(self) -> None:
        """Add the counts that the annex has written; after its last one, end its process."""
        child = self._child
        assert child is not None
        assert child.stdout is not None
        piece = os.read(child.stdout.fileno(), 1 << 16)
        *lines, self._unfinished_line = (self._unfinished_line + piece).split(b"\n")
        for line in lines:
            what, values = json.loads(line)
            if what == "request":
                self._metrics.count_request(*values)
            else:
                self._metrics.count_event(*values)
        if not piece:
            loop = asyncio.get_running_loop()
            loop.remove_reader(child.stdout)
            loop.remove_reader(self.end)
            self.end.close()
            child.kill()
            child.communicate()
            self._child = None

    async def close(self, max_seconds: float) -> None:
        """Wait for the requests in progress there, and kill the process after some seconds."""
        child = self._child
        if child is not None and child.stdin is not None:
            child.stdin.close()
            child.stdin = None
        while self._child is not None:
            await asyncio.sleep(0.05)
            max_seconds -= 0.05
            if max_seconds < 0 and child is not None:
                child.kill()
