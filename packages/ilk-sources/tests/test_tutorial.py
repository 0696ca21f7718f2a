"""The tutorial's SQL, run as it is printed: on SQLite and on PostgreSQL."""

from __future__ import annotations

import re

import databases
import pytest
from databases import SQLite
from tests.fixtures import ROOT

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
        assert answers == [FOUND, FOUND]
        made = sql.parts(dialect, table="content_object", column="fp", key="content_id")
        database.run(made["blocks"])
        if isinstance(database, SQLite):
            database.searches["near"] = made["near"]
            found = database.near("near", 0x3F5D150F76495C83, 6)
            assert sorted(found) == [(place, bits) for place, (_, bits) in enumerate(FOUND, 1)]
        else:
            database.run(made["near"])
            (block,) = blocks("postgresql")
            assert database.rows(block) == FOUND


def test_the_tutorial_prints_what_it_finds() -> None:
    table = "\n".join(f"| {name} | {distance} |" for name, distance in FOUND)
    assert PAGE.count(f"| name | distance |\n|---|---|\n{table}\n") == 2
