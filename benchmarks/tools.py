"""What ilk takes inside the tools of tables, beside `ilk.deduplicate` of the same rows in Arrow.

Each in a process of its own, whose memory is that of the call: what it takes beyond what was there.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import corpus, timing
from benchmarks.rows import Row, WrongAnswerError

_MEASURED = """
import json, re, sys, time
import pyarrow.compute, ilk
ilk.deduplicate(["one two three", "four"])
path = sys.argv[1]
{given}
def peak(): return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
open("/proc/self/clear_refs", "w").write("5")
before, start = peak(), time.process_time()
{call}
cpu = time.process_time() - start
print(json.dumps([cpu, (peak() - before) / 1024, kept]))
"""

#: By name how the rows are given, and the call.
_TOOLS = {
    "ilk": (
        "import pyarrow.parquet as pq\nrows = pq.read_table(path)",
        "kept = ilk.deduplicate(rows).kept.true_count",
    ),
    "ilk, of a file": ("rows = path", "kept = ilk.deduplicate(rows).kept.true_count"),
    "Polars": (
        "import polars as pl, ilk.polars\nrows = pl.read_parquet(path)",
        "kept = len(ilk.polars.deduplicate(rows))",
    ),
    "Polars, lazy": (
        "import polars as pl, ilk.polars\nrows = pl.scan_parquet(path)",
        "kept = ilk.polars.deduplicate(rows).select(pl.len()).collect().item()",
    ),
    "pandas": (
        "import pandas as pd, ilk.pandas\nrows = pd.read_parquet(path)",
        "kept = len(rows.ilk.deduplicate())",
    ),
    "DuckDB, a query": (
        "import duckdb, ilk.duckdb\nrows = duckdb.read_parquet(path)",
        "kept = ilk.deduplicate(ilk.duckdb.scan(rows)).kept.true_count",
    ),
    "Hugging Face": (
        "import datasets, ilk.datasets as ds, pyarrow.parquet as pq\nrows = pq.read_table(path)",
        "kept = len(ds.deduplicate(datasets.Dataset(rows)))",
    ),
}


def run() -> list[Row]:
    """CPU seconds and megabytes of one deduplication."""
    texts = corpus.load()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.parquet"
        pq.write_table(pa.table({"text": texts.texts}), path, row_group_size=5000)
        costs: dict[str, list[list[float]]] = {name: [] for name in _TOOLS}
        for _ in range(timing.ROUNDS):
            for name, (given, call) in _TOOLS.items():
                program = _MEASURED.format(given=given, call=call)
                words = [sys.executable, "-c", program, str(path)]
                done = subprocess.run(words, check=True, stdout=subprocess.PIPE)
                costs[name].append(json.loads(done.stdout.splitlines()[-1]))
    if len({cost[2] for several in costs.values() for cost in several}) != 1:
        raise WrongAnswerError("two tools keep different numbers of rows")
    found = []
    for name in costs:
        yardstick = "ilk, of a file" if name in ("Polars, lazy", "DuckDB, a query") else "ilk"
        for at, unit in enumerate(("CPU-s", "MB")):
            own, plain = (statistics.median(c[at] for c in costs[n]) for n in (name, yardstick))
            row = Row(f"tools: {name}, {texts.name}", own, unit)
            if not name.startswith("ilk"):
                row = Row(row.name, own, unit, own / plain, yardstick, "<= 1.15 x")
            found.append(row)
    return found
