"""The feature hash, SimHash and 1-bit MinHash, from their definitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from tests.reference import text as reference

MASK = (1 << 64) - 1


def _root_bits(prime: int) -> int:
    """The first 64 fractional bits of the square root of a prime, the lowest set."""
    return math.isqrt(prime << 128) & MASK | 1


K = [_root_bits(prime) for prime in (2, 3, 5, 7, 11, 13)]


def mix(x: int) -> int:
    """Spread every bit over the upper half."""
    x = (x ^ x >> 32) * K[4] & MASK
    return x ^ x >> 32


def token(word: str) -> int:
    """The hash of a word or a run of characters."""
    data = word.encode()
    state = 0
    for start in range(0, len(data), 16):
        block = data[start : start + 16].ljust(16, b"\0")
        low, high = (int.from_bytes(block[i : i + 8], "little") for i in (0, 8))
        total = ((low ^ low >> 32) * K[0] + (high ^ high >> 32) * K[1]) & MASK
        state = (state * K[2] + (total ^ total >> 29)) & MASK
    return mix((state + len(data) * K[3]) & MASK)


def shingle(tokens: tuple[str, ...]) -> int:
    """The hash of a shingle of words."""
    if len(tokens) == 1:
        return token(tokens[0])
    state = 0
    for word in tokens:
        state = (state * K[2] + token(word)) & MASK
    return mix(state)


def expand(feature: int) -> int:
    """The 128 bits that a feature's id adds to a fingerprint."""
    halves = []
    for factor, summand in ((K[0], K[1]), (K[2], K[3])):
        x = (feature * factor + summand) & MASK
        x = (x ^ x >> 32) * K[5] & MASK
        x = (x ^ x >> 29) * K[4] & MASK
        halves.append(x ^ x >> 32)
    return halves[0] | halves[1] << 64


#: What the bits of a SimHash become in a tie.
TIES = K[1] | K[3] << 64


def feature_ids(text: str, unit: str, width: int, *, fold: bool = True) -> list[int]:
    """The ids of a text's shingles, repetitions included."""
    found = reference.features(text, unit, width, fold=fold)
    hashes = (shingle(f) if unit == "words" else token("".join(f)) for f in found)
    return [value >> 32 for value in hashes]


def weigh(weight: str, tf: int) -> int:
    """What a feature counts that occurs tf times."""
    return {"binary": 1, "tf": tf, "log": round(8 * (1 + math.log(tf)))}[weight]


def accumulate(features: Iterable[tuple[int, int]], bits: int, ties: int) -> int:
    """SimHash of (feature hash, weight) pairs (Charikar 2002, section 3)."""
    sums = [0] * bits
    for feature, weight in features:
        for j in range(bits):
            sums[j] += weight if feature >> j & 1 else -weight
    return sum((1 if s > 0 else ties >> j & 1 if s == 0 else 0) << j for j, s in enumerate(sums))


def minhash(ids: Iterable[int], bits: int) -> int:
    """Packed 1-bit MinHash of a set of ids (Li and Koenig 2010, section 2)."""
    ids, packed = set(ids), 0
    for j in range(bits):
        factor, summand = (expand(j) >> 32) % 2**32 | 1, expand(j) % 2**32
        x = min((x * factor + summand) % 2**32 for x in ids) ^ factor
        x = (x ^ x >> 16) * (K[0] >> 32 | 1) % 2**32
        x = (x ^ x >> 15) * (K[4] >> 32 | 1) % 2**32
        packed |= (x >> 31) << j
    return packed


def fingerprint(
    text: str,
    *,
    kind: str = "simhash",
    bits: int = 64,
    unit: str = "words",
    width: int = 1,
    weight: str = "log",
    fold: bool = True,
    minimum: int = 3,
) -> int | None:
    """The fingerprint of a text; none if it has too few distinct features."""
    counts = Counter(feature_ids(text, unit, width, fold=fold))
    if len(counts) < minimum:
        return None
    if kind == "minhash":
        return minhash(counts, bits)
    weighted = ((expand(feature), weigh(weight, tf)) for feature, tf in counts.items())
    return accumulate(weighted, bits, TIES)
