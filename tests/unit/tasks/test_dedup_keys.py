"""Rows with equal values in a column: only equal values are equal, in every format of rows."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ilk
from ilk.base.errors import ColumnTypeError
from ilk.tasks import plans

BIG = 2**64


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([str(BIG - 1), str(BIG - 2), str(2**63), str(BIG - 1)], [0, 1, 2]),
        ([str(BIG * BIG + 1), str(BIG * BIG), "1e400", "1e401"], [0, 1, 2, 3]),
        ([str(2**53 + 1), str(2**53), "1.5", str(2**53)], [0, 1, 2]),
        (["0.1", "0.1000000000000000055511151231257827", "0.1", "1e400", "1e500"], [0, 1, 3, 4]),
        (['"2024-01-01"', '"2024-01-01T00:00:00"', '"2024-01-01"', "null", "null"], [0, 1, 3, 4]),
        (["true", "false", "true"], [0, 1]),
    ],
)
def test_values_of_json_are_equal_if_they_are_spelled_alike(
    tmp_path: Path, values: list[str], kept: list[int]
) -> None:
    source = tmp_path / "in.jsonl"
    lines = (f'{{"key": {value}, "at": {at}}}\n' for at, value in enumerate(values))
    source.write_text("".join(lines))
    result = ilk.deduplicate(source, key="key")
    result.write(tmp_path / "out.jsonl")
    rows = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert [row["at"] for row in rows] == kept


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        (["01234", "1234", "01234"], [0, 1]),
        (["1E3", "1000", "1000.0", "1E3"], [0, 1, 2]),
        (["nan", "NaN", "", "", "nan"], [0, 1, 2, 3]),
        ([str(BIG - 1), str(BIG - 2)], [0, 1]),
        (["2024-01-01", "2024-01-01 00:00:00", "2024-01-01"], [0, 1]),
    ],
)
def test_fields_of_csv_are_equal_if_they_are_spelled_alike(
    tmp_path: Path, values: list[str], kept: list[int]
) -> None:
    source = tmp_path / "in.csv"
    source.write_text("key,at\n" + "".join(f"{each},{at}\n" for at, each in enumerate(values)))
    result = ilk.deduplicate(source, key="key")
    result.write(tmp_path / "out.csv")
    rows = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert [int(row.split(",")[1]) for row in rows] == kept


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64(), pa.float64(), pa.timestamp("ns")])
def test_keys_of_parquet_and_tables_may_be_of_any_type_that_has_a_spelling(
    tmp_path: Path, kind: pa.DataType
) -> None:
    table = pa.table({"key": pa.array([7, 8, 7, None, None]).cast(kind), "at": range(5)})
    pq.write_table(table, tmp_path / "in.parquet")
    for source in (tmp_path / "in.parquet", table):
        assert ilk.deduplicate(source, key="key").to_arrow()["at"].to_pylist() == [0, 1, 3, 4]


def test_a_plan_by_key_is_carried_out(tmp_path: Path) -> None:
    pq.write_table(pa.table({"key": [7, 7, 8]}), tmp_path / "in.parquet")
    plans.save(ilk.deduplicate(tmp_path / "in.parquet", key="key"), tmp_path / "plan")
    plans.apply(tmp_path / "plan", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["key"].to_pylist() == [7, 8]


def test_a_column_of_lists_cannot_be_a_key() -> None:
    with pytest.raises(ColumnTypeError, match="key is of type list"):
        ilk.deduplicate(pa.table({"key": [["a"], ["a"]]}), key="key")
