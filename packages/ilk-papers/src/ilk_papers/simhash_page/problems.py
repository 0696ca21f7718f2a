"""The page's three problems, as three calls of the library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

import ilk

#: The row number of a document, and the bits in which it differs from another one.
RowAndDistance: TypeAlias = tuple[int, int]

#: Row numbers of two documents, and the bits in which they differ.
Pair: TypeAlias = tuple[int, int, int]


def hamming_distance(left: int, right: int) -> int:
    """Return two documents: the bits in which their fingerprints differ.

    >>> hamming_distance(0b1100, 0b1010)
    2
    """
    return int(ilk.hamming.distance(left, right))


def find_similar(
    fingerprints: Sequence[int], fingerprint: int, radius: int
) -> list[RowAndDistance]:
    """Return one document against all: the rows within the radius, each with its distance.

    >>> find_similar([0b1100, 0b1111, 0b0011], 0b1110, radius=1)
    [(0, 1), (1, 1)]
    """
    found = ilk.hamming.join(
        np.array([fingerprint], np.uint64), np.array(fingerprints, np.uint64), radius
    )
    return [(row["right"], row["distance"]) for row in found.to_pylist()]


def find_pairs(fingerprints: Sequence[int], radius: int) -> list[Pair]:
    """Return all against all: every pair within the radius, none missed.

    >>> find_pairs([0b1100, 0b1111, 0b0011, 0b1110], radius=1)
    [(0, 3, 1), (1, 3, 1)]
    """
    found = ilk.hamming.pairs(np.array(fingerprints, np.uint64), radius)
    return [(row["left"], row["right"], row["distance"]) for row in found.to_pylist()]
