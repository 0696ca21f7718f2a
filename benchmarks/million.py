"""The exact join of about a million documents: CPU and peak memory."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
from tests.support.shingles import word_shingle_sets

import ilk.arrow
from benchmarks import corpus, timing
from benchmarks.rows import Row

COPIES = 30
SHARE = 0.05

_SCRIPT = Path(__file__).with_name("join_sets.py")

#: Resemblances, how often each is joined, and the target.
_JOINS = ((0.8, 3, "<= 22 CPU-s"), (0.7, 1, "<= 110 CPU-s"))


def run() -> list[Row]:
    """CPU seconds and gigabytes of a process that reads the sets and joins them."""
    texts = corpus.distinct()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sets")
        sets = _copies(texts.texts)
        documents, elements = len(sets), len(sets.values)
        feather.write_feather(pa.table({"set": sets}), path, "uncompressed", chunksize=documents)
        del sets
        name = f"million: {texts.name} x {COPIES}, {SHARE:.0%} of words changed"
        rows.append(Row(f"{name}, documents", documents, "documents"))
        rows.append(Row(f"{name}, shingles", elements / 1e6, "million"))
        for resemblance, rounds, target in _JOINS:
            command: list[str | Path] = [sys.executable, _SCRIPT, path, str(resemblance)]
            costs = [timing.command(command) for _ in range(rounds)]
            seconds = statistics.median(cost.cpu for cost in costs)
            joined = f"{name}, resemblance {resemblance}, rounds: {rounds}"
            peak = max(cost.peak for cost in costs) / 1e9
            rows.append(Row(joined, seconds, "CPU-s", target=target))
            rows.append(Row(f"{joined}, peak memory", peak, "GB", target="<= 5 GB"))
    return rows


def _copies(texts: pa.LargeStringArray) -> pa.Array:
    """The shingle sets of the texts, and of copies of them with some words changed."""
    pieces = []
    for copy in range(COPIES):
        changed = corpus.reworded(texts, SHARE, copy) if copy else texts
        pieces.append(word_shingle_sets(ilk.arrow.import_texts(changed)))
    return pa.concat_arrays(pieces)
