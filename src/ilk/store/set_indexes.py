"""Set indexes of a store, in memory and packed in the file, to find all that share much with a set.

An index holds the rarest values of each set, about a fifth of them at a resemblance of 0.8, so it
finds candidates: all sets that share that part of the larger of the two, and few others. What it
keeps of a set, its *entry*, depends only on the set and on the order of values, which is fixed when
the index is made; the file has both.

Method: prefix filtering (Bayardo, Ma and Srikant 2007, section 3) with positional bounds (Xiao et
al. 2008, section 3).
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import compress
from typing import Any, ClassVar, NamedTuple

import pyarrow as pa

from ilk import _kernels
from ilk.base.errors import StoreDamaged
from ilk.search import noise
from ilk.search.evidence import SHORT_WORDS, TextEvidence
from ilk.search.measures import kernel_ratio
from ilk.search.noise import ID_BYTES, LOWEST, NoiseLimits, Single
from ilk.store.db import contents, segments
from ilk.store.db.segments import Order
from ilk.store.db.settings import Settings, number

#: One document in this number is sampled, to distinguish rare shingles from common ones.
_EACH = 8

#: An index is slow once it has this many times the documents that it was made from, if that was
#: less than the largest sample.
_GROWN = 4

#: Entries to put into an index at once: it adds many together faster.
_AT_ONCE = 1 << 16


class Packed(NamedTuple):
    """A set in the form for an index.

    Attributes:
        values: numbers of 4 bytes, or of 8 if it is wide; little-endian, ascending, each once.
        wide: whether they are 64-bit hashes, which the index compares by their upper halves.
    """

    values: bytes
    wide: bool = False


class SetIndexes(ABC):
    """The indexes of one kind of sets, each with the sets of some texts.

    They are read from the file, and made again from what the texts left there if the file does not
    have them complete and undamaged. If that happens in a transaction that writes, they are written
    too.

    Attributes:
        name: what they are of.
        parts: their names in the file.
        indexes: one for each part.
        made: the transaction that wrote their orders; None if those are not in the file.
        damage: what was wrong with those in the file.
    """

    name: ClassVar[str]
    parts: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        connection: sqlite3.Connection,
        settings: Settings,
        sample: int,
        writing: int | None,
    ) -> None:
        """Read them, or make them from a sample of at most that many documents."""
        self._connection, self._sample = connection, sample
        self._least = [kernel_ratio(share) for share in self.shares(settings)]
        self.made: int | None = None
        self.damage = ""
        try:
            self._read()
        except (StoreDamaged, ValueError, sqlite3.DatabaseError) as error:
            self.damage = str(error)
            self.make(writing)

    @abstractmethod
    def shares(self, settings: Settings) -> tuple[Fraction, ...]:
        """Return the resemblance from which each index is fast."""

    @abstractmethod
    def sets(self, kept: Any) -> tuple[Packed | None, ...]:
        """Return the sets of a text, one for each index; None if it is not in that index."""

    @abstractmethod
    def some(self, ids: Iterable[int]) -> Mapping[int, Any]:
        """Return what the file has of some texts, to make their sets from."""

    @abstractmethod
    def every(self) -> Iterable[Mapping[int, Any]]:
        """Yield the same of all texts, piece by piece."""

    def _read(self) -> None:
        orders = [segments.order(self._connection, part) for part in self.parts]
        pairs = zip(orders, self._least, strict=True)
        self.indexes = [_kernels.SetIndex.in_order(order.counts, *least) for order, least in pairs]
        for part, index in zip(self.parts, self.indexes, strict=True):
            held: dict[int, bytes] = {}
            for segment in segments.every(self._connection, part):
                held |= segment.items()
                if len(held) >= _AT_ONCE:
                    index.add(list(held.values()), list(held))
                    held = {}
            index.add(list(held.values()), list(held))
        self.made, self._made_of = orders[0].made, orders[0].sets

    def make(self, writing: int | None) -> None:
        """Make them again, and write them in a transaction that writes."""
        last = number(self._connection, "next_id")
        each = range(0, last, max(_EACH, -(-last // self._sample)))
        sample = list(map(self.sets, self.some(each).values()))
        self.indexes = [
            _kernels.SetIndex([sets for of in sample if (sets := of[place]) is not None], *least)
            for place, least in enumerate(self._least)
        ]
        self.made = writing
        if writing is not None:
            for part in self.parts:
                segments.clear(self._connection, part, writing)
        for some in self.every():
            self._add(some, writing)
        self._made_of = len(self)
        if writing is not None:
            for part, index in zip(self.parts, self.indexes, strict=True):
                order = Order(writing, self._made_of, index.order())
                segments.set_order(self._connection, part, order)

    def __len__(self) -> int:
        return sum(map(len, self.indexes))

    def outgrown(self, few: int) -> bool:
        """Return whether they were made from so few documents that they are now slow."""
        grown = len(self) > _GROWN * max(self._made_of, few)
        return grown and self._made_of < _EACH * self._sample

    def is_current(self) -> bool:
        """Return whether their order is that of the file."""
        return self.made == segments.made(self._connection, self.parts[0]) is not None

    def add(self, ids: Iterable[int], transaction: int) -> None:
        """Add documents, if they have sets in the file, and write their entries; those that are
        there already are left out.
        """
        self._add(self.some(ids), transaction)

    def follow(self, since: int) -> None:
        """Read what other processes have written since a transaction, in the order of the file."""
        for part, index in zip(self.parts, self.indexes, strict=True):
            for segment in segments.changed_since(self._connection, part, since):
                index.remove([id_ for id_ in segment.documents if id_ in index])
                entries = segment.items()
                index.add(list(entries.values()), list(entries))

    def remove(self, ids: Iterable[int]) -> None:
        """Remove documents from memory, if they are there."""
        for index in self.indexes:
            index.remove([id_ for id_ in ids if id_ in index])

    def check(self) -> Iterator[str | None]:
        """Compare what was read with what it is made from, as ``segments.differences`` does."""
        if self.damage:
            yield self.damage
            return
        for place, part in enumerate(self.parts):
            made = (self._entries(place, some) for some in self.every())
            yield from segments.differences(self._connection, part, made)

    def _add(self, some: Mapping[int, Any], transaction: int | None) -> None:
        for place, (part, index) in enumerate(zip(self.parts, self.indexes, strict=True)):
            made = self._entries(place, some)
            new = {id_: entry for id_, entry in made.items() if id_ not in index}
            index.add(list(new.values()), list(new))
            if transaction is not None and new:
                segments.add(self._connection, part, transaction, new)

    def _entries(self, place: int, some: Mapping[int, Any]) -> dict[int, bytes]:
        of = ((id_, self.sets(one)[place]) for id_, one in some.items())
        held = {id_: sets for id_, sets in of if sets is not None}
        return dict(zip(held, self.indexes[place].entries(list(held.values())), strict=True))


class Shingles(SetIndexes):
    """Those of an exact store: of word shingles of every text; and two of character shingles, for
    short texts, and for others that may be paired with one.
    """

    name, parts = "shingles", ("words", "short", "others")

    def shares(self, settings: Settings) -> tuple[Fraction, ...]:
        return (settings.resemblance,) * 3

    def some(self, ids: Iterable[int]) -> Mapping[int, TextEvidence]:
        return contents.evidence(self._connection, ids)

    def every(self) -> Iterable[Mapping[int, TextEvidence]]:
        return contents.pieces(contents.each_evidence(self._connection), contents.BAD_EVIDENCE)

    def sets(self, kept: TextEvidence) -> tuple[Packed, Packed | None, Packed | None]:
        words = Packed(kept.word_shingles, kept.wide)
        if kept.character_shingles is None:
            return words, None, None
        characters, short = Packed(kept.character_shingles), kept.words < SHORT_WORDS
        return words, characters if short else None, None if short else characters

    def alike(self, kept: TextEvidence, resemblance: Fraction) -> list[int]:
        """Return all documents that share this much of the larger set with a text, and few others.

        Below the resemblance of the store, these are all documents of a suitable size.
        """
        least, (own, short, longer) = kernel_ratio(resemblance), self.sets(kept)
        of_words, of_short, of_others = self.indexes
        found = set(of_words.query(own, *least))
        if (characters := short or longer) is not None:
            found.update(of_short.query(characters, *least))
        if short is not None:
            found.update(of_others.query(short, *least))
        return sorted(found)


class NoiseSets(SetIndexes):
    """Those of a store that finds noisy copies, of second sets: of whole ones, of smaller ones of
    texts that are not short, and of those of short texts.

    Two whole sets of the same size resemble each other at R only if they share 2 R / (1 + R) of
    their ids, which is far more than R; so they have their own index.
    """

    name, parts = "noise", ("noise-whole", "noise-smaller", "noise-short")

    #: The second sets of candidates so far: reading them takes longer than comparing them.
    _known: dict[int, Single]

    def shares(self, settings: Settings) -> tuple[Fraction, ...]:
        limits, self._known = settings.limits, {}
        assert limits is not None, "the store finds noisy copies"
        return 2 * limits.long / (1 + limits.long), limits.long, limits.short

    def some(self, ids: Iterable[int]) -> Mapping[int, Single]:
        return contents.noise_sets(self._connection, ids)

    def every(self) -> Iterable[Mapping[int, Single]]:
        return contents.pieces(contents.each_noise_set(self._connection), contents.BAD_SETS)

    def sets(self, kept: Single) -> tuple[Packed | None, ...]:
        whole, long = _is_whole(kept), Packed(kept.long) if kept.long else None
        short = Packed(kept.short) if kept.short else None
        return long if whole else None, None if whole else long, short

    def follow(self, since: int) -> None:
        self._known = {}
        super().follow(since)

    def remove(self, ids: Iterable[int]) -> None:
        for id_ in ids:
            self._known.pop(id_, None)
        super().remove(ids)

    def alike(self, one: Single, limits: NoiseLimits) -> list[int]:
        """Return the documents that the second sets nominate with a text."""
        whole, smaller, short = self.indexes
        asked, (same, long, least) = Packed(one.long), self._least
        found = set(smaller.query(asked, *long))
        found.update(whole.query(asked, *(same if _is_whole(one) else long)))
        found.update(short.query(Packed(one.short), *least))
        ids = sorted(found)
        missing = [id_ for id_ in ids if id_ not in self._known]
        self._known |= self.some(missing) if missing else {}
        kept = noise.NoiseEvidence.of_singles([one, *(self._known[id_] for id_ in ids)])
        right = pa.array(range(1, len(ids) + 1), pa.int64())
        left = pa.array([0] * len(ids), pa.int64())
        return list(compress(ids, noise.nominates(kept, left, right, limits).to_pylist()))


def _is_whole(one: Single) -> bool:
    """Return whether a second set has as many ids as one may have."""
    return len(one.long) == LOWEST * ID_BYTES
