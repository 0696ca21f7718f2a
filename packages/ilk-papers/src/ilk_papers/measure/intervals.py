"""How sure a share is that was measured on a sample."""

from __future__ import annotations

import math
from typing import NamedTuple

#: Standard deviations to either side that hold 95 % of a normal distribution.
_Z95 = 1.959963984540054


class Interval95(NamedTuple):
    """The ends of a 95 % interval."""

    low: float
    high: float


def share_interval(part: int, whole: int) -> Interval95:
    """Return the 95 % interval of a share, sampled as ``part`` of ``whole``.

    Source: Wilson 1927; of nothing nothing is known.

    >>> [round(end, 3) for end in share_interval(99, 100)]
    [0.946, 0.998]
    """
    if not whole:
        return Interval95(0.0, 1.0)
    share, square = part / whole, _Z95 * _Z95 / whole
    middle = share + square / 2
    spread = math.sqrt(square * (share * (1 - share) + square / 4))
    low, high = ((middle + sign * spread) / (1 + square) for sign in (-1, 1))
    # The ends of an extreme share are exact, where rounding would miss them.
    return Interval95(low if part else 0.0, high if part < whole else 1.0)
