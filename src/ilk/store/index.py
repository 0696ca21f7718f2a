"""The index of a store: which documents may be like a text, by fingerprint, shingles or noise."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, starmap
from typing import Any, NamedTuple

import pyarrow as pa

from ilk import _kernels, arrow
from ilk.base.errors import StoreDamaged, TooManyPairs
from ilk.fingerprints import hamming
from ilk.fingerprints.index import Index
from ilk.search.evidence import TextEvidence
from ilk.search.noise_evidence import NoiseLimits
from ilk.store.db import postings, segments
from ilk.store.db.settings import Settings, read_counter
from ilk.store.records import DamageIfAny
from ilk.store.set_indexes import (
    CandidateIds,
    NoiseSets,
    SetIndexes,
    Shingles,
    find_damage_in_total_sum,
)

#: A batch is joined with all fingerprints if it has more than one in this number of the documents;
#: a smaller one is compared with each, which needs no tables. Both find the same documents.
_JOINED = 512


@dataclass(frozen=True, slots=True)
class StoreSizes:
    """Sizes that decide time and memory; results do not depend on them.

    Attributes:
        max_candidates: candidates of texts to look at together.
        max_pairs: pairs to measure together.
        max_documents: documents to add and to decide together: large batches amortise the cost of
            a join; the bound is for their memory.
        max_held_pairs: pairs of a batch to hold, 8 bytes each; with more, each document is looked
            up by itself.
        max_sampled: documents to sample for rare shingles: statistics of shingles should use little
            memory compared with the documents.
        few_documents: an index of fewer is rebuilt as documents are added.
        min_joined: new documents from which on they are joined with one another in memory; fewer
            are sooner looked up.
        max_scans: questions about fingerprints before an index in memory is worth making.
    """

    max_candidates: int = 1 << 18
    max_pairs: int = 1 << 17
    max_held_pairs: int = 1 << 22
    max_documents: int = 1 << 17
    max_sampled: int = 1 << 12
    few_documents: int = 256
    min_joined: int = 256
    max_scans: int = 8


class _IdAtDistance(NamedTuple):
    """The id of a document, and in how many bits its fingerprint differs from another one."""

    id: int
    distance: int


class _AllFingerprints(NamedTuple):
    """The ids of all documents with a fingerprint, and their fingerprints."""

    ids: array[int]
    fingerprints: pa.Array


class _LastJoin(NamedTuple):
    """By each fingerprint that was joined, the ids of the documents within a radius of it."""

    radius: int
    neighbours: dict[int | bytes, list[int]]


class CandidateIndex:
    """The documents that represent a text, searched by fingerprints and by sets.

    Every index has one form in the file. Questions about sets read what they need of it
    (``postings``). The first questions about fingerprints look at all of them, one segment after
    the other (``segments``), so a process that asks little starts at once in little memory. Further
    questions are worth an index in memory, which follows what other processes write; and a batch is
    worth a join. All methods are called in a transaction, so that indexes and rows agree.

    Attributes:
        sizes: how much to do at once, and from when on which way is worth it.
        shingles, noise: the indexes of sets; None if the store has none of them.
    """

    def __init__(self, connection: sqlite3.Connection, settings: Settings, jobs: int) -> None:
        """Start with indexes that are not read yet; ``jobs`` threads join a batch."""
        self._connection, self._jobs = connection, jobs
        self.sizes = StoreSizes()
        self._settings = settings
        self._bits = settings.recipe.bits
        self._kind = arrow.fingerprint_type(self._bits)
        self.shingles = Shingles(connection, settings) if settings.exact else None
        self.noise = None if settings.noise is None else NoiseSets(connection, settings)
        self._kinds: list[SetIndexes[Any]] = [one for one in (self.shingles, self.noise) if one]
        # How many questions about fingerprints were answered without an index in memory.
        self._scan_count = 0
        self._fingerprints: Index | None = None
        # What the last join found, for as long as it holds.
        self._last_join = _LastJoin(0, {})
        self._generation = self._before = 0
        self._changed = self._lost = False

    def read_changes_of_other_processes(self) -> None:
        """Read what other processes have written since the last time."""
        self._last_join = _LastJoin(0, {})
        last = read_counter(self._connection, "generation")
        if last != self._generation and (index := self._fingerprints) is not None:
            for segment in segments.read_segments_changed_since(self._connection, self._generation):
                index.remove(_ids_in_index(index, segment.possible_ids))
                index.add(segments.column_of_packed(segment.entries, self._kind), segment.ids)
        self._generation = last

    def read_changes_and_begin_generation(self, *, next_generation: int) -> None:
        """Become part of the transaction that writes this generation."""
        self.read_changes_of_other_processes()
        self._before, self._generation = self._generation, next_generation
        self._changed = self._lost = False

    def undo_generation_in_memory(self) -> None:
        """Undo the transaction; an index that changed in it is read again when needed."""
        self._generation = self._before
        if self._changed:
            self.drop_cached_indexes()

    def drop_cached_indexes(self) -> None:
        """Read the indexes again when they are next needed."""
        self._fingerprints, self._last_join = None, _LastJoin(0, {})
        for kind in self._kinds:
            kind.drop_cached_orders()

    def find_ids_within_radius(self, fingerprint: int | bytes, radius: int) -> list[_IdAtDistance]:
        """Return the documents whose fingerprint is within the radius of one, the nearest first."""
        self._scan_count += 1
        if self._fingerprints is None and self._scan_count > self.sizes.max_scans:
            ids, stored = self._read_all_fingerprints_from_file()
            held = segments.column_of_packed(ids, pa.int64())
            self._fingerprints = Index(stored, self._settings.radius, ids=held)
        if self._fingerprints is not None:
            return list(starmap(_IdAtDistance, self._fingerprints.query(fingerprint, radius)))
        column = arrow.import_fingerprints_of_width([fingerprint], self._bits)
        packed = bytes(arrow.raw_bytes(column))
        near = [
            _IdAtDistance(segment.ids[place], bits)
            for segment in segments.read_all_segments(self._connection)
            for place, bits in _kernels.find_near_fingerprints(packed, segment.entries, radius)
        ]
        return sorted(near, key=lambda one: (one.distance, one.id))

    def find_ids_within_radius_of_each(
        self, fingerprints: Sequence[int | bytes], radius: int
    ) -> Iterator[list[int]]:
        """Yield the ids of the documents whose fingerprint is within the radius, for each of n."""
        last = self._last_join
        neighbours = last.neighbours if last.radius == radius else {}
        count = len(fingerprints)
        is_join_worth_it = count * _JOINED > read_counter(self._connection, "documents")
        if count > 1 and is_join_worth_it and not neighbours.keys() >= set(fingerprints):
            # Many copies of one text in a batch have too many pairs; then each is asked for by
            # itself.
            with suppress(TooManyPairs):
                neighbours = self._join_and_remember_neighbours(fingerprints, radius)
        for fingerprint in fingerprints:
            if fingerprint in neighbours:
                yield neighbours[fingerprint]
            else:
                yield [near.id for near in self.find_ids_within_radius(fingerprint, radius)]

    def _join_and_remember_neighbours(
        self, fingerprints: Sequence[int | bytes], radius: int
    ) -> dict[int | bytes, list[int]]:
        """Return by each fingerprint the ids of the documents within the radius of it."""
        ids, stored = self._read_all_fingerprints_from_file()
        different = list(dict.fromkeys(fingerprints))
        column = arrow.import_fingerprints_of_width(different, self._bits)
        pairs = hamming.join(
            column, stored, radius, max_pairs=self.sizes.max_held_pairs, jobs=self._jobs
        )
        neighbours: dict[int | bytes, list[int]] = {value: [] for value in different}
        for at, place in zip(*(pairs[side].to_pylist() for side in ("left", "right")), strict=True):
            neighbours[different[at]].append(ids[place])
        self._last_join = _LastJoin(radius, neighbours)
        return neighbours

    def _read_all_fingerprints_from_file(self) -> _AllFingerprints:
        every = list(segments.read_all_segments(self._connection))
        packed = b"".join(segment.entries for segment in every)
        return _AllFingerprints(
            array("q", chain.from_iterable(segment.ids for segment in every)),
            segments.column_of_packed(packed, self._kind),
        )

    def nominate_by_shingles(
        self,
        evidence: Sequence[TextEvidence | None],
        resemblance: Fraction,
        *,
        include_contained: bool,
    ) -> Iterator[CandidateIds]:
        """Yield the ids of candidates for each text of an exact store; none for a text without
        evidence. ``Shingles.nominate_for_each`` explains the arguments.
        """
        assert self.shingles is not None, "the store has shingles"
        there = [one for one in evidence if one is not None]
        nominated = self.shingles.nominate_for_each(
            there, resemblance, include_contained=include_contained
        )
        yield from ([] if one is None else next(nominated) for one in evidence)

    def nominate_noisy_copies(
        self, texts: Sequence[str | None], limits: NoiseLimits
    ) -> Iterator[CandidateIds]:
        """Yield the ids of documents that may be noisy copies of each text, or it of them."""
        assert self.noise is not None, "the store finds noisy copies"
        nominated = self.noise.nominate_for_each([one for one in texts if one is not None], limits)
        yield from ([] if one is None else next(nominated) for one in texts)

    def nominate_equal_texts(self, evidence: Sequence[TextEvidence | None]) -> Iterator[list[int]]:
        """Yield the ids of all documents with the same text as each, and few others, by its
        shingles; none for a text without evidence.
        """
        assert self.shingles is not None, "the store has shingles"
        there = [one for one in evidence if one is not None]
        nominated = self.shingles.nominate_equal_for_each(there)
        yield from ([] if one is None else next(nominated) for one in evidence)

    def add(
        self, ids: pa.Array, fingerprints: pa.Array, evidence_by_id: Mapping[int, TextEvidence]
    ) -> None:
        """Put documents into the file's segments and the indexes.

        Args:
            ids: n documents (``int64``), not there yet, but with their evidence and their texts in
                the file.
            fingerprints: of each; null for a document without one.
            evidence_by_id: of each that has any, for its sets: the digests of a promoted copy are
                missing. The file has it too, but to read it again takes a tenth of the time to add
                100,000 short texts.
        """
        self._changed, self._last_join = True, _LastJoin(0, {})
        if self._fingerprints is not None:
            self._fingerprints.add(fingerprints, ids)
        packed = segments.pack_fingerprints_without_nulls(ids.to_pylist(), fingerprints)
        segments.change_segments(self._connection, self._generation, packed)
        new = [kind.make_or_read_sources_of_sets(evidence_by_id) for kind in self._kinds]
        sample, few = self.sizes.max_sampled, self.sizes.few_documents
        if self._lost or any(
            kind.is_build_or_rebuild_due(max_sampled=sample, few_documents=few)
            for kind in self._kinds
        ):
            self._rebuild_set_indexes(new)
        else:
            for kind, source_by_id in zip(self._kinds, new, strict=True):
                kind.add(source_by_id)

    def remove(self, ids: list[int]) -> None:
        """Remove documents from the segments and the indexes, if they are there; ``add`` must
        follow in the same transaction.
        """
        self._changed, self._last_join = True, _LastJoin(0, {})
        if (index := self._fingerprints) is not None:
            index.remove(_ids_in_index(index, ids))
        segments.change_segments(self._connection, self._generation, {}, removed_ids=ids)
        for kind in self._kinds:
            try:
                kind.remove(ids)
            except StoreDamaged:
                # What the documents added is unknown: ``add`` makes all again.
                self._lost = True

    def rebuild(self) -> None:
        """Make the indexes again from the documents."""
        self.drop_cached_indexes()
        segments.empty_all_segments(self._connection, self._generation)
        for fingerprint_by_id in segments.read_and_pack_fingerprints(self._connection, self._bits):
            segments.change_segments(self._connection, self._generation, fingerprint_by_id)
        self._rebuild_set_indexes([{} for _ in self._kinds])

    def find_damage_of_each_piece(self) -> Iterator[DamageIfAny]:
        """Compare what the file has packed, if only in part, with what it is made from.

        Yield for each segment and each bucket None, and what is wrong.
        """
        sums_in_file = (
            segments.sum_of_checksums(segment.fingerprint_by_id())
            for segment in segments.read_all_segments(self._connection)
        )
        expected = segments.read_and_pack_fingerprints(self._connection, self._bits)
        yield from find_damage_in_total_sum(
            "fingerprints", sums_in_file, map(segments.sum_of_checksums, expected)
        )
        for kind in self._kinds:
            for problem in kind.find_damage_of_each_piece():
                yield problem and f"the index of {kind.name} is damaged ({problem})."

    def _rebuild_set_indexes(self, known_of_kinds: Sequence[Mapping[int, Any]]) -> None:
        names = [form.name for kind in self._kinds for form in kind.forms]
        postings.clear_all_postings_and_orders(self._connection, names)
        for kind, known in zip(self._kinds, known_of_kinds, strict=True):
            kind.build_in_file_without_postings(
                self._generation, known, max_sampled=self.sizes.max_sampled
            )
        self._lost = False


def _ids_in_index(index: Index, ids: Iterable[int]) -> pa.Array:
    return pa.array([id_ for id_ in ids if id_ in index], pa.int64())
