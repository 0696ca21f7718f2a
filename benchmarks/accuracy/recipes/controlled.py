"""The recipes beside one another on texts with controlled edits, and on texts with a template."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.accuracy import markdown
from benchmarks.accuracy.recipes import found, unrelated
from benchmarks.accuracy.recipes.edited import SHARES, Copies
from benchmarks.accuracy.recipes.nominated import RADII
from benchmarks.accuracy.recipes.prints import WIDTHS, Prints
from benchmarks.accuracy.recipes.verified import Mixed
from benchmarks.accuracy.recipes.ways import Way, named, ways

Figures = dict[str, Any]

#: Shares of the words that are a template.
_TEMPLATES = (0.5, 0.8, 0.9)

#: The set whose texts are put behind templates, too, and by which tables are ordered.
_MAIN = "english"

#: The shares of edited words that tables tell.
_TOLD = ("0.05", "0.1", "0.2")


def run() -> Figures:
    """By width and recipe the scores of every set, and what the sets are."""
    recipes: dict[int, dict[str, Figures]] = {bits: {} for bits in WIDTHS}
    sets: Figures = {}
    for name, texts in unrelated.sets():
        copies = Copies.of(texts)
        sets[name] = {"texts": len(texts), "copies": len(copies.copies)}
        print(f"{name}: {len(texts)} texts", file=sys.stderr, flush=True)
        mixed = Mixed.of(copies)
        for way in ways(texts):
            for bits, scores in _scores(way, copies, mixed).items():
                recipes[bits].setdefault(named(way, bits), {})[name] = scores
        if name == _MAIN:
            _add_templates(recipes, texts)
    return {"sets": sets, "recipes": {str(bits): told for bits, told in recipes.items()}}


def _scores(way: Way, copies: Copies, mixed: Mixed) -> dict[int, Figures]:
    """By width what ``found`` and ``verified`` score."""
    prints = way.prints(pa.concat_arrays([copies.texts, copies.copies]))
    texts = len(copies.texts)
    rows = np.arange(texts, len(prints.present))
    scores = {}
    for bits, counts in Prints(prints.halves[:texts], prints.present[:texts]).counts().items():
        distances = prints.between(copies.origin, rows, bits)
        scores[bits] = found.score(copies, counts, distances)
        scores[bits]["verified"] = mixed.score(prints, scores[bits]["radius"], bits)
    return scores


def _add_templates(recipes: dict[int, dict[str, Figures]], texts: pa.Array) -> None:
    """By share of the template, per radius from 0 up, the part of its pairs within the radius."""
    filled = {str(share): unrelated.filled(texts, share) for share in _TEMPLATES}
    for way in ways(texts):
        prints = {share: way.prints(some.texts) for share, some in filled.items()}
        for bits in WIDTHS:
            recipes[bits][named(way, bits)]["templates"] = {
                share: [
                    float(np.mean(made.between(filled[share].left, filled[share].right, bits) <= r))
                    for r in range(RADII[bits] + 1)
                ]
                for share, made in prints.items()
            }


def lines(figures: Figures) -> Iterator[str]:
    """For each width the recipes, in order of what they find of edited copies."""
    sets = figures["sets"]
    for bits, recipes in figures["recipes"].items():
        yield (
            f"\n{bits} bits: the widest radius of at most a millionth of unrelated pairs, and the "
            "share of the copies within it where 5 / 10 / 20 % of the words are edited; the share "
            f"of the pairs of one template within the radius of {_MAIN}\n"
        )
        head = ["recipe", *sets, "noise", *(f"template {share:.0%}" for share in _TEMPLATES)]
        order = sorted(recipes, key=lambda name: -_mean(recipes[name][_MAIN]))
        yield from markdown.table(head, ([n, *_cells(recipes[n], list(sets))] for n in order))


def _mean(scores: Figures) -> float:
    return sum(_recall(scores))


def _recall(scores: Figures) -> list[float]:
    """Of the usual edits, by the shares that are printed."""
    return [scores["usual"][share][found.HERE] for share in _TOLD]


def _cells(recipe: Figures, sets: list[str]) -> Iterator[str]:
    for name in sets:
        scores = recipe[name]
        yield f"{scores['radius']}: {' / '.join(f'{share:.3f}' for share in _recall(scores))}"
    noise = recipe[_MAIN]["edits"]["noise scattered"]
    yield " / ".join(f"{noise[SHARES.index(float(share))]:.3f}" for share in _TOLD)
    radius = recipe[_MAIN]["radius"]
    for by_radius in recipe["templates"].values():
        yield f"{by_radius[radius] if radius >= 0 else 0.0:.3g}"
