"""Pairs measured on the texts: how many shingles both have, exactly.

A pair is measured on sets of word shingles, and on sets of character 3-shingles when either text
has fewer than 50 words. Shingles are 32-bit ids; where two sets are so large that ids would meet by
chance, the pair is measured again on 64-bit hashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, columns
from ilk.features import shingles
from ilk.pairing import measures

#: From this product of set sizes on, two 32-bit ids meet by chance in 1 of 1,000 pairs or more.
WIDE = 1 << 22

#: A set above this size may be in such a pair.
LARGE = 1 << 11


@dataclass(frozen=True, slots=True)
class Counts:
    """Per pair: shingles of both texts, of the left one, of the right one (``int64``)."""

    shared: pa.Array
    left: pa.Array
    right: pa.Array

    @property
    def arrays(self) -> tuple[pa.Array, pa.Array, pa.Array]:
        """The three columns."""
        return self.shared, self.left, self.right

    def only(self, chosen: pa.Array) -> Counts:
        """The counts of some pairs."""
        return Counts(*(array.filter(chosen) for array in self.arrays))

    @property
    def union(self) -> pa.Array:
        """Per pair: shingles of either text."""
        return pc.subtract(pc.add(self.left, self.right), self.shared)

    def columns(self) -> dict[str, pa.Array]:
        """The columns of a table of pairs that these counts fill."""
        return {
            "resemblance": measures.ratio(self.shared, self.union),
            "containment_left": measures.ratio(self.shared, self.left),
            "containment_right": measures.ratio(self.shared, self.right),
        }

    def resembling(self, least: Fraction) -> pa.Array:
        """Per pair whether the resemblance is at least that."""
        return measures.reaches(self.shared, self.union, least)

    def contained(self, least: Fraction) -> tuple[pa.Array, pa.Array]:
        """Per pair whether left is contained in right to that degree, and right in left."""
        return (
            measures.reaches(self.shared, self.left, least),
            measures.reaches(self.shared, self.right, least),
        )


def count(
    texts: columns.Texts, left: pa.Array, right: pa.Array, *, shingle: int, jobs: int
) -> Counts:
    """Measure pairs of texts.

    Args:
        texts: n texts, as ``columns.texts`` gives them.
        left, right: m rows of ``texts`` each (``int64``), a pair in every position.
        shingle: words per shingle.
        jobs: threads.

    Source: Broder 1997, section 2 (resemblance and containment).
    """
    # Read but once: their sets take as much memory as they do.
    texts = columns.held(_only(texts, left, right))
    words = shingles.word_counts(texts, jobs=jobs)
    fewer = pc.min_element_wise(words.take(left), words.take(right))
    short = pc.less(fewer, measures.SHORT_WORDS)
    parts = []
    for chosen, unit, width in (
        (pc.invert(short), "words", shingle),
        (short, "chars", measures.SHORT_WIDTH),
    ):
        sides = left.filter(chosen), right.filter(chosen)
        parts.append(_intersected(texts, *sides, unit, width, jobs))
    # The parts stand one after the other; back to the order of the pairs.
    place = pc.sort_indices(pc.sort_indices(short.cast(pa.uint8())))
    return Counts(*(pa.concat_arrays(part).take(place) for part in zip(*parts, strict=True)))


def _only(texts: columns.Texts, left: pa.Array, right: pa.Array) -> columns.Texts:
    """The texts of which only those that occur in pairs are left."""
    rows = pc.unique(pa.concat_arrays([left, right]))
    some: columns.Texts = columns.only(texts, pc.is_in(pa.arange(0, len(texts)), value_set=rows))
    return some


def _intersected(
    texts: columns.Texts, left: pa.Array, right: pa.Array, unit: str, width: int, jobs: int
) -> tuple[pa.Array, pa.Array, pa.Array]:
    counts = _counted(texts, left, right, unit, width, jobs, wide=False)
    large = pc.greater(pc.multiply(counts[1], counts[2]), WIDE)
    if not pc.any(large).as_py():
        return counts
    sides = left.filter(large), right.filter(large)
    exact = _counted(texts, *sides, unit, width, jobs, wide=True)
    return tuple(
        pc.replace_with_mask(column, large, better)
        for column, better in zip(counts, exact, strict=True)
    )


def _counted(
    texts: columns.Texts,
    left: pa.Array,
    right: pa.Array,
    unit: str,
    width: int,
    jobs: int,
    *,
    wide: bool,
) -> tuple[pa.Array, pa.Array, pa.Array]:
    sets = shingles.sets(_only(texts, left, right), unit, width, jobs=jobs, wide=wide)
    sizes = pc.list_value_length(sets)
    kernel = _kernels.intersect_wide_pairs if wide else _kernels.intersect_pairs
    return kernel(sets, left, right), sizes.take(left), sizes.take(right)
