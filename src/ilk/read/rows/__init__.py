"""Rows of data sets: JSON lines, Parquet, CSV, archives and tables as documents, and back again.

They stream documents, then chosen documents again, and finally write the rows to keep.
"""

from __future__ import annotations

from ilk.read.rows.dataset import DataSet
from ilk.read.rows.kinds import holds_rows, reader_of
from ilk.read.rows.opening import open_any, open_rows, reopen_rows, rows_of_table
from ilk.read.rows.writing import Origin

__all__ = [
    "DataSet",
    "Origin",
    "holds_rows",
    "open_any",
    "open_rows",
    "reader_of",
    "reopen_rows",
    "rows_of_table",
]
