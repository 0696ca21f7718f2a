"""Fingerprints and their joins in two threads beside one, and the memory beyond the texts."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather

import ilk
import ilk.arrow
from benchmarks import corpus, timing
from benchmarks.rows import Row
from ilk.fingerprints.recipe import SIMILARITY_INDEX, Recipe

#: Reads texts, and fingerprints them if a recipe is given.
_SCRIPT = """
import sys
import pyarrow.feather as feather
import ilk
texts = feather.read_table(sys.argv[1], memory_map=False).column("text")
recipe = ilk.Recipe.parse(sys.argv[2])
ilk.fingerprint(texts if sys.argv[3:] else ["a text of some words"], recipe)
"""

#: Random fingerprints, and how near pairs of them are.
_ROWS, _RADII = 10_000_000, (3, 6)

_RECIPES = {"1-bit MinHash, 3 words": Recipe(), "SimHash, words, 1 + ln tf": SIMILARITY_INDEX}


def run() -> list[Row]:
    """Ratios of wall time, and megabytes."""
    return [*_threads(), *_memory()]


def _threads() -> list[Row]:
    """How much faster two threads are, reported since other work on the machine takes from it."""
    texts = corpus.load()
    column = ilk.arrow.import_texts(texts.texts)
    found = []
    for name, recipe in _RECIPES.items():
        one, two = _walls(partial(ilk.fingerprint, column, recipe))
        found.append(_row(name, texts.megabytes / two, "MB/s of wall time", one / two))
    prints = np.random.default_rng(2011).integers(0, 1 << 64, _ROWS, np.uint64)
    for radius in _RADII:
        one, two = _walls(partial(ilk.hamming.pairs, prints, radius))
        found.append(_row(f"pairs of {_ROWS:,}, radius {radius}", two, "s of wall time", one / two))
    return found


def _row(name: str, figure: float, unit: str, ratio: float) -> Row:
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    label = f"scaling: {name}, two threads, {load}"
    return Row(label, figure, unit, ratio, "one thread", ">= 1.6 x idle")


def _walls(call: Callable[..., object]) -> tuple[float, float]:
    """Seconds of wall time of a call in one thread and in two, medians taken in turn."""
    walls: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(timing.ROUNDS):
        for jobs, costs in walls.items():
            start = time.perf_counter()
            call(jobs=jobs)
            costs.append(time.perf_counter() - start)
    return statistics.median(walls[1]), statistics.median(walls[2])


def _memory() -> list[Row]:
    """The peak of a process that fingerprints all texts, less that of one that reads them."""
    texts = corpus.load()
    inputs = {
        texts.name: texts.texts,
        f"{texts.name} twice": pa.concat_arrays([texts.texts] * 2),
        f"{texts.name} as one text": pa.array(
            [b"\n".join(memoryview(text.as_buffer()) for text in texts.texts).decode()],
            pa.large_string(),
        ),
    }
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "texts")
        for name, column in inputs.items():
            feather.write_feather(pa.table({"text": column}), path, "uncompressed")
            for kind, recipe in _RECIPES.items():
                beyond = timing.medians({"peak": partial(_beyond, path, recipe)})["peak"]
                label = f"scaling: {kind}, memory beyond {name}"
                found.append(Row(label, beyond / 1e6, "MB", target="<= 64"))
    return found


def _beyond(path: Path, recipe: Recipe) -> float:
    """Bytes of memory that fingerprints of the texts of a file take beyond them."""
    command: list[str | Path] = [sys.executable, "-c", _SCRIPT, path, str(recipe)]
    return timing.command([*command, "all"]).peak - timing.command(command).peak
