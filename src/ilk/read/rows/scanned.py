"""The rows of a query that runs for every pass, with no more than a batch of them in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import SourceChanged
from ilk.read.rows.arrow import ArrowRows
from ilk.read.rows.chosen import Chosen, everything
from ilk.read.rows.signature import Signature, digest
from ilk.read.rows.sources import Names

#: More rows than possible.
_ENDLESS = 1 << 62


def is_scan(values: object) -> bool:
    """Return whether something can return its rows repeatedly, like a pyarrow data set.

    It has an Arrow ``schema``, and ``to_batches(columns=[...])``.
    """
    if isinstance(values, pa.Table | pa.RecordBatch):
        return False
    return isinstance(getattr(values, "schema", None), pa.Schema) and hasattr(values, "to_batches")


class ScannedRows(ArrowRows):
    """The rows of a query, in the same order every time."""

    form = "a query"

    def __init__(self, scan: Any, names: Names, name: str = "") -> None:
        """Run nothing yet; ColumnTypeError if it lacks a column to read."""
        super().__init__(name, 0, scan.schema, names)
        self._scan, self._rows, self._end = scan, -1, _ENDLESS

    def _batches(
        self, names: list[str] | None, wanted: Chosen
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield all rows; SourceChanged if there are more or fewer than before."""
        del wanted
        first = 0
        for batch in self._scan.to_batches(columns=self._columns(names)):
            for start in range(0, len(batch), arrow.VIEWED):
                piece = batch.slice(start, arrow.VIEWED)
                yield first, piece
                first += len(piece)
        if self._rows not in (-1, first):
            raise SourceChanged(
                f"the query gave {self._rows:,} rows the first time, and {first:,} the second; "
                "give a query that always gives the same rows in the same order."
            )
        self._rows = first

    def _columns(self, names: list[str] | None) -> list[str]:
        """Return the columns to read: those with named fields, or all."""
        if names is None:
            return list(self.schema.names)
        return [
            name
            for name in self.schema.names
            if any(read == name or read.startswith(name + ".") for read in names)
        ]

    def signature(self) -> Signature:
        """Return a digest of the rows, batch by batch."""
        contents = (batch.serialize().to_pybytes() for _, batch in self._batches(None, everything))
        return Signature("", 0, None, digest(contents))
