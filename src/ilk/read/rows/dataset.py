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
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import ColumnTypeError, MissingColumn, NothingRead
from ilk.base.progress import Progress
from ilk.base.whole import whole_file
from ilk.fingerprints.digest import bytes_digests, first_rows_with_same_digest
from ilk.read.report import ReadReport
from ilk.read.rows import writing
from ilk.read.rows.arrow import ArrowRows
from ilk.read.rows.delimited import typed_column
from ilk.read.rows.sources import (
    ID,
    PIECE,
    Counts,
    Names,
    Part,
    Rejected,
    Repeat,
    Signature,
    Source,
    Tell,
    add_notes,
    choose_rows,
    count_chosen,
    may_name_nested_column,
    shift_choice,
    spell_text_paths,
    too_long_error,
)
from ilk.read.rows.text_path import leads_into, may_lead_into_lists
from ilk.read.rows.writing import Origin, Output

#: Rows that share the id of an earlier one.
SAME_IDS = pa.schema([pa.field("doc", pa.int64()), pa.field("first", pa.int64())])


#: Rows of a file in which to look for the names that lead to texts, to show them in an error.
_LOOKED_AT = 10


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
        sources: Iterable[Source],
        origins: Sequence[Origin],
        names: Names,
        progress: Progress,
        tally: ReadReport | None = None,
        texts_by: Callable[[pa.RecordBatch], Iterator[pa.RecordBatch]] | None = None,
    ) -> None:
        self.sources, self.origins = list(sources), list(origins)
        self._names, self._progress = names, progress
        self.tally, self.texts_by = tally or ReadReport(), texts_by
        self._complete = False
        self._id_digests: list[tuple[int, pa.Array]] = []

    def preceded_by(self, others: DataSet) -> DataSet:
        """Return others followed by these rows, none of them read yet, with the same progress."""
        return self._with_sources(others.sources + self.sources, others.origins + self.origins)

    def _with_sources(self, sources: list[Source], origins: list[Origin]) -> DataSet:
        return DataSet(sources, origins, self._names, self._progress, self.tally, self.texts_by)

    def after_sources(self, sources: int) -> DataSet:
        """Return the rows after the first sources, numbered from 0, once all have been read."""
        skipped = self._first_documents()[sources]
        rest = self._with_sources(self.sources[sources:], self.origins[sources:])
        rest._complete = True
        rest._id_digests = [
            (first - skipped, ids) for first, ids in self._id_digests if first >= skipped
        ]
        return rest

    def before_sources(self, sources: int) -> DataSet:
        """Return the rows before a source, once all have been read."""
        first = self._with_sources(self.sources[:sources], self.origins[:sources])
        first._complete = self._complete
        return first

    @property
    def tells_groups(self) -> bool:
        """Whether all documents come with their groups (``group``, digests)."""
        return self.texts_by is None and all(source.tells_groups for source in self.sources)

    def batches(self, rows: Any = None) -> Iterator[pa.RecordBatch]:
        """Yield documents as ``DOCUMENTS``: all, or chosen ones, by Booleans or ascending numbers.

        Raises:
            SourceChanged: a file has changed since it was first read.
            ColumnTypeError: no row has a column of that name, or it holds no texts.
            OptionError: ``rows`` does not fit the documents.
        """
        for batch in self._read() if rows is None else self._chosen_batches(rows):
            yield from [batch] if self.texts_by is None else self.texts_by(batch)

    def _chosen_batches(self, rows: Any) -> Iterator[pa.RecordBatch]:
        wanted = choose_rows(rows, self.count_rows())
        for first, source, tell in self._each_source("read again"):
            yield from _to_documents(
                source, first, source.read_again(shift_choice(wanted, first), tell)
            )

    def texts_read_again(self, wanted_mask: pa.BooleanArray | None) -> Iterator[pa.Array]:
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

    def texts(self, rows: Any) -> pa.ChunkedArray:
        """Return the texts of chosen documents, in their order, all at once, as ``batches``."""
        texts = [batch.column("text") for batch in self.batches(rows)]
        return pa.chunked_array(texts, pa.large_string())

    def table(self, rows: Any, notes: pa.Table | None = None) -> pa.Table:
        """Return chosen rows as a table, with all columns if they are Parquet or tables.

        Args:
            rows: as for ``batches``.
            notes: columns to add to those of the rows, with a value for every document.
        """
        tabular = [s for s in self.sources if isinstance(s, ArrowRows) and s.tabular]
        if len(tabular) < len(self.sources):
            schema = pa.schema([arrow.DOCUMENTS.field(name) for name in ("source", "id", "text")])
            documents = [batch.select(schema.names) for batch in self.batches(rows)]
            table = pa.Table.from_batches(documents, schema)
            if notes is None:
                return table
            own = notes.filter(pa.array(rows, pa.bool_()))
            plain = pa.schema([field.remove_metadata() for field in notes.schema])
            return add_notes(table, own.cast(plain))
        wanted = choose_rows(rows, self.count_rows())
        tables = [source.schema.empty_table() for source in tabular]
        if notes is not None:
            tables = [add_notes(table, notes.slice(0, 0)) for table in tables]
        for first, source, tell in self._each_source("read again"):
            own = None if notes is None else notes.slice(first, source.counts.rows)
            kept = source.rows_for_writer(shift_choice(wanted, first), tell, own)
            tables += [pa.Table.from_batches([batch]) for batch in kept]
        return pa.concat_tables(tables, promote_options="permissive")

    def read_column(self, name: str, *, as_written: bool = False) -> pa.ChunkedArray:
        """Return another column of all documents, as ``typed_column`` does."""
        self.count_rows()
        passes = self._each_source("read a column")
        pieces = (piece for _, source, tell in passes for piece in source.read_column(name, tell))
        try:
            return typed_column(name, pieces, as_written)
        except MissingColumn as error:
            raise MissingColumn(f"{error}{_spell_columns(self.sources)}.") from error

    def refuse_if_nothing_read(self) -> None:
        """Refuse to continue, with the first reason, if there are rows, but none can be read."""
        if self.count_rows():
            return
        first = next(self.rejected_rows(), None)
        failure = next((source for source in self.sources if source.failure), None)
        if first is not None:
            raise NothingRead(
                f"none of {self.counts.rejected:,} rows could be read: {first.source}, "
                f"{first.unit} {first.at:,}: {first.reason}."
            )
        if failure is not None:
            raise NothingRead(f"no row could be read: {failure.name} {failure.failure}.")

    def read_row_counts(self, name: str) -> pa.Array:
        """Return a column of whole numbers above 0 of all documents; 1 for rows without a value.

        Raises:
            ColumnTypeError: it has other values.
        """
        self.count_rows()
        columns = [pa.array([], pa.int64())]
        for _, source, tell in self._each_source("read a column"):
            try:
                values = typed_column(name, source.read_column(name, tell), as_written=False)
            except ColumnTypeError as error:
                there = any(leads_into(name, one) for one in source.read_column_names())
                if there and not isinstance(error, MissingColumn):
                    raise
                values = pa.chunked_array([pa.nulls(source.counts.rows, pa.int64())])
            columns.append(pc.fill_null(_check_row_counts(name, source.name, values), 1))
        return pa.concat_arrays(columns)

    def __len__(self) -> int:
        return self.count_rows()

    def count_rows(self) -> int:
        """Return the number of documents; makes a pass if there was none yet."""
        if not self._complete:
            for _ in self._read():
                pass
        return self.counts.rows

    def refuse_unwritable(
        self,
        to: Output,
        *,
        force: bool = False,
        with_notes: bool = False,
        read: Iterable[str] = (),
    ) -> None:
        """Refuse a place where kept rows, or rows with notes, cannot be written, before any work.

        The arguments and errors are those of ``writing.choose_destinations``.
        """
        writing.choose_destinations(
            self.sources, self.origins, to, force=force, with_notes=with_notes, kept_files=read
        )

    def write(
        self,
        keep: Any,
        to: Output,
        *,
        notes: pa.Table | None = None,
        edit: writing.Edit | None = None,
        repeats: Mapping[int, Repeat] | None = None,
        force: bool = False,
        before_end: Callable[[], object] = do_nothing,
    ) -> int:
        """Write the kept rows, unchanged, and return how many they are, with those of ``repeats``.

        JSON lines and rows of CSV are written byte for byte; Parquet keeps its schema, its metadata
        and the number of rows in a group. A name that ends in .gz, .zst, .bz2 or .xz is written
        compressed.

        Args:
            keep: a Boolean for every document, or ascending document numbers.
            to: a file, or an open one; or an existing folder, or a path that ends in "/", for one
                file per source, each with its own name.
            notes: columns to add to those of the rows, with a value for every document.
            edit: changes rows of JSON lines and CSV on their way.
            repeats: by document, what is known of those that are not kept, to write them as mere
                references (``refuse_unwritable_repeats``); without notes and edits.
            force: replace existing output.
            before_end: called when the rows of the first file are written, before that file is
                there.

        Raises:
            OutputError, OptionError: as for ``refuse_unwritable``; or the disk is full.
            SourceChanged: a file has changed since it was first read.
        """
        files = writing.choose_destinations(
            self.sources, self.origins, to, force=force, with_notes=notes is not None
        )
        rows_wanted = choose_rows(keep, self.count_rows())
        passes = self._each_source("write")
        references = 0
        for file, path, members in files:
            some = itertools.islice(passes, members)
            if isinstance(file, Path):
                file.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(file) if isinstance(file, Path) else nullcontext(file) as out:
                references += writing.write_sources_and_count_repeats(
                    out, path.name, some, rows_wanted, notes, edit, repeats
                )
                before_end()
            before_end = do_nothing
        before_end()  # There may be no file.
        return count_chosen(keep) + references

    def refuse_unwritable_repeats(self, to: Output) -> None:
        """Raise OptionError if rows cannot be written as mere references to others there."""
        sources = iter(self.sources)
        places = writing.choose_destinations(
            self.sources, self.origins, to, force=True, with_notes=False
        )
        for _, path, members in places:
            for source in itertools.islice(sources, members):
                source.refuse_unwritable_repeats(path.name)

    def locate(self, doc: int) -> tuple[Source, int]:
        """Return the source of a document, and its row there."""
        self.count_rows()
        firsts = self._first_documents()
        at = bisect_right(firsts, doc) - 1  # The last one that begins there: others are empty.
        return self.sources[at], doc - firsts[at]

    def rejected_rows(self) -> Iterator[Rejected]:
        """Yield the unreadable rows, in reading order."""
        self.count_rows()
        for source in self.sources:
            yield from source.rejected_rows()

    def references(self) -> Iterator[tuple[int, int]]:
        """Yield documents that are mere references, each with the document they refer to."""
        firsts = dict(zip(map(id, self.sources), self._first_documents(), strict=False))
        for source in self.sources:
            for row, other, other_row in source.references():
                if id(other) in firsts:
                    yield firsts[id(source)] + row, firsts[id(other)] + other_row

    def source_names(self) -> pa.ChunkedArray:
        """Return the name of the source of each document."""
        self.count_rows()
        names = pa.array([source.name for source in self.sources], pa.string())
        numbers = [pa.scalar(at, pa.int32()) for at in range(len(names))]
        indices = map(pa.repeat, numbers, (source.counts.rows for source in self.sources))
        arrays = [pa.DictionaryArray.from_arrays(column, names) for column in indices]
        return pa.chunked_array(arrays, pa.dictionary(pa.int32(), pa.string()))

    def row_names(self, docs: pa.Array) -> pa.Array:
        """Return the sources of documents as in documents: with the number of the row."""
        encoded = arrow.flat(self.source_names())
        at = encoded.indices.take(docs)
        rows = pc.subtract(docs, pa.array(self._first_documents(), pa.int64()).take(at))
        return pc.binary_join_element_wise(encoded.dictionary.take(at), rows.cast(pa.string()), "#")

    def paths(self) -> list[str]:
        """Return the files that are read."""
        named = [origin.path for origin in self.origins if origin.path is not None]
        return [*named, *itertools.chain.from_iterable(source.files() for source in self.sources)]

    def read_file_stamps(self) -> list[tuple[str, int, int]] | None:
        """Return name, size and last change of every file; None if a source is not a file."""
        stamps = []
        for path, _ in self.origins:
            if path is None:
                return None
            status = os.stat(path)
            stamps.append((path, status.st_size, status.st_mtime_ns))
        return stamps

    def read_signature(self) -> list[Signature]:
        """Return a value that changes if a source changes."""
        return [source.read_signature() for source in self.sources]

    @property
    def counts(self) -> Counts:
        """Counts of rows by outcome; complete after the first pass."""
        return sum((source.counts for source in self.sources), Counts())

    def read_statistics(self) -> dict[str, Any]:
        """Return what was read, as plain values; makes a pass if there was none yet."""
        self.count_rows()
        failures = [(source.name, source.failure) for source in self.sources if source.failure]
        return {
            "sources": len(self.sources),
            "bytes": sum(source.size for source in self.sources),
            **asdict(self.counts),
            "same_ids": len(self.rows_with_earlier_id),
            "failures": [
                *self.tally.reasons(),
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
        table = pa.table([docs, docs.take(first_rows_with_same_digest(digests))], schema=SAME_IDS)
        return table.filter(pc.fill_null(pc.not_equal(table["doc"], table["first"]), False))

    def _first_documents(self) -> list[int]:
        """Return the number of the first document of every source, and of all documents."""
        self.count_rows()
        return [0, *itertools.accumulate(source.counts.rows for source in self.sources)]

    def _read(self) -> Iterator[pa.RecordBatch]:
        self._complete, self._id_digests = False, []
        for first, source, tell in self._each_source("read"):
            for batch in _to_documents(source, first, source.read(tell)):
                self._refuse_long_texts(batch, source.name, first)
                ids = batch.column("id")
                if ids.null_count < len(ids):
                    digests = bytes_digests(pa.chunked_array([ids.cast(pa.large_string())]))
                    self._id_digests.append((batch.column("doc")[0].as_py(), digests))
                yield batch
        self._refuse_missing_names()
        self._complete = True

    def _refuse_long_texts(self, batch: pa.RecordBatch, name: str, first: int) -> None:
        """Refuse a text that is longer than a row may be, whatever it was read from."""
        column = batch.column("text")
        limits = self._names.limits
        if column.nbytes <= min(limits.text, PIECE):
            return
        limit = limits.longest_row()
        long = pc.greater(pc.binary_length(column), limit.most)
        if pc.any(long).as_py():
            row = batch.column("doc").filter(long)[0].as_py() - first
            raise too_long_error(name, row, limit)

    def _refuse_missing_names(self) -> None:
        """Refuse names that no row has: they are wrong, and every row would lack a value."""
        counts, names = self.counts, self._names
        if not names.keyed and counts.rows and not counts.with_text and counts.other:
            self._refuse_column_without_texts(" or ".join(names.texts))
        # A list that is empty does not show that what leads into it fits.
        fits = counts.with_text + counts.other + (0 if self._leads_into_lists else counts.null)
        if counts.missing and not fits:
            name = " or ".join(names.texts)
        elif counts.rows and names.id is not None and not self._id_digests:
            name = names.id
        else:
            return
        paths = [] if name == names.id else self._text_paths()
        how = (
            spell_text_paths(paths)
            if name != names.id and any(map(may_name_nested_column, [*names.texts, *paths]))
            else " Name the column of texts with `text`, and the column of ids with `id` "
            f"({ID} by default)."
        )
        raise ColumnTypeError(
            f"no row of {self.sources[0].name or 'the table'}"
            f"{', ...' * (len(self.sources) > 1)} has a value named {name}"
            f"{_spell_columns(self.sources)}.{how}"
        )

    def phrases_for_missing_texts(self, sources: int) -> dict[str, str]:
        """Return, by the name of each of the first sources in which no row has a value by the names
        of texts, a phrase that says so, with its columns; empty if no texts are read.
        """
        if self._names.keyed:
            return {}
        said = f"no row has a value named {' or '.join(self._names.texts)}"
        return {
            one.name: f"{said}{_spell_columns([one])}"
            for one in self.sources[:sources]
            if one.counts.rows and one.counts.missing == one.counts.rows
        }

    @property
    def _leads_into_lists(self) -> bool:
        return any(map(may_lead_into_lists, self._names.texts))

    def _text_paths(self) -> list[str]:
        """Return the names that lead to a text in some of the first rows that can be read."""
        first = next((source for source in self.sources if source.counts.rows), None)
        rows = range(0 if first is None else min(_LOOKED_AT, first.counts.rows))
        found = (path for row in rows if first is not None for path in first.read_text_paths(row))
        return list(dict.fromkeys(found))

    def _refuse_column_without_texts(self, name: str) -> None:
        """Refuse a column that holds something, but a text in no row."""
        for source in self.sources:
            if source.first_other is not None:
                row, kind = source.first_other
                raise ColumnTypeError(
                    f"no row of {source.name or 'the table'} has a text in {name}: row {row:,} "
                    f"holds {kind} there.{spell_text_paths(source.read_text_paths(row))}"
                )

    def spell_rows_without_texts(self) -> list[str]:
        """Return sentences about rows that are read, but have no text where one was expected."""
        counts, sentences = self.counts, list[str]()
        name = " or ".join(self._names.texts)
        if counts.rows and counts.null == counts.rows and not self._names.keyed:
            rows = "the only row" if counts.rows == 1 else f"all {counts.rows:,} rows"
            sentences.append(f"the column {name} is null in {rows}, so nothing was compared")
        first = next((source for source in self.sources if source.first_other is not None), None)
        if first is not None and first.first_other is not None and not self._names.keyed:
            row, kind = first.first_other
            have = "1 row has" if counts.other == 1 else f"{counts.other:,} rows have"
            sentences.append(
                f"{have} no text in {name}, but something else, the first of them "
                f"{first.name}#{row} {kind}; such rows stay, and are compared with nothing"
            )
        return sentences

    def _each_source(self, step: str) -> Iterator[tuple[int, Source, Tell]]:
        """Yield every source, with the number of its first document, and a function that follows
        its bytes.
        """
        first = before = 0
        total = sum(source.size for source in self.sources)
        for source in self.sources:

            def tell(size: int, before: int = before) -> None:
                self._progress(step, before + size, total, before + size)

            yield first, source, tell
            first += source.counts.rows
            before += source.size
            tell(source.size)


def _check_row_counts(name: str, where: str, values: pa.ChunkedArray) -> pa.Array:
    """Return a column as ``int64``; a ColumnTypeError if it has other values, or some below 1."""
    kind, of = values.type, f"the column {name} of {where or 'the table'}"
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)):
        raise ColumnTypeError(
            f"{of} holds {kind}; for `count` it must hold whole numbers, or not be there yet."
        )
    try:
        numbers = arrow.flat(values).cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise ColumnTypeError(
            f"{of} holds numbers that are not whole ({error}); name another one with `count`."
        ) from error
    least = pc.min(numbers).as_py()
    if least is not None and least < 1:
        raise ColumnTypeError(f"{of} holds {least}; for `count` a row stands for 1 row or more.")
    return numbers


def _to_documents(source: Source, first: int, parts: Iterator[Part]) -> Iterator[pa.RecordBatch]:
    """Yield rows of a source as documents; ``first`` is the number of its row 0."""
    number, name, mark = (pa.scalar(value) for value in (first, source.name, "#"))
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


def _spell_columns(sources: Sequence[Source]) -> str:
    """Return a phrase that names the columns of the first readable row."""
    first = next((source for source in sources if source.counts.rows), None)
    names = [] if first is None else first.read_column_names()
    shown = ", ".join(names[:20]) + ", ..." * (len(names) > 20)
    return f" (it has {shown})" if shown else ""
