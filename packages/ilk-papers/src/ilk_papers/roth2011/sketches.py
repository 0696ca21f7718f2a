"""The sketches of the paper: which of a document's fingerprints are counted.

Every function takes n fingerprints in the order of the text and gives some of them, in that order
unless it says otherwise.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ilk_papers.roth2011.hashing import (
    BASE,
    Fingerprints,
    inverse_modulo_2_to_32,
    powers_modulo_2_to_32,
)
from ilk_papers.seeded import draw_ascending_sample, seeded_draw


def zero_mod(fingerprints: Fingerprints, modulus: int = 25) -> Fingerprints:
    """Return those that are 0 modulo a number (Roth 2011, methods 3 and 4; Broder 1997)."""
    chosen: Fingerprints = fingerprints[fingerprints % modulus == 0]
    return chosen


def winnow(fingerprints: Fingerprints, window: int) -> Fingerprints:
    """Return the least of every ``window`` adjacent ones, the rightmost of several (methods 5, 6).

    A place is taken once. Fewer than ``window`` fingerprints are one window. Source: Schleimer,
    Wilkerson and Aiken 2003, definition 1.
    """
    count = len(fingerprints)
    if not count:
        return fingerprints
    _, ranks = np.unique(fingerprints, return_inverse=True)
    # One number orders by fingerprint, then from right to left.
    least = ranks * count + np.arange(count)[::-1]
    covered, window = 1, min(window, count)
    while covered < window:
        step = min(covered, window - covered)
        least, covered = np.minimum(least[:-step], least[step:]), covered + step
    chosen: Fingerprints = fingerprints[count - 1 - np.unique(least % count)[::-1]]
    return chosen


def lowest(fingerprints: Fingerprints, max_count: int) -> Fingerprints:
    """Return the lowest ones, repetitions included, in ascending order (methods 7 and 8)."""
    return np.sort(fingerprints)[:max_count]


def highest(fingerprints: Fingerprints, max_count: int) -> Fingerprints:
    """Return the highest ones, repetitions included, in ascending order (methods 9 and 10)."""
    return np.sort(fingerprints)[max(0, len(fingerprints) - max_count) :]


def random_third(fingerprints: Fingerprints, seed: int) -> Fingerprints:
    """Return a third of the places, drawn afresh for every document (methods 11 and 12).

    The draw depends on the seed and on n alone, so that two copies of a document have one number.
    """
    chosen: Fingerprints = fingerprints[_draw_third(len(fingerprints), seed)]
    return chosen


@lru_cache(1 << 10)
def _draw_third(count: int, seed: int) -> NDArray[np.int64]:
    """Return a third of the numbers below ``count``, ascending."""
    return np.array(draw_ascending_sample(seeded_draw(seed), count, count // 3), np.int64)


def most_frequent(fingerprints: Fingerprints, max_count: int) -> Fingerprints:
    """Return the most frequent ones, each once (method 13); of equals, the one that comes first."""
    values, first, counts = np.unique(fingerprints, return_index=True, return_counts=True)
    return values[np.lexsort((first, -counts))[:max_count]]


def super_shingle(fingerprints: Fingerprints, k: int, base: int = BASE) -> int:
    """Return the hash of hashes of ... of k-grams of fingerprints, until one remains (method 14).

    A k-gram of numbers is hashed as one of characters: f[0] * 31^(k-1) + ... + f[k-1] in 32 bits.
    Fewer than k numbers are one gram; none give 0. Single numbers would never get fewer, so a gram
    has two at least.
    """
    if not len(fingerprints):
        return 0
    # Divided by 31^i, number i is hashed with its neighbours by adding them up, and the hashes are
    # divided by 31^i again but for a common factor 31^(k-1), which is multiplied in at the end.
    row = fingerprints.view(np.uint32) * powers_modulo_2_to_32(
        inverse_modulo_2_to_32(base), len(fingerprints)
    )
    sums = np.zeros(len(row) + 1, np.uint32)
    exponent = 0
    while len(row) > 1:
        width = min(max(k, 2), len(row))
        running = sums[: len(row) + 1]
        np.cumsum(row, dtype=np.uint32, out=running[1:])
        row = np.subtract(running[width:], running[:-width], out=row[: len(row) - width + 1])
        exponent += width - 1
    value = int(row[0]) * pow(base, exponent, 1 << 32) % (1 << 32)
    return value - (1 << 32) if value >> 31 else value
