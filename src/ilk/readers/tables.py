"""Texts that are in memory already: lists, columns and tables of any Arrow library."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ilk import columns
from ilk.errors import ColumnTypeError
from ilk.readers.tally import Tally


def is_table(source: object) -> bool:
    """Whether the source has columns of its own."""
    if isinstance(source, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return True
    schema = getattr(source, "__arrow_c_schema__", None)
    if schema is not None and not isinstance(source, pa.Array | pa.ChunkedArray):
        return bool(pa.types.is_struct(pa.field(source).type))
    return hasattr(source, "columns") and hasattr(source, "__arrow_c_stream__")


def read_table(source: Any, tally: Tally) -> pa.Table:
    """A list or column of texts, or a table with the column ``text`` and perhaps ``id``.

    Returns:
        ``DOCUMENTS``; a document's source is ``#`` and its row number.

    Raises:
        ColumnTypeError: there is no column of texts.
    """
    ids: Any = None
    if is_table(source):
        table = source if isinstance(source, pa.Table) else pa.table(source)
        if "text" not in table.column_names:
            seen = ", ".join(table.column_names) or "none"
            raise ColumnTypeError(
                f"the table has no column named text (it has {seen}). "
                "Rename the column that holds the texts, or pass that column alone."
            )
        source = table["text"]
        if "id" in table.column_names:
            ids = table["id"].cast(pa.string())
    texts = columns.texts(source)
    rows = len(texts)
    tally.documents += rows
    arrays = {
        "doc": pa.arange(0, rows),
        "source": [f"#{row}" for row in range(rows)],
        "id": pa.nulls(rows, pa.string()) if ids is None else ids,
        "text": texts,
        "bytes_digest": pa.nulls(rows, columns.DIGEST),
        "size": pa.nulls(rows, pa.int64()),
        "modified": pa.nulls(rows, pa.timestamp("us", tz="UTC")),
    }
    return pa.table(arrays, schema=columns.DOCUMENTS)
