"""Near fingerprints by sorting: those that differ only in low bits become neighbours.

To bring other bits to the low end, all fingerprints are rotated and sorted again; rotation moves
the bits of two numbers alike, so that it changes no distance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np

from ilk_papers.comparing import PairCodes
from ilk_papers.planted import BITS, Fingerprints
from ilk_papers.simhash import distance


def rotate_bits(value: int, left_by: int, bits: int = BITS) -> int:
    """Return a number of ``bits`` bits, rotated to the left; to the right by a negative number.

    >>> [f"{rotate_bits(0b0001, left_by, 4):04b}" for left_by in (1, 2, -1)]
    ['0010', '0100', '1000']
    """
    left_by %= bits
    return (value << left_by | value >> (bits - left_by)) & ((1 << bits) - 1)


def sorted_places(numbers: Sequence[int], left_by: int = 0, bits: int = BITS) -> list[int]:
    """Return the places of the numbers, ascending after a rotation to the left.

    >>> sorted_places([3, 1, 2])
    [1, 2, 0]
    """
    return sorted(range(len(numbers)), key=lambda at: rotate_bits(numbers[at], left_by, bits))


def neighbour_distances(numbers: Sequence[int], places: Sequence[int]) -> list[int]:
    """Return the distance of every number to the next, in an order."""
    return [distance(numbers[a], numbers[b]) for a, b in pairwise(places)]


def find_neighbours(
    fingerprints: Fingerprints, rotations: int, radius: int, *, compare_last_with_first: bool = True
) -> PairCodes:
    """Return the pairs within the radius that are neighbours after one of the even rotations.

    Args:
        fingerprints: n numbers of 64 bits.
        rotations: how often they are sorted; 1 is without rotation.
        radius: in bits.
        compare_last_with_first: whether the last and the first are neighbours as well.
    """
    seen = [
        _find_neighbours_of_rotation(
            fingerprints, BITS * turn // rotations, radius, compare_last_with_first
        )
        for turn in range(rotations)
    ]
    return np.unique(np.concatenate(seen))


def expected_recall(fingerprint_count: int, rotations: int, radius: int) -> float:
    """Return the share of pairs that rotations find, for pairs at distances 1 to ``radius``.

    The distances are equally frequent, and the bits that differ are anywhere. Of n fingerprints, a
    pair that agrees in its first b bits has n / 2^(b+1) between it on average, and none with a
    probability of e to the minus that.
    """
    starts = [BITS * turn // rotations for turn in range(rotations)]
    shares = []
    for apart in range(1, radius + 1):
        miss_probability = 0.0
        # All positions are alike up to a rotation only where every rotation is made: take a sample.
        sets = list(combinations(range(0, BITS, 1 if apart < 3 else 2), apart))
        for differing in sets:
            missing = 1.0
            for start in starts:
                first = min((bit - start) % BITS for bit in differing)
                missing *= 1 - math.exp(-fingerprint_count / 2 ** (first + 1))
            miss_probability += missing
        shares.append(1 - miss_probability / len(sets))
    return sum(shares) / len(shares)


def _find_neighbours_of_rotation(
    fingerprints: Fingerprints, left_by: int, radius: int, compare_last_with_first: bool
) -> PairCodes:
    # The other shift is taken modulo 64, as a shift by 64 is undefined.
    left, right = np.uint64(left_by), np.uint64((BITS - left_by) % BITS)
    turned = fingerprints << left | fingerprints >> right
    places = np.argsort(turned, kind="stable")
    following = np.roll(places, -1)
    if not compare_last_with_first:
        places, following = places[:-1], following[:-1]
    apart = np.bitwise_count(fingerprints[places] ^ fingerprints[following])
    near = (apart <= radius) & (places != following)
    a, b = places[near], following[near]
    codes: PairCodes = np.minimum(a, b) * len(fingerprints) + np.maximum(a, b)
    return codes
