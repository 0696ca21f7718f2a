"""SimHash in 32 bits over the pairs of characters of a phrase, and the search for its hash.

The lecture prints values but does not name the hash that makes a number of a pair of characters.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from ilk_papers.hashes import fnv1a, lookup3, md5, multiplied, murmur
from ilk_papers.lecture.published import PHRASES, PLAIN, SIMHASHES
from ilk_papers.simhash import distance, simhash

BITS = 32

Hash32: TypeAlias = Callable[[bytes], int]


def _digest(algorithm: str, data: bytes) -> int:
    return int.from_bytes(hashlib.new(algorithm, data, usedforsecurity=False).digest()[:4], "big")


def _ruby(data: bytes) -> int:
    """Return what Ruby 1.8 made of a string: the product of sdbm, folded."""
    value = multiplied(data, 65599)
    return (value + (value >> 5)) % (1 << BITS)


#: Every hash that was tried.
TRIED: dict[str, Hash32] = {
    "MD5": lambda data: md5(data, BITS),
    "FNV-1a": lambda data: fnv1a(data, BITS),
    "MurmurHash3": lambda data: murmur(data, BITS),
    "lookup3": lambda data: lookup3(data, BITS),
    "SHA-1": partial(_digest, "sha1"),
    "SHA-256": partial(_digest, "sha256"),
    "CRC-32": zlib.crc32,
    "Adler-32": zlib.adler32,
    "times 31 (Java)": lambda data: multiplied(data, 31),
    "times 33 (Bernstein)": lambda data: multiplied(data, 33, 5381),
    "times 65599 (sdbm)": lambda data: multiplied(data, 65599),
    "Ruby 1.8": _ruby,
}


def pairs(phrase: str) -> list[bytes]:
    """Return the pairs of adjacent characters of a phrase, white space included.

    >>> pairs("the")
    [b'th', b'he']
    """
    return [phrase[at : at + 2].encode() for at in range(len(phrase) - 1)]


@dataclass(frozen=True, slots=True)
class Trial:
    """What one hash gives for the three phrases, pairs counted as a bag or as a set.

    Attributes:
        apart: of the 96 bits of the three published values, how many differ; by chance 48.
        plain: how many of the three published hashes of whole phrases it gives.
    """

    name: str
    counted: str
    ties: int
    values: tuple[int, ...]
    apart: int
    plain: int


def trials() -> Iterator[Trial]:
    """Yield a trial of every hash, of pairs as a bag and as a set, and both ways with ties."""
    for name, of in TRIED.items():
        plain = sum(of(p.encode()) == value for p, value in zip(PHRASES, PLAIN, strict=True))
        for counted in ("bag", "set"):
            for ties in (0, 1):
                values = tuple(_fingerprint(phrase, of, counted, ties) for phrase in PHRASES)
                apart = sum(map(distance, values, SIMHASHES))
                yield Trial(name, counted, ties, values, apart, plain)


def _fingerprint(phrase: str, of: Hash32, counted: str, ties: int) -> int:
    every = pairs(phrase)
    chosen = every if counted == "bag" else list(dict.fromkeys(every))
    return simhash([of(pair) for pair in chosen], bits=BITS, ties=ties)
