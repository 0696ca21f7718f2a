"""Recipes compared: what is reported of distances is what their distribution is."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.accuracy.recipes import modelled, planned
from benchmarks.accuracy.recipes.prints import NEVER

import ilk
from ilk.search import recall_model


@pytest.mark.parametrize("bits", [64, 128])
def test_binomial_distances_are_told_as_the_model_says(bits: int) -> None:
    recipe = ilk.Recipe(kind="minhash", bits=bits)
    random = np.random.default_rng(bits)
    resemblance = np.repeat([0.5125, 0.8125, 0.9125], 4000)
    bins = (resemblance * 40).astype(np.int64)
    chance = [recall_model.probability_of_differing_bit(recipe, value, 3) for value in resemblance]
    distances = random.binomial(bits, chance).astype(np.uint8)
    # A text without a fingerprint tells nothing.
    distances[::100] = NEVER
    told = modelled._binned(recipe, bins, resemblance, distances)
    assert [one["pairs"] for one in told] == [3960] * 3
    for one, value in zip(told, (0.5125, 0.8125, 0.9125), strict=True):
        assert one["modelled"] == pytest.approx((1 - value) / 2)
        assert one["differing"] == pytest.approx(one["modelled"], rel=0.05)
        assert one["variance"] == pytest.approx(1, abs=0.1)


def test_the_default_recipe_is_planned_for() -> None:
    plan = planned.radii()["minhash64 words=3"]
    assert plan["radius"] == recall_model.radius_for_recall_or_widest(ilk.Recipe(), 0.8, 3, 0.99)
    assert plan["expected"] >= 0.99
