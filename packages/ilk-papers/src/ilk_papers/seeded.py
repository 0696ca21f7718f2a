"""Numbers drawn at random: the same for the same seed, in every version of Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

#: Returns numbers from 0 up to 1. Other functions of ``random`` may change between versions of
#: Python; this sequence is guaranteed to stay.
Draw: TypeAlias = Callable[[], float]


def seeded_draw(seed: int | str) -> Draw:
    """Return the generator for a seed."""
    return random.Random(seed).random


def draw_below(draw: Draw, limit: int) -> int:
    """Draw a whole number from 0 up to ``limit``, which is below 2**53."""
    return int(draw() * limit)


def draw_ascending_sample(draw: Draw, total: int, count: int) -> list[int]:
    """Draw ``count`` of the whole numbers below ``total``, each set equally likely; ascending.

    Source: Bentley and Floyd 1987, algorithm F2.
    """
    chosen: set[int] = set()
    for last in range(total - count, total):
        number = draw_below(draw, last + 1)
        chosen.add(last if number in chosen else number)
    return sorted(chosen)
