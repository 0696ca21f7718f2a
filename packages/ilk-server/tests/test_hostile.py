"""Hostile clients: whatever they send, memory is bounded and the others are served.

Nothing here looks at a clock: `benchmarks.beside` measures the others.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hostile_support import (
    ESCAPED,
    KNOWN,
    MB,
    beside,
    connected,
    ended,
    forget,
    head,
    memory,
    sent,
    status,
)
from server_support import TOKENS, Served, Serving, served

import ilk_server
from ilk_server.limits import RequestLimits

if sys.platform != "linux":
    pytest.skip("memory and limits of a process are measured on Linux", allow_module_level=True)

FORM = "multipart/form-data; boundary=b"
JSON = "application/json"
LINES = "application/x-ndjson"
PART = b'--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n'
FILE = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'


_T = TypeVar("_T")


def in_a_thread(work: Coroutine[Any, Any, _T]) -> _T:
    """Run it beside the loop of a browser, which tests of pages leave in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def _bodies(size: int) -> Iterator[tuple[str, str, str, bytes]]:
    """Yield attacks on what reads bodies: the name, the request, the type and the body."""
    inside = b'{"text": "a", "metadata": {"a": ['
    for name, body in {
        "one long text": b'{"text": "' + b"ab cd " * (size // 6) + b'"}',
        "lists": inside + b"[]," * (size // 3) + b"[]]}}",
        "numbers": inside + b"1," * (size // 2) + b"1]}}",
        "digits": b'{"radius": ' + b"1" * size + b"}",
        "keys": b"{" + b",".join(b'"%d":1' % at for at in range(size // 14)) + b"}",
        "depth": b"[" * size,
        "depth of objects": b'{"a":' * (size // 5),
        "lone surrogates": b'{"text": "' + b"\\ud800" * (size // 6) + b'"}',
        "escapes": b'{"text": "' + b'\\"' * (size // 2) + b'"}',
        "quotes": b'"' * size,
        "NUL": b"\0" * size,
    }.items():
        yield name, "POST /check", JSON, body
    for name, body in {
        "head of a part": b"--b\r\nX: " + b"a" * size,
        "heads of a part": b"--b\r\n" + b"a: b\r\n" * (size // 6),
        "parts": FILE * (size // len(FILE)),
        "no part": b"\r\n" * (size // 2),
        "almost a boundary": PART + b"\r\n--" * (size // 4) + b"\r\n--b--\r\n",
        "line ends in a file": FILE + b"\r" * size + b"\r\n--b--\r\n",
    }.items():
        yield name, "POST /check", FORM, body
    for name, body in {
        "escaped": b"text=" + b"%20" * (size // 3),
        "fields": b"a&" * (size // 2),
    }.items():
        yield name, "POST /check", ESCAPED, body
        yield f"{name}, to log in", "POST /login", ESCAPED, body
    for name, body in {
        "a line of a batch": b'{"text": "' + b"a" * size + b'"}',
        "empty lines": b"\n" * size,
        "bad lines": b"1\n" * min(size // 2, 1 << 18),
        "crowded line": inside + b"1," * (size // 2) + b"1]}}",
    }.items():
        yield name, "POST /batch", LINES, body


def _attacked(it: Served, attacks: Mapping[str, Callable[[], Any]]) -> dict[str, int]:
    """Attack a server with a client beside, and return the memory of each attack."""
    found = {}
    for name, attack in attacks.items():
        forget(it)
        before = memory(it)
        with beside(it):
            begun = time.perf_counter()
            result = attack()
            took = time.perf_counter() - begun
        found[name] = memory(it) - before
        sys.stdout.write(f"{name}: {took:.1f} s, {result}; {before} + {found[name]} MB\n")
    return found


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("hostile") / "s.ilk", "--exact", "--texts") as it:
        with ilk_server.Client(it.url, it.token) as client:
            client.add(KNOWN, id="known")
            client.clusters()  # The annex has begun.
        yield it


@pytest.mark.long
def test_no_body_takes_much_more_memory_than_its_size(attacked: Served) -> None:
    size = 3 * MB
    attacks = {
        name: partial(sent, attacked, words, body, kind)
        for name, words, kind, body in _bodies(size)
    }
    # Texts are held some ten times while they are asked about, and a list takes 56 bytes.
    most = {name: grown for name, grown in _attacked(attacked, attacks).items() if grown > 120}
    assert most == {}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"[" * 1_000_000, "nested too deeply"),
        (b'{"a":' * 1_000_000, "nested too deeply"),
        (b'{"text": "a", "metadata": {"a": [' + b"1," * 200_000 + b"1]}}", "beside the text"),
        (b'{"text": "a", "title": "' + b"a" * 70_000 + b'"}', "beside the text"),
    ],
)
def test_what_is_no_text_is_small(serving: Serving, body: bytes, said: str) -> None:
    answer = serving().post("/documents", content=body, headers={"Content-Type": JSON})
    assert answer.status_code in (400, 413)
    assert said in answer.json()["detail"]


@pytest.mark.parametrize("text", [",[{" * 100_000, '\\"' * 150_000, '"[,\\' * 100_000])
def test_a_text_may_hold_any_characters_any_number_of_times(serving: Serving, text: str) -> None:
    answer = serving().post("/documents", json={"text": text, "id": "odd"})
    assert answer.status_code == 201
    assert serving().get("/documents/odd/text").json()["text"] == text


def test_a_stranger_may_send_little(serving: Serving) -> None:
    head, body = {"Content-Type": ESCAPED}, b"text=" + b"a" * 100_000
    assert serving(None).post("/login", content=body, headers=head).status_code == 413
    assert serving().post("/check", content=body, headers=head).status_code == 200
    assert serving().post("/check", content=body * 20, headers=head).status_code == 413


def test_bodies_in_progress_have_a_limit_together(serving: Serving) -> None:
    """Five bodies of almost the largest size do not fit; a small one always does."""
    app = serving(body=1_000_000).app
    scope = {"type": "http", "method": "POST", "path": "/check", "query_string": b""}
    fields = {
        "host": "localhost",
        "authorization": f"Bearer {TOKENS['read']}",
        "content-type": FORM,
    }
    scope["headers"] = [(name.encode(), value.encode()) for name, value in fields.items()]

    async def asked(*pieces: bytes, rest: asyncio.Event | None = None) -> int:
        """Send pieces, and the end of the body when the rest may come; return the status."""
        left, answers = [*pieces, b""], list[Any]()

        async def receive() -> Any:
            if len(left) == 1 and rest is not None:
                await rest.wait()
            return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

        async def send(message: Any) -> None:
            answers.append(message)

        await app(dict(scope), receive, send)
        return int(answers[0]["status"])

    async def together() -> tuple[list[int], list[int]]:
        rest = asyncio.Event()
        large, small = (FILE + b"a" * size + b"\r\n--b--\r\n" for size in (900_000, 1))
        tasks = [asyncio.create_task(asked(large, rest=rest)) for _ in range(4)]
        await asyncio.sleep(0)
        now = [await asked(large), await asked(small)]
        rest.set()
        return now, [*await asyncio.gather(*tasks), await asked(large)]

    now, later = in_a_thread(together())
    assert (now, later) == ([503, 200], [200] * 5)
    assert app.body_bytes_in_memory == 0  # type: ignore[attr-defined]


def test_large_bodies_leave_threads_to_the_others() -> None:
    """As many large requests as there are threads are in progress, and a small one is answered."""
    from ilk_server.work import ThreadCalls

    async def together() -> tuple[int, list[str]]:
        work, rest = ThreadCalls(RequestLimits(seconds=0.2)), threading.Event()
        running: list[int] = []

        async def large(number: int) -> str:
            async with work.turn_for_large():
                running.append(number)
                await asyncio.to_thread(rest.wait)
            return "answered"

        tasks = [asyncio.create_task(large(number)) for number in range(20)]
        assert await work(lambda: "small") == "small"
        await asyncio.wait(tasks, timeout=1, return_when=asyncio.FIRST_EXCEPTION)
        while len([task for task in tasks if task.done()]) + len(running) < 20:
            await asyncio.sleep(0.01)
        rest.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        work.close()
        return len(running), [str(getattr(one, "status", one)) for one in found]

    count, found = in_a_thread(together())
    assert 0 < count < 20
    assert sorted(found) == ["503"] * (20 - count) + ["answered"] * count


def test_slow_heads_idle_connections_and_readers_are_let_go(tmp_path: Path) -> None:
    with (
        served(tmp_path / "s.ilk", "--limit", "seconds=0.5") as it,
        contextlib.ExitStack() as stack,
    ):

        def several(first: bytes) -> int:
            every = [stack.enter_context(connected(it)) for _ in range(20)]
            for one in every:
                one.sendall(first)
            return ended(every)

        assert several(b"") == 20
        assert several(b"GET /health HTTP/1.1\r\nHost: 127") == 20
        # A second request is as slow as a first one.
        assert several(head(it, "GET /health") + b"GET /health HTTP/1.1\r\n") == 20
        assert several(head(it, "POST /check", Content_Length=9)) == 20
        # Nobody reads these answers.
        idle = stack.enter_context(connected(it, buffer=4096))
        with contextlib.suppress(ConnectionError):
            idle.sendall(head(it, "GET /openapi.json") * 2000)
        assert _reset(idle)
        with ilk_server.Client(it.url, it.token) as client:
            assert client.stats()["documents"] == 0


def _reset(one: socket.socket) -> bool:
    """Return whether the other side gave a connection up, without reading from it."""
    poll = select.poll()
    poll.register(one, 0)
    return bool(poll.poll(100_000))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("GET /stats HTTP/1.0", 421),
        ("GET /stats HTTP/1.1\r\nHost: evil.example", 421),
        ("GET /stats HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example", 400),
        ("GET /stats HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: 127.0.0.1", 421),
        ("GET http://evil.example/stats HTTP/1.1\r\nHost: evil.example", 421),
        ("GET http://127.0.0.1/stats HTTP/1.1\r\nHost: evil.example", 421),
        ("GET /stats HTTP/1.1\r\nHost: 127.0.0.1@evil.example", 421),
        ("GET /stats HTTP/1.1\r\nHost: evil.example#127.0.0.1", 421),
        ("GET /stats HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example", 403),
        ("GET /stats HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: null", 403),
        ("GET /stats HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1:1", 403),
        ("GET /stats HTTP/1.1\r\nHost: 127.0.0.1", 200),
    ],
)
def test_other_hosts_and_pages_are_refused_on_loopback_too(
    attacked: Served, lines: str, expected: int
) -> None:
    with connected(attacked) as to:
        token = f"Authorization: Bearer {attacked.token}"
        to.sendall(f"{lines}\r\n{token}\r\nConnection: close\r\n\r\n".encode())
        assert status(to) == expected


def test_wrong_tokens_do_not_hold_up_right_ones(attacked: Served) -> None:
    with contextlib.ExitStack() as stack:
        every = [stack.enter_context(connected(attacked)) for _ in range(50)]
        for one in every:
            one.sendall(head(attacked, "GET /stats", Authorization="Bearer wrong"))
        with beside(attacked):
            assert status(every[0]) == 401


@pytest.mark.long
def test_hostile_clients_of_full_size(attacked: Served) -> None:
    size, most = 60 * MB, RequestLimits().max_text_bytes - 100
    text = b'{"text": "' + b"a" * (100 * MB) + b'"}'
    kind = {"Content_Type": "application/json"}

    def held(first: bytes, count: int) -> Callable[[], str]:
        def attack() -> str:
            with contextlib.ExitStack() as stack:
                every = [stack.enter_context(connected(attacked)) for _ in range(count)]
                for one in every:
                    one.sendall(first)
                return f"{ended(every)} of {count} ended"

        return attack

    def chunked() -> int | None:
        with connected(attacked) as to:
            to.sendall(head(attacked, "POST /check", Transfer_Encoding="chunked", **kind))
            with contextlib.suppress(ConnectionError):
                for _ in range(30):
                    to.sendall(b"1\r\na\r\n" * 20_000)
                to.sendall(b"0\r\n\r\n")
            return status(to)

    def pipelined() -> int | None:
        with connected(attacked) as to:
            to.sendall(head(attacked, "GET /health") * 2000)
            return status(to)

    def endless() -> int | None:
        with connected(attacked) as to:
            fields = {"Authorization": "none", "Content_Length": 1 << 40}
            to.sendall(head(attacked, "POST /check", **fields))
            with contextlib.suppress(ConnectionError):
                for _ in range(200):
                    to.sendall(b"a" * MB)
            return status(to)

    def large(count: int) -> Callable[[], dict[int | None, int]]:
        def attack() -> dict[int | None, int]:
            from collections import Counter
            from concurrent.futures import ThreadPoolExecutor

            body = b'{"text": "' + b"ab cd " * (most // 6) + b'"}'
            with ThreadPoolExecutor(count) as pool:
                found = [pool.submit(sent, attacked, "POST /check", body) for _ in range(count)]
            return dict(Counter(one.result() for one in found))

        return attack

    attacks: dict[str, Callable[[], Any]] = {
        "nothing": lambda: time.sleep(3),
        "100 MB of JSON": lambda: sent(attacked, "POST /check", text),
    }
    attacks |= {
        name: partial(sent, attacked, words, body, kind)
        for of in (most, size)
        for name, words, kind, body in _bodies(of)
        if (kind == FORM) == (of == size)
    }
    attacks |= {
        "chunks of a byte": chunked,
        "pipelined": pipelined,
        "endless body of a stranger": endless,
        "20 large bodies at a time": large(20),
        "1,000 idle": held(b"", 1000),
        "1,000 slow heads": held(b"GET /health HTTP/1.1\r\nHost: 127", 1000),
        "1,000 slow bodies": held(head(attacked, "POST /check", Content_Length=99, **kind), 1000),
    }
    found = _attacked(attacked, attacks)
    assert max(found.values()) < 2000
