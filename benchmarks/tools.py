"""What ilk takes inside the tools of tables, against `ilk.deduplicate` of the tool's own table.

Both get the same table, read before the clock starts, and give the same: the rows that are kept, or
how many they are. Each stands in a process of its own. Its memory is what the call takes beyond
what is held then; so that no freed page counts as taken or as there, allocators give back first.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import corpus, timing
from benchmarks.rows import Row, WrongAnswerError

_MEASURED = """
import json, re, sys, time
import pyarrow as pa, pyarrow.compute, ilk
from ilk.base import resources
ilk.deduplicate(["one two three", "four"])
path = sys.argv[1]
{given}
def peak(): return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
resources.release_freed_memory()
open("/proc/self/clear_refs", "w").write("5")
before, start = peak(), time.process_time()
{call}
cpu = time.process_time() - start
print("\\n" + json.dumps([cpu, (peak() - before) / 1024, kept]))
"""

#: How many rows `ilk.deduplicate` keeps, and how many it gives back as a table.
_COUNTED = "kept = ilk.deduplicate(rows).keep_mask.true_count"
_GIVEN = "kept = len(ilk.deduplicate(rows).to_arrow())"

#: By name how the rows are given, the call, and that of ilk itself.
_TOOLS = {
    "Polars": (
        "import polars as pl, ilk.tables.polars\nrows = pl.read_parquet(path)",
        "kept = len(ilk.tables.deduplicate(rows))",
        _GIVEN,
    ),
    "Polars, lazy": (
        "import polars as pl, ilk.tables.polars\nrows = pl.scan_parquet(path)",
        "kept = ilk.tables.deduplicate(rows).select(pl.len()).collect().item()",
        "kept = ilk.deduplicate(rows.collect()).keep_mask.true_count",
    ),
    "pandas": (
        "import pandas as pd, ilk.tables.pandas\nrows = pd.read_parquet(path)",
        "kept = len(rows.ilk.deduplicate())",
        _GIVEN,
    ),
    "DuckDB, a query": (
        "import duckdb, ilk_sources.duckdb\nrows = duckdb.read_parquet(path)",
        "kept = ilk.deduplicate(ilk_sources.duckdb.scan(rows)).keep_mask.true_count",
        _COUNTED,
    ),
    "Hugging Face": (
        (
            "import datasets, ilk.tables.datasets as ds, pyarrow.parquet as pq\n"
            "rows = datasets.Dataset(pq.read_table(path))"
        ),
        "kept = len(ds.deduplicate(rows))",
        _COUNTED,
    ),
}

#: The same way of reading without ilk: each batch of the texts is looked at and let go.
_SCANS = {
    "Polars, lazy": (
        "pieces = rows.select('text').collect_batches(maintain_order=True)\n"
        "kept = sum(len(piece) for piece in pieces)"
    ),
    "DuckDB, a query": (
        "kept = sum(len(piece) for piece in rows.select('text').to_arrow_reader(10_000))"
    ),
}


def run() -> Iterator[Row]:
    """Yield CPU seconds and megabytes of one deduplication, and megabytes of a bare scan."""
    texts = corpus.load()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.parquet"
        pq.write_table(pa.table({"text": texts.texts}), path, row_group_size=5000)
        costs: dict[tuple[str, int], list[list[float]]] = {}
        scans: dict[str, list[list[float]]] = {}
        for _ in range(timing.ROUNDS):
            for name, (given, *calls) in _TOOLS.items():
                for side, call in enumerate(calls):
                    cost = _measured(_MEASURED.format(given=given, call=call), path)
                    costs.setdefault((name, side), []).append(cost)
                if name in _SCANS:
                    bare = _measured(_MEASURED.format(given=given, call=_SCANS[name]), path)
                    scans.setdefault(name, []).append(bare)
    if len({cost[2] for several in costs.values() for cost in several}) != 1:
        raise WrongAnswerError("two tools keep different numbers of rows")
    for name in _TOOLS:
        for at, unit in enumerate(("CPU-s", "MB")):
            own, plain = (statistics.median(c[at] for c in costs[name, side]) for side in (0, 1))
            row = f"tools: {name}, {texts.name}"
            yield Row(row, own, unit, own / plain, "ilk of the same table", "<= 1.15 x")
    for name, several in scans.items():
        held = statistics.median(cost[1] for cost in several)
        yield Row(f"tools: {name}, {texts.name}, bare scan", held, "MB")


def _measured(program: str, path: Path) -> list[float]:
    """Return what a program prints in its last line."""
    words = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE)
    return [float(value) for value in json.loads(done.stdout.splitlines()[-1])]
