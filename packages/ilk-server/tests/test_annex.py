"""Large requests are answered in a second process; nobody notices, except that the others go on."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import h11
import httpx
import pytest
from hostile_support import children, connected, head
from server_support import Served, served
from tests.support.stores import LONG

import ilk_server
from ilk_server.connections import is_large_request_or_answer

if sys.platform != "linux":
    pytest.skip("processes are looked at on Linux", allow_module_level=True)

TEXT = f"{LONG} " * 500


@pytest.fixture
def connection(it: Served) -> Iterator[http.client.HTTPConnection]:
    with contextlib.closing(http.client.HTTPConnection(urlsplit(it.url).netloc, timeout=60)) as one:
        yield one


@pytest.fixture
def it(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "s.ilk", "--texts", "--exact") as made:
        yield made


def _asked(
    connection: http.client.HTTPConnection,
    it: Served,
    method: str,
    path: str,
    body: str | None = None,
    **fields: str,
) -> tuple[int, bytes]:
    """Return the status and the body of an answer; without fields, to a program with a token."""
    said = {"Authorization": f"Bearer {it.token}", "Content-Type": "application/json"}
    connection.request(method, path, body, fields or said)
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.mark.parametrize(
    ("request_", "rest", "expected"),
    [
        ("POST /check", 5, False),
        ("POST /check", 6, True),  # The next request came with it.
        ("POST /check content-length: 70000", 0, True),
        ("POST /check transfer-encoding: chunked", 0, True),
        ("POST /batch?do=add", 0, True),
        ("GET /documents", 0, True),
        ("GET /documents?after=1", 0, True),
        ("GET /documents/a%2Fb/text", 0, True),
        ("GET /documents/a%2Fb", 0, False),
        ("GET /compare/1/2", 0, True),
        ("POST /documents", 0, False),
    ],
)
def test_large_requests(request_: str, rest: int, *, expected: bool) -> None:
    method, target, *field = request_.split(maxsplit=2)
    named = dict([field[0].split(": ")]) if field else {"content-length": "5"}
    made = h11.Request(method=method, target=target, headers=[("host", "a"), *named.items()])
    assert is_large_request_or_answer(made, rest) == expected


def test_one_connection_serves_small_and_large_requests_in_their_order(
    it: Served, connection: http.client.HTTPConnection
) -> None:
    assert _asked(connection, it, "GET", "/stats")[0] == 200
    assert children(it) == []
    for number in range(3):
        body = json.dumps({"text": f"{TEXT} {number}", "id": f"d{number}"})
        assert _asked(connection, it, "POST", "/documents", body)[0] == 201
        found = _asked(connection, it, "POST", "/check", json.dumps({"text": "none"}))
        assert found == (200, b'{"source":null,"matches":[]}')
        assert json.loads(_asked(connection, it, "GET", f"/documents/d{number}/text")[1]) == {
            "text": f"{TEXT} {number}"
        }
        assert b'"documents":%d' % (number + 1) in _asked(connection, it, "GET", "/stats")[1]
    assert len(children(it)) == 1
    told = _asked(connection, it, "GET", "/metrics")[1]
    assert b"ilk_documents_added_total 3.0" in told
    assert b'ilk_requests_total{method="POST",path="/documents",status="201"} 3.0' in told


def test_pipelined_requests_are_answered_in_their_order(it: Served) -> None:
    with connected(it) as to:
        paths = ["GET /health", "GET /documents", "GET /none", "GET /stats"] * 20
        to.sendall(b"".join(head(it, path) for path in paths[:-1]))
        to.sendall(head(it, paths[-1], Connection="close"))
        found = b""
        while piece := to.recv(1 << 16):
            found += piece
    statuses = [part.split()[0] for part in found.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [b"200", b"200", b"404", b"200"] * 20


def test_the_annex_begins_again_and_ends_with_the_server(it: Served) -> None:
    with ilk_server.Client(it.url, it.token) as client:
        client.add(TEXT, id="a")
        (first,) = children(it)
        os.kill(int(first), signal.SIGKILL)
        while Path("/proc", first).exists():
            pass
        assert client.text("a") == TEXT
        (second,) = children(it)
        assert second != first
    # What has begun there is answered.
    with connected(it) as to:
        body = json.dumps({"text": TEXT}).encode()
        fields = {"Content_Type": "application/json", "Content_Length": len(body)}
        to.sendall(head(it, "POST /documents", **fields) + body[:99])
        with ilk_server.Client(it.url, it.token) as client:
            client.clusters()  # Goes there later.
        it.child.send_signal(signal.SIGTERM)
        to.sendall(body[99:])
        assert to.recv(99).startswith(b"HTTP/1.1 201")
    assert it.end()[0] == 0
    assert not Path("/proc", second).exists()


def test_who_has_logged_in_goes_along_for_one_request(
    it: Served, connection: http.client.HTTPConnection
) -> None:
    page = httpx.post(f"{it.url}/login", data={"token": it.token})
    cookie = page.headers["set-cookie"].partition(";")[0]
    csrf = httpx.get(it.url, headers={"Cookie": cookie}).text.split('name="csrf" value="')[1]
    form = urlencode({"csrf": csrf.partition('"')[0], "text": TEXT})
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert _asked(connection, it, "POST", "/ask", form, **kind, Cookie=cookie)[0] == 200
    assert len(children(it)) == 1
    # Behind a proxy, somebody else may send the next request on the same connection.
    assert _asked(connection, it, "GET", "/documents", **kind)[0] == 401
    assert _asked(connection, it, "GET", "/documents", Cookie="ilk_session=wrong")[0] == 401
    assert _asked(connection, it, "GET", "/documents", Cookie=cookie)[0] == 200


def test_batches_and_documents_are_added_in_turns(it: Served) -> None:
    def several(name: str) -> list[object]:
        with ilk_server.Client(it.url, it.token) as client:
            every = [{"text": f"{LONG} {name} {at}", "id": f"{name}{at}"} for at in range(20)]
            if name == "a":
                return [one.id for one in client.add_many(every)]
            return [client.add(one["text"], id=one["id"]).id for one in every]

    with ThreadPoolExecutor(2) as pool:
        found = [id_ for ids in pool.map(several, "ab") for id_ in ids]
    assert found == [f"{name}{at}" for name in "ab" for at in range(20)]
    with ilk_server.Client(it.url, it.token) as client:
        assert {one.id for one in client} == set(found)


def test_a_store_that_is_moved_away_takes_nothing_until_it_is_back(
    connection: http.client.HTTPConnection, it: Served, tmp_path: Path
) -> None:
    assert _asked(connection, it, "POST", "/documents", json.dumps({"text": LONG}))[0] == 201
    aside = (tmp_path / "s.ilk").rename(tmp_path / "aside.ilk")
    # Small and large requests have an answer, a problem, and none is acknowledged.
    for text, status in ((LONG, 500), (TEXT, 503), (TEXT, 503)):
        answered = _asked(connection, it, "POST", "/documents", json.dumps({"text": text}))
        assert (answered[0], json.loads(answered[1])["status"]) == (status, status)
        assert "s.ilk" in json.loads(answered[1])["detail"]
        connection.close()
    aside.rename(tmp_path / "s.ilk")
    while children(it):  # The second process that found no store ends by itself.
        time.sleep(0.02)
    for text in (LONG, TEXT):
        added = _asked(connection, it, "POST", "/documents", json.dumps({"text": text}))
        assert added[0] == 201
    assert "Traceback" not in it.end()[1]
