"""The exact join of short texts: as many elements as in long ones, in many more sets.

Texts of some 90 words are joined by their words, and their beginnings by their characters, which
are the same few thousand in all of them.
"""

from __future__ import annotations

from fractions import Fraction

import ilk
import ilk.arrow
from benchmarks import corpus, timing
from benchmarks.rows import Row
from ilk.fingerprints import shingles
from ilk.search import evidence_joins
from ilk.search.evidence import Evidence

RESEMBLANCE = Fraction(4, 5)

#: Texts compared by their characters, and how much of each.
_BEGINNINGS, _CHARACTERS = 200_000, 250


def run() -> list[Row]:
    """CPU nanoseconds per shingle."""
    whole = corpus.load()
    texts = ilk.arrow.texts(corpus.short_texts(whole.texts))
    sets = shingles.sets(texts, "words", 3, jobs=1)
    beginnings = [text[:_CHARACTERS] for text in texts[:_BEGINNINGS].to_pylist()]
    evidence = Evidence.of(ilk.arrow.texts(beginnings), 3, 1)
    seconds = timing.medians(
        {
            "words": lambda: timing.cpu(lambda: ilk.sets.pairs(sets, float(RESEMBLANCE))),
            "characters": lambda: timing.cpu(
                lambda: evidence_joins.resembling(evidence, RESEMBLANCE, 10**9)
            ),
        }
    )
    name = f"short: texts of 350-550 bytes, {whole.name}"
    per_word = seconds["words"] / len(sets.values) * 1e9
    per_character = seconds["characters"] / sum(map(len, beginnings)) * 1e9
    told = f"resemblance {float(RESEMBLANCE)}"
    return [
        Row(f"{name}, texts", len(texts), "texts"),
        Row(f"{name}, {told}", per_word, "CPU-ns/shingle", target="<= 70"),
        Row(
            f"short: {len(beginnings):,} beginnings by characters, {told}",
            seconds["characters"],
            "CPU-s",
        ),
        Row("short: the same, each character", per_character, "CPU-ns/character"),
    ]
