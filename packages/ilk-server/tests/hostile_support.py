"""What the tests of hostile clients share: raw connections, and a client that asks beside them."""

from __future__ import annotations

import contextlib
import select
import socket
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


def processes(it: Served) -> list[Path]:
    """Return a server and its annex, once there is one."""
    first = Path(f"/proc/{it.child.pid}")
    return [first, *(Path("/proc", pid) for pid in children(it))]


def children(it: Served) -> list[str]:
    """Return the processes that a server has started."""
    return Path(f"/proc/{it.child.pid}/task/{it.child.pid}/children").read_text().split()


def memory(it: Served, what: str = "VmHWM") -> int:
    """Return the megabytes that a server holds, or held at most since ``forget``."""
    lines = [line for one in processes(it) for line in (one / "status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith(what)) >> 10


def forget(it: Served) -> None:
    """Begin to measure the most memory of a server again."""
    for one in processes(it):
        (one / "clear_refs").write_text("5")


@contextlib.contextmanager
def beside(it: Served) -> Iterator[None]:
    """Ask about the known text as long as this lasts; every answer must be right."""
    errors, stop = list[str](), threading.Event()

    def ask() -> None:
        try:
            with ilk_server.Client(it.url, it.token, timeout=PATIENCE) as client:
                while True:
                    assert named(client.check(KNOWN)) == ["known"]
                    if stop.wait(0.002):
                        return
        except Exception as error:
            errors.append(repr(error))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    assert errors == []
