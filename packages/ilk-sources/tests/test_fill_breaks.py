"""What breaks off while a column is filled: no batch is half-written, and the rest follows."""

from __future__ import annotations

import subprocess
import sys
import urllib.parse
from typing import Any

import pytest
from places import Place, column, expected, made

import ilk
import ilk_sources as sql
from ilk.base.errors import DatabaseError
from ilk_sources.databases import filling


def broken_off(monkeypatch: pytest.MonkeyPatch, how: Any, after: int) -> None:
    """Break off after this many batches."""
    calls = iter(range(100))
    real = ilk.fingerprint

    def broken(*args: Any, **options: Any) -> Any:
        if next(calls) == after:
            how()
        return real(*args, **options)

    monkeypatch.setattr(filling, "fingerprint_texts", broken)


def two_batches(texts: list[str | None]) -> list[int | None]:
    """The column when two batches of 10 are written, and no more."""
    return [value if row < 20 else None for row, value in enumerate(expected(texts))]


def waiting(place: Place) -> list[str | None]:
    """The table ``docs``, of whose texts none is null."""
    texts = made(place)
    place.run("UPDATE docs SET body = 'too few' WHERE body IS NULL")
    return texts


def test_what_breaks_in_a_batch_leaves_it_unwritten(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = waiting(place)

    def fail() -> None:
        raise KeyboardInterrupt

    broken_off(monkeypatch, fail, after=2)
    with pytest.raises(KeyboardInterrupt):
        sql.fill(place.url, table="docs", text="body", column="fp", batch=10)
    monkeypatch.undo()
    values = expected(texts)
    assert column(place) == two_batches(texts)
    sql.fill(place.url, table="docs", text="body", column="fp", batch=10)
    assert column(place) == values


def test_a_lost_connection_is_told_and_made_good(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place.mark == "?":
        pytest.skip("a file has no connection to lose")
    texts = waiting(place)

    def lose() -> None:
        if place.dialect == "postgresql":
            # Only what holds this table: other tests have tables of the same name elsewhere.
            ended = place.rows(
                "SELECT pg_terminate_backend(pid) FROM (SELECT DISTINCT pid FROM pg_locks "
                "WHERE relation = 'docs'::regclass AND pid <> pg_backend_pid()) AS holders"
            )
            assert ended == [(True,)]
        else:
            query = (
                "SELECT id FROM information_schema.processlist "
                "WHERE db = DATABASE() AND id <> CONNECTION_ID()"
            )
            place.run(*(f"KILL {number}" for (number,) in place.rows(query)))

    broken_off(monkeypatch, lose, after=2)
    with pytest.raises(DatabaseError, match="run it again") as caught:
        sql.fill(place.url, table="docs", text="body", column="fp", batch=10)
    password = urllib.parse.urlsplit(place.url).password
    assert password
    assert password not in str(caught.value)
    monkeypatch.undo()
    values = expected(texts)
    assert column(place) == two_batches(texts)
    sql.fill(place.url, table="docs", text="body", column="fp", batch=10)
    assert column(place) == values


#: What makes a connection give up waiting for a lock at once.
IMPATIENT = {
    "sqlite": "PRAGMA busy_timeout = 0",
    "postgresql": "SET lock_timeout = '10ms'",
    "mysql": "SET innodb_lock_wait_timeout = 1",
}


def test_no_text_changes_while_its_fingerprint_is_made(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place.dialect == "duckdb":
        pytest.skip("no other program can open the file of DuckDB meanwhile")
    texts = waiting(place)
    refused = []

    def change() -> None:
        statement = "UPDATE docs SET body = 'another text of some words' WHERE id = 60"
        try:
            place.run(IMPATIENT[place.dialect], statement)
        except Exception as error:
            refused.append(error)

    broken_off(monkeypatch, change, after=2)
    sql.fill(place.url, table="docs", text="body", column="fp", batch=10)
    assert len(refused) == 1
    assert column(place) == expected(texts)


def test_a_kill_loses_one_batch_at_most(place: Place) -> None:
    texts = waiting(place)
    program = (
        "import os, sys\n"
        "import ilk_sources as sql\n"
        "from ilk_sources.databases import filling\n"
        "real, calls = filling.fingerprint_texts, iter(range(9))\n"
        "def killed(*args, **options):\n"
        "    if next(calls) == 2:\n"
        "        os.kill(os.getpid(), 9)\n"
        "    return real(*args, **options)\n"
        "filling.fingerprint_texts = killed\n"
        "sql.fill(sys.argv[1], table='docs', text='body', column='fp', batch=10)\n"
    )
    child = subprocess.run([sys.executable, "-c", program, place.url])
    assert child.returncode == -9
    values, written = expected(texts), two_batches(texts)
    assert column(place) == written
    found = sql.fill(place.url, table="docs", text="body", column="fp", batch=10)
    assert column(place) == values
    assert found.filled == written.count(None) - values.count(None)


def test_a_wrong_password_and_a_server_that_is_not_there(place: Place) -> None:
    if place.mark == "?":
        pytest.skip("a file has no password")
    at = urllib.parse.urlsplit(place.url)
    netloc = f"{at.username}:5ecret@{at.hostname}:{at.port}"
    wrong = at._replace(netloc=netloc).geturl()
    with pytest.raises(DatabaseError, match="cannot be opened") as caught:
        sql.fill(wrong, table="docs", text="body", column="fp")
    assert "5ecret" not in str(caught.value)
    # Port 1 is nobody's.
    nowhere = at._replace(netloc=f"ilk:5ecret@{at.hostname}:1").geturl()
    with pytest.raises(DatabaseError, match="cannot be opened") as caught:
        sql.fill(nowhere, table="docs", text="body", column="fp")
    assert "5ecret" not in str(caught.value)
