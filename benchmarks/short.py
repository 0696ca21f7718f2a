"""The exact join of short texts: as many elements as in long ones, in many more sets."""

from __future__ import annotations

import ilk
import ilk.columns
from benchmarks import corpus, timing
from benchmarks.rows import Row
from ilk.features import shingles

RESEMBLANCE = 0.8


def run() -> list[Row]:
    """CPU nanoseconds per shingle."""
    whole = corpus.load()
    texts = ilk.columns.texts(corpus.short_texts(whole.texts))
    sets = shingles.sets(texts, "words", 3, jobs=1)
    seconds = timing.medians(
        {"join": lambda: timing.cpu(lambda: ilk.resemblance_pairs(sets, RESEMBLANCE))}
    )
    name = f"short: texts of 350-550 bytes, {whole.name}"
    each = seconds["join"] / len(sets.values) * 1e9
    return [
        Row(f"{name}, texts", len(texts), "texts"),
        Row(f"{name}, resemblance {RESEMBLANCE}", each, "CPU-ns/shingle", target="<= 70"),
    ]
