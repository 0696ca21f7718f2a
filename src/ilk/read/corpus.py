"""Documents that are read once, and chosen texts of them again."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any

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


class Corpus:
    """The documents of a source; as ``columns.Texts``, their texts.

    Files are read again when texts are needed; sources that can be read only once, standard input
    and streams, are held in memory, and so are sources already in memory.
    """

    def __init__(
        self,
        source: Any,
        reading: Reading,
        running: Running,
        tally: Tally,
        *,
        copies: bool = False,
    ) -> None:
        """Read nothing yet; the tally counts the first pass.

        With ``copies``, files without text become documents if they are byte for byte the same as
        another; they come last.
        """
        self._copies, self._without_text = copies, 0
        self._asked = (source, reading, running)
        self._tally = tally
        paths = named_paths(source)
        again = paths is not None and all(os.fspath(path) != STDIN for path in paths)
        self._held: list[pa.Array] | None = None if again else []
        self._rows: pa.BooleanArray | None = None
        self._count = 0

    def __getstate__(self) -> dict[str, Any]:
        """Leave out a held source, which may be a stream."""
        if self._held is None:
            return self.__dict__
        return self.__dict__ | {"_asked": (None, *self._asked[1:])}

    def __len__(self) -> int:
        """Return the number of documents."""
        return self._count

    def resume(self, count: int) -> None:
        """Set the number of documents that the first pass of an interrupted run has found."""
        self._count = count

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as ``DOCUMENTS``: the first pass."""
        for batch in read(*self._asked, self._tally):
            self._count += len(batch)
            if self._held is not None:
                self._held.append(batch.column("text"))
            yield batch
        if self._copies:
            yield from self._same_bytes()

    def _same_bytes(self) -> Iterator[pa.RecordBatch]:
        """Yield the files without text that have a copy."""
        found = copies(self._tally.unread)
        self._tally.by_bytes = True
        if found:
            count = self._without_text = len(found)
            first = self._count
            self._count += count
            known = {
                "doc": pa.arange(first, self._count),
                "source": pa.array([one.source for one in found]),
                "bytes_digest": pa.array([one.digest for one in found], DIGEST),
                "size": pa.array([one.size for one in found]),
                "modified": pa.array([one.modified for one in found]).cast(
                    DOCUMENTS.field("modified").type
                ),
            }
            yield padded(pa.table(known), DOCUMENTS).combine_chunks().to_batches()[0]

    @property
    def chunks(self) -> Iterator[pa.Array]:
        """Yield the texts in order; null for those that are not wanted.

        Raises:
            SourceChanged: there are more or fewer documents than before.
        """
        begin = 0
        for texts in self._texts():
            rows = None if self._rows is None else self._rows.slice(begin, len(texts))
            begin += len(texts)
            yield texts if rows is None else pc.if_else(rows, texts, pa.scalar(None, texts.type))
        if begin != self._count:
            raise SourceChanged(
                f"{self._asked[0]!r} had {self._count:,} documents and now has {begin:,}; nothing "
                "was written. Run again."
            )

    def only(self, rows: pa.BooleanArray) -> Corpus:
        """Return the texts of only some rows."""
        some = object.__new__(Corpus)
        some.__dict__.update(self.__dict__)
        some._rows = rows if self._rows is None else pc.and_(self._rows, rows)
        return some

    def _texts(self) -> Iterator[pa.Array]:
        if self._held is not None:
            yield from self._held
        else:
            yield from (batch.column("text") for batch in read(*self._asked, Tally()))
        if self._without_text:
            yield pa.nulls(self._without_text, pa.large_string())


class Corpora:
    """Several corpora as one, with documents numbered consecutively; also ``columns.Texts``."""

    def __init__(self, parts: Sequence[Corpus]) -> None:
        """Take them in their order."""
        self.parts = tuple(parts)

    def __len__(self) -> int:
        """Return the number of documents."""
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
        """Yield the texts in order, as of ``Corpus``."""
        for part in self.parts:
            yield from part.chunks

    def only(self, rows: pa.BooleanArray) -> Corpora:
        """Return the texts of only some rows."""
        ends = itertools.accumulate(map(len, self.parts))
        pairs = zip(self.parts, ends, strict=True)
        return Corpora([part.only(rows.slice(end - len(part), len(part))) for part, end in pairs])
