"""A collection: documents that are read once, and chosen texts of them again.

Rows may name files: then the text of each row is that of the file whose path is in a column. What
reads files is loaded when a file is read: most rows need none of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice, zip_longest
from typing import Any, NamedTuple, Protocol, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow, read
from ilk.arrow import DOCUMENTS, fit_columns_to_schema
from ilk.base.errors import OptionError, SourceChanged
from ilk.base.progress import ignore_progress
from ilk.base.run_options import Running
from ilk.fingerprints.digest import bytes_digests
from ilk.read.documents import is_file_of_rows
from ilk.read.files.content import source_name
from ilk.read.files.copies import ByteCopy, find_files_and_parts_with_copies
from ilk.read.files.walk import STDIN, FoundFile
from ilk.read.reading import Reading
from ilk.read.reference import ReferenceCheck, StoredTexts
from ilk.read.report import ReadReport
from ilk.read.rows.dataset import DataSet
from ilk.read.rows.opening import open_data_set
from ilk.read.rows.table_sources import paths_or_none_if_texts


class Documents(Protocol):
    """Documents that are read once, and whose texts are read again."""

    def __len__(self) -> int: ...

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as ``DOCUMENTS``, numbered from 0: the first pass."""
        ...

    def read_texts_null_if_unwanted(
        self, wanted_mask: pa.BooleanArray | None
    ) -> Iterator[pa.Array]:
        """Yield the texts in order, null for those that are not wanted; None wants all."""
        ...


class Collection:
    """Documents of one part or several, numbered consecutively; as ``arrow.Texts``, their texts."""

    def __init__(
        self,
        *parts: Documents,
        wanted_mask: pa.BooleanArray | None = None,
    ) -> None:
        self.parts = parts
        self._wanted_mask = wanted_mask

    @classmethod
    def of(
        cls,
        source: Any,
        reading: Reading,
        running: Running,
        tally: ReadReport,
        *,
        with_textless_byte_copies: bool = False,
        reference_check: ReferenceCheck | None = None,
    ) -> Collection:
        """Return the documents of a source, as ``read_documents`` takes it; read nothing yet.

        With ``with_textless_byte_copies``, files without text become documents, which come last, if
        they are byte for byte the same as another. ``tally`` counts the first pass. As those
        of a reference, the first pass ends with NothingRead if a path gives no text.
        """
        documents = SourceDocuments(
            source,
            reading,
            running,
            tally,
            with_textless_byte_copies=with_textless_byte_copies,
            reference_check=reference_check,
        )
        return cls(documents)

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as ``DOCUMENTS``: the first pass."""
        begin = 0
        for part in self.parts:
            for batch in part.batches():
                at, end = batch.schema.get_field_index("doc"), begin + len(batch)
                yield batch.set_column(at, DOCUMENTS.field("doc"), pa.arange(begin, end))
                begin = end

    @property
    def chunks(self) -> Iterator[pa.Array]:
        """Yield the texts in order; null for those that are not wanted.

        Raises:
            SourceChanged: there are more or fewer documents than before, or other texts.
        """
        begin = 0
        for part in self.parts:
            mask = self._wanted_mask
            mask_of_part = None if mask is None else mask.slice(begin, len(part))
            yield from part.read_texts_null_if_unwanted(mask_of_part)
            begin += len(part)

    def read_column_of_each_part(self, name: str, *, as_written: bool) -> list[pa.Array]:
        """Return another column of the rows of each part, as ``infer_typed_column`` does.

        Raises:
            OptionError: documents are not rows, or can be read only once.
            ColumnTypeError: the rows of a part have no such column.
        """
        return [
            part.read_column(name)
            if isinstance(part, StoredDocuments)
            else part.read_column(name, as_written=as_written)
            for part in self._check_parts_may_have_column(name)
        ]

    def read_other_texts_of_parts_not_stored(self, text_path: str) -> list[pa.Array]:
        """Return other texts of the rows of each part, by a path as ``text`` is.

        Documents of a store have none.

        Raises:
            OptionError, ColumnTypeError: as of ``read_column_of_each_part``.
        """
        return [
            part.read_other_texts(text_path)
            for part in self._check_parts_may_have_column(text_path)
            if not isinstance(part, StoredDocuments)
        ]

    def _check_parts_may_have_column(
        self, name: str
    ) -> Iterator[SourceDocuments | StoredDocuments]:
        """Yield the parts; OptionError at the first one that can have no such column."""
        for part in self.parts:
            if isinstance(part, SourceDocuments) or (
                isinstance(part, StoredDocuments) and part.has_grouping_column(name)
            ):
                yield part
            else:
                raise OptionError(f"these documents have no column {name}; name files of rows.")

    def null_except(self, kept_mask: pa.BooleanArray) -> Collection:
        """Return the same with only some texts."""
        wanted_mask = kept_mask
        if self._wanted_mask is not None:
            wanted_mask = pc.and_(self._wanted_mask, kept_mask)
        return Collection(*self.parts, wanted_mask=wanted_mask)

    def restore_document_count(self, count: int) -> None:
        """Set the number of documents that the first pass of an interrupted run has found."""
        (part,) = self.parts
        if isinstance(part, SourceDocuments):  # Others know their number.
            part.count = count


class _TextsAndRereadSources(NamedTuple):
    """Texts, and the sources that are read again for them; None if they are in memory."""

    reread_sources: pa.Array | None
    texts: pa.Array


class SourceDocuments:
    """The documents of a source; ``count`` of them have been read.

    Files are read again when texts are needed; sources that can be read only once, standard input
    and streams, are held in memory, and so are sources already in memory.
    """

    def __init__(
        self,
        source: Any,
        reading: Reading,
        running: Running,
        tally: ReadReport,
        *,
        with_textless_byte_copies: bool,
        reference_check: ReferenceCheck | None = None,
    ) -> None:
        self.count = self._without_text = 0
        self._reference = reference_check
        self._with_byte_copies, self._tally = with_textless_byte_copies, tally
        self._source, self._reading, self._running = source, reading, running
        paths = paths_or_none_if_texts(source)
        again = paths is not None and all(os.fspath(path) != STDIN for path in paths)
        self._texts_in_memory: list[pa.Array] | None = None if again else []
        self._digests: list[pa.Array] = []  # Of the texts that are read again; none after a resume.

    def __getstate__(self) -> dict[str, Any]:
        """Leave out a held source, which may be a stream."""
        if self._texts_in_memory is None:
            return self.__dict__
        return self.__dict__ | {"_source": None}

    def __len__(self) -> int:
        return self.count

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as ``DOCUMENTS``, numbered from 0: the first pass.

        Files without text come last, if they have copies and are asked for. The digests of texts
        that are read again are remembered, and texts that cannot be are held.
        """
        for batch in self._read_naming_reference_in_errors():
            self.count += len(batch)
            if self._reference is not None:
                self._reference.record_documents(batch.column("source"), batch.column("text"))
            if self._texts_in_memory is not None:
                self._texts_in_memory.append(batch.column("text"))
            else:
                self._digests.append(_bytes_digests_of_texts(batch.column("text")))
            yield batch
        if self._reference is not None:
            self._reference.end_reference_or_refuse_silent_paths(self._tally)
        if not self._with_byte_copies or self._reading.folder_as_document:
            return
        held = islice(self._tally.held.items(), self._tally.held_in_reference, None)
        copies_read = find_files_and_parts_with_copies(self._tally.unread, dict(held))
        self._tally.by_bytes = True
        if not copies_read:
            return
        first, self._without_text = self.count, len(copies_read)
        self.count += len(copies_read)
        names = ["doc", *ByteCopy._fields]
        rows = [
            dict(zip(names, (doc, *copy), strict=True))
            for doc, copy in enumerate(copies_read, first)
        ]
        table = pa.Table.from_pylist(rows, pa.schema([DOCUMENTS.field(name) for name in names]))
        yield fit_columns_to_schema(table, DOCUMENTS).combine_chunks().to_batches()[0]

    def _read_naming_reference_in_errors(self) -> Iterator[pa.RecordBatch]:
        with nullcontext() if self._reference is None else self._reference.named_in_column_errors():
            yield from read.read_documents(self._source, self._reading, self._running, self._tally)

    def read_texts_null_if_unwanted(
        self, wanted_mask: pa.BooleanArray | None
    ) -> Iterator[pa.Array]:
        """Yield the texts in order, null for those that are not wanted; None wants all."""
        begin = 0
        for sources, texts_again in self._iterate_held_or_reread_texts():
            texts = texts_again.slice(0, max(0, self.count - begin))  # A file may have been added.
            if wanted_mask is not None:
                texts = _null_except(wanted_mask.slice(begin, len(texts)), texts)
            if sources is not None and self._digests:
                self._refuse_if_wanted_texts_changed(sources, texts, begin, wanted_mask)
            yield texts
            begin += len(texts_again)
        if begin != self.count:
            raise SourceChanged(
                f"{self._source!r} had {self.count:,} documents and now has {begin:,}; nothing "
                "was written. Run again."
            )

    def read_column(self, name: str, *, as_written: bool) -> pa.Array:
        """Return another column of the rows, as ``infer_typed_column`` does; rows are read again.

        Raises:
            OptionError: documents are not rows, or can be read only once.
            ColumnTypeError: no row has such a column.
        """
        rows = self._reopen_rows_or_refuse(name, self._reading)
        return self._check_one_value_per_row(name, rows.read_column(name, as_written=as_written))

    def read_other_texts(self, text_path: str) -> pa.Array:
        """Return other texts of the rows, by a path as ``text`` is; errors as ``read_column``."""
        reading = replace(self._reading, text=(text_path,), extract="none", files_in=None)
        return self._check_one_value_per_row(
            text_path, self._reopen_rows_or_refuse(text_path, reading).texts(None)
        )

    def _reopen_rows_or_refuse(self, column_in_error: str, reading: Reading) -> DataSet:
        """Open the rows again; OptionError if a source has no rows, or can be read only once."""
        for path in paths_or_none_if_texts(self._source) or ():
            if os.fspath(path) == STDIN or not is_file_of_rows(path, self._reading.text):
                raise OptionError(
                    f"{os.fsdecode(path)} is not a file of rows that can be read again, so it has "
                    f"no column {column_in_error}; name files of rows, such as rows.jsonl."
                )
        return open_data_set(self._source, reading, self._running)

    def _check_one_value_per_row(self, name: str, values: pa.ChunkedArray) -> pa.Array:
        if len(values) != self.count:
            raise OptionError(
                f"{self.count:,} rows were compared, and the column {name} has {len(values):,} "
                "values: what can be read only once, a stream, must become a table first."
            )
        return arrow.flat(values)

    def _iterate_held_or_reread_texts(self) -> Iterator[_TextsAndRereadSources]:
        """Yield the texts, and the sources of those that are not held in memory."""
        if self._texts_in_memory is not None:
            yield from (_TextsAndRereadSources(None, texts) for texts in self._texts_in_memory)
        else:
            for batch in read.read_documents(
                self._source, self._reading, self._running, ReadReport()
            ):
                yield _TextsAndRereadSources(batch.column("source"), batch.column("text"))
        if self._without_text:
            yield _TextsAndRereadSources(None, pa.nulls(self._without_text, pa.large_string()))

    def _refuse_if_wanted_texts_changed(
        self,
        sources: pa.Array,
        texts_null_if_unwanted: pa.Array,
        first_row: int,
        wanted_mask: pa.BooleanArray | None,
    ) -> None:
        """Raise SourceChanged if wanted texts are not those of the first pass."""
        digests = arrow.join_pieces(self._digests, arrow.DIGEST)
        self._digests = [digests]
        then = digests.slice(first_row, len(texts_null_if_unwanted))
        now = _bytes_digests_of_texts(texts_null_if_unwanted)
        if wanted_mask is not None:
            then = _null_except(wanted_mask.slice(first_row, len(then)), then)
        if not now.equals(then):
            pairs = zip_longest(now.to_pylist(), then.to_pylist())
            at = next(at for at, (one, other) in enumerate(pairs) if one != other)
            raise SourceChanged(
                f"{sources[at]} is not what was read there first: it was changed, or a file before "
                "it was added or removed. Run again."
            )


class StoredDocuments:
    """The documents of a store that are the reference; they are in memory."""

    def __init__(self, texts: StoredTexts) -> None:
        self._store_texts = texts

    def __len__(self) -> int:
        return len(self._store_texts.table)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as ``DOCUMENTS``, numbered from 0."""
        if not len(self):
            return
        table = pa.table(
            {
                "doc": pa.arange(0, len(self)),
                "source": self._store_texts.names,
                "id": self._store_texts.table["id"],
                "text": self._store_texts.table["text"],
                "bytes_digest": self._store_texts.bytes_digests,
                "format": pa.repeat("", len(self)),
            }
        )
        yield fit_columns_to_schema(table, DOCUMENTS).combine_chunks().to_batches()[0]

    def has_grouping_column(self, name: str) -> bool:
        """Return whether they have values in a column that makes groups."""
        return name in self._store_texts.table.column_names[2:]

    def read_column(self, name: str) -> pa.Array:
        """Return the values of such a column as they are written."""
        return arrow.flat(self._store_texts.table[name])

    def read_texts_null_if_unwanted(
        self, wanted_mask: pa.BooleanArray | None
    ) -> Iterator[pa.Array]:
        """Yield the texts in order, null for those that are not wanted; None wants all."""
        texts = arrow.flat(self._store_texts.table["text"])
        yield texts if wanted_mask is None else _null_except(wanted_mask, texts)


def _null_except(wanted_mask: pa.BooleanArray, values: pa.Array) -> pa.Array:
    if pa.types.is_large_string(values.type) and 2 * wanted_mask.true_count > len(values):
        # A view keeps all values in memory, and most of them are wanted.
        return arrow.flat(arrow.null_except(pa.chunked_array([values]), wanted_mask))
    return pc.if_else(wanted_mask, values, pa.scalar(None, values.type))


def _bytes_digests_of_texts(texts: pa.Array) -> pa.Array:
    return bytes_digests(pa.chunked_array([texts]))


#: Files to hold together.
_AT_ONCE = 256

#: The fields that a row gets from its file.
_OF_FILES = ("text", "bytes_digest", "size", "modified", "declared")


def open_rows_replacing_paths_if_asked(source: Any, reading: Reading, running: Running) -> DataSet:
    """Open rows like ``open_data_set``; if ``reading`` says so, their texts are those of files."""
    data_set = open_data_set(source, reading, running)
    if reading.files_in is not None:
        data_set.texts_by = FileTexts(reading, running, data_set.tally).replace_paths_by_texts
    return data_set


_Source: TypeAlias = str
_Row: TypeAlias = dict[str, Any]


class FileTexts:
    """The texts of the files that rows name.

    An unreadable file is one failure, however often the files are read, and its row has no text. In
    a file with many documents, the one with the file's own name counts.
    """

    def __init__(self, reading: Reading, running: Running, tally: ReadReport) -> None:
        self._reading, self._tally = reading, tally
        self._running = replace(running, tell=ignore_progress)
        self._failed_sources: set[_Source] = set()

    def replace_paths_by_texts(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield the same rows, with the content of their files instead of paths."""
        for at in range(0, len(batch), _AT_ONCE):
            some = batch.slice(at, _AT_ONCE)
            paths = [path or "" for path in some["text"].to_pylist()]
            named = dict.fromkeys(path for path in paths if path.strip())
            rows_by_source = self._read_files_unless_failed_before(named)
            rows = [rows_by_source.get(source_name(path), {}) for path in paths]
            arrays = {name: some[name] for name in DOCUMENTS.names}
            for name in _OF_FILES:
                arrays[name] = [row.get(name) for row in rows]
            yield pa.RecordBatch.from_pydict(arrays, schema=DOCUMENTS)

    def _read_files_unless_failed_before(self, paths: Iterable[str]) -> dict[_Source, _Row]:
        """Read files that have not failed before; record as failures those without one document."""
        tally, rows_of = ReadReport(), dict[_Source, _Row]()
        new = [path for path in paths if source_name(path) not in self._failed_sources]
        files = [FoundFile(path, follow=True) for path in new if os.path.lexists(path)]
        for documents in read.read_documents_of_files(
            files, self._reading, running=self._running, tally=tally
        ):
            for row in documents.to_pylist():
                rows_of.setdefault(row["source"], row)
        reasons = dict.fromkeys(map(source_name, tally.unread), "is of a format that has no reader")
        reasons |= {failure.source: failure.reason for failure in tally.failures}
        for source in map(source_name, new):
            if source not in rows_of:
                self._failed_sources.add(source)
                missing = "there is no such file"
                if os.path.lexists(source):
                    missing = "does not hold exactly one document"
                self._tally.fail(source, reasons.get(source, missing))
        for kind, count in tally.skipped.items():
            for _ in range(count):
                self._tally.skip(kind, tally.advised.get(kind, ""))
        return rows_of
