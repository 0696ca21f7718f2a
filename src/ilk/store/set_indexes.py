"""Set indexes that follow one another's documents: in memory, and packed in the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from ilk.base.errors import StoreDamaged
from ilk.search.evidence import SHORT_WORDS
from ilk.search.noise import ID_BYTES, LOWEST, NoiseLimits, Single
from ilk.search.set_index import Packed, SetIndex
from ilk.search.text_evidence import TextEvidence
from ilk.store.db import contents, segments
from ilk.store.db.segments import Order
from ilk.store.db.settings import number

#: One document in this number is sampled, to distinguish rare shingles from common ones.
_EACH = 8

#: An index is slow once it has this many times the documents that it was made from, if that was
#: less than the largest sample.
_GROWN = 4

#: Entries to put into an index at once: it adds many together faster.
_AT_ONCE = 1 << 16

#: The sets of a text, one for each index; None if it is not in that index.
Sets = tuple[Packed | None, ...]


class SetSource(NamedTuple):
    """Where sets come from, and how they are searched.

    Attributes:
        parts: the names of the indexes.
        least: the resemblance from which each is fast.
        sets: returns those of a text from what the file has of it.
        some, every: return that of some documents, and of all, piece by piece.
    """

    parts: tuple[str, ...]
    least: tuple[Fraction, ...]
    sets: Callable[[Any], Sets]
    some: Callable[[sqlite3.Connection, Iterable[int]], Mapping[int, Any]]
    every: Callable[[sqlite3.Connection], Iterable[Mapping[int, Any]]]


def shingles(least: Fraction) -> SetSource:
    """Return the sets of an exact store: of word shingles of every text; and two of character
    shingles, for short texts, and for others that may be paired with one.
    """
    return SetSource(
        ("words", "short", "others"),
        (least,) * 3,
        _shingles,
        contents.evidence,
        contents.every_evidence,
    )


def noise(limits: NoiseLimits) -> SetSource:
    """Return the second sets of a store that finds noisy copies: whole ones, smaller ones of texts
    that are not short, and those of short texts.

    Two whole sets of the same size resemble each other at R only if they share 2 R / (1 + R) of
    their ids, which is far more than R; so they have their own index.
    """
    return SetSource(
        ("noise-whole", "noise-smaller", "noise-short"),
        (whole_share(limits), limits.long, limits.short),
        _noise,
        contents.noise_sets,
        contents.every_noise_set,
    )


def whole_share(limits: NoiseLimits) -> Fraction:
    """Return the part that two whole sets share if they resemble each other enough."""
    return 2 * limits.long / (1 + limits.long)


def is_whole(one: Single) -> bool:
    """Return whether a second set has as many ids as one may have."""
    return len(one.long) == LOWEST * ID_BYTES


def word_set(kept: TextEvidence) -> Packed:
    """Return the word shingles of a text, in the form for an index."""
    return Packed(kept.word_shingles, kept.wide)


def character_set(kept: TextEvidence) -> Packed:
    """Return its character shingles, in the form for an index."""
    return Packed(kept.character_shingles or b"")


def _shingles(kept: TextEvidence) -> Sets:
    if kept.character_shingles is None:
        return word_set(kept), None, None
    characters, short = character_set(kept), kept.words < SHORT_WORDS
    return word_set(kept), characters if short else None, None if short else characters


def _noise(one: Single) -> Sets:
    whole, long = is_whole(one), Packed(one.long) if one.long else None
    return (
        long if whole else None,
        None if whole else long,
        Packed(one.short) if one.short else None,
    )


class SetIndexes:
    """The set indexes of one source.

    They are read from the file, and made again from what the texts left there if the file does not
    have them complete and undamaged. If that happens in a transaction that writes, they are written
    too.

    Attributes:
        indexes: one for each part.
        made: the transaction that wrote their orders; None if those are not in the file.
        damage: what was wrong with those in the file.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        source: SetSource,
        sample: int,
        writing: int | None,
    ) -> None:
        """Return the sets in the file, or those of its documents; a number of a transaction that
        writes them, and the most documents to sample for rare shingles.
        """
        self._connection, self._source, self._sample = connection, source, sample
        self.made: int | None = None
        self.damage = ""
        try:
            self._read()
        except (StoreDamaged, ValueError, sqlite3.DatabaseError) as error:
            self.damage = str(error)
            self.make(writing)

    def _read(self) -> None:
        orders = [segments.order(self._connection, part) for part in self._source.parts]
        pairs = zip(self._source.least, orders, strict=True)
        self.indexes = [SetIndex(share, order.counts) for share, order in pairs]
        for part, index in zip(self._source.parts, self.indexes, strict=True):
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
        sample = list(map(self._source.sets, self._source.some(self._connection, each).values()))
        self.indexes = [
            SetIndex(share, [sets for of in sample if (sets := of[place]) is not None])
            for place, share in enumerate(self._source.least)
        ]
        self.made = writing
        if writing is not None:
            for part in self._source.parts:
                segments.clear(self._connection, part, writing)
        for some in self._source.every(self._connection):
            self._add(some, writing)
        self._made_of = len(self)
        if writing is not None:
            for part, index in zip(self._source.parts, self.indexes, strict=True):
                order = Order(writing, self._made_of, index.order)
                segments.set_order(self._connection, part, order)

    def __len__(self) -> int:
        """Return the number of sets."""
        return sum(map(len, self.indexes))

    def outgrown(self, few: int) -> bool:
        """Return whether they were made from so few documents that they are now slow."""
        grown = len(self) > _GROWN * max(self._made_of, few)
        return grown and self._made_of < _EACH * self._sample

    def is_current(self) -> bool:
        """Return whether their order is that of the file."""
        return self.made == segments.made(self._connection, self._source.parts[0]) is not None

    def add(self, ids: Iterable[int], transaction: int) -> None:
        """Add documents, if they have sets in the file, and write their entries; those that are
        there already are left out.
        """
        self._add(self._source.some(self._connection, ids), transaction)

    def follow(self, since: int) -> None:
        """Read what other processes have written since a transaction, in the order of the file."""
        for part, index in zip(self._source.parts, self.indexes, strict=True):
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
        for place, part in enumerate(self._source.parts):
            made = (self._made(place, some) for some in self._source.every(self._connection))
            yield from segments.differences(self._connection, part, made)

    def _add(self, some: Mapping[int, Any], transaction: int | None) -> None:
        for place, (part, index) in enumerate(zip(self._source.parts, self.indexes, strict=True)):
            made = self._made(place, some)
            new = {id_: entry for id_, entry in made.items() if id_ not in index}
            index.add(list(new.values()), list(new))
            if transaction is not None and new:
                segments.add(self._connection, part, transaction, new)

    def _made(self, place: int, some: Mapping[int, Any]) -> dict[int, bytes]:
        of = ((id_, self._source.sets(one)[place]) for id_, one in some.items())
        held = {id_: sets for id_, sets in of if sets is not None}
        return dict(zip(held, self.indexes[place].entries(list(held.values())), strict=True))
