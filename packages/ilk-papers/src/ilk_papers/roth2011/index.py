"""The number as a column of a database, and the paper's query for what is similar.

A number of 2011 is found by a range of numbers, never by Hamming distance.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa

from ilk_papers.roth2011.methods import Combination, Parameters, compute_number
from ilk_papers.roth2011.scoring import exclusive_reach_of_similar

#: The combination that came first in the paper.
BEST = Combination.parse("43B 40 100")

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1

#: Roth 2011's query (value > lower AND value < upper), asked of every document at once.
QUERY = (
    "SELECT a.source, b.source AS similar FROM {table} AS a JOIN {table} AS b "
    "ON b.si2011 > a.lower AND b.si2011 < a.upper AND b.source <> a.source "
    "ORDER BY a.source, b.source"
)


class SimilarityBounds(NamedTuple):
    """Ends, themselves excluded, between which numbers are similar to one."""

    lower: int
    upper: int


def exclusive_int64_bounds_of_similar(number: int) -> SimilarityBounds:
    """Return the bounds of the numbers that are within 30 % of this one.

    They are SI - |0.3 SI| and SI + |0.3 SI|, rounded outwards to whole numbers, which changes no
    answer, and no further than the ends of 64 bits.

    >>> for number in (100, -11, 0):
    ...     print(*exclusive_int64_bounds_of_similar(number))
    70 130
    -15 -7
    0 0
    """
    reach = exclusive_reach_of_similar(number)
    return SimilarityBounds(max(number - reach, _LEAST), min(number + reach, _MOST))


def make_table_of_similarity_indices(
    batches: Iterable[pa.RecordBatch], combination: Combination
) -> pa.Table:
    """Return a row per document: ``source``, ``si2011`` and its ``bounds``, signed 64-bit numbers.

    Args:
        batches: ``DOCUMENTS``; ``source`` and ``text`` are used, and the number of no text is 0.
        combination: which of the paper's numbers.
    """
    sources, numbers = [], []
    for batch in batches:
        sources += batch.column("source").to_pylist()
        texts = (text or "" for text in batch.column("text").to_pylist())
        numbers += [compute_number(text, combination, Parameters()) for text in texts]
    ends = [exclusive_int64_bounds_of_similar(value) for value in numbers]
    columns = {
        "source": pa.array(sources, pa.string()),
        "si2011": pa.array(numbers, pa.int64()),
        "lower": pa.array([low for low, _ in ends], pa.int64()),
        "upper": pa.array([high for _, high in ends], pa.int64()),
    }
    return pa.table(columns)
