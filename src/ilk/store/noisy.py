"""Noisy copies in a store: the sets in memory that nominate them, and the alignment that decides.

A pair is aligned where the judge finds it different, or one contained in the other, and its sets
reach the resemblance that the rate asks for, or it is contained: as in a search (``search.noisy``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.pairing import noise
from ilk.pairing.kept import Judged, Kept
from ilk.pairing.noise import Limits, Single
from ilk.pairing.set_index import Packed, SetIndex
from ilk.search.noisy import UNALIKE
from ilk.store.db import contents, noise_sets
from ilk.store.db.settings import number
from ilk.store.sizes import Sizes

#: One document in this number, whose shingles tell rare ones from common ones.
_EACH = 8

#: An index is slow by now if it has this many times the documents that it was made of, and was
#: made of less than the largest sample.
_GROWN = 4


class NoiseSets:
    """Indexes of the second sets: of texts that are not short, and of short ones.

    They are made from the file when they are first asked, and follow what is written.
    """

    def __init__(self, connection: sqlite3.Connection, limits: Limits, sizes: Sizes) -> None:
        """Return the sets that stand in the file.

        Args:
            connection: in a transaction.
            limits: from which resemblance on they are fast.
            sizes: how many documents tell which shingles are rare.

        Raises:
            StoreDamaged: the sets of a document are not what was written.
        """
        self._connection, self._limits, self._sizes = connection, limits, sizes
        last = number(connection, "next_id")
        each = range(0, last, max(_EACH, -(-last // sizes.sample)))
        sample = noise_sets.some(connection, each).values()
        least = (limits.long, limits.short)
        columns_ = zip(*((one.long, one.short) for one in sample), strict=True)
        self._indexes = [
            SetIndex(share, [Packed(one) for one in of if one])
            for share, of in zip(least, [*columns_] or [(), ()], strict=True)
        ]
        self._made_of = len(sample)
        for some in noise_sets.every(connection):
            self._put(some)

    @property
    def outgrown(self) -> bool:
        """Whether they were made of so few documents that they are slow by now."""
        grown = max(map(len, self._indexes)) > _GROWN * max(_EACH * self._made_of, self._sizes.few)
        return grown and self._made_of < self._sizes.sample

    @property
    def nbytes(self) -> int:
        """Bytes of memory that they take."""
        return sum(index.nbytes for index in self._indexes)

    def add(self, ids: Sequence[int]) -> None:
        """Take documents over whose sets are in the file; those that are there are left out."""
        new = [id_ for id_ in ids if not any(id_ in index for index in self._indexes)]
        self._put(noise_sets.some(self._connection, new))

    def remove(self, ids: Sequence[int]) -> None:
        """Leave documents out; those that are not there are left out anyway."""
        for index in self._indexes:
            index.remove([id_ for id_ in ids if id_ in index])

    def near(self, one: Single) -> list[int]:
        """Return the documents that may be nominated with a text: all that are, and others."""
        long, short = self._indexes
        found = set(long.query(Packed(one.long), self._limits.long))
        found.update(short.query(Packed(one.short), self._limits.short))
        return sorted(found)

    def _put(self, some: Mapping[int, Single]) -> None:
        long = {id_: Packed(one.long) for id_, one in some.items() if one.long}
        short = {id_: Packed(one.short) for id_, one in some.items() if one.short}
        for index, held in zip(self._indexes, (long, short), strict=True):
            index.add(index.entries(list(held.values())), list(held))


class Side(NamedTuple):
    """A text of a pair.

    Attributes:
        kept: what it is measured by.
        sets: its second sets.
        text: itself, or the id of the document that keeps it.
    """

    kept: Kept
    sets: Single
    text: str | int | None


def agreements(
    connection: sqlite3.Connection,
    sides: Sequence[Side | None],
    pairs: Sequence[tuple[int, int]],
    judged: Sequence[Judged],
    limits: Limits,
) -> dict[int, float]:
    """Return which pairs are noisy copies: by the place of each its agreement.

    Args:
        connection: in a transaction.
        sides: n texts; None where one cannot be aligned.
        pairs: m pairs of them.
        judged: what the judge says of those that are not different.
        limits: what is asked.

    Raises:
        StoreDamaged: a text is not what was written.
    """
    words = {one.place: one.verdict for one in judged}
    places, known = [], []
    for at, (left, right) in enumerate(pairs):
        one, other = sides[left], sides[right]
        if one is None or other is None or words.get(at, UNALIKE[0]) not in UNALIKE:
            continue
        masked = one.kept.masked_digest
        if masked is None or masked != other.kept.masked_digest:
            places.append(at)
            known += [one, other]
    kept = noise.Kept.of_singles([one.sets for one in known])
    left, right = pa.array(range(0, len(known), 2)), pa.array(range(1, len(known), 2))
    left, right = left.cast(pa.int64()), right.cast(pa.int64())
    inside = pa.array([at in words for at in places], pa.bool_())
    asked = pc.or_(
        noise.nominates(kept, left, right, limits),
        pc.and_(inside, noise.fit(kept, left, right, limits)),
    )
    if not pc.any(asked).as_py():
        return {}
    left, right = left.filter(asked), right.filter(asked)
    pairs_ = pa.table({"left": left, "right": right})
    pairs_ = pairs_.append_column("resemblance", noise.resemblance(kept, left, right))
    used = {*left.to_pylist(), *right.to_pylist()}
    texts = _texts(connection, [one.text for one in known], used)
    found = noise.aligned(columns.texts(texts), pairs_, limits, jobs=1, patience=None)
    rows = pa.array(places, pa.int64()).filter(asked).take(columns.flat(found["row"]))
    return dict(zip(rows.to_pylist(), found["agreement"].to_pylist(), strict=True))


def _texts(
    connection: sqlite3.Connection, texts: Sequence[str | int | None], used: set[int]
) -> list[str | None]:
    """Return texts, those that are used and kept read once each."""
    ids = {text for at, text in enumerate(texts) if at in used and isinstance(text, int)}
    held = {id_: contents.text(connection, id_) for id_ in ids}
    return [held.get(text) if isinstance(text, int) else text for text in texts]
