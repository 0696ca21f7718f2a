"""Tables in memory, of any Arrow library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO, Any

import pyarrow as pa

from ilk.errors import ColumnTypeError
from ilk.readers.rows.arrow import ArrowRows, Batch
from ilk.readers.rows.chosen import Chosen
from ilk.readers.rows.schemas import without_views
from ilk.readers.rows.signature import Signature, digest
from ilk.readers.rows.sources import Names
from ilk.writers.rows import ParquetWriter


class MemoryTable:
    """A table. A ``Store``."""

    form = "a table"

    def __init__(self, table: pa.Table) -> None:
        """Copy nothing but codes of strings that are views, which Parquet does not take."""
        schema = pa.schema([_field(field) for field in table.schema], table.schema.metadata)
        table = table if schema == table.schema else table.cast(schema)
        self.schema, self.count, self.size = table.schema, len(table), int(table.nbytes)
        self._table = table

    def batches(self, names: list[str] | None, wanted: Chosen) -> Iterator[Batch]:
        """All rows with all columns: nothing is gained by less."""
        del names, wanted
        first = 0
        for batch in self._table.to_batches():
            yield Batch(first, batch)
            first += len(batch)

    def writer(self, out: IO[bytes], schema: pa.Schema) -> ParquetWriter:
        """What writes tables of that schema."""
        return ParquetWriter(out, schema)

    def signature(self) -> Signature:
        """Size, and a digest of the rows, chunk by chunk."""
        contents = (batch.serialize().to_pybytes() for batch in self._table.to_batches())
        return Signature("", self.size, None, digest(contents))


def _field(field: pa.Field) -> pa.Field:
    kind = field.type
    if not pa.types.is_dictionary(kind):
        return field
    strings = without_views(kind.value_type)
    return field.with_type(pa.dictionary(kind.index_type, strings, kind.ordered))


def memory(values: Any, names: Names) -> ArrowRows:
    """The rows of a table of any Arrow library; a stream, which can be read but once, is kept.

    Raises:
        ColumnTypeError: it is no table, or has not the columns that are to be read.
    """
    return ArrowRows("", MemoryTable(to_table(values)), names)


def is_table(values: object) -> bool:
    """Whether something has columns of its own."""
    if isinstance(values, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return True
    schema = getattr(values, "__arrow_c_schema__", None)
    if schema is not None and not isinstance(values, pa.Array | pa.ChunkedArray):
        return bool(pa.types.is_struct(pa.field(values).type))
    streams = hasattr(values, "columns") and hasattr(values, "__arrow_c_stream__")
    return streams or _is_data_set(values)


def _is_data_set(values: object) -> bool:
    """Whether something is a data set of Hugging Face, which has no capsule."""
    indexed = hasattr(values, "with_format") and hasattr(values, "__getitem__")
    return indexed and not isinstance(values, Mapping)


def to_table(values: Any) -> pa.Table:
    """Something that has columns as a table of Arrow's, not copied where that can be.

    Raises:
        ColumnTypeError: it has none, or none that can be read twice.
    """
    if isinstance(values, pa.Table):
        return values
    if isinstance(values, pa.RecordBatchReader):
        return values.read_all()
    if _is_data_set(values):
        values = values.with_format("arrow")[:]  # In its order, without what it filtered out.
    if not is_table(values):
        raise ColumnTypeError(
            f"expected a table, got {type(values).__name__}. Give something with the Arrow "
            "PyCapsule interface (pyarrow, Polars, pandas, DuckDB), or the path of a file."
        )
    return pa.table(values)
