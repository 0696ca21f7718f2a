"""From a text column to fingerprints and to shingle sets, beside `wc -w` on the same bytes."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa

import ilk
import ilk.columns
from benchmarks import corpus, timing
from benchmarks.rows import Row
from ilk.features import shingles, weights
from ilk.recipe import SIMILARITY_INDEX, Recipe

#: Texts are taken so often that there are this many megabytes to measure.
_ENOUGH = 50.0


#: Recipes, and the part of `wc -w`'s speed that each is to reach.
_RECIPES = {
    "1-bit MinHash, 64 bits, 3 words": (Recipe(), ">= 6 x"),
    "1-bit MinHash, 64 bits, 2 words": (Recipe(width=2), ">= 6 x"),
    "1-bit MinHash, 128 bits, 3 words": (Recipe(bits=128), ">= 5 x"),
    "SimHash, words, 1 + ln tf": (SIMILARITY_INDEX, ">= 4.5 x"),
    "SimHash, 3 words, distinct": (Recipe("simhash", weight="binary"), ">= 4.5 x"),
}

#: Entries of the table of weights.
_ENTRIES = 1_000_000


def run() -> list[Row]:
    """MB of text per CPU second."""
    recipes = _RECIPES | {"SimHash, words, tf-idf of a million": (_weighted(), ">= 4.5 x")}
    multilingual = {name: (recipe, ">= 2.5 x") for name, (recipe, _) in _RECIPES.items()}
    return [
        *_measured(corpus.load(), recipes, ">= 4 x"),
        *_measured(_enough(corpus.multilingual()), multilingual, ">= 2.5 x"),
    ]


def _weighted() -> Recipe:
    """SimHash by a table whose entries are spread over all that a feature may be."""
    ids = pa.array(range(0, 2**32, 2**32 // _ENTRIES), pa.uint32())
    values = pa.array([place % 14 for place in range(len(ids))], pa.float64())
    return replace(
        SIMILARITY_INDEX, weights=weights.of_features(SIMILARITY_INDEX.basis, ids, values, 14)
    )


def _enough(texts: corpus.Corpus) -> corpus.Corpus:
    times = max(1, round(_ENOUGH / texts.megabytes))
    return corpus.Corpus(texts.name, pa.concat_arrays([texts.texts] * times))


def _measured(
    texts: corpus.Corpus, recipes: dict[str, tuple[Recipe, str]], sets_target: str
) -> list[Row]:
    column = ilk.columns.texts(texts.texts)
    with tempfile.TemporaryDirectory() as folder:
        flat = Path(folder, "texts")
        corpus.write_flat(texts.texts, flat)
        tasks = {
            "wc": lambda: timing.command(["wc", "-w", flat]).cpu,
            "sets": lambda: timing.cpu(lambda: shingles.sets(column, "words", 3, jobs=1)),
        }
        for name, (recipe, _) in recipes.items():
            tasks[name] = partial(timing.cpu, partial(ilk.fingerprint, column, recipe))
        seconds = timing.medians(tasks)
    speed = {name: texts.megabytes / cost for name, cost in seconds.items()}
    return [
        _row(f"text: `wc -w`, {texts.name}", speed["wc"]),
        *(
            _row(f"text: {name}, {texts.name}", speed[name], speed["wc"], target)
            for name, (_, target) in recipes.items()
        ),
        _row(f"text: shingle sets, {texts.name}", speed["sets"], speed["wc"], sets_target),
    ]


def _row(name: str, speed: float, words: float | None = None, target: str = "") -> Row:
    if words is None:
        return Row(name, speed, "MB/CPU-s")
    return Row(name, speed, "MB/CPU-s", speed / words, "`wc -w`", target)
