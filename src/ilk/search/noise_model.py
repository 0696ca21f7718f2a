"""What a rate of wrong characters means for two texts: the model behind ``noise``.

A wrong character changes every shingle that contains it. If a share r of the characters is wrong,
independently, a share (1 - r) ** w of the shingles of w characters is left; and a share s left
makes a resemblance of s / (2 - s), since a changed shingle is a new one. If errors stand together,
more is left: thresholds assume that each stands alone, and the expected recall uses the measured
share that does. A long text is represented by 256 of its shingles, so the estimate is binomial.

Source: Ukkonen 1992 (shingles and errors); Broder 1997, section 4 (sketches).
"""

from __future__ import annotations

import math
from fractions import Fraction

from ilk.search.noise_evidence import LONG_FROM_CHARACTERS, LOWEST, SHORT_WIDTH, WIDTH, NoiseLimits

#: Standard deviations below the expectation that are still nominated: if errors are independent,
#: 0.13 % of the shortest long copies at the full rate lie below, and fewer of all others. Fewer
#: deviations would miss copies; more would nominate more pairs in vain.
_SIGMAS = 3.0

#: As many shingles of noisy copies are left as if this part of the wrong characters stood alone:
#: 0.77 to 0.87 for clean texts and copies, 0.64 to 0.82 for two copies, at rates of 1 to 10 %.
_ALONE = 0.85

#: Steps of a threshold.
_STEP = 100

#: No pair is nominated below this.
_MIN_RESEMBLANCE = Fraction(15, 100)


def limits_at_rate(rate: Fraction) -> NoiseLimits:
    """Return the limits that follow from a rate.

    One of the texts may be clean, or each may have that share of its characters wrong: then they
    agree except for twice the rate.

    >>> [float(one) for one in limits_at_rate(Fraction(5, 100))[:3]]
    [0.9, 0.42, 0.53]
    """
    usual = resemblance_of_equal_sized_sets(share_of_unchanged_shingles(float(rate), WIDTH))
    # A short text shares all shingles but three per wrong character (Ukkonen 1992, theorem 1).
    share = 2 * SHORT_WIDTH * float(rate)
    short = (1 - share) / (1 + share)
    return NoiseLimits(
        1 - 2 * rate,
        _floor_to_hundredth_or_minimum(resemblance_almost_all_reach(float(rate))),
        _floor_to_hundredth_or_minimum(short),
        usual,
    )


def share_of_unchanged_shingles(rate: float, width: int) -> float:
    """Return the share of the shingles that is left if a share of the characters is wrong."""
    return (1 - rate) ** width


def resemblance_of_equal_sized_sets(shared_part: float) -> float:
    """Return the resemblance of two sets of the same size that share this part of each."""
    return shared_part / (2 - shared_part)


def resemblance_almost_all_reach(rate: float) -> float:
    """Return the resemblance that almost all pairs reach if one text has wrong characters."""
    share = share_of_unchanged_shingles(rate, WIDTH)
    return resemblance_of_equal_sized_sets(
        max(0.0, share - _SIGMAS * _widest_deviation_of_unchanged_share(rate))
    )


def _widest_deviation_of_unchanged_share(rate: float) -> float:
    """Return the standard deviation of the share left, for the shortest long text.

    The number of errors is binomial, and so is the estimate from the kept shingles.
    """
    share = share_of_unchanged_shingles(rate, WIDTH)
    slope = WIDTH * (1 - rate) ** (WIDTH - 1)
    variance_of_errors = slope**2 * rate * (1 - rate) / LONG_FROM_CHARACTERS
    return math.sqrt(variance_of_errors + share * (1 - share) / LOWEST)


def recall_at_rate(rate: float, min_resemblance: float) -> float:
    """Return the share of pairs nominated at a least resemblance, if a share is wrong in all.

    >>> recall_at_rate(0.05, 0.46) > 0.99, recall_at_rate(0.1, 0.6) < 0.1
    (True, True)
    """
    # The share of each set that makes this resemblance.
    needed = 2 * min_resemblance / (1 + min_resemblance)
    share = share_of_unchanged_shingles(rate, WIDTH) ** _ALONE
    deviation = _widest_deviation_of_unchanged_share(rate)
    if not deviation:
        return float(share >= needed)
    return 0.5 * (1 + math.erf((share - needed) / (deviation * math.sqrt(2))))


def rate_between_copies(rate: float) -> float:
    """Return the share of wrong characters in a pair if each text has this share of its own."""
    return 1 - (1 - rate) ** 2


def _floor_to_hundredth_or_minimum(value: float) -> Fraction:
    return max(_MIN_RESEMBLANCE, Fraction(math.floor(value * _STEP), _STEP))
