"""What a store keeps of a text, so that verdicts need no original: its shingle sets, and numbers.

A text is measured by its word shingles; a pair with a text of fewer than 50 words by character
3-shingles. So texts of fewer than 50 words keep both sets, and those of fewer than 100 too, which
may be compared with a shorter one that resembles them. (A text of 100 words or more resembles one
of fewer than 50 only by repeating itself; such a pair is measured by its words.) Large sets are of
64-bit hashes, so that two of them meet by no chance; all others are of 32-bit ids.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, columns
from ilk.features import shingles
from ilk.fingerprints import digest
from ilk.pairing import measures, verify
from ilk.pairing.set_index import Sets
from ilk.pairing.verify import Counts
from ilk.store.db import packing

#: Texts of fewer words keep their character shingles too.
BOTH_SETS = 2 * measures.SHORT_WORDS


class Evidence(NamedTuple):
    """What is kept of one text.

    Attributes:
        words: how many words it has.
        wide: whether its word shingles are 64-bit hashes.
        word_shingles: its set of word shingles, as bytes.
        character_shingles: its set of character shingles; None where it is not kept.
        masked_digest: of the text with each number written as 0; None for a blank text.
    """

    words: int
    wide: bool
    word_shingles: bytes
    character_shingles: bytes | None
    masked_digest: bytes | None

    @property
    def checksum(self) -> int:
        """A CRC-32 of all of it."""
        head = f"{self.words} {int(self.wide)} ".encode()
        parts = (self.word_shingles, self.character_shingles or b"", self.masked_digest or b"")
        checksum = zlib.crc32(head)
        for part in parts:
            checksum = zlib.crc32(part, checksum)
        return checksum


#: Evidence of a text without words.
NOTHING = Evidence(0, False, b"", b"", None)


def of_texts(texts: pa.ChunkedArray, shingle: int, *, jobs: int) -> list[Evidence]:
    """The evidence of every text.

    Args:
        texts: n texts, as ``columns.texts`` gives them.
        shingle: words per shingle.
        jobs: threads.
    """
    counts = shingles.word_counts(texts, jobs=jobs)
    words = shingles.sets(texts, "words", shingle, jobs=jobs)
    large = pc.greater(pc.list_value_length(words), verify.LARGE)
    hashes = shingles.sets(columns.only(texts, large), "words", shingle, jobs=jobs, wide=True)
    both = columns.only(texts, pc.less(counts, BOTH_SETS))
    characters = shingles.sets(both, "chars", measures.SHORT_WIDTH, jobs=jobs)
    rows = zip(
        counts.to_pylist(),
        large.to_pylist(),
        packing.sets_to_bytes(words),
        packing.sets_to_bytes(hashes),
        packing.sets_to_bytes(characters),
        digest.masked_digests(texts, jobs=jobs).to_pylist(),
        strict=True,
    )
    return [
        Evidence(
            count, wide, wider if wide else narrow, some if count < BOTH_SETS else None, masked
        )
        for count, wide, narrow, wider, some, masked in rows
    ]


@dataclass(frozen=True, slots=True)
class Pool:
    """The evidence of n texts, of which pairs are measured."""

    evidence: Sequence[Evidence]

    def count(self, left: pa.Array, right: pa.Array) -> Counts:
        """How many shingles the two of each pair have, exactly (Broder 1997, section 2).

        Args:
            left, right: m rows each (``int64``), a pair in every position.
        """
        words = pa.array([one.words for one in self.evidence], pa.int64())
        wide = pa.array([one.wide for one in self.evidence], pa.bool_())
        known = pa.array([one.character_shingles is not None for one in self.evidence], pa.bool_())
        fewer = pc.min_element_wise(words.take(left), words.take(right))
        both = pc.and_(known.take(left), known.take(right))
        by_characters = pc.and_(pc.less(fewer, measures.SHORT_WORDS), both)
        by_hashes = pc.and_(wide.take(left), wide.take(right))
        way = pc.case_when(
            pa.StructArray.from_arrays([by_characters, by_hashes], ["characters", "hashes"]),
            0,
            1,
            2,
        )
        parts = []
        for number, cut in enumerate((_characters, _hashes, _words)):
            chosen = pc.equal(way, number)
            parts.append(self._counted(left.filter(chosen), right.filter(chosen), cut))
        # The parts stand one after the other; back to the order of the pairs.
        place = pc.sort_indices(pc.sort_indices(way))
        return Counts(*(pa.concat_arrays(part).take(place) for part in zip(*parts, strict=True)))

    def same_but_numbers(self, left: pa.Array, right: pa.Array) -> pa.Array:
        """Per pair whether the texts differ in numbers alone, or not at all."""
        masks = pa.array([one.masked_digest for one in self.evidence], columns.DIGEST)
        return pc.fill_null(pc.equal(masks.take(left), masks.take(right)), False)

    def _counted(
        self, left: pa.Array, right: pa.Array, cut: Callable[[Sequence[Evidence]], pa.Array]
    ) -> tuple[pa.Array, pa.Array, pa.Array]:
        if not len(left):
            return left, left, left
        rows = pc.unique(pa.concat_arrays([left, right]))
        sets = cut([self.evidence[row] for row in rows.to_pylist()])
        a, b = (pc.index_in(side, value_set=rows).cast(pa.int64()) for side in (left, right))
        wide = sets.type == columns.WIDE_SETS
        kernel = _kernels.intersect_wide_pairs if wide else _kernels.intersect_pairs
        sizes = pc.list_value_length(sets)
        return kernel(sets, a, b), sizes.take(a), sizes.take(b)


def word_sets(evidence: Sequence[Evidence]) -> Sets:
    """The ids of word shingles, as an index takes them."""
    ids = [_ids(one) for one in evidence]
    merged = [
        len(one.word_shingles) // 8 - len(cut) // 4 if one.wide else 0
        for one, cut in zip(evidence, ids, strict=True)
    ]
    return Sets(packing.sets_from_bytes(ids, wide=False), pa.array(merged, pa.uint32()))


def character_sets(evidence: Sequence[Evidence]) -> Sets:
    """The ids of character shingles, as an index takes them."""
    return Sets(_characters(evidence), pa.array([0] * len(evidence), pa.uint32()))


def _characters(evidence: Sequence[Evidence]) -> pa.Array:
    return packing.sets_from_bytes([e.character_shingles or b"" for e in evidence], wide=False)


def _hashes(evidence: Sequence[Evidence]) -> pa.Array:
    return packing.sets_from_bytes([e.word_shingles for e in evidence], wide=True)


def _words(evidence: Sequence[Evidence]) -> pa.Array:
    return packing.sets_from_bytes([_ids(e) for e in evidence], wide=False)


def _ids(evidence: Evidence) -> bytes:
    """The ids of word shingles: the upper halves of their hashes, each once."""
    if not evidence.wide:
        return evidence.word_shingles
    hashes = packing.sets_from_bytes([evidence.word_shingles], wide=True).flatten()
    # Ascending hashes have ascending upper halves, so that equal ones are adjacent.
    ids = pc.unique(pc.shift_right(hashes, pa.scalar(32, pa.uint64()))).cast(pa.uint32())
    return packing.numbers_to_bytes(ids)
