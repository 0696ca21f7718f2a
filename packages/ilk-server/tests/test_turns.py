"""Requests take turns: whoever sends or reads much keeps nobody waiting."""

from __future__ import annotations

import asyncio
import threading
from typing import Any
from unittest.mock import Mock

import pytest
from server_support import Serving
from tests.stores import LONG

from ilk.store import Store
from ilk_server import frame, guard, running


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
