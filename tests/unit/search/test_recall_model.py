"""The model of what a radius nominates, beside the sums it stands for and what was measured."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from ilk import Recipe
from ilk.search import recall_model

MINHASH = Recipe("minhash", 64)
SIMHASH = Recipe("simhash", 64)


def test_the_number_of_differing_bits_is_binomial() -> None:
    p = recall_model.probability_of_differing_bit(MINHASH, 0.8, 3)
    assert p == pytest.approx(0.1)
    for radius in (0, 3, 10, 63):
        exact = sum(math.comb(64, d) * p**d * (1 - p) ** (64 - d) for d in range(radius + 1))
        assert recall_model.recall_at_resemblance(MINHASH, 0.8, 3, radius) == pytest.approx(exact)
    assert recall_model.recall_at_resemblance(MINHASH, 0.1, 3, 64) == 1


def test_simulated_sets_differ_as_often() -> None:
    """Fingerprints of sets of random numbers, made here by their definitions."""
    draw = random.Random(7)
    shared, own = 800, 100  # Of 1,000 elements of either set 800 are common.
    flips = {"minhash": 0, "simhash": 0}
    tries = 3000
    for _ in range(tries):
        both = min(draw.random() for _ in range(shared))
        sides = [min(draw.random() for _ in range(own)) for _ in range(2)]
        bits = [draw.getrandbits(1) for _ in range(3)]
        least = [0 if both < side else 1 + i for i, side in enumerate(sides)]
        flips["minhash"] += bits[least[0]] != bits[least[1]]
        total = draw.gauss(0, math.sqrt(shared))
        signs = [total + draw.gauss(0, math.sqrt(own)) > 0 for _ in range(2)]
        flips["simhash"] += signs[0] != signs[1]
    for kind, count in flips.items():
        p = recall_model.probability_of_differing_bit(
            Recipe(kind, 64), shared / (shared + 2 * own), 3
        )
        assert abs(count - tries * p) < 4 * math.sqrt(tries * p * (1 - p))


@pytest.mark.parametrize(
    ("kind", "radius", "measured"),
    [
        # Mean recall of 909,986 texts of about 50 words at resemblance 0.8 and above.
        (MINHASH, 3, 0.40),
        (MINHASH, 6, 0.82),
        (MINHASH, 8, 0.94),
        (MINHASH, 10, 0.99),
        (Recipe("minhash", 128), 12, 0.83),
        (Recipe("minhash", 128), 16, 0.97),
        (SIMHASH, 3, 0.09),
        (SIMHASH, 6, 0.37),
        (SIMHASH, 10, 0.82),
        (SIMHASH, 12, 0.94),
    ],
)
def test_the_model_says_what_was_measured(kind: Recipe, radius: int, measured: float) -> None:
    assert recall_model.recall_from_resemblance(kind, 0.8, 3, radius) == pytest.approx(
        measured, abs=0.02
    )


def test_more_is_nominated_by_a_wider_radius_and_at_a_higher_resemblance() -> None:
    kinds = [
        MINHASH,
        SIMHASH,
        Recipe("simhash", 32, "words", 1),
        Recipe("minhash", 128, "chars", 8),
    ]
    for kind in kinds:
        for least in (0.5, 0.8, 0.95):
            found = [
                recall_model.recall_from_resemblance(kind, least, 3, r)
                for r in range(kind.bits + 1)
            ]
            assert found[-1] == 1
            assert all(a <= b + 1e-12 for a, b in itertools.pairwise(found))
            assert recall_model.recall_from_resemblance(
                kind, least, 3, 5
            ) <= recall_model.recall_from_resemblance(kind, 1, 3, 5)


def test_longer_features_suffer_more_and_shorter_ones_no_less_than_the_shingles() -> None:
    def differing(unit: str, width: int) -> float:
        return recall_model.probability_of_differing_bit(Recipe("minhash", 64, unit, width), 0.8, 3)

    assert differing("words", 1) == differing("words", 3) < differing("words", 5)
    assert differing("chars", 4) == differing("words", 3) < differing("chars", 40)


def test_the_least_radius_that_is_enough_or_none() -> None:
    assert recall_model.radius_for_recall_or_widest(MINHASH, 0.8, 3, 0.99) == 11
    assert recall_model.radius_for_recall_or_widest(Recipe("minhash", 128), 0.8, 3, 0.99) == 18
    assert recall_model.radius_for_recall_or_widest(MINHASH, 1.0, 3, 1.0) == 0
    assert (
        recall_model.radius_for_recall_or_widest(MINHASH, 0.3, 3, 0.99) == recall_model.WIDEST[64]
    )
    for wanted in (0.5, 0.9, 0.99, 0.999):
        radius = recall_model.radius_for_recall_or_widest(MINHASH, 0.8, 3, wanted)
        assert radius is not None
        assert recall_model.recall_from_resemblance(MINHASH, 0.8, 3, radius) >= wanted
        assert recall_model.recall_from_resemblance(MINHASH, 0.8, 3, radius - 1) < wanted
