"""The log of additions: each document has a line once, in order, whoever added it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from server_support import TOKENS, make_app, served
from starlette.testclient import TestClient
from tests.support.stores import LONG, OTHER

import ilk_server
from ilk.plugins import OutputError
from ilk.store import Store
from ilk_server.additions import AdditionLog
from ilk_server.answers import StoreAnswers
from ilk_server.metrics import Metrics

NEAR = LONG.replace("word100", "changed")


def _service(store: Store, log: AdditionLog) -> TestClient:
    """Start to serve a store, as ``ilk serve`` does."""
    StoreAnswers(store, Metrics(), log).log_missing_additions()
    app = make_app(store, additions=log)
    head = {"Authorization": f"Bearer {TOKENS['admin']}"}
    return TestClient(app, "http://127.0.0.1:8017", headers=head)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_document_has_a_line_with_what_it_is_like(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "additions.jsonl"
    store.add(LONG, source="before")
    log = AdditionLog(path)
    service = _service(store, log)
    answer = service.post("/documents", json={"text": NEAR, "id": "near", "source": "n"}).json()
    service.post("/documents", json={"text": LONG, "on_duplicate": "refuse"})
    service.put("/documents/other", json={"text": OTHER})
    service.put("/documents/other", json={"title": "a title"})
    service.post("/batch?do=add", content=json.dumps({"text": OTHER, "id": "copy"}))
    log.close()
    begins, *added = _lines(path)
    assert (begins["event"], begins["number"]) == ("begins", 0)
    assert [(one["event"], one["number"], one["id"]) for one in added] == [
        ("added", 1, "near"),
        ("added", 2, "other"),
        ("added", 3, "copy"),
    ]
    assert {name: added[0][name] for name in answer} == answer
    assert [one["id"] for one in added[2]["matches"]] == ["other"]
    assert "word1 " not in path.read_text()


def test_what_was_added_in_other_ways_is_noted_at_the_next_start(
    store: Store, tmp_path: Path
) -> None:
    """Also after a line was torn, and not twice."""
    path = tmp_path / "additions.jsonl"
    with AdditionLog(path) as log:
        _service(store, log)
    first = store.add(LONG, source="a").id
    store.add_many([NEAR, OTHER])
    store.remove(2)
    with AdditionLog(path) as log:
        _service(store, log)
    with path.open("ab") as file:
        file.write(b'{"time": "2026-01-02')
    store.add(OTHER)
    for _ in range(2):
        with AdditionLog(path) as log:
            _service(store, log)
    lines = _lines(path)
    assert [one["number"] for one in lines] == [-1, first, 1, 3]
    assert [[match["id"] for match in one.get("matches", ())] for one in lines] == [[], [], [0], []]


def test_a_file_that_is_no_log_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    for text in ("what I wrote\n", "what I wrote", '{"a": 1}\nand more'):
        path.write_text(text)
        with pytest.raises(OutputError, match="does not end with a line of a log of additions"):
            AdditionLog(path)
        assert path.read_text() == text
    with pytest.raises(OutputError, match="cannot write"):
        AdditionLog(tmp_path / "missing" / "log.jsonl")


def test_a_service_by_the_command_line_logs_additions(tmp_path: Path) -> None:
    path = tmp_path / "additions.jsonl"
    with (
        served(tmp_path / "store.ilk", "--additions", path) as it,
        ilk_server.Client(it.url, it.token) as client,
    ):
        client.add(LONG, id="a")
        # A large one goes to the other process.
        client.add(f"{OTHER} " * 400, id="b")
    assert [one.get("id") for one in _lines(path)] == [None, "a", "b"]
