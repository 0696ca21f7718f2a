"""The searches that `ilk sql` writes, in every database, against brute force in NumPy.

Milliseconds of the clock, not of the processor: a server works in a process of its own, and whoever
asks waits for it. Every query is another one, and every answer is brute force's.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

import ilk
from benchmarks import databases, hamming, timing
from benchmarks.databases import AbsentError, Found, Searches
from benchmarks.hamming import Bits
from benchmarks.rows import Row, WrongAnswerError

_QUERIES = 50

#: Queries before those that are timed: the first of a connection are planned each time anew.
_WARMING = 10

_RADIUS = 3


@dataclass(frozen=True, slots=True)
class _Size:
    """So many rows, and what each search is to reach there, in milliseconds."""

    name: str
    rows: int
    near: dict[str, float]
    pairs: float


_SIZES = (
    _Size(
        "10^6",
        1_000_000,
        {"SQLite": 0.3, "DuckDB": 3, "PostgreSQL": 2, "MariaDB": 2, "ClickHouse": 10},
        1_000,
    ),
    _Size(
        "10^7",
        10_000_000,
        {"SQLite": 20, "DuckDB": 20, "PostgreSQL": 3, "MariaDB": 3, "ClickHouse": 30},
        10_000,
    ),
)

_OPENED: dict[str, Callable[[pa.Table], AbstractContextManager[Searches]]] = {
    "SQLite": databases.sqlite,
    "DuckDB": databases.duckdb,
    "PostgreSQL": databases.postgresql,
    "MariaDB": databases.mysql,
    "ClickHouse": databases.clickhouse,
}


def run() -> list[Row]:
    """Milliseconds per search, size and database.

    Raises:
        WrongAnswerError: a search found something else than brute force.
    """
    return [row for size in _SIZES for row in _sized(size)]


def _sized(size: _Size) -> Iterator[Row]:
    random = np.random.default_rng(size.rows)
    bits = hamming.planted(size.rows, _RADIUS, random)
    table = pa.table({"id": np.arange(size.rows), "fp": bits.view(np.int64)})
    queries = _queries(bits, random)
    warming, queries = queries[:_WARMING], queries[_WARMING:]
    answers, brute = _timed(partial(_brute, bits), queries)
    name = f"sql: {size.name}, near(q, {_RADIUS})"
    yield Row(f"{name}, NumPy brute force", brute, "ms")
    for database, opened in _OPENED.items():
        try:
            with opened(table) as searches:
                _timed(searches.near, warming)
                found, seconds = _timed(searches.near, queries)
                if found != answers:
                    raise WrongAnswerError(f"{name}, {database}: not what brute force finds.")
                target = f"<= {size.near[database]:g} ms"
                ratio = seconds / brute
                yield Row(f"{name}, {database}", seconds, "ms", ratio, "NumPy brute force", target)
                if searches.pairs is not None:
                    yield _paired(size, bits, database, searches.pairs)
        except AbsentError as absent:
            print(f"{name}, {database} left out: {absent}", file=sys.stderr)


def _paired(size: _Size, bits: Bits, database: str, pairs: Callable[[], Found]) -> Row:
    """All pairs within the radius, as a database finds them and as ilk does."""
    name = f"sql: {size.name}, near_pairs({_RADIUS}), {database}"
    costs = []
    for _ in range(timing.ROUNDS):
        start = time.perf_counter()
        found = pairs()
        costs.append((time.perf_counter() - start) * 1000)
    start = time.perf_counter()
    ours = ilk.hamming.pairs(pa.array(bits), _RADIUS)
    yardstick = (time.perf_counter() - start) * 1000
    if sorted(found) != sorted(zip(*(c.to_pylist() for c in ours.columns), strict=True)):
        raise WrongAnswerError(f"{name}: not what ilk finds.")
    seconds = statistics.median(costs)
    return Row(
        name, seconds, "ms", seconds / yardstick, "ilk.hamming.pairs", f"<= {size.pairs:,.0f} ms"
    )


def _queries(bits: Bits, random: np.random.Generator) -> list[int]:
    """Fingerprints a few bits from stored ones, signed."""
    some = bits[random.permutation(len(bits))[: _WARMING + _QUERIES]]
    places = [random.integers(0, 64, row % 5).tolist() for row in range(len(some))]
    flips = [sum(1 << place for place in set(each)) for each in places]
    return [int(value) for value in (some ^ np.array(flips, np.uint64)).view(np.int64)]


def _brute(bits: Bits, query: int) -> Found:
    distances = np.bitwise_count(bits ^ np.int64(query).view(np.uint64))
    rows = np.flatnonzero(distances <= _RADIUS)
    return list(zip(rows.tolist(), distances[rows].tolist(), strict=True))


def _timed(search: Callable[[int], Found], queries: Sequence[int]) -> tuple[list[Found], float]:
    """What every query finds, sorted, and the median of their milliseconds."""
    answers, costs = [], []
    for query in queries:
        start = time.perf_counter()
        found = search(query)
        costs.append((time.perf_counter() - start) * 1000)
        answers.append(sorted(found))
    return answers, statistics.median(costs)
