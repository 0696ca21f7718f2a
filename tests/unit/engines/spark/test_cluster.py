"""What only a cluster shows: executors that die, any number of partitions, families of any size."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ilk.spark
from tests.unit.engines.spark.conftest import QUIET, rows
from tests.unit.engines.spark.test_run import Said, on_spark, one_machine

pytestmark = [QUIET, pytest.mark.long]


def same(said: Said, expected: Said) -> None:
    assert said.rows == expected.rows
    assert said.families == expected.families
    assert said.kept == expected.kept


@pytest.mark.parametrize("partitions", [1, 7, 64])
def test_any_number_of_partitions_and_any_order(spark: Any, partitions: int) -> None:
    table = rows(600, 7)
    expected = one_machine(table, keep=["longest"])
    order = list(range(600))
    random.Random(partitions).shuffle(order)
    frame = spark.createDataFrame(table.take(order)).repartition(partitions)
    same(on_spark(frame, partitions=partitions, keep=["longest"])[0], expected)


def test_a_family_of_one_boilerplate_and_copies(spark: Any) -> None:
    """Every page has a number of its own; as many rows have one text, or a short one."""
    words = [f"w{at}" for at in range(120)]
    pages = [" ".join([*words, str(at)]) for at in range(5_000)]
    copies = ["one text that stands here many times " * 9] * 5_000
    short = [f"note {at} of the day" for at in range(2_000)]
    texts = pages + copies + short
    table = pa.table({"id": range(len(texts)), "text": texts})
    ids = pa.array([f"{at:06}" for at in range(len(texts))])
    table = table.set_column(0, "id", ids)
    said, found = on_spark(spark.createDataFrame(table))
    same(said, one_machine(table))
    assert found.alarms
    assert found.report["largest"][0]["documents"] == 5_000


_PROGRAM = """
import sys, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
import ilk.spark
source, out, master = sys.argv[1:]
builder = SparkSession.builder.master(master)
settings = {
    "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1", "spark.executor.memory": "512m",
    "spark.driver.memory": "512m", "spark.sql.shuffle.partitions": "4",
    "spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false",
}
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
print("started", flush=True)
result = ilk.spark.deduplicate(spark.read.parquet(source), partitions=6)
result.clusters.coalesce(1).write.parquet(out + "/clusters")
result.kept.select("id").coalesce(1).write.parquet(out + "/kept")
spark.stop()
"""


def test_executors_that_are_killed_change_nothing(java: None, tmp_path: Path) -> None:
    """Two executors in processes of their own, each killed in turn while they work."""
    del java
    table = rows(1_500, 8)
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=100)
    words = [str(tmp_path / "in.parquet"), str(tmp_path), "local-cluster[2,1,1024]"]
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *words], env=environment, stdout=subprocess.PIPE
    )
    killed: list[int] = []

    def kill() -> None:
        assert process.stdout is not None
        process.stdout.readline()
        for pause in (6, 10):
            time.sleep(pause)
            others = [pid for pid in _executors(process.pid) if pid not in killed]
            if others:
                killed.append(others[0])
                os.kill(others[0], signal.SIGKILL)

    murderer = threading.Thread(target=kill)
    murderer.start()
    assert process.wait(500) == 0
    murderer.join()
    assert len(killed) == 2
    found = pq.read_table(tmp_path / "clusters").to_pylist()
    kept = pq.read_table(tmp_path / "kept")["id"].to_pylist()
    same(Said([row | {"held": False} for row in found], kept), one_machine(table))


def _executors(root: int) -> list[int]:
    """The processes below one that are executors of Spark."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    todo, found = [root], []
    while todo:
        pid = todo.pop()
        todo += parents.get(pid, [])
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command:
            found.append(pid)
    return sorted(found)


def test_bands_find_what_they_promise(spark: Any) -> None:
    table = rows(600, 9)
    expected = one_machine(table)
    said, found = on_spark(spark.createDataFrame(table), pairing="bands", recall=0.9999)
    assert "bands" in found.report["promise"]
    dropped = {row for row, one in expected.rows.items() if one[0] != row[0]}
    missed = dropped - {row for row, one in said.rows.items() if one[0] != row[0]}
    assert len(missed) <= 2
    assert ilk.spark.deduplicate(spark.createDataFrame(table.slice(0, 0))).report["kept"] == 0
