"""The index of a store: which documents may be like a text, by fingerprint, shingles or noise."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import StoreDamaged
from ilk.fingerprints import hamming
from ilk.fingerprints.index import Index
from ilk.search import noise
from ilk.search.evidence import SHORT_WORDS
from ilk.search.noise import Single
from ilk.search.set_index import Packed
from ilk.search.text_evidence import TextEvidence
from ilk.store import set_group
from ilk.store.db import noise_sets, segments
from ilk.store.db.contents import character_set, word_set
from ilk.store.db.segments import FINGERPRINTS, Segment
from ilk.store.db.settings import Settings, number
from ilk.store.set_group import SetGroup, SetSource

#: No limit, in the form for the index.
_ANY = (1 << 62) - 1

#: The names of the groups of sets.
_SHINGLES, _NOISE = "shingles", "noise"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is done at once; results do not depend on it.

    Attributes:
        held: candidates of several texts to hold, in addition to those of one more.
        measured: pairs to measure.
        sample: the most documents to sample for rare shingles: statistics of shingles should use
            little memory compared with the documents.
        few: an index made from fewer documents is soon slow, as others are added.
    """

    held: int = 1 << 18
    measured: int = 1 << 17
    sample: int = 1 << 15
    few: int = 256


class CandidateIndex:
    """The documents that represent a text, searched by fingerprints and by sets.

    Every index has one form in the file (``segments``). It is read into memory when it is first
    used, and follows what other processes write. All methods are called in a transaction, so that
    indexes and rows agree.

    Attributes:
        sizes: how much to do at once.
    """

    def __init__(self, connection: sqlite3.Connection, settings: Settings) -> None:
        """Start with indexes that are not read yet.

        Args:
            connection: to the store's file.
            settings: the settings of the store: the radius and the resemblance for which the
                indexes are fast; wider searches also work.
        """
        self._connection = connection
        self.sizes = Sizes()
        self._settings = settings
        self._bits = settings.recipe.bits
        self._sources: dict[str, SetSource] = {}
        if settings.exact:
            self._sources[_SHINGLES] = set_group.shingles(settings.resemblance)
        if settings.limits is not None:
            self._sources[_NOISE] = set_group.noise(settings.limits)
        self._fingerprints: Index | None = None
        self._groups: dict[str, SetGroup] = {}
        # The second sets of candidates so far: reading them takes longer than comparing them.
        self._second: dict[int, Single] = {}
        self._generation = self._before = 0
        self._changed = False
        self._writing: int | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the indexes use."""
        sets = sum(self._group(name).nbytes for name in self._sources)
        sets += sum(len(one.long) + len(one.short) for one in self._second.values())
        return sets if self._settings.exact else sets + self._built().nbytes

    def catch_up(self) -> None:
        """Read what other processes have written since the last time.

        Raises:
            StoreDamaged: a segment is damaged.
        """
        last = number(self._connection, "generation")
        if last != self._generation:
            self._second = {}
            self._follow_sets()
            if (index := self._fingerprints) is not None:
                for segment in self._segments(self._generation):
                    first = segment.number * segments.size(FINGERPRINTS)
                    ids = range(first, first + segments.size(FINGERPRINTS))
                    index.remove(pa.array([one for one in ids if one in index], pa.int64()))
                    numbers, values = segments.columns(segment, self._bits)
                    index.add(values, numbers)
        self._generation = last
        self._writing = None

    def _follow_sets(self) -> None:
        for name, group in list(self._groups.items()):
            try:
                if group.is_current():
                    group.follow(self._generation)
                    continue
            except (StoreDamaged, ValueError):
                pass
            del self._groups[name]

    def begin(self, generation: int) -> None:
        """Catch up, and become part of the transaction that writes this generation."""
        self.catch_up()
        self._before, self._generation = self._generation, generation
        self._changed = False
        self._writing = generation
        # Whatever is written about documents must use the order in the file.
        self._groups = {name: one for name, one in self._groups.items() if one.is_current()}

    def undo(self) -> None:
        """Undo the transaction; an index that changed in it is read again when needed."""
        made_now = any(group.made == self._generation for group in self._groups.values())
        self._generation = self._before
        if self._changed or made_now:
            self.forget()

    def forget(self) -> None:
        """Read the indexes again when they are next needed."""
        self._fingerprints = None
        self._groups, self._second = {}, {}

    def near(self, value: int | bytes, radius: int) -> list[tuple[int, int]]:
        """Return the id and the distance of every stored fingerprint within the radius of one.

        For a wider radius than that of the index, look at every fingerprint.
        """
        if radius <= self._settings.radius:
            return self._built().query(value, radius)
        ids, stored = self._packed()
        found = hamming.join(arrow.fingerprints([value]), stored, radius, max_pairs=_ANY, jobs=1)
        near = ids.take(arrow.flat(found["right"]))
        return list(zip(near.to_pylist(), found["distance"].to_pylist(), strict=True))

    def resembling(self, kept: TextEvidence | None, resemblance: Fraction) -> list[int]:
        """Return all documents that share this much of the larger set with a text, and some others.

        Below the resemblance of the store, these are all documents of a suitable size.
        """
        if kept is None:
            return []
        words, short, others = self._group(_SHINGLES).indexes
        found = set(words.query(word_set(kept), resemblance))
        if kept.character_shingles is not None:
            characters = character_set(kept)
            found.update(short.query(characters, resemblance))
            if kept.words < SHORT_WORDS:
                found.update(others.query(characters, resemblance))
        return sorted(found)

    def noisy(self, one: Single | None) -> list[int]:
        """Return the documents that the second sets nominate with a text."""
        limits = self._settings.limits
        if one is None or limits is None:
            return []
        whole, smaller, short = self._group(_NOISE).indexes
        asked, share = Packed(one.long), set_group.whole_share(limits)
        found = set(smaller.query(asked, limits.long))
        found.update(whole.query(asked, share if set_group.is_whole(one) else limits.long))
        found.update(short.query(Packed(one.short), limits.short))
        ids = sorted(found)
        missing = [id_ for id_ in ids if id_ not in self._second]
        self._second |= noise_sets.some(self._connection, missing) if missing else {}
        kept = noise.NoiseEvidence.of_singles([one, *(self._second[id_] for id_ in ids)])
        right = pa.array(range(1, len(ids) + 1), pa.int64())
        left = pa.array([0] * len(ids), pa.int64())
        nominated = noise.nominates(kept, left, right, limits)
        return list(compress(ids, nominated.to_pylist()))

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
        numbers = ids.to_pylist()
        packed = segments.packed_values(numbers, values)
        segments.add(self._connection, FINGERPRINTS, self._generation, packed)
        for name in self._sources:
            self._group(name).add(numbers, self._generation)

    def remove(self, ids: list[int]) -> None:
        """Remove documents from the segments and the indexes, if they are there."""
        self._changed = True
        if (index := self._fingerprints) is not None:
            index.remove(pa.array([one for one in ids if one in index], pa.int64()))
        segments.remove(self._connection, FINGERPRINTS, self._generation, ids)
        for id_ in ids:
            self._second.pop(id_, None)
        for name, source in self._sources.items():
            try:
                for part in source.parts:
                    segments.remove(self._connection, part, self._generation, ids)
                if name in self._groups:
                    self._groups[name].remove(ids)
            except StoreDamaged:
                # The first question makes it again.
                segments.forget_order(self._connection, source.parts[0])
                self._groups.pop(name, None)

    def rebuild(self) -> None:
        """Make the segments again from the documents, and the second sets from the texts."""
        self.forget()
        segments.clear(self._connection, FINGERPRINTS, self._generation)
        for entries in segments.fingerprints(self._connection, self._bits):
            segments.add(self._connection, FINGERPRINTS, self._generation, entries)
        if self._settings.noise is not None:
            noise_sets.rebuild(self._connection)
        for name, source in self._sources.items():
            segments.forget_order(self._connection, source.parts[0])
            self._group(name)

    def groups(self) -> list[str]:
        """Return the names of the groups of sets that are in the file, if only in part."""
        return [
            name
            for name, source in self._sources.items()
            if segments.is_there(self._connection, source.parts)
        ]

    def check(self, group: str) -> int:
        """Compare what the file has of a group with what it is made from; count the entries.

        Raises:
            StoreDamaged: they differ, or something is damaged.
        """
        source, sample = self._sources[group], self.sizes.sample
        return SetGroup(self._connection, source, sample, None).check()

    def _built(self) -> Index:
        if self._fingerprints is None:
            ids, values = self._packed()
            self._fingerprints = Index(values, self._settings.radius, ids=ids)
        return self._fingerprints

    def _group(self, name: str) -> SetGroup:
        if name not in self._groups:
            source, sample = self._sources[name], self.sizes.sample
            self._groups[name] = SetGroup(self._connection, source, sample, self._writing)
        group = self._groups[name]
        if group.outgrown(self.sizes.few):
            group.make(self._writing)
        return group

    def _packed(self) -> tuple[pa.Array, pa.Array]:
        """Return all ids, and the fingerprint of each, from the file."""
        columns = [segments.columns(one, self._bits) for one in self._segments(-1)]
        kind = arrow.fingerprint_type(self._bits)
        ids = arrow.joined((ids for ids, _ in columns), pa.int64())
        return ids, arrow.joined((values for _, values in columns), kind)

    def _segments(self, since: int) -> list[Segment]:
        return list(segments.changed_since(self._connection, FINGERPRINTS, since))
