"""DuckDB: what its macros find is what ilk finds."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.table_texts import KEPT, TEXTS

import ilk
import ilk_sources.duckdb
from ilk.base.errors import OptionError
from ilk.cli import main as cli
from ilk.fingerprints.recipe import SIMILARITY_INDEX

ROWS = [f"row {number:04}" for number in range(len(TEXTS))]


@pytest.fixture
def connection() -> Iterator[Any]:
    with contextlib.closing(duckdb.connect()) as opened:
        ilk_sources.duckdb.register(opened)
        given_rows = pa.table({"name": ROWS, "id": range(len(ROWS)), "body": TEXTS})  # noqa: F841
        opened.execute("CREATE TABLE docs AS FROM given_rows")
        opened.execute("ALTER TABLE docs ADD COLUMN fp BIGINT")
        opened.execute("UPDATE docs SET fp = ilk_fingerprint(body)")
        yield opened


def test_fingerprints_and_distances_are_those_of_ilk(connection: Any) -> None:
    expected = ilk.fingerprint(TEXTS).view(pa.int64()).to_pylist()
    found = connection.sql("SELECT fp, hamming_distance(fp, 0) FROM docs ORDER BY id").fetchall()
    assert [fp for fp, _ in found] == expected
    assert [bits for _, bits in found] == [
        None if one is None else (one % (1 << 64)).bit_count() for one in expected
    ]


@pytest.mark.parametrize("radius", [0, 3, 20])
def test_near_pairs_are_all_pairs_at_any_radius(connection: Any, radius: int) -> None:
    expected = ilk.hamming.pairs(ilk.fingerprint(TEXTS), radius)
    rows = connection.sql(f"FROM near_pairs('docs', 'fp', {radius})")
    assert rows.columns == ["left_id", "right_id", "distance"]
    assert rows.fetchall() == [tuple(row.values()) for row in expected.to_pylist()]
    assert len(expected) > 20


def test_unsigned_fingerprints_and_other_ids_do_as_well(connection: Any) -> None:
    connection.execute(
        "CREATE VIEW other AS SELECT name, (fp::HUGEINT & 18446744073709551615)"
        "::UBIGINT AS print FROM docs"
    )
    found = connection.sql("FROM near_pairs('other', 'print', 3, id := 'name')").fetchall()
    expected = ilk.hamming.pairs(ilk.fingerprint(TEXTS), 3).to_pylist()
    assert found == [(ROWS[one["left"]], ROWS[one["right"]], one["distance"]) for one in expected]


def test_duplicates_are_those_of_ilk(connection: Any) -> None:
    found = connection.sql("FROM duplicates('docs', 'body')").fetchall()
    dropped = [id for id, _, _, _, verdict, _ in found if verdict != "keeper"]
    assert dropped == [row for row, stays in enumerate(KEPT) if not stays]
    assert all(KEPT[keeper] for _, _, _, keeper, _, _ in found)
    kept = connection.sql(
        "SELECT id FROM docs ANTI JOIN (FROM duplicates('docs', 'body') WHERE verdict <> 'keeper') "
        "USING (id) ORDER BY id"
    ).fetchall()
    assert [row for (row,) in kept] == [row for row, stays in enumerate(KEPT) if stays]


def test_duplicates_take_a_resemblance(connection: Any) -> None:
    ((count,),) = connection.sql(
        "SELECT count(*) FROM duplicates('docs', 'body', id := 'name', resemblance := 1.0) "
        "WHERE verdict <> 'keeper'"
    ).fetchall()
    expected = ilk.deduplicate(TEXTS, resemblance=1.0)
    assert count == len(expected.dropped_rows) < KEPT.count(False)


def test_lists_of_groups_and_tables_without_rows(connection: Any) -> None:
    connection.execute("CREATE TABLE empty AS FROM docs LIMIT 0")
    assert connection.sql("FROM duplicates('empty', 'body')").fetchall() == []
    assert connection.sql("FROM near_pairs('empty', 'fp', 3)").fetchall() == []
    found = connection.sql(
        "SELECT id % 2, ilk_duplicates(list(body ORDER BY id), 0.8) FROM docs GROUP BY 1 ORDER BY 1"
    ).fetchall()
    for half, members in found:
        expected = ilk.deduplicate(TEXTS[half::2]).clusters["doc"].to_pylist()
        assert [member["row"] for member in members] == sorted(expected)


@given(
    st.lists(st.integers(-(1 << 63), (1 << 63) - 1) | st.none(), max_size=30), st.integers(0, 64)
)
def test_pairs_of_any_list_are_those_of_ilk(fingerprints: list[int | None], radius: int) -> None:
    ((found,),) = (
        _shared()
        .execute("SELECT ilk_pairs(?::BIGINT[], ?::INTEGER)", [fingerprints, radius])
        .fetchall()
    )
    column = pa.array(fingerprints, pa.int64())
    assert found == ilk.hamming.pairs(column, radius).to_pylist()


@cache
def _shared() -> Any:
    opened = duckdb.connect()
    ilk_sources.duckdb.register(opened)
    return opened


def test_registering_again_takes_another_recipe(connection: Any) -> None:
    recipe = SIMILARITY_INDEX
    ilk_sources.duckdb.register(connection, recipe)
    found = connection.sql("SELECT ilk_fingerprint(body) FROM docs ORDER BY id").fetchall()
    assert [fp for (fp,) in found] == ilk.fingerprint(TEXTS, recipe).view(pa.int64()).to_pylist()


def test_a_query_is_a_source_that_is_read_again(connection: Any, tmp_path: Path) -> None:
    connection.execute(
        f"COPY (SELECT *, id % 3 AS part FROM docs) TO '{tmp_path}/set' "
        "(FORMAT parquet, PARTITION_BY part)"
    )
    query = connection.sql(f"FROM read_parquet('{tmp_path}/set/**/*.parquet') ORDER BY id")
    out = tmp_path / "clean.parquet"
    result = ilk.deduplicate(ilk_sources.duckdb.scan(query), out, text="body", accept_alarm=True)
    assert result.keep_mask.to_pylist() == KEPT
    kept = duckdb.sql(f"SELECT id FROM '{out}' ORDER BY id").fetchall()
    assert [row for (row,) in kept] == [row for row, stays in enumerate(KEPT) if stays]


def test_what_is_wrong_is_said_in_a_line(connection: Any) -> None:
    with (
        contextlib.closing(sqlite3.connect(":memory:")) as other,
        pytest.raises(OptionError, match="must be a duckdb connection"),
    ):
        ilk_sources.duckdb.register(other)
    with pytest.raises(OptionError, match="give a relation"):
        ilk_sources.duckdb.scan("docs")
    with pytest.raises(duckdb.Error, match="resemblance"):
        connection.sql("FROM duplicates('docs', 'body', resemblance := 7.0)").fetchall()
    with pytest.raises(duckdb.Error, match="nowhere"):
        connection.sql("FROM duplicates('nowhere', 'body')").fetchall()


def test_the_command_reads_partitions_and_addresses(
    connection: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Folders are columns; what is read is never written over; errors are a line."""
    connection.execute(
        f"COPY (SELECT *, 2020 + id % 3 AS year FROM docs) TO '{tmp_path}/set' "
        "(FORMAT parquet, PARTITION_BY year)"
    )
    glob, out = f"{tmp_path}/set/year=*/*.parquet", tmp_path / "clean.parquet"
    rows = connection.sql(f"FROM read_parquet('{glob}', hive_partitioning = true)").to_arrow_table()
    options = ["--text", "body", "--keep", "max:year", "--accept-alarm", "--quiet"]
    assert cli.main(["dedup", glob, "-o", str(out), *options]) == 0
    expected = ilk.deduplicate(rows, text="body", keep="max:year").to_arrow()
    found = pq.ParquetFile(out).read()
    assert found.to_pylist() == expected.to_pylist()
    assert set(found["year"].to_pylist()) <= {2020, 2021, 2022}
    assert cli.main(["dedup", f"file://{out}", "--text", "body", "--quiet"]) == 0
    (first, *_) = sorted((tmp_path / "set" / "year=2020").iterdir())
    assert cli.main(["dedup", glob, "-o", str(first), "--force", *options]) == 2
    assert "which are never overwritten" in capsys.readouterr().err
    assert cli.main(["dedup", glob, "-o", f"{tmp_path}/out/", *options]) == 2
    assert "a query has no name" in capsys.readouterr().err
    assert cli.main(["dedup", glob, "--plan", str(tmp_path / "plan"), *options[:-1]]) == 2
    assert "read by DuckDB, cannot have a plan" in capsys.readouterr().err
    assert cli.main(["dedup", f"file://{tmp_path}/none.parquet"]) == 2
    said = capsys.readouterr().err
    assert f"file://{tmp_path}/none.parquet cannot be read by DuckDB: IO Error: No files" in said
    assert said.count("\n") == 1


def test_the_command_reads_what_a_server_has(
    connection: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        connection.execute("LOAD httpfs")
    except duckdb.Error:
        pytest.skip("DuckDB's extension httpfs is not installed")
    connection.execute(f"COPY docs TO '{tmp_path}/docs.parquet'")
    out = tmp_path / "clean.parquet"
    # In a process of its own: DuckDB waits for it without letting other threads of Python run.
    words = [sys.executable, str(Path(__file__).with_name("serving.py")), str(tmp_path)]
    options = ["--text", "body", "--accept-alarm", "--quiet"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = f"http://127.0.0.1:{int(server.stdout.readline())}"
        codes = [
            cli.main(["dedup", f"{address}/docs.parquet", "-o", str(out), *options]),
            cli.main(["dedup", f"{address}/none.parquet", *options]),
        ]
        server.terminate()
    assert codes == [0, 2]
    said = capsys.readouterr().err
    assert f"{address}/none.parquet cannot be read by DuckDB: HTTP Error" in said
    assert said.count("\n") == 1
    rows = connection.sql("FROM docs").to_arrow_table()
    assert pq.read_table(out).to_pylist() == rows.filter(pa.array(KEPT)).to_pylist()
