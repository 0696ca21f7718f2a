"""Comparison of every fingerprint with every other, as in the papers."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ilk_papers.planted import Fingerprints

#: Pairs of rows, the left before the right, each as left * n + right.
PairCodes: TypeAlias = NDArray[np.int64]


def compare_all_pairs(fingerprints: Fingerprints, radius: int) -> PairCodes:
    """Return the pairs within the radius, by comparing every two numbers: n (n - 1) / 2 times."""
    count = len(fingerprints)
    pair_codes = [
        at * count
        + at
        + 1
        + np.flatnonzero(np.bitwise_count(fingerprints[at + 1 :] ^ value) <= radius)
        for at, value in enumerate(fingerprints)
    ]
    return np.concatenate([np.zeros(0, np.int64), *pair_codes])
