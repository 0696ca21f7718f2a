"""Five measures with the axioms of a distance.

d(x, y) >= 0; d(x, x) = 0, and nothing else is 0; d(x, y) = d(y, x); d(x, z) <= d(x, y) + d(y, z).
A similarity s from 0 to 1 becomes a distance as 1 - s.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence, Set
from typing import TypeVar

T = TypeVar("T")


def euclidean_distance(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the length of the straight line between two points of as many coordinates.

    >>> euclidean_distance([0, 0], [3, 4])
    5.0
    """
    return math.dist(left, right)


def jaccard_distance(left: Set[T], right: Set[T]) -> float:
    """Return 1 - |A n B| / |A u B|; two empty sets are equal.

    >>> jaccard_distance({1, 2, 3}, {2, 3, 4})
    0.5
    """
    union = len(left | right)
    return 1 - len(left & right) / union if union else 0.0


def numbers_of_overlapping_clusters(items: Set[T], clusters: Collection[Set[T]]) -> frozenset[int]:
    """Return the clusters that a set has an item of, by their numbers: sets of these are compared.

    >>> sorted(numbers_of_overlapping_clusters({0, 1, 5}, [{0, 1, 2}, {3, 4}, {5, 6}]))
    [0, 2]
    """
    return frozenset(number for number, cluster in enumerate(clusters) if items & cluster)


def angle_in_degrees(left: Sequence[float], right: Sequence[float]) -> float:
    """Return the angle between two vectors in degrees, 0 to 180, whose cosine is their similarity.

    It is a distance of directions: a vector and its double are 0 apart. Neither may be all zeros.
    Source of the formula, which is exact near 0 and 180: Kahan 2006, section 12.

    >>> angle_in_degrees([1, 0], [0, 2])
    90.0
    """
    one, other = _unit_vector(left), _unit_vector(right)
    apart = math.hypot(*(a - b for a, b in zip(one, other, strict=True)))
    together = math.hypot(*(a + b for a, b in zip(one, other, strict=True)))
    return math.degrees(2 * math.atan2(apart, together))


def _unit_vector(vector: Sequence[float]) -> list[float]:
    # The largest becomes 1 first, so that the length neither vanishes nor overflows.
    largest = max(map(abs, vector))
    scaled = [value / largest for value in vector]
    length = math.hypot(*scaled)
    return [value / length for value in scaled]


def insert_delete_distance(left: Sequence[T], right: Sequence[T]) -> int:
    """Return the fewest insertions and deletions that make one sequence of the other.

    It is |A| + |B| less twice the longest common subsequence.

    >>> insert_delete_distance("abcde", "acfdeg")
    3
    """
    row = list(range(len(right) + 1))
    for at, one in enumerate(left, 1):
        before, row[0] = row[0], at
        for to, other in enumerate(right, 1):
            above = row[to]
            row[to] = before if one == other else 1 + min(above, row[to - 1])
            before = above
    return row[-1]


def insert_delete_similarity(left: Sequence[T], right: Sequence[T]) -> float:
    """Return 1 - d / (|A| + |B|) of the edit distance, from 0 to 1: near from a threshold on.

    >>> insert_delete_similarity("abcde", "acfdeg")
    0.7272727272727273
    """
    characters = len(left) + len(right)
    return 1 - insert_delete_distance(left, right) / characters if characters else 1.0


def hamming_distance(left: Iterable[T], right: Iterable[T]) -> int:
    """Count the places in which two sequences of one length differ.

    >>> hamming_distance("10101", "11110")
    3
    """
    return sum(one != other for one, other in zip(left, right, strict=True))
