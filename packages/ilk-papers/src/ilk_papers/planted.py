"""Random fingerprints, with near ones planted among them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ilk_papers.seeded import draw_ascending_sample, draw_below, seeded_draw

Fingerprints: TypeAlias = NDArray[np.uint64]

BITS = 64

#: One row in four is an earlier one with a few bits flipped.
_PLANTED = 4


def plant_fingerprints(count: int, max_distance: int, seed: int) -> Fingerprints:
    """Return fingerprints; every fourth is 1 to ``max_distance`` bits from an earlier one.

    Those distances are equally frequent; all others are those of strangers, about 32.
    """
    draw = seeded_draw(f"{seed} {count} {max_distance}")
    prints: list[int] = []
    for at in range(count):
        if at % _PLANTED == _PLANTED - 1:
            flipped = draw_ascending_sample(draw, BITS, 1 + draw_below(draw, max_distance))
            prints.append(prints[draw_below(draw, at)] ^ sum(1 << bit for bit in flipped))
        else:
            prints.append(draw_below(draw, 1 << 32) << 32 | draw_below(draw, 1 << 32))
    return np.array(prints, np.uint64)
