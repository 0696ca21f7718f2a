"""The experiment: every combination's numbers for the 15 documents, their matrices and scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ilk_papers.roth2011.methods import Combination, Parameters, compute_number, compute_numbers
from ilk_papers.roth2011.scoring import EXPECTED, Score, score_all_cells, similarity_matrix


@dataclass(frozen=True, slots=True, eq=False)
class CombinationOutcome:
    """What one combination gives: 15 numbers, the pairs it calls similar, and its score."""

    combination: Combination
    numbers: Sequence[int]
    similarities: NDArray[np.bool_]
    score: Score


#: By the name of a reading, what all its combinations give, best score first.
Readings: TypeAlias = Mapping[str, Sequence[CombinationOutcome]]


def parameters_by_reading(parameters: Parameters) -> dict[str, Parameters]:
    """Return the two readings of the paper.

    ``hash codes`` wrap at 32 bits and Soundex codes have three digits, as in Java and in Soundex.
    ``exact values`` do neither: they do not wrap, and Soundex codes keep all their digits.
    """
    exact = replace(parameters, exact=True, digits=None)
    return {"hash codes": parameters, "exact values": exact}


def score_combinations_best_first(
    documents: Iterable[str], parameters: Parameters, expected_cells: NDArray[np.bool_] = EXPECTED
) -> list[CombinationOutcome]:
    """Return what all combinations give, best score first; equal ones in the order of
    ``compute_numbers``.

    Args:
        documents: n texts.
        parameters: what the paper leaves open.
        expected_cells: the n x n cells that are expected to be similar.
    """
    columns: dict[Combination, list[int]] = {}
    for text in documents:
        for combination, value in compute_numbers(text, parameters):
            columns.setdefault(combination, []).append(value)
    found = [
        _make_outcome(combination, column, expected_cells)
        for combination, column in columns.items()
    ]
    return sorted(found, key=lambda each: -each.score.score)


def score_combination(
    documents: Iterable[str], combination: Combination, parameters: Parameters
) -> CombinationOutcome:
    """Return what one combination gives."""
    column = [compute_number(text, combination, parameters) for text in documents]
    return _make_outcome(combination, column, EXPECTED)


def _make_outcome(
    combination: Combination, column: Sequence[int], expected_cells: NDArray[np.bool_]
) -> CombinationOutcome:
    similarities = similarity_matrix(column)
    return CombinationOutcome(
        combination, column, similarities, score_all_cells(similarities, expected_cells)
    )
