"""The index in memory, kept in step with the file, in which candidates are found by fingerprint."""

from __future__ import annotations

import sqlite3

import pyarrow as pa

from ilk import columns
from ilk.pairing import hamming
from ilk.pairing.index import Index
from ilk.store import file, segments

#: No limit, as the index takes it.
_ANY = (1 << 62) - 1


class Nominator:
    """Fingerprints of the documents that stand for a text, searched by their bits.

    It is built at the first look, and follows what other processes write. All its methods are
    called in a transaction, so that index and rows agree.
    """

    def __init__(self, connection: sqlite3.Connection, bits: int, radius: int) -> None:
        """An index that is not built yet.

        Args:
            connection: to the store's file.
            bits: width of the fingerprints.
            radius: the bits within which it is fast; wider queries are answered too.
        """
        self._connection = connection
        self._bits = bits
        self._radius = radius
        self._index: Index | None = None
        self._generation = self._before = 0
        self._changed = False

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the index takes."""
        return self._built().nbytes

    def catch_up(self) -> None:
        """Take over what other processes have written since the last look.

        Raises:
            StoreDamaged: a segment is not what was written.
        """
        last = file.number(self._connection, "generation")
        if self._index is not None and last != self._generation:
            for found in segments.changed_since(self._connection, self._generation, self._bits):
                first = found.number * segments.SIZE
                old = [one for one in range(first, first + segments.SIZE) if one in self._index]
                self._index.remove(pa.array(old, pa.int64()))
                self._index.add(found.fingerprints, found.ids)
        self._generation = last

    def begin(self, generation: int) -> None:
        """Catch up, and become part of the transaction that writes this generation."""
        self.catch_up()
        self._before, self._generation = self._generation, generation
        self._changed = False

    def undo(self) -> None:
        """The transaction is undone; an index that has changed in it is built again when needed."""
        self._generation = self._before
        if self._changed:
            self.forget()

    def forget(self) -> None:
        """Build the index again when it is next needed."""
        self._index = None

    def near(self, values: pa.Array, radius: int, most: int | None) -> pa.Table:
        """Every stored fingerprint within the radius of each of n values, of which nulls have none.

        A wider radius than that of the index is answered by a look at every fingerprint.

        Returns:
            ``query`` (the row), ``id`` and ``distance``.

        Raises:
            TooManyPairs: there are more than ``most``.
        """
        limit = _ANY if most is None else most
        if radius <= self._radius:
            return self._built().query_many(values, radius, max_pairs=limit)
        ids, stored = self._packed()
        found = hamming.join(values, stored, radius, max_pairs=limit)
        near = ids.take(columns.flat(found["right"]))
        return pa.table({"query": found["left"], "id": near, "distance": found["distance"]})

    def near_one(self, value: int | bytes, radius: int) -> list[tuple[int, int]]:
        """The id and the distance of every stored fingerprint within the radius of one."""
        if radius <= self._radius:
            return self._built().query(value, radius)
        found = self.near(columns.fingerprints([value]), radius, None)
        return list(zip(found["id"].to_pylist(), found["distance"].to_pylist(), strict=True))

    def add(self, ids: pa.Array, values: pa.Array) -> None:
        """Put fingerprints into the file and the index.

        Args:
            ids: n documents (``int64``), none of which is there.
            values: their n fingerprints.
        """
        self._changed = True
        if self._index is not None:
            self._index.add(values, ids)
        segments.add(self._connection, self._generation, ids, values)

    def remove(self, ids: list[int]) -> None:
        """Take documents out of the file and the index, those that are not there left out."""
        self._changed = True
        if self._index is not None:
            self._index.remove(pa.array([one for one in ids if one in self._index], pa.int64()))
        segments.remove(self._connection, self._generation, ids)

    def rebuild(self) -> None:
        """Make the segments again from the rows of the documents."""
        self.forget()
        segments.rebuild(self._connection, self._generation, self._bits)

    def _built(self) -> Index:
        if self._index is None:
            ids, values = self._packed()
            self._index = Index(values, self._radius, ids=ids)
        return self._index

    def _packed(self) -> tuple[pa.Array, pa.Array]:
        """All ids, and the fingerprint of each, as they stand in the file."""
        found = list(segments.changed_since(self._connection, -1, self._bits))
        kind = columns.fingerprint_type(self._bits)
        values = columns.joined((one.fingerprints for one in found), kind)
        ids = columns.joined((one.ids for one in found), pa.int64())
        return ids, values
