"""When two numbers are similar, and how many of the author's expectations a method meets.

Source: Roth 2011, Table 9, whose arithmetic was worked out from its matrices: see ``EXPECTED``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: The documents of one zone resemble one another; these are their places in ``collection``.
ZONES = {"Proverbs": (3, 4, 5, 6), "Constitution": (8, 9, 10, 11), "Declaration": (12, 13, 14)}

#: How many documents there are.
DOCUMENTS = 15


def expected_matrix(zones: Mapping[str, Sequence[int]], document_count: int) -> NDArray[np.bool_]:
    """Return the cells counted as expected similar: zones whole, and the diagonal."""
    cells = np.eye(document_count, dtype=np.bool_)
    for places in zones.values():
        cells[np.ix_(places, places)] = True
    return cells


#: Those of the paper: three zones whole (16 + 16 + 9), and of the diagonal 4 more.
EXPECTED = expected_matrix(ZONES, DOCUMENTS)


Number = TypeVar("Number", int, NDArray[np.int64])


def exclusive_reach_of_similar(number: Number) -> Number:
    """Return how far another number may lie from this one: ceil(0.3 |SI|), exclusive.

    For whole numbers ``abs(other - number) < reach(number)`` is the paper's
    SI - |0.3 SI| < other < SI + |0.3 SI|, without rounding. A column of numbers gives a column.

    >>> [exclusive_reach_of_similar(number) for number in (10, -11, 0)]
    [3, 4, 0]
    """
    return -(-3 * abs(number) // 10)


def is_similar(number: int, other: int) -> bool:
    """Return whether ``other`` is within 30 % of ``number``; not symmetric; nothing is near 0.

    >>> is_similar(100, 129), is_similar(129, 100), is_similar(100, 130), is_similar(130, 100)
    (True, True, False, True)
    >>> is_similar(0, 0)
    False
    """
    return abs(other - number) < exclusive_reach_of_similar(number)


def similarity_matrix(numbers: Sequence[int]) -> NDArray[np.bool_]:
    """Return, in row i and column j, whether number j lies within 30 % of number i."""
    return np.array([[is_similar(a, b) for b in numbers] for a in numbers])


@dataclass(frozen=True, slots=True)
class Score:
    """What Table 9 counts of a matrix."""

    false_positives: int
    false_negatives: int
    correct: int

    @property
    def score(self) -> float:
        """Correct ones over false ones; infinite where none is false."""
        false = self.false_positives + self.false_negatives
        return self.correct / false if false else math.inf


def score_all_cells(
    similarities: NDArray[np.bool_], expected_cells: NDArray[np.bool_] = EXPECTED
) -> Score:
    """Count a matrix: correct and false negatives add up to 45, any other 1 is false positive."""
    correct = int((similarities & expected_cells).sum())
    return Score(
        false_positives=int((similarities & ~expected_cells).sum()),
        false_negatives=int(expected_cells.sum()) - correct,
        correct=correct,
    )


def spell_zone_rows_as_bits(similarities: NDArray[np.bool_]) -> str:
    """Return the rows of the three zones, as ``1110 1110 1110 0001 | ... | ...``."""
    written = []
    for places in ZONES.values():
        rows = similarities[np.ix_(places, places)]
        written.append(" ".join("".join(str(int(cell)) for cell in row) for row in rows))
    return " | ".join(written)
