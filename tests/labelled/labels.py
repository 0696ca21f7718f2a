"""What two documents share, by the origin of their words."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from tests.labelled.traced import Traced, characters, spelled, words

#: Words of a shingle, and characters of one where a text is short.
_WIDTH = 3

#: Texts of fewer words are short; a pair with a short text is compared by characters.
_SHORT = 50

_Shingles = frozenset[tuple[Hashable, ...]]


@dataclass(frozen=True, slots=True)
class Shares:
    """What can be compared of a document.

    Attributes:
        words: the runs of three words, by their origins.
        characters: the runs of three characters.
        short: whether the characters decide.
    """

    words: _Shingles
    characters: _Shingles
    short: bool

    @classmethod
    def of(cls, units: Traced) -> Shares:
        """Collect the runs of a document."""
        found = words(units)
        return cls(_runs(found), _runs(characters(units)), len(found) < _SHORT)

    def common(self, other: Shares) -> tuple[int, int, int]:
        """The number of runs that two documents share, and of those that each has."""
        by_characters = self.short or other.short
        a, b = (s.characters if by_characters else s.words for s in (self, other))
        return len(a & b), len(a), len(b)


def resemblances(documents: Mapping[str, Traced], least: float) -> dict[tuple[str, str], float]:
    """By pair of names in order, the resemblance of every pair that reaches the least."""
    shares = {name: Shares.of(units) for name, units in sorted(documents.items())}
    found = {}
    for left, right in combinations(shares, 2):
        common, *sizes = shares[left].common(shares[right])
        if common and common / (sum(sizes) - common) >= least:
            found[left, right] = common / (sum(sizes) - common)
    return found


def without_numbers(units: Traced) -> str:
    """A text with every number written as 0: the set writes numbers as ``7`` and ``1234.50``."""
    return re.sub(r"[0-9]+(?:\.[0-9]+)?", "0", spelled(units))


def differ_in_numbers(documents: Mapping[str, Traced]) -> list[tuple[str, str]]:
    """The pairs of names, in order, whose texts are equal but for their numbers.

    They are of one kind whatever they share: in two lists of prices for the same goods, a word
    of three may be a number, and then hardly any three words in a row are in both.
    """
    texts = {name: (without_numbers(units), spelled(units)) for name, units in documents.items()}
    return [
        (left, right)
        for left, right in combinations(sorted(texts), 2)
        if texts[left][0] == texts[right][0] and texts[left][1] != texts[right][1]
    ]


def _runs(features: Sequence[Hashable]) -> _Shingles:
    return frozenset(zip(*(features[at:] for at in range(_WIDTH)), strict=False))
