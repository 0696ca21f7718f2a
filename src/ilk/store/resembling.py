"""The shingle sets of the documents in memory, to find every document at a resemblance."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from fractions import Fraction

from ilk.search.evidence import SHORT_WORDS
from ilk.search.set_index import Packed, SetIndex
from ilk.search.text_evidence import TextEvidence
from ilk.store.db import contents, entries
from ilk.store.db.entries import DamagedError, Entry, Order
from ilk.store.db.evidence import character_set, word_set
from ilk.store.db.settings import number
from ilk.store.sizes import Sizes

#: One document in this number is sampled, to distinguish rare shingles from common ones.
_EACH = 8

#: An index is slow once it has this many times the documents that it was made from, if that was
#: less than the largest sample.
_GROWN = 4

#: The indexes, by the names of their orders.
_NAMES = ("words", "short", "others")


class Resembling:
    """An index of word shingles, for every document that represents a text and is measured; and two
    of character shingles, to measure pairs with a short text: for short texts, and for others that
    may be paired with one.

    It is read from the file, and made again from the evidence if the file does not have it complete
    and undamaged. If that happens in a transaction that writes, it is written too.
    """

    def __init__(
        self, connection: sqlite3.Connection, least: Fraction, sizes: Sizes, writing: int | None
    ) -> None:
        """Return the sets in the file.

        Args:
            connection: in a transaction.
            least: the resemblance from which it is fast.
            sizes: how many documents to sample for rare shingles.
            writing: the number of the transaction, if it writes.

        Raises:
            StoreDamaged: the evidence of a document is damaged.
        """
        self._connection, self._least, self._sizes = connection, least, sizes
        self._made: int | None = None
        self._damage = ""
        try:
            self._read()
        except (DamagedError, ValueError, sqlite3.DatabaseError) as error:
            self._damage = str(error)
            self.make(writing)

    def _read(self) -> None:
        """Read what the file has.

        Raises:
            DamagedError, ValueError: it is missing or damaged.
        """
        orders = entries.orders(self._connection, _NAMES)
        self._indexes = [SetIndex(self._least, order.counts) for order in orders]
        for some in entries.every(self._connection):
            self._put(some)
        self._made, self._made_of = orders[0].made, orders[0].sets

    def make(self, writing: int | None) -> None:
        """Make it again from the evidence, and write it in a transaction that writes.

        Raises:
            StoreDamaged: the evidence of a document is damaged.
        """
        last = number(self._connection, "next_id")
        each = range(0, last, max(_EACH, -(-last // self._sizes.sample)))
        sample = [_sets(kept) for kept in contents.evidence(self._connection, each).values()]
        self._indexes = [
            SetIndex(self._least, [one for one in column if one is not None])
            for column in (zip(*sample, strict=True) if sample else ((), (), ()))
        ]
        self._made = writing
        if writing is not None:
            entries.clear(self._connection)
        for some in contents.every_evidence(self._connection):
            self._add(some)
        self._made_of = len(self._indexes[0])
        if writing is not None:
            orders = [Order(writing, self._made_of, index.order) for index in self._indexes]
            entries.set_orders(self._connection, zip(_NAMES, orders, strict=True))

    @property
    def made(self) -> int | None:
        """The transaction that wrote its order; None if it is not in the file."""
        return self._made

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it uses."""
        return sum(index.nbytes for index in self._indexes)

    @property
    def outgrown(self) -> bool:
        """Whether it was made from so few documents that it is now slow."""
        grown = len(self._indexes[0]) > _GROWN * max(self._made_of, self._sizes.few)
        return grown and self._made_of < _EACH * self._sizes.sample

    def add(self, ids: Sequence[int]) -> None:
        """Add documents whose evidence is in the file, and write their entries.

        Those without known sets, and those already there, are left out.
        """
        new = [id_ for id_ in ids if id_ not in self._indexes[0]]
        self._add(contents.evidence(self._connection, new))

    def follow(self, ids: Sequence[int]) -> None:
        """Read the entries that another process has made for some documents.

        Raises:
            DamagedError, ValueError: it is damaged.
        """
        self.remove(ids)
        if self._made == entries.made(self._connection) is not None:
            self._put(entries.some(self._connection, ids))
        else:
            self._put(self._entries(contents.evidence(self._connection, ids)))

    def remove(self, ids: Sequence[int]) -> None:
        """Remove documents, if they are there."""
        for index in self._indexes:
            index.remove([id_ for id_ in ids if id_ in index])

    def near(self, kept: TextEvidence, resemblance: Fraction) -> list[int]:
        """Return the documents that may resemble a text: all that do, and some others.

        They are all those that share this part of the larger set.
        """
        words, short, others = self._indexes
        found = set(words.query(word_set(kept), resemblance))
        if kept.character_shingles is not None:
            characters = character_set(kept)
            found.update(short.query(characters, resemblance))
            if kept.words < SHORT_WORDS:
                found.update(others.query(characters, resemblance))
        return sorted(found)

    def check(self) -> int:
        """Compare what was read with the evidence; return the number of entries.

        Raises:
            DamagedError: they differ, or one is damaged.
        """
        if self._damage:
            raise DamagedError(self._damage)
        count = 0
        for known in contents.every_evidence(self._connection):
            made = {entry.id: entry for entry in self._entries(known)}
            for entry in entries.some(self._connection, known):
                if made.pop(entry.id) != entry:
                    raise DamagedError(f"the entry of document {entry.id}")
            for id_ in made:
                raise DamagedError(f"there is no entry of document {id_}")
            count += len(known)
        if count != sum(map(len, entries.every(self._connection))):
            raise DamagedError("there are entries without a document")
        return count

    def _add(self, known: Mapping[int, TextEvidence]) -> None:
        made = self._entries(known)
        self._put(made)
        if self._made is not None:
            entries.insert(self._connection, made)

    def _entries(self, known: Mapping[int, TextEvidence]) -> list[Entry]:
        """Return the entries of texts, in the order of these indexes."""
        sets = {id_: _sets(kept) for id_, kept in known.items()}
        made: list[dict[int, bytes]] = []
        for place, index in enumerate(self._indexes):
            some = {id_: one for id_, of in sets.items() if (one := of[place]) is not None}
            made.append(dict(zip(some, index.entries(list(some.values())), strict=True)))
        words, short, others = made
        return [
            Entry(id_, id_ in short, words[id_], short.get(id_, others.get(id_))) for id_ in known
        ]

    def _put(self, some: Sequence[Entry]) -> None:
        """Add entries.

        Raises:
            ValueError: one was not made by these indexes.
        """
        words, short, others = self._indexes
        words.add([one.words for one in some], [one.id for one in some])
        measured = [one for one in some if one.characters is not None]
        for index, is_short in ((short, True), (others, False)):
            held = [one for one in measured if one.short == is_short]
            index.add([one.characters or b"" for one in held], [one.id for one in held])


def _sets(kept: TextEvidence) -> tuple[Packed | None, Packed | None, Packed | None]:
    """Return the sets of a text for each index."""
    if kept.character_shingles is None:
        return word_set(kept), None, None
    characters, short = character_set(kept), kept.words < SHORT_WORDS
    return word_set(kept), characters if short else None, None if short else characters
