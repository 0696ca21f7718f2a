"""What a join will do and take, told before it runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ilk
from ilk.base.errors import OptionError


def test_a_plan_says_everything_in_a_sentence() -> None:
    said = str(ilk.hamming.plan(1_000_000, 6))
    assert said.startswith("1,000,000 fingerprints of 64 bits within radius 6: ")
    assert " tables of " in said
    assert said.endswith(" and 16 MB; 2.3 pairs by chance")
    assert "every two compared" in str(ilk.hamming.plan(100, 6))


def test_less_memory_makes_slices_and_takes_longer() -> None:
    whole, cut = ilk.hamming.plan(1_000_000, 3), ilk.hamming.plan(1_000_000, 3, memory="9MB")
    assert (whole.slices, cut.slices) == (1, 8)
    assert cut.seconds > whole.seconds
    assert cut.memory <= 9_000_000 < whole.memory
    assert ", in 8 slices; about" in str(cut)
    wide = ilk.hamming.plan(1_000_000, 3, 128, memory="18MB")
    assert (wide.slices, wide.memory) == (8, 18_000_000)


def test_pairs_by_chance_are_those_that_random_fingerprints_have() -> None:
    draw = np.random.default_rng(8)
    found = len(ilk.hamming.pairs(draw.integers(0, 1 << 64, 200_000, np.uint64), 12))
    expected = ilk.hamming.plan(200_000, 12).chance
    # Their number is about a Poisson one; six deviations.
    assert abs(found - expected) < 6 * expected**0.5
    assert ilk.hamming.plan(10, 128, 128).chance == 45
    assert ilk.hamming.plan(0, 3).chance == 0


def test_fewer_bits_and_a_larger_radius_cost_more() -> None:
    for n in (10_000, 1_000_000, 100_000_000):
        for radius in range(1, 32):
            assert (
                ilk.hamming.plan(n, radius, 32).seconds >= ilk.hamming.plan(n, radius, 64).seconds
            )
            assert ilk.hamming.plan(n, radius + 1).seconds >= ilk.hamming.plan(n, radius).seconds


@pytest.mark.parametrize("limit", ["8MB", 0, "much", -1, True])
def test_memory_that_is_no_size_or_too_small_is_refused(limit: Any) -> None:
    with pytest.raises(OptionError, match="memory is "):
        ilk.hamming.plan(1_000_000, 3, memory=limit)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 3), "n is -1"),
        ((1 << 32, 3), "from 0 to 4294967295"),
        ((True, 3), "n is True"),
        ((10, 65), "from 0 to 64"),
        ((10, 33, 32), "from 0 to 32"),
        ((10, 3, 48), "one of 32, 64, 128"),
    ],
)
def test_what_is_out_of_bounds_is_refused(arguments: tuple[int, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ilk.hamming.plan(*arguments)
