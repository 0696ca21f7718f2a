"""Rows of columns, of Parquet, tables in memory and captures; and where the columns to read are."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import flat
from ilk.arrow.strings import is_text
from ilk.base.errors import ColumnTypeError, OptionError, SourceDamaged
from ilk.read.files.content import Unreadable
from ilk.read.rows.sources import (
    ID,
    Counts,
    Names,
    Part,
    RowChoice,
    Source,
    Stamp,
    Tell,
    Values,
    Writer,
    choose_every_row,
    chosen_numbers,
    find_text_columns,
    replaces_column,
    spell_text_paths,
)
from ilk.read.rows.text_path import (
    BETWEEN,
    Steps,
    TextsAtPath,
    find_steps,
    name_before_lists,
    text_paths,
    texts_of_lists,
)
from ilk.read.rows.writing import ParquetWriter, layout_of_file

_BETWEEN = pa.scalar(BETWEEN, pa.large_string())


def values_at(batch: pa.RecordBatch, steps: Steps) -> pa.Array:
    """Return the values at a place, up to a list on the way; null if a step leads nowhere."""
    column = batch.column(batch.schema.get_field_index(steps[0]))
    fields = list(itertools.takewhile(lambda step: isinstance(step, str), steps[1:]))
    return pc.struct_field(column, fields) if fields else column


def spell_ids_or_keys(name: str, column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """Return ids or keys as texts; ColumnTypeError if they have no spelling."""
    try:
        return arrow.import_texts(
            column if is_text(column.type) else column.cast(pa.large_string())
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ColumnTypeError(
            f"the column {name} is of type {column.type}, which cannot be an id or a key; "
            "name another one with `id` or `key`."
        ) from error


def filter_rows(batch: pa.RecordBatch, mask: pa.BooleanArray) -> pa.RecordBatch:
    """Return the rows for which the mask is true.

    pyarrow cannot filter columns of views, so they are converted in the meantime.
    """
    plain = pa.schema([field.with_type(type_without_views(field.type)) for field in batch.schema])
    if plain == batch.schema:
        return batch.filter(mask)
    return batch.cast(plain).filter(mask).cast(batch.schema)


def type_without_views(kind: pa.DataType) -> pa.DataType:
    """Return the type of the same values without Arrow's views, at any depth."""
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, type_without_views(kind.value_type), kind.ordered)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(type_without_views(field.type)) for field in kind.fields])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(type_without_views(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(type_without_views(kind.value_type)))
    return kind


class ArrowRows(Source):
    """A source whose rows have columns.

    schema: of all columns. tabular: whether rows are kept as columns.
    """

    tabular = True

    def __init__(self, name: str, size: int, schema: pa.Schema, names: Names) -> None:
        super().__init__(name, size)
        self.schema = schema
        self._end = 0  # The number of rows that can be read, as far as is known.
        self._replaced = 0  # Texts in which U+FFFD replaces invalid UTF-8.
        self._missing = 0  # Rows in which the paths to texts lead nowhere.
        row_id = names.id or (ID if ID in schema.names else None)
        self._keyed = names.keyed
        find = partial(find_steps, name, schema, through_lists=not names.keyed)
        self._texts = list(find_text_columns(names, find).items())
        self._id = None if row_id is None else find_steps(name, schema, row_id)
        read = [steps for _, steps in self._texts] + [self._id] * (self._id is not None)
        self._read_names = list(
            {name_before_lists(steps): None for steps in read if steps is not None}
        )

    @abstractmethod
    def _batches(
        self, names: list[str] | None, chosen: RowChoice
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield batches of some columns, or of all, each with the number of its first row.

        Unwanted rows may be left out; SourceDamaged means that there are no more.
        """

    def _refuse_if_changed(self) -> None:
        """Raise SourceChanged if the rows are those of a file that has changed."""

    def _add_columns_of_chosen(
        self, names: list[str] | None, rows: pa.Int64Array, batch: pa.RecordBatch
    ) -> pa.RecordBatch:
        """Add columns that are read only for chosen rows to a batch of them."""
        del names, rows
        return batch

    def _make_part(self, rows: pa.Int64Array, batch: pa.RecordBatch) -> Part:
        """Return the texts and ids of a batch of rows, whose numbers are ``rows``."""
        (texts, missing), *others = (self._texts_at(batch, *place) for place in self._texts)
        for other, lacks in others:  # If one is null, take the other, if any.
            texts = pc.coalesce(pc.binary_join_element_wise(texts, other, _BETWEEN), texts, other)
            missing = None if missing is None or lacks is None else pc.and_(missing, lacks)
        ids = pa.nulls(len(batch), pa.string())
        if self._id is not None:
            ids = flat(
                spell_ids_or_keys(name_before_lists(self._id), values_at(batch, self._id))
            ).cast(pa.string())
        texts, replaced = arrow.replace_invalid_utf8(texts)
        self._replaced += replaced
        self._missing += 0 if missing is None else missing.true_count
        return Part(rows, texts, arrow.replace_invalid_utf8(ids).strings)

    def _texts_at(self, batch: pa.RecordBatch, name: str, steps: Steps) -> TextsAtPath:
        """Return the texts at a place, and the rows in which it leads nowhere, if it may."""
        column = values_at(batch, steps)
        inside = tuple(itertools.dropwhile(lambda step: isinstance(step, str), steps))
        if inside:
            plain = type_without_views(column.type)  # pyarrow cannot take values of views.
            column = column if plain == column.type else column.cast(plain)
            try:
                return texts_of_lists(column, inside)
            except ColumnTypeError as error:
                raise self._no_texts_error(name, str(error)) from None
        if self._keyed or is_text(column.type):
            return TextsAtPath(flat(spell_ids_or_keys(name, column)), None)
        raise self._no_texts_error(name, f"is of {column.type}")

    def _no_texts_error(self, name: str, why: str) -> ColumnTypeError:
        there = spell_text_paths(text_paths(self.schema))
        return ColumnTypeError(f"the column {name} {why}, not of texts.{there}")

    def read(self, tell: Tell) -> Iterator[Part]:
        self.counts = Counts()
        try:
            for rows, batch in self._chosen_batches(self._read_names, choose_every_row, tell):
                before, missing = self._replaced, self._missing
                part = self._make_part(rows, batch)
                self.counts.add_texts(part.texts, self._missing - missing)
                self.counts.replaced += self._replaced - before
                yield part
        except SourceDamaged as error:
            self._end = self.counts.rows
            reason = error.__cause__
            self.failure = f"is damaged after {self._end:,} rows, which were read ({reason})"

    def read_again(self, chosen: RowChoice, tell: Tell) -> Iterator[Part]:
        for rows, batch in self._chosen_batches(self._read_names, chosen, tell):
            yield self._make_part(rows, batch)

    def read_column(self, name: str, tell: Tell) -> Iterator[Values]:
        steps = find_steps(self.name, self.schema, name)
        for _, batch in self._chosen_batches([name_before_lists(steps)], choose_every_row, tell):
            values = values_at(batch, steps)
            plain = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
            yield Values(arrow.replace_invalid_utf8(values).strings if plain else values, None)

    def rows_for_writer(
        self, chosen: RowChoice, tell: Tell, notes: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        for rows, batch in self._chosen_batches(None, chosen, tell):
            if notes is not None:
                schema = self._schema_with_notes(notes.schema)
                columns, own = list(batch.columns), notes.take(rows)
                for name in notes.column_names:
                    place = self.schema.get_field_index(name)
                    if place >= 0:
                        columns[place] = flat(own[name])
                    else:
                        columns.append(flat(own[name]))
                batch = pa.RecordBatch.from_arrays(columns, schema=schema)
            yield batch

    def read_column_names(self) -> list[str]:
        return list(self.schema.names)

    def read_text_paths(self, row: int) -> list[str]:
        del row
        return list(text_paths(self.schema))

    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> Writer:
        del name
        return ParquetWriter(out, self._schema_with_notes(notes or ()))

    def _schema_with_notes(self, notes: Iterable[pa.Field]) -> pa.Schema:
        """Return the schema with more columns; OptionError if a name exists already."""
        schema = self.schema
        for field in notes:
            bare = field.remove_metadata()
            if field.name not in self.schema.names:
                schema = schema.append(bare)
            elif replaces_column(field):
                schema = schema.set(schema.get_field_index(field.name), bare)
            else:
                raise OptionError(
                    f"{self.name or 'the table'} already has a column {field.name}; rename it."
                )
        return schema

    def why_unlike(self, other: Source) -> str | None:
        assert isinstance(other, ArrowRows), "sources of one form are of one class"
        if self.schema.names != other.schema.names:
            names = (", ".join(source.schema.names) for source in (other, self))
            return "its columns are {}, not {}".format(*names)
        for own, field in zip(self.schema, other.schema, strict=True):
            if (own.type, own.nullable) != (field.type, field.nullable):
                return f"its column {_describe_field(field)}, not {_describe_field(own)}"
        return None

    def _chosen_batches(
        self, names: list[str] | None, chosen: RowChoice, tell: Tell
    ) -> Iterator[tuple[pa.Int64Array, pa.RecordBatch]]:
        """Yield the chosen rows with some of the columns, or all, and their numbers."""
        for first, batch in self._batches(names, chosen):
            batch = batch.slice(0, self._end - first)
            end = first + len(batch)
            tell(self.size * end // max(1, self._end))
            mask = chosen(first, len(batch))
            if mask is not None:
                rows = chosen_numbers(mask, first)
                wanted = batch if len(rows) == len(batch) else filter_rows(batch, mask)
                yield rows, self._add_columns_of_chosen(names, rows, wanted)
            if end == self._end:
                break
        self._refuse_if_changed()


#: Target bytes of the columns in a batch: small ones are fast, since memory is reused. For a
#: repetitive column, its bytes in the file mean little, so rows are limited too.
_BATCH_BYTES = 4 << 20
_BATCH_ROWS = 4096

#: Bytes of a column to read ahead.
_AHEAD = 1 << 20

#: What pyarrow raises for nonsensical data; names may be invalid UTF-8.
_DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError)


class ParquetRows(ArrowRows):
    """The rows of a Parquet file: only the needed columns are read, a few rows at a time."""

    form = "Parquet"

    def __init__(self, name: str, path: str, names: Names) -> None:
        """Read the footer; Unreadable if it is not Parquet."""
        self.name, self._path, self._stamp = name, path, Stamp(name, path)
        try:
            with self._open_parquet() as file:
                schema, self._metadata = file.schema_arrow, file.metadata
                str(schema)  # Names that are not UTF-8 are an error here, and not later.
        except SourceDamaged as error:
            raise Unreadable(f"is not Parquet: {error.__cause__}") from error
        super().__init__(name, self._stamp.size, schema, names)
        self._end = self._metadata.num_rows

    def _refuse_if_changed(self) -> None:
        self._stamp.refuse_if_changed()

    def _batches(
        self, names: list[str] | None, chosen: RowChoice
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        first = held = read = 0
        with self._open_parquet() as file:
            for group in range(self._metadata.num_row_groups):
                group_metadata = self._metadata.row_group(group)
                count = group_metadata.num_rows
                if chosen(first, count) is not None:
                    at = first
                    # Nonsensical metadata of a single column would crash the process
                    # (``described.column``): so the size of a row is that in all columns, and
                    # later that of the rows before.
                    size = held // read if read else group_metadata.total_byte_size // max(1, count)
                    rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(1, size)))
                    for batch in file.iter_batches(rows, [group], names, use_threads=False):
                        yield at, batch
                        at += len(batch)
                        held += batch.nbytes
                    read += count
                    # The numbers of all later rows would be wrong.
                    if at - first != count:
                        raise pa.ArrowInvalid(
                            f"group {group} has {at - first} rows, but announces {count}"
                        )
                first += count

    def writer(self, out: IO[bytes], name: str, notes: pa.Schema | None = None) -> ParquetWriter:
        del name
        with self._open_parquet() as file:
            # Nonsense is an error here, but would crash the process in ``layout_of_file``.
            for group in range(min(1, self._metadata.num_row_groups)):
                next(file.iter_batches(1, [group]), None)
        return ParquetWriter(
            out, self._schema_with_notes(notes or ()), layout_of_file(self._metadata)
        )

    @contextmanager
    def _open_parquet(self) -> Iterator[Any]:
        """Open the file; SourceDamaged if it, or what is read of it, is nonsensical."""
        import pyarrow.parquet as pq

        how: dict[str, Any] = {"pre_buffer": False, "buffer_size": _AHEAD}
        try:
            with self._stamp.refuse_changes(), pq.ParquetFile(self._path, **how) as file:
                yield file
        except _DAMAGE as error:
            said = f"{self.name} is damaged ({error}); leave it out, or write it again."
            raise SourceDamaged(said) from error


def _describe_field(field: pa.Field) -> str:
    return f"{field.name} is {field.type}" + " not null" * (not field.nullable)
