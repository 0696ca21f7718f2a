"""The index of a store: which documents may be like a text, by fingerprint, shingles or noise."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice
from typing import TypeVar

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import StoreDamaged, TooManyPairs
from ilk.fingerprints import hamming
from ilk.fingerprints.index import Index
from ilk.search.evidence import TextEvidence
from ilk.search.noise import Single
from ilk.store.db import contents, segments
from ilk.store.db.segments import FINGERPRINTS
from ilk.store.db.settings import Settings, number
from ilk.store.set_indexes import NoiseSets, SetIndexes, Shingles

#: Segments that are searched together: their fingerprints fit in the processor's cache.
_TOGETHER = 16

#: Fingerprints per question above which a join is slower than the index in memory.
_JOINED = 512

_Sets = TypeVar("_Sets", bound=SetIndexes)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done at once; results do not depend on it.

    Attributes:
        held: candidates of texts to hold.
        measured: pairs to measure.
        sample: the most documents to sample for rare shingles: statistics of shingles should use
            little memory compared with the documents.
        few: an index made from fewer documents is soon slow, as others are added.
        scans: questions for which the packed fingerprints are read, before an index in memory is
            worth making.
    """

    held: int = 1 << 18
    measured: int = 1 << 17
    sample: int = 1 << 15
    few: int = 256
    scans: int = 8


class CandidateIndex:
    """The documents that represent a text, searched by fingerprints and by sets.

    Every index has one form in the file (``segments``). The first questions about fingerprints read
    it piece by piece and keep nothing, so a process that asks little starts at once in little
    memory. Further questions are worth an index in memory, and a batch is worth a join. An index in
    memory follows what other processes write. All methods are called in a transaction, so that
    indexes and rows agree.

    Attributes:
        sizes: how much to do at once.
    """

    def __init__(self, connection: sqlite3.Connection, settings: Settings) -> None:
        """Start with indexes that are not read yet.

        The settings name the radius and the resemblance for which the indexes are fast; wider
        searches also work.
        """
        self._connection = connection
        self.sizes = Sizes()
        self._settings = settings
        self._bits = settings.recipe.bits
        self._kinds: list[type[SetIndexes]] = [Shingles] if settings.exact else []
        self._kinds += [] if settings.noise is None else [NoiseSets]
        self._scanned = 0
        # For batches: ids and fingerprints, a pair of columns for each batch that was added.
        self._columns: list[tuple[pa.Array, pa.Array]] | None = None
        self._fingerprints: Index | None = None
        self._sets: dict[type[SetIndexes], SetIndexes] = {}
        self._generation = self._before = 0
        self._changed = False
        self._writing: int | None = None

    def catch_up(self) -> None:
        """Read what other processes have written since the last time."""
        last = number(self._connection, "generation")
        if last != self._generation:
            self._columns = None
            for kind, sets in list(self._sets.items()):
                try:
                    if sets.is_current():
                        sets.follow(self._generation)
                        continue
                except (StoreDamaged, ValueError):
                    pass
                del self._sets[kind]
            if (index := self._fingerprints) is not None:
                changed = segments.changed_since(self._connection, FINGERPRINTS, self._generation)
                for segment in changed:
                    known = [one for one in segment.documents if one in index]
                    index.remove(pa.array(known, pa.int64()))
                    numbers, values = segments.columns(segment, self._bits)
                    index.add(values, numbers)
        self._generation = last
        self._writing = None

    def begin(self, generation: int) -> None:
        """Catch up, and become part of the transaction that writes this generation."""
        self.catch_up()
        self._before, self._generation = self._generation, generation
        self._changed = False
        self._writing = generation
        # Whatever is written about documents must use the order in the file.
        self._sets = {kind: one for kind, one in self._sets.items() if one.is_current()}

    def undo(self) -> None:
        """Undo the transaction; an index that changed in it is read again when needed."""
        made_now = any(group.made == self._generation for group in self._sets.values())
        self._generation = self._before
        if self._changed or made_now:
            self.forget()

    def forget(self) -> None:
        """Read the indexes again when they are next needed."""
        self._fingerprints = self._columns = None
        self._sets = {}

    def near(self, value: int | bytes, radius: int) -> list[tuple[int, int]]:
        """Return the id and the distance of every stored fingerprint within the radius of one.

        For a wider radius than that of the index, look at every fingerprint.
        """
        if radius <= self._settings.radius:
            self._scanned += 1
            if self._fingerprints is None and self._scanned > self.sizes.scans:
                ids, stored = self._column()
                self._fingerprints = Index(stored, self._settings.radius, ids=ids)
                self._columns = None
            if self._fingerprints is not None:
                return self._fingerprints.query(value, radius)
        found: list[tuple[int, int]] = []
        every = segments.every(self._connection, FINGERPRINTS)
        while some := list(islice(every, _TOGETHER)):
            stored = segments.column(b"".join(one.entries for one in some), self._bits)
            rows, bits = hamming.near(value, stored, radius)
            if len(rows):
                ids = list(chain.from_iterable(one.ids for one in some))
                places = (ids[row] for row in rows.to_pylist())
                found += zip(places, bits.to_pylist(), strict=True)
        return sorted(found, key=lambda one: one[::-1])

    def all_near(self, values: Sequence[int | bytes], radius: int) -> Iterator[list[int]]:
        """Return the ids of the stored fingerprints within the radius of each of n."""
        many = radius <= self._settings.radius and len(values) > self.sizes.scans
        many = many and len(values) * _JOINED > number(self._connection, "documents")
        if many and (joined := self._join(values, radius)) is not None:
            yield from (joined.get(at, []) for at in range(len(values)))
            return
        for value in values:
            yield [id_ for id_, _ in self.near(value, radius)]

    def _join(self, values: Sequence[int | bytes], radius: int) -> dict[int, list[int]] | None:
        ids, stored = self._column()
        asked, most = arrow.fingerprints_of(values, self._bits), 16 * self.sizes.held
        try:
            found = hamming.join(asked, stored, radius, max_pairs=most, jobs=1)
        except TooManyPairs:
            return None
        near: dict[int, list[int]] = defaultdict(list)
        numbers = ids.take(arrow.flat(found["right"])).to_pylist()
        for at, id_ in zip(found["left"].to_pylist(), numbers, strict=True):
            near[at].append(id_)
        return near

    def _column(self) -> tuple[pa.Array, pa.Array]:
        if self._columns is None or len(self._columns) != 1:
            pieces = self._columns
            if pieces is None:
                every = segments.every(self._connection, FINGERPRINTS)
                pieces = [segments.columns(one, self._bits) for one in every]
            kind = arrow.fingerprint_type(self._bits)
            ids = arrow.joined((ids for ids, _ in pieces), pa.int64())
            self._columns = [(ids, arrow.joined((values for _, values in pieces), kind))]
        return self._columns[0]

    def resembling(self, kept: TextEvidence | None, resemblance: Fraction) -> list[int]:
        """Return the documents that the shingles nominate with a text (``Shingles.alike``)."""
        return [] if kept is None else self._of(Shingles).alike(kept, resemblance)

    def noisy(self, one: Single | None) -> list[int]:
        """Return the documents that the second sets nominate with a text."""
        limits = self._settings.limits
        return [] if one is None or limits is None else self._of(NoiseSets).alike(one, limits)

    def add(self, ids: pa.Array, values: pa.Array) -> None:
        """Put documents into the file's segments and the indexes.

        Args:
            ids: n documents (``int64``), not there yet, but with their evidence and second sets in
                the file.
            values: their n fingerprints; null for a document without one.
        """
        self._changed = True
        if self._fingerprints is not None:
            self._fingerprints.add(values, ids)
        if self._columns is not None:
            self._columns.append((ids.filter(values.is_valid()), values.drop_null()))
        numbers = ids.to_pylist()
        packed = segments.packed_values(numbers, values)
        segments.add(self._connection, FINGERPRINTS, self._generation, packed)
        for kind in self._kinds:
            self._of(kind).add(numbers, self._generation)

    def remove(self, ids: list[int]) -> None:
        """Remove documents from the segments and the indexes, if they are there."""
        self._changed = True
        self._columns = None
        if (index := self._fingerprints) is not None:
            index.remove(pa.array([one for one in ids if one in index], pa.int64()))
        segments.remove(self._connection, FINGERPRINTS, self._generation, ids)
        for kind in self._kinds:
            try:
                for part in kind.parts:
                    segments.remove(self._connection, part, self._generation, ids)
                if kind in self._sets:
                    self._sets[kind].remove(ids)
            except StoreDamaged:
                # The first question makes it again.
                segments.forget_order(self._connection, kind.parts[0])
                self._sets.pop(kind, None)

    def rebuild(self) -> None:
        """Make the segments again from the documents, and the second sets from the texts."""
        self.forget()
        segments.clear(self._connection, FINGERPRINTS, self._generation)
        for entries in segments.fingerprints(self._connection, self._bits):
            segments.add(self._connection, FINGERPRINTS, self._generation, entries)
        if self._settings.noise is not None:
            contents.rebuild_noise_sets(self._connection)
        for kind in self._kinds:
            segments.forget_order(self._connection, kind.parts[0])
            self._of(kind)

    def check(self) -> Iterator[str | None]:
        """Compare what the file has packed, if only in part, with what it is made from.

        Yield for each segment None, and what is wrong.
        """
        made = segments.fingerprints(self._connection, self._bits)
        yield from segments.differences(self._connection, FINGERPRINTS, made)
        for kind in self._kinds:
            if segments.is_there(self._connection, kind.parts):
                sets = kind(self._connection, self._settings, self.sizes.sample, None)
                for problem in sets.check():
                    yield problem and f"the index of {kind.name} is damaged ({problem})."

    def _of(self, kind: type[_Sets]) -> _Sets:
        """Return the indexes of one kind of sets, read or made if they are not there."""
        sets = self._sets.get(kind)
        if sets is None:
            sets = kind(self._connection, self._settings, self.sizes.sample, self._writing)
            self._sets[kind] = sets
        if sets.outgrown(self.sizes.few):
            sets.make(self._writing)
        assert isinstance(sets, kind)
        return sets
