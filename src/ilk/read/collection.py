"""A collection: documents that are read once, and chosen texts of them again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import DIGEST, DOCUMENTS, padded
from ilk.base.errors import SourceChanged
from ilk.base.running import Running
from ilk.read.documents import read
from ilk.read.files.copies import copies
from ilk.read.files.walk import STDIN
from ilk.read.reading import Reading
from ilk.read.rows.given import named_paths
from ilk.read.tally import Tally


class CollectionPart(Protocol):
    """Documents that come together: those of a source, or the rows of a ``DataSet``."""

    def __len__(self) -> int:
        """Return the number of documents, once they have been read."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as ``DOCUMENTS``, numbered from 0: the first pass."""

    def again(self, rows: pa.BooleanArray | None) -> Iterator[pa.Array]:
        """Yield the texts in order, null for those that are not wanted; None wants all."""


class Collection:
    """Documents of one part or several, numbered consecutively; as ``arrow.Texts``, their texts."""

    def __init__(self, *parts: CollectionPart, rows: pa.BooleanArray | None = None) -> None:
        """Take parts in their order, none of them read yet; ``rows`` are the wanted texts."""
        self.parts = parts
        self._rows = rows

    @classmethod
    def of(
        cls, source: Any, reading: Reading, running: Running, tally: Tally, *, copies: bool = False
    ) -> Collection:
        """Return the documents of a source, as ``ilk.read.documents.read`` takes it.

        Args:
            source, reading, running: what to read, and how.
            tally: counts the first pass.
            copies: files without text become documents if they are byte for byte the same as
                another; they come last.
        """
        return cls(SourceDocuments(source, reading, running, tally, copies=copies))

    def __len__(self) -> int:
        """Return the number of documents, once they have been read."""
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
            SourceChanged: there are more or fewer documents than before, or others.
        """
        begin = 0
        for part in self.parts:
            rows = None if self._rows is None else self._rows.slice(begin, len(part))
            yield from part.again(rows)
            begin += len(part)

    def only(self, rows: pa.BooleanArray) -> Collection:
        """Return the same with only some texts."""
        some = rows if self._rows is None else pc.and_(self._rows, rows)
        return Collection(*self.parts, rows=some)

    def resume(self, count: int) -> None:
        """Set the number of documents that the first pass of an interrupted run has found."""
        (part,) = self.parts
        assert isinstance(part, SourceDocuments), "rows are counted by their data set"
        part.count = count


class SourceDocuments:
    """The documents of a source.

    Files are read again when texts are needed; sources that can be read only once, standard input
    and streams, are held in memory, and so are sources already in memory.

    Attributes:
        count: the number of documents that have been read.
    """

    def __init__(
        self, source: Any, reading: Reading, running: Running, tally: Tally, *, copies: bool
    ) -> None:
        """Read nothing yet; arguments as for ``Collection.of``."""
        self.count = self._without_text = 0
        self._copies, self._tally = copies, tally
        self._asked = (source, reading, running)
        paths = named_paths(source)
        again = paths is not None and all(os.fspath(path) != STDIN for path in paths)
        self._held: list[pa.Array] | None = None if again else []

    def __getstate__(self) -> dict[str, Any]:
        """Leave out a held source, which may be a stream."""
        if self._held is None:
            return self.__dict__
        return self.__dict__ | {"_asked": (None, *self._asked[1:])}

    def __len__(self) -> int:
        """Return the number of documents that have been read."""
        return self.count

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as ``DOCUMENTS``: the first pass."""
        for batch in read(*self._asked, self._tally):
            self.count += len(batch)
            if self._held is not None:
                self._held.append(batch.column("text"))
            yield batch
        if self._copies:
            yield from self._same_bytes()

    def _same_bytes(self) -> Iterator[pa.RecordBatch]:
        """Yield the files without text that have a copy."""
        found = copies(self._tally.unread, self._tally.held)
        self._tally.by_bytes = True
        if not found:
            return
        first, self._without_text = self.count, len(found)
        self.count += len(found)
        modified = pa.array([one.modified for one in found])
        known = {
            "doc": pa.arange(first, self.count),
            "source": pa.array([one.source for one in found]),
            "file": pa.array([one.file for one in found]),
            "bytes_digest": pa.array([one.digest for one in found], DIGEST),
            "size": pa.array([one.size for one in found]),
            "modified": modified.cast(DOCUMENTS.field("modified").type),
        }
        yield padded(pa.table(known), DOCUMENTS).combine_chunks().to_batches()[0]

    def again(self, rows: pa.BooleanArray | None) -> Iterator[pa.Array]:
        """Yield the texts in order, null for those that are not wanted; None wants all.

        Raises:
            SourceChanged: there are more or fewer documents than before.
        """
        begin = 0
        for texts in self._texts():
            end = begin + len(texts)
            if rows is not None:
                wanted = rows.slice(begin, len(texts))
                texts = pc.if_else(wanted, texts, pa.scalar(None, texts.type))
            yield texts
            begin = end
        if begin != self.count:
            raise SourceChanged(
                f"{self._asked[0]!r} had {self.count:,} documents and now has {begin:,}; nothing "
                "was written. Run again."
            )

    def _texts(self) -> Iterator[pa.Array]:
        if self._held is not None:
            yield from self._held
        else:
            yield from (batch.column("text") for batch in read(*self._asked, Tally()))
        if self._without_text:
            yield pa.nulls(self._without_text, pa.large_string())
