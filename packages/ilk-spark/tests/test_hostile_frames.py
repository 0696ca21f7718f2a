"""Odd frames, and drivers that are killed: right answers, or errors that say what to do."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from spark_support import QUIET, rows
from test_run import one_machine

import ilk_spark
from ilk.base.errors import ColumnTypeError, NothingRead, StoreDamaged

pytestmark = [QUIET, pytest.mark.long]

LONG = " ".join(f"w{at}" for at in range(120))
#: A string of 12 MB, and one of 10 MB that repeats a word.
HUGE, SAME = " ".join(f"x{at}" for at in range(1_500_000)), "word " * (2 << 20)

#: A driver that adds two batches, the second one twice, and is killed somewhere.
_KILLED = """
import os, signal, sys, threading, time
from pyspark.sql import SparkSession
import ilk_spark
source, table, killed = sys.argv[1:]
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.read.parquet(source).repartition(4)
half = frame.where("day = 0"), frame.where("day != 0")
incremental = ilk_spark.Incremental(table)
batch = table + "/evidence/batch=1"
reached = {
    "shared": lambda: os.path.exists(table + "/shared"),
    "new batch": lambda: os.path.exists(batch),
    "known batch": lambda: whole and not os.path.exists(batch + "/_SUCCESS"),
}[killed]
whole = False
def kill():
    while not reached():
        time.sleep(0.0001)
    os.kill(os.getpid(), signal.SIGKILL)
threading.Thread(target=kill, daemon=True).start()
incremental.add(half[0], 0)
incremental.add(half[1], 1)
whole = True
incremental.add(half[1], 1)
"""

#: A driver that adds two batches, while someone kills the processes in which tasks run Python.
_TASKS_KILLED = """
import os, signal, sys, threading, time
from pathlib import Path
from pyspark.sql import SparkSession
import ilk_spark
source, table = sys.argv[1:]
builder = SparkSession.builder.master("local[2,100]")
spark = builder.config("spark.ui.enabled", "false").getOrCreate()
def below(pid):
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, tasks.read_text().split()):
            yield child
            yield from below(child)
def is_worker(pid):
    return b"pyspark" in Path(f"/proc/{pid}/cmdline").read_bytes() and not list(below(pid))
killed, last = set(), 6
def kill():
    while len(killed) < last:
        try:
            for pid in [one for one in below(os.getpid()) if is_worker(one)][:1]:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
        except OSError:
            pass
        time.sleep(0.5)
threading.Thread(target=kill, daemon=True).start()
frame = spark.read.parquet(source).repartition(4)
incremental = ilk_spark.Incremental(table)
incremental.add(frame.where("day = 0"), 0)
incremental.add(frame.where("day != 0"), 1)
print(len(killed))
"""


def _kept(result: Any) -> list[Any]:
    return sorted(result.kept_rows.toArrow()["id"].to_pylist(), key=str)


@pytest.mark.parametrize(
    ("schema", "given", "kept", "apart"),
    [
        ("id string, text string", [], [], 0),
        ("id string, text string", [(None, None), ("a", None)], None, 1),
        ("id string, text string", [("a", LONG), ("a", f"{LONG} x"), ("b", LONG)], None, 2),
        ("id string, text string", [("a\0", f"x\0y {LONG}"), ("b", f"x\0y {LONG}")], ["a\0"], 0),
        ("id double, text string", [(0.0, LONG), (-0.0, LONG), (float("nan"), LONG)], None, 2),
        ("id binary, text string", [(b"\xff", LONG), (b"", LONG)], [b""], 0),
        ("id string, text string", [("a", HUGE), ("b", f"{HUGE} y"), ("c", LONG)], ["a", "c"], 0),
        ("id string, text string", [("a", SAME), ("b", SAME), ("c", LONG)], ["a", "c"], 0),
    ],
)
def test_odd_frames(spark: Any, schema: str, given: Any, kept: Any, apart: int) -> None:
    result = ilk_spark.deduplicate(spark.createDataFrame(given, schema))
    assert len(result.rejected.collect()) == apart
    # Rows without an id of their own are kept, and not compared. Text, since NaN equals nothing.
    expected = [one for one, _ in given] if kept is None else kept
    assert sorted(map(str, _kept(result))) == sorted(map(str, expected))


@pytest.mark.parametrize("texts", [[], [None, " "]], ids=["no row", "no text"])
def test_a_reference_of_which_nothing_was_read_is_refused(
    spark: Any, texts: list[str | None]
) -> None:
    frame = spark.createDataFrame([(1, LONG)], "id long, text string")
    rows = [(10 + number, text) for number, text in enumerate(texts)]
    against = spark.createDataFrame(rows, "id long, text string")
    with pytest.raises(NothingRead, match=f"no row of the reference .*, of {len(texts)} that"):
        ilk_spark.deduplicate(frame, against=against)


def test_frames_of_other_types_are_refused(spark: Any, tmp_path: Path) -> None:
    frames = {
        kind: spark.createDataFrame([(value, LONG)], f"id {kind}, text string")
        for kind, value in {"string": "7", "long": 8, "int": 9}.items()
    }
    with pytest.raises(ColumnTypeError, match="id holds bigint in one frame, and string"):
        ilk_spark.deduplicate(frames["string"], against=frames["long"])
    with pytest.raises(ColumnTypeError, match="there is no column text"):
        ilk_spark.deduplicate(frames["long"], against=frames["long"].drop("text"))
    incremental = ilk_spark.Incremental(str(tmp_path / "seen"))
    assert _kept(incremental.add(frames["long"], 0)) == [8]
    for other in ("string", "int"):
        with pytest.raises(ColumnTypeError, match=r"but bigint in the table .*; cast it"):
            incremental.add(frames[other], 1)
    # More columns, in another order, change nothing.
    more = spark.createDataFrame([(LONG, 1, 10)], "text string, other int, id long")
    assert _kept(incremental.add(more, 1)) == []


def test_a_batch_that_was_cut_is_named_until_it_comes_again(spark: Any, tmp_path: Path) -> None:
    """Half of a batch on disk would keep rows that are duplicates of the other half."""
    given = [(f"d{at}", f"{LONG} {at} " * (1 + at % 2)) for at in range(8)]
    frame = spark.createDataFrame(given, "id string, text string").repartition(4)
    incremental = ilk_spark.Incremental(str(tmp_path / "seen"))
    first = _kept(incremental.add(frame, 0))
    (tmp_path / "seen/evidence/batch=0/_SUCCESS").unlink()
    next((tmp_path / "seen/evidence/batch=0").glob("*.parquet")).unlink()
    with pytest.raises(StoreDamaged, match="a part of batch=0"):
        incremental.add(frame, 1)
    assert _kept(incremental.add(frame, 0)) == first
    copy = spark.createDataFrame([("copy", given[0][1])], "id string, text string")
    assert _kept(incremental.add(copy, 1)) == []


def _run(program: str, *words: object) -> subprocess.CompletedProcess[str]:
    started = [sys.executable, "-c", program, *map(str, words)]
    return subprocess.run(started, capture_output=True, text=True, timeout=1_800, check=False)


def _halves(spark: Any, source: Path) -> tuple[list[Any], list[list[str]]]:
    """Return two batches, and what one machine keeps of each."""
    frame = spark.read.parquet(str(source))
    halves = [frame.where("day = 0"), frame.where("day != 0")]
    parts = [half.toArrow() for half in halves]
    before = one_machine(parts[0]).kept
    against = parts[0].filter(pa.array([one in set(before) for one in parts[0]["id"].to_pylist()]))
    return halves, [before, one_machine(parts[1], against=against).kept]


def _in_table(spark: Any, table: Path) -> list[str]:
    return sorted(row["id"] for row in spark.read.parquet(f"{table}/evidence").collect())


@pytest.mark.parametrize("killed", ["shared", "new batch", "known batch"])
def test_a_killed_driver_loses_nothing(spark: Any, tmp_path: Path, killed: str) -> None:
    source, table = tmp_path / "rows.parquet", tmp_path / "seen"
    pq.write_table(rows(300, 5), source)
    done = _run(_KILLED, source, table, killed)
    assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]
    halves, kept = _halves(spark, source)
    incremental = ilk_spark.Incremental(str(table))
    if killed != "shared" and not (table / "evidence/batch=1/_SUCCESS").exists():
        with pytest.raises(StoreDamaged, match="batch=1"):
            incremental.add(halves[0].limit(1), 2)
    if killed == "shared":
        assert _kept(incremental.add(halves[0], 0)) == kept[0]
    assert _kept(incremental.add(halves[1], 1)) == kept[1]
    assert _in_table(spark, table) == sorted(kept[0] + kept[1])


def test_killed_tasks_lose_nothing(spark: Any, tmp_path: Path) -> None:
    source, table = tmp_path / "rows.parquet", tmp_path / "seen"
    pq.write_table(rows(300, 5), source)
    done = _run(_TASKS_KILLED, source, table)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 1
    halves, kept = _halves(spark, source)
    assert _in_table(spark, table) == sorted(kept[0] + kept[1])
    # What comes again finds all of it.
    assert _kept(ilk_spark.Incremental(str(table)).add(halves[1], 1)) == kept[1]
