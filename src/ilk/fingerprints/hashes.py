"""Hashes of other tools, for fingerprints that must equal theirs.

Every function takes texts (as UTF-8 if it hashes bytes) and returns all its bits, so the type of
the column says how many bits a fingerprint may have. The kernels' own hashes are not here: they are
part of the way from text to fingerprint.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ilk.base.errors import MissingExtra, OptionError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    #: Bytes of m texts of one length n, as m rows of n numbers.
    Rows: TypeAlias = NDArray[np.unsignedinteger[Any]]

_EXTRA = "hashes"

#: The start value of FNV-1a and its prime, by width.
_FNV = {32: (0x811C9DC5, 0x01000193), 64: (0xCBF29CE484222325, 0x100000001B3)}


@dataclass(frozen=True, slots=True)
class Hash:
    """A hash function: its width in bits, and the function for texts."""

    bits: int
    numbers: Callable[[Sequence[str]], Sequence[int]]


def hashed(texts: Sequence[str], name: str) -> pa.Array:
    """Return the hash of every text.

    Args:
        texts: n texts.
        name: one of ``HASHES``.

    Returns:
        n numbers: ``uint32``, ``uint64`` or, for 128 bits, 16 bytes each.

    Raises:
        OptionError: the name is unknown.
        MissingExtra: the function needs a package that is not installed.
    """
    if name not in HASHES:
        raise OptionError(f"hash is {name!r}; it must be one of {', '.join(HASHES)}.")
    import pyarrow as pa

    from ilk import arrow

    known = HASHES[name]
    numbers = known.numbers(texts)
    if known.bits == 128:
        return pa.array([number.to_bytes(16, "big") for number in numbers], arrow.WIDE)
    return pa.array(numbers, pa.uint32() if known.bits == 32 else pa.uint64())


def _md5(texts: Sequence[str]) -> list[int]:
    return [int.from_bytes(hashlib.md5(text.encode()).digest(), "big") for text in texts]


def _sha1(texts: Sequence[str]) -> list[int]:
    # The last 128 of its 160 bits.
    return [int.from_bytes(hashlib.sha1(text.encode()).digest()[4:], "big") for text in texts]


def _murmur128(texts: Sequence[str]) -> list[int]:
    mmh3 = _mmh3()
    return [mmh3.hash128(text, 0, x64arch=True, signed=False) for text in texts]


def _mmh3() -> Any:
    try:
        import mmh3
    except ImportError as error:
        raise MissingExtra("mmh3", _EXTRA) from error
    return mmh3


def _all(start: int, rows: Rows) -> Rows:
    """Return a column of the same number for every row."""
    column: Rows = rows[:, :0].sum(1, dtype=rows.dtype) + rows.dtype.type(start)
    return column


def _fnv1a(start: int, prime: int) -> Callable[[Rows], Rows]:
    def hashed_rows(rows: Rows) -> Rows:
        values = _all(start, rows)
        for column in rows.T:
            values ^= column
            values *= rows.dtype.type(prime)
        return values

    return hashed_rows


def _one_at_a_time(rows: Rows) -> Rows:
    values = _all(0, rows)
    for column in rows.T:
        values += column
        values += values << 10
        values ^= values >> 6
    values += values << 3
    values ^= values >> 11
    values += values << 15
    return values


def _java(rows: Rows) -> Rows:
    values = _all(0, rows)
    for column in rows.T:
        values[:] = values * 31 + column
    return values


def _lookup3(rows: Rows, seeds: tuple[int, int] = (0, 0)) -> Rows:
    """Return ``hashlittle2``, its first result in the lower half."""
    import numpy as np

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
                a = (a - c) ^ _turned(c, turn)
                a, b, c = b, c + b, a
    if length:
        for turn in (14, 11, 25, 16, 4, 14, 24):
            c = (c ^ b) - _turned(b, turn)
            a, b, c = b, c, a
        # Seven turns leave the three one place further than a whole number of rounds.
        a, b, c = c, a, b
    return c.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32)


def _turned(words: Any, bits: int) -> Any:
    return words << bits | words >> (32 - bits)


def _by_length(
    hashed_rows: Callable[[Rows], Rows], kind: str, encoding: str = "utf-8", unit: str = "u1"
) -> Callable[[Sequence[str]], list[int]]:
    """Return the function of whole rows for texts of any lengths."""
    return lambda texts: _of_bytes(
        [text.encode(encoding) for text in texts], hashed_rows, kind, unit
    )


def _of_bytes(
    data: list[bytes], hashed_rows: Callable[[Rows], Rows], kind: str, unit: str = "u1"
) -> list[int]:
    """Apply a function of whole rows to bytes of any lengths: those of one length at a time."""
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtra("numpy", _EXTRA) from error
    lengths = np.array([len(each) for each in data], np.int64)
    values = np.zeros(len(data), np.uint64)
    for length in np.unique(lengths):
        (places,) = np.nonzero(lengths == length)
        joined = b"".join(data[place] for place in places)
        rows = np.frombuffer(joined, unit).reshape(len(places), -1) if length else None
        shaped = np.zeros((len(places), 0), kind) if rows is None else rows.astype(kind)
        values[places] = hashed_rows(shaped)
    return [int(value) for value in values]


def fnv1a(data: list[bytes], bits: int) -> list[int]:
    """Return FNV-1a (Fowler, Noll and Vo; RFC 9923) of bytes, in 32 or 64 bits.

    >>> [hex(number) for number in fnv1a([b"foobar", b""], 32)]
    ['0xbf9cf968', '0x811c9dc5']
    """
    return _of_bytes(data, _fnv1a(*_FNV[bits]), f"u{bits // 8}")


def murmur32(data: list[bytes], seed: int = 0) -> list[int]:
    """Return Appleby's MurmurHash3 (x86, 32 bits) of bytes.

    >>> [hex(number) for number in murmur32([b"hello"])]
    ['0x248bfa47']
    """
    mmh3 = _mmh3()
    return [mmh3.hash(each, seed, signed=False) for each in data]


def lookup3(data: list[bytes], seeds: tuple[int, int] = (0, 0)) -> list[int]:
    """Return Jenkins' lookup3 of 2006 (``hashlittle2``) of bytes: c, and b in the upper 32 bits.

    >>> [hex(number) for number in lookup3([b"Four score and seven years ago"])]
    ['0xce7226e617770551']
    """
    return _of_bytes(data, functools.partial(_lookup3, seeds=seeds), "u4")


#: Every hash function by name, with its source.
HASHES = {
    # RFC 1321; RFC 3174.
    "md5": Hash(128, _md5),
    "sha1": Hash(128, _sha1),
    # Fowler, Noll and Vo; RFC 9923.
    "fnv1a32": Hash(32, _by_length(_fnv1a(*_FNV[32]), "u4")),
    "fnv1a64": Hash(64, _by_length(_fnv1a(*_FNV[64]), "u8")),
    # Appleby, MurmurHash3: x86_32 and x64_128, seed 0.
    "murmur32": Hash(32, lambda texts: murmur32([text.encode() for text in texts])),
    "murmur128": Hash(128, _murmur128),
    # Jenkins 1997, one-at-a-time; 2006, lookup3.
    "oaat": Hash(32, _by_length(_one_at_a_time, "u4")),
    "lookup3": Hash(64, _by_length(_lookup3, "u4")),
    # Java's String.hashCode, of UTF-16 code units.
    "java": Hash(32, _by_length(_java, "u4", "utf-16-le", "<u2")),
}
