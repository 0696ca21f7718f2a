"""A search with a small radius goes through the indexes of the blocks; it reads few rows."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import databases
import pytest
from databases import Database, SQLite

import ilk_sources as sql

COUNT = 20_000

#: Databases that keep blocks. ClickHouse and DuckDB scan.
INDEXED = ("sqlite", "postgresql", "mysql")


@pytest.fixture(scope="module", params=INDEXED)
def filled(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A table with this many rows, and its blocks."""
    with databases.opened(request.param) as database:
        database.run("CREATE TABLE docs (id BIGINT PRIMARY KEY, fp BIGINT);")
        draw = random.Random(1)
        rows = [(row, draw.getrandbits(64) - 2**63) for row in range(COUNT)]
        for start in range(0, COUNT, 5000):
            values = ", ".join(map(str, rows[start : start + 5000]))
            database.run(f"INSERT INTO docs VALUES {values};")
        for part, text in sql.parts(database.dialect).items():
            if part != "near" or not isinstance(database, SQLite):
                database.run(text)
        yield database


def explained(database: Database, radius: int) -> str:
    """How a search of this radius is carried out, in the database's words."""
    if isinstance(database, SQLite):
        query = f"EXPLAIN QUERY PLAN {sql.parts('sqlite')['near']}"
        asked = {"queries": 5, "radius": radius}
        rows = database.connection.execute(query, asked).fetchall()
    else:
        rows = database.rows(f"EXPLAIN SELECT * FROM near(5, {radius})")
    return "\n".join(row[-1] for row in rows)


def test_every_block_is_looked_up_in_its_index(filled: Database) -> None:
    if filled.dialect == "mysql":
        pytest.skip("MySQL explains no procedure; the next test counts the rows that it reads")
    # SQLite plans all branches, and a radius runs some of them; PostgreSQL plans those only.
    search, scan = {
        "sqlite": (r"SEARCH d USING COVERING INDEX", r"SCAN d$"),
        "postgresql": (r"Index (?:Only )?Scan (?:using|on)", "Seq Scan"),
    }[filled.dialect]
    for radius in (3, 7):
        plan = explained(filled, radius)
        for block in range(4):
            assert re.search(rf"{search} docs_fp_block{block}\b", plan)
        if filled.dialect == "postgresql":
            assert scan not in plan
    assert re.search(scan, explained(filled, 8), re.MULTILINE)


def rows_read(database: Database) -> int:
    """Rows that this connection has read one after another, by an index or without."""
    status: dict[str, str] = dict(database.rows("SHOW SESSION STATUS LIKE 'Handler_read%'"))
    return int(status["Handler_read_next"]) + int(status["Handler_read_rnd_next"])


def test_few_rows_are_read(filled: Database) -> None:
    if filled.dialect != "mysql":
        pytest.skip(f"{filled.dialect} says which index it uses")
    read = {}
    for radius in (3, 7, 8):
        before = rows_read(filled)
        filled.near("near", 5, radius)
        read[radius] = rows_read(filled) - before
    # Four blocks have some 0.3 rows in common with a query each; 68 of them, some 20.
    assert read[3] < 200
    assert read[7] < 1000
    assert read[8] >= COUNT
