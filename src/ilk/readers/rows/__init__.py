"""Rows of data sets: JSON lines, Parquet, CSV, archives and tables as documents, and back again.

They stream documents, then chosen documents again, and finally write the rows to keep.
"""

from __future__ import annotations

from ilk.readers.rows.dataset import DataSet
from ilk.readers.rows.kinds import holds_rows, is_archive
from ilk.readers.rows.opening import open_any, open_rows, reopen_rows, rows_of_table
from ilk.readers.rows.output import Origin

__all__ = [
    "DataSet",
    "Origin",
    "holds_rows",
    "is_archive",
    "open_any",
    "open_rows",
    "reopen_rows",
    "rows_of_table",
]
