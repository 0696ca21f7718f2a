"""Rows of data sets: the same documents whatever file they stand in, and back again unchanged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ilk
from ilk.arrow import DOCUMENTS
from ilk.base.errors import ColumnTypeError, SourceChanged
from ilk.base.run_options import Running
from ilk.read import Reading
from ilk.read.rows.opening import open_rows, open_table_or_scan
from ilk.read.rows.sources import Signature
from tests.support.rows import FORMATS, ROWS, documents


@pytest.fixture(params=FORMATS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of those rows, of every format."""
    made = tmp_path / str(request.param)
    made.write_bytes(FORMATS[request.param](ROWS))
    return made


def said(row: int, source: str) -> dict[str, Any]:
    """A row as a document."""
    nothing = dict.fromkeys(
        name for name in DOCUMENTS.names if name not in ("doc", "source", "id", "text")
    )
    here = {"doc": row, "source": f"{source}#{row}", "id": ROWS[row]["id"]}
    return {**here, "text": ROWS[row]["text"], **nothing}


def test_every_format_gives_the_same_documents(path: Path) -> None:
    data_set = open_rows(path)
    assert documents(data_set) == [said(row, str(path)) for row in range(len(ROWS))]
    assert data_set.count_rows() == len(ROWS)
    counts = {"rows": 5, "with_text": 5, "missing": 0, "null": 0, "other": 0}
    expected = {"sources": 1, "bytes": path.stat().st_size, **counts, "rejected": 0, "replaced": 0}
    assert data_set.counts_and_failures_reading_if_unread() == {
        **expected,
        "same_ids": 1,
        "failures": [],
    }
    assert data_set.rows_with_earlier_id.to_pylist() == [{"doc": 3, "first": 0}]
    assert list(data_set.read_rejected_rows()) == []


def test_chosen_rows_are_read_again(path: Path) -> None:
    data_set = open_rows(path)
    for rows in ([], [0], [4], [1, 2], [0, 1, 2, 3, 4]):
        truth = pa.array([row in rows for row in range(len(ROWS))])
        for named in (rows, pa.array(rows, pa.int32()), truth, pa.chunked_array([truth])):
            assert documents(data_set, named) == [said(row, str(path)) for row in rows]
            assert data_set.texts(named).to_pylist() == [ROWS[row]["text"] for row in rows]


def test_a_second_pass_is_the_first_once_more(path: Path) -> None:
    data_set = open_rows(path)
    assert documents(data_set) == documents(data_set)
    assert data_set.counts.rows == len(ROWS)
    assert len(data_set.rows_with_earlier_id) == 1


def test_other_columns_have_a_type_that_fits(path: Path) -> None:
    data_set = open_rows(path)
    numbers = data_set.read_column("n").cast(pa.int64()).to_pylist()
    assert numbers == [3, 1, 2, -7, 0]
    assert data_set.read_column("text").to_pylist() == [
        # A field of CSV has no kind, so what is empty is nothing.
        row["text"] or (None if path.name.endswith(CSV_ENDINGS) else "")
        for row in ROWS
    ]
    with pytest.raises(ColumnTypeError, match="nonsense"):
        data_set.read_column("nonsense")


def test_a_column_of_nulls_has_no_type(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a", "n": null}\n{"text": "b"}\n')
    column = open_rows(tmp_path / "a.jsonl").read_column("n")
    assert column.to_pylist() == [None, None]
    assert pa.types.is_null(column.type)


CSV_ENDINGS = ("csv", "tsv", "csv.zst", "tab.gz")


def test_a_name_that_no_row_has_is_refused(path: Path) -> None:
    with pytest.raises(ColumnTypeError, match="body.* with `text`"):
        open_rows(path, Reading.of(text="body")).count_rows()
    with pytest.raises(ColumnTypeError, match="key.* with `id`"):
        open_rows(path, Reading.of(id="key")).count_rows()


def test_several_columns_are_put_together(path: Path) -> None:
    data_set = open_rows(path, Reading.of(text=["n", "text"], id="n"))
    found = documents(data_set)
    assert [row["text"] for row in found] == [f"{row['n']}\n\n{row['text']}" for row in ROWS]
    assert [row["id"] for row in found] == [row["n"] for row in ROWS]
    assert len(data_set.rows_with_earlier_id) == 0


def test_progress_is_told_in_bytes_and_never_goes_back(path: Path) -> None:
    told: list[tuple[str, int, int | None]] = []

    def progress(step: str, done: int, total: int | None = None, size: int = 0) -> None:
        assert size == done
        told.append((step, done, total))

    data_set = open_rows(path, running=Running(1, 0, progress))
    data_set.texts([1])
    size = path.stat().st_size
    for step in ("read", "read again"):
        done = [entry for entry in told if entry[0] == step]
        assert [at for _, at, _ in done] == sorted(at for _, at, _ in done)
        assert done[-1] == (step, size, size)


def test_a_signature_tells_one_content_from_another(path: Path) -> None:
    (before,) = open_rows(path).read_signatures()
    assert isinstance(before, Signature)
    assert (before.source, before.size) == (str(path), path.stat().st_size)
    assert open_rows(path).read_signatures() == [before]
    path.write_bytes(FORMATS[path.name]([*ROWS[:4], {**ROWS[4], "n": "1"}]))
    (after,) = open_rows(path).read_signatures()
    assert after.digest != before.digest


def test_a_file_that_has_changed_is_not_read_on(path: Path, tmp_path: Path) -> None:
    data_set = open_rows(path)
    data_set.count_rows()
    path.write_bytes(FORMATS[path.name](ROWS[:4]))
    for call in (
        lambda: data_set.texts([0]),
        lambda: data_set.read_column("n"),
        lambda: data_set.write([0], tmp_path / f"kept-{path.name}"),
        data_set.read_signatures,
    ):
        with pytest.raises(SourceChanged, match="has changed since"):
            call()


ARROW: dict[str, Callable[[pa.Table], Any]] = {
    "table": lambda table: table,
    "batch": lambda table: table.combine_chunks().to_batches()[0],
    "stream": lambda table: table.to_reader(max_chunksize=2),
    "capsule": lambda table: Capsule(table),
}


class Capsule:
    """A table of some other library, known by its capsule alone."""

    def __init__(self, table: pa.Table) -> None:
        self.columns = table.column_names
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("kind", ARROW)
def test_a_table_of_any_library_gives_the_same_documents(kind: str) -> None:
    data_set = open_table_or_scan(ARROW[kind](pa.Table.from_pylist(ROWS)))
    assert documents(data_set) == [said(row, "") for row in range(len(ROWS))]
    assert documents(data_set, [1, 4]) == [said(row, "") for row in (1, 4)]
    assert data_set.rows_with_earlier_id.to_pylist() == [{"doc": 3, "first": 0}]
    (one,), (other,) = (
        data_set.read_signatures(),
        open_table_or_scan(pa.table({"text": ["a"]})).read_signatures(),
    )
    assert one.digest != other.digest


def test_a_table_of_views_and_codes_is_read_and_written(tmp_path: Path) -> None:
    """Polars gives such tables; pyarrow cannot pick rows out of them, nor write all of them."""
    view = pa.string_view()
    lists = pa.array([["a"], ["b", None], None], pa.large_list(view))
    codes = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0], pa.uint32()), pa.array(["x", "y"], view)
    )
    texts = pa.array(["one", None, "three"], view)
    inner = pa.StructArray.from_arrays([texts], ["text"])
    columns = {"text": texts, "inner": inner, "lists": lists, "codes": codes}
    data_set = open_table_or_scan(pa.table({**columns, "bytes": texts.cast(pa.binary_view())}))
    assert data_set.texts([0, 1]).to_pylist() == ["one", None]
    assert data_set.write([0, 2], tmp_path / "out.parquet") == 2
    kept = pq.read_table(tmp_path / "out.parquet")
    assert kept.schema.field("text").type == view
    assert kept.to_pylist() == [
        {"text": "one", "inner": {"text": "one"}, "lists": ["a"], "codes": "x", "bytes": b"one"},
        {
            "text": "three",
            "inner": {"text": "three"},
            "lists": None,
            "codes": "x",
            "bytes": b"three",
        },
    ]
    again = open_rows(tmp_path / "out.parquet", Reading.of(text="inner.text"))
    assert again.write([1], tmp_path / "again.parquet") == 1
    assert pq.read_table(tmp_path / "again.parquet").equals(kept.slice(1))


class DataSet:
    """What a data set of Hugging Face has of its interface, and no capsule."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def with_format(self, kind: str) -> DataSet:
        assert kind == "arrow"
        return self

    def __getitem__(self, rows: slice) -> pa.Table:
        return self._table[rows]


def test_a_data_set_without_a_capsule_is_read() -> None:
    data_set = open_table_or_scan(DataSet(pa.Table.from_pylist(ROWS)))
    assert documents(data_set) == [said(row, "") for row in range(len(ROWS))]


@pytest.mark.parametrize("values", [[1, 2], "text", 3, pa.array(["text"])])
def test_what_is_no_table_is_refused(values: Any) -> None:
    with pytest.raises(ColumnTypeError, match="expected a table"):
        open_table_or_scan(values)


def test_ids_that_utf8_cannot_encode_are_escaped() -> None:
    text = "a text that two ids have, of nine words"
    [family] = ilk.find({"\ud800": text, "b": text}).families
    assert [member.id for member in family.members] == ["\\ud800", "b"]
