"""Noisy copies in a store: the sets in memory that nominate them, and the alignment that decides.

A pair is aligned if the judge finds it contained, or finds it different but its sets reach the
resemblance for the rate, as in a search (``search.noisy``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.search import noise
from ilk.search.noise import NoiseLimits, Single
from ilk.search.noisy import UNALIKE
from ilk.search.set_index import Packed, SetIndex
from ilk.search.text_evidence import Judged, TextEvidence
from ilk.store.db import contents, noise_sets
from ilk.store.db.settings import number
from ilk.store.sizes import Sizes

#: One document in this number is sampled, to distinguish rare shingles from common ones.
_EACH = 8

#: An index is slow once it has this many times the documents that it was made from, if that was
#: less than the largest sample.
_GROWN = 4


class NoiseSets:
    """The second sets of all documents, and indexes of them: of whole sets, of smaller ones of
    texts that are not short, and of those of short texts.

    They are made from the file when they are first used, and follow changes. Two whole sets of the
    same size resemble each other at R only if they share 2 R / (1 + R) of their ids, which is far
    more than R; so they have their own index.
    """

    def __init__(self, connection: sqlite3.Connection, limits: NoiseLimits, sizes: Sizes) -> None:
        """Return the sets in the file.

        Args:
            connection: in a transaction.
            limits: the resemblances from which they are fast.
            sizes: how many documents to sample for rare shingles.

        Raises:
            StoreDamaged: the sets of a document are damaged.
        """
        self._connection, self._limits, self._sizes = connection, limits, sizes
        self._whole = 2 * limits.long / (1 + limits.long)
        last = number(connection, "next_id")
        each = range(0, last, max(_EACH, -(-last // sizes.sample)))
        sample = list(noise_sets.some(connection, each).values())
        least = (self._whole, limits.long, limits.short)
        columns_ = [[of[place] for of in map(_kinds, sample)] for place in range(len(least))]
        self._indexes = [
            SetIndex(share, [Packed(one) for one in of if one])
            for share, of in zip(least, columns_, strict=True)
        ]
        self._sets: dict[int, Single] = {}
        self._made_of = len(sample)
        for some in noise_sets.every(connection):
            self._put(some)

    @property
    def outgrown(self) -> bool:
        """Whether they were made from so few documents that they are now slow."""
        grown = len(self._sets) > _GROWN * max(_EACH * self._made_of, self._sizes.few)
        return grown and self._made_of < self._sizes.sample

    @property
    def nbytes(self) -> int:
        """Bytes of memory that they use."""
        held = sum(len(one.long) + len(one.short) for one in self._sets.values())
        return held + sum(index.nbytes for index in self._indexes)

    def add(self, ids: Sequence[int]) -> None:
        """Add documents whose sets are in the file, except those already added."""
        self._put(noise_sets.some(self._connection, [id_ for id_ in ids if id_ not in self._sets]))

    def remove(self, ids: Sequence[int]) -> None:
        """Remove documents, if they are there."""
        for index in self._indexes:
            index.remove([id_ for id_ in ids if id_ in index])
        for id_ in ids:
            self._sets.pop(id_, None)

    def near(self, one: Single) -> list[int]:
        """Return the documents that are nominated with a text."""
        whole, smaller, short = self._indexes
        asked = Packed(one.long)
        found = set(smaller.query(asked, self._limits.long))
        found.update(whole.query(asked, self._whole if _kinds(one)[0] else self._limits.long))
        found.update(short.query(Packed(one.short), self._limits.short))
        ids = sorted(found)
        kept = noise.NoiseEvidence.of_singles([one, *(self._sets[id_] for id_ in ids)])
        right = pa.array(range(1, len(ids) + 1), pa.int64())
        left = pa.array([0] * len(ids), pa.int64())
        nominated = noise.nominates(kept, left, right, self._limits)
        return list(compress(ids, nominated.to_pylist()))

    def _put(self, some: Mapping[int, Single]) -> None:
        self._sets.update(some)
        kinds = {id_: _kinds(one) for id_, one in some.items()}
        for place, index in enumerate(self._indexes):
            held = {id_: Packed(of[place]) for id_, of in kinds.items() if of[place]}
            index.add(index.entries(list(held.values())), list(held))


def _kinds(one: Single) -> tuple[bytes, bytes, bytes]:
    """Return the sets of a text for each index, or an empty one."""
    whole = len(one.long) == noise.LOWEST * noise.ID_BYTES
    return (one.long if whole else b"", b"" if whole else one.long, one.short)


class Side(NamedTuple):
    """A text of a pair.

    Attributes:
        kept: its evidence.
        sets: its second sets.
        text: the text, or the id of the document that keeps it.
    """

    kept: TextEvidence
    sets: Single
    text: str | int | None


def agreements(
    connection: sqlite3.Connection,
    sides: Sequence[Side | None],
    pairs: Sequence[tuple[int, int]],
    judged: Sequence[Judged],
    limits: NoiseLimits,
) -> dict[int, float]:
    """Return which pairs are noisy copies: the agreement of each, by its place.

    Args:
        connection: in a transaction.
        sides: n texts; None if one cannot be aligned.
        pairs: m pairs of them.
        judged: the judge's result for those that are not different.
        limits: the limits for noisy copies.

    Raises:
        StoreDamaged: a text is damaged.
    """
    words = {one.place: one.verdict for one in judged}
    places = []
    for at, (one, other) in enumerate((sides[a], sides[b]) for a, b in pairs):
        if one is None or other is None or words.get(at, UNALIKE[0]) not in UNALIKE:
            continue
        masked = one.kept.masked_digest
        if masked is None or masked != other.kept.masked_digest:
            places.append(at)
    if not places:
        return {}
    empty = Single(0, b"", b"")
    kept = noise.NoiseEvidence.of_singles([empty if one is None else one.sets for one in sides])
    left, right = (pa.array([pairs[at][side] for at in places], pa.int64()) for side in (0, 1))
    inside = pa.array([at in words for at in places], pa.bool_())
    asked = pc.or_(
        noise.nominates(kept, left, right, limits),
        pc.and_(inside, noise.fit(kept, left, right, limits)),
    )
    left, right = left.filter(asked), right.filter(asked)
    if not len(left):
        return {}
    some = pa.table({"left": left, "right": right})
    some = some.append_column("resemblance", noise.resemblance(kept, left, right))
    used = {*left.to_pylist(), *right.to_pylist()}
    texts = [None if one is None or at not in used else one.text for at, one in enumerate(sides)]
    held = arrow.texts(_texts(connection, texts))
    found = noise.aligned(held, some, limits, jobs=1, patience=None)
    rows = pa.array(places, pa.int64()).filter(asked).take(arrow.flat(found["row"]))
    return dict(zip(rows.to_pylist(), found["agreement"].to_pylist(), strict=True))


def _texts(connection: sqlite3.Connection, texts: Sequence[str | int | None]) -> list[str | None]:
    """Return texts; kept ones are read once each."""
    held = {id_: contents.text(connection, id_) for id_ in texts if isinstance(id_, int)}
    return [held[text] if isinstance(text, int) else text for text in texts]
