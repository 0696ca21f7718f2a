"""Requests take turns: whoever sends or reads much keeps nobody waiting."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from server_support import Serving
from tests.support.stores import LONG

from ilk.store import Store
from ilk_server import frame, guard


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
    assert max(sizes) <= guard.PIECE
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
