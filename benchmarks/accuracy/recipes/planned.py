"""The radii that the planner derives from its model, and what is found within them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.accuracy import markdown
from benchmarks.accuracy.recipes.kin import NEAR, SHINGLE
from benchmarks.accuracy.recipes.prints import WIDTHS
from benchmarks.accuracy.recipes.ways import named, offered
from ilk.search import recall_model

Figures = dict[str, Any]

#: The recall that the planner is asked for by default.
_RECALL = 0.99


def radii() -> Figures:
    """For each recipe of the product the radius, and the recall that is expected of it.

    Recipes are left out where no radius that is planned for is expected to nominate enough.
    """
    found = {}
    for way in offered():
        for bits in WIDTHS:
            recipe = dataclasses.replace(way.recipe, bits=bits)
            radius = recall_model.radius_for_recall_or_widest(recipe, NEAR, SHINGLE, _RECALL)
            expected = recall_model.recall_from_resemblance(recipe, NEAR, SHINGLE, radius)
            if expected >= _RECALL:
                found[named(way, bits)] = {"radius": radius, "expected": expected}
    return found


def lines(planned: Figures, measured: Mapping[str, Figures], sets: Sequence[str]) -> Iterator[str]:
    """A line per recipe.

    Args:
        planned: as ``radii`` gives it.
        measured: by recipe and set what ``nominated`` scores.
        sets: those to tell.
    """
    yield f"\nthe planner's radius for {_RECALL}: recall of documents that it expects, and finds\n"
    yield from markdown.table(
        ["recipe", "radius", "expected", *sets],
        (
            [
                name,
                str(plan["radius"]),
                f"{plan['expected']:.3f}",
                *_found(measured[name], plan, sets),
            ]
            for name, plan in planned.items()
        ),
    )


def _found(measured: Figures, plan: Figures, sets: Sequence[str]) -> Iterator[str]:
    for one in sets:
        yield f"{measured[one]['of_documents'][plan['radius']]:.3f}"
