"""The search by permuted tables, which the page takes from Manku 2007, section 3.

The bits are cut into blocks. For every choice of some of them a table holds all fingerprints with
these blocks moved to the top, sorted: what agrees in them stands together and is compared. If
b blocks are cut and m of them must agree, nothing within b - m bits is missed, since so few
differing bits cannot touch more than b - m blocks; beyond that, pairs are missed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ilk_papers.comparing import PairCodes
from ilk_papers.planted import BITS, Fingerprints


class PermutedTable(NamedTuple):
    """The bits of a table from the top down, and how many of them must agree."""

    bits: list[int]
    agreeing: int


@dataclass(frozen=True, slots=True)
class Design:
    """Blocks that are cut, and those that agree in a table; ``0 < agreeing < blocks``."""

    blocks: int
    agreeing: int

    @property
    def table_count(self) -> int:
        """How many copies of all fingerprints are kept."""
        return comb(self.blocks, self.agreeing)

    @property
    def exact_radius(self) -> int:
        """Up to which distance nothing is missed."""
        return self.blocks - self.agreeing

    def split_bits(self) -> list[range]:
        """Return the bits of every block, as equal as they can be, the lowest first."""
        ends = [BITS * at // self.blocks for at in range(self.blocks + 1)]
        return [range(*of) for of in pairwise(ends)]

    def permutations(self) -> Iterator[PermutedTable]:
        """Yield the bits of every table from the top down, and how many of them must agree."""
        blocks = self.split_bits()
        for chosen in combinations(range(self.blocks), self.agreeing):
            first = [bit for at in chosen for bit in reversed(blocks[at])]
            others = (block for at, block in enumerate(blocks) if at not in chosen)
            yield PermutedTable(
                first + [bit for block in others for bit in reversed(block)], len(first)
            )


@dataclass(frozen=True, slots=True, eq=False)
class SearchedPairs:
    """The pairs within a radius that a search found, and how many pairs it compared for that."""

    pairs: PairCodes
    compared: int


def expected_recall(design: Design, distance: int) -> float:
    """Return the share of pairs at a distance that a search finds: enough blocks are untouched.

    The differing bits are anywhere: the ways to place them that touch few blocks, over all ways.
    """
    ways = Counter({(0, 0): 1})
    for block in design.split_bits():
        after: Counter[tuple[int, int]] = Counter()
        for (blocks_touched, bits_placed), count in ways.items():
            for bits in range(min(len(block), distance - bits_placed) + 1):
                after[blocks_touched + (bits > 0), bits_placed + bits] += count * comb(
                    len(block), bits
                )
        ways = after
    found = sum(
        count
        for (touched, placed), count in ways.items()
        if placed == distance and touched <= design.blocks - design.agreeing
    )
    return found / comb(BITS, distance)


def permute_bits(fingerprints: Fingerprints, order: Sequence[int]) -> Fingerprints:
    """Return every fingerprint with its bits in another order, given from the top down.

    >>> [hex(value) for value in permute_bits(np.array([1], np.uint64), [0, *range(63, 0, -1)])]
    ['0x8000000000000000']
    """
    moved = np.zeros_like(fingerprints)
    for place, bit in enumerate(order):
        ones = (fingerprints >> np.uint64(bit)) & np.uint64(1)
        moved |= ones << np.uint64(BITS - 1 - place)
    return moved


def search_permuted_tables(
    fingerprints: Fingerprints, design: Design, radius: int
) -> SearchedPairs:
    """Return the pairs within the radius that agree in the top bits of some table."""
    pairs_seen, comparisons = [np.zeros(0, np.int64)], 0
    for order, top in design.permutations():
        table = permute_bits(fingerprints, order)
        rows = np.argsort(table, kind="stable")
        keys = table[rows] >> np.uint64(BITS - top)
        left, right = _pairs_of_equal_keys(keys)
        comparisons += len(left)
        a, b = rows[left], rows[right]
        near = np.bitwise_count(fingerprints[a] ^ fingerprints[b]) <= radius
        a, b = a[near], b[near]
        pairs_seen.append(np.minimum(a, b) * len(fingerprints) + np.maximum(a, b))
    return SearchedPairs(np.unique(np.concatenate(pairs_seen)), comparisons)


class _PlacePairs(NamedTuple):
    """Pairs of places, the left before the right."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]


def _pairs_of_equal_keys(sorted_keys: Fingerprints) -> _PlacePairs:
    """Return all pairs of places that hold equal keys."""
    ends = np.searchsorted(sorted_keys, sorted_keys, "right")
    following = ends - np.arange(len(sorted_keys)) - 1
    left = np.repeat(np.arange(len(sorted_keys)), following)
    first = np.cumsum(following) - following
    return _PlacePairs(left, left + 1 + np.arange(len(left)) - first[left])
