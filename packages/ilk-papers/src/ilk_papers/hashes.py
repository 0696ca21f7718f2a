"""Named hashes of the papers and of other tools, step by step.

``md5``, ``fnv1a``, ``murmur``, ``lookup3``, ``lookup2`` and ``one_at_a_time`` take ``bytes`` and a
width of 32 or 64 bits, and give a number from 0 up to 2**bits. Recipes name the same hashes; those
are the kernels', and tests compare both.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any, TypeAlias

import mmh3
import numpy as np
from numpy.typing import NDArray

Hash: TypeAlias = Callable[[bytes, int], int]

#: Bytes of m texts of one length n, as m rows of n numbers.
Rows: TypeAlias = NDArray[np.unsignedinteger[Any]]

_LOW64 = (1 << 64) - 1

#: The start value of FNV-1a and its prime, by width.
_FNV = {32: (0x811C9DC5, 0x01000193), 64: (0xCBF29CE484222325, 0x100000001B3)}


def md5(data: bytes, bits: int) -> int:
    """Return the first bits of the MD5 digest, most significant byte first (RFC 1321)."""
    return int.from_bytes(hashlib.md5(data, usedforsecurity=False).digest()[: bits // 8], "big")


def fnv1a(data: bytes, bits: int) -> int:
    """Return FNV-1a (Fowler, Noll and Vo; RFC 9923): exclusive or with a byte, times a prime.

    >>> hex(fnv1a(b"foobar", 32))
    '0xbf9cf968'
    """
    return _hash_grouped_by_length([data], _make_fnv1a(bits), f"u{bits // 8}")[0]


def murmur(data: bytes, bits: int, seed: int = 0) -> int:
    """Return MurmurHash3 (x86, 32 bits) or MurmurHash64A (64 bits), both by Appleby.

    >>> hex(murmur(b"hello", 32))
    '0x248bfa47'
    """
    return mmh3.hash(data, seed, signed=False) if bits == 32 else _murmur64(data, seed)


def _murmur64(data: bytes, seed: int) -> int:
    factor, whole = 0xC6A4A7935BD1E995, len(data) // 8 * 8
    value = seed ^ len(data) * factor & _LOW64
    for at in range(0, whole, 8):
        block = int.from_bytes(data[at : at + 8], "little") * factor & _LOW64
        block = (block ^ block >> 47) * factor & _LOW64
        value = (value ^ block) * factor & _LOW64
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * factor & _LOW64
    value = (value ^ value >> 47) * factor & _LOW64
    return value ^ value >> 47


def lookup3(data: bytes, bits: int, seeds: tuple[int, int] = (0, 0)) -> int:
    """Return Jenkins' lookup3 of 2006 (``hashlittle2``): c, and for 64 bits b above it.

    >>> hex(lookup3(b"Four score and seven years ago", 64))
    '0xce7226e617770551'
    """
    rows = functools.partial(_hash_rows_lookup3, seeds=seeds)
    return _hash_grouped_by_length([data], rows, "u4")[0] % (1 << bits)


def lookup2(data: bytes, bits: int) -> int:
    """Return Jenkins' lookup2 of 1996: c, and for 64 bits b above it, as ``lookup3`` has them.

    >>> lookup2(b"hello world", 32)
    447289830
    """
    return _hash_grouped_by_length([data], _hash_rows_lookup2, "u4")[0] % (1 << bits)


def one_at_a_time(data: bytes, bits: int) -> int:
    """Return Jenkins' one-at-a-time of 1997; for 64 bits, the same steps on numbers of 64 bits.

    >>> one_at_a_time(b"hello world", 32)
    1045060183
    """
    return _hash_grouped_by_length([data], _hash_rows_by_jenkins_one_at_a_time, f"u{bits // 8}")[0]


#: Jenkins' hashes; Holub's page does not tell which of them it means.
JENKINS: dict[str, Hash] = {
    "one-at-a-time": one_at_a_time,
    "lookup2": lookup2,
    "lookup3": lookup3,
}

#: The hashes that the project page and Holub name.
HASHES: dict[str, Hash] = {"MD5": md5, "FNV-1a": fnv1a, "Murmur": murmur, "lookup3": lookup3}


def _column_of_one_number(number: int, rows: Rows) -> Rows:
    """Return a column of the same number for every row."""
    return np.full(len(rows), number, rows.dtype)


def _make_fnv1a(bits: int) -> Callable[[Rows], Rows]:
    start, prime = _FNV[bits]

    def hash_rows(rows: Rows) -> Rows:
        values = _column_of_one_number(start, rows)
        for column in rows.T:
            values ^= column
            values *= rows.dtype.type(prime)
        return values

    return hash_rows


def _hash_rows_by_jenkins_one_at_a_time(rows: Rows) -> Rows:
    values = _column_of_one_number(0, rows)
    for column in rows.T:
        values += column
        values += values << 10
        values ^= values >> 6
    values += values << 3
    values ^= values >> 11
    values += values << 15
    return values


def _hash_rows_lookup3(rows: Rows, seeds: tuple[int, int] = (0, 0)) -> Rows:
    """Return ``hashlittle2``, its first result in the lower half."""
    count, length = rows.shape
    blocks = max(1, -(-length // 12))
    padded = np.zeros((count, 12 * blocks), np.uint8)
    padded[:, :length] = rows
    words = padded.view("<u4").astype(np.uint32)
    start = 0xDEADBEEF + length + seeds[0]
    a = b = np.full(count, start % 2**32, np.uint32)
    c = np.full(count, (start + seeds[1]) % 2**32, np.uint32)
    for block in range(0, 3 * blocks, 3):
        a, b, c = a + words[:, block], b + words[:, block + 1], c + words[:, block + 2]
        if block < 3 * blocks - 3:
            for turn in (4, 6, 8, 16, 19, 4):
                a = (a - c) ^ _rotate(c, turn)
                a, b, c = b, c + b, a
    if length:
        for turn in (14, 11, 25, 16, 4, 14, 24):
            c = (c ^ b) - _rotate(b, turn)
            a, b, c = b, c, a
        # Seven turns leave the three one place further than a whole number of rounds.
        a, b, c = c, a, b
    return c.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32)


def _hash_rows_lookup2(rows: Rows) -> Rows:
    """Return c, and b above it, of the last mix; the lowest byte of the last c is the length's."""
    count, length = rows.shape
    whole = length // 12
    padded = np.zeros((count, 12 * (whole + 1)), np.uint8)
    padded[:, : 12 * whole + 8] = _cut_or_pad(rows, 12 * whole + 8)
    # The last three bytes of an unfinished block stand one place further: c begins with a length.
    padded[:, 12 * whole + 9 :] = _cut_or_pad(rows[:, 12 * whole + 8 :], 3)
    words = padded.view("<u4").astype(np.uint32)
    a: Any = np.full(count, 0x9E3779B9, np.uint32)
    b: Any = a
    c: Any = np.zeros(count, np.uint32)
    for block in range(0, 3 * (whole + 1), 3):
        a, b, c = a + words[:, block], b + words[:, block + 1], c + words[:, block + 2]
        if block == 3 * whole:
            c = c + np.uint32(length)
        for right, left, down in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
            a = (a - b - c) ^ c >> right
            b = (b - c - a) ^ a << left
            c = (c - a - b) ^ b >> down
    joined: Rows = c.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32)
    return joined


def _cut_or_pad(rows: Rows, length: int) -> Rows:
    """Return rows cut, or filled with zeros, to a length."""
    padded = np.zeros((len(rows), length), np.uint8)
    padded[:, : rows.shape[1]] = rows[:, :length]
    return padded


def _rotate(words: Any, bits: int) -> Any:
    return words << bits | words >> (32 - bits)


def _hash_grouped_by_length(
    data: list[bytes], hash_rows: Callable[[Rows], Rows], word_dtype: str, data_dtype: str = "u1"
) -> list[int]:
    """Apply a function of whole rows to bytes of any lengths: those of one length at a time."""
    lengths = np.array([len(each) for each in data], np.int64)
    values = np.zeros(len(data), np.uint64)
    for length in np.unique(lengths):
        (places,) = np.nonzero(lengths == length)
        joined = b"".join(data[place] for place in places)
        rows = np.frombuffer(joined, data_dtype).reshape(len(places), -1) if length else None
        shaped = np.zeros((len(places), 0), word_dtype) if rows is None else rows.astype(word_dtype)
        values[places] = hash_rows(shaped)
    return [int(value) for value in values]
