"""Rows of columns, of Parquet, tables in memory and captures; and where the columns to read are."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import flat
from ilk.arrow.strings import is_text_or_null_type
from ilk.base.errors import ColumnTypeError, OptionError, SourceDamaged
from ilk.read.files.content import Unreadable
from ilk.read.rows.sources import (
    ID,
    ColumnRequest,
    Counts,
    Part,
    RowChoice,
    Source,
    Stamp,
    TellBytesRead,
    Values,
    Writer,
    choose_every_row,
    explain_how_to_name_text_columns,
    find_text_columns,
    may_replace_column,
    row_numbers_of_mask,
)
from ilk.read.rows.text_path import (
    BETWEEN,
    Steps,
    TextsAndMissingMask,
    column_path_before_lists,
    find_steps_to_column,
    join_texts_in_lists,
    text_column_paths,
)
from ilk.read.rows.writing import ParquetWriter, layout_like_file

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

_BETWEEN = pa.scalar(BETWEEN, pa.large_string())


def values_before_lists(batch: pa.RecordBatch, steps: Steps) -> pa.Array:
    """Return the values where the steps lead, up to the first list; null if one leads nowhere."""
    column = batch.column(batch.schema.get_field_index(steps[0]))
    fields = list(itertools.takewhile(lambda step: isinstance(step, str), steps[1:]))
    return pc.struct_field(column, fields) if fields else column


def cast_ids_or_keys_to_texts(
    column_name: str, column: pa.Array | pa.ChunkedArray
) -> pa.ChunkedArray:
    """Return ids or keys as texts; ColumnTypeError if their type cannot be cast."""
    try:
        return arrow.import_texts(
            column if is_text_or_null_type(column.type) else column.cast(pa.large_string())
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ColumnTypeError(
            f"the column {column_name} is of type {column.type}, which cannot be an id or a key; "
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


def type_without_views(data_type: pa.DataType) -> pa.DataType:
    """Return the type of the same values without Arrow's views, at any depth."""
    if pa.types.is_string_view(data_type):
        return pa.large_string()
    if pa.types.is_binary_view(data_type):
        return pa.large_binary()
    if pa.types.is_dictionary(data_type):
        return pa.dictionary(
            data_type.index_type, type_without_views(data_type.value_type), data_type.ordered
        )
    if pa.types.is_struct(data_type):
        return pa.struct(
            [field.with_type(type_without_views(field.type)) for field in data_type.fields]
        )
    if pa.types.is_list(data_type):
        return pa.list_(data_type.value_field.with_type(type_without_views(data_type.value_type)))
    if pa.types.is_large_list(data_type):
        return pa.large_list(
            data_type.value_field.with_type(type_without_views(data_type.value_type))
        )
    return data_type


class NumberedBatch(NamedTuple):
    """Consecutive rows, and the number of the first of them in their source."""

    first_row: int
    batch: pa.RecordBatch


class ChosenBatch(NamedTuple):
    """Chosen rows, and the number of each in their source."""

    row_numbers: pa.Int64Array
    batch: pa.RecordBatch


class PartAndFaultCounts(NamedTuple):
    """A part of the rows of a source, and what was missing or invalid in it.

    missing: rows in which the paths to texts lead nowhere.
    replaced: texts in which U+FFFD replaces invalid UTF-8.
    """

    part: Part
    missing: int
    replaced: int


class ArrowRows(Source):
    """A source whose rows have columns.

    schema: of all columns. tabular: whether rows are kept as columns.
    """

    tabular = True

    def __init__(self, name: str, size: int, schema: pa.Schema, request: ColumnRequest) -> None:
        super().__init__(name, size)
        self.schema = schema
        self._end = 0  # The number of rows that can be read, as far as is known.
        self._jobs = request.jobs
        row_id = request.id or (ID if ID in schema.names else None)
        self._needs_keys = request.keyed
        find = partial(find_steps_to_column, name, schema, through_lists=not request.keyed)
        self._texts = list(find_text_columns(request, find).items())
        self._id = None if row_id is None else find_steps_to_column(name, schema, row_id)
        read = [steps for _, steps in self._texts] + [self._id] * (self._id is not None)
        self._read_names = list(
            {column_path_before_lists(steps): None for steps in read if steps is not None}
        )

    @abstractmethod
    def _read_unfiltered_batches(
        self, column_names: list[str] | None, choice: RowChoice
    ) -> Iterator[NumberedBatch]:
        """Yield batches of some columns, or of all, with rows that are not chosen among others.

        Batches without a chosen row may be left out; SourceDamaged means that there are no more.
        """

    def _refuse_if_changed(self) -> None:
        """Raise SourceChanged if the rows are those of a file that has changed."""

    def _with_columns_read_when_chosen(
        self, column_names: list[str] | None, row_numbers: pa.Int64Array, batch: pa.RecordBatch
    ) -> pa.RecordBatch:
        """Return a batch of chosen rows with the columns that are read for these alone."""
        del column_names, row_numbers
        return batch

    def _make_part_and_count_faults(
        self, row_numbers: pa.Int64Array, batch: pa.RecordBatch
    ) -> PartAndFaultCounts:
        """Return the texts and ids of a batch of rows, and count what is wrong with them."""
        (texts, missing), *others = (
            self._texts_and_missing_at_path(batch, *place) for place in self._texts
        )
        for other, also_missing in others:  # If one is null, take the other, if any.
            texts = pc.coalesce(pc.binary_join_element_wise(texts, other, _BETWEEN), texts, other)
            missing = (
                None if missing is None or also_missing is None else pc.and_(missing, also_missing)
            )
        ids = pa.nulls(len(batch), pa.string())
        if self._id is not None:
            ids = flat(
                cast_ids_or_keys_to_texts(
                    column_path_before_lists(self._id), values_before_lists(batch, self._id)
                )
            ).cast(pa.string())
        texts, replaced = arrow.replace_invalid_utf8(texts, self._jobs)
        part = Part(row_numbers, texts, arrow.replace_invalid_utf8(ids).strings)
        return PartAndFaultCounts(part, 0 if missing is None else missing.true_count, replaced)

    def _texts_and_missing_at_path(
        self, batch: pa.RecordBatch, column_path: str, steps: Steps
    ) -> TextsAndMissingMask:
        """Return the texts where the steps lead; ColumnTypeError if these are no texts."""
        column = values_before_lists(batch, steps)
        inside = tuple(itertools.dropwhile(lambda step: isinstance(step, str), steps))
        if inside:
            plain = type_without_views(column.type)  # pyarrow cannot take values of views.
            column = column if plain == column.type else column.cast(plain)
            try:
                return join_texts_in_lists(column, inside)
            except ColumnTypeError as error:
                raise self._no_texts_error(column_path, str(error)) from None
        if self._needs_keys or is_text_or_null_type(column.type):
            return TextsAndMissingMask(flat(cast_ids_or_keys_to_texts(column_path, column)), None)
        raise self._no_texts_error(column_path, f"is of {column.type}")

    def _no_texts_error(self, column_path: str, reason: str) -> ColumnTypeError:
        there = explain_how_to_name_text_columns(text_column_paths(self.schema))
        return ColumnTypeError(f"the column {column_path} {reason}, not of texts.{there}")

    def read_and_count(self, tell: TellBytesRead) -> Iterator[Part]:
        self.counts = Counts()
        try:
            for chosen in self._read_chosen_batches(self._read_names, choose_every_row, tell):
                part, missing, replaced = self._make_part_and_count_faults(*chosen)
                self.counts.add_rows_of_texts(part.texts, missing)
                self.counts.replaced += replaced
                yield part
        except SourceDamaged as error:
            self._end = self.counts.rows
            reason = error.__cause__
            self.failure = f"is damaged after {self._end:,} rows, which were read ({reason})"

    def read_again(self, choice: RowChoice, tell: TellBytesRead) -> Iterator[Part]:
        for chosen in self._read_chosen_batches(self._read_names, choice, tell):
            yield self._make_part_and_count_faults(*chosen).part

    def read_column(self, column_path: str, tell: TellBytesRead) -> Iterator[Values]:
        steps = find_steps_to_column(self.name, self.schema, column_path)
        for _, batch in self._read_chosen_batches(
            [column_path_before_lists(steps)], choose_every_row, tell
        ):
            values = values_before_lists(batch, steps)
            plain = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
            yield Values(arrow.replace_invalid_utf8(values).strings if plain else values, None)

    def read_rows_for_writer(
        self, choice: RowChoice, tell: TellBytesRead, added_columns: pa.Table | None = None
    ) -> Iterator[pa.RecordBatch]:
        for row_numbers, batch in self._read_chosen_batches(None, choice, tell):
            if added_columns is not None:
                schema = self._schema_with_added_or_replaced_columns(added_columns.schema)
                columns, own = list(batch.columns), added_columns.take(row_numbers)
                for name in added_columns.column_names:
                    place = self.schema.get_field_index(name)
                    if place >= 0:
                        columns[place] = flat(own[name])
                    else:
                        columns.append(flat(own[name]))
                batch = pa.RecordBatch.from_arrays(columns, schema=schema)
            yield batch

    def read_column_names(self) -> list[str]:
        return list(self.schema.names)

    def read_text_column_paths(self, row: int) -> list[str]:
        del row
        return list(text_column_paths(self.schema))

    def open_writer(
        self, out: IO[bytes], file_name: str, added_columns: pa.Schema | None = None
    ) -> Writer:
        del file_name
        return ParquetWriter(out, self._schema_with_added_or_replaced_columns(added_columns or ()))

    def _schema_with_added_or_replaced_columns(self, added_fields: Iterable[pa.Field]) -> pa.Schema:
        """Return the schema with more columns; OptionError if a name exists already."""
        schema = self.schema
        for field in added_fields:
            bare = field.remove_metadata()
            if field.name not in self.schema.names:
                schema = schema.append(bare)
            elif may_replace_column(field):
                schema = schema.set(schema.get_field_index(field.name), bare)
            else:
                raise OptionError(
                    f"{self.name or 'the table'} already has a column {field.name}; rename it."
                )
        return schema

    def why_unfit_for_one_file(self, other: Source) -> str | None:
        assert isinstance(other, ArrowRows), "sources of one form are of one class"
        if self.schema.names != other.schema.names:
            names = (", ".join(source.schema.names) for source in (other, self))
            return "its columns are {}, not {}".format(*names)
        for own, field in zip(self.schema, other.schema, strict=True):
            if (own.type, own.nullable) != (field.type, field.nullable):
                return f"its column {_describe_field(field)}, not {_describe_field(own)}"
        return None

    def _read_chosen_batches(
        self, column_names: list[str] | None, choice: RowChoice, tell: TellBytesRead
    ) -> Iterator[ChosenBatch]:
        """Yield the chosen rows with some of the columns, or all; SourceChanged after the last one
        if the file has changed.
        """
        for first, batch in self._read_unfiltered_batches(column_names, choice):
            batch = batch.slice(0, self._end - first)
            end = first + len(batch)
            tell(self.size * end // max(1, self._end))
            mask = choice(first, len(batch))
            if mask is not None:
                rows = row_numbers_of_mask(mask, first)
                wanted = batch if len(rows) == len(batch) else filter_rows(batch, mask)
                wanted = self._with_columns_read_when_chosen(column_names, rows, wanted)
                yield ChosenBatch(rows, wanted)
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

    def __init__(self, name: str, path: str, request: ColumnRequest) -> None:
        """Read the footer; Unreadable if it is not Parquet."""
        self.name, self._path, self._stamp = name, path, Stamp(name, path)
        try:
            with self._open_unchanged_parquet() as file:
                schema, self._metadata = file.schema_arrow, file.metadata
                str(schema)  # Names that are not UTF-8 are an error here, and not later.
        except SourceDamaged as error:
            raise Unreadable(f"is not Parquet: {error.__cause__}") from error
        super().__init__(name, self._stamp.size, schema, request)
        self._end = self._metadata.num_rows

    def _refuse_if_changed(self) -> None:
        self._stamp.refuse_if_changed()

    def _read_unfiltered_batches(
        self, column_names: list[str] | None, choice: RowChoice
    ) -> Iterator[NumberedBatch]:
        first = bytes_read = read = 0
        with self._open_unchanged_parquet() as file:
            for group in range(self._metadata.num_row_groups):
                group_metadata = self._metadata.row_group(group)
                count = group_metadata.num_rows
                if choice(first, count) is not None:
                    batch_first = first
                    # Nonsensical metadata of a single column would crash the process
                    # (``described.column``): so the size of a row is that in all columns, and
                    # later that of the rows before.
                    size = (
                        bytes_read // read
                        if read
                        else group_metadata.total_byte_size // max(1, count)
                    )
                    rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(1, size)))
                    for batch in file.iter_batches(rows, [group], column_names, use_threads=False):
                        yield NumberedBatch(batch_first, batch)
                        batch_first += len(batch)
                        bytes_read += batch.nbytes
                    read += count
                    # The numbers of all later rows would be wrong.
                    if batch_first - first != count:
                        raise pa.ArrowInvalid(
                            f"group {group} has {batch_first - first} rows, but announces {count}"
                        )
                first += count

    def open_writer(
        self, out: IO[bytes], file_name: str, added_columns: pa.Schema | None = None
    ) -> ParquetWriter:
        del file_name
        with self._open_unchanged_parquet() as file:
            # Nonsense is an error here, but would crash the process in ``layout_like_file``.
            for group in range(min(1, self._metadata.num_row_groups)):
                next(file.iter_batches(1, [group]), None)
        return ParquetWriter(
            out,
            self._schema_with_added_or_replaced_columns(added_columns or ()),
            layout_like_file(self._metadata),
        )

    @contextmanager
    def _open_unchanged_parquet(self) -> Iterator[ParquetFile]:
        """Open the file; SourceDamaged if it, or what is read of it, is nonsensical."""
        import pyarrow.parquet as pq

        options: dict[str, Any] = {"pre_buffer": False, "buffer_size": _AHEAD}
        try:
            with (
                self._stamp.refuse_changes_before_and_on_error(),
                pq.ParquetFile(self._path, **options) as file,
            ):
                yield file
        except _DAMAGE as error:
            message = f"{self.name} is damaged ({error}); leave it out, or write it again."
            raise SourceDamaged(message) from error


def _describe_field(field: pa.Field) -> str:
    return f"{field.name} is {field.type}" + " not null" * (not field.nullable)
