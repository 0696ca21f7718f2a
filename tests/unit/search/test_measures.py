"""Ratios, what reaches a threshold, and the interval of the estimated cosine."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from ilk.search import measures


def test_a_ratio_of_nothing_is_nothing() -> None:
    found = measures.ratio_or_zero(pa.array([0, 0, 3, 1]), pa.array([0, 4, 4, 3]))
    assert found.to_pylist() == [0.0, 0.0, 0.75, 1 / 3]


@pytest.mark.parametrize(
    ("distance", "estimate"), [(0, 1.0), (16, math.sqrt(0.5)), (32, 0.0), (64, -1.0)]
)
def test_a_bit_differs_with_probability_angle_over_pi(distance: int, estimate: float) -> None:
    """Charikar 2002, section 3."""
    assert measures.estimate_cosine(distance) == pytest.approx(estimate, abs=1e-12)


@pytest.mark.parametrize(
    ("distance", "bits", "low", "high"),
    [
        # Clopper and Pearson's 95 % intervals of a proportion. For 0 of n the upper end is
        # 1 - 0.025 ** (1 / n); the others are quantiles of beta distributions as R's binom.test
        # prints them: 1 of 10, 2 of 10, 5 of 10, 10 of 100.
        (0, 64, 0.0, 1 - 0.025 ** (1 / 64)),
        (64, 64, 0.025 ** (1 / 64), 1.0),
        (0, 10, 0.0, 0.3084971),
        (1, 10, 0.002528579, 0.4450161),
        (2, 10, 0.02521073, 0.5560955),
        (5, 10, 0.187086, 0.812914),
        (10, 100, 0.04900469, 0.1762226),
    ],
)
def test_the_interval_is_clopper_and_pearsons(
    distance: int, bits: int, low: float, high: float
) -> None:
    found = measures.cosine_interval(distance, bits)
    assert found == pytest.approx((math.cos(math.pi * high), math.cos(math.pi * low)), abs=1e-6)


@pytest.mark.parametrize("distance", range(65))
def test_the_interval_holds_the_estimate_and_is_symmetric(distance: int) -> None:
    low, high = measures.cosine_interval(distance)
    assert -1 <= low <= measures.estimate_cosine(distance) <= high <= 1
    assert measures.cosine_interval(64 - distance) == pytest.approx((-high, -low), abs=1e-9)
    if distance:
        before = measures.cosine_interval(distance - 1)
        assert (low, high) < before


@pytest.mark.parametrize(
    ("distance", "bits", "low", "high"),
    [
        (0, 64, 2 * 0.025 ** (1 / 64) - 1, 1.0),
        (1, 10, 1 - 2 * 0.4450161, 1 - 2 * 0.002528579),
        (10, 100, 1 - 2 * 0.1762226, 1 - 2 * 0.04900469),
        (5, 10, 0.0, 1 - 2 * 0.187086),
        (64, 64, 0.0, 0.0),
    ],
)
def test_the_interval_of_the_resemblance_is_that_of_the_share(
    distance: int, bits: int, low: float, high: float
) -> None:
    """The same quantiles as above; no resemblance is below 0."""
    assert measures.resemblance_interval(distance, bits) == pytest.approx((low, high), abs=1e-6)
    assert low <= measures.estimate_resemblance(distance, bits) <= high


@pytest.mark.parametrize(
    ("distance", "bits", "estimate"), [(0, 128, 1), (16, 128, 0.75), (64, 128, 0), (40, 64, 0)]
)
def test_a_bit_differs_with_half_the_probability_of_another_minimum(
    distance: int, bits: int, estimate: float
) -> None:
    """Li and Koenig 2010, section 2."""
    assert measures.estimate_resemblance(distance, bits) == estimate
