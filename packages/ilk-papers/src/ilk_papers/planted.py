"""Random fingerprints, with near ones planted among them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ilk_papers.seeded import draw_below, draw_sample, seeded_draw

Fingerprints: TypeAlias = NDArray[np.uint64]

BITS = 64

#: One row in four is an earlier one with a few bits flipped.
_PLANTED = 4


def plant_fingerprints(count: int, farthest: int, seed: int) -> Fingerprints:
    """Return fingerprints of 64 bits, every fourth at distance 1 to ``farthest`` from an earlier.

    Those distances are equally frequent; all others are those of strangers, about 32.
    """
    draw = seeded_draw(f"{seed} {count} {farthest}")
    prints: list[int] = []
    for at in range(count):
        if at % _PLANTED == _PLANTED - 1:
            flipped = draw_sample(draw, BITS, 1 + draw_below(draw, farthest))
            prints.append(prints[draw_below(draw, at)] ^ sum(1 << bit for bit in flipped))
        else:
            prints.append(draw_below(draw, 1 << 32) << 32 | draw_below(draw, 1 << 32))
    return np.array(prints, np.uint64)
