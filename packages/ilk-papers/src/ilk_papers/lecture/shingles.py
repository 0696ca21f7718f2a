"""Shingles of words or characters, what two sets of them share, and sketches of large sets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from typing import TypeVar

from ilk_papers.hashes import murmur

T = TypeVar("T")

_WORD = re.compile(r"\w+")


def words_in_given_case(text: str) -> list[str]:
    """Return the words of a text as they stand: runs of letters, marks and digits.

    >>> words_in_given_case("The world, including both.")
    ['The', 'world', 'including', 'both']
    """
    return _WORD.findall(text)


def shingles(tokens: Sequence[str], k: int) -> list[tuple[str, ...]]:
    """Return all runs of k adjacent tokens, in order, repetitions included: the bag of them.

    Shape: n tokens -> n - k + 1 shingles, none if n < k. A text is a sequence of characters.

    >>> shingles("abca", 2)
    [('a', 'b'), ('b', 'c'), ('c', 'a')]
    """
    return [tuple(tokens[at : at + k]) for at in range(len(tokens) - k + 1)]


def resemblance_or_zero_if_empty(left: Set[T], right: Set[T]) -> float:
    """Return |A n B| / |A u B|, from 0 to 1; 0 of two empty sets (Broder 1997, section 2)."""
    return len(left & right) / max(1, len(left | right))


def containment_or_zero_if_empty(left: Set[T], right: Set[T]) -> float:
    """Return |A n B| / |A|, from 0 to 1: how much of the left is in the right; 0 if it is empty."""
    return len(left & right) / max(1, len(left))


def keep_hashes_divisible_by(hashes: Iterable[int], divisor: int) -> list[int]:
    """Return the hashes that the divisor divides: a sample that is the same in every document.

    >>> keep_hashes_divisible_by([938, 664, 463], 4)
    [664]
    """
    return [value for value in hashes if value % divisor == 0]


def minhash_signature(shingle_set: Iterable[tuple[str, ...]], function_count: int) -> list[int]:
    """Return a set's least hash under each of many functions (Broder 1997, section 3).

    Two signatures agree in a place with the probability of the sets' resemblance. The set may not
    be empty.
    """
    data = [" ".join(shingle).encode(errors="surrogatepass") for shingle in shingle_set]
    return [min(murmur(each, 64, seed) for each in data) for seed in range(function_count)]


def signature_agreement(left: Sequence[int], right: Sequence[int]) -> float:
    """Return the share of places in which two signatures agree: an estimate of the resemblance."""
    return sum(a == b for a, b in zip(left, right, strict=True)) / len(left)
