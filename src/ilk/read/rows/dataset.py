"""A data set: the rows of many sources as one, numbered in reading order."""

from __future__ import annotations

import itertools
import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import ColumnTypeError, MissingColumn, NothingRead
from ilk.base.progress import Progress
from ilk.base.whole import is_stream_or_device, whole_file, write_through_to_disk
from ilk.fingerprints.digest import bytes_digests, first_rows_with_same_digest_or_null
from ilk.read.report import ReadReport
from ilk.read.rows import writing
from ilk.read.rows.arrow import ArrowRows
from ilk.read.rows.delimited import infer_typed_column
from ilk.read.rows.sources import (
    ID,
    PIECE,
    BooleansOrRowNumbers,
    ColumnRequest,
    Counts,
    Part,
    Rejected,
    Repeat,
    Signature,
    Source,
    SourceRow,
    count_chosen_rows,
    explain_how_to_name_text_columns,
    make_row_choice,
    may_be_column_path,
    renumber_choice_from,
    row_too_long_error,
    table_with_replaced_or_more_columns,
)
from ilk.read.rows.text_path import has_list_selector, is_column_or_path_into
from ilk.read.rows.writing import Origin, Output, SourcePass

#: Rows that share the id of an earlier one.
SAME_IDS = pa.schema([pa.field("doc", pa.int64()), pa.field("first", pa.int64())])


#: Rows of a file in which to look for the names that lead to texts, to show them in an error.
_LOOKED_AT = 10


class FileStamp(NamedTuple):
    """A file, its size in bytes, and its last change in nanoseconds from 1970."""

    path: str
    size: int
    modified: int

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> FileStamp:
        """Return the stamp that a file has now; OSError if there is no such file."""
        status = os.stat(path)
        return cls(os.fspath(path), status.st_size, status.st_mtime_ns)


class RevisitDocuments(NamedTuple):
    """A document that is a revisit, and the document that it revisits."""

    revisit: int
    original: int


def do_nothing() -> None:
    """Do nothing before a file of rows is there."""


class DataSet:
    """Rows that are read in bounded memory, and as often as needed.

    Documents are numbered from 0 in reading order: source by source, row by row; unreadable rows do
    not count. The first pass counts them, whichever method makes it; later passes refuse to
    continue if a file has changed since.

    Attributes:
        sources, origins: in reading order, and where each is.
        tally: what could not be opened, and what was left out.
        texts_by: a function from the column's values to texts; None uses them as they are.
    """

    def __init__(
        self,
        *,
        sources: Iterable[Source],
        origins: Sequence[Origin],
        request: ColumnRequest,
        progress: Progress,
        tally: ReadReport | None = None,
        texts_by: Callable[[pa.RecordBatch], Iterator[pa.RecordBatch]] | None = None,
    ) -> None:
        self.sources, self.origins = list(sources), list(origins)
        self._request, self._progress = request, progress
        self.tally, self.texts_by = tally or ReadReport(), texts_by
        self._complete = False
        self._id_digests: list[tuple[int, pa.Array]] = []

    def preceded_by(self, others: DataSet) -> DataSet:
        """Return a data set of others and then these rows, none of them read yet, with the same
        progress.
        """
        return self._with_sources(others.sources + self.sources, others.origins + self.origins)

    def _with_sources(self, sources: list[Source], origins: list[Origin]) -> DataSet:
        return DataSet(
            sources=sources,
            origins=origins,
            request=self._request,
            progress=self._progress,
            tally=self.tally,
            texts_by=self.texts_by,
        )

    def without_first_sources_once_counted(self, source_count: int) -> DataSet:
        """Return the rows after the first sources, numbered from 0; all are read if they were not
        yet.
        """
        skipped = self._document_offsets_of_sources()[source_count]
        later = self._with_sources(self.sources[source_count:], self.origins[source_count:])
        later._complete = True
        later._id_digests = [
            (first - skipped, ids) for first, ids in self._id_digests if first >= skipped
        ]
        return later

    def with_first_sources_only(self, source_count: int) -> DataSet:
        """Return the rows of the first sources; they count as read if all were."""
        earlier = self._with_sources(self.sources[:source_count], self.origins[:source_count])
        earlier._complete = self._complete
        return earlier

    @property
    def batches_have_group_digests(self) -> bool:
        """Whether all documents come with the digests of their groups (``group``)."""
        return self.texts_by is None and all(source.yields_groups for source in self.sources)

    def batches(self, rows: BooleansOrRowNumbers | None = None) -> Iterator[pa.RecordBatch]:
        """Yield documents as ``DOCUMENTS``: all, or chosen ones, by Booleans or ascending numbers.

        Raises:
            SourceChanged: a file has changed since it was first read.
            ColumnTypeError: no row has a column of that name, or it holds no texts.
            OptionError: ``rows`` does not fit the documents.
        """
        for batch in (
            self._read_and_count_documents() if rows is None else self._read_chosen_documents(rows)
        ):
            yield from [batch] if self.texts_by is None else self.texts_by(batch)

    def _read_chosen_documents(self, rows: BooleansOrRowNumbers) -> Iterator[pa.RecordBatch]:
        choice = make_row_choice(rows, self.count_rows())
        for first, source, tell in self._iterate_sources_with_progress("read again"):
            parts = source.read_again(renumber_choice_from(choice, first), tell)
            yield from _parts_to_documents(parts, source.name, first)

    def read_texts_null_if_unwanted(
        self, wanted_mask: pa.BooleanArray | None
    ) -> Iterator[pa.Array]:
        """Yield the texts in order, null for those that are not wanted; None wants all."""
        begin = 0
        for batch in self.batches(wanted_mask):
            docs, texts = batch.column("doc"), batch.column("text")
            end = docs[-1].as_py() + 1
            if len(docs) < end - begin:  # Others in between are null.
                there = pc.is_in(pa.arange(begin, end), value_set=docs)
                texts = pc.replace_with_mask(pa.nulls(len(there), texts.type), there, texts)
            yield texts
            begin = end
        if begin < len(self):
            yield pa.nulls(len(self) - begin, pa.large_string())

    def texts(self, rows: BooleansOrRowNumbers | None) -> pa.ChunkedArray:
        """Read the texts of the documents that ``batches`` yields, and return them all at once."""
        texts = [batch.column("text") for batch in self.batches(rows)]
        return pa.chunked_array(texts, pa.large_string())

    def read_table_of_all_or_document_columns(
        self, rows: BooleansOrRowNumbers, added_columns: pa.Table | None = None
    ) -> pa.Table:
        """Read chosen rows into a table, with all columns if they are Parquet or tables, and else
        with their source, id and text.

        Args:
            rows: as for ``batches``.
            added_columns: columns to add to those of the rows, with a value for every document.
        """
        tabular = [s for s in self.sources if isinstance(s, ArrowRows) and s.tabular]
        if len(tabular) < len(self.sources):
            schema = pa.schema([arrow.DOCUMENTS.field(name) for name in ("source", "id", "text")])
            documents = [batch.select(schema.names) for batch in self.batches(rows)]
            table = pa.Table.from_batches(documents, schema)
            if added_columns is None:
                return table
            own = added_columns.filter(pa.array(rows, pa.bool_()))
            plain = pa.schema([field.remove_metadata() for field in added_columns.schema])
            return table_with_replaced_or_more_columns(table, own.cast(plain))
        choice = make_row_choice(rows, self.count_rows())
        tables = [source.schema.empty_table() for source in tabular]
        if added_columns is not None:
            tables = [
                table_with_replaced_or_more_columns(table, added_columns.slice(0, 0))
                for table in tables
            ]
        for first, source, tell in self._iterate_sources_with_progress("read again"):
            own = None if added_columns is None else added_columns.slice(first, source.counts.rows)
            kept = source.read_rows_for_writer(renumber_choice_from(choice, first), tell, own)
            tables += [pa.Table.from_batches([batch]) for batch in kept]
        return pa.concat_tables(tables, promote_options="permissive")

    def read_column(self, name: str, *, as_written: bool = False) -> pa.ChunkedArray:
        """Read another column of all documents, as ``infer_typed_column`` returns it."""
        self.count_rows()
        passes = self._iterate_sources_with_progress("read a column")
        pieces = (piece for _, source, tell in passes for piece in source.read_column(name, tell))
        try:
            return infer_typed_column(name, pieces, as_written=as_written)
        except MissingColumn as error:
            raise MissingColumn(f"{error}{_spell_columns_of_first_row(self.sources)}.") from error

    def refuse_if_all_rows_unreadable(self) -> None:
        """Raise NothingRead, with the first reason, if there are rows, but none can be read."""
        if self.count_rows():
            return
        first = next(self.read_rejected_rows(), None)
        failure = next((source for source in self.sources if source.failure), None)
        if first is not None:
            raise NothingRead(
                f"none of {self.counts.rejected:,} rows could be read: {first.source}, "
                f"{first.unit} {first.at:,}: {first.reason}."
            )
        if failure is not None:
            raise NothingRead(f"no row could be read: {failure.name} {failure.failure}.")

    def read_count_column_default_1(self, column_name: str) -> pa.Int64Array:
        """Return a column of whole numbers above 0 of all documents; 1 for rows without a value.

        Raises:
            ColumnTypeError: it has other values.
        """
        self.count_rows()
        columns = [pa.array([], pa.int64())]
        for _, source, tell in self._iterate_sources_with_progress("read a column"):
            try:
                pieces = source.read_column(column_name, tell)
                values = infer_typed_column(column_name, pieces, as_written=False)
            except ColumnTypeError as error:
                names = source.read_column_names()
                exists = any(is_column_or_path_into(column_name, name) for name in names)
                if exists and not isinstance(error, MissingColumn):
                    raise
                values = pa.chunked_array([pa.nulls(source.counts.rows, pa.int64())])
            columns.append(_check_positive_counts_default_1(column_name, source.name, values))
        return pa.concat_arrays(columns)

    def __len__(self) -> int:
        return self.count_rows()

    def count_rows(self) -> int:
        """Return the number of documents; makes a pass if there was none yet."""
        if not self._complete:
            for _ in self._read_and_count_documents():
                pass
        return self.counts.rows

    def refuse_unwritable_output(
        self,
        to: Output,
        *,
        force: bool = False,
        with_added_columns: bool = False,
        kept_files: Iterable[str] = (),
    ) -> None:
        """Refuse a place where kept rows, or these with more columns, cannot be written, before any
        work.

        The arguments and errors are those of ``writing.choose_destinations_or_refuse``.
        """
        writing.choose_destinations_or_refuse(
            self.sources,
            self.origins,
            to,
            force=force,
            with_added_columns=with_added_columns,
            kept_files=kept_files,
        )

    def write(
        self,
        keep: BooleansOrRowNumbers,
        to: Output,
        *,
        added_columns: pa.Table | None = None,
        edit: writing.Edit | None = None,
        repeats: Mapping[int, Repeat] | None = None,
        force: bool = False,
        before_first_file_ends: Callable[[], object] = do_nothing,
    ) -> int:
        """Write the kept rows, unchanged, and return how many rows were written, with revisits.

        JSON lines and rows of CSV are written byte for byte; Parquet keeps its schema, its metadata
        and the number of rows in a group. A name that ends in .gz, .zst, .bz2 or .xz is written
        compressed.

        Args:
            keep: a Boolean for every document, or ascending document numbers.
            to: a file, or an open one; or an existing folder, or a path that ends in "/", for one
                file per source, each with its own name.
            added_columns: columns to add to those of the rows, with a value for every document.
            edit: changes rows of JSON lines and CSV on their way.
            repeats: by document, what is known of those that are not kept, to write them as
                revisits (``refuse_unwritable_revisits``); without more columns and edits.
            force: replace existing output.
            before_first_file_ends: called when the rows of the first file are written, before that
                file is there.

        Raises:
            OutputError, OptionError: as for ``refuse_unwritable_output``; or the disk is full.
            SourceChanged: a file has changed since it was first read.
        """
        files = writing.choose_destinations_or_refuse(
            self.sources,
            self.origins,
            to,
            force=force,
            with_added_columns=added_columns is not None,
        )
        choice = make_row_choice(keep, self.count_rows())
        passes = self._iterate_sources_with_progress("write")
        revisits = 0
        for file, path, source_count in files:
            passes_of_file = itertools.islice(passes, source_count)
            if isinstance(file, Path):
                file.parent.mkdir(parents=True, exist_ok=True)
            is_regular = isinstance(file, Path) and not is_stream_or_device(file)
            with whole_file(file) if isinstance(file, Path) else nullcontext(file) as out:
                revisits += writing.write_sources_and_count_revisits(
                    out,
                    path.name,
                    passes=passes_of_file,
                    choice=choice,
                    added_columns=added_columns,
                    edit=edit,
                    repeats=repeats,
                    # Ctrl-C must not wait for a thread that writes to a pipe which nobody reads.
                    jobs=self._request.jobs if is_regular else 1,
                )
                if is_regular:
                    # What is to be done before the file ends goes on in threads meanwhile.
                    write_through_to_disk(out)
                before_first_file_ends()
            before_first_file_ends = do_nothing
        before_first_file_ends()  # There may be no file.
        return count_chosen_rows(keep) + revisits

    def refuse_unwritable_revisits(self, to: Output) -> None:
        """Raise OptionError if rows cannot be written there as revisits of others."""
        sources = iter(self.sources)
        places = writing.choose_destinations_or_refuse(
            self.sources, self.origins, to, force=True, with_added_columns=False
        )
        for _, path, source_count in places:
            for source in itertools.islice(sources, source_count):
                source.refuse_unwritable_revisits(path.name)

    def source_row_of(self, doc: int) -> SourceRow:
        """Return the source of a document, and its row there."""
        firsts = self._document_offsets_of_sources()
        number = bisect_right(firsts, doc) - 1  # The last one that begins there: others are empty.
        return SourceRow(self.sources[number], doc - firsts[number])

    def read_rejected_rows(self) -> Iterator[Rejected]:
        """Yield the unreadable rows, in reading order."""
        self.count_rows()
        for source in self.sources:
            yield from source.read_rejected_rows()

    def revisits(self) -> Iterator[RevisitDocuments]:
        """Yield the documents that are revisits of a document of this data set."""
        firsts = dict(zip(map(id, self.sources), self._document_offsets_of_sources(), strict=False))
        for source in self.sources:
            for row, (other, other_row) in source.revisits():
                if id(other) in firsts:
                    yield RevisitDocuments(firsts[id(source)] + row, firsts[id(other)] + other_row)

    def source_name_of_each_document(self) -> pa.ChunkedArray:
        """Return the name of the source of each document."""
        self.count_rows()
        names = pa.array([source.name for source in self.sources], pa.string())
        numbers = [pa.scalar(at, pa.int32()) for at in range(len(names))]
        indices = map(pa.repeat, numbers, (source.counts.rows for source in self.sources))
        arrays = [pa.DictionaryArray.from_arrays(column, names) for column in indices]
        return pa.chunked_array(arrays, pa.dictionary(pa.int32(), pa.string()))

    def row_names(self, docs: pa.Array) -> pa.Array:
        """Return the names of documents, ``source#row``, as the column ``source`` has them."""
        encoded = arrow.flat(self.source_name_of_each_document())
        sources = encoded.indices.take(docs)
        firsts = pa.array(self._document_offsets_of_sources(), pa.int64())
        rows = pc.subtract(docs, firsts.take(sources)).cast(pa.string())
        return pc.binary_join_element_wise(encoded.dictionary.take(sources), rows, "#")

    def file_paths(self) -> list[str]:
        """Return the files that are read."""
        paths = [origin.path for origin in self.origins if origin.path is not None]
        others = (source.local_files_of_queried_glob() for source in self.sources)
        return [*paths, *itertools.chain.from_iterable(others)]

    def read_file_stamps_if_all_are_files(self) -> list[FileStamp] | None:
        """Return name, size and last change of every file; None if a source is not a file."""
        stamps = []
        for path, _ in self.origins:
            if path is None:
                return None
            stamps.append(FileStamp.read(path))
        return stamps

    def read_signatures(self) -> list[Signature]:
        """Return for each source a value that changes if the source changes."""
        return [source.read_signature() for source in self.sources]

    @property
    def counts(self) -> Counts:
        """Counts of rows by outcome; complete after the first pass."""
        return sum((source.counts for source in self.sources), Counts())

    def counts_and_failures_reading_if_unread(self) -> dict[str, Any]:
        """Return what was read, as plain values; makes a pass if there was none yet."""
        self.count_rows()
        failures = [(source.name, source.failure) for source in self.sources if source.failure]
        return {
            "sources": len(self.sources),
            "bytes": sum(source.size for source in self.sources),
            **asdict(self.counts),
            "same_ids": len(self.rows_with_earlier_id),
            "failures": [
                *self.tally.failures_as_dicts(),
                *({"source": name, "reason": reason} for name, reason in failures),
            ],
        }

    @cached_property
    def rows_with_earlier_id(self) -> pa.Table:
        """Documents with the id of an earlier one: ``doc``, and the ``first`` with that id."""
        self.count_rows()
        known, self._id_digests = self._id_digests, []
        digests = arrow.join_pieces((digests for _, digests in known), arrow.DIGEST)
        numbers = (pa.arange(first, first + len(digests)) for first, digests in known)
        docs = arrow.join_pieces(numbers, pa.int64())
        table = pa.table(
            [docs, docs.take(first_rows_with_same_digest_or_null(digests))], schema=SAME_IDS
        )
        return table.filter(pc.fill_null(pc.not_equal(table["doc"], table["first"]), False))

    def _document_offsets_of_sources(self) -> list[int]:
        """Return the number of the first document of every source, and last the number of all
        documents.
        """
        self.count_rows()
        return [0, *itertools.accumulate(source.counts.rows for source in self.sources)]

    def _read_and_count_documents(self) -> Iterator[pa.RecordBatch]:
        """Yield all documents; refuse texts that are too long, and columns without a value."""
        self._complete, self._id_digests = False, []
        for first, source, tell in self._iterate_sources_with_progress("read"):
            parts = source.read_and_count(tell)
            for batch in _parts_to_documents(parts, source.name, first):
                self._refuse_long_texts(batch, source.name, first)
                ids = batch.column("id")
                if ids.null_count < len(ids):
                    digests = bytes_digests(pa.chunked_array([ids.cast(pa.large_string())]))
                    self._id_digests.append((batch.column("doc")[0].as_py(), digests))
                yield batch
        self._refuse_columns_without_values()
        self._complete = True

    def _refuse_long_texts(
        self, batch: pa.RecordBatch, source_name: str, first_document: int
    ) -> None:
        """Refuse a text that is longer than a row may be, whatever it was read from."""
        column = batch.column("text")
        limits = self._request.limits
        if column.nbytes <= min(limits.text, PIECE):
            return
        limit = limits.byte_limit_now()
        long = pc.greater(pc.binary_length(column), limit.max_bytes)
        if pc.any(long).as_py():
            row = batch.column("doc").filter(long)[0].as_py() - first_document
            raise row_too_long_error(source_name, row, limit)

    def _refuse_columns_without_values(self) -> None:
        """Raise ColumnTypeError if no row has a value in a column to read: its name is wrong."""
        counts, names = self.counts, self._request
        if not names.keyed and counts.rows and not counts.with_text and counts.other:
            self._refuse_values_other_than_text(" or ".join(names.texts))
        # A list that is empty does not show that what leads into it fits.
        fits = counts.with_text + counts.other + (0 if self._texts_may_be_in_lists else counts.null)
        if counts.missing and not fits:
            name = " or ".join(names.texts)
        elif counts.rows and names.id is not None and not self._id_digests:
            name = names.id
        else:
            return
        paths = [] if name == names.id else self._read_text_paths_of_first_nonempty_source()
        how = (
            explain_how_to_name_text_columns(paths)
            if name != names.id and any(map(may_be_column_path, [*names.texts, *paths]))
            else " Name the column of texts with `text`, and the column of ids with `id` "
            f"({ID} by default)."
        )
        raise ColumnTypeError(
            f"no row of {self.sources[0].name or 'the table'}"
            f"{', ...' * (len(self.sources) > 1)} has a value named {name}"
            f"{_spell_columns_of_first_row(self.sources)}.{how}"
        )

    def phrase_by_source_lacking_text_columns(self, first_source_count: int) -> dict[str, str]:
        """Return, by the name of each of the first sources in which no row has a value by the names
        of texts, a phrase that says so, with its columns; empty if keys are read instead of texts.
        """
        if self._request.keyed:
            return {}
        phrase = f"no row has a value named {' or '.join(self._request.texts)}"
        return {
            source.name: f"{phrase}{_spell_columns_of_first_row([source])}"
            for source in self.sources[:first_source_count]
            if source.counts.rows and source.counts.missing == source.counts.rows
        }

    @property
    def _texts_may_be_in_lists(self) -> bool:
        return any(map(has_list_selector, self._request.texts))

    def _read_text_paths_of_first_nonempty_source(self) -> list[str]:
        """Return the names that lead to a text in some of the first rows that can be read."""
        first = next((source for source in self.sources if source.counts.rows), None)
        rows = range(0 if first is None else min(_LOOKED_AT, first.counts.rows))
        if first is None:
            return []
        paths = (path for row in rows for path in first.read_text_column_paths(row))
        return list(dict.fromkeys(paths))

    def _refuse_values_other_than_text(self, column_name: str) -> None:
        """Raise ColumnTypeError if a row has another value in this column: the first one."""
        for source in self.sources:
            if source.first_other is not None:
                row, kind = source.first_other
                others = explain_how_to_name_text_columns(source.read_text_column_paths(row))
                raise ColumnTypeError(
                    f"no row of {source.name or 'the table'} has a text in {column_name}: row "
                    f"{row:,} holds {kind} there.{others}"
                )

    def describe_null_column_and_other_values(self) -> list[str]:
        """Return sentences about rows that are read, but have no text where one was expected."""
        counts, sentences = self.counts, list[str]()
        name = " or ".join(self._request.texts)
        if counts.rows and counts.null == counts.rows and not self._request.keyed:
            rows = "the only row" if counts.rows == 1 else f"all {counts.rows:,} rows"
            sentences.append(f"the column {name} is null in {rows}, so nothing was compared")
        first = next((source for source in self.sources if source.first_other is not None), None)
        if first is not None and first.first_other is not None and not self._request.keyed:
            row, kind = first.first_other
            have = "1 row has" if counts.other == 1 else f"{counts.other:,} rows have"
            sentences.append(
                f"{have} no text in {name}, but something else, the first of them "
                f"{first.name}#{row} {kind}; such rows stay, and are compared with nothing"
            )
        return sentences

    def _iterate_sources_with_progress(self, progress_step: str) -> Iterator[SourcePass]:
        """Yield every source, and tell the progress of a step; those before it were read."""
        first = before = 0
        total = sum(source.size for source in self.sources)
        for source in self.sources:

            def tell(size: int, before: int = before) -> None:
                self._progress(progress_step, before + size, total, before + size)

            yield SourcePass(first, source, tell)
            first += source.counts.rows
            before += source.size
            tell(source.size)


def _check_positive_counts_default_1(
    column_name: str, source_name: str, values: pa.ChunkedArray
) -> pa.Int64Array:
    """Return a column as ``int64``, with 1 for null; a ColumnTypeError if it has other values, or
    some below 1.
    """
    kind, column = values.type, f"the column {column_name} of {source_name or 'the table'}"
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)):
        raise ColumnTypeError(
            f"{column} holds {kind}; for `count` it must hold whole numbers, or not be there yet."
        )
    try:
        numbers = arrow.flat(values).cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise ColumnTypeError(
            f"{column} holds numbers that are not whole ({error}); name another one with `count`."
        ) from error
    minimum = pc.min(numbers).as_py()
    if minimum is not None and minimum < 1:
        raise ColumnTypeError(
            f"{column} holds {minimum}; for `count` a row stands for 1 row or more."
        )
    return pc.fill_null(numbers, 1)


def _parts_to_documents(
    parts: Iterator[Part], source_name: str, first_document: int
) -> Iterator[pa.RecordBatch]:
    """Yield rows of a source as documents; row 0 is document ``first_document``."""
    number, name, mark = (pa.scalar(value) for value in (first_document, source_name, "#"))
    for rows, texts, ids, labels, groups in parts:
        if len(rows):
            names = pc.binary_join_element_wise(name, rows.cast(pa.string()), mark)
            if labels is not None:
                names = pc.binary_join_element_wise(names, labels, " ")
            arrays = {"doc": pc.add(rows, number), "source": names, "id": ids, "text": texts}
            # The digest of a text, too, is computed when it is needed.
            others = [field for field in arrow.DOCUMENTS if field.name not in arrays]
            arrays |= {field.name: pa.nulls(len(rows), field.type) for field in others}
            batch = pa.RecordBatch.from_pydict(arrays, schema=arrow.DOCUMENTS)
            yield batch if groups is None else batch.append_column("group", groups)


def _spell_columns_of_first_row(sources: Sequence[Source]) -> str:
    """Return a phrase that names the columns of the first readable row; "" if it has none."""
    first = next((source for source in sources if source.counts.rows), None)
    names = [] if first is None else first.read_column_names()
    shown = ", ".join(names[:20]) + ", ..." * (len(names) > 20)
    return f" (it has {shown})" if shown else ""
