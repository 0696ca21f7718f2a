"""The worked example: a text's grams, their hashes, and V after each of them.

Source: Roth 2013, Table 1: 16 bits, runs of three characters, hashed by the sum of their codes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ilk_papers.simhash import Votes, add_votes, signs_of_votes

BITS, K = 16, 3


def grams(text: str) -> list[str]:
    """Return the runs of three characters, as they stand.

    >>> grams("Hello")
    ['Hel', 'ell', 'llo']
    """
    return [text[at : at + K] for at in range(len(text) - K + 1)]


def code_sum(gram: str) -> int:
    """Return the sum of the codes of the characters, in 16 bits.

    >>> code_sum("Hel")
    281
    """
    return sum(map(ord, gram)) % (1 << BITS)


@dataclass(frozen=True, slots=True, eq=False)
class VotingStep:
    """One gram: its hash, and V after it, the highest bit first as the paper prints it."""

    gram: str
    hash: int
    votes: Votes


def voting_steps(text_grams: Sequence[str]) -> Iterator[VotingStep]:
    """Yield V after each gram: a one of its hash adds 1, a zero subtracts 1."""
    hashes = [code_sum(gram) for gram in text_grams]
    sums = accumulate(add_votes([value], bits=BITS) for value in hashes)
    for gram, value, after in zip(text_grams, hashes, sums, strict=True):
        yield VotingStep(gram, value, after[::-1])


def fingerprint(text_grams: Sequence[str]) -> int:
    """Return the fingerprint of some grams: a one where V is above zero.

    >>> fingerprint(grams("Hello world"))
    335
    """
    return signs_of_votes(add_votes([code_sum(gram) for gram in text_grams], bits=BITS), ties=0)
