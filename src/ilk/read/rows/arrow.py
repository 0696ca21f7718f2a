"""Rows of columns: of Parquet, of tables in memory, and of captures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import IO

import pyarrow as pa

from ilk import arrow as columns
from ilk.arrow import flat
from ilk.base.errors import OptionError, SourceDamaged
from ilk.read.rows.chosen import Chosen, everything, numbers
from ilk.read.rows.schemas import filtered, place, places, unlike, value
from ilk.read.rows.sources import Counts, Names, Part, Source, Tell, Values, Writer
from ilk.read.rows.writers import ParquetWriter


class ArrowRows(Source):
    """A source whose rows have columns.

    schema: of all columns.
    tabular: whether rows are kept as columns.
    """

    tabular = True

    def __init__(self, name: str, size: int, schema: pa.Schema, names: Names) -> None:
        """Read nothing yet; ColumnTypeError if a column to read is missing."""
        super().__init__(name, size)
        self.schema = schema
        self._end = 0  # The number of rows that can be read, as far as is known.
        self._replaced = 0  # Texts in which U+FFFD replaces invalid UTF-8.
        self._places = places(name, schema, names)
        self._read_names = self._places.paths()

    @abstractmethod
    def _batches(
        self, names: list[str] | None, wanted: Chosen
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield batches with some of the columns, or all, each with the number of its first row.

        Unwanted rows may be left out; SourceDamaged means that there are no more.
        """

    def _filled(
        self, names: list[str] | None, rows: pa.Int64Array, batch: pa.RecordBatch
    ) -> pa.RecordBatch:
        """Add columns that are read only for chosen rows to a batch of them."""
        del names, rows
        return batch

    def _part(self, rows: pa.Int64Array, batch: pa.RecordBatch) -> Part:
        part = self._places.part(rows, batch)
        texts, replaced = columns.unicode(part.texts)
        self._replaced += replaced
        return part._replace(texts=texts, ids=columns.unicode(part.ids)[0])

    def read(self, tell: Tell) -> Iterator[Part]:
        """Yield all rows, up to any damage."""
        self.counts = Counts()
        try:
            for rows, batch in self._chosen(self._read_names, everything, tell):
                before = self._replaced
                part = self._part(rows, batch)
                self.counts.add_texts(part.texts)
                self.counts.replaced += self._replaced - before
                yield part
        except SourceDamaged as error:
            self._end = self.counts.rows
            reason = error.__cause__
            self.failure = f"is damaged after {self._end:,} rows, which were read ({reason})"

    def again(self, chosen: Chosen, tell: Tell) -> Iterator[Part]:
        """Yield the chosen rows."""
        for rows, batch in self._chosen(self._read_names, chosen, tell):
            yield self._part(rows, batch)

    def column(self, name: str, tell: Tell) -> Iterator[Values]:
        """Yield another column, in its own type."""
        steps = place(self.name, self.schema, name)
        for _, batch in self._chosen([".".join(steps)], everything, tell):
            values = value(batch, steps)
            plain = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
            yield Values(columns.unicode(values)[0] if plain else values, None)

    def kept(
        self, chosen: Chosen, tell: Tell, notes: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the chosen rows with all their columns."""
        for rows, batch in self._chosen(None, chosen, tell):
            if notes is None:
                yield batch
            else:
                columns = [flat(column) for column in notes.take(rows).columns]
                schema = self._noted(notes.schema)
                yield pa.RecordBatch.from_arrays([*batch.columns, *columns], schema=schema)

    def names(self) -> list[str]:
        """Return the names of all columns."""
        return list(self.schema.names)

    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> Writer:
        """Return a writer of Parquet."""
        del name
        return ParquetWriter(out, self._noted(notes or ()))

    def _noted(self, notes: Iterable[pa.Field]) -> pa.Schema:
        """Return the schema with more columns; OptionError if a name exists already."""
        schema = self.schema
        for field in notes:
            if field.name in self.schema.names:
                raise OptionError(
                    f"{self.name or 'the table'} already has a column {field.name}; rename it."
                )
            schema = schema.append(field)
        return schema

    def unlike(self, other: Source) -> str | None:
        """Compare the schemas."""
        assert isinstance(other, ArrowRows), "sources of one form are of one class"
        return unlike(self.schema, other.schema)

    def _chosen(
        self, names: list[str] | None, chosen: Chosen, tell: Tell
    ) -> Iterator[tuple[pa.Int64Array, pa.RecordBatch]]:
        """Yield the chosen rows with some of the columns, or all, and their numbers."""
        for first, batch in self._batches(names, chosen):
            batch = batch.slice(0, self._end - first)
            end = first + len(batch)
            tell(self.size * end // max(1, self._end))
            mask = chosen(first, len(batch))
            if mask is not None:
                rows = numbers(mask, first)
                wanted = batch if len(rows) == len(batch) else filtered(batch, mask)
                yield rows, self._filled(names, rows, wanted)
            if end == self._end:
                return
