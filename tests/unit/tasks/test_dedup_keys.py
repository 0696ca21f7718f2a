"""Rows with equal values in a column: only equal values are equal, in every format of rows."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import ilk
from ilk.base.errors import ColumnTypeError, OptionError
from ilk.tasks import row_plan

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
    row_plan.save_plan(ilk.deduplicate(tmp_path / "in.parquet", key="key"), tmp_path / "plan")
    row_plan.apply_rows_only_plan_and_count_rows(tmp_path / "plan", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet")["key"].to_pylist() == [7, 8]


def test_a_column_of_lists_cannot_be_a_key() -> None:
    with pytest.raises(ColumnTypeError, match="key is of type list"):
        ilk.deduplicate(pa.table({"key": [["a"], ["a"]]}), key="key")


#: Rows of two columns; the rows that stay if both must be equal are those marked.
PAIRS = [
    ("de", "2024", True),
    ("de", "2025", True),
    ("fr", "2024", True),
    ("de", "2024", False),
    ("de2", "024", True),  # Equal only if the columns are joined.
    ("de", "", True),
    ("de", "", True),
    ("", "2024", True),
    ("", "2024", True),
    ("fr", "2024", False),
]


def written_rows(folder: Path, form: str, columns: Mapping[str, Sequence[str | None]]) -> Path:
    """Write a table in a format of rows; a null of CSV is an empty field."""
    table = pa.table(columns)
    path = folder / f"in.{form}"
    if form == "parquet":
        pq.write_table(table, path)
    elif form == "csv":
        rows = zip(*columns.values(), strict=True)
        lines = [",".join(columns), *(",".join(value or "" for value in row) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    else:
        lines = [json.dumps(row) for row in table.to_pylist()]
        path.write_text("[" + ",\n".join(lines) + "]" if form == "json" else "\n".join(lines))
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "parquet"])
@pytest.mark.parametrize("null", [False, True])
def test_several_keys_are_equal_only_if_all_of_them_are(
    tmp_path: Path, form: str, null: bool
) -> None:
    missing = None if null else ""
    columns: dict[str, list[str | None]] = {
        "at": [str(at) for at in range(len(PAIRS))],
        "lang": [lang or missing for lang, _, _ in PAIRS],
        "date": [date or missing for _, date, _ in PAIRS],
    }
    source = written_rows(tmp_path, form, columns)
    found = ilk.deduplicate(source, key=["lang", "date"])
    stays = [at for at, (*_, stay) in enumerate(PAIRS) if stay]
    assert pc.indices_nonzero(found.keep_mask).to_pylist() == stays
    assert found.report["options"]["key"] == ["lang", "date"]
    assert found.report["without_key"] == 4
    table = pa.table(columns)
    assert ilk.deduplicate(table, key=("lang", "date")).to_arrow()["at"].to_pylist() == [
        str(at) for at in stays
    ]


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "parquet"])
def test_an_empty_key_is_no_key_in_any_format(tmp_path: Path, form: str) -> None:
    columns: dict[str, list[str | None]] = {"url": ["", "a", "", None, "a", None], "n": ["1"] * 6}
    found = ilk.deduplicate(written_rows(tmp_path, form, columns), key="url")
    assert found.dropped_rows["doc"].to_pylist() == [4]
    assert found.report["without_key"] == 4
    assert found.report["options"]["key"] == ["url"]


def test_a_plan_by_several_keys_is_carried_out(tmp_path: Path) -> None:
    source = written_rows(tmp_path, "jsonl", {"a": ["1", "1", "1"], "b": ["2", "3", "2"]})
    row_plan.save_plan(ilk.deduplicate(source, key=["a", "b"]), tmp_path / "plan")
    row_plan.apply_rows_only_plan_and_count_rows(tmp_path / "plan", tmp_path / "out.jsonl")
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize("key", [[], ["a", "a"], ["a", 5]])
def test_keys_that_mean_nothing_are_refused(key: list[str]) -> None:
    with pytest.raises(OptionError, match="key"):
        ilk.deduplicate(pa.table({"a": ["1", "1"]}), key=key)


def test_a_key_that_is_missing_beside_others_is_refused(tmp_path: Path) -> None:
    source = written_rows(tmp_path, "jsonl", {"a": ["1", "1"]})
    with pytest.raises(ColumnTypeError, match="no row has the column b"):
        ilk.deduplicate(source, key=["a", "b"])
