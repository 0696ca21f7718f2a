"""What the tests of hostile clients share: raw connections, and a client that asks beside them."""

from __future__ import annotations

import contextlib
import select
import socket
import statistics
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from server_support import Served

import ilk_server
from ilk.store import Match

MB = 1 << 20

#: The type of a form whose values are escaped.
ESCAPED = "application/x-www-form-urlencoded"

#: A text that is stored, and asked about beside every attack.
KNOWN = "these words are stored and asked about beside an attack " * 5

#: Seconds in which a server must have let go of a connection; only a fault takes as long.
PATIENCE = 100


def connected(it: Served, *, buffer: int | None = None) -> socket.socket:
    """Connect to a server, perhaps with a small buffer for its answers."""
    made = socket.socket()
    if buffer is not None:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    place = urlsplit(it.url)
    made.settimeout(PATIENCE)
    made.connect((place.hostname, place.port))
    return made


def head(it: Served, words: str, **fields: object) -> bytes:
    """Return the head of a request, with a token unless another is given."""
    said = {"Host": urlsplit(it.url).netloc, "Authorization": f"Bearer {it.token}"}
    said |= {name.replace("_", "-"): str(value) for name, value in fields.items()}
    lines = [f"{words} HTTP/1.1", *(f"{name}: {value}" for name, value in said.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def status(of: socket.socket) -> int | None:
    """Return the status of an answer; None if the connection ended without one."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while b"\r\n" not in found and (piece := of.recv(1000)):
            found += piece
    return int(found.split()[1]) if found else None


def sent(it: Served, words: str, body: bytes, kind: str = "application/json") -> int | None:
    """Send a body, and return the status of the answer, which may come before its end."""
    fields = {"Content_Type": kind, "Content_Length": len(body), "Connection": "close"}
    with connected(it) as to:
        to.sendall(head(it, words, **fields))
        with contextlib.suppress(ConnectionError):
            to.sendall(body)
        found = status(to)
        with contextlib.suppress(ConnectionError):
            while to.recv(1 << 16):
                pass
        return found


def ended(every: Iterable[socket.socket]) -> int:
    """Return how many connections the server has ended, when it has ended all, or far too late."""
    poll, left = select.poll(), {one.fileno(): one for one in every}
    for handle in left:
        poll.register(handle, select.POLLIN | select.POLLHUP)
    count, until = len(left), time.monotonic() + PATIENCE
    while left and time.monotonic() < until:
        for handle, _ in poll.poll(1000):
            try:
                more = left[handle].recv(1 << 16)
            except OSError:
                more = b""
            if not more:
                poll.unregister(handle)
                del left[handle]
    return count - len(left)


def named(found: Iterable[Match]) -> list[Any]:
    """Return what documents are called by their clients."""
    return [match.id for match in found]


def memory(it: Served, what: str = "VmHWM") -> int:
    """Return the megabytes that a server holds, or held at most since ``forget``."""
    lines = Path(f"/proc/{it.child.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what)) >> 10


def forget(it: Served) -> None:
    """Begin to measure the most memory of a server again."""
    Path(f"/proc/{it.child.pid}/clear_refs").write_text("5")


class Beside:
    """A client that asks again and again, and must always have its answer.

    Attributes:
        times: seconds of every answer.
        errors: what it had instead of an answer.
    """

    def __init__(self) -> None:
        self.times: list[float] = []
        self.errors: list[str] = []

    def __str__(self) -> str:
        """Return how long answers took."""
        if len(self.times) < 3:
            return f"{len(self.times)} checks"
        cuts = statistics.quantiles(self.times, n=100, method="inclusive")
        median, most = (f"{1000 * cuts[at]:.1f}" for at in (49, 98))
        return f"{len(self.times)} checks, p50 {median} ms, p99 {most} ms"


@contextlib.contextmanager
def beside(it: Served) -> Iterator[Beside]:
    """Ask about the known text as long as this lasts; every answer must be right."""
    found, stop = Beside(), threading.Event()

    def ask() -> None:
        with ilk_server.Client(it.url, it.token, timeout=PATIENCE) as client:
            while not stop.is_set() or not found.times:
                begun = time.perf_counter()
                try:
                    assert named(client.check(KNOWN)) == ["known"]
                except Exception as error:
                    found.errors.append(repr(error))
                    return
                found.times.append(time.perf_counter() - begun)
                stop.wait(0.002)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield found
    finally:
        stop.set()
        thread.join()
    assert found.errors == []
