"""Streams of texts: record batches, with one batch in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from ilk.arrow.strings import Chunks, Passing, imported, is_text, passed, texts
from ilk.base.errors import ColumnTypeError

#: The column of texts if there are several columns.
_USUAL = "text"


def passing(values: Any, name: str | None = None) -> Chunks:
    """Return texts to read once: from record batches as they arrive, or from a column.

    Args:
        values: what ``texts`` takes, or record batches with a column of texts: a stream of them
            (``pyarrow.RecordBatchReader``, or anything whose Arrow PyCapsule stream is one), a
            single batch, a table or a data frame.
        name: the column of texts in the batches; by default ``text``, or the only column.

    Raises:
        ColumnTypeError: ``values`` is something else, there is no such column, or a name is given
            for something without columns.
    """
    batches = _batches(values)
    if batches is not None:
        return Passing(_column(batches, _chosen(batches.schema, name)))
    if name is not None:
        raise ColumnTypeError(
            f"text is {name!r}, but a {type(values).__name__} has no named columns. Leave out "
            "text, or give record batches."
        )
    column = imported(values)
    if pa.types.is_string_view(column.type):
        return Passing(passed(column))
    whole: Chunks = texts(column)
    return whole


def _batches(values: Any) -> pa.RecordBatchReader | None:
    """Return values as a stream of record batches, if they are record batches."""
    if isinstance(values, pa.RecordBatchReader):
        return values
    if isinstance(values, pa.RecordBatch):
        return pa.RecordBatchReader.from_batches(values.schema, [values])
    if isinstance(values, pa.ChunkedArray) or not hasattr(values, "__arrow_c_stream__"):
        return None
    try:
        return pa.RecordBatchReader.from_stream(values)
    except pa.ArrowInvalid:
        return None  # It is a stream of arrays: a column in pieces.


def _chosen(schema: pa.Schema, name: str | None) -> int:
    """Return the index of the column of texts."""
    if name is None:
        named = [field.name for field in schema if is_text(field.type)]
        name = named[0] if len(named) == 1 else _USUAL
    places: list[int] = schema.get_all_field_indices(name)
    if len(places) != 1 or not is_text(schema.field(places[0]).type):
        kinds = ", ".join(f"{field.name} ({field.type})" for field in schema)
        raise ColumnTypeError(
            f"expected record batches with one column of texts named {name!r}, got {kinds}. "
            "Name the column that holds the texts: text=."
        )
    return places[0]


def _column(batches: pa.RecordBatchReader, place: int) -> Iterator[pa.Array]:
    for batch in batches:
        yield from passed(batch.column(place))
