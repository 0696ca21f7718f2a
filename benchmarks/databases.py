"""A million fingerprints in every database, and the searches that `ilk sql` wrote for them."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tempfile
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

import ilk_sources as sql

#: Rows of ``(id, distance)``, or of ``(left_id, right_id, distance)``.
Found = list[tuple[Any, ...]]


class AbsentError(Exception):
    """A database is not there; the message says which."""


@dataclass(frozen=True, slots=True)
class Searches:
    """What a database is asked.

    Attributes:
        near: the rows within 3 bits of a fingerprint, signed.
        pairs: all pairs within 3 bits; None where it is not measured.
    """

    near: Callable[[int], Found]
    pairs: Callable[[], Found] | None = None


@contextlib.contextmanager
def sqlite(table: pa.Table) -> Iterator[Searches]:
    """SQLite, in a file."""
    made = sql.parts("sqlite")
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(sqlite3.connect(Path(folder) / "docs.db")) as connection,
    ):
        # Indexes are sorted in memory: they are not what is measured.
        connection.executescript("PRAGMA temp_store = MEMORY; PRAGMA synchronous = OFF;")
        connection.execute("CREATE TABLE docs (id INTEGER PRIMARY KEY, fp BIGINT)")
        for batch in table.to_batches():
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            connection.executemany("INSERT INTO docs VALUES (?, ?)", rows)
        connection.commit()
        connection.executescript(made["blocks"])

        def near(query: int) -> Found:
            found = connection.execute(made["near"], {"queries": query, "radius": 3})
            return [row[1:] for row in found]

        yield Searches(near)


@contextlib.contextmanager
def duckdb(table: pa.Table) -> Iterator[Searches]:
    """DuckDB, in memory."""
    import duckdb

    with contextlib.closing(duckdb.connect()) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE docs AS SELECT * FROM given")
        connection.execute(sql.script("duckdb"))

        def near(query: int) -> Found:
            return list(connection.execute("FROM near(?, 3)", [query]).fetchall())

        yield Searches(near, lambda: list(connection.execute("FROM near_pairs(3)").fetchall()))


@contextlib.contextmanager
def postgresql(table: pa.Table) -> Iterator[Searches]:
    """PostgreSQL, in a schema of its own."""
    url = _server("ILK_TEST_POSTGRESQL")
    import psycopg

    with contextlib.closing(psycopg.connect(url, autocommit=True)) as connection:
        connection.execute("DROP SCHEMA IF EXISTS ilk_bench CASCADE")
        connection.execute("CREATE SCHEMA ilk_bench")
        connection.execute("SET search_path = ilk_bench")
        connection.execute("CREATE TABLE docs (id bigint PRIMARY KEY, fp bigint)")
        with (
            _csv(table) as path,
            path.open("rb") as file,
            connection.cursor().copy("COPY docs FROM STDIN (FORMAT csv)") as copy,
        ):
            while piece := file.read(1 << 20):
                copy.write(piece)
        connection.execute(sql.script("postgresql"))
        # So that pages are marked as seen by all before queries look at them, not by the first.
        connection.execute("VACUUM docs")

        def near(query: int) -> Found:
            asked = "SELECT * FROM near(%s, 3)"
            return list(connection.execute(asked, (query,)).fetchall())

        yield Searches(near)
        connection.execute("DROP SCHEMA ilk_bench CASCADE")


@contextlib.contextmanager
def mysql(table: pa.Table) -> Iterator[Searches]:
    """MariaDB or MySQL, in a database of its own."""
    at = urllib.parse.urlsplit(_server("ILK_TEST_MYSQL"))
    import pymysql

    connection = pymysql.connect(
        host=at.hostname,
        port=at.port or 3306,
        user=at.username,
        password=at.password or "",
        autocommit=True,
        local_infile=True,
    )
    with contextlib.closing(connection), connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS ilk_bench")
        cursor.execute("CREATE DATABASE ilk_bench")
        cursor.execute("USE ilk_bench")
        cursor.execute("CREATE TABLE docs (id BIGINT PRIMARY KEY, fp BIGINT)")
        with _csv(table) as path:
            loaded = "LOAD DATA LOCAL INFILE %s INTO TABLE docs FIELDS TERMINATED BY ','"
            cursor.execute(loaded, (str(path),))
        for part in sql.parts("mysql").values():
            for statement in _statements(part):
                cursor.execute(statement)

        def near(query: int) -> Found:
            cursor.execute("CALL near(%s, 3)", (query,))
            return list(cursor.fetchall())

        yield Searches(near)
        cursor.execute("DROP DATABASE ilk_bench")


@contextlib.contextmanager
def clickhouse(table: pa.Table) -> Iterator[Searches]:
    """ClickHouse, in this process."""
    try:
        from chdb.session import Session
    except ImportError as error:
        raise AbsentError("chdb is not installed") from error
    with _csv(table) as path, contextlib.closing(Session()) as session:
        session.query("CREATE DATABASE ilk_bench")
        session.query("USE ilk_bench")
        session.query("CREATE TABLE docs (id Int64, fp Int64) ENGINE = MergeTree ORDER BY id")
        session.query(f"INSERT INTO docs SELECT * FROM file('{path}', CSV, 'id Int64, fp Int64')")
        for part in sql.parts("clickhouse").values():
            for statement in part.split(";\n"):
                if statement.strip():
                    session.query(statement)

        def near(query: int) -> Found:
            # Else a query that was asked before would be answered from memory.
            asked = f"SELECT * FROM near(q = {query}, radius = 3)"
            settings = "SETTINGS use_query_condition_cache = 0"
            lines = str(session.query(f"{asked} {settings}", "JSONCompactEachRow")).splitlines()
            return [tuple(map(int, json.loads(line))) for line in lines]

        yield Searches(near)


def _server(variable: str) -> str:
    if not os.environ.get(variable):
        raise AbsentError(f"{variable} is not set (scripts/test-servers start)")
    return os.environ[variable]


@contextlib.contextmanager
def _csv(table: pa.Table) -> Iterator[Path]:
    """The table as a file that every server reads."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "docs.csv"
        pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(include_header=False))
        yield path


def _statements(part: str) -> Iterator[str]:
    """The statements of a part, which MySQL's own client would cut by DELIMITER."""
    for piece in part.split("DELIMITER //\n"):
        end = "//\n" if piece is not part else ";\n"
        for statement in piece.removesuffix("DELIMITER ;\n").split(end):
            if statement.strip():
                yield statement
