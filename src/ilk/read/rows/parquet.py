"""Parquet: only the needed columns are read, a few rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from ilk.base.errors import SourceDamaged
from ilk.read.files.content import Unreadable
from ilk.read.rows.arrow import ArrowRows
from ilk.read.rows.sources import Chosen, Names, Stamp
from ilk.read.rows.writing import Layout, ParquetWriter, layout

#: Target bytes of the columns in a batch: small ones are fast, since memory is reused. For a
#: repetitive column, its bytes in the file mean little, so rows are limited too.
_BATCH_BYTES = 4 << 20
_BATCH_ROWS = 4096

#: Bytes of a column to read ahead.
_AHEAD = 1 << 20

#: What pyarrow raises for nonsensical data; names may be invalid UTF-8.
_DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError)


class ParquetRows(ArrowRows):
    """The rows of a Parquet file."""

    form = "Parquet"

    def __init__(self, name: str, path: str, names: Names) -> None:
        """Read the footer; Unreadable if it is not Parquet."""
        self._path, self._stamp = path, Stamp(name, path)
        try:
            with self._opened() as file:
                schema, self._metadata = file.schema_arrow, file.metadata
                str(schema)  # Names that are not UTF-8 are an error here, and not later.
        except _DAMAGE as error:
            raise Unreadable(f"is not Parquet: {error}") from error
        super().__init__(name, self._stamp.size, schema, names)
        self._end = self._metadata.num_rows

    def _batches(
        self, names: list[str] | None, wanted: Chosen
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        first = held = read = 0
        try:
            with self._opened() as file:
                for group in range(self._metadata.num_row_groups):
                    described = self._metadata.row_group(group)
                    count = described.num_rows
                    if wanted(first, count) is not None:
                        at = first
                        # Nonsensical metadata of a single column would crash the process
                        # (``described.column``): so the size of a row is that in all columns, and
                        # later that of the rows before.
                        size = held // read if read else described.total_byte_size // max(1, count)
                        rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(1, size)))
                        for batch in file.iter_batches(rows, [group], names, use_threads=False):
                            yield at, batch
                            at += len(batch)
                            held += batch.nbytes
                        read += count
                        if at - first != count:
                            raise pa.ArrowInvalid(
                                f"group {group} has {at - first} rows, but announces {count}"
                            )
                    first += count
        except _DAMAGE as error:
            raise self._damaged(error) from error

    def _layout(self) -> Layout:
        """Return the layout of rows in the file; SourceDamaged if it is nonsensical."""
        try:
            with self._opened() as file:
                # Nonsense is an error here, but would crash the process in ``layout``.
                for group in range(min(1, self._metadata.num_row_groups)):
                    next(file.iter_batches(1, [group]), None)
        except _DAMAGE as error:
            raise self._damaged(error) from error
        return layout(self._metadata)

    def _damaged(self, error: BaseException) -> SourceDamaged:
        return SourceDamaged(f"{self.name} is damaged ({error}); leave it out, or write it again.")

    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> ParquetWriter:
        del name
        return ParquetWriter(out, self._noted(notes or ()), self._layout())

    def _opened(self) -> pq.ParquetFile:
        self._stamp.check()
        return pq.ParquetFile(self._path, pre_buffer=False, buffer_size=_AHEAD)
