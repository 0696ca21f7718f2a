"""The method of Roth 2011, from its words: slow, one step at a time, in Python's integers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.reference import hashing

POLYNOMIAL = (1 << 64) + 0x1B


def unbounded_hash(gram: str) -> int:
    """s[0] * 31^(n-1) + ... over UTF-16 code units."""
    data = gram.encode("utf-16-be", "surrogatepass")
    units = [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]
    return sum(unit * 31 ** (len(units) - 1 - at) for at, unit in enumerate(units))


def signed(value: int, bits: int) -> int:
    """The lowest bits as a number with a sign."""
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


def hash_code(gram: str) -> int:
    """Java's ``String.hashCode``."""
    return signed(unbounded_hash(gram), 32)


def rabin(fingerprints: Sequence[int]) -> int:
    """The remainder of all of them, four bytes each, most significant first."""
    data = b"".join((value % (1 << 32)).to_bytes(4, "big") for value in fingerprints)
    return signed(hashing.remainder(int.from_bytes(data, "big"), POLYNOMIAL), 64)


def winnowed(fingerprints: Sequence[int], window: int) -> list[int]:
    """Slide the window; note the rightmost least of each, every place once."""
    chosen: list[int] = []
    for start in range(max(1, len(fingerprints) - window + 1)):
        places = range(start, min(start + window, len(fingerprints)))
        best = min(places, key=lambda at: (fingerprints[at], -at), default=None)
        if best is not None and best not in chosen:
            chosen.append(best)
    return [fingerprints[at] for at in sorted(chosen)]


def most_frequent(values: Sequence[int], most: int) -> list[int]:
    """As ``Counter`` ranks them: of equals, the one seen first."""
    return [value for value, _ in Counter(values).most_common(most)]


def super_shingle(fingerprints: Sequence[int], k: int) -> int:
    """Hash the k-grams of the sequence, again and again."""
    row = list(fingerprints)
    while len(row) > 1:
        width = min(k, len(row))
        row = [
            signed(sum(row[at + j] * 31 ** (width - 1 - j) for j in range(width)), 32)
            for at in range(len(row) - width + 1)
        ]
    return row[0] if row else 0


def similar(number: int, other: int) -> bool:
    """SI - |0.3 SI| < other < SI + |0.3 SI|, times ten."""
    return 10 * number - 3 * abs(number) < 10 * other < 10 * number + 3 * abs(number)
