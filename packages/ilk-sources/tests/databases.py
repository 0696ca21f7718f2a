"""The databases as the tests see them: what differs in how they are asked, and nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import urllib.parse
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from tests.support.demands import absent

import ilk_sources as sql

Rows = list[tuple[Any, ...]]


def server(variable: str) -> str:
    """The URL of a server that an environment variable names."""
    return os.environ.get(variable) or absent(f"{variable} is not set (scripts/test-servers start)")


class Database(Protocol):
    """A connection.

    Attributes:
        dialect: its name in ``sql.DIALECTS``.
        errors: what it raises.
        types: names of a signed and, if there is one, an unsigned type of 64 bits.
    """

    dialect: str
    errors: tuple[type[Exception], ...]
    types: tuple[str, ...]

    def run(self, script: str) -> None:
        """Run statements as they stand in a script."""

    def rows(self, query: str) -> Rows:
        """The rows of a query."""

    def near(self, name: str, q: int, radius: int) -> Rows:
        """The ids and distances within the radius, by a search of that name."""

    def near_many(self, name: str, queries: Sequence[int], radius: int) -> Rows:
        """Queries, ids and distances."""

    def near_pairs(self, name: str, radius: int) -> Rows:
        """Two ids and distances."""


class SQLite(Database):
    """SQLite, which has functions only by registration; searches are parts of the script."""

    dialect = "sqlite"
    errors = (sqlite3.Error,)
    types = ("INTEGER",)

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        sql.register(self.connection)
        self.searches: dict[str, str] = {}

    def run(self, script: str) -> None:
        self.connection.executescript(script)

    def rows(self, query: str) -> Rows:
        return list(self.connection.execute(query).fetchall())

    def _search(self, name: str, queries: object, radius: int) -> Rows:
        arguments = {"queries": queries, "radius": radius}
        return list(self.connection.execute(self.searches[name], arguments).fetchall())

    def near(self, name: str, q: int, radius: int) -> Rows:
        return [row[1:] for row in self._search(name, q, radius)]

    def near_many(self, name: str, queries: Sequence[int], radius: int) -> Rows:
        return self._search(name, json.dumps(queries), radius)

    def near_pairs(self, name: str, radius: int) -> Rows:
        view = sql.DIALECTS["sqlite"].quote_identifier(f"{name}_pairs_3")
        return self.rows(f"SELECT * FROM {view} WHERE distance <= {radius}")


class _Functions(Database):
    """A database whose searches are functions."""

    connection: Any

    def _call(self, name: str, *arguments: object) -> Rows:
        """The rows of a function."""
        raise NotImplementedError

    def run(self, script: str) -> None:
        self.connection.execute(script)

    def rows(self, query: str) -> Rows:
        return list(self.connection.execute(query).fetchall())

    def near(self, name: str, q: int, radius: int) -> Rows:
        return self._call(name, q, radius)

    def near_many(self, name: str, queries: Sequence[int], radius: int) -> Rows:
        return self._call(f"{name}_many", list(queries), radius)

    def near_pairs(self, name: str, radius: int) -> Rows:
        return self._call(f"{name}_pairs", radius)


class DuckDB(_Functions):
    """DuckDB, in this process."""

    dialect = "duckdb"
    types = ("BIGINT", "UBIGINT")

    def __init__(self) -> None:
        import duckdb

        self.errors = (duckdb.Error,)
        self.connection = duckdb.connect()

    def _call(self, name: str, *arguments: object) -> Rows:
        function = sql.DIALECTS["duckdb"].quote_identifier(name)
        marks = ", ".join("?" * len(arguments))
        return list(
            self.connection.execute(f"SELECT * FROM {function}({marks})", arguments).fetchall()
        )


class PostgreSQL(_Functions):
    """PostgreSQL, in a schema of its own."""

    dialect = "postgresql"
    types = ("bigint",)

    def __init__(self, url: str, schema: str) -> None:
        import psycopg

        self.errors = (psycopg.Error,)
        self.connection = psycopg.connect(url, autocommit=True)
        self.connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
        self.connection.execute(f"CREATE SCHEMA {schema}")
        self.connection.execute(f"SET search_path = {schema}")

    def _call(self, name: str, *arguments: object) -> Rows:
        function = sql.DIALECTS["postgresql"].quote_identifier(name).replace("%", "%%")
        casts = ["%s::bigint[]" if isinstance(value, list) else "%s" for value in arguments]
        query = f"SELECT * FROM {function}({', '.join(casts)})"
        return list(self.connection.execute(query, arguments).fetchall())


class MySQL(Database):
    """MariaDB, through the protocol it shares with MySQL; its searches are procedures."""

    dialect = "mysql"
    types = ("BIGINT", "BIGINT UNSIGNED")

    def __init__(self, url: str, database: str) -> None:
        import pymysql

        self.errors = (pymysql.Error,)
        at = urllib.parse.urlsplit(url)
        self.connection = pymysql.connect(
            host=at.hostname,
            port=at.port or 3306,
            user=at.username,
            password=at.password or "",
            database=at.path[1:],
            autocommit=True,
        )
        self.database = database
        self.run(f"DROP DATABASE IF EXISTS {database};\nCREATE DATABASE {database};\n")
        self.run(f"USE {database};")

    def run(self, script: str) -> None:
        with self.connection.cursor() as cursor:
            for statement in statements(script):
                cursor.execute(statement)

    def rows(self, query: str) -> Rows:
        return self._all(query, None)

    def near(self, name: str, q: int, radius: int) -> Rows:
        return self._call(name, q, radius)

    def near_many(self, name: str, queries: Sequence[int], radius: int) -> Rows:
        return self._call(f"{name}_many", json.dumps(queries), radius)

    def near_pairs(self, name: str, radius: int) -> Rows:
        return self._call(f"{name}_pairs", radius)

    def _call(self, name: str, *arguments: object) -> Rows:
        procedure = sql.DIALECTS["mysql"].quote_identifier(name).replace("%", "%%")
        return self._all(f"CALL {procedure}({', '.join(['%s'] * len(arguments))})", arguments)

    def _all(self, query: str, arguments: tuple[object, ...] | None) -> Rows:
        with self.connection.cursor() as cursor:
            cursor.execute(query, arguments)
            return list(cursor.fetchall())


def statements(script: str) -> Iterator[str]:
    """The statements of a script, which it cuts by DELIMITER as MySQL's own client does."""
    delimiter, found = ";", ""
    for line in script.splitlines(keepends=True):
        if line.startswith("DELIMITER "):
            delimiter = line.split()[1]
            continue
        found += line
        if found.rstrip().endswith(delimiter):
            yield found.rstrip().removesuffix(delimiter)
            found = ""


class ClickHouse(Database):
    """ClickHouse, in this process (chdb)."""

    dialect = "clickhouse"
    types = ("Nullable(Int64)", "Nullable(UInt64)")

    def __init__(self) -> None:
        from chdb.session import Session

        self.errors = (RuntimeError,)
        self.session = Session()

    def run(self, script: str) -> None:
        for statement in statements(script):
            self._ask(statement)

    def rows(self, query: str) -> Rows:
        lines = self._ask(query).splitlines()
        return [tuple(json.loads(line)) for line in lines]

    def near(self, name: str, q: int, radius: int) -> Rows:
        return self._call(name, f"q = {q}, radius = {radius}")

    def near_many(self, name: str, queries: Sequence[int], radius: int) -> Rows:
        return self._call(f"{name}_many", f"queries = {list(queries)}, radius = {radius}")

    def near_pairs(self, name: str, radius: int) -> Rows:
        return self._call(f"{name}_pairs", f"radius = {radius}")

    def _call(self, name: str, arguments: str) -> Rows:
        return self.rows(
            f"SELECT * FROM {sql.DIALECTS['clickhouse'].quote_identifier(name)}({arguments})"
        )

    def _ask(self, query: str) -> str:
        return str(self.session.query(query, "JSONCompactEachRow"))


NAMES = ("sqlite", "duckdb", "postgresql", "mysql", "clickhouse")


@contextlib.contextmanager
def opened(dialect: str) -> Iterator[Database]:
    """A database of the dialect, empty; skips where it is absent."""
    place = f"ilk_test_{os.getpid()}"
    if dialect == "sqlite":
        lite = SQLite()
        yield lite
        lite.connection.close()
    elif dialect == "duckdb":
        duck = DuckDB()
        yield duck
        duck.connection.close()
    elif dialect == "postgresql":
        postgres = PostgreSQL(server("ILK_TEST_POSTGRESQL"), place)
        yield postgres
        postgres.run(f"DROP SCHEMA {place} CASCADE")
        postgres.connection.close()
    elif dialect == "mysql":
        mysql = MySQL(server("ILK_TEST_MYSQL"), place)
        yield mysql
        mysql.run(f"DROP DATABASE {place};")
        mysql.connection.close()
    else:
        try:
            import chdb  # noqa: F401
        except ImportError:
            absent("chdb is not installed (make test-long does)")
        house = ClickHouse()
        yield house
        house.session.close()
