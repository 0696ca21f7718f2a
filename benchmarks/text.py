"""From a text column to fingerprints and to shingle sets, beside `wc -w` on the same bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa

import ilk
import ilk.columns
from benchmarks import corpus, timing
from benchmarks.rows import Row
from ilk.features import shingles

#: Texts are taken so often that there are this many megabytes to measure.
_ENOUGH = 50.0


def run() -> list[Row]:
    """MB of text per CPU second."""
    return [*_measured(corpus.load()), *_measured(_enough(corpus.multilingual()))]


def _enough(texts: corpus.Corpus) -> corpus.Corpus:
    times = max(1, round(_ENOUGH / texts.megabytes))
    return corpus.Corpus(texts.name, pa.concat_arrays([texts.texts] * times))


def _measured(texts: corpus.Corpus) -> list[Row]:
    column = ilk.columns.texts(texts.texts)
    with tempfile.TemporaryDirectory() as folder:
        flat = Path(folder, "texts")
        corpus.write_flat(texts.texts, flat)
        seconds = timing.medians(
            {
                "wc": lambda: timing.command(["wc", "-w", flat]).cpu,
                "fingerprints": lambda: timing.cpu(lambda: ilk.fingerprint(column)),
                "sets": lambda: timing.cpu(lambda: shingles.sets(column, "words", 3, jobs=1)),
            }
        )
    speed = {name: texts.megabytes / cost for name, cost in seconds.items()}
    return [
        _row(f"text: `wc -w`, {texts.name}", speed["wc"]),
        _row(
            f"text: fingerprints, {texts.name}",
            speed["fingerprints"],
            speed["wc"],
            ">= 250 MB/CPU-s",
        ),
        _row(f"text: shingle sets, {texts.name}", speed["sets"], speed["wc"], ">= 4 x"),
    ]


def _row(name: str, speed: float, words: float | None = None, target: str = "") -> Row:
    if words is None:
        return Row(name, speed, "MB/CPU-s")
    return Row(name, speed, "MB/CPU-s", speed / words, "`wc -w`", target)
