"""Tables in memory, of any Arrow library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import ColumnTypeError
from ilk.read.rows.arrow import ArrowRows
from ilk.read.rows.chosen import Chosen
from ilk.read.rows.schemas import without_views
from ilk.read.rows.signature import Signature, digest
from ilk.read.rows.sources import Names


class TableRows(ArrowRows):
    """The rows of a table of any Arrow library; a stream, which can be read only once, is kept."""

    form = "a table"

    def __init__(self, values: Any, names: Names) -> None:
        """Copy only codes of strings that are views, which Parquet does not accept.

        Raises:
            ColumnTypeError: it is not a table, or lacks a column to read.
        """
        table = to_table(values)
        kinds = (
            without_views(field.type) if pa.types.is_dictionary(field.type) else field.type
            for field in table.schema
        )
        fields = map(pa.Field.with_type, table.schema, kinds)
        schema = pa.schema(fields, table.schema.metadata)
        self._table = table if schema == table.schema else table.cast(schema)
        super().__init__("", self._table.get_total_buffer_size(), schema, names)
        self._end = len(table)

    def _batches(
        self, names: list[str] | None, wanted: Chosen
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield all rows with all columns: fewer would not be faster, unless they are copied."""
        del names, wanted
        first = 0
        viewed = any(pa.types.is_string_view(field.type) for field in self.schema)
        for batch in self._table.to_batches(arrow.VIEWED if viewed else None):
            yield first, batch
            first += len(batch)

    def signature(self) -> Signature:
        """Return size, and a digest of the rows, chunk by chunk."""
        contents = (batch.serialize().to_pybytes() for batch in self._table.to_batches())
        return Signature("", self.size, None, digest(contents))


def is_table(values: object) -> bool:
    """Return whether something has columns of its own."""
    if isinstance(values, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return True
    schema = getattr(values, "__arrow_c_schema__", None)
    if schema is not None and not isinstance(values, pa.Array | pa.ChunkedArray):
        return bool(pa.types.is_struct(pa.field(values).type))
    streams = hasattr(values, "columns") and hasattr(values, "__arrow_c_stream__")
    return streams or _is_hugging_face(values)


def _is_hugging_face(values: object) -> bool:
    """Return whether something is a Hugging Face data set, which has no capsule."""
    indexed = hasattr(values, "with_format") and hasattr(values, "__getitem__")
    return indexed and not isinstance(values, Mapping)


def to_table(values: Any) -> pa.Table:
    """Return something that has columns as an Arrow table, without a copy if possible.

    Raises:
        ColumnTypeError: it has no columns, or none that can be read twice.
    """
    if isinstance(values, pa.Table):
        return values
    if isinstance(values, pa.RecordBatchReader):
        return values.read_all()
    if isinstance(values, pa.RecordBatch):
        return pa.Table.from_batches([values])  # pa.table would load pandas, to look for a frame.
    if _is_hugging_face(values):
        values = values.with_format("arrow")[:]  # In its order, without filtered rows.
    if not is_table(values):
        raise ColumnTypeError(
            f"expected a table, got {type(values).__name__}. Give something with the Arrow "
            "PyCapsule interface (pyarrow, Polars, pandas, DuckDB), or the path of a file."
        )
    return pa.table(values)
