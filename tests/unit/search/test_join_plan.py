"""What a join of fingerprints takes, by the plan of its kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ilk
from ilk import _kernels
from ilk.base.errors import OptionError

_ALL = 1 << 60


def plan(n: int, radius: int, bits: int = 64, memory: int = _ALL) -> tuple[int, float, int]:
    """Return slices, seconds and bytes of memory."""
    found = _kernels.plan_hamming_join(n, bits, radius, memory)
    return found.slices, found.seconds, found.memory


def test_less_memory_makes_slices_and_takes_longer() -> None:
    whole, cut = plan(1_000_000, 3), plan(1_000_000, 3, memory=9_000_000)
    assert (whole[0], cut[0]) == (1, 8)
    assert cut[1] > whole[1]
    assert cut[2] <= 9_000_000 < whole[2]
    wide = plan(1_000_000, 3, 128, memory=18_000_000)
    assert (wide[0], wide[2]) == (8, 18_000_000)


def test_fewer_bits_and_a_larger_radius_cost_more() -> None:
    for n in (10_000, 1_000_000, 100_000_000):
        for radius in range(1, 32):
            assert plan(n, radius, 32)[1] >= plan(n, radius)[1]
            assert plan(n, radius + 1)[1] >= plan(n, radius)[1]


@pytest.mark.parametrize("limit", ["8MB", 0, "much", -1, True])
def test_memory_that_is_no_size_or_too_small_is_refused(limit: Any) -> None:
    values = np.arange(1_000_000, dtype=np.uint64)
    with pytest.raises(OptionError, match="memory is "):
        ilk.hamming.pairs(values, 3, memory=limit)
