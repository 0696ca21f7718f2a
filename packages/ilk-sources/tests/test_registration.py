"""Functions of a connection: of texts, bound to a recipe, and of fingerprints."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from databases import server
from hypothesis import given
from hypothesis import strategies as st
from tests.support import strategies
from tests.support.fixtures import examples

import ilk
import ilk_sources as sql
from ilk.base.errors import OptionError
from ilk.fingerprints.recipe import SIMILARITY_INDEX

TEXT = "the quick brown fox jumps over the lazy dog"


@contextlib.contextmanager
def opened(name: str) -> Iterator[Any]:
    if name == "sqlite3":
        connection: Any = sqlite3.connect(":memory:")
    elif name == "apsw":
        import apsw

        connection = apsw.Connection(":memory:")
    else:
        import duckdb

        connection = duckdb.connect()
    with contextlib.closing(connection):
        yield connection


@pytest.fixture(params=["sqlite3", "apsw", "duckdb"])
def connection(request: pytest.FixtureRequest) -> Iterator[Any]:
    with opened(request.param) as found:
        yield found


def asked(connection: Any, expression: str, *values: object) -> Any:
    ((value,),) = connection.execute(f"SELECT {expression}", values).fetchall()
    return value


def signed(text: str | None, recipe: ilk.Recipe | None = None) -> int | None:
    value: int | None = ilk.fingerprint([text], recipe).view(pa.int64())[0].as_py()
    return value


def test_texts_have_the_fingerprints_of_the_library(connection: Any) -> None:
    sql.register(connection)
    for text in (TEXT, "quelque chose d'autre, en français", "too few", "", None):
        assert asked(connection, "fingerprint(?)", text) == signed(text)
    # sqlite3 says no more of a function that it has lost.
    with pytest.raises(Exception, match="simhash|user-defined function raised"):
        asked(connection, "simhash(?)", TEXT)
    distance = asked(connection, "hamming_distance(fingerprint(?), fingerprint(?))", TEXT, TEXT * 2)
    assert distance == ilk.hamming.distance(*ilk.fingerprint([TEXT, TEXT * 2]).to_pylist())


def test_a_recipe_of_simhash_is_called_so(connection: Any) -> None:
    sql.register(connection, SIMILARITY_INDEX)
    value = signed(TEXT, SIMILARITY_INDEX)
    assert asked(connection, "simhash(?)", TEXT) == value
    assert asked(connection, "fingerprint(?)", TEXT) == value
    # Another recipe takes its place, and leaves no function of the first.
    sql.register(connection)
    assert asked(connection, "fingerprint(?)", TEXT) == signed(TEXT)
    with pytest.raises(Exception, match="simhash|user-defined function raised"):
        asked(connection, "simhash(?)", TEXT)


def test_duckdb_fingerprints_a_column_at_once() -> None:
    with opened("duckdb") as connection:
        sql.register(connection, SIMILARITY_INDEX)
        rows = 5000
        connection.execute(
            "CREATE TABLE docs AS SELECT range AS id, CASE WHEN range % 7 > 0 THEN "
            f"'some words of a row ' || range END AS body FROM range({rows})"
        )
        found = connection.execute("SELECT simhash(body) FROM docs ORDER BY id").fetchall()
        texts = [f"some words of a row {row}" if row % 7 else None for row in range(rows)]
        expected = ilk.fingerprint(texts, SIMILARITY_INDEX).view(pa.int64()).to_pylist()
        assert [value for (value,) in found] == expected


@examples(50)
@given(text=st.none() | strategies.texts | strategies.prose, recipe=strategies.recipes)
def test_any_text_and_recipe(text: str | None, recipe: ilk.Recipe) -> None:
    for name in ("sqlite3", "duckdb"):
        with opened(name) as connection:
            if recipe.bits > 64:
                with pytest.raises(OptionError, match="128"):
                    sql.register(connection, recipe)
                continue
            sql.register(connection, recipe)
            assert asked(connection, "fingerprint(?)", text) == signed(text, recipe)


def test_postgresql_gets_the_functions_of_fingerprints() -> None:
    import psycopg

    with psycopg.connect(server("ILK_TEST_POSTGRESQL")) as connection:
        connection.execute("CREATE SCHEMA ilk_registered")
        connection.execute("SET search_path = ilk_registered")
        sql.register(connection)
        sql.register(connection)
        assert asked(connection, "ham_dist('00100', '11100')") == 2
        assert asked(connection, "hamming_distance(-1, 0)") == 64
        assert asked(connection, "fingerprint_to_hex(-2)") == "fffffffffffffffe"
        connection.rollback()


def test_what_is_no_connection() -> None:
    for wrong in (None, "docs.db", 5):
        with pytest.raises(OptionError, match="must be one of sqlite3, apsw, duckdb or psycopg"):
            sql.register(wrong)
    with opened("sqlite3") as connection, pytest.raises(OptionError, match="64 bits"):
        sql.register(connection, ilk.Recipe(bits=128))
    with opened("sqlite3") as connection:
        sql.register(connection)
        for call in ("hamming_distance('a', 1)", "ham_dist(1, 'a')", "fingerprint(5)"):
            with pytest.raises(sqlite3.OperationalError):
                asked(connection, call)


class Own(sqlite3.Connection):
    """A connection of somebody's own class."""


def test_a_subclass_is_one() -> None:
    with contextlib.closing(sqlite3.connect(":memory:", factory=Own)) as connection:
        sql.register(connection)
        assert asked(connection, "ham_dist('00100', '11100')") == 2
