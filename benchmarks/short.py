"""The exact join of short texts: as many elements as in long ones, in many more sets.

Texts of some 90 words are joined by their words, and their beginnings by their characters, which
are the same few thousand in all of them. Pieces of 12 to 35 words are deduplicated whole, a fifth
of them with one word changed.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path

from tests.support.shingles import word_shingle_sets

import ilk
import ilk.arrow
from benchmarks import corpus, dedup, timing
from benchmarks.product import ilk as command
from benchmarks.rows import Row
from ilk.search import evidence_joins
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence

RESEMBLANCE = Fraction(4, 5)

#: Texts compared by their characters, and how much of each.
_BEGINNINGS, _CHARACTERS = 200_000, 250

#: Pieces that are deduplicated, as far as the environment allows, and at which resemblances.
_PIECES = (10**4, 10**5, 10**6, 10**7)
_MOST = int(os.environ.get("ILK_SHORT_PIECES", "1000000"))
_RESEMBLANCES = (0.6, 0.7, 0.8, 0.9)
#: More pieces than this are deduplicated at the last two: they are cut from the same texts again
#: and again, and at the others the many that overlap take half an hour.
_FEW = 10**6
_WORDS = (12, 35)


def run() -> Iterator[Row]:
    """Yield CPU nanoseconds per shingle, and what `ilk dedup` costs."""
    whole = corpus.load()
    texts = ilk.arrow.import_texts(corpus.short_texts(whole.texts))
    sets = word_shingle_sets(texts)
    beginnings = [text[:_CHARACTERS] for text in texts[:_BEGINNINGS].to_pylist()]
    evidence = Evidence.from_texts(ilk.arrow.import_texts(beginnings), Counting(3), 1)
    seconds = timing.medians(
        {
            "words": lambda: timing.cpu(lambda: ilk.sets.pairs(sets, float(RESEMBLANCE), jobs=1)),
            "characters": lambda: timing.cpu(
                lambda: evidence_joins.join_candidates_by_resemblance(evidence, RESEMBLANCE, 10**9)
            ),
        }
    )
    name = f"short: texts of 350-550 bytes, {whole.name}"
    per_word = seconds["words"] / len(sets.values) * 1e9
    per_character = seconds["characters"] / sum(map(len, beginnings)) * 1e9
    told = f"resemblance {float(RESEMBLANCE)}"
    yield from (
        Row(f"{name}, texts", len(texts), "texts"),
        Row(f"{name}, {told}", per_word, "CPU-ns/shingle", target="<= 70"),
        Row(
            f"short: {len(beginnings):,} beginnings by characters, {told}",
            seconds["characters"],
            "CPU-s",
        ),
        Row("short: the same, each character", per_character, "CPU-ns/character"),
    )
    yield from _deduplicated(whole.texts.unique().to_pylist())


def _deduplicated(texts: list[str]) -> Iterator[Row]:
    """Yield CPU seconds, peak memory and growth of `ilk dedup`, size by size."""
    before: dict[float, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "pieces.jsonl", Path(folder) / "kept.jsonl"
        for count in (count for count in _PIECES if count <= _MOST):
            with source.open("w") as out:
                for piece in islice(pieces(texts), count):
                    out.write(json.dumps({"text": piece}) + "\n")
            for least in _RESEMBLANCES[2 * (count > _FEW) :]:
                words: list[str | Path] = [command(), "dedup", source, "-o", output, "--force"]
                words += ["--quiet", "--jobs", "1", "--threshold", str(least), "--accept-alarm"]
                cost = timing.command(words)
                title = f"short: `ilk dedup` of {count:,} pieces at {least}"
                asked = "<= 15" if (count, least) == (10**6, 0.8) else ""
                yield Row(title, cost.cpu, "CPU-s", target=asked)
                yield Row(f"{title}, peak memory", cost.peak / 1e6, "MB")
                if least in before:
                    yield Row(f"{title}, growth", cost.cpu / before[least], "x a tenth")
                before[least] = cost.cpu
                if least == float(RESEMBLANCE):
                    yield from dedup.peer(title, source, output, cost.cpu)


def pieces(texts: list[str]) -> Iterator[str]:
    """Yield pieces of all texts, read again and cut elsewhere for as long as pieces are taken."""
    draw = random.Random(1)
    documents = [text.split() for text in texts]
    draw.shuffle(documents)
    while True:
        for words in documents:
            at = draw.randrange(_WORDS[0])
            while at + _WORDS[0] <= len(words):
                piece = words[at : at + draw.randint(*_WORDS)]
                at += len(piece)
                yield " ".join(piece)
                if draw.random() < 0.25:
                    piece[draw.randrange(len(piece))] = draw.choice(draw.choice(documents) or words)
                    yield " ".join(piece)
