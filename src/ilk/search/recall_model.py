"""What share of the near-duplicates a radius nominates: the model behind the planner.

Two fingerprints differ in each bit with a probability that follows from the resemblance of the
features: (1 - J) / 2 for 1-bit MinHash (Li and König 2010, section 2); angle / pi for SimHash
(Charikar 2002, section 3), where the cosine of two sets of equal size is 2J / (1 + J). How many
bits differ is then binomial.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Protocol

from ilk.pairing.measures import tail

#: The widest radius that is planned for, by the width of fingerprints: beyond it most candidates
#: are chance pairs.
WIDEST = {32: 6, 64: 16, 128: 28}

#: Characters that a word and the space after it take, on average.
_WORD = 6

#: Points at which the resemblance of true pairs is sampled.
_STEPS = 64


class Fingerprinted(Protocol):
    """What the model needs to know of a recipe."""

    @property
    def kind(self) -> str:
        """``simhash`` or ``minhash``."""

    @property
    def bits(self) -> int:
        """Width of the fingerprint."""

    @property
    def unit(self) -> str:
        """``words`` or ``chars``."""

    @property
    def width(self) -> int:
        """Words or characters per shingle."""


def differing(recipe: Fingerprinted, resemblance: float, shingle: int) -> float:
    """Return the probability that a bit differs.

    Args:
        recipe: how the fingerprints are made.
        resemblance: of the two texts' sets of word shingles.
        shingle: words per shingle of those sets.
    """
    common = _feature_share(recipe, 2 * resemblance / (1 + resemblance), shingle)
    if recipe.kind == "minhash":
        return (1 - common / (2 - common)) / 2
    return math.acos(min(1.0, common)) / math.pi


def _feature_share(recipe: Fingerprinted, common: float, shingle: int) -> float:
    """Return the share of the features that both texts have, from that of the shingles measured.

    Features longer than those shingles suffer more from each edit. Shorter ones suffer less if
    edits are scattered and as much if they stand in one block, and the latter is counted with.
    """
    words = recipe.width if recipe.unit == "words" else 1 + (recipe.width - 1) / _WORD
    return float(common ** max(1.0, words / shingle))


def recall_at(recipe: Fingerprinted, resemblance: float, shingle: int, radius: int) -> float:
    """Return the share of the pairs at a resemblance that lie within a radius.

    >>> from ilk import Recipe
    >>> recall_at(Recipe(), 1.0, 3, 0)
    1.0
    """
    if radius >= recipe.bits:
        return 1.0
    return 1 - tail(radius + 1, recipe.bits, differing(recipe, resemblance, shingle))


def recall(recipe: Fingerprinted, least: float, shingle: int, radius: int) -> float:
    """Return the share of the pairs at a least resemblance that lie within a radius.

    Their number is taken to fall evenly from the least resemblance to 1, as it was measured for
    texts of about 50 words; those of longer documents lie closer to 1, and more are found.
    """
    steps = [(i + 0.5) / _STEPS for i in range(_STEPS)]
    found = (
        (1 - step) * recall_at(recipe, least + (1 - least) * step, shingle, radius)
        for step in steps
    )
    return math.fsum(found) / math.fsum(1 - step for step in steps)


def radius_for(recipe: Fingerprinted, least: float, shingle: int, wanted: float) -> int | None:
    """Return the least radius that nominates the wanted share of the pairs at a least resemblance.

    None if the widest radius that is planned for does not.
    """
    radii = range(widest(recipe) + 1)
    found = bisect_left(radii, wanted, key=lambda radius: recall(recipe, least, shingle, radius))
    return found if found in radii else None


def widest(recipe: Fingerprinted) -> int:
    """Return the widest radius that is planned for."""
    return WIDEST[recipe.bits]
