"""The recipes beside one another on sets of near duplicates, ranked by what they cost."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.accuracy import markdown
from benchmarks.accuracy.recipes import kin, nominated, planned
from benchmarks.accuracy.recipes.prints import WIDTHS
from benchmarks.accuracy.recipes.ways import named, ways

Figures = dict[str, Any]


def run() -> Figures:
    """By width and recipe the scores of every set; what the sets are, and what is planned."""
    sets: Figures = {}
    recipes: dict[int, dict[str, Figures]] = {bits: {} for bits in WIDTHS}
    for one in kin.sets():
        print(f"{one.name}: {len(one.texts)} texts", file=sys.stderr, flush=True)
        near = int((one.resemblance >= kin.NEAR).sum())
        sets[one.name] = {"texts": len(one.texts), "near": near, "known": len(one.left)}
        for way in ways(one.texts):
            for bits, scores in nominated.score(one, way.prints(one.texts)).items():
                recipes[bits].setdefault(named(way, bits), {})[one.name] = scores
    return {
        "sets": sets,
        "recipes": {str(bits): found for bits, found in recipes.items()},
        "planned": planned.radii(),
    }


def lines(figures: Figures) -> Iterator[str]:
    """What the sets are, and for each width and recall the recipes, in order of their candidates.

    The order is by the geometric mean of the candidates over the sets of texts that are
    measured by their words: no recipe is the best both for them and for short ones.
    """
    sets = figures["sets"]
    yield from markdown.table(
        ["set", "texts", "pairs at 0.8", "per text"],
        (
            [name, f"{one['texts']:,}", f"{one['near']:,}", f"{one['near'] / one['texts']:.3g}"]
            for name, one in sets.items()
        ),
    )
    for bits, recipes in figures["recipes"].items():
        for wanted in map(str, nominated.WANTED):
            yield f"\n{bits} bits: radius and candidates per text at recall {wanted}\n"
            yield from markdown.table(
                ["recipe", "x best", *sets], _ordered(recipes, wanted, list(sets))
            )
    measured = {name: scores for by in figures["recipes"].values() for name, scores in by.items()}
    long = [name for name in sets if name != kin.SHORT]
    yield from planned.lines(figures["planned"], measured, long)


def _ordered(recipes: dict[str, Figures], wanted: str, sets: list[str]) -> Iterator[list[str]]:
    cost = {name: _cost(scores, wanted) for name, scores in recipes.items()}
    least = min(cost.values())
    for name in sorted(cost, key=lambda name: cost[name]):
        times = f"{cost[name] / least:.2f}" if cost[name] < math.inf else "-"
        yield [name, times, *(_cell(recipes[name][one]["reached"][wanted]) for one in sets)]


def _cost(scores: dict[str, Figures], wanted: str) -> float:
    """The geometric mean of the candidates; infinite where a set is not reached."""
    reached = [score["reached"][wanted] for name, score in scores.items() if name != kin.SHORT]
    if not all(reached):
        return math.inf
    return math.exp(math.fsum(math.log(one["candidates"]) for one in reached) / len(reached))


def _cell(reached: dict[str, float] | None) -> str:
    """Radius and candidates per text."""
    return "-" if reached is None else f"{reached['radius']}: {reached['candidates']:.3g}"
