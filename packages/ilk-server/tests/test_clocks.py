"""Clocks that are set forward and back: sessions, invitations, wrong tokens, a store's times."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
from server_support import Serving
from tests.support.stores import LONG

from ilk_server import guard
from ilk_server.sessions import LASTING, Sessions

#: Years to which the clock of the system may be set, in the order in which it is set.
YEARS = (2026, 1930, 1970, 2038, 2261, 2026)


def test_a_session_lasts_as_long_whatever_the_clock_of_the_system_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = SimpleNamespace(steady=1000.0)
    monkeypatch.setattr("ilk_server.sessions.time.monotonic", lambda: now.steady)
    known = Sessions()
    cookie, _ = known.begin_session("read")
    code = known.make_invitation_code("write")
    for year in YEARS:
        monkeypatch.setattr(time, "time", lambda year=year: (year - 1970) * 31_556_952.0)
        assert known.session_of(cookie) is not None
    assert known.accept_invitation(code) == "write"
    late = known.make_invitation_code("write")
    now.steady += LASTING - 1
    assert known.session_of(cookie) is not None
    now.steady += 1
    assert known.session_of(cookie) is None
    assert known.accept_invitation(late) is None
    again, _ = known.begin_session("read")
    assert known.session_of(again) is not None


def test_wrong_tokens_wait_their_turn_and_never_for_one_that_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = SimpleNamespace(steady=50.0)
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("ilk_server.guard.time.perf_counter", lambda: now.steady)
    monkeypatch.setattr("ilk_server.guard.asyncio.sleep", sleep)
    state: Any = SimpleNamespace(_wrong_answer_time=0.0)
    for after in (0.0, 0.0, 0.0, 3600.0, 0.0, 1e9):
        now.steady += after
        # No loop is needed, and another test may have left one running: nothing suspends.
        with pytest.raises(StopIteration):
            guard.Guard.delay_wrong_token_answer(state).send(None)
    turn = waited[0]
    assert turn > 0
    assert waited == pytest.approx([turn, 2 * turn, 3 * turn, turn, 2 * turn, turn], abs=1e-6)


def test_nothing_is_lost_while_the_clock_is_set(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = serving()
    for number, year in enumerate(YEARS):
        moment = (year - 1970) * 31_556_952 * 10**9
        monkeypatch.setattr(time, "time_ns", lambda moment=moment: moment)
        monkeypatch.setattr(time, "time", lambda moment=moment: moment / 1e9)
        text = f"{number} " * 60
        assert service.post("/documents", json={"id": f"d{number}", "text": text}).is_success
        kept = {"id": "kept", "text": f"{LONG} {number}"}
        assert service.put("/documents/kept", json=kept).is_success
        for past in range(number + 1):
            found = service.get(f"/documents/d{past}").json()
            assert found["id"] == f"d{past}"
        found = service.post("/check", json={"text": kept["text"]}).json()["matches"]
        assert ("kept", "identical") in [(one["id"], one["verdict"]) for one in found]
        assert service.get("/metrics").is_success
        assert service.get("/stats").json()["documents"] == number + 2
