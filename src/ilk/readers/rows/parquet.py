"""Parquet: only the columns that are asked for are read, a few rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from ilk.readers.files.content import Unreadable
from ilk.readers.rows.arrow import DAMAGE, ArrowRows, Batch
from ilk.readers.rows.chosen import Chosen
from ilk.readers.rows.signature import Signature, Stamp
from ilk.readers.rows.sources import Names
from ilk.writers.rows import ParquetWriter, layout

#: Bytes of the columns read that a batch aims at: as memory is used again, small ones are the fast
#: ones. Where a column repeats itself its bytes in the file say little, so rows are bounded too.
_BATCH_BYTES = 4 << 20
_BATCH_ROWS = 4096

#: Bytes of a column that are read ahead.
_AHEAD = 1 << 20


class ParquetFile:
    """A file of that format. A ``Store``."""

    form = "Parquet"

    def __init__(self, name: str, path: str) -> None:
        """Read the footer.

        Raises:
            OSError: there is no such file.
            Unreadable: it is no Parquet.
        """
        self._path, self._stamp = path, Stamp(name, path)
        try:
            with self._opened() as file:
                self.schema, self._metadata = file.schema_arrow, file.metadata
                self._layout = layout(file.metadata)
                str(self.schema)  # Names that are no UTF-8 are an error here, and not later.
        except DAMAGE as error:
            raise Unreadable(f"is no Parquet: {error}") from error
        self.size, self.count = self._stamp.size, self._metadata.num_rows

    def batches(self, names: list[str] | None, wanted: Chosen) -> Iterator[Batch]:
        """The groups of rows that hold a wanted one."""
        first = 0
        with self._opened() as file:
            for group in range(self._metadata.num_row_groups):
                count = self._metadata.row_group(group).num_rows
                if wanted(first, count) is not None:
                    at = first
                    rows = self._batch_rows(group, names)
                    for batch in file.iter_batches(rows, [group], names, use_threads=False):
                        yield Batch(at, batch)
                        at += len(batch)
                    if at - first != count:
                        told = f"group {group} has {at - first} rows, and {count} are announced"
                        raise pa.ArrowInvalid(told)
                first += count

    def _batch_rows(self, group: int, names: list[str] | None) -> int:
        """How many rows make a batch."""
        told = self._metadata.row_group(group)
        chunks = (told.column(at) for at in range(told.num_columns))
        size: int = sum(
            chunk.total_uncompressed_size
            for chunk in chunks
            if names is None or chunk.path_in_schema in names
        )
        wanted: int = _BATCH_BYTES * told.num_rows // max(1, size)
        return max(1, min(_BATCH_ROWS, wanted))

    def writer(self, out: IO[bytes], schema: pa.Schema) -> ParquetWriter:
        """What writes files like this one, of that schema."""
        return ParquetWriter(out, schema, self._layout)

    def signature(self) -> Signature:
        """Size, last change, and a digest of the file's bytes."""
        return self._stamp.signature()

    def _opened(self) -> pq.ParquetFile:
        """The file, if it is still the same."""
        self._stamp.check()
        return pq.ParquetFile(self._path, pre_buffer=False, buffer_size=_AHEAD)


def parquet(name: str, path: str, names: Names) -> ArrowRows:
    """The rows of a Parquet file.

    Raises:
        OSError: there is no such file.
        Unreadable: it is no Parquet.
        ColumnTypeError: it has not the columns that are to be read.
    """
    return ArrowRows(name, ParquetFile(name, path), names)
