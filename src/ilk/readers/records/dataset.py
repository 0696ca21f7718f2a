"""A data set: the rows of many sources as one, numbered in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.errors import ColumnTypeError
from ilk.fingerprints.digest import bytes_digests, first_rows
from ilk.readers.progress import Progress
from ilk.readers.records import copies, values
from ilk.readers.records.chosen import chosen, count, shifted
from ilk.readers.records.copies import Origin
from ilk.readers.records.signature import Signature
from ilk.readers.records.sources import ID, Counts, Names, Part, Rejected, Source, Tell

#: Rows that share the id of an earlier one.
COPIES = pa.schema([pa.field("doc", pa.int64()), pa.field("first", pa.int64())])

#: What a row does not have; its text's digest is made when it is needed.
_UNKNOWN = {
    name: columns.DOCUMENTS.field(name).type for name in ("bytes_digest", "size", "modified")
}


class Records:
    """Rows that are read in bounded memory, and as often as needed.

    Documents are numbered from 0 in reading order: source by source, row by row; what cannot be
    read is no document. The first pass counts them, whichever method asks for it; a later one
    refuses to go on if a file has changed since.

    Attributes:
        sources: in reading order; their counts are complete after the first pass.
    """

    def __init__(
        self, sources: Sequence[Source], origins: Sequence[Origin], names: Names, progress: Progress
    ) -> None:
        """Read nothing yet.

        Args:
            sources: in reading order.
            origins: where each lies.
            names: the columns that are read.
            progress: told of the bytes read in each pass.
        """
        self.sources = list(sources)
        self._origins, self._names, self._progress = list(origins), names, progress
        self._complete = False
        self._id_digests: list[tuple[int, pa.Array]] = []

    def batches(self, rows: Any = None) -> Iterator[pa.RecordBatch]:
        """Documents as ``DOCUMENTS``: all of them, or those that are named.

        Args:
            rows: a truth value for every document, or ascending document numbers.

        Raises:
            SourceChanged: a file has changed since it was first read.
            ColumnTypeError: no row has a column of that name, or it holds no texts.
            OptionError: ``rows`` does not fit the documents.
        """
        if rows is None:
            yield from self._read()
            return
        wanted = chosen(rows, self.rows())
        for first, source, tell in self._each("read again"):
            yield from _documents(source, first, source.again(shifted(wanted, first), tell))

    def texts(self, rows: Any) -> pa.ChunkedArray:
        """The texts of the documents that are named, in their order, all at once.

        Args:
            rows: as for ``batches``, which raises the same errors.
        """
        texts = [batch.column("text") for batch in self.batches(rows)]
        return pa.chunked_array(texts, pa.large_string())

    def column(self, name: str) -> pa.ChunkedArray:
        """Another column of all documents, in a type that fits (``values.column`` says which).

        Raises:
            SourceChanged: a file has changed since it was first read.
            ColumnTypeError: there is no such column, or it holds values of several kinds.
        """
        self.rows()
        passes = self._each("read a column")
        pieces = (piece for _, source, tell in passes for piece in source.column(name, tell))
        return values.column(name, pieces)

    def rows(self) -> int:
        """The number of documents."""
        if not self._complete:
            for _ in self._read():
                pass
        return self.counts.rows

    def check(self, to: str | Path, *, force: bool = False) -> None:
        """Refuse a place where kept rows cannot be written, before any work.

        Raises:
            OutputError: something is there already (and not ``force``), or it is a file that is
                read, or there is no such folder.
            OptionError: rows of these sources do not fit into one file of that name.
        """
        copies.plan(self.sources, self._origins, to, force)

    def write(self, keep: Any, to: str | Path, *, force: bool = False) -> int:
        """Write the rows that are kept, unchanged, and tell how many they are.

        JSON lines and rows of CSV are written byte for byte; Parquet keeps its schema, its metadata
        and the number of rows in a group. A name that ends in .gz or .zst is written compressed.

        Args:
            keep: a truth value for every document, or ascending document numbers.
            to: a file; or a folder that is there, or a path that ends in "/", for one file a
                source, each with the name it has.
            force: replace what is there.

        Raises:
            OutputError, OptionError: as ``check`` says; or the disk is full. What was being written
                then has not taken its name.
            SourceChanged: a file has changed since it was first read.
        """
        plan = copies.plan(self.sources, self._origins, to, force)
        wanted = chosen(keep, self.rows())
        passes = self._each("write")
        for path, members in plan:
            copies.write(path, members, passes, wanted)
        return count(keep)

    def rejected(self) -> Iterator[Rejected]:
        """The rows that cannot be read, in reading order."""
        self.rows()
        for source in self.sources:
            yield from source.rejected()

    def signature(self) -> list[Signature]:
        """What tells whether a source has changed since."""
        return [source.signature() for source in self.sources]

    @property
    def counts(self) -> Counts:
        """Rows by what became of them; complete after the first pass."""
        return sum((source.counts for source in self.sources), Counts())

    @property
    def statistics(self) -> dict[str, Any]:
        """What was read, as plain values; it takes a pass if there was none yet."""
        self.rows()
        failures = [(source.name, source.failure) for source in self.sources if source.failure]
        return {
            "sources": len(self.sources),
            "bytes": sum(source.size for source in self.sources),
            **asdict(self.counts),
            "same_ids": len(self.same_ids),
            "failures": [{"source": name, "reason": reason} for name, reason in failures],
        }

    @cached_property
    def same_ids(self) -> pa.Table:
        """Documents whose id an earlier one has: ``doc``, and the ``first`` with that id."""
        self.rows()
        digests = columns.joined((digests for _, digests in self._id_digests), columns.DIGEST)
        docs = columns.joined(
            (pa.arange(first, first + len(digests)) for first, digests in self._id_digests),
            pa.int64(),
        )
        self._id_digests = []
        firsts = docs.take(first_rows(digests))
        found = pa.table([docs, firsts], schema=COPIES)
        return found.filter(pc.fill_null(pc.not_equal(found["doc"], found["first"]), False))

    def _read(self) -> Iterator[pa.RecordBatch]:
        """The first pass, or the same once more."""
        self._complete, self._id_digests = False, []
        for first, source, tell in self._each("read"):
            for batch in _documents(source, first, source.read(tell)):
                ids = batch.column("id")
                if ids.null_count < len(ids):
                    digests = bytes_digests(pa.chunked_array([ids.cast(pa.large_string())]))
                    self._id_digests.append((batch.column("doc")[0].as_py(), digests))
                yield batch
        self._check_names()
        self._complete = True

    def _check_names(self) -> None:
        """Refuse names that no row has: they are wrong, and every row would go without.

        Raises:
            ColumnTypeError: there is no text, or no id under a name that was given.
        """
        counts = self.counts
        if counts.rows and counts.missing == counts.rows:
            raise self._no_row_has(" or ".join(self._names.texts))
        if counts.rows and self._names.id is not None and not self._id_digests:
            raise self._no_row_has(self._names.id)

    def _no_row_has(self, name: str) -> ColumnTypeError:
        return ColumnTypeError(
            f"none of {self.counts.rows:,} rows of {self.sources[0].name or 'the table'}"
            f"{', ...' * (len(self.sources) > 1)} has a value named {name}. Name the column of "
            f"texts by text= (--text), that of ids by id= (--id; {ID} if nothing is said)."
        )

    def _each(self, step: str) -> Iterator[tuple[int, Source, Tell]]:
        """Every source, with the number of its first document, and whom to tell of its bytes."""
        first = behind = 0
        total = sum(source.size for source in self.sources)
        for source in self.sources:

            def tell(size: int, behind: int = behind) -> None:
                self._progress(step, behind + size, total, behind + size)

            yield first, source, tell
            first += source.counts.rows
            behind += source.size
            tell(source.size)


def _documents(source: Source, first: int, parts: Iterator[Part]) -> Iterator[pa.RecordBatch]:
    """Rows of a source as documents, of which that of row 0 has the number ``first``."""
    number, name, mark = (pa.scalar(value) for value in (first, source.name, "#"))
    for rows, texts, ids in parts:
        if len(rows):
            arrays = {
                "doc": pc.add(rows, number),
                "source": pc.binary_join_element_wise(name, rows.cast(pa.string()), mark),
                "id": ids,
                "text": texts,
            }
            arrays |= {name: pa.nulls(len(rows), kind) for name, kind in _UNKNOWN.items()}
            yield pa.RecordBatch.from_pydict(arrays, schema=columns.DOCUMENTS)
