"""How much of a score is chance: the published five with other multipliers than Java's 31.

Which odd number a hash multiplies by means nothing for what documents say. Where the score moves
with it, the score says nothing about documents either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ilk_papers.roth2011.experiment import score_combination
from ilk_papers.roth2011.methods import Combination, Parameters

#: Odd multipliers beside Java's own.
MULTIPLIERS = tuple(range(33, 73, 2))


def ascending_scores_of_multipliers(
    documents: Sequence[str],
    combination: Combination,
    parameters: Parameters,
    multipliers: Sequence[int] = MULTIPLIERS,
) -> list[float]:
    """Return the score of one combination with each of the multipliers, lowest score first."""
    others = (replace(parameters, base=base) for base in multipliers)
    return sorted(score_combination(documents, combination, each).score.score for each in others)
