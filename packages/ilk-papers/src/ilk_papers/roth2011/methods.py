"""The 14 methods: a document's k-grams become one number, its Similarity Index of 2011.

It is a plain number on a line, near to those of similar documents. It is no fingerprint of
``ilk.fingerprints.recipe``, and the Hamming distance of two of them means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ilk.plugins import OptionError
from ilk_papers.roth2011 import sketches
from ilk_papers.roth2011.hashing import BASE, Fingerprints, rabin
from ilk_papers.roth2011.soundex import DIGITS
from ilk_papers.roth2011.tokens import STREAMS, VARIATIONS, DocumentTokens, tokenise

#: Every method by its number in the paper.
METHODS = {
    1: "sum of all fingerprints",
    2: "Rabin hash of all fingerprints",
    3: "sum of the 0 mod 25 sketch",
    4: "Rabin hash of the 0 mod 25 sketch",
    5: "sum of the winnowed sketch",
    6: "Rabin hash of the winnowed sketch",
    7: "sum of the lowest fingerprints",
    8: "Rabin hash of the lowest fingerprints",
    9: "sum of the highest fingerprints",
    10: "Rabin hash of the highest fingerprints",
    11: "sum of a random third",
    12: "Rabin hash of a random third",
    13: "sum of the most frequent words' fingerprints",
    14: "super shingle",
}

#: The methods that add up.
SUMS = (1, 3, 5, 7, 9, 11, 13)

#: The four runs: k, and the winnowing window.
RUNS = ((4, 5), (8, 12), (16, 25), (40, 100))


@dataclass(frozen=True, slots=True)
class Parameters:
    """What the paper leaves open, says in two ways, or took from Java.

    Attributes:
        lowest, highest, frequent: how many fingerprints methods 7-10 and 13 take.
        seed: of the random third.
        base: what a hash code multiplies by; Java takes 31.
        exact: whether hash codes are exact values, which do not wrap at 32 bits. They are only
            added up (methods 1, 3, ... 13).
        digits: of a Soundex code; None keeps all.
        long: whether hash codes and sums wrap at 64 bits, as a Java long does; ``exact`` too.
    """

    lowest: int = 400
    highest: int = 400
    frequent: int = 200
    seed: int = 2011
    base: int = BASE
    exact: bool = False
    digits: int | None = DIGITS
    long: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """One way to a number; ``str`` gives it as the paper does: tracking number, variation, k, w.

    >>> str(Combination.parse("43B 40 100")), Combination.parse("43B 40 100").stream
    ('43B 40 100', 'soundex')
    """

    method: int
    stream: str
    variation: str
    k: int
    window: int

    @classmethod
    def parse(cls, text: str) -> Combination:
        """Return the combination that a text spells, as ``str`` does.

        Raises:
            OptionError: it is not a combination.
        """
        match = re.fullmatch(r"(\d+)([A-D]) (\d+) (\d+)", text)
        if match:
            tracking, k, window = (int(match[group]) for group in (1, 3, 4))
            for stream, first in STREAMS.items():
                if is_defined_for(tracking - first, stream) and min(k, window) > 0:
                    return cls(
                        method=tracking - first,
                        stream=stream,
                        variation=match[2],
                        k=k,
                        window=window,
                    )
        why = ""
        if match and int(match[1]) == 13:
            why = ": the most frequent words have no form of characters"
        raise OptionError(
            f"{text!r} is not a combination{why}; write a tracking number (1-12, 14, 21-34 or "
            "41-54), a variation (A-D), and two numbers above 0: k and the window, such as "
            "'43B 40 100'."
        )

    @property
    def tracking_number(self) -> int:
        """The paper's tracking number: 1-14, 21-34, 41-54."""
        return STREAMS[self.stream] + self.method

    def __str__(self) -> str:
        """Return such as ``43B 40 100``."""
        return f"{self.tracking_number}{self.variation} {self.k} {self.window}"


def is_defined_for(method: int, stream: str) -> bool:
    """Return whether a method has a form of that stream: method 13 has none of characters."""
    return method in METHODS and (method, stream) != (13, "characters")


def compute_numbers(text: str, parameters: Parameters) -> Iterator[tuple[Combination, int]]:
    """Yield a document's number by every combination: 656, or 320 sums of exact values.

    The paper counts 14 methods x 3 streams x 4 variations x 4 runs = 672, but 16 do not exist.
    """
    for stream in STREAMS:
        for variation in VARIATIONS:
            words = tokenise(text, stream, variation, parameters.digits)
            for k, window in RUNS:
                fingerprints = _fingerprint_grams(words, k, parameters)
                for method in SUMS if parameters.exact else METHODS:
                    if is_defined_for(method, stream):
                        each = Combination(
                            method=method, stream=stream, variation=variation, k=k, window=window
                        )
                        yield each, _number_of_sketch(words, fingerprints, each, parameters)


def compute_number(text: str, combination: Combination, parameters: Parameters) -> int:
    """Return the number of a document by one combination: in 64 bits with a sign, unless exact."""
    words = tokenise(text, combination.stream, combination.variation, parameters.digits)
    fingerprints = _fingerprint_grams(words, combination.k, parameters)
    return _number_of_sketch(words, fingerprints, combination, parameters)


class DocumentSketch(NamedTuple):
    """The fingerprints of a document's k-grams (method 13: of its words), and those counted."""

    every: Fingerprints
    counted: Fingerprints


def sketch_document(text: str, combination: Combination, parameters: Parameters) -> DocumentSketch:
    """Return the fingerprints of a document, and those that the method counts."""
    of = tokenise(text, combination.stream, combination.variation, parameters.digits)
    every = _fingerprint_grams(of, combination.k, parameters)
    if combination.method == 13:
        single = _fingerprint_grams(of, 1, parameters)
        return DocumentSketch(single, sketches.most_frequent(single, parameters.frequent))
    if combination.method == 14:
        return DocumentSketch(every, every)
    return DocumentSketch(every, _choose_sketch(every, combination, parameters))


def _fingerprint_grams(tokens: DocumentTokens, k: int, parameters: Parameters) -> Fingerprints:
    if not parameters.exact:
        return tokens.fingerprints(k, parameters.base)
    exact = tokens.exact_values(k)
    return np.array([_wrap_long(value) for value in exact], np.int64) if parameters.long else exact


def _wrap_long(value: int) -> int:
    """Return a number as a Java long."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def _number_of_sketch(
    tokens: DocumentTokens,
    fingerprints: Fingerprints,
    combination: Combination,
    parameters: Parameters,
) -> int:
    """Return the number that a document's tokens, and the fingerprints of its k-grams, come to."""
    if combination.method == 13:
        return sum_of_fingerprints(
            sketches.most_frequent(_fingerprint_grams(tokens, 1, parameters), parameters.frequent)
        )
    if combination.method == 14:
        return sketches.super_shingle(fingerprints, combination.k, parameters.base)
    sketch = _choose_sketch(fingerprints, combination, parameters)
    return sum_of_fingerprints(sketch) if combination.method % 2 else rabin(sketch)


def _choose_sketch(
    fingerprints: Fingerprints, combination: Combination, parameters: Parameters
) -> Fingerprints:
    """Return what methods 1-12 count: the first of two adds it up, the second hashes it."""
    match combination.method:
        case 1 | 2:
            return fingerprints
        case 3 | 4:
            return sketches.zero_mod(fingerprints)
        case 5 | 6:
            return sketches.winnow(fingerprints, combination.window)
        case 7 | 8:
            return sketches.lowest(fingerprints, parameters.lowest)
        case 9 | 10:
            return sketches.highest(fingerprints, parameters.highest)
        case _:
            return sketches.random_third(fingerprints, parameters.seed)


def sum_of_fingerprints(fingerprints: Fingerprints) -> int:
    """Return the sum of fingerprints: of 32-bit ones in 64 bits, of exact ones without a limit."""
    return int(fingerprints.sum())
