"""From a text column to fingerprints and to shingle sets, against `wc -w` on the same bytes."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from tests.support.shingles import word_shingle_sets

import ilk
import ilk.arrow
from benchmarks import corpus, timing
from benchmarks.rows import Row
from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe
from ilk_papers import weighing

#: Texts are taken so often that there are this many megabytes to measure.
_ENOUGH = 100.0

#: Recipes by the name of a row, and the part of `wc -w`'s speed that each is to reach.
_Rows = dict[str, tuple[Recipe, str]]

_WORDS: _Rows = {
    "SimHash, words, every occurrence": (Recipe("simhash", width=1, weight="tf"), ">= 8 x"),
    "SimHash, 2 words, every occurrence": (Recipe("simhash", width=2, weight="tf"), ">= 8 x"),
    "SimHash, 3 words, every occurrence": (Recipe("simhash", width=3, weight="tf"), ">= 8 x"),
    "SimHash, 5 words, every occurrence": (Recipe("simhash", width=5, weight="tf"), ">= 8 x"),
    "SimHash, words, 1 + ln tf": (SIMILARITY_INDEX, ">= 4.5 x"),
    "SimHash, 3 words, distinct": (Recipe("simhash", weight="binary"), ">= 4.5 x"),
    "1-bit MinHash, 64 bits, 2 words": (Recipe(width=2), ">= 6 x"),
    "1-bit MinHash, 64 bits, 3 words": (Recipe(), ">= 6 x"),
    "1-bit MinHash, 128 bits, 2 words": (Recipe(bits=128, width=2), ">= 5 x"),
    "1-bit MinHash, 128 bits, 3 words": (Recipe(bits=128), ">= 5 x"),
}

_CHARACTERS: _Rows = {
    f"SimHash, {width} characters, every occurrence": (
        Recipe("simhash", unit="chars", width=width, weight="tf"),
        target,
    )
    for width, target in ((4, ">= 15 x"), (8, ">= 15 x"), (40, ">= 10 x"))
}

#: Entries of the table of weights.
_ENTRIES = 1_000_000


def run() -> list[Row]:
    """MB of text per CPU second."""
    weighted: _Rows = {"SimHash, words, tf-idf of a million": (_weighted(), ">= 4.5 x")}
    everywhere = {name: (recipe, ">= 2.5 x") for name, (recipe, _) in _WORDS.items()}
    return [
        *_measured(corpus.load(), _WORDS | weighted, ">= 4 x"),
        *_measured(_ascii(corpus.load()), _CHARACTERS),
        *_measured(_enough(corpus.multilingual()), everywhere, ">= 2.5 x"),
    ]


def _weighted() -> Recipe:
    """SimHash by a table whose entries are spread over all that a feature may be."""
    ids = pa.array(range(0, 2**32, 2**32 // _ENTRIES), pa.uint32())
    values = pa.array([place % 14 for place in range(len(ids))], pa.float64())
    return replace(
        SIMILARITY_INDEX, weights=weighing.make_weights(SIMILARITY_INDEX.basis, ids, values, 14)
    )


def _ascii(texts: corpus.Corpus) -> corpus.Corpus:
    """The texts that have nothing but ASCII."""
    return corpus.Corpus(
        f"ASCII of {texts.name}", texts.texts.filter(pc.string_is_ascii(texts.texts))
    )


def _enough(texts: corpus.Corpus) -> corpus.Corpus:
    times = max(1, round(_ENOUGH / texts.megabytes))
    return corpus.Corpus(texts.name, pa.concat_arrays([texts.texts] * times))


def _measured(texts: corpus.Corpus, recipes: _Rows, sets_target: str | None = None) -> list[Row]:
    """A row for each recipe, and one for shingle sets where they have something to reach."""
    column = ilk.arrow.import_texts(texts.texts)
    tasks = {
        name: (partial(ilk.fingerprint, column, recipe, jobs=1), target)
        for name, (recipe, target) in recipes.items()
    }
    if sets_target is not None:
        tasks["shingle sets"] = (partial(word_shingle_sets, column), sets_target)
    with tempfile.TemporaryDirectory() as folder:
        flat = Path(folder, "texts")
        corpus.write_flat(texts.texts, flat)
        seconds = timing.medians(
            {"`wc -w`": lambda: timing.command(["wc", "-w", flat]).cpu}
            | {name: partial(timing.cpu, task) for name, (task, _) in tasks.items()}
        )
    speed = {name: texts.megabytes / cost for name, cost in seconds.items()}
    words = speed.pop("`wc -w`")
    return [
        Row(f"text: `wc -w`, {texts.name}", words, "MB/CPU-s"),
        *(
            Row(
                f"text: {name}, {texts.name}",
                figure,
                "MB/CPU-s",
                figure / words,
                "`wc -w`",
                tasks[name][1],
            )
            for name, figure in speed.items()
        ),
    ]
