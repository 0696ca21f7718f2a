"""Columns of tables that are there, filled: all of what was asked, and nothing else."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import places
import pytest
from places import TEXTS, Place, column, expected, made

import ilk
import ilk_sources as sql
from ilk.base.errors import (
    ColumnTypeError,
    DatabaseError,
    OptionError,
    RecipeMismatch,
    SourceNotFound,
)
from ilk.fingerprints.recipe import SIMILARITY_INDEX


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_every_row_is_filled_and_nothing_else(place: Place, batch: int) -> None:
    texts = made(place)
    seen: list[tuple[int, int]] = []
    found = sql.fill(
        place.url,
        table="docs",
        text="body",
        column="fp",
        batch=batch,
        progress=lambda _, done, total=None, size=0: seen.append((done, total or size)),
    )
    values = expected(texts)
    assert column(place) == values
    assert [value for value in values if value is not None and value < 0]
    assert [note for (note,) in place.rows("SELECT note FROM docs ORDER BY id")] == [
        row % 7 for row in range(len(texts))
    ]
    assert [text for (text,) in place.rows("SELECT body FROM docs ORDER BY id")] == texts
    there = [text for text in texts if text is not None]
    assert found.filled == len(values) - values.count(None)
    assert found.without == len(there) - found.filled > 0
    assert seen[-1] == (len(there), len(there))
    recorded = place.rows("SELECT table_name, column_name, recipe FROM ilk_recipes")
    assert recorded == [("docs", "fp", str(ilk.Recipe()))]


def test_a_column_that_is_missing_is_added_if_asked_for(place: Place) -> None:
    """The error without ``add_column`` has the whole statement, which adds it too."""
    texts = made(place, 9)
    by_hand, by_ilk = 'f"p]1%s', 'f"p]2%(x)s'
    with pytest.raises(DatabaseError, match="or add it with `add_column`, or with") as refused:
        sql.fill(place.url, table="docs", text="body", column=by_hand)
    place.run(str(refused.value).rpartition("this statement: ")[2].rstrip(";"))
    sql.fill(place.url, table="docs", text="body", column=by_hand)
    for _ in range(2):  # A column that is there is filled as without the option.
        sql.fill(place.url, table="docs", text="body", column=by_ilk, add_column=True)
    for name in (by_hand, by_ilk):
        found = place.rows(f"SELECT {place.quoted(name)} FROM docs ORDER BY id")
        assert [value for (value,) in found] == expected(texts)
    assert column(place) == [None] * len(column(place))


def test_a_misspelt_column_of_texts_adds_nothing(place: Place) -> None:
    made(place, 3)
    with pytest.raises(DatabaseError, match="no column 'boddy'.*holds the texts"):
        sql.fill(place.url, table="docs", text="boddy", column="new", add_column=True)
    with pytest.raises(DatabaseError, match="no column 'new'"):
        sql.fill(place.url, table="docs", text="body", column="new")


def test_only_what_is_null_is_filled(place: Place) -> None:
    texts = made(place, 20)
    place.run("UPDATE docs SET fp = 1 WHERE id < 30", "UPDATE docs SET body = 'x' WHERE id < 9")
    sql.fill(place.url, table="docs", text="body", column="fp", batch=4)
    assert column(place) == [1] * 10 + expected(texts)[10:]
    again = sql.fill(place.url, table="docs", text="body", column="fp", batch=4)
    assert again.filled == 0


def test_names_full_of_meta_characters(place: Place) -> None:
    table, text, name, key = 'a"b`c%s', "it's; --", "f p]%(x)s", "sélect"
    quoted = [place.quoted(each) for each in (key, text, name)]
    place.run(
        f"CREATE TABLE {place.quoted(table)} ({quoted[0]} BIGINT PRIMARY KEY, "
        f"{quoted[1]} {place.text}, {quoted[2]} BIGINT)"
    )
    words = "some words that make a fingerprint"
    place.insert(table, [(1, words, None), (2, words, None)])
    sql.fill(place.url, table=table, text=text, column=name, batch=1)
    assert place.rows(f"SELECT {quoted[2]} FROM {place.quoted(table)}") == [
        (value,) for value in expected([words] * 2)
    ]


def test_a_key_of_several_columns(place: Place) -> None:
    place.run(
        f"CREATE TABLE docs (a VARCHAR(20), b BIGINT, body {place.text}, fp BIGINT, "
        "PRIMARY KEY (a, b))"
    )
    rows = [(a, b, f"words of {a} and of {b} and more") for a in "yYxéz" for b in (3, 1, 2)]
    if place.dialect == "mysql":
        # Its collation holds y and Y equal, and so does its primary key.
        rows = [row for row in rows if row[0] != "Y"]
    place.insert("docs", [(*row, None) for row in rows])
    found = sql.fill(place.url, table="docs", text="body", column="fp", batch=2)
    assert found.filled == len(rows)
    stored = {(a, b): fp for a, b, fp in place.rows("SELECT a, b, fp FROM docs")}
    values = expected([text for *_, text in rows])
    assert stored == dict(zip([(a, b) for a, b, _ in rows], values, strict=True))


def test_an_unsigned_column_holds_the_same_bits(place: Place) -> None:
    kind = {"mysql": "BIGINT UNSIGNED", "duckdb": "UBIGINT"}.get(place.dialect)
    if kind is None:
        pytest.skip(f"{place.dialect} has no unsigned type of 64 bits")
    place.run(f"CREATE TABLE docs (id BIGINT PRIMARY KEY, body {place.text}, fp {kind})")
    texts: list[str | None] = [f"{text} {row}" for row in range(9) for text in TEXTS if text]
    place.insert("docs", [(row, text, None) for row, text in enumerate(texts)])
    sql.fill(place.url, table="docs", text="body", column="fp", batch=5)
    assert column(place) == ilk.fingerprint(texts).to_pylist()


@pytest.mark.parametrize(
    ("ddl", "error", "words"),
    [
        ("id BIGINT PRIMARY KEY, body TEXT, fp REAL", ColumnTypeError, "'fp' .* BIGINT"),
        ("id BIGINT PRIMARY KEY, body TEXT, fp VARCHAR(64)", ColumnTypeError, "'fp' .* BIGINT"),
        ("id BIGINT PRIMARY KEY, body DATE, fp BIGINT", ColumnTypeError, "'body' .* texts"),
        ("id BIGINT PRIMARY KEY, body TEXT, fp BIGINT NOT NULL", DatabaseError, "NOT NULL"),
        ("id BIGINT PRIMARY KEY, body TEXT", DatabaseError, "has id, body. .* ADD COLUMN"),
        ("id BIGINT PRIMARY KEY, fp BIGINT", DatabaseError, "no column 'body'"),
        ("", DatabaseError, "no table 'docs'"),
    ],
)
def test_a_table_that_cannot_be_filled(
    place: Place, ddl: str, error: type[Exception], words: str
) -> None:
    if ddl:
        place.run(f"CREATE TABLE docs ({ddl})")
    with pytest.raises(error, match=words):
        sql.fill(place.url, table="docs", text="body", column="fp")
    with pytest.raises(DatabaseError, match="no table 'ilk_recipes'"):
        sql.fill(place.url, table="ilk_recipes", text="recipe", column="fp")


def test_rows_that_cannot_be_found_again(place: Place) -> None:
    place.run(
        "CREATE TABLE docs (id BIGINT, body TEXT, fp BIGINT)",
        "CREATE VIEW seen AS SELECT * FROM docs",
    )
    with pytest.raises(DatabaseError, match="primary key" if place.mark == "%s" else "a view"):
        sql.fill(place.url, table="seen", text="body", column="fp")
    if place.mark == "%s":
        with pytest.raises(DatabaseError, match="'docs' has no primary key"):
            sql.fill(place.url, table="docs", text="body", column="fp")
    else:
        place.insert("docs", [(5, TEXTS[0], None), (5, TEXTS[1], None)])
        assert sql.fill(place.url, table="docs", text="body", column="fp").filled == 2
        assert column(place) == expected(TEXTS[:2])


def test_one_column_has_one_recipe(place: Place) -> None:
    texts = made(place)
    place.run("ALTER TABLE docs ADD COLUMN other BIGINT")
    sql.fill(place.url, table="docs", text="body", column="fp")
    before = column(place)
    with pytest.raises(RecipeMismatch, match="filled by 'minhash64"):
        sql.fill(place.url, table="docs", text="body", column="fp", recipe=SIMILARITY_INDEX)
    sql.fill(place.url, table="docs", text="body", column="other", recipe=SIMILARITY_INDEX)
    assert column(place) == before
    assert column(place, "other") == expected(texts, SIMILARITY_INDEX)


def test_a_time_of_the_last_change_stays(place: Place) -> None:
    if place.dialect != "mysql":
        pytest.skip(f"{place.dialect} changes no column along with another one")
    place.run(
        "CREATE TABLE docs (id BIGINT PRIMARY KEY, body TEXT, fp BIGINT, `changed%` DATETIME "
        "DEFAULT '2013-01-01 00:00:00' ON UPDATE CURRENT_TIMESTAMP)",
        "INSERT INTO docs (id, body) VALUES (1, 'some words that make a fingerprint')",
    )
    assert sql.fill(place.url, table="docs", text="body", column="fp").filled == 1
    ((changed,),) = place.rows("SELECT `changed%` FROM docs")
    assert str(changed) == "2013-01-01 00:00:00"


def test_a_text_that_is_none_is_told_and_nothing_is_written(tmp_path: Path) -> None:
    with places.opened("sqlite", tmp_path) as place:
        place.run("CREATE TABLE docs (id INTEGER PRIMARY KEY, body TEXT, fp BIGINT)")
        place.insert("docs", [(1, TEXTS[0], None), (2, b"\0\1", None)])
        with pytest.raises(ColumnTypeError, match=r"holds a bytes in row \(2,\)"):
            sql.fill(place.url, table="docs", text="body", column="fp")
        assert column(place) == [None, None]


def test_sqlite_tables_of_other_shapes(tmp_path: Path) -> None:
    with places.opened("sqlite", tmp_path) as place:
        place.run(
            "CREATE TABLE docs (id TEXT PRIMARY KEY, body TEXT, fp INT) WITHOUT ROWID",
            "CREATE TABLE taken (rowid TEXT, oid TEXT, body CLOB, fp INTEGER)",
            "CREATE TABLE hidden (rowid TEXT, oid TEXT, _rowid_ TEXT, body TEXT, fp INTEGER)",
        )
        place.insert("docs", [("b", TEXTS[0], None), ("a", TEXTS[1], None)])
        place.insert("taken", [("x", "y", TEXTS[0], None), ("x", "y", TEXTS[1], None)])
        sql.fill(place.url, table="docs", text="body", column="fp", batch=1)
        sql.fill(place.url, table="taken", text="body", column="fp", batch=1)
        assert column(place) == expected([TEXTS[1], TEXTS[0]])
        assert place.rows("SELECT fp FROM taken") == [(fp,) for fp in expected(TEXTS[:2])]
        with pytest.raises(DatabaseError, match="hide its row numbers"):
            sql.fill(place.url, table="hidden", text="body", column="fp")


def test_duckdb_rows_that_are_far_apart(tmp_path: Path) -> None:
    with places.opened("duckdb", tmp_path) as place:
        place.run(
            "CREATE TABLE docs AS SELECT range AS id, 'some words of row ' || range AS body, "
            "NULL::BIGINT AS fp FROM range(500)",
            "DELETE FROM docs WHERE id % 100 <> 7",
            "CREATE TABLE hidden (rowid BIGINT, body TEXT, fp BIGINT)",
        )
        found = sql.fill(place.url, table="docs", text="body", column="fp", batch=3)
        assert found.filled == 5
        assert column(place) == expected([f"some words of row {row}" for row in range(7, 500, 100)])
        with pytest.raises(DatabaseError, match="rowid"):
            sql.fill(place.url, table="hidden", text="body", column="fp")


def test_what_is_no_database(tmp_path: Path) -> None:
    asked: Any = {"table": "docs", "text": "body", "column": "fp"}
    other = tmp_path / "other.db"
    other.write_text("a text")
    with pytest.raises(OptionError, match="not an SQLite or DuckDB file"):
        sql.fill(str(other), **asked)
    with pytest.raises(SourceNotFound, match=r"absent\.db"):
        sql.fill(str(tmp_path / "absent.db"), **asked)
    with pytest.raises(OptionError, match="oracle:// is not supported"):
        sql.fill("oracle://somewhere/docs", **asked)
    with pytest.raises(OptionError, match="must read mysql://"):
        sql.fill("mysql://localhost", **asked)
    with pytest.raises(OptionError, match="128"):
        sql.fill(str(other), recipe=ilk.Recipe(bits=128), **asked)
    with pytest.raises(OptionError, match="batch is 0"):
        sql.fill(str(other), batch=0, **asked)


def test_a_driver_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for url, package, extra in [
        ("postgresql://localhost/docs", "psycopg", "postgres"),
        ("mysql://localhost/docs", "pymysql", "mysql"),
    ]:
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ilk.IlkError, match=rf"pip install 'ilk\[{extra}\]'"):
            sql.fill(url, table="docs", text="body", column="fp")


@pytest.mark.parametrize("port", ["here", "99999", "-1"])
def test_an_address_without_a_port_is_no_secret(port: str) -> None:
    for scheme in ("postgresql", "mysql"):
        with pytest.raises(DatabaseError, match="cannot be opened") as caught:
            sql.fill(f"{scheme}://me:5ecret@127.0.0.1:{port}/docs", table="t", text="b", column="f")
        assert "5ecret" not in str(caught.value)
