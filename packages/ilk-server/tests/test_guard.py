"""What gets through to a store, and what every answer carries."""

from __future__ import annotations

import asyncio
import json
import os
import stat
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server_support import TOKENS, Serving
from tests.support.command_line import Run
from tests.support.stores import LONG

from ilk.base.errors import OptionError
from ilk_server.batches import group_lines_or_refuse_long
from ilk_server.tokens import (
    ROLES,
    LoadedTokens,
    add_token_creating_file_if_missing,
    role_includes,
)

CALLS = (
    ("get", "/documents", "read"),
    ("get", "/stats", "read"),
    ("get", "/metrics", "read"),
    ("get", "/openapi.json", "read"),
    ("post", "/check", "read"),
    ("post", "/batch", "read"),
    ("post", "/batch?do=add", "write"),
    ("post", "/documents", "write"),
    ("put", "/documents/x", "write"),
    ("delete", "/documents/x", "admin"),
)


@pytest.mark.parametrize(("method", "path", "needed"), CALLS)
def test_every_address_needs_a_token_of_its_role(
    serving: Serving, method: str, path: str, needed: str
) -> None:
    answer = serving(None).request(method, path)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, 'Bearer realm="ilk"')
    wrong = {"Authorization": "Bearer wrong-token"}
    assert serving(None).request(method, path, headers=wrong).status_code == 401
    for role in ROLES:
        answer = serving(role).request(method, path, json={"text": LONG})
        assert (answer.status_code != 403) is role_includes(role, needed)
        assert answer.status_code != 401


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("/stats", {"headers": {"Authorization": "Bearer wrong-token"}}),
        ("/login", {"data": {"token": "wrong-token"}}),
        ("/enter?code=wrong", {}),
    ],
)
def test_wrong_tokens_are_answered_one_after_the_other(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, path: str, given: dict[str, Any]
) -> None:
    waits: list[float] = []

    async def noted(seconds: float, plain: Any = asyncio.sleep) -> None:
        if seconds > 0:
            waits.append(seconds)
        await plain(0)

    monkeypatch.setattr("ilk_server.guard.asyncio.sleep", noted)
    monkeypatch.setattr("ilk_server.guard.time", SimpleNamespace(perf_counter=lambda: 7.0))
    service = serving(None)
    method = "POST" if path == "/login" else "GET"
    answers = [service.request(method, path, **given) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [401] * 4
    assert waits == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert serving("read").get("/stats").status_code == 200
    assert serving(None).get("/stats").status_code == 401  # No token is no guess.
    assert len(waits) == 4


def test_a_compressed_body_is_refused_by_its_name(serving: Serving) -> None:
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    answer = serving().post("/check", content=b"\x1f\x8b", headers=headers)
    assert answer.status_code == 415
    assert "'gzip' is not unpacked here" in answer.json()["detail"]


def test_health_says_only_that_it_lives(serving: Serving) -> None:
    assert serving(None).get("/health").json() == {"status": "alive"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "127.0.0.1:8017"}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "ILK.example:443"}, 200),
        ({"Host": "[::1]:8017"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": ""}, 421),
        ({"Host": "[::1"}, 421),
        ({"Origin": "http://127.0.0.1:8017"}, 200),
        ({"Origin": "http://127.0.0.1:9000"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_only_its_own_hosts_and_pages_get_through(
    serving: Serving, headers: dict[str, str], status: int
) -> None:
    for path in ("/stats", "/health"):
        assert serving().get(path, headers=headers).status_code == status


def test_a_body_has_its_limit(serving: Serving) -> None:
    service = serving(body=16_000)
    fits = service.post("/documents", json={"text": "a" * 1000})
    assert fits.status_code == 201
    refused = service.post("/documents", json={"text": "a" * 3000})
    assert (refused.status_code, "send a file" in refused.json()["detail"]) == (413, True)
    named = {"file": ("a.txt", b"a" * 3000)}
    assert service.post("/documents", files=named).status_code == 201

    def pieces() -> Any:
        yield b'{"text": "'
        for _ in range(100):
            yield b"a" * 100

    head = {"Content-Type": "application/json"}
    assert service.post("/documents", content=pieces(), headers=head).status_code == 413
    out = service.post("/batch", content=b'{"text": "a"}\n' * 500).text.splitlines()
    assert len(out) == 500
    out = service.post("/batch", content=b'{"text": "a"}\n' + b"a" * 3000).text.splitlines()
    assert [json.loads(line).get("status") for line in out] == [None, 413]


def test_nobody_waits_where_too_many_do(serving: Serving) -> None:
    service = serving(requests=1)
    work = service.app._app.state.work  # type: ignore[attr-defined]
    work._waiting = 1
    answer = service.get("/stats")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    work._waiting = 0
    assert service.get("/stats").status_code == 200


def test_an_answer_that_takes_too_long_is_a_problem(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    service, going = serving(seconds=0.05), threading.Event()
    store = service.app._app.state.answers.store  # type: ignore[attr-defined]
    monkeypatch.setattr(store, "stats", lambda: going.wait(30) and {})
    answer = service.get("/stats")
    going.set()
    assert answer.status_code == 503
    assert "may still be written" in answer.json()["detail"]


def test_an_error_that_nobody_has_foreseen_says_nothing_of_texts(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service = serving()
    store = service.app._app.state.answers.store  # type: ignore[attr-defined]

    def fail(*_: object, **__: object) -> None:
        raise ValueError("secret words")

    monkeypatch.setattr(store, "check", fail)
    answer = service.post("/check", json={"text": "secret words"})
    assert answer.status_code == 500
    log = capsys.readouterr().err
    assert "ValueError" in log
    assert answer.headers["x-request-id"] in log
    assert "secret" not in answer.text + log


def test_the_log_has_a_line_per_request_and_no_text(
    serving: Serving, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = {"text": LONG, "id": "secret-id", "title": "secret-title", "source": "secret-source"}
    service = serving()
    answers = [service.post("/documents", json=secret), service.get("/documents/secret-id")]
    log = capsys.readouterr().err
    found = [json.loads(line) for line in log.splitlines()]
    assert [one["status"] for one in found] == [201, 200]
    assert [one["request"] for one in found] == [one.headers["x-request-id"] for one in answers]
    assert [one["path"] for one in found] == ["/documents", "/documents/{id}"]
    assert "secret" not in log
    assert "word1" not in log
    assert TOKENS["admin"] not in log


def test_every_answer_forbids_what_a_page_need_not_do(serving: Serving) -> None:
    for path in ("/health", "/stats", "/nothing"):
        for role in (None, "read"):
            headers = serving(role).get(path).headers
            assert headers["content-security-policy"].startswith("default-src 'none'")
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"


def test_the_first_start_makes_a_token_that_only_its_owner_reads(tmp_path: Path) -> None:
    path = tmp_path / "store.ilk.token"
    tokens, made = LoadedTokens.read_or_create(path)
    assert made is not None
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert tokens.role_of(made) == "admin"
    assert tokens.role_of(made[:-1]) is None
    again, none = LoadedTokens.read_or_create(path)
    assert (again, none) == (tokens, None)
    added = add_token_creating_file_if_missing(path, "read")
    assert LoadedTokens.read_or_create(path)[0].role_of(added) == "read"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [path.name]


def test_a_file_of_tokens_that_others_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.ilk.token"
    LoadedTokens.read_or_create(path)
    path.chmod(0o640)
    with pytest.raises(OptionError, match="chmod 600"):
        LoadedTokens.read_or_create(path)


@pytest.mark.parametrize("text", ["", "admin\n", "root 1234567890123456\n", "read short\n"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "store.ilk.token"
    path.touch(0o600)
    path.write_text(text)
    with pytest.raises(OptionError):
        LoadedTokens.read_or_create(path)


def test_one_more_token_is_printed(tmp_path: Path, run: Run) -> None:
    code, out, _ = run("serve", tmp_path / "s.ilk", "--add-token", "write")
    assert code == 0
    token = out.removeprefix("token: ").strip()
    assert LoadedTokens.read_or_create(tmp_path / "s.ilk.token")[0].role_of(token) == "write"


def test_every_address_of_a_machine_needs_a_name(tmp_path: Path, run: Run) -> None:
    code, _, err = run("serve", tmp_path / "s.ilk", "--host", "0.0.0.0")
    assert code == 2
    assert "--allow-host" in err


@given(
    text=st.text("ab \n", max_size=80).map(str.encode),
    cuts=st.lists(st.integers(0, 80), max_size=8).map(sorted),
)
def test_lines_are_those_of_the_whole_wherever_it_is_cut(text: bytes, cuts: list[int]) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
            yield text[start:end]

    async def found() -> list[tuple[int, bytes]]:
        return [
            (line.number, line.body)
            async for some in group_lines_or_refuse_long(pieces(), 1000)
            for line in some
        ]

    expected = [(n, line) for n, line in enumerate(text.split(b"\n"), 1) if line.strip()]
    # Where a browser is driven in this process, its loop runs in this thread.
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(asyncio.run, found()).result() == expected
