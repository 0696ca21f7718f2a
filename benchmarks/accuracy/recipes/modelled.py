"""The planner's model beside measured pairs: how many bits differ, and how far that scatters.

Pairs are taken by bins of resemblance. In a bin each text stands on the left of one pair at most:
large families would outweigh all others.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import ilk
from benchmarks.accuracy import markdown
from benchmarks.accuracy.recipes import kin
from benchmarks.accuracy.recipes.kin import KNOWN, SHINGLE, SHORT
from benchmarks.accuracy.recipes.prints import WIDTHS, Distances, Prints, Rows, Values
from ilk.search import recall_model

Figures = dict[str, Any]

#: The recipes that the product chooses, and the SimHash of what they are measured on.
_RECIPES = (
    ilk.Recipe(kind="minhash", bits=128),
    ilk.Recipe(kind="minhash", bits=128, width=1),
    ilk.Recipe(kind="simhash", bits=128, width=3),
    ilk.Recipe(kind="simhash", bits=128, width=1, weight="log"),
)

#: Bins of resemblance from 0 to 1, so narrow that distances hardly vary by it within one.
_BINS = 40

#: A bin of fewer pairs tells nothing.
_FEWEST = 50


def run() -> Figures:
    """By recipe and set the bins of ``_binned``; lines are measured by characters and left out."""
    figures: Figures = {
        str(dataclasses.replace(recipe, bits=bits)): {} for recipe in _RECIPES for bits in WIDTHS
    }
    for one in kin.sets():
        if one.name == SHORT:
            continue
        print(f"{one.name}: {len(one.texts)} texts", file=sys.stderr, flush=True)
        bins = np.minimum((one.resemblance * _BINS).astype(np.int64), _BINS - 1)
        _, chosen = np.unique(one.left * _BINS + bins, return_index=True)
        left, right = one.left[chosen], one.right[chosen]
        for recipe in _RECIPES:
            prints = Prints.of(ilk.fingerprint(one.texts, recipe))
            for bits in WIDTHS:
                narrow = dataclasses.replace(recipe, bits=bits)
                distances = prints.between(left, right, bits)
                found = _binned(narrow, bins[chosen], one.resemblance[chosen], distances)
                figures[str(narrow)][one.name] = found
    return figures


def _binned(
    recipe: ilk.Recipe, bins: Rows, resemblance: Values, distances: Distances
) -> list[Figures]:
    """Figures for each bin of enough pairs, from the lowest resemblance up.

    - ``resemblance``: the mean of the ``pairs``'
    - ``differing``: the mean share of the bits that differ, and ``modelled`` what is expected
    - ``variance``: of the distances, divided by that of a binomial distribution of the same mean
    """
    found = []
    for place in range(int(KNOWN * _BINS), _BINS):
        here = (bins == place) & (distances <= recipe.bits)
        bits = distances[here].astype(np.float64)
        if len(bits) < _FEWEST or not bits.any():
            continue
        share, mean = float(bits.mean()) / recipe.bits, float(resemblance[here].mean())
        found.append(
            {
                "resemblance": mean,
                "pairs": len(bits),
                "differing": share,
                "modelled": recall_model.probability_of_differing_bit(recipe, mean, SHINGLE),
                "variance": float(bits.var()) / (recipe.bits * share * (1 - share)),
            }
        )
    return found


def lines(figures: Figures) -> Iterator[str]:
    """A line per recipe: means over the bins of a set."""
    yield (
        "bits that differ beyond what the model says / their variance in units of a binomial's; "
        f"means over resemblances from {KNOWN} to 1, in steps of {1 / _BINS}\n"
    )
    sets = list(dict.fromkeys(name for by_set in figures.values() for name in by_set))
    yield from markdown.table(
        ["recipe", *sets],
        (
            [name, *(_cell(by_set.get(one, []), ilk.Recipe.parse(name).bits) for one in sets)]
            for name, by_set in figures.items()
        ),
    )


def _cell(bins: list[Figures], bits: int) -> str:
    if not bins:
        return "-"
    beyond = np.mean([one["differing"] - one["modelled"] for one in bins]) * bits
    return f"{beyond:+.1f} / {np.mean([one['variance'] for one in bins]):.2f}"
