"""The indexes in memory that find candidates, kept in step with the file."""

from __future__ import annotations

import sqlite3
from fractions import Fraction

import pyarrow as pa

from ilk import arrow
from ilk.fingerprints import hamming
from ilk.fingerprints.index import Index
from ilk.search.noise import Single
from ilk.search.text_evidence import TextEvidence
from ilk.store.db import entries, noise_sets, segments
from ilk.store.db.entries import DamagedError
from ilk.store.db.segments import Segment
from ilk.store.db.settings import Settings, number
from ilk.store.noisy import NoiseSets
from ilk.store.resembling import Resembling
from ilk.store.sizes import USUAL, Sizes

#: No limit, in the form for the index.
_ANY = (1 << 62) - 1


class Nominator:
    """The documents that represent a text, searched by fingerprints and by shingle sets.

    Each index is built when it is first used, and follows what other processes write. All methods
    are called in a transaction, so that indexes and rows agree.

    Attributes:
        sizes: how much to do at once.
    """

    def __init__(
        self, connection: sqlite3.Connection, settings: Settings, sizes: Sizes = USUAL
    ) -> None:
        """Start with indexes that are not built yet.

        Args:
            connection: to the store's file.
            settings: the settings of the store: the radius and the resemblance for which the
                indexes are fast; wider searches also work.
            sizes: how much to do at once.
        """
        self._connection = connection
        self.sizes = sizes
        self._settings = settings
        self._bits = settings.recipe.bits
        self._radius = settings.radius
        self._index: Index | None = None
        self._sets: Resembling | None = None
        self._noise: NoiseSets | None = None
        self._generation = self._before = 0
        self._changed = False
        self._writing: int | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the indexes use."""
        near = self._resembling().nbytes if self._settings.exact else self._built().nbytes
        return near if self._settings.noise is None else near + self._noise_sets().nbytes

    def catch_up(self) -> None:
        """Read what other processes have written since the last time.

        Raises:
            StoreDamaged: a segment is damaged.
        """
        last = number(self._connection, "generation")
        if last != self._generation and self._holds:
            for found in segments.changed_since(self._connection, self._generation, self._bits):
                self._follow(found)
        self._generation = last
        self._writing = None

    @property
    def _holds(self) -> bool:
        """Whether an index is built."""
        return any(one is not None for one in (self._index, self._sets, self._noise))

    def _follow(self, found: Segment) -> None:
        """Read one segment."""
        first = found.number * segments.SIZE
        ids = range(first, first + segments.SIZE)
        if self._index is not None:
            old = [one for one in ids if one in self._index]
            self._index.remove(pa.array(old, pa.int64()))
            self._index.add(found.fingerprints, found.ids)
        if self._noise is not None:
            self._noise.remove(ids)
            self._noise.add(ids)
        if self._sets is not None:
            try:
                self._sets.follow(ids)
            except (DamagedError, ValueError):
                self._sets = None

    def begin(self, generation: int) -> None:
        """Catch up, and become part of the transaction that writes this generation."""
        self.catch_up()
        self._before, self._generation = self._generation, generation
        self._changed = False
        self._writing = generation
        # Whatever is written about documents must use the order in the file.
        if self._sets is not None and (
            self._sets.made is None or self._sets.made != entries.made(self._connection)
        ):
            self._sets = None

    def undo(self) -> None:
        """Undo the transaction; an index that changed in it is built again when needed."""
        made_now = self._sets is not None and self._sets.made == self._generation
        self._generation = self._before
        if self._changed or made_now:
            self.forget()

    def forget(self) -> None:
        """Build the indexes again when they are next needed."""
        self._index = self._sets = self._noise = None

    def near(self, value: int | bytes, radius: int) -> list[tuple[int, int]]:
        """Return the id and the distance of every stored fingerprint within the radius of one.

        For a wider radius than that of the index, look at every fingerprint.
        """
        if radius <= self._radius:
            return self._built().query(value, radius)
        ids, stored = self._packed()
        found = hamming.join(arrow.fingerprints([value]), stored, radius, max_pairs=_ANY, jobs=1)
        near = ids.take(arrow.flat(found["right"]))
        return list(zip(near.to_pylist(), found["distance"].to_pylist(), strict=True))

    def resembling(self, kept: TextEvidence | None, resemblance: Fraction) -> list[int]:
        """Return all documents that share this much of the larger set with a text, and some others.

        Below the resemblance of the store, these are all documents of a suitable size.
        """
        return [] if kept is None else self._resembling().near(kept, resemblance)

    def noisy(self, one: Single | None) -> list[int]:
        """Return the documents that the second sets nominate with a text."""
        return [] if one is None else self._noise_sets().near(one)

    def add(self, ids: pa.Array, values: pa.Array) -> None:
        """Put documents into the file's segments and the indexes.

        Args:
            ids: n documents (``int64``), not there yet, but with their evidence and second sets in
                the file.
            values: their n fingerprints; null for a document without one.
        """
        self._changed = True
        if self._index is not None:
            self._index.add(values, ids)
        if self._settings.exact:
            self._resembling().add(ids.to_pylist())
        if self._noise is not None:
            self._noise.add(ids.to_pylist())
        segments.add(self._connection, self._generation, ids, values)

    def remove(self, ids: list[int]) -> None:
        """Remove documents from the segments and the indexes, if they are there."""
        self._changed = True
        if self._index is not None:
            self._index.remove(pa.array([one for one in ids if one in self._index], pa.int64()))
        if self._sets is not None:
            self._sets.remove(ids)
        if self._noise is not None:
            self._noise.remove(ids)
        entries.delete(self._connection, ids)
        segments.remove(self._connection, self._generation, ids)

    def rebuild(self) -> None:
        """Make the segments again from the rows of the documents, and derived shingles again from
        others or from texts.
        """
        self.forget()
        segments.rebuild(self._connection, self._generation, self._bits)
        if self._settings.exact:
            entries.clear(self._connection)
            self._resembling()
        if self._settings.noise is not None:
            noise_sets.rebuild(self._connection)

    def _built(self) -> Index:
        if self._index is None:
            ids, values = self._packed()
            self._index = Index(values, self._radius, ids=ids)
        return self._index

    def _resembling(self) -> Resembling:
        if self._sets is None:
            least = self._settings.resemblance
            self._sets = Resembling(self._connection, least, self.sizes, self._writing)
        if self._sets.outgrown:
            self._sets.make(self._writing)
        return self._sets

    def _noise_sets(self) -> NoiseSets:
        limits = self._settings.limits
        assert limits is not None, "noisy copies are looked for"
        if self._noise is None or self._noise.outgrown:
            self._noise = NoiseSets(self._connection, limits, self.sizes)
        return self._noise

    def _packed(self) -> tuple[pa.Array, pa.Array]:
        """Return all ids, and the fingerprint of each, from the file."""
        found = list(segments.changed_since(self._connection, -1, self._bits))
        kind = arrow.fingerprint_type(self._bits)
        values = arrow.joined((one.fingerprints for one in found), kind)
        ids = arrow.joined((one.ids for one in found), pa.int64())
        return ids, values
