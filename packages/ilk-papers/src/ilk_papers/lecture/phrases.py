"""SimHash in 32 bits over the pairs of characters of a phrase, by the hash that the lecture used.

The lecture does not name its hash. It is the first MurmurHash, as Ruby 1.9 had it on 32 bits for
``String#hash``: a number of 31 bits with a sign, from a seed that every process draws anew. A
published hash of two characters is inverted to its seed; published simhashes find theirs among all
2**32, by trying each.

Source: Appleby 2008, MurmurHash; the lecture's slides 31 and 32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ilk_papers.simhash import simhash

BITS = 32

_MASK = (1 << BITS) - 1
_FACTOR, _START = 0x7FD652AD, 0xDEADBEEF
_SHIFT, _ENDS = 16, (10, 17)

#: Seeds that are tried at once: as many numbers as a processor's cache holds.
_BLOCK = 1 << 16

#: Blocks between two notes of progress.
_STEP = 64

Words = NDArray[np.uint32]

#: Eight counts of up to 15 in each number, of 4 bits each.
PackedCounts = NDArray[np.uint32]


def distinct_character_pairs(phrase: str) -> list[bytes]:
    """Return the distinct pairs of adjacent characters of a phrase, white space included.

    >>> distinct_character_pairs("thethe")
    [b'th', b'he', b'et']
    """
    return list(dict.fromkeys(phrase[at : at + 2].encode() for at in range(len(phrase) - 1)))


def ruby_hash(data: bytes, seed: int) -> int:
    """Return Ruby 1.9's ``String#hash`` of a process with that seed: 31 bits with a sign.

    >>> ruby_hash(b"th", 0x55ED5ABD)
    -502157718
    """
    value = (seed + _START) & _MASK
    for word in _words_of_32_bits(data):
        value = _multiply_and_xor_shift(value + word, _SHIFT)
    for shift in _ENDS:
        value = _multiply_and_xor_shift(value, shift)
    return _signed_lower_31_bits(value)


def _words_of_32_bits(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]


def _multiply_and_xor_shift(value: int, shift: int) -> int:
    value = value * _FACTOR & _MASK
    return value ^ value >> shift


def _signed_lower_31_bits(value: int) -> int:
    """Return the lower 31 bits, read as a number with a sign."""
    return (value & 0x7FFFFFFF) - ((value & 0x40000000) << 1)


def fingerprint(phrase: str, seed: int) -> int:
    """Return the SimHash of a phrase: the set of its pairs, each as 32 bits, ties 0."""
    hashes = [ruby_hash(pair, seed) & _MASK for pair in distinct_character_pairs(phrase)]
    return simhash(hashes, bits=BITS, ties=0)


class InversionStep(NamedTuple):
    """A step back, and the value before it for both values of the unknown bit."""

    said: str
    with_zero: int
    with_one: int


def invert_hash(data: bytes, hash_value: int) -> Iterator[InversionStep]:
    """Yield the steps back from a hash to its seed, each for both values of the unknown bit.

    The hash of up to 4 bytes has 31 of 32 bits; the last step gives the two seeds that there can
    be.
    """
    low = hash_value & 0x7FFFFFFF
    both = [low, low | 1 << 31]
    yield InversionStep("the hash, with its 32nd bit 0 or 1", both[0], both[1])
    for shift in reversed((_SHIFT, *_ENDS)):
        both = [_undo_xor_shift(each, shift) for each in both]
        yield InversionStep(f"undo x ^ x >> {shift}", both[0], both[1])
        both = [each * pow(_FACTOR, -1, 1 << BITS) & _MASK for each in both]
        yield InversionStep(f"divide by 0x{_FACTOR:x}", both[0], both[1])
    (word,) = _words_of_32_bits(data)
    both = [each - word & _MASK for each in both]
    yield InversionStep(f"subtract the bytes of {data.decode()!r}, 0x{word:x}", both[0], both[1])
    both = [each - _START & _MASK for each in both]
    yield InversionStep(f"subtract 0x{_START:x}: the seed", both[0], both[1])


def _undo_xor_shift(value: int, shift: int) -> int:
    """Return x of x ^ x >> shift."""
    found = value
    for _ in range(BITS // shift):
        found = value ^ found >> shift
    return found


class SeedsTriedSoFar(NamedTuple):
    """How many seeds have been tried, and those that give every phrase its SimHash."""

    number: int
    agreeing: list[int]


def search_seeds(
    simhashes: Mapping[str, int], seeds: range = range(1 << BITS), jobs: int = 1
) -> Iterator[SeedsTriedSoFar]:
    """Yield how many seeds have been tried, and those that give every phrase its SimHash.

    Args:
        simhashes: published values by phrase.
        seeds: which are tried, without gaps.
        jobs: threads.
    """
    blocks = [
        range(at, min(at + _BLOCK, seeds.stop)) for at in range(seeds.start, seeds.stop, _BLOCK)
    ]
    seeds_found: list[int] = []
    tries = 0
    with ThreadPoolExecutor(jobs) as pool:
        for first in range(0, len(blocks), _STEP):
            some = blocks[first : first + _STEP]
            for hits in pool.map(partial(_find_agreeing_seeds, simhashes), some):
                seeds_found += hits
            tries += sum(map(len, some))
            yield SeedsTriedSoFar(tries, list(seeds_found))


def _find_agreeing_seeds(simhashes: Mapping[str, int], seeds: range) -> list[int]:
    """Return which of some seeds give every phrase its SimHash: a few bits first, then all."""
    phrase, value = min(simhashes.items(), key=lambda item: len(distinct_character_pairs(item[0])))
    left = np.arange(seeds.start, seeds.stop, dtype=np.uint32)
    # A quarter of the bits at a time: eight counts of up to 15 fit a word of 32 bits.
    for bit in range(4):
        if len(left):
            left = left[
                _do_seeds_agree_at_every_fourth_bit(
                    _count_every_fourth_bit(distinct_character_pairs(phrase), left, bit),
                    phrase,
                    value,
                    bit,
                )
            ]
    return [
        int(seed)
        for seed in left
        if all(fingerprint(each, int(seed)) == of for each, of in simhashes.items())
    ]


def _count_every_fourth_bit(
    pairs: Sequence[bytes], seeds: Words, first_bit: int
) -> list[PackedCounts]:
    """Return, for every seed, how often bits ``first_bit``, ``first_bit + 4``, ... are set: an
    array for every 15 pairs.
    """
    counts = []
    value, shifts = np.empty_like(seeds), np.empty_like(seeds)
    for at in range(0, len(pairs), 15):
        count = np.zeros_like(seeds)
        for pair in pairs[at : at + 15]:
            (word,) = _words_of_32_bits(pair)
            np.add(seeds, np.uint32(_START + word & _MASK), out=value)
            for shift in (_SHIFT, *_ENDS):
                np.multiply(value, np.uint32(_FACTOR), out=value)
                np.right_shift(value, np.uint32(shift), out=shifts)
                np.bitwise_xor(value, shifts, out=value)
            if first_bit == 3:
                # The 32nd bit is a copy of the 31st.
                np.left_shift(value, np.uint32(1), out=shifts)
                np.bitwise_and(shifts, np.uint32(1 << 31), out=shifts)
                np.bitwise_and(value, np.uint32(0x7FFFFFFF), out=value)
                np.bitwise_or(value, shifts, out=value)
            np.right_shift(value, np.uint32(first_bit), out=value)
            np.bitwise_and(value, np.uint32(0x11111111), out=value)
            np.add(count, value, out=count)
        counts.append(count)
    return counts


def _do_seeds_agree_at_every_fourth_bit(
    packed_counts: list[PackedCounts], phrase: str, simhash_of_phrase: int, first_bit: int
) -> NDArray[np.bool_]:
    """Return for which seeds the bits that were counted are those of a SimHash."""
    half = len(distinct_character_pairs(phrase)) // 2
    agrees = np.ones(len(packed_counts[0]), np.bool_)
    for place in range(8):
        ones = sum(count >> np.uint32(4 * place) & np.uint32(15) for count in packed_counts)
        agrees &= (ones > half) == bool(simhash_of_phrase >> (4 * place + first_bit) & 1)
    return agrees
