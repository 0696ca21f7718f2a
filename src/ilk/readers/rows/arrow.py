"""Rows that are Arrow data, or are read as such: Parquet, and tables in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from ilk.columns import flat
from ilk.errors import OptionError, SourceDamaged
from ilk.readers.rows.chosen import Chosen, everything
from ilk.readers.rows.schemas import filtered, place, places, unlike, value
from ilk.readers.rows.signature import Signature
from ilk.readers.rows.sources import Counts, Kind, Names, Part, Rejected, Source, Tell, Values
from ilk.writers.rows import ParquetWriter

#: What pyarrow raises where data make no sense; names may be no UTF-8.
DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError)


class Batch(NamedTuple):
    """Rows that follow one another: the number of the first, and columns of them."""

    first: int
    columns: pa.RecordBatch


class Store(Protocol):
    """Where the rows are.

    form: what people call it. size: in bytes. schema: of all columns. count: of the rows.
    """

    form: str
    size: int
    schema: pa.Schema
    count: int

    def batches(self, names: list[str] | None, wanted: Chosen) -> Iterator[Batch]:
        """The rows with some of the columns, or all; those between may lack that are not wanted."""

    def writer(self, out: IO[bytes], schema: pa.Schema) -> ParquetWriter:
        """What writes files like this one, of that schema."""

    def signature(self) -> Signature:
        """What tells whether it has changed."""


class ArrowRows:
    """Rows of a store. A ``Source``."""

    def __init__(self, name: str, store: Store, names: Names) -> None:
        """Read nothing yet.

        Raises:
            ColumnTypeError: it has not the columns that are to be read.
        """
        self.name, self.form, self.size = name, store.form, store.size
        self.counts = Counts()
        self.failure: str | None = None
        self._store = store
        self._places = places(name, store.schema, names)

    @property
    def schema(self) -> pa.Schema:
        """Of all columns."""
        return self._store.schema

    def read(self, tell: Tell) -> Iterator[Part]:
        """All rows; where the store is damaged, those before that."""
        self.counts = counts = Counts()
        self.failure = None
        names, end = self._places.paths(), self._store.count
        try:
            for rows, batch in self._chosen(names, everything, end, tell):
                part = self._places.part(rows, batch)
                counts.add(Kind.NULL, part.texts.null_count)
                counts.add(Kind.STRING, len(batch) - part.texts.null_count)
                yield part
        except SourceDamaged as error:
            reason = error.__cause__
            self.failure = f"is damaged after {counts.rows:,} rows, which were read ({reason})"

    def again(self, chosen: Chosen, tell: Tell) -> Iterator[Part]:
        """The chosen rows."""
        names, end = self._places.paths(), self.counts.rows
        for rows, batch in self._chosen(names, chosen, end, tell):
            yield self._places.part(rows, batch)

    def column(self, name: str, tell: Tell) -> Iterator[Values]:
        """Another column, of the type that it has."""
        steps = place(self.name, self._store.schema, name)
        names, end = [".".join(steps)], self.counts.rows
        for _, batch in self._chosen(names, everything, end, tell):
            yield Values(value(batch, steps), None)

    def kept(
        self, chosen: Chosen, tell: Tell, notes: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The chosen rows with all their columns."""
        for rows, batch in self._chosen(None, chosen, self.counts.rows, tell):
            if notes is None:
                yield batch
            else:
                columns = [flat(column) for column in notes.take(rows).columns]
                schema = self._noted(notes.schema)
                yield pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)

    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> ParquetWriter:
        """What writes Parquet."""
        del name
        return self._store.writer(out, self._noted(notes or pa.schema([])))

    def _noted(self, notes: pa.Schema) -> pa.Schema:
        """The schema with more columns.

        Raises:
            OptionError: there is a column of such a name.
        """
        schema = self._store.schema
        for field in notes:
            if field.name in schema.names:
                raise OptionError(
                    f"{self.name or 'the table'} has a column {field.name} already; rename it."
                )
            schema = schema.append(field)
        return schema

    def rejected(self) -> Iterator[Rejected]:
        """None: such a row can be read, or the store is damaged."""
        return iter(())

    def references(self) -> Iterator[tuple[int, Source, int]]:
        """None: every row stands for itself."""
        return iter(())

    def unlike(self, other: Source) -> str | None:
        """Why rows of another store do not fit behind these."""
        assert isinstance(other, ArrowRows), "sources of one form are of one class"
        return unlike(self._store.schema, other._store.schema)

    def signature(self) -> Signature:
        """What tells whether it has changed."""
        return self._store.signature()

    def _chosen(
        self, names: list[str] | None, chosen: Chosen, end: int, tell: Tell
    ) -> Iterator[tuple[pa.Int64Array, pa.RecordBatch]]:
        """The chosen ones of the rows before ``end``, with their numbers."""
        for first, batch in self._batches(names, chosen):
            batch = batch.slice(0, end - first)
            tell(self.size * (first + len(batch)) // max(1, self._store.count))
            mask = chosen(first, len(batch))
            if mask is not None:
                rows = pc.add(pc.indices_nonzero(mask).cast(pa.int64()), first)
                yield rows, batch if len(rows) == len(batch) else filtered(batch, mask)
            if first + len(batch) == end:
                return

    def _batches(self, names: list[str] | None, chosen: Chosen) -> Iterator[Batch]:
        """What the store gives.

        Raises:
            SourceDamaged: it cannot be read on.
        """
        try:
            yield from self._store.batches(names, chosen)
        except DAMAGE as error:
            raise SourceDamaged(
                f"{self.name} is damaged ({error}); leave it out, or write it anew."
            ) from error
