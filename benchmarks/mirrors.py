"""Mirrors in crawls of 10^4 to 10^6 pages: CPU seconds, peak memory, and what was found."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import timing
from benchmarks.rows import Row, WrongAnswerError

SIZES = (10_000, 100_000, 1_000_000)

#: Words of a page, different words, pages of a site, copies of a site, and pages of a copy changed.
_WORDS, _VOCABULARY, _PAGES, _COPIES, _CHANGED = 70, 20_000, (20, 180), (1, 1, 1, 2, 3), 0.05

#: The least precision and recall of pairs of hosts.
_RIGHT = 0.98

#: What is measured, in a process of its own.
_FIND = """
import sys
import pyarrow.parquet as pq
from ilk_web import mirrors
found = mirrors.find(pq.read_table(sys.argv[1]), jobs=1).table
pq.write_table(found, sys.argv[2])
"""


def run() -> list[Row]:
    """Measure every size once; a million pages take half a minute."""
    found = []
    for size in SIZES:
        with TemporaryDirectory() as folder:
            crawl, mirrors = Path(folder, "crawl.parquet"), Path(folder, "mirrors.parquet")
            planted = _write(crawl, size)
            cost = timing.command([sys.executable, "-c", _FIND, crawl, mirrors])
            told = {
                tuple(side.partition("/")[0] for side in (row["left"], row["right"]))
                for row in pq.read_table(mirrors).to_pylist()
            }
            _check(told, planted)
        name = f"mirrors of {size:,} pages"
        found.append(Row(name, cost.cpu, "CPU-s", cost.cpu / size * 1e6, "a million pages in s"))
        found.append(Row(f"{name}, peak", cost.peak / 1e6, "MB"))
    return found


def _check(told: set[tuple[str, ...]], planted: set[tuple[str, ...]]) -> None:
    right = len(told & planted)
    if right < _RIGHT * max(len(told), len(planted)):
        raise WrongAnswerError(f"{len(told)} mirrors were found, {right} of {len(planted)} planted")


def _write(path: Path, size: int) -> set[tuple[str, ...]]:
    """A crawl with planted mirrors; in every other one the root is renamed.

    Returns:
        The pairs of hosts that mirror one another.
    """
    planted: set[tuple[str, ...]] = set()
    schema = pa.schema({"url": pa.string(), "text": pa.string()})
    with pq.ParquetWriter(path, schema) as writer:
        pages = 0
        for hosts, rows in _families():
            planted |= {(a, b) for a in hosts for b in hosts if a < b}
            urls, texts = zip(*rows, strict=True)
            writer.write_table(pa.table([urls, texts], schema=schema))
            pages += len(rows)
            if pages >= size:
                break
    return planted


def _families() -> Iterator[tuple[list[str], list[tuple[str, str]]]]:
    """Sites with their mirrors, without end: their hosts, and their pages with URLs and texts."""
    draw = random.Random(2011)
    words = [f"w{n}" for n in range(_VOCABULARY)]

    def text() -> str:
        return " ".join(draw.choices(words, k=_WORDS))

    family = 0
    while True:
        paths = [f"/{draw.randrange(12)}/{n}.html" for n in range(draw.randrange(*_PAGES))]
        site = [(path, text()) for path in paths]
        hosts = [f"h{family}-{copy}.example" for copy in range(draw.choice(_COPIES))]
        rows = []
        for copy, host in enumerate(hosts):
            root = f"https://{host}/pub{copy}" if copy % 2 else f"https://{host}"
            for path, page in site:
                changed = copy > 0 and draw.random() < _CHANGED
                rows.append((root + path, text() if changed else page))
        yield hosts, rows
        family += 1
