"""The named hashes of the papers' rooms: golden vectors of their authors."""

from __future__ import annotations

import hashlib

import pytest

from ilk_papers.hashes import fnv1a, lookup3, md5, murmur
from ilk_papers.holub.all_exhibits import VECTORS


@pytest.mark.parametrize(
    ("data", "narrow", "wide"),
    [
        # draft-eastlake-fnv, "Test vectors".
        (b"", 0x811C9DC5, 0xCBF29CE484222325),
        (b"a", 0xE40C292C, 0xAF63DC4C8601EC8C),
        (b"foobar", 0xBF9CF968, 0x85944171F73967E8),
    ],
)
def test_fnv(data: bytes, narrow: int, wide: int) -> None:
    assert (fnv1a(data, 32), fnv1a(data, 64)) == (narrow, wide)


@pytest.mark.parametrize(
    ("bits", "value"),
    # SMHasher, main.cpp: the verification values of Murmur3A and Murmur2B.
    [(32, 0xB0F57EE3), (64, 0x1F0D3804)],
)
def test_murmur_passes_its_authors_verification(bits: int, value: int) -> None:
    """Appleby's: hash 256 keys, each with its own seed, then all the hashes."""
    hashed = (murmur(bytes(range(at)), bits, 256 - at) for at in range(256))
    joined = b"".join(each.to_bytes(bits // 8, "little") for each in hashed)
    assert murmur(joined, bits) % (1 << 32) == value


@pytest.mark.parametrize(("text", "seeds", "c", "b"), VECTORS)
def test_lookup3_passes_its_authors_self_test(
    text: str, seeds: tuple[int, int], c: int, b: int
) -> None:
    """Jenkins 2006, lookup3.c, ``driver5``."""
    assert lookup3(text.encode(), 64, seeds) == b << 32 | c
    assert lookup3(text.encode(), 32, seeds) == c


def test_md5_is_its_first_bits() -> None:
    digest = hashlib.md5(b"abc").hexdigest()
    assert digest == "900150983cd24fb0d6963f7d28e17f72"  # RFC 1321, section A.5.
    assert f"{md5(b'abc', 64):016x}" == digest[:16]
    assert f"{md5(b'abc', 32):08x}" == digest[:8]
