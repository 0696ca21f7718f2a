"""The tutorial's SQL, run as it is printed: on SQLite and on PostgreSQL."""

from __future__ import annotations

import re

import databases
import pytest
import sqlglot
from databases import SQLite
from tests.support.fixtures import ROOT

import ilk_sources as sql

PAGE = (ROOT / "docs" / "tutorial" / "a-column-in-sql.md").read_text()

#: Roth 2013: the documents within 6 bits of sttech.txt, as the paper prints them.
FOUND = [
    ("sttech.txt", 0),
    ("treknolo", 6),
    ("treknolo_i_25", 6),
    ("warpte.txt", 1),
    ("warpte_i_6.txt", 1),
]


#: Roth 2014, Table 20: what is similar to gettysburg.txt, and to us-const.txt.
ADDRESS = [
    ("gettysburg.txt", 1.0),
    ("getty_d_1.txt", 0.96875),
    ("getty_d_10.txt", 0.9375),
    ("getty_d_5.txt", 0.953125),
    ("getty_i_1.txt", 0.96875),
    ("getty_i_10.txt", 0.984375),
    ("getty_i_5.txt", 0.96875),
]
CONSTITUTION = [("const11.txt", 0, 1.0)]

#: Words of T-SQL that SQL Server 2005 does not know.
NEWER_THAN_2005 = (
    "CREATE OR ALTER|IF EXISTS|BIT_COUNT|GENERATE_SERIES|LEAST|GREATEST|STRING_AGG|IIF|CONCAT|"
    r"TRY_|FORMAT|THROW|DECLARE @\w+ \w+(\(\d+\))? =|\+=|<<|LEFT_SHIFT|VALUES\s*\([^)]*\)\s*,"
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_the_tutorial_runs(dialect: str) -> None:
    with databases.opened(dialect) as database:
        database.run(sql.parts(dialect).get("functions", ""))
        answers = []
        for block in blocks("sql"):
            if block.startswith("SELECT"):
                answers.append(database.rows(block))
            else:
                database.run(block)
        assert answers == [ADDRESS, CONSTITUTION, FOUND, FOUND]
        made = sql.parts(dialect, table="content_object", column="fp", key="content_id")
        database.run(made["blocks"])
        if isinstance(database, SQLite):
            database.searches["near"] = made["near"]
            found = database.near("near", 0x3F5D150F76495C83, 6)
            assert sorted(found) == [(place, bits) for place, (_, bits) in enumerate(FOUND, 1)]
        else:
            database.run(made["near"])
            forgets, asks = blocks("postgresql")
            assert database.rows(asks) == FOUND
            database.run(forgets)
            database.run("UPDATE dm_document SET content = object_name WHERE r_object_id < 3")
            database.run("UPDATE dm_document SET si_value = 5 WHERE r_object_id = 2")
            database.run("UPDATE dm_document SET content = object_name WHERE r_object_id = 2")
            emptied = "SELECT r_object_id FROM dm_document WHERE si_value IS NULL"
            # The second document kept its new value, since its content did not change again.
            assert database.rows(emptied) == [(1,)]


def test_the_tutorial_prints_what_it_finds() -> None:
    for names, rows in (
        ("object_name | similarity", ADDRESS),
        ("object_name | distance | similarity", CONSTITUTION),
    ):
        lines = "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)
        rule = "|---" * names.count("|") + "|---|"
        assert f"| {names} |\n{rule}\n{lines}\n" in PAGE
    table = "\n".join(f"| {name} | {distance} |" for name, distance in FOUND)
    assert PAGE.count(f"| name | distance |\n|---|---|\n{table}\n") == 2


def test_the_sql_of_the_authors_server_is_no_newer_than_it() -> None:
    (script,) = blocks("tsql")
    assert not re.search(NEWER_THAN_2005, script)
    assert "never run" in PAGE.replace("**", "")
    parsed = [sqlglot.parse(batch, "tsql") for batch in script.split("GO\n")]
    assert len(parsed) == 4
