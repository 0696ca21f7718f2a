"""A check of a served store beside hostile clients: 99 of 100 within three times of it idle.

Every kind of load goes on as long as the checks beside it, from a process of low priority, since it
would be on other machines. The checks without it are measured just before, on the same machine,
which others may use too. `ILK_BESIDE` chooses kinds: words of their names, between commas.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import multiprocessing
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import ilk
from benchmarks.rows import Row, WrongAnswerError

#: Checks of a round, the seconds between them, and rounds.
_CHECKS, _PAUSE, _ROUNDS = 500, 0.002, 3

#: The text that is asked about, and bytes of a large text.
_KNOWN, _LARGE = "these words are stored and asked about beside others " * 5, 60 << 20

#: The most bytes of JSON that a service takes.
_MOST = 8_000_000 - 100

#: The type of a form, and what is sent before a file in one.
_FORM = "multipart/form-data; boundary=b"
_FILE = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'


class To(NamedTuple):
    """A service, and who may ask it."""

    host: str
    port: int
    token: str

    def head(self, words: str, **fields: object) -> bytes:
        """Return the head of a request."""
        said = {"Host": f"{self.host}:{self.port}", "Authorization": f"Bearer {self.token}"}
        said |= {name.replace("_", "-"): str(value) for name, value in fields.items()}
        lines = [f"{words} HTTP/1.1", *(f"{name}: {value}" for name, value in said.items())]
        return "\r\n".join([*lines, "", ""]).encode()

    def sent(self, head: bytes, body: bytes = b"") -> None:
        """Send a request, and read its answer to the end of the connection meanwhile."""
        with socket.create_connection((self.host, self.port), 100) as to:
            reader = threading.Thread(target=_read, args=(to,))
            reader.start()
            with contextlib.suppress(OSError):
                to.sendall(head)
                to.sendall(body)
            reader.join()

    def posted(self, path: str, body: bytes, kind: str = "application/json") -> None:
        """Send a body."""
        fields = {"Content_Type": kind, "Content_Length": len(body), "Connection": "close"}
        self.sent(self.head(f"POST {path}", **fields), body)

    def held(self, first: bytes, count: int = 1000) -> None:
        """Hold connections on which no more is sent, until the service ends them."""
        with contextlib.ExitStack() as stack:
            for _ in range(count):
                to = stack.enter_context(socket.create_connection((self.host, self.port), 100))
                to.sendall(first)
            _read(to)


def _read(to: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while to.recv(1 << 16):
            pass


@cache
def _text(size: int) -> bytes:
    return b'{"text": "' + b"ab cd " * (size // 6) + b'"}'


@cache
def _line_ends() -> bytes:
    return _FILE + b"\r" * _LARGE + b"\r\n--b--\r\n"


def _large_bodies(to: To) -> None:
    threads = [threading.Thread(target=to.posted, args=("/check", _text(_MOST))) for _ in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def _pipelined(to: To) -> None:
    to.sent(to.head("GET /health") * 499 + to.head("GET /health", Connection="close"))


def _chunks(to: To) -> None:
    head = to.head("POST /check", Transfer_Encoding="chunked", Content_Type="application/json")
    to.sent(head, b"1\r\na\r\n" * 200_000)


def _compressed(to: To) -> None:
    fields = {"Content_Encoding": "gzip", "Content_Length": _MOST}
    to.sent(to.head("POST /check", **fields), b"a" * _MOST)


def _json(body: bytes) -> Callable[[To], None]:
    return lambda to: to.posted("/check", body)


#: What is done again and again.
KINDS: dict[str, Callable[[To], None]] = {
    "1,000 idle connections": lambda to: to.held(b""),
    "1,000 slow heads": lambda to: to.held(to.head("GET /health")[:-4]),
    "1,000 slow bodies": lambda to: to.held(to.head("POST /check", Content_Length=99)),
    "chunks of a byte": _chunks,
    "compressed bodies": _compressed,
    "100 MB of JSON": lambda to: to.posted("/check", _text(100 << 20)),
    "depth of 10^6": _json(b"[" * 1_000_000),
    "8 MB of lone surrogates": _json(b'{"text": "' + b"\\ud800" * (_MOST // 6) + b'"}'),
    "20 bodies of 8 MB": _large_bodies,
    "a batch of 10^5 rows": lambda to: to.posted(
        "/batch", b'{"text": "a short row of a batch"}\n' * 100_000, "application/x-ndjson"
    ),
    "60 MB of line ends in a file": lambda to: to.posted("/check", _line_ends(), _FORM),
    "500 pipelined requests": _pipelined,
    "60 MB read back": lambda to: to.sent(to.head("GET /documents/large/text", Connection="close")),
}


def run() -> list[Row]:
    """Check beside each kind of load.

    Raises:
        WrongAnswerError: a check is not answered, or not right.
    """
    some = os.environ.get("ILK_BESIDE", "").split(",")
    rows, idles = list[Row](), list[float]()
    with tempfile.TemporaryDirectory() as folder, _served(Path(folder) / "s.ilk") as to:
        _checks(to)
        for name, load in KINDS.items():
            if not any(word in name for word in some):
                continue
            found = [(_checks(to), _beside(to, load)) for _ in range(_ROUNDS)]
            idles += [idle for idle, _ in found]
            ratio = statistics.median(beside / idle for idle, beside in found)
            figure = statistics.median(beside for _, beside in found)
            what = f"beside: {name}, p99 of a check"
            rows.append(Row(what, figure * 1000, "ms", ratio, "idle", "<= 3 x"))
    middle = statistics.median(idles) * 1000
    return [Row("beside: nothing, p99 of a check", middle, "ms"), *rows]


def _beside(to: To, load: Callable[[To], None]) -> float:
    """Return what ``_checks`` does, beside a load that has begun."""
    child = multiprocessing.get_context("fork").Process(target=_again, args=(to, load))
    child.start()
    try:
        time.sleep(0.5)
        return _checks(to)
    finally:
        child.kill()
        child.join()


def _again(to: To, load: Callable[[To], None]) -> None:
    os.nice(10)
    while True:
        load(to)


def _checks(to: To) -> float:
    """Return the seconds that 99 of 100 checks stay below."""
    connection = http.client.HTTPConnection(to.host, to.port, timeout=100)
    head = {"Authorization": f"Bearer {to.token}", "Content-Type": "application/json"}
    taken = []
    for _ in range(_CHECKS):
        begun = time.perf_counter()
        connection.request("POST", "/check", json.dumps({"text": _KNOWN}).encode(), head)
        answer = json.loads(connection.getresponse().read())
        taken.append(time.perf_counter() - begun)
        if [match["id"] for match in answer.get("matches", ())] != ["known"]:
            raise WrongAnswerError(f"a check was answered: {answer}")
        time.sleep(_PAUSE)
    connection.close()
    return statistics.quantiles(taken, n=100, method="inclusive")[98]


@contextlib.contextmanager
def _served(path: Path) -> Iterator[To]:
    """Serve a store of the text that is asked about, and of a large one."""
    with ilk.Store(path, texts=True, exact=True) as store:
        store.add([_KNOWN], metadata={"id": "known"})
        store.add(["large " + "ab cd " * (_LARGE // 6)], metadata={"id": "large"})
    words = [sys.executable, "-m", "ilk", "serve", str(path), "--port", "0"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        try:
            assert child.stdout is not None
            line = next(line for line in child.stdout if line.startswith("http://"))
            host, _, port = line.strip().removeprefix("http://").rpartition(":")
            yield To(host, int(port), Path(f"{path}.token").read_text().split()[-1])
        finally:
            child.terminate()
