"""Captures that are kept, written as the name of the file says: as records, or as rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import IO, Any, NamedTuple

import pyarrow as pa

from ilk.columns import flat
from ilk.errors import SourceDamaged
from ilk.readers.rows.kinds import JSON_LINES, PARQUET
from ilk.readers.rows.sources import Writer
from ilk.readers.rows.streams import bare
from ilk.readers.warc.copying import Copier
from ilk.writers.rows import BytesWriter, ParquetWriter


class Kept(NamedTuple):
    """Captures of an archive that are kept.

    name: of the archive.
    rows: gives them as rows, with their numbers.
    copy: copies their records, and those that belong to them.
    notes: columns to put behind those of the rows.
    """

    name: str
    rows: Callable[[], Iterator[tuple[pa.Int64Array, pa.RecordBatch]]]
    copy: Callable[[Copier], None]
    notes: pa.Table | None

    def noted(self) -> Iterator[pa.RecordBatch]:
        """The rows, with their notes behind."""
        for rows, batch in self.rows():
            if self.notes is None:
                yield batch
            else:
                own = self.notes.take(rows)
                names, columns = own.column_names, [flat(column) for column in own.columns]
                yield pa.RecordBatch.from_arrays(
                    [*batch.columns, *columns], names=[*batch.schema.names, *names]
                )


class _Records:
    """Writes records."""

    def __init__(self, out: IO[bytes], name: str) -> None:
        self._copier = Copier(out, name)

    def write(self, rows: Kept) -> None:
        """Copy them.

        Raises:
            SourceDamaged: they cannot be read any more as they were read before.
        """
        try:
            rows.copy(self._copier)
        except EOFError as error:
            raise SourceDamaged(f"{rows.name} {error}; run again.") from error

    def close(self) -> None:
        """Nothing is held back."""


class _Rows:
    """Writes rows by another writer."""

    def __init__(self, to: Any, spelled: Callable[[pa.RecordBatch], Any]) -> None:
        self._to, self._spelled = to, spelled

    def write(self, rows: Kept) -> None:
        """Write them."""
        for batch in rows.noted():
            self._to.write(self._spelled(batch))

    def close(self) -> None:
        """Write what is held back."""
        self._to.close()


def writer(out: IO[bytes], name: str, schema: pa.Schema, notes: pa.Schema | None) -> Writer:
    """What writes captures to a file of this name.

    Args:
        out: the file.
        name: what it is called.
        schema: of captures as rows.
        notes: columns that are put behind those.
    """
    _, kind = bare(name)
    if kind in PARQUET:
        fields = [*schema, *(notes or ())]
        return _Rows(ParquetWriter(out, pa.schema(fields)), lambda batch: batch)
    if kind in JSON_LINES:
        return _Rows(BytesWriter(out, name, b""), _lines)
    return _Records(out, name)


def _lines(batch: pa.RecordBatch) -> bytes:
    lines = (json.dumps(row, ensure_ascii=False, default=_time) for row in batch.to_pylist())
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _time(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")
