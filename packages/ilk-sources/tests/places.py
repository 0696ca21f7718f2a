"""Databases by their URL, each call on a connection of its own."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import urllib.parse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from databases import Rows, server

import ilk
import ilk_sources as sql

NAMES = ("sqlite", "duckdb", "postgresql", "mysql")


class Place:
    """A database.

    Attributes:
        dialect: its name in ``sql.DIALECTS``.
        url: as ``sql.fill`` takes it.
        text: a type of long texts.
        mark: what stands for a value.
    """

    text = "TEXT"
    mark = "?"

    def __init__(self, dialect: str, url: str) -> None:
        self.dialect = dialect
        self.url = url

    def connect(self) -> Any:
        """A connection, to be committed by the caller."""
        if self.dialect == "sqlite":
            return sqlite3.connect(self.url)
        import duckdb

        return duckdb.connect(self.url)

    def run(self, *statements: str) -> None:
        """Run statements, and commit."""
        with contextlib.closing(self.connect()) as connection:
            for statement in statements:
                connection.cursor().execute(statement)
            connection.commit()

    def insert(self, table: str, rows: Sequence[Sequence[object]]) -> None:
        """Rows of a table, all its columns."""
        marks = ", ".join([self.mark] * len(rows[0]))
        into = self.quoted(table).replace("%", "%%") if self.mark == "%s" else self.quoted(table)
        with contextlib.closing(self.connect()) as connection:
            # A cursor of DuckDB is a connection that commits by itself.
            cursor = connection.cursor()
            cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", [tuple(r) for r in rows])
            connection.commit()

    def rows(self, query: str) -> Rows:
        """The rows of a query."""
        with contextlib.closing(self.connect()) as connection:
            cursor = connection.cursor()
            cursor.execute(query)
            return list(cursor.fetchall())

    def quoted(self, name: str) -> str:
        """An identifier."""
        return sql.DIALECTS[self.dialect].quote_identifier(name)


class Server(Place):
    """A server, in a schema or database of its own."""

    mark = "%s"

    def connect(self) -> Any:
        """A connection, to be committed by the caller."""
        if self.dialect == "postgresql":
            import psycopg

            return psycopg.connect(self.url)
        import pymysql

        at = urllib.parse.urlsplit(self.url)
        return pymysql.connect(
            host=at.hostname,
            port=at.port or 3306,
            user=at.username,
            password=at.password or "",
            database=at.path[1:],
            charset="utf8mb4",
        )


@contextlib.contextmanager
def opened(dialect: str, folder: Path) -> Iterator[Place]:
    """An empty database of the dialect; skips where it is absent."""
    name = f"ilk_fill_{os.getpid()}"
    if dialect in ("sqlite", "duckdb"):
        place = Place(dialect, str(folder / f"docs.{dialect}"))
        # An SQLite file has its first bytes when it has its first table.
        place.run("CREATE TABLE first (id BIGINT)")
        yield place
        return
    url = server(f"ILK_TEST_{dialect.upper()}")
    outside = Server(dialect, url)
    if dialect == "postgresql":
        begin, end = f"CREATE SCHEMA {name}", f"DROP SCHEMA IF EXISTS {name} CASCADE"
        inside = f"{url}?options=-csearch_path%3D{name}"
    else:
        begin, end = (
            f"CREATE DATABASE {name} CHARACTER SET utf8mb4",
            f"DROP DATABASE IF EXISTS {name}",
        )
        inside = urllib.parse.urlsplit(url)._replace(path=f"/{name}").geturl()
    outside.run(end, begin)
    yield Server(dialect, inside)
    outside.run(end)


#: Texts that mean something in SQL, in a format string, or in nothing.
TEXTS = [
    "the quick brown fox jumps over the lazy dog",
    "'; DROP TABLE docs; -- \\' \" ` %s %(x)s {} ? :a $1 and some more words",
    None,
    "",
    "too few",
    "漢字かな交じり文 😀 naïve Straße and some more words",
    "line\nend\ttab and some more words " * 300,
]


def made(place: Place, count: int = 60) -> list[str | None]:
    """The table ``docs`` with this many texts, and another column."""
    place.run(f"CREATE TABLE docs (id BIGINT PRIMARY KEY, body {place.text}, fp BIGINT, note INT)")
    texts = [
        None if text is None else f"{text}{' ' + str(row) if len(text) > 10 else ''}"
        for row, text in enumerate(TEXTS * (count // len(TEXTS) + 1))
    ][:count]
    place.insert("docs", [(3 * row, text, None, row % 7) for row, text in enumerate(texts)])
    return texts


def expected(texts: list[str | None], recipe: ilk.Recipe | None = None) -> list[int | None]:
    """The fingerprints of texts, signed."""
    values: list[int | None] = ilk.fingerprint(texts, recipe).view(pa.int64()).to_pylist()
    return values


def column(place: Place, name: str = "fp") -> list[int | None]:
    """What a column of ``docs`` holds."""
    return [value for (value,) in place.rows(f"SELECT {name} FROM docs ORDER BY id")]
