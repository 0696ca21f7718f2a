"""A server as a process of its own: its client, its signals, two of them, and kills."""

from __future__ import annotations

import http.client
import signal
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from server_support import Served, served
from tests.support.stores import LONG, OTHER

import ilk
import ilk_server
from ilk.base.errors import IdError, IdTaken, OptionError
from ilk.store import Match
from ilk_server.errors import ServiceError

NEAR = LONG.replace("word100", "changed")


def _ids(found: list[Match]) -> list[Any]:
    """Return what documents are called: by their clients, or by their numbers."""
    return [match.id for match in found]


def test_a_client_does_what_a_store_does(tmp_path: Path) -> None:
    path = tmp_path / "s.ilk"
    with served(path, "--texts", "--exact") as it:
        assert it.said[0].startswith("token: ilk_")
        with ilk_server.Client(it.url, it.token) as client, ilk.Store(path) as store:
            assert client.add(LONG, id="a/ö", source="s", metadata={"k": [1]}).matches == []
            added = client.add_many([NEAR, {"text": OTHER, "id": "other"}])
            assert [one.id for one in added] == [1, "other"]
            assert _ids(added[0].matches) == ["a/ö"]
            numbers: dict[Any, int] = {"a/ö": 0, 1: 1, "other": 2}
            for text in (LONG, NEAR, OTHER, "else"):
                found, expected = client.check(text), store.check([text])
                assert [numbers[id_] for id_ in _ids(found)] == _ids(expected)
                assert [one.resemblance for one in found] == [one.resemblance for one in expected]
            assert client.check_many([LONG, OTHER]) == [client.check(LONG), client.check(OTHER)]
            assert _ids(client.similar("a/ö")) == [1]
            assert client.clusters() == [["a/ö", 1]]
            assert (len(client), "other" in client, "none" in client) == (3, True, False)
            assert client[1].to_dict() == {**store[1].to_dict(), "keeper": "a/ö"}
            assert client["a/ö"].metadata == {"k": [1]}
            assert [one.id for one in client] == ["a/ö", 1, "other"]
            assert client.text("other") == OTHER
            assert client.compare(0, 1)["verdict"] == "near"
            client.update("other", title="new")
            assert client["other"].title == "new"
            (tmp_path / "file.txt").write_text(LONG)
            assert _ids(client.check(tmp_path / "file.txt")) == ["a/ö", 1]
            assert client.add(LONG, on_duplicate="refuse").id is None
            with pytest.raises(IdTaken):
                client.add(LONG, id="other")
            with pytest.raises(OptionError, match="resemblance"):
                client.check(LONG, resemblance=2)
            client.remove(["other", 1])
            with pytest.raises(IdError):
                client.text("other")
            assert client.stats()["documents"] == 1
            mark = client.add(NEAR).id
            assert mark == 3
        assert it.end()[0] == 0
    with pytest.raises(ServiceError, match="no answer"):
        client.check(LONG)
    with served(path) as it:
        assert it.said == [it.url]  # The token was made and shown once.
        with (
            ilk_server.Client(it.url, "wrong") as client,
            pytest.raises(ServiceError, match="token"),
        ):
            client.stats()


def test_two_servers_on_one_store_see_what_each_other_writes(tmp_path: Path) -> None:
    path = tmp_path / "s.ilk"
    with served(path) as one, served(path) as other:
        clients = [ilk_server.Client(it.url, it.token) for it in (one, other)]
        for number in range(6):
            text = f"{LONG} {OTHER}".replace("word", f"w{number}x").replace("other", f"o{number}y")
            clients[number % 2].add(text, id=f"d{number}")
            assert _ids(clients[(number + 1) % 2].check(text)) == [f"d{number}"]
        with pytest.raises(IdTaken):
            clients[0].add(LONG, id="d1")
        for client in clients:
            client.close()


def test_a_second_server_says_who_serves_the_store(tmp_path: Path) -> None:
    path = tmp_path / "s.ilk"
    note = tmp_path / "s.ilk.serving"
    with served(path) as one:
        said = f"{one.url} (process {one.child.pid}, since {time.strftime('%Y-')}"
        assert note.read_text().startswith(said)
        with served(path) as other:
            assert other.said == [f"also served: {note.read_text().strip()}", other.url]
        assert one.said[-1:] == [one.url]
        assert one.end()[0] == 0
    assert not note.exists()


def test_a_killed_server_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.ilk"
    with served(path) as one:
        one.child.kill()
        one.child.wait()
        with served(path) as other:
            assert other.said == [other.url]


def test_a_signal_drains_what_has_begun(tmp_path: Path) -> None:
    with served(tmp_path / "s.ilk") as it:
        place = urlsplit(it.url)
        connection = http.client.HTTPConnection(place.netloc, timeout=60)
        body = b'{"text": "' + LONG.encode() + b'"}'
        connection.putrequest("POST", "/documents")
        for name, value in {
            "Authorization": f"Bearer {it.token}",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
        }.items():
            connection.putheader(name, value)
        connection.endheaders(body[:10])
        # The request has begun when another one, sent later, is answered.
        with ilk_server.Client(it.url, it.token) as client:
            client.stats()
        it.child.send_signal(signal.SIGTERM)
        connection.send(body[10:])
        assert connection.getresponse().status == 201
        connection.close()
        assert it.end()[0] == 0


def test_a_thousand_connections_are_answered(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 4096:
        pytest.skip(f"a process may open {hard} files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, hard))
    try:
        _thousand(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _thousand(tmp_path: Path) -> None:
    with served(tmp_path / "s.ilk") as it:
        place = urlsplit(it.url).netloc
        every = [http.client.HTTPConnection(place, timeout=60) for _ in range(1000)]
        try:
            for connection in every:
                connection.request("GET", "/health")
            answers = [connection.getresponse() for connection in every]
            assert {answer.read() for answer in answers} == {b'{"status":"alive"}'}
        finally:
            for connection in every:
                connection.close()


def test_a_slow_client_has_its_answer(tmp_path: Path) -> None:
    with served(tmp_path / "s.ilk", "--limit", "seconds=0.3") as it:
        for begun in (b"", b'{"text": "a'):
            connection = http.client.HTTPConnection(urlsplit(it.url).netloc, timeout=60)
            connection.putrequest("POST", "/check")
            connection.putheader("Authorization", f"Bearer {it.token}")
            connection.putheader("Content-Type", "application/json")
            connection.putheader("Content-Length", "1000")
            connection.endheaders(begun or None)
            answer = connection.getresponse()
            assert (answer.status, answer.headers["connection"]) == (408, "close")
            assert answer.headers["content-type"] == "application/problem+json"
            connection.close()
        with ilk_server.Client(it.url, it.token) as client:
            assert len(client) == 0


def test_a_port_that_is_taken_is_an_error_in_a_line(tmp_path: Path) -> None:
    with served(tmp_path / "s.ilk") as it:
        port = urlsplit(it.url).port
        from subprocess import run
        from sys import executable

        words = [executable, "-m", "ilk", "serve", str(tmp_path / "t.ilk"), "--port", str(port)]
        done = run(words, capture_output=True, text=True)
    assert done.returncode == 2
    assert "ilk serve: cannot listen" in done.stderr
    assert "Traceback" not in done.stderr


def _kills(path: Path, times: int) -> None:
    """Kill a server under load, again and again: what it has acknowledged is there."""
    known: dict[str, str] = {}
    missed: list[str] = []
    for round_ in range(times):
        it = Served(path)
        acknowledged = threading.Event()

        def write(
            thread: int,
            it: Served = it,
            round_: int = round_,
            acknowledged: threading.Event = acknowledged,
        ) -> None:
            client = ilk_server.Client(it.url, it.token)
            for number in range(100_000):
                id_ = f"r{round_}t{thread}n{number}"
                text = " ".join(f"{id_}w{word}" for word in range(60))
                try:
                    client.add(text, id=id_)
                except ServiceError:
                    return
                known[id_] = text
                if number > round_ % 7:
                    acknowledged.set()

        def read(it: Served = it) -> None:
            """Ask about what was acknowledged, until the server is gone."""
            client = ilk_server.Client(it.url, it.token)
            while True:
                some = list(known)[-3:]
                try:
                    found = [_ids(client.check(known[id_])) for id_ in some]
                except ServiceError:
                    return
                missed.extend(id_ for id_, ids in zip(some, found, strict=True) if id_ not in ids)

        threads = [threading.Thread(target=write, args=(thread,)) for thread in range(3)]
        threads += [threading.Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        acknowledged.wait()
        it.close()
        for thread in threads:
            thread.join()
        assert missed == []
        with ilk.Store(path, create=False) as store:
            there = {record.metadata["id"] for record in store}
            assert known.keys() <= there
            assert store.validate().problems == []
            some = list(known)[-5:]
            for id_ in some:
                assert id_ in {store[match.id].metadata["id"] for match in store.check(known[id_])}


def test_two_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    _kills(tmp_path / "s.ilk", 2)


@pytest.mark.long
def test_a_hundred_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    _kills(tmp_path / "s.ilk", 100)
