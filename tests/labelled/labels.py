"""What two documents share, by the origin of their words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from tests.labelled.traced import Traced, characters, words

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


def _runs(features: Sequence[Hashable]) -> _Shingles:
    return frozenset(zip(*(features[at:] for at in range(_WIDTH)), strict=False))
