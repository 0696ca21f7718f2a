"""Rows that are asked for again in every pass, as those of a data set of pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import ilk
from ilk.base.errors import SourceChanged

ROWS = 2500
TABLE = pa.table(
    {
        "number": range(ROWS),
        "page": [{"text": f"a text that has the number {row // 2}"} for row in range(ROWS)],
    }
)


def test_a_data_set_of_pyarrow_is_read_as_the_table_is(tmp_path: Path) -> None:
    pq.write_table(TABLE[:1000], tmp_path / "a.parquet")
    pq.write_table(TABLE[1000:], tmp_path / "b.parquet")
    for options in ({"exact": True}, {"keep": "max:number", "exact": True}, {"resemblance": 0.99}):
        made = ilk.deduplicate(ds.dataset(tmp_path), text="page.text", **options)
        expected = ilk.deduplicate(TABLE, text="page.text", **options)
        assert made.keep_mask == expected.keep_mask
        assert made.to_arrow().equals(expected.to_arrow())
    assert len(ilk.find(ds.dataset(tmp_path), text="page.text").documents) == ROWS


class Changing:
    """A query that gives fewer rows every time."""

    schema = TABLE.schema

    def __init__(self) -> None:
        self.rows = ROWS

    def to_batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        yield from TABLE[: self.rows].select(columns).to_batches()
        self.rows -= 1


def test_other_rows_the_second_time_are_refused() -> None:
    with pytest.raises(SourceChanged, match="2,500 rows the first time, and 2,499 the second"):
        ilk.deduplicate(Changing(), text="page.text", keep="max:number")
