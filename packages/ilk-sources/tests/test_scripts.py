"""Scripts as ``ilk sql`` writes them: names are quoted, whatever their characters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from databases import ClickHouse, Database, PostgreSQL, SQLite
from tests.support.command_line import Run

import ilk_sources as sql
from ilk.base.errors import OptionError
from ilk_sources.databases import dialects

#: Names that would be something else if they stood in SQL as they are.
NAMES = ("docs", "a b", "select", "it's", 'x"; --', "y`z", "c]d", "50%s", "é漢", "back\\slash", "q")


@pytest.mark.parametrize("name", NAMES)
def test_any_name_can_be_a_name(database: Database, name: str) -> None:
    table, column, key, near = f"t{name}", f"c{name}", f"k{name}", f"n{name}"
    quoted = sql.DIALECTS[database.dialect].quote_identifier
    kind = database.types[0]
    engine = " ENGINE = MergeTree ORDER BY tuple()" if isinstance(database, ClickHouse) else ""
    database.run(
        f"CREATE TABLE {quoted(table)} ({quoted(key)} BIGINT, {quoted(column)} {kind}){engine};"
    )
    made = sql.parts(database.dialect, table=table, column=column, key=key, name=near)
    for part, text in made.items():
        if isinstance(database, SQLite) and part == "near":
            database.searches[near] = text
        else:
            database.run(text)
    database.run(f"INSERT INTO {quoted(table)} VALUES (1, 5), (2, 4), (3, -1), (4, NULL);")
    assert sorted(database.near(near, 5, 1)) == [(1, 0), (2, 1)]
    assert sorted(database.near_many(near, [-1, 5], 0)) == [(-1, 3, 0), (5, 1, 0)]
    assert database.near_pairs(near, 1) == [(1, 2, 1)]


def test_names_that_are_too_long_are_shortened(database: Database) -> None:
    """No two names are shortened to one, in a script or in those of two tables."""
    column, searches = "c" * 60, "n" * 50
    short = sql.parts(database.dialect, table="ttt", column="ccc", name="nnn")
    names_if_short = set(re.findall(r"\b(?:ttt|ccc|nnn)\w*", "".join(short.values())))
    engine = " ENGINE = MergeTree ORDER BY id" if isinstance(database, ClickHouse) else ""
    names_of_tables = list[set[str]]()
    for table, name in (("t" * 60, searches), ("t" * 60 + "2", searches + "2")):
        kind = database.types[0]
        database.run(f"CREATE TABLE {table} (id BIGINT, {column} {kind}){engine};")
        made = sql.parts(database.dialect, table=table, column=column, name=name)
        names = set(re.findall(r"\b(?:t{50}|c{50}|n{50})\w*", "".join(made.values())))
        assert len(names) == len(names_if_short)
        assert max(map(len, names)) <= 63
        names_of_tables.append({name for name in names if not name.startswith("c")})
        for part, text in made.items():
            if not (isinstance(database, SQLite) and part == "near"):
                database.run(text)
    assert not set.intersection(*names_of_tables)


def test_a_name_that_is_none() -> None:
    for wrong in ("", "a\0b"):
        for argument in ("table", "column", "key", "name"):
            with pytest.raises(OptionError, match="cannot be the name of a table or column"):
                sql.script("sqlite", **{argument: wrong})
    with pytest.raises(OptionError, match="dialect is 'oracle'; it must be one of sqlite, "):
        sql.script("oracle")


def test_line_ends_in_a_name_end_no_comment() -> None:
    for dialect in sql.DIALECTS:
        evil = "a\nDROP TABLE b;\n"
        script = sql.script(dialect, table=evil, column=evil, key=evil, name=evil)
        rest = script
        for name in (evil, *(f"{evil}{end}" for end in ("_many", "_pairs", "_pairs_3", "_blocks"))):
            rest = rest.replace(sql.DIALECTS[dialect].quote_identifier(name), "")
        assert not [line for line in rest.splitlines() if line.startswith("--") and "DROP" in line]


def test_the_script_has_every_part_in_order(run: Run, tmp_path: Path) -> None:
    for dialect, about in sql.DIALECTS.items():
        names = {"table": "library", "column": "si", "key": "number", "name": "alike"}
        script = sql.script(dialect, **names)
        places = [script.index(text.rstrip()) for text in sql.parts(dialect, **names).values()]
        assert places == sorted(places)
        assert "{{" not in script
        assert about.title in script
        options = ("--table", "library", "--column", "si", "--id", "number", "--name", "alike")
        assert run("sql", dialect, *options) == (0, script, "")
        assert run("sql", dialect, *options, "-o", tmp_path / f"{dialect}.sql") == (0, "", "")
        assert (tmp_path / f"{dialect}.sql").read_text() == script
    assert run("sql", "oracle")[0] == 2
    code, _, err = run("sql", "sqlite", "--table", "")
    assert (code, err.startswith("ilk sql: '' cannot be the name of a table")) == (2, True)


def test_the_whole_script_runs(database: Database) -> None:
    """As a client of the database reads it."""
    kind = database.types[0]
    engine = " ENGINE = MergeTree ORDER BY id" if isinstance(database, ClickHouse) else ""
    database.run(f"CREATE TABLE whole (id BIGINT, fp {kind}){engine};")
    script = sql.script(database.dialect, table="whole", name="whole_near")
    if isinstance(database, SQLite):
        # The search in it has parameters, which nobody gives here; without them it finds nothing.
        script = script.replace(":queries", "NULL").replace(":radius", "NULL")
    database.run(script)
    assert database.near_pairs("whole_near", 3) == []
    # Run again on a table that has rows by now, it gives the same.
    database.run("INSERT INTO whole VALUES (1, 5), (2, 4), (3, -1), (4, NULL);")
    database.run(script)
    assert database.near_pairs("whole_near", 3) == [(1, 2, 1)]
    if not isinstance(database, SQLite):
        assert sorted(database.near("whole_near", 5, 1)) == [(1, 0), (2, 1)]


def test_the_script_prints_no_notices(database: Database) -> None:
    """Twice, as the second time everything in it exists."""
    if not isinstance(database, PostgreSQL):
        return
    notices = list[object]()
    database.connection.add_notice_handler(notices.append)
    database.run("CREATE TABLE quiet (id BIGINT, fp BIGINT);")
    for _ in range(2):
        database.run(sql.script("postgresql", table="quiet", name="quiet_near"))
    assert notices == []
    database.run("CREATE TABLE IF NOT EXISTS quiet (id BIGINT);")
    assert len(notices) == 1, "the session keeps its own level"


def test_a_script_run_again_is_that_of_the_column_it_names(database: Database) -> None:
    """Searches of the same name are replaced, not kept."""
    kind = database.types[0]
    engine = " ENGINE = MergeTree ORDER BY id" if isinstance(database, ClickHouse) else ""
    database.run(f"CREATE TABLE twice (id BIGINT, a {kind}, b {kind}){engine};")
    database.run("INSERT INTO twice VALUES (1, 5, 0), (2, 4, -1);")
    for column, found in (("a", [(1, 2, 1)]), ("b", []), ("a", [(1, 2, 1)])):
        for part, text in sql.parts(
            database.dialect, table="twice", column=column, name="twice_near"
        ).items():
            if not (isinstance(database, SQLite) and part == "near"):
                database.run(text)
        assert database.near_pairs("twice_near", 1) == found


def test_other_names_of_databases(run: Run) -> None:
    for other, name in dialects.ALIASES.items():
        assert run("sql", other) == run("sql", name)
        assert sql.script(other) == sql.script(name)
        code, _, err = run("sql", f"{other}s")
        assert code == 2
        assert f"no dialect '{other}s'; did you mean {other}?" in err


def test_sql_server_is_parsed_and_not_run() -> None:
    """There is no SQL Server to test with: this says that its SQL is well-formed, and no more."""
    import sqlglot
    from sqlglot import expressions

    script = sql.script("sqlserver", table="it's [x]", column="c]d", key="a b", name="near by")
    parsed = 0
    for batch in script.removesuffix("\nGO\n").split("\nGO\n"):
        lines = [line for line in batch.splitlines() if line and not line.startswith("--")]
        # The parser knows functions, but not this clause of theirs.
        code = "\n".join(lines).replace("WITH RETURNS NULL ON NULL INPUT AS", "AS")
        for statement in sqlglot.parse(code, dialect="tsql"):
            assert statement is not None
            assert not list(statement.find_all(expressions.Command)), batch
            parsed += 1
    assert parsed >= len(sql.DIALECTS["sqlserver"].parts)
