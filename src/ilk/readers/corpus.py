"""Documents that are read once, and the texts of chosen ones read again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk.errors import SourceChanged
from ilk.readers.documents import read
from ilk.readers.files.walk import STDIN
from ilk.readers.reading import Reading, named_paths
from ilk.readers.tally import Tally
from ilk.system.running import Running


class Corpus:
    """The documents of a source; as ``columns.Texts``, their texts.

    Files are read again where texts are asked for; what can be read but once, standard input and
    streams, is held in memory, and so is what was in memory already.
    """

    def __init__(self, source: Any, reading: Reading, running: Running, tally: Tally) -> None:
        """Read nothing yet; the tally counts the first pass."""
        self._asked = (source, reading, running)
        self._tally = tally
        paths = named_paths(source)
        again = paths is not None and all(os.fspath(path) != STDIN for path in paths)
        self._held: list[pa.Array] | None = None if again else []
        self._rows: pa.BooleanArray | None = None
        self._count = 0

    def __len__(self) -> int:
        """Return the number of documents."""
        return self._count

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as ``DOCUMENTS``: the first pass."""
        for batch in read(*self._asked, self._tally):
            self._count += len(batch)
            if self._held is not None:
                self._held.append(batch.column("text"))
            yield batch

    @property
    def chunks(self) -> Iterator[pa.Array]:
        """Yield the texts in order; null for those that are not asked for.

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
                f"{self._asked[0]!r} had {self._count:,} documents and has {begin:,} now; nothing "
                "was written. Run it again."
            )

    def only(self, rows: pa.BooleanArray) -> Corpus:
        """Return the texts of which only some are asked for."""
        some = object.__new__(Corpus)
        some.__dict__.update(self.__dict__)
        some._rows = rows if self._rows is None else pc.and_(self._rows, rows)
        return some

    def _texts(self) -> Iterator[pa.Array]:
        if self._held is not None:
            yield from self._held
        else:
            yield from (batch.column("text") for batch in read(*self._asked, Tally()))
