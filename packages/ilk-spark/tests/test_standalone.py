"""A standalone master with workers on loopback: what the how-to says, and workers that die."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from spark_support import QUIET, rows
from test_run import Said, one_machine
from tests.support.demands import package

import ilk

pyspark = package("pyspark")
pytestmark = [QUIET, pytest.mark.long]

#: Waiting longer than this, in seconds, for a state is a failure.
_PATIENCE = 1_500

_HOME = Path(str(pyspark.__file__)).parent

#: As in the how-to.
_SCRIPT = "import sys; from ilk.cli.main import main; sys.exit(main())\n"

#: Between its steps it says how far it is, and waits until it may go on.
_IN_STEPS = """
import os, sys, time
from pyspark.sql import SparkSession
import ilk_spark
from ilk_spark import flow
source, out = sys.argv[1:]
def reached(step):
    open(f"{out}/{step}.tmp", "w").close()
    os.rename(f"{out}/{step}.tmp", f"{out}/{step}")
    while not os.path.exists(f"{out}/{step}.go"):
        time.sleep(0.05)
whole = flow.ReadRows.find_components
def connected(read, *given):
    reached("read")
    found = whole(read, *given)
    reached("connected")
    return found
flow.ReadRows.find_components = connected
spark = SparkSession.builder.getOrCreate()
result = ilk_spark.deduplicate(spark.read.parquet(source), partitions=6)
result.clusters.coalesce(1).write.parquet(out + "/clusters")
result.kept_rows.select("id").coalesce(1).write.parquet(out + "/kept")
spark.stop()
"""


#: Which ilk the executors run.
_WHERE = """
import sys
import pyarrow as pa
from pyspark.sql import SparkSession
def where(batches):
    import ilk
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"place": [ilk.__file__] * len(batch)})
spark = SparkSession.builder.getOrCreate()
rows = spark.range(2, numPartitions=2).mapInArrow(where, "place string")
rows.write.parquet(sys.argv[1])
"""


class Cluster:
    """A master, and workers of one processor each."""

    def __init__(self, folder: Path) -> None:
        """Start a master."""
        self.folder, self.running = folder, list[subprocess.Popen[bytes]]()
        self.environment = os.environ | {
            "SPARK_HOME": str(_HOME),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(folder / "work"),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONWARNINGS": "ignore",
        }
        port, self.shown = _free(2)
        self.name = f"spark://127.0.0.1:{port}"
        of = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(self.shown)]
        self._start("master.Master", *of)

    def _start(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        program = [str(_HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *words]
        self.running.append(subprocess.Popen(program, env=self.environment))
        return self.running[-1]

    def worker(self) -> tuple[str, subprocess.Popen[bytes]]:
        """Start a worker, and return its name when the master knows it."""
        (port,) = _free(1)
        of = ["--cores", "1", "--memory", "1g", "--host", "127.0.0.1", "--port", str(port)]
        started = self._start("worker.Worker", *of, "--webui-port", "0", self.name)
        until(lambda: any(one["port"] == port for one in self.alive()))
        return next(one["id"] for one in self.alive() if one["port"] == port), started

    def state(self) -> Any:
        """What the master says of itself."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.shown}/json/", timeout=30) as page:
                return json.load(page)
        except OSError:
            return {"workers": []}

    def alive(self) -> list[dict[str, Any]]:
        """The workers that are there."""
        return [one for one in self.state()["workers"] if one["state"] == "ALIVE"]

    def lost(self, worker: tuple[str, subprocess.Popen[bytes]]) -> None:
        """Kill a worker and what runs in it, and wait until it is gone."""
        name, process = worker
        for pid in [*_below(process.pid), process.pid]:
            os.kill(pid, signal.SIGKILL)
        process.wait()
        until(lambda: all(one["id"] != name for one in self.alive()))

    def busy(self, worker: tuple[str, subprocess.Popen[bytes]]) -> None:
        """Wait until an executor runs in a worker."""
        until(lambda: any(one["id"] == worker[0] and one["coresused"] for one in self.alive()))

    def submit(self, *words: str | Path) -> subprocess.Popen[bytes]:
        """Start ``spark-submit`` with the settings of the how-to."""
        program: list[str | Path] = [_HOME / "bin" / "spark-submit", "--master", self.name]
        program += ["--executor-memory", "700m", "--driver-memory", "700m"]
        for setting in (
            "spark.ui.enabled=false",
            "spark.log.level=ERROR",
            "spark.sql.files.maxPartitionBytes=1m",
            "spark.sql.execution.arrow.maxRecordsPerBatch=50",
            "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1",
            "spark.executor.extraJavaOptions=-XX:TieredStopAtLevel=1",
        ):
            program += ["--conf", setting]
        self.running.append(subprocess.Popen([*program, *words], env=self.environment))
        return self.running[-1]

    def stop(self) -> None:
        """End all that was started."""
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            process.wait(60)


@pytest.fixture
def cluster(java: None, tmp_path: Path) -> Iterator[Cluster]:
    """A cluster without workers."""
    del java
    started = Cluster(tmp_path)
    yield started
    started.stop()


def until(there: Callable[[], bool]) -> None:
    """Wait for a state."""
    for _ in range(_PATIENCE * 10):
        if there():
            return
        time.sleep(0.1)
    pytest.fail("the state was not reached")


def test_workers_that_are_killed_change_nothing(cluster: Cluster, tmp_path: Path) -> None:
    """Each takes with it what it held of the evidence, and its files of the shuffle."""
    table = rows(600, 8)
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=50)
    script = tmp_path / "steps.py"
    script.write_text(_IN_STEPS)
    first, second = cluster.worker(), cluster.worker()
    running = cluster.submit(script, tmp_path / "in.parquet", tmp_path)
    for step, worker in (("read", first), ("connected", second)):
        there = tmp_path / step
        until(lambda there=there: there.exists() or running.poll() is not None)  # type: ignore[misc]
        assert running.poll() is None
        cluster.busy(worker)
        third = cluster.worker()
        cluster.busy(third)
        cluster.lost(worker)
        (tmp_path / f"{step}.go").touch()
    assert running.wait(_PATIENCE) == 0
    found = pq.read_table(tmp_path / "clusters").to_pylist()
    kept = pq.read_table(tmp_path / "kept")["id"].to_pylist()
    said, expected = Said([row | {"held": False} for row in found], kept), one_machine(table)
    assert said.rows == expected.rows
    assert said.families == expected.families
    assert said.kept == expected.kept


def test_the_steps_of_the_how_to(cluster: Cluster, tmp_path: Path) -> None:
    """Executors take ilk from an archive that is sent to them."""
    table = rows(300, 13)
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=100)
    script, packed, out = tmp_path / "dedup.py", tmp_path / "ilk.tar.gz", tmp_path / "out.parquet"
    script.write_text(_SCRIPT)

    def own(file: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if "__pycache__" in file.name else file

    with tarfile.open(packed, "w:gz", compresslevel=1) as archive:
        archive.add(Path(str(ilk.__file__)).parent, "ilk", filter=own)
    cluster.environment.pop("PYTHONPATH", None)
    cluster.worker()
    cluster.worker()
    cluster.environment["PYTHONPATH"] = str(Path(str(ilk.__file__)).parents[1])
    sent = ["--archives", f"{packed}#packages", "--conf", "spark.executorEnv.PYTHONPATH=packages"]
    words = ["dedup", "--engine", "spark", str(tmp_path / "in.parquet"), "-o", str(out), "--quiet"]
    assert cluster.submit(*sent, script, *words).wait(_PATIENCE) == 0
    assert sorted(pq.read_table(out)["id"].to_pylist()) == one_machine(table).kept
    where = tmp_path / "where.py"
    where.write_text(_WHERE)
    assert cluster.submit(*sent, where, tmp_path / "where").wait(_PATIENCE) == 0
    places = pq.read_table(tmp_path / "where")["place"].to_pylist()
    assert len(places) == 2
    assert all(place.startswith(str(tmp_path / "work")) for place in places)


def _free(count: int) -> list[int]:
    """Ports that nobody listens to."""
    opened = [socket.socket() for _ in range(count)]
    for one in opened:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in opened]
    for one in opened:
        one.close()
    return ports


def _below(root: int) -> list[int]:
    """The processes below one."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            above = int(stat.rpartition(")")[2].split()[1])
            children.setdefault(above, []).append(int(entry.name))
    todo, found = [root], list[int]()
    while todo:
        below = children.get(todo.pop(), [])
        todo += below
        found += below
    return found
