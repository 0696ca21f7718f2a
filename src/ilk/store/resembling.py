"""The shingle sets of the documents in memory, by which every one at a resemblance is found."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from fractions import Fraction

import pyarrow as pa

from ilk.pairing.evidence import SHORT_WORDS
from ilk.pairing.set_index import SCHEMA, SetIndex
from ilk.store.db import contents, evidence, file
from ilk.store.db.evidence import Packed
from ilk.store.sizes import Sizes

#: One document in this number, whose shingles tell rare ones from common ones.
_EACH = 8

#: An index is slow by now if it has this many times the documents that it was made of, and was
#: made of less than the largest sample.
_GROWN = 4


class Resembling:
    """An index of word shingles, of every document that stands for a text and is measured; and two
    of character shingles, by which a pair is measured that has a short text: of short texts, and of
    others that may be paired with one.
    """

    def __init__(self, connection: sqlite3.Connection, least: Fraction, sizes: Sizes) -> None:
        """The sets that stand in the file.

        Args:
            connection: in a transaction.
            least: the resemblance from which on it is fast.
            sizes: how many documents tell which shingles are rare.

        Raises:
            StoreDamaged: the evidence of a document is not what was written.
        """
        self._connection, self._sizes = connection, sizes
        last = file.number(connection, "next_id")
        sample = contents.evidence(connection, range(0, last, max(_EACH, -(-last // sizes.sample))))
        self._words = SetIndex(least, evidence.word_sets([*sample.values()]).values)
        self._short, self._others = (
            SetIndex(least, evidence.character_sets([*some.values()]).values)
            for some in _by_characters(sample)
        )
        for some in contents.every_evidence(connection):
            self._put(some)
        self._made_of = len(self._words)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""
        return self._words.nbytes + self._short.nbytes + self._others.nbytes

    @property
    def outgrown(self) -> bool:
        """Whether it was made of so few documents that it is slow by now."""
        grown = len(self._words) > _GROWN * max(self._made_of, self._sizes.few)
        return grown and self._made_of < _EACH * self._sizes.sample

    def add(self, ids: Sequence[int]) -> None:
        """Take documents over from the file; those of which no sets are known are left out."""
        self._put(contents.evidence(self._connection, ids))

    def remove(self, ids: Sequence[int]) -> None:
        """Leave documents out; those that are not there are left out anyway."""
        for index in (self._words, self._short, self._others):
            index.remove(pa.array([id_ for id_ in ids if id_ in index], pa.int64()))

    def near(
        self, texts: Sequence[Packed | None], resemblance: Fraction, max_pairs: int
    ) -> pa.Table:
        """The documents that may resemble each of n texts: all that do, and others.

        They are all those that share this part of the larger set.

        Returns:
            ``query`` (the row) and ``id``.

        Raises:
            TooManyPairs: there are more than ``max_pairs``.
        """
        known = {row: one for row, one in enumerate(texts) if one is not None}
        short, others = _by_characters(known)
        asked = (
            (self._words, known, evidence.word_sets),
            (self._short, short | others, evidence.character_sets),
            (self._others, short, evidence.character_sets),
        )
        found = [
            _rows(some, index.query(sets([*some.values()]), resemblance, max_pairs))
            for index, some, sets in asked
            if some
        ]
        return distinct(pa.concat_tables([SCHEMA.empty_table(), *found]))

    def _put(self, known: Mapping[int, Packed]) -> None:
        self._words.add(evidence.word_sets([*known.values()]), _ids(known))
        for index, some in zip((self._short, self._others), _by_characters(known), strict=True):
            index.add(evidence.character_sets([*some.values()]), _ids(some))


def distinct(pairs: pa.Table) -> pa.Table:
    """Every pair once."""
    return pairs.group_by(SCHEMA.names, use_threads=False).aggregate([])


def _by_characters(known: Mapping[int, Packed]) -> tuple[dict[int, Packed], ...]:
    """The short texts, and the others that may be measured by their characters."""
    some = {id_: one for id_, one in known.items() if one.character_shingles is not None}
    short = {id_: one for id_, one in some.items() if one.words < SHORT_WORDS}
    return short, {id_: one for id_, one in some.items() if id_ not in short}


def _ids(known: Mapping[int, Packed]) -> pa.Array:
    return pa.array(known, pa.int64())


def _rows(asked: Mapping[int, Packed], found: pa.Table) -> pa.Table:
    """The answer, with the rows of the texts of which some were asked."""
    rows = pa.array(asked, pa.int64()).take(found["query"])
    return found.set_column(0, SCHEMA.field("query"), rows)
