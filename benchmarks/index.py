"""An index of a million fingerprints, against a look at all of them; both must find the same.

usearch is not beside it: it looks for the k nearest and not for all within a radius, so that what
it finds is no answer to the same question.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

import ilk
from benchmarks import timing
from benchmarks.hamming import COUNT, Bits, planted
from benchmarks.rows import Row, WrongAnswerError

#: Per radius how many queries are asked, and the microseconds meant for one of them.
_RADII = {3: (200_000, "<= 0.4 us"), 6: (50_000, "<= 3 us"), 10: (10_000, "<= 20 us")}
#: Queries that are also answered by a look at everything, and asked one by one.
_SCANNED = 20
_SINGLE = 10_000
#: Fingerprints that are added at a time, until there are twice as many.
_BATCH = 10_000


def run() -> list[Row]:
    """Time and memory per fingerprint, and time per query.

    Raises:
        WrongAnswerError: an answer is not that of a look at everything.
    """
    return [row for radius in _RADII for row in _measured(radius)]


def _measured(radius: int) -> list[Row]:
    count, target = _RADII[radius]
    random = np.random.default_rng(radius)
    held = planted(COUNT, radius, random)
    queries = held[:count] ^ (np.uint64(1) << random.integers(0, 64, count, np.uint64))
    index = ilk.hamming.Index(held, radius)
    size = index.nbytes / COUNT
    _check(index, held, queries[:_SCANNED], radius)
    column, single = pa.array(queries), queries[:_SINGLE].tolist()
    seconds = timing.medians(
        {
            "sort": lambda: timing.cpu(lambda: np.sort(held)),
            "build": lambda: timing.cpu(lambda: ilk.hamming.Index(held, radius)),
            "scan": lambda: timing.cpu(lambda: [_scan(held, q, radius) for q in single[:_SCANNED]]),
            "many": lambda: timing.cpu(lambda: index.query_many(column)),
            "single": lambda: timing.cpu(lambda: [index.query(query) for query in single]),
        }
    )
    name, scan = f"index: 10^6, radius {radius}", seconds["scan"] / _SCANNED
    many, one = seconds["many"] / count, seconds["single"] / len(single)
    added = timing.cpu(lambda: _doubled(index, random)) / COUNT
    return [
        Row(
            f"{name}, built", seconds["build"], "CPU-s", seconds["build"] / seconds["sort"], "sort"
        ),
        Row(f"{name}, memory", size, "B each", size / held.itemsize, "values", "<= 80 B"),
        Row(f"{name}, added {_BATCH:,} at a time", added * 1e6, "CPU-us", target="<= 0.3 us"),
        Row(f"{name}, a look at all", scan * 1e6, "CPU-us"),
        Row(f"{name}, of many", many * 1e6, "CPU-us", many / scan, "a look at all", target),
        Row(f"{name}, one call", one * 1e6, "CPU-us", one / scan, "a look at all"),
    ]


def _check(index: ilk.hamming.Index, held: Bits, queries: Bits, radius: int) -> None:
    """Compare some answers with those of a look at everything."""
    found = index.query_many(queries)
    rows = [(at, *near) for at, query in enumerate(queries) for near in _scan(held, query, radius)]
    told = list(zip(*(column.to_pylist() for column in found.columns), strict=True))
    if told != rows:
        raise WrongAnswerError(f"radius {radius}: {len(told)} answers, a scan has {len(rows)}.")


def _scan(held: Bits, query: Any, radius: int) -> list[tuple[int, int]]:
    """Row and distance of what is near, sorted by distance and row."""
    distances = np.bitwise_count(held ^ np.uint64(query))
    near = np.flatnonzero(distances <= radius)
    return sorted(
        zip(near.tolist(), distances[near].tolist(), strict=True), key=lambda f: (f[1], f[0])
    )


def _doubled(index: ilk.hamming.Index, random: np.random.Generator) -> None:
    """Add as many again."""
    for _ in range(COUNT // _BATCH):
        index.add(random.integers(0, 1 << 64, _BATCH, np.uint64))
