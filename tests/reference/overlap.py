"""Pairs of texts and of sets at a resemblance or containment, by brute force in whole fractions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from fractions import Fraction

from tests.reference import text as reference

#: A pair: rows, then shared shingles, those of the left row, those of the right row.
Pair = tuple[int, int, int, int, int]
Counts = tuple[int, int, int]


def counts_of_texts(texts: Sequence[str | None], width: int = 3) -> Callable[[int, int], Counts]:
    """How two rows of texts are counted; a null text has nothing."""

    def count(i: int, j: int) -> Counts:
        a, b = texts[i], texts[j]
        return (0, 0, 0) if a is None or b is None else reference.resemblance(a, b, width)

    return count


def counts_of_sets(sets: Sequence[Collection[Hashable] | None]) -> Callable[[int, int], Counts]:
    """How two rows of sets are counted; a null set has nothing."""
    plain = [set(values or ()) for values in sets]
    return lambda i, j: (len(plain[i] & plain[j]), len(plain[i]), len(plain[j]))


def resembling(count: Callable[[int, int], Counts], rows: int, least: Fraction) -> list[Pair]:
    """Every pair left < right with |A n B| / |A u B| >= least; empty sets are in none."""
    return [
        (i, j, shared, left, right)
        for i in range(rows)
        for j in range(i + 1, rows)
        for shared, left, right in [count(i, j)]
        if left + right > shared and Fraction(shared, left + right - shared) >= least
    ]


def contained(count: Callable[[int, int], Counts], rows: int, least: Fraction) -> list[Pair]:
    """Every ordered pair of different rows with |A n B| / |A| >= least; empty sets are in none."""
    return [
        (i, j, shared, left, right)
        for i in range(rows)
        for j in range(rows)
        if i != j
        for shared, left, right in [count(i, j)]
        if left and Fraction(shared, left) >= least
    ]


def texts_inside(
    texts: Sequence[str | None], least: Fraction, width: int = 3
) -> list[tuple[int, int]]:
    """Every ordered pair of different rows whose left text stands in the right one, by words."""
    rows = range(len(texts))
    plain = [text or "" for text in texts]
    return [
        (i, j)
        for i in rows
        for j in rows
        if i != j
        and reference.shingle_set(plain[i], "words", width)
        and reference.stands(plain[i], plain[j], least, width)
    ]


def measured(
    texts: Sequence[str | None], i: int, j: int, width: int = 3, *, words: bool = False
) -> tuple[int, int, float, float, float]:
    """Two rows of texts as tables have them: rows, resemblance, containment of both sides.

    ``words`` says that the pair is measured by them: one is contained in the other.
    """
    a, b = texts[i] or "", texts[j] or ""
    count = reference.of_words if words else reference.resemblance
    return i, j, *reference.measures(count(a, b, width))


def measures(pair: Pair) -> tuple[int, int, float, float, float]:
    """The pair as tables have it: rows, resemblance, containment of left and of right."""
    i, j, shared, left, right = pair
    return i, j, shared / (left + right - shared), shared / left, shared / right if right else 0.0
