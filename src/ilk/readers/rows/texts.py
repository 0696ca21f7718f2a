"""The texts of a data set as a column that is read again each time, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from ilk.readers.rows.dataset import Records


class RowTexts:
    """The texts of all rows, or of some and null for the others. ``columns.Texts``."""

    def __init__(self, records: Records, rows: pa.BooleanArray | None = None) -> None:
        """Read nothing yet.

        Args:
            records: n rows.
            rows: n truth values, which texts are read; None reads all.
        """
        self._records, self._rows = records, rows

    def __len__(self) -> int:
        """The number of rows."""
        return self._records.rows()

    @property
    def chunks(self) -> Iterator[pa.Array]:
        """The texts in order, read while they are asked for."""
        begin = 0
        for batch in self._records.batches(self._rows):
            docs = batch.column("doc")
            end = docs[-1].as_py() + 1
            yield _spread(docs, batch.column("text"), begin, end)
            begin = end
        if begin < len(self):
            yield pa.nulls(len(self) - begin, pa.large_string())

    def only(self, rows: pa.BooleanArray) -> RowTexts:
        """The texts of which only some are read."""
        return RowTexts(self._records, rows if self._rows is None else pc.and_(self._rows, rows))


def _spread(docs: pa.Array, texts: pa.Array, begin: int, end: int) -> pa.Array:
    """The texts of some documents as those of all from ``begin`` to ``end``, null elsewhere."""
    if len(docs) == end - begin:
        return texts
    return texts.take(pc.index_in(pa.arange(begin, end), value_set=docs))
