"""The named hashes of the papers, of bytes, 32 or 64 bits wide.

Those that the library has too are the library's; the others (Murmur of 64 bits) serve the
papers' numbers alone. Every function takes ``bytes`` and gives a number from 0 up to 2**bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TypeAlias

from ilk.plugins import hashes

Hash: TypeAlias = Callable[[bytes, int], int]

_LOW64 = (1 << 64) - 1


def md5(data: bytes, bits: int) -> int:
    """Return the first bits of the MD5 digest, most significant byte first (RFC 1321)."""
    return int.from_bytes(hashlib.md5(data, usedforsecurity=False).digest()[: bits // 8], "big")


def fnv1a(data: bytes, bits: int) -> int:
    """Return FNV-1a (Fowler, Noll and Vo): exclusive or with a byte, times a prime."""
    return hashes.fnv1a([data], bits)[0]


def murmur(data: bytes, bits: int, seed: int = 0) -> int:
    """Return MurmurHash3 (x86, 32 bits) or MurmurHash64A (64 bits), both by Appleby.

    >>> hex(murmur(b"hello", 32))
    '0x248bfa47'
    """
    return hashes.murmur32([data], seed)[0] if bits == 32 else _murmur64(data, seed)


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
    """Return Jenkins' lookup3 of 2006 (``hashlittle2``): c, and for 64 bits b above it."""
    return hashes.lookup3([data], seeds)[0] % (1 << bits)


#: The hashes that the project page and Holub name.
HASHES: dict[str, Hash] = {"MD5": md5, "FNV-1a": fnv1a, "Murmur": murmur, "lookup3": lookup3}
