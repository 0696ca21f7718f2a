"""Hostile clients: whatever they send, memory is bounded and the others are served.

Nothing here looks at a clock: the long tests print the times of a client beside each attack.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import Mock

import pytest
from hostile_support import (
    KNOWN,
    beside,
    connected,
    ended,
    forget,
    head,
    memory,
    named,
    sent,
    status,
)
from hypothesis import given
from hypothesis import strategies as st
from server_support import TOKENS, Served, Serving, served
from tests.stores import LONG, OTHER

import ilk
import ilk_server
from ilk.base.errors import OptionError
from ilk.store import Store
from ilk_server import bodies, frame, guard, running
from ilk_server.errors import ServiceError
from ilk_server.limits import Limits
from ilk_server.sessions import Sessions
from ilk_server.tokens import Tokens

if sys.platform != "linux":
    pytest.skip("memory and limits of a process are measured on Linux", allow_module_level=True)

MB = 1 << 20
FORM, ESCAPED = "multipart/form-data; boundary=b", "application/x-www-form-urlencoded"
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
        yield name, "POST /check", "application/json", body
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
    """Attack a server with a client beside, print its times, and return the memory of each."""
    found = {}
    for name, attack in attacks.items():
        forget(it)
        before = memory(it)
        with beside(it) as checks:
            begun = time.perf_counter()
            result = attack()
            took = time.perf_counter() - begun
        found[name] = memory(it) - before
        sys.stdout.write(f"{name}: {took:.1f} s, {result}; {checks}; {before} + {found[name]} MB\n")
    return found


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("hostile") / "s.ilk", "--exact", "--texts") as it:
        with ilk_server.Client(it.url, it.token) as client:
            client.add(KNOWN, id="known")
        yield it


def test_no_body_takes_much_more_memory_than_its_size(attacked: Served) -> None:
    size = 6 * MB
    attacks = {
        name: partial(sent, attacked, words, body, kind)
        for name, words, kind, body in _bodies(size)
    }
    # Texts are held some ten times while they are asked about.
    most = {name: grown for name, grown in _attacked(attacked, attacks).items() if grown > 100}
    assert most == {}


@pytest.mark.parametrize("body", [b"[" * 1_000_000, b'{"a":' * 1_000_000, b"1," * 200_000])
def test_json_of_many_values_is_refused_before_it_is_read(serving: Serving, body: bytes) -> None:
    answer = serving().post("/check", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert "20,000 values" in answer.json()["detail"]


@pytest.mark.parametrize("text", [",[{" * 100_000, '\\"' * 150_000, '"[,\\' * 100_000])
def test_a_text_may_hold_any_characters_any_number_of_times(serving: Serving, text: str) -> None:
    answer = serving().post("/documents", json={"text": text, "id": "odd"})
    assert answer.status_code == 201
    assert serving().get("/documents/odd/text").json()["text"] == text


_JSON = st.recursive(
    st.none() | st.integers() | st.text('a"\\,[{]}:', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text('",\\[', max_size=3), inner)
    ),
    max_leaves=12,
)


@given(value=_JSON, most=st.integers(0, 12), piece=st.integers(1, 40))
def test_values_are_counted_outside_of_texts(value: Any, most: int, piece: int) -> None:
    def between(one: Any) -> int:
        """Return how many commas and opening brackets stand outside of texts."""
        if not isinstance(one, list | dict):
            return 0
        inner = one if isinstance(one, list) else one.values()
        return 1 + max(len(one) - 1, 0) + sum(map(between, inner))

    def strings(one: Any) -> int:
        if isinstance(one, str):
            return 1
        inner = one if isinstance(one, list) else one.values() if isinstance(one, dict) else ()
        return (len(one) if isinstance(one, dict) else 0) + sum(map(strings, inner))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bodies, "_VALUES", most)
        patch.setattr(bodies, "_LARGE", piece)
        found = bodies._crowded(json.dumps(value).encode())
    if between(value) > most:
        assert found
    elif strings(value) < most:
        assert not found


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
    assert app.held == 0  # type: ignore[attr-defined]


def test_large_bodies_leave_threads_to_the_others() -> None:
    """As many large requests as there are threads are in progress, and a small one is answered."""
    from ilk_server.work import Work

    async def together() -> tuple[int, list[str]]:
        work, rest = Work(Limits(seconds=0.2)), threading.Event()
        running: list[int] = []

        async def large(number: int) -> str:
            async with work.large():
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


class _Transport:
    """Notes what a protocol asks of a connection."""

    max_size = 0

    def __init__(self) -> None:
        self.paused = self.aborted = False

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False

    def abort(self) -> None:
        self.aborted = True

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


class _Clock:
    """A loop whose time is set, and which runs nothing."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.later: list[tuple[float, Any]] = []

    def time(self) -> float:
        return self.times.pop(0) if self.times else 0.0

    def call_later(self, seconds: float, call: Any, *_: Any) -> Any:
        self.later.append((seconds, call))
        return asyncio.TimerHandle(seconds, call, (), self)  # type: ignore[arg-type]

    def create_task(self, coroutine: Any, **_: Any) -> Any:
        coroutine.close()
        return Mock()

    def __getattr__(self, name: str) -> Any:
        return lambda *_: False


def test_a_body_in_small_chunks_takes_small_turns(serving: Serving) -> None:
    import uvicorn
    from uvicorn.server import ServerState

    config = uvicorn.Config(serving().app, log_config=None)
    config.load()

    def begun(*fields: str) -> tuple[Any, _Transport, _Clock]:
        transport, clock = _Transport(), _Clock()
        made = running._Patient(config, ServerState(), {}, clock)  # type: ignore[arg-type]
        made.connection_made(transport)  # type: ignore[arg-type]
        assert transport.max_size == running._TURN
        lines = ["POST /check HTTP/1.1", "Host: localhost", *fields, "", ""]
        made.data_received("\r\n".join(lines).encode())
        return made, transport, clock

    assert begun("Content-Length: 9")[1].max_size == running._PLAIN
    made, transport, clock = begun("Transfer-Encoding: chunked")
    assert (transport.max_size, transport.paused) == (running._TURN, False)
    clock.times = [1.0, 3.0]
    made.data_received(b"1\r\na\r\n")
    seconds, resume = clock.later[-1]
    made.flow.resume_reading()  # As whoever reads the body does.
    assert (transport.paused, seconds) == (True, 2.0 * running._WAITS)
    resume()
    assert not transport.paused


def test_large_bodies_take_turns_together(serving: Serving) -> None:
    import uvicorn
    from uvicorn.server import ServerState

    config = uvicorn.Config(serving().app, log_config=None)
    config.load()
    waited: list[int] = []
    for _ in range(3):
        transport, clock = _Transport(), _Clock()
        made = running._Patient(config, ServerState(), {}, clock)  # type: ignore[arg-type]
        made.connection_made(transport)  # type: ignore[arg-type]
        made.data_received(b"POST /check HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\n\r\n")
        for _ in range(running._LARGE // running._PLAIN - 1):
            made.data_received(b"a" * running._PLAIN)
            made.cycle.body = bytearray()  # As whoever reads the body does.
        assert not transport.paused
        clock.times = [1.0, 1.001]
        made.data_received(b"a" * running._PLAIN)
        assert transport.paused
        waited.append(round(1000 * clock.later[-1][0]))
    # Each waits for those before it.
    assert waited == [running._WAITS * turn for turn in (1, 2, 3)]


@pytest.mark.parametrize("text", ["a" * 200_000, '\ud800\U0001f600"\\\0' * 50_000, ""])
def test_a_long_answer_is_sent_in_pieces(
    serving: Serving, store: Store, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    number = store.add(text or LONG).id
    sizes: list[int] = []
    send = guard._Request.send

    async def noted(self: Any, message: Any) -> None:
        before = self._send

        async def passed(piece: Any) -> None:
            sizes.append(len(piece.get("body", b"")))
            await before(piece)

        self._send = passed
        await send(self, message)
        self._send = before

    monkeypatch.setattr(guard._Request, "send", noted)
    answer = serving().get(f"/documents/{number}/text")
    assert answer.json() == {"text": store.text(number or 0)}
    page = serving().get("/browse/0")
    assert page.status_code == 200
    # JSON escapes a character in 12 bytes at most.
    assert max(sizes) <= 12 * guard.PIECE
    assert len(sizes) > 3


def test_a_page_is_written_outside_of_the_loop(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []
    template = type(frame._ENVIRONMENT.get_template("ask.html"))
    render = template.render

    def noted(self: Any, *given: Any, **values: Any) -> str:
        threads.append(threading.current_thread().name)
        return render(self, *given, **values)

    monkeypatch.setattr(template, "render", noted)
    for path in ("/", "/browse", "/review", "/overview", "/login"):
        assert serving().get(path).status_code == 200
    assert [name.partition("_")[0] for name in threads] == ["ilk-serve"] * 5


def test_a_text_too_long_for_a_page_is_asked_about_and_not_shown(serving: Serving) -> None:
    service = serving()
    file = {"file": ("a.txt", f"{LONG} ".encode() * 4000)}
    page = service.post("/ask", files=file)
    assert page.status_code == 200
    assert "too long to be added" in page.text
    assert len(page.text) < 10_000
    service.post("/documents", json={"text": LONG})
    assert "too long" not in service.post("/ask", data={"text": LONG}).text


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


def test_every_token_is_compared_whatever_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def noted(known: bytes, said: bytes) -> bool:
        compared.append((known, said))
        return known == said

    monkeypatch.setattr("ilk_server.tokens.hmac.compare_digest", noted)
    tokens = Tokens(tuple(TOKENS.items()))
    for guess in (*TOKENS.values(), "", "read", "\ud800", TOKENS["read"][:-1]):
        compared.clear()
        assert (tokens.role(guess) is None) is (guess not in TOKENS.values())
        assert [known.decode() for known, _ in compared] == list(TOKENS.values())


def test_a_token_is_in_no_address_log_or_output(tmp_path: Path) -> None:
    with served(tmp_path / "s.ilk") as it:
        with ilk_server.Client(it.url, f"{it.token}\n") as client:
            client.add(LONG, id="one")
            shown = [repr(client), str(client)]
        for odd in (
            f"{it.token}\r\nX: y",
            f"{it.token}\N{LATIN SMALL LETTER O WITH DIAERESIS}",
            "",
        ):
            with pytest.raises(OptionError) as refused:
                ilk_server.Client(it.url, odd).stats()
            shown.append(str(refused.value))
        with (
            ilk_server.Client(it.url, f"{it.token}x") as client,
            pytest.raises(ServiceError) as wrong,
        ):
            client.stats()
        shown.append(str(wrong.value))
        with pytest.raises(OptionError) as named:
            ilk_server.Client(it.url.replace("//", f"//user:{it.token}@"), it.token)
        shown.append(str(named.value))
        fields = f"token={it.token}".encode()
        assert sent(it, "POST /login", fields, ESCAPED) == 303
        assert sent(it, f"GET /documents/{it.token}", b"") == 404
        assert sent(it, f"GET /{it.token}?token={it.token}", b"") == 404
        code, log = it.end()
        assert code == 0
    sessions = Sessions()
    value, session = sessions.begin("admin")
    shown += [repr(Tokens((("admin", it.token),))), log]
    assert [text for text in shown if it.token in text] == []
    assert not any(secret in repr((session, sessions)) for secret in (value, session.csrf))
    # A token in an address opens nothing.
    assert log.count('"status": 404') == 2


def test_wrong_tokens_do_not_hold_up_right_ones(attacked: Served) -> None:
    with contextlib.ExitStack() as stack:
        every = [stack.enter_context(connected(attacked)) for _ in range(50)]
        for one in every:
            one.sendall(head(attacked, "GET /stats", Authorization="Bearer wrong"))
        with beside(attacked) as checks:
            assert status(every[0]) == 401
        assert len(checks.times) > 0


def _begun(store: Path, before: Callable[[], None], **how: Any) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "ilk", "serve", str(store), "--port", "0", "--texts"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=before, **how)


def _url(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return next(line.strip() for line in child.stdout if line.startswith("http://"))


def test_a_log_that_cannot_be_written_stops_no_answer(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        child = _begun(tmp_path / "s.ilk", lambda: None, stderr=full)
    try:
        token = Tokens.of(_token(tmp_path / "s.ilk", child))[0].roles[0][1]
        with ilk_server.Client(_url(child), token) as client:
            client.add(LONG, id="one")
            assert client.check(LONG)[0].verdict == "identical"
            with pytest.raises(OptionError):
                client.check(LONG, resemblance=2)
        child.terminate()
        assert child.wait() == 0
    finally:
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()


def _token(store: Path, child: subprocess.Popen[str]) -> Path:
    """Wait for the first line of a server, which has made its token; return its file."""
    assert child.stdout is not None
    assert child.stdout.readline().startswith("token: ")
    return Path(f"{store}.token")


def test_on_a_full_disk_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    import resource

    path, most = tmp_path / "s.ilk", 2 * MB
    child = _begun(
        path,
        lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        stderr=subprocess.DEVNULL,
    )
    known: dict[str, str] = {}
    try:
        token = Tokens.of(_token(path, child))[0].roles[0][1]
        with ilk_server.Client(_url(child), token) as client:
            for number in range(1000):
                text = " ".join(f"{number}w{word}" for word in range(5000))
                try:
                    client.add(text, id=f"d{number}")
                except ilk.IlkError as error:
                    refused = error
                    break
                known[f"d{number}"] = text
            assert "full" in str(refused) or "large" in str(refused), refused
            # It still answers what needs no room.
            for id_, text in known.items():
                assert named(client.check(text)) == [id_]
    finally:
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()
    assert len(known) > 3
    with Store(path, create=False) as store:
        assert {record.metadata["id"] for record in store} == known.keys()
        assert store.validate().problems == []
        assert all(store.text(store.number(id_)) == text for id_, text in known.items())
        store.add(LONG)


def test_clocks_set_back_lose_nothing(
    serving: Serving, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [time.time_ns()]
    monkeypatch.setattr("ilk.store.records.time.time_ns", lambda: now[0])
    service = serving(None)
    entered = service.post("/login", data={"token": TOKENS["admin"]})
    assert entered.status_code == 303
    admin = serving()
    for number, text in enumerate((LONG, OTHER, f"{LONG} more")):
        assert admin.post("/documents", json={"text": text, "id": f"d{number}"}).status_code == 201
        now[0] -= 10 * 365 * 86400 * 10**9
    assert admin.put("/documents/d0", json={"title": "later"}).status_code == 200
    listed = admin.get("/documents").json()["documents"]
    assert [one["id"] for one in listed] == ["d0", "d1", "d2"]
    assert listed[0]["title"] == "later"
    assert {one["id"] for one in admin.post("/check", json={"text": LONG}).json()["matches"]} == {
        "d0",
        "d2",
    }
    # Who had logged in still is, and every page shows all of it.
    for path in ("/", "/browse", "/review", "/overview"):
        assert service.get(path).status_code == 200
    assert store.validate().problems == []


@pytest.mark.long
def test_hostile_clients_of_full_size(attacked: Served) -> None:
    size, most = 60 * MB, Limits().text - 100
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
