"""The index of a store: which documents may be like a text, by fingerprint, shingles or noise."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pyarrow as pa

from ilk import _kernels, arrow
from ilk.base.errors import StoreDamaged, TooManyPairs
from ilk.fingerprints import hamming
from ilk.fingerprints.index import Index
from ilk.search.evidence import TextEvidence
from ilk.store.db import postings, segments
from ilk.store.db.settings import Settings, read_counter
from ilk.store.set_indexes import NoiseSets, SetIndexes, Shingles, compare_sums

#: A batch is joined with all fingerprints if it has more than one in this number of the documents;
#: a smaller one is compared with each, which needs no tables. Both find the same documents.
_JOINED = 512


@dataclass(frozen=True, slots=True)
class BatchSizes:
    """How much is done at once; results do not depend on it.

    Attributes:
        held: candidates of texts to hold.
        measured: pairs to measure.
        sample: the most documents to sample for rare shingles: statistics of shingles should use
            little memory compared with the documents.
        few: an index of fewer documents is rebuilt as documents are added.
        scans: questions about fingerprints before an index in memory is worth making.
    """

    held: int = 1 << 18
    measured: int = 1 << 17
    sample: int = 1 << 12
    few: int = 256
    scans: int = 8


class CandidateIndex:
    """The documents that represent a text, searched by fingerprints and by sets.

    Every index has one form in the file. Questions about sets read what they need of it
    (``postings``). The first questions about fingerprints look at all of them, one segment after
    the other (``segments``), so a process that asks little starts at once in little memory. Further
    questions are worth an index in memory, which follows what other processes write; and a batch is
    worth a join. All methods are called in a transaction, so that indexes and rows agree.

    Attributes:
        sizes: how much to do at once.
        shingles, noise: the indexes of sets; None if the store has none of them.
    """

    def __init__(self, connection: sqlite3.Connection, settings: Settings) -> None:
        """Start with indexes that are not read yet."""
        self._connection = connection
        self.sizes = BatchSizes()
        self._settings = settings
        self._bits = settings.recipe.bits
        self._kind = arrow.fingerprint_type(self._bits)
        self.shingles = Shingles(connection, settings) if settings.exact else None
        self.noise = None if settings.noise is None else NoiseSets(connection, settings)
        self._kinds: list[SetIndexes] = [one for one in (self.shingles, self.noise) if one]
        self._asked = 0
        self._fingerprints: Index | None = None
        # What the last join found, for as long as it holds.
        self._joined: tuple[int, dict[int | bytes, list[int]]] = (0, {})
        self._generation = self._before = 0
        self._changed = self._lost = False

    def catch_up(self) -> None:
        """Read what other processes have written since the last time."""
        self._joined = (0, {})
        last = read_counter(self._connection, "generation")
        if last != self._generation and (index := self._fingerprints) is not None:
            for segment in segments.read_segments_changed_since(self._connection, self._generation):
                index.remove(_ids_in_index(index, segment.possible_ids))
                index.add(segments.column_of_packed(segment.entries, self._kind), segment.ids)
        self._generation = last

    def catch_up_and_begin_transaction(self, *, next_generation: int) -> None:
        """Become part of the transaction that writes this generation."""
        self.catch_up()
        self._before, self._generation = self._generation, next_generation
        self._changed = self._lost = False

    def undo_transaction(self) -> None:
        """Undo the transaction; an index that changed in it is read again when needed."""
        self._generation = self._before
        if self._changed:
            self.forget_what_was_read()

    def forget_what_was_read(self) -> None:
        """Read the indexes again when they are next needed."""
        self._fingerprints, self._joined = None, (0, {})
        for kind in self._kinds:
            kind.forget_what_was_read()

    def find_near(self, value: int | bytes, radius: int) -> list[tuple[int, int]]:
        """Return the id and the distance of every stored fingerprint within the radius of one."""
        self._asked += 1
        if self._fingerprints is None and self._asked > self.sizes.scans:
            ids, stored = self._read_all_fingerprints()
            held = segments.column_of_packed(ids, pa.int64())
            self._fingerprints = Index(stored, self._settings.radius, ids=held)
        if self._fingerprints is not None:
            return self._fingerprints.query(value, radius)
        asked = bytes(arrow.raw_bytes(arrow.import_fingerprints_of_width([value], self._bits)))
        found = [
            (segment.ids[place], bits)
            for segment in segments.read_all_segments(self._connection)
            for place, bits in _kernels.find_near_fingerprints(asked, segment.entries, radius)
        ]
        return sorted(found, key=lambda one: one[::-1])

    def find_each_near(self, values: Sequence[int | bytes], radius: int) -> Iterator[list[int]]:
        """Return the ids of the stored fingerprints within the radius of each of n."""
        neighbours = self._joined[1] if self._joined[0] == radius else {}
        many = (
            len(values) * _JOINED > read_counter(self._connection, "documents") and len(values) > 1
        )
        if many and not neighbours.keys() >= set(values):
            # Many copies of one text in a batch have too many pairs; then each is asked for by
            # itself.
            with suppress(TooManyPairs):
                neighbours = self._join_values(values, radius)
        for value in values:
            found = neighbours.get(value)
            yield [id_ for id_, _ in self.find_near(value, radius)] if found is None else found

    def _join_values(
        self, values: Sequence[int | bytes], radius: int
    ) -> dict[int | bytes, list[int]]:
        ids, stored = self._read_all_fingerprints()
        different = list(dict.fromkeys(values))
        asked, most = (
            arrow.import_fingerprints_of_width(different, self._bits),
            16 * self.sizes.held,
        )
        found = hamming.join(asked, stored, radius, max_pairs=most, jobs=1)
        near: dict[int | bytes, list[int]] = {value: [] for value in different}
        for at, place in zip(*(found[side].to_pylist() for side in ("left", "right")), strict=True):
            near[different[at]].append(ids[place])
        self._joined = (radius, near)
        return near

    def _read_all_fingerprints(self) -> tuple[array[int], pa.Array]:
        """Return all documents with a fingerprint, and these."""
        every = list(segments.read_all_segments(self._connection))
        ids = array("q", chain.from_iterable(segment.ids for segment in every))
        return ids, segments.column_of_packed(
            b"".join(segment.entries for segment in every), self._kind
        )

    def find_each_alike(
        self, kind: Shingles | NoiseSets | None, asked: Sequence[Any], least: Any, **options: bool
    ) -> Iterator[list[int]]:
        """Yield the documents that one kind of sets nominates with each text (``alike``)."""
        assert kind is not None, "the store has such sets"
        found = kind.find_each_alike([one for one in asked if one is not None], least, **options)
        yield from ([] if one is None else next(found) for one in asked)

    def find_each_equal(self, asked: Sequence[TextEvidence | None]) -> Iterator[list[int]]:
        """Yield all documents with the same text as each, and few others, by its shingles."""
        assert self.shingles is not None, "the store has shingles"
        found = self.shingles.find_each_equal([one for one in asked if one is not None])
        yield from ([] if one is None else next(found) for one in asked)

    def add(self, ids: pa.Array, values: pa.Array) -> None:
        """Put documents into the file's segments and the indexes.

        Args:
            ids: n documents (``int64``), not there yet, but with their evidence and their texts in
                the file.
            values: their n fingerprints; null for a document without one.
        """
        self._changed, self._joined = True, (0, {})
        if self._fingerprints is not None:
            self._fingerprints.add(values, ids)
        packed = segments.pack_fingerprints(ids.to_pylist(), values)
        segments.change_segments(self._connection, self._generation, packed)
        sample, few = self.sizes.sample, self.sizes.few
        if self._lost or any(kind.is_rebuild_due(sample, few) for kind in self._kinds):
            self._build_set_indexes_in_file()
        else:
            for kind in self._kinds:
                kind.add(ids.to_pylist())

    def remove(self, ids: list[int]) -> None:
        """Remove documents from the segments and the indexes, if they are there."""
        self._changed, self._joined = True, (0, {})
        if (index := self._fingerprints) is not None:
            index.remove(_ids_in_index(index, ids))
        segments.change_segments(self._connection, self._generation, {}, removed_ids=ids)
        for kind in self._kinds:
            try:
                kind.remove(ids)
            except StoreDamaged:
                # What the documents added is unknown: ``add``, which follows, makes all again.
                self._lost = True

    def rebuild(self) -> None:
        """Make the indexes again from the documents."""
        self.forget_what_was_read()
        segments.empty_all_segments(self._connection, self._generation)
        for entries in segments.read_and_pack_fingerprints(self._connection, self._bits):
            segments.change_segments(self._connection, self._generation, entries)
        self._build_set_indexes_in_file()

    def find_damage(self) -> Iterator[str | None]:
        """Compare what the file has packed, if only in part, with what it is made from.

        Yield for each segment None, and what is wrong.
        """
        held = (
            segments.sum_of_checksums(segment.fingerprint_by_id())
            for segment in segments.read_all_segments(self._connection)
        )
        made = segments.read_and_pack_fingerprints(self._connection, self._bits)
        yield from compare_sums("fingerprints", held, map(segments.sum_of_checksums, made))
        for kind in self._kinds:
            for problem in kind.find_damage():
                yield problem and f"the index of {kind.name} is damaged ({problem})."

    def _build_set_indexes_in_file(self) -> None:
        parts = [part.name for kind in self._kinds for part in kind.parts]
        postings.clear_all_postings_and_orders(self._connection, parts)
        for kind in self._kinds:
            kind.build_in_file(self._generation, self.sizes.sample)
        self._lost = False


def _ids_in_index(index: Index, ids: Iterable[int]) -> pa.Array:
    return pa.array([id_ for id_ in ids if id_ in index], pa.int64())
