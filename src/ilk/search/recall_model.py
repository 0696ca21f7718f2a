"""The share of the near-duplicates that a radius nominates: the model behind the planner.

Two fingerprints differ in each bit with a probability that follows from the resemblance of the
features: (1 - J) / 2 for 1-bit MinHash (Li and König 2010, section 2); angle / pi for SimHash
(Charikar 2002, section 3), where the cosine of two sets of equal size is 2J / (1 + J). The number
of differing bits is then binomial.
"""

from __future__ import annotations

import math
from bisect import bisect_left

from ilk.fingerprints.recipe import Recipe
from ilk.search.measures import binomial_upper_tail

#: The widest radius of a plan, by the width of fingerprints: beyond it, most candidates are chance
#: pairs.
WIDEST = {32: 6, 64: 16, 128: 28}

#: Average characters of a word and the space after it.
_WORD = 6

#: Points at which to sample the resemblance of true pairs.
_STEPS = 64


def probability_of_differing_bit(recipe: Recipe, resemblance: float, shingle: int) -> float:
    """Return the probability that a bit differs.

    Args:
        recipe: how the fingerprints are made.
        resemblance: of the two texts' sets of word shingles.
        shingle: words per shingle of those sets.
    """
    # Features longer than those shingles suffer more from each edit. Shorter ones suffer less if
    # edits are scattered, and as much if they are in one block; this assumes the latter.
    words = recipe.width if recipe.unit == "words" else 1 + (recipe.width - 1) / _WORD
    common = float((2 * resemblance / (1 + resemblance)) ** max(1.0, words / shingle))
    if recipe.kind == "minhash":
        return (1 - common / (2 - common)) / 2
    return math.acos(min(1.0, common)) / math.pi


def recall_at_resemblance(recipe: Recipe, resemblance: float, shingle: int, radius: int) -> float:
    """Return the share of the pairs at a resemblance that are within a radius.

    >>> from ilk import Recipe
    >>> recall_at_resemblance(Recipe(), 1.0, 3, 0)
    1.0
    """
    if radius >= recipe.bits:
        return 1.0
    return 1 - binomial_upper_tail(
        radius + 1, recipe.bits, probability_of_differing_bit(recipe, resemblance, shingle)
    )


def recall_from_resemblance(recipe: Recipe, threshold: float, shingle: int, radius: int) -> float:
    """Return the share of the pairs at a least resemblance that are within a radius.

    Assume that their number falls evenly from the least resemblance to 1, as measured for texts of
    about 50 words; pairs of longer documents are closer to 1, and more are found.
    """
    steps = [(i + 0.5) / _STEPS for i in range(_STEPS)]
    found = (
        (1 - step)
        * recall_at_resemblance(recipe, threshold + (1 - threshold) * step, shingle, radius)
        for step in steps
    )
    return math.fsum(found) / math.fsum(1 - step for step in steps)


def radius_for_recall_or_widest(
    recipe: Recipe, threshold: float, shingle: int, wanted_recall: float
) -> int:
    """Return the least radius that nominates the wanted share of the pairs at a least resemblance.

    If none does, return the widest allowed.
    """
    radii = range(WIDEST[recipe.bits])
    return bisect_left(
        radii,
        wanted_recall,
        key=lambda radius: recall_from_resemblance(recipe, threshold, shingle, radius),
    )
