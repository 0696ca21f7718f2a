"""The measures of a pair: three different numbers with three different names.

``distance`` counts bits (``bit_agreement`` is its share of agreement, Roth 2013, section 2.2.2).
``cosine`` is estimated from the distance of SimHash fingerprints and comes with its interval.
``resemblance`` and ``containment`` are exact ratios of shingle sets (Broder 1997, section 2); the
distance of MinHash fingerprints estimates the resemblance, with its interval too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ilk.base.errors import OptionError

if TYPE_CHECKING:
    import pyarrow as pa

#: More digits than tell two shares apart; a threshold that was reached may be less by rounding.
_MAX_DIGITS = 10


def kernel_ratio_at_most(threshold: Fraction) -> tuple[int, int]:
    """Return a threshold as the kernels take it: whole numbers of 62 bits, never above it."""
    if threshold.denominator < 1 << 62:
        return threshold.numerator, threshold.denominator
    return max(1, math.floor(threshold * (1 << 62))), 1 << 62


def ratio_or_zero(part: pa.Array, whole: pa.Array) -> pa.DoubleArray:
    """Return per row ``part / whole`` as ``float64``; 0 of 0 is 0."""
    import pyarrow.compute as pc

    return pc.divide(part.cast("double"), pc.max_element_wise(whole.cast("double"), 1.0))


def format_percent(
    share: float, *uncrossed_thresholds: float | Fraction, min_digits: int = 1
) -> str:
    """Return a share as a percentage with as many digits as decide, at least ``min_digits``.

    What is not all is never 100 %, what is not nothing never 0 %, and what is below a threshold
    never reads as if it reached it.

    >>> format_percent(0.9), format_percent(0.9997), format_percent(0.79996, Fraction(4, 5))
    ('90.0%', '99.97%', '79.996%')
    """
    return (
        _form_without_crossing_or_min_digits(
            share,
            uncrossed_thresholds,
            lambda digits: f"{share * 100:.{digits}f}",
            whole=100,
            min_digits=min_digits,
        )
        + "%"
    )


def count_noun(count: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun.

    >>> count_noun(1, "document"), count_noun(2_000, "family", "families")
    ('1 document', '2,000 families')
    """
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def format_decimal(
    share: float, *uncrossed_thresholds: float | Fraction, min_digits: int = 4
) -> str:
    """Return a share as a decimal fraction, as ``format_percent`` does.

    >>> format_decimal(0.9), format_decimal(0.99999)
    ('0.9000', '0.99999')
    """
    return _form_without_crossing_or_min_digits(
        share,
        uncrossed_thresholds,
        lambda digits: f"{share:.{digits}f}",
        whole=1,
        min_digits=min_digits,
    )


def _form_without_crossing_or_min_digits(
    share: float,
    uncrossed_thresholds: tuple[float | Fraction, ...],
    format_with_digits: Callable[[int], str],
    *,
    whole: int,
    min_digits: int,
) -> str:
    """Return the first form of a value that lies where it lies: between 0, thresholds and 1."""
    for digits in range(min_digits, _MAX_DIGITS):
        form = format_with_digits(digits)
        # Floats are exact enough beside 0 and the whole, and much faster.
        read = float(form)
        if (read > 0, read >= whole) != (share > 0, share >= 1):
            continue
        if all(
            (Fraction(form) / whole >= limit) == (share >= limit) for limit in uncrossed_thresholds
        ):
            return form
    return format_with_digits(min_digits)


class Interval(NamedTuple):
    """The ends of an interval that holds an estimated measure with 95 % probability."""

    low: float
    high: float


def estimate_cosine(distance: int, bits: int = 64) -> float:
    """Return the cosine of two texts' feature vectors as their fingerprints estimate it.

    A bit differs with probability angle / pi (Charikar 2002, section 3).

    >>> round(estimate_cosine(10), 3)
    0.882
    """
    return math.cos(math.pi * distance / bits)


def cosine_interval(distance: int, bits: int = 64) -> Interval:
    """Return the 95 % interval of that estimate, from Clopper and Pearson's for the differing bits.

    >>> [round(end, 3) for end in cosine_interval(10)]
    [0.665, 0.97]
    """
    low, high = _interval_of_differing_bit_share(distance, bits)
    return Interval(math.cos(math.pi * high), math.cos(math.pi * low))


def estimate_resemblance(distance: int, bits: int) -> float:
    """Return the resemblance of two sets as their 1-bit MinHash fingerprints estimate it, at least
    0.

    A bit differs with probability (1 - resemblance) / 2 (Li and Koenig 2010, section 2).

    >>> estimate_resemblance(8, 64)
    0.75
    """
    return max(0.0, 1 - 2 * distance / bits)


def resemblance_interval(distance: int, bits: int) -> Interval:
    """Return the 95 % interval of that estimate, from Clopper and Pearson's for the differing bits.

    >>> [round(end, 3) for end in resemblance_interval(8, 64)]
    [0.537, 0.889]
    """
    low, high = _interval_of_differing_bit_share(distance, bits)
    return Interval(max(0.0, 1 - 2 * high), max(0.0, 1 - 2 * low))


def _interval_of_differing_bit_share(distance: int, bits: int) -> Interval:
    """Return the 95 % interval of the share of bits that differ (Clopper and Pearson 1934)."""
    low = (
        0.0
        if distance == 0
        else _solve_by_bisection(lambda p: binomial_upper_tail(distance, bits, p), 0.025)
    )
    high = (
        1.0
        if distance == bits
        else _solve_by_bisection(lambda p: binomial_upper_tail(distance + 1, bits, p), 0.975)
    )
    return Interval(low, high)


def binomial_upper_tail(differing_bits: int, bits: int, bit_probability: float) -> float:
    """Return the probability that ``differing_bits`` or more differ, each with the same one.

    Raises:
        OptionError: there are more than 1,024 bits.
    """
    if bits > 1 << 10:
        raise OptionError(f"bits is {bits!r}; it must be at most 1,024, or floats overflow.")
    p = bit_probability
    terms = (
        math.comb(bits, k) * p**k * (1 - p) ** (bits - k) for k in range(differing_bits, bits + 1)
    )
    return math.fsum(terms)


def _solve_by_bisection(increasing: Callable[[float], float], target: float) -> float:
    """Return where a rising function of a probability takes a value, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if increasing(middle) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2
