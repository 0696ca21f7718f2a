"""SimHash as the papers explain it, step by step (Charikar 2002, section 3).

The library's own, of many texts at once, is in the kernels; for whole weights it gives the same
bits (``ilk.fingerprints.texts``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

#: The sums of a document, one per bit, the lowest bit first.
Votes: TypeAlias = NDArray[np.float64]


def add_votes(
    hashes: Sequence[int], weights: Sequence[float] | None = None, bits: int = 64
) -> Votes:
    """Return the vector V: a feature adds its weight where its hash has a one, else subtracts it.

    Shape: n hashes, and n weights or None if each feature counts 1 -> ``bits`` sums.

    >>> add_votes([0b0011, 0b0110], bits=4).tolist()
    [0.0, 2.0, 0.0, -2.0]
    """
    width = -(-bits // 8)
    packed = b"".join((int(each) % (1 << bits)).to_bytes(width, "little") for each in hashes)
    octets = np.frombuffer(packed, np.uint8).reshape(-1, width)
    ones = np.unpackbits(octets, axis=1, count=bits, bitorder="little")
    counts = np.ones(len(hashes)) if weights is None else np.asarray(weights, np.float64)
    sums: Votes = counts @ (2.0 * ones - 1.0)
    return sums


def signs_of_votes(sums: Votes, *, ties: int) -> int:
    """Return the fingerprint: a one where the sum is above zero, ``ties`` where it is zero.

    >>> signs_of_votes(add_votes([0b0011, 0b0110], bits=4), ties=1)
    7
    """
    ones = (sums >= 0) if ties else (sums > 0)
    return sum(1 << int(bit) for bit in np.flatnonzero(ones))


def simhash(
    hashes: Sequence[int], weights: Sequence[float] | None = None, *, bits: int, ties: int
) -> int:
    """Return the SimHash of one document's features: the signs of its votes."""
    return signs_of_votes(add_votes(hashes, weights, bits), ties=ties)


def distance(left: int, right: int) -> int:
    """Count the bits in which two fingerprints of any width differ (Hamming).

    >>> distance(37586, 50086)
    7
    """
    return (left ^ right).bit_count()
