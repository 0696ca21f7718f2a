"""`ilk dedup` of short texts in their natural growth: the more of them, the more words they share.

`short` cuts its pieces from the same texts again and again, so that their pairs grow faster than
their number. Here a model writes as many pieces as are asked for, each of its own: the next word
is, one time in two, the word that follows in the corpus, and otherwise one that follows the same
word elsewhere there (a chain of words, as in Shannon 1948, section 3). A fifth of the
pieces are another one with one word changed. ``ILK_NATURAL_PIECES`` names other numbers of pieces.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import ilk
from benchmarks import corpus, timing
from benchmarks.product import ilk as command
from benchmarks.rows import Row

#: How many pieces there are, and the resemblances at which they are deduplicated.
_COUNTS = os.environ.get("ILK_NATURAL_PIECES", "100000 1000000")
_RESEMBLANCES = (0.8, 0.9)

#: The most pieces whose pairs are counted, which take a gigabyte of memory, and the most pairs.
_MOST_TO_COUNT, _MAX_PAIRS = 1_000_000, 10**9

#: Words of a piece, and pieces that are written at a time.
_WORDS, _TOGETHER = (12, 35), 200_000

#: The share of pieces that are another one with one word changed.
_CHANGED = 0.2


def run() -> Iterator[Row]:
    """Yield CPU seconds, peak memory, what goes, pairs, and growth, size by size."""
    chain = Chain([text.split() for text in corpus.distinct().texts.to_pylist()])
    before: dict[float, tuple[int, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "pieces.jsonl", Path(folder) / "kept.jsonl"
        for count in map(int, _COUNTS.split()):
            with source.open("w") as out:
                for piece in chain.write_pieces(count, seed=count):
                    out.write(json.dumps({"text": piece}) + "\n")
            pieces = None
            if count <= _MOST_TO_COUNT:
                pieces = pa.array(chain.write_pieces(count, seed=count), pa.large_string())
            for least in _RESEMBLANCES:
                words: list[str | Path] = [command(), "dedup", source, "-o", output, "--force"]
                words += ["--quiet", "--jobs", "1", "--threshold", str(least), "--accept-alarm"]
                cost = timing.command(words)
                gone = count - output.read_bytes().count(b"\n")
                title = f"natural: `ilk dedup` of {count:,} pieces at {least}"
                yield Row(title, cost.cpu, "CPU-s")
                yield Row(f"{title}, peak memory", cost.peak / 1e6, "MB")
                yield Row(f"{title}, rows that go", gone, "rows", gone / count, "of all")
                if pieces is not None:
                    pairs = len(ilk.sets.pairs(pieces, least, max_pairs=_MAX_PAIRS))
                    yield Row(f"{title}, pairs", pairs, "pairs", pairs / count, "a piece")
                if least in before:
                    fewer, cpu = before[least]
                    growth = (cost.cpu / cpu) / (count / fewer)
                    yield Row(f"{title}, a row", growth, f"x of {fewer:,}")
                before[least] = count, cost.cpu
            del pieces


class Chain:
    """The words of a corpus in their order, and where each of them stands."""

    def __init__(self, documents: list[list[str]]) -> None:
        numbers: dict[str, int] = {}
        places = [numbers.setdefault(word, len(numbers)) for text in documents for word in text]
        self._words = list(numbers)
        self._at = np.array(places, np.int32)
        self._sorted = np.argsort(self._at, kind="stable").astype(np.int64)
        self._first = np.searchsorted(self._at[self._sorted], np.arange(len(numbers) + 1))

    def write_pieces(self, count: int, seed: int) -> Iterator[str]:
        """Yield pieces; the same for the same seed."""
        draw, words = np.random.default_rng(seed), self._words
        while count > 0:
            lines = self._draw_lines(draw, min(count, _TOGETHER))
            lengths = draw.integers(_WORDS[0], _WORDS[1] + 1, len(lines))
            for line, length in zip(lines.tolist(), lengths.tolist(), strict=True):
                yield " ".join([words[word] for word in line[:length]])
            count -= len(lines)

    def _draw_lines(self, draw: np.random.Generator, count: int) -> NDArray[np.int32]:
        """Return lines of the numbers of words; the last ones are others with one word changed."""
        new = count - int(count * _CHANGED)
        place = draw.integers(0, len(self._at), new)
        lines = np.empty((count, _WORDS[1]), np.int32)
        for column in range(_WORDS[1]):
            lines[:new, column] = self._at[place]
            word = self._at[place]
            room = self._first[word + 1] - self._first[word]
            elsewhere = self._sorted[self._first[word] + draw.integers(0, room)]
            place = np.where(draw.random(new) < 0.5, place, elsewhere) + 1
            place %= len(self._at)
        copied = draw.integers(0, new, count - new)
        lines[new:] = lines[copied]
        changed = draw.integers(0, _WORDS[0], count - new)
        lines[np.arange(new, count), changed] = self._at[
            draw.integers(0, len(self._at), count - new)
        ]
        return lines[draw.permutation(count)]
