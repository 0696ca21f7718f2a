"""The named hashes of the papers' rooms: golden vectors of their authors."""

from __future__ import annotations

import hashlib

import pytest

from ilk_papers.hashes import fnv1a, lookup2, lookup3, md5, murmur, one_at_a_time
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


@pytest.mark.parametrize(
    ("text", "value"),
    # As libraries of other languages print them of Jenkins' own program, with a seed of 0.
    [
        ("", 0xBD49D10D),
        ("a", 703514648),
        ("foobar", 0x9D3FFA02),
        ("hello world", 447289830),
        (5 * "The quick brown fox jumps over the lazy dog", 2138388378),
    ],
)
def test_lookup2(text: str, value: int) -> None:
    assert lookup2(text.encode(), 32) == value
    assert lookup2(text.encode(), 64) % (1 << 32) == value


@pytest.mark.parametrize("length", range(40))
def test_lookup2_is_its_definition(length: int) -> None:
    """Jenkins 1996, byte by byte: the bytes after the eighth of the last block skip c's lowest."""
    data = bytes(range(1, length + 1))
    state = [0x9E3779B9, 0x9E3779B9, 0]
    whole = length // 12 * 12
    for at in range(0, whole + 1, 12):
        for place, byte in enumerate(data[at : at + 12]):
            shifted = place + 1 if at == whole and place >= 8 else place
            state[shifted // 4] += byte << 8 * (shifted % 4)
        state[2] += length if at == whole else 0
        a, b, c = (word % 2**32 for word in state)
        for right, left, down in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
            a = (a - b - c) % 2**32 ^ c >> right
            b = (b - c - a) % 2**32 ^ a << left % 32 & 0xFFFFFFFF
            c = (c - a - b) % 2**32 ^ b >> down
        state = [a, b, c]
    assert lookup2(data, 64) == state[1] << 32 | state[2]


def test_one_at_a_time_takes_the_same_steps_on_64_bits() -> None:
    assert one_at_a_time(b"a", 32) == 0xCA2E9442
    assert one_at_a_time(b"hello world", 32) == 1045060183
    value = 0
    for byte in b"hello world":
        value = (value + byte) % 2**64
        value = (value + (value << 10)) % 2**64
        value ^= value >> 6
    value = (value + (value << 3)) % 2**64
    value ^= value >> 11
    assert one_at_a_time(b"hello world", 64) == (value + (value << 15)) % 2**64
