"""The texts of a data set as a column that is read again each time, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from ilk.read.rows.dataset import DataSet


class RowTexts:
    """The texts of all rows, or of some, with null for the others; ``columns.Texts``."""

    def __init__(self, data_set: DataSet, rows: pa.BooleanArray | None = None) -> None:
        """Read nothing yet; ``rows`` are Booleans for the texts to read, None for all."""
        self._data_set, self._rows = data_set, rows

    def __len__(self) -> int:
        """Return the number of rows."""
        return self._data_set.rows()

    @property
    def chunks(self) -> Iterator[pa.Array]:
        """The texts in order, read on demand."""
        begin = 0
        for batch in self._data_set.batches(self._rows):
            docs, texts = batch.column("doc"), batch.column("text")
            end = docs[-1].as_py() + 1
            if len(docs) < end - begin:  # Others in between are null.
                texts = texts.take(pc.index_in(pa.arange(begin, end), value_set=docs))
            yield texts
            begin = end
        if begin < len(self):
            yield pa.nulls(len(self) - begin, pa.large_string())

    def only(self, rows: pa.BooleanArray) -> RowTexts:
        """Read only some of these texts."""
        rows = rows if self._rows is None else pc.and_(self._rows, rows)
        return RowTexts(self._data_set, rows)
