"""Rows of data sets, as files of every format that is read."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ilk.arrow import DOCUMENTS
from ilk.read.rows.dataset import DataSet

#: Rows that every format can hold in full: CSV knows neither null nor numbers.
ROWS = [
    {"id": "a", "text": "plain", "n": "3"},
    {"id": "b", "text": 'with "quotes", commas;\nline ends\r\nand\ttabs', "n": "1"},
    {"id": "c", "text": "漢字 😀 \u2028 é", "n": "2"},
    {"id": "a", "text": "", "n": "-7"},
    {"id": "", "text": "plain", "n": "0"},
]


def as_json_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_csv(rows: list[dict[str, Any]], **dialect: Any) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), **dialect)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_parquet(rows: list[dict[str, Any]], rows_per_group: int = 2) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out, row_group_size=rows_per_group)
    return out.getvalue()


def as_zstandard(content: bytes) -> bytes:
    return bytes(pa.compress(content, "zstd", asbytes=True))


Write = Callable[[list[dict[str, Any]]], bytes]


#: How rows are written to a file of every name that is read.
FORMATS: dict[str, Write] = {
    "rows.jsonl": as_json_lines,
    "rows.ndjson": as_json_lines,
    "rows.json": as_json_lines,
    "rows.JSONL.GZ": lambda rows: gzip.compress(as_json_lines(rows)),
    "rows.jsonl.zst": lambda rows: as_zstandard(as_json_lines(rows)),
    "rows.csv": as_csv,
    "semicolons.csv": lambda rows: as_csv(rows, delimiter=";", lineterminator="\n"),
    "quoted.csv": lambda rows: as_csv(rows, quoting=csv.QUOTE_ALL, lineterminator="\n"),
    "rows.tsv": lambda rows: as_csv(rows, delimiter="\t"),
    "rows.tab.gz": lambda rows: gzip.compress(as_csv(rows, delimiter="\t")),
    "rows.csv.zst": lambda rows: as_zstandard(as_csv(rows)),
    "rows.parquet": as_parquet,
    "rows.pq": as_parquet,
}


def documents(data_set: DataSet, rows: Any = None) -> list[dict[str, Any]]:
    """All documents of a data set; every batch is what its schema says."""
    found: list[dict[str, Any]] = []
    for batch in data_set.batches(rows):
        batch.validate(full=True)
        assert batch.schema == DOCUMENTS
        assert len(batch)
        found += batch.to_pylist()
    return found
