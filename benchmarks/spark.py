"""A deduplication on Spark, against that of one machine and MinHash-LSH of 14 x 8 bands in Spark.

CPU seconds are those of the JVM and of Python together, with their start. Recall is the share of
the rows that one machine drops as near-duplicates. LSH is made of the same shingles, by NumPy; what
shares a band is connected, as usual, and nothing is verified.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import ilk
from benchmarks import corpus
from benchmarks.rows import Row

#: How many documents there are; ``ILK_SPARK_DOCUMENTS`` names others.
_COUNTS = os.environ.get("ILK_SPARK_DOCUMENTS", "10000 100000")

#: The ways, and what of them is asked for.
_WAYS = os.environ.get("ILK_SPARK_WAYS", "exact bands lsh").split()

#: The memory of the driver, which is the whole of Spark here: 10^7 documents need more than 3 GB.
_MEMORY = os.environ.get("ILK_SPARK_MEMORY", "3g")

#: Texts that are reworded at once.
_REWORDED = 250_000

#: Documents that the largest number above stands beside, where skew is measured.
_BOILERPLATES, _EQUAL = 100_000, 1_000_000

#: Classes of Spark that Java has loaded once and maps since: half of the time of its start. They
#: are kept in the file that ``ILK_SPARK_CLASSES`` names, or made anew.
_CLASSES = "-XX:SharedArchiveFile="


def run() -> Iterator[Row]:
    """Yield CPU seconds, shuffled bytes a document, the largest processes, and recall."""
    with tempfile.TemporaryDirectory() as folder:
        before = dict[str, tuple[int, float]]()
        classes = Path(os.environ.get("ILK_SPARK_CLASSES", Path(folder) / "spark.jsa"))
        if not classes.exists():
            first = _write(_texts(2_000), Path(folder))
            _measured("exact", first, f"-XX:ArchiveClassesAtExit={classes}")
        for name, path, rows in _data(Path(folder)):
            alone = _measured("one machine", path, "")
            yield Row(f"spark: one machine, {name}", alone["cpu"], "CPU-s")
            yield Row(f"spark: one machine, {name}, peak", alone["peak"] / 1e6, "MB")
            for way in _WAYS:
                yield from _compared(name, way, rows, alone, _measured(way, path, classes), before)
        if "skew" in os.environ.get("ILK_SPARK_WITH", ""):
            yield from _skewed(Path(folder), classes, before["exact"])


def _data(folder: Path) -> Iterator[tuple[str, Path, int]]:
    """Yield what is deduplicated: its name, the file, and how many rows there are."""
    if "corpus" in os.environ.get("ILK_SPARK_WITH", ""):
        texts = corpus.load()
        ids = pa.array(np.arange(len(texts.texts)))
        table = pa.table({"id": ids, "text": texts.texts})
        yield texts.name, _write(table, folder), len(table)
    for count in map(int, _COUNTS.split()):
        yield f"{count:,} documents", _write(_texts(count), folder), count


def _write(table: pa.Table, folder: Path) -> Path:
    path = folder / "texts.parquet"
    pq.write_table(table, path, row_group_size=max(1000, len(table) // 16))
    return path


def _compared(
    name: str,
    way: str,
    rows: int,
    alone: dict[str, Any],
    spark: dict[str, Any],
    before: dict[str, tuple[int, float]],
) -> list[Row]:
    """Say what a way took, against one machine and beside fewer rows (``before``)."""
    label = f"spark: {way}, {name}"
    found = [Row(label, spark["cpu"], "CPU-s", spark["cpu"] / alone["cpu"], "ilk")]
    target = "<= 1,800" if way == "exact" else ""
    found.append(Row(f"{label}, shuffle", spark["shuffled"] / rows, "bytes/doc", target=target))
    found.append(Row(f"{label}, largest Python process", spark["peak"] / 1e6, "MB"))
    found.append(Row(f"{label}, Java process", spark["java"] / 1e6, "MB"))
    dropped = set(alone["dropped"])
    recall = len(dropped.intersection(spark["dropped"])) / len(dropped)
    found.append(Row(f"{label}, recall", 100 * recall, "%"))
    more = len(set(spark["dropped"]) - dropped)
    found.append(Row(f"{label}, dropped beyond", more, "documents"))
    if way == "exact":
        other = sum(
            spark["clusters"].get(row) != keeper for row, keeper in alone["clusters"].items()
        )
        other += len(spark["clusters"].keys() - alone["clusters"].keys())
        found.append(Row(f"{label}, rows with another keeper", other, "documents", target="0"))
    if way in before and before[way][0] < rows:
        fewer, took = before[way]
        each = 1e6 * (spark["cpu"] - took) / (rows - fewer)
        found.append(Row(f"{label}, each beyond {fewer:,}", each, "CPU-us/doc"))
    before[way] = (rows, spark["cpu"])
    return found


def _skewed(folder: Path, classes: Path, plain: tuple[int, float]) -> Iterator[Row]:
    """Say what alike rows take, against the same number of the earlier rows, start excluded."""
    rows, took = plain
    base = _texts(rows)
    words = " ".join(f"w{at}" for at in range(80))
    start = _measured("exact", _write(base.slice(0, 1000), folder), classes)["cpu"]
    yield Row("spark: exact, 1,000 documents, which is the start", start, "CPU-s")
    for name, texts in (
        (
            f"{_BOILERPLATES:,} pages of one boilerplate",
            [f"{words} {n}" for n in range(_BOILERPLATES)],
        ),
        (f"{_EQUAL:,} equal texts", [words] * _EQUAL),
    ):
        ids = pa.array(np.arange(rows, rows + len(texts)))
        more = pa.table({"id": ids, "text": pa.array(texts, base["text"].type)})
        spark = _measured("exact", _write(pa.concat_tables([base, more]), folder), classes)
        share = (took - start) / rows * len(texts)
        label = f"spark: exact, {rows:,} documents and {name}"
        taken = spark["cpu"] - took
        yield Row(label, taken, "CPU-s more", taken / share, "as many of the others", "< 2")
        peak = spark["peak"] / 1e6
        yield Row(f"{label}, largest Python process", peak, "MB", target="<= 1,500")
        yield Row(f"{label}, Java process", spark["java"] / 1e6, "MB")


def _texts(count: int) -> pa.Table:
    """Texts of some 450 bytes; a quarter of them are others with some words changed."""
    own = corpus.short_texts(corpus.distinct().texts)
    pieces: list[pa.Array] = []
    copy_count = count // 4
    originals, turn = count - copy_count, 0
    while len(own) * turn < originals:
        # Half of the words changed: strangers to those before.
        pieces.append(corpus.reworded(own, 0.5, turn) if turn else own)
        turn += 1
    first = pa.concat_arrays(pieces)[:originals]
    # Rewording takes some 20 bytes of memory per byte of the buffer, even of one that a slice
    # shares: each slice is copied first.
    copies = [
        corpus.reworded(
            pa.concat_arrays([first[at : min(at + _REWORDED, copy_count)]]), 0.02, turn + 1 + at
        )
        for at in range(0, copy_count, _REWORDED)
    ]
    texts = pa.concat_arrays([first, *copies])
    order = np.random.default_rng(count).permutation(count)
    ids = pa.array(np.arange(count))
    return pa.table({"id": ids, "text": texts.take(pa.array(order))})


def _measured(way: str, path: Path, classes: Path | str) -> dict[str, Any]:
    """Run a way in a process of its own."""
    java = f"{_CLASSES}{classes}" if isinstance(classes, Path) else classes
    words = [sys.executable, "-m", "benchmarks.spark", way, str(path), java]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=corpus.ROOT)
    # Java speaks on the same stream when it keeps classes, before the answer and after it.
    said = [line for line in done.stdout.splitlines() if line.startswith(b"{")]
    return dict(json.loads(said[-1]))


def _main(way: str, path: str, java: str) -> None:
    """Deduplicate, and print what it took."""
    if way == "one machine":
        used = _Used()
        result = ilk.deduplicate(path)
        cost = used()
        ids, keepers = (result.clusters[name].to_pylist() for name in ("id", "keeper_id"))
        dropped = list(map(int, result.dropped_rows["id"].to_pylist()))
        said: dict[str, Any] = cost | {"dropped": dropped, "shuffled": 0}
        said["clusters"] = dict(zip(map(str, ids), map(str, keepers), strict=True))
    else:
        said = _on_spark(way, path, java)
    print(json.dumps(said))


def _on_spark(way: str, path: str, java: str) -> dict[str, Any]:
    from pyspark.sql import SparkSession

    import ilk_spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    used = _Used()
    builder = SparkSession.builder.master("local[2]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": _MEMORY,
        "spark.driver.extraJavaOptions": f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC {java}",
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    frame = session.read.parquet(path)
    clusters: dict[str, str] = {}
    if way == "lsh":
        ids = _lsh(frame)
    else:
        found = ilk_spark.deduplicate(frame, pairing=way)
        ids = found.dropped_rows.select("id").toArrow()["id"].to_pylist()
        found.kept_rows.select("id").write.format("noop").mode("overwrite").save()
    cost = used()
    if way != "lsh":
        rows = found.clusters.select("id", "keeper").toArrow()
        both = (map(str, rows[name].to_pylist()) for name in ("id", "keeper"))
        clusters = dict(zip(*both, strict=True))
    executor = session.sparkContext._jsc.sc().statusStore().executorList(True).apply(0)
    return cost | {"dropped": ids, "shuffled": executor.totalShuffleWrite(), "clusters": clusters}


def _lsh(frame: Any) -> list[int]:
    """Return the rows that share a band with one before them, by components."""
    from pyspark.sql import functions as sf

    from ilk import _kernels

    named = frame.select(sf.col("id").alias("doc"), "text")
    bands = named.mapInArrow(_bands, "band long, doc long")
    first = bands.groupBy("band").agg(sf.min("doc").alias("first"))
    edges = bands.join(first, "band").where("doc != first").select("first", "doc").distinct()
    table = edges.toArrow()
    left, right = (table[name].combine_chunks() for name in ("first", "doc"))
    docs = pa.concat_arrays([left, right]).unique()
    ends = (pa.compute.index_in(side, docs).cast(pa.int64()) for side in (left, right))
    roots = _kernels.cluster_connected(pa.array(np.arange(len(docs))), *ends)
    least = pa.table({"root": roots, "doc": docs}).group_by("root").aggregate([("doc", "min")])
    return [int(one) for one in set(docs.to_pylist()) - set(least["doc_min"].to_pylist())]


def _bands(batches: Any) -> Any:
    """Yield the hash of each of 14 bands of 8 least images."""
    from tests.support.shingles import word_shingle_sets

    from ilk import arrow

    random = np.random.default_rng(1)
    odd = random.integers(1, 2**63, (112, 1), np.uint64) * np.uint64(2) + np.uint64(1)
    mixed = random.integers(1, 2**63, (14, 8), np.uint64)
    for batch in batches:
        sets = word_shingle_sets(arrow.import_texts(batch["text"]))
        ends = sets.offsets.to_numpy()
        ids = sets.values.to_numpy().astype(np.uint64) + np.uint64(1)
        some = np.flatnonzero(np.diff(ends))
        keys = np.zeros((14, len(some)), np.uint64) + np.arange(14, dtype=np.uint64)[:, None]
        for band, place in np.ndindex(14, 8):
            images = ids * odd[8 * band + place]
            images ^= images >> np.uint64(29)
            least = np.minimum.reduceat(images, ends[some])
            keys[band] += least * (mixed[band, place] | np.uint64(1))
        docs = np.tile(batch["doc"].to_numpy()[some], 14)
        made = [pa.array(keys.reshape(-1).view(np.int64)), pa.array(docs)]
        yield pa.RecordBatch.from_arrays(made, names=["band", "doc"])


class _Used:
    """CPU seconds of this process and all below it, and the most memory of one of a kind.

    It looks every five seconds: Spark ends a Python process that it has not used for a minute, and
    nobody waits for that one, so that its seconds are in no other's.
    """

    def __init__(self) -> None:
        self._ticks: dict[int, int] = {}
        self._peaks = {"python": 0, "java": 0}
        Thread(target=self._follow, daemon=True).start()

    def __call__(self) -> dict[str, float]:
        self._look()
        used = sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")
        return {"cpu": used, "peak": self._peaks["python"], "java": self._peaks["java"]}

    def _follow(self) -> None:
        while True:
            self._look()
            time.sleep(5)

    def _look(self) -> None:
        parents, used = dict[int, int](), dict[int, int]()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                parents[int(entry.name)] = int(fields[1])
                used[int(entry.name)] = sum(map(int, fields[11:13]))
        for pid, own in used.items():
            above = pid
            while above in parents and above != os.getpid():
                above = parents[above]
            if above == os.getpid():
                self._ticks[pid] = own
                try:
                    status = Path(f"/proc/{pid}/status").read_text()
                except OSError:
                    continue
                held = {line.partition(":")[0]: line.split()[1:2] for line in status.splitlines()}
                for kind in self._peaks:
                    # A process that ends has no memory any more.
                    if kind in held["Name"][0] and "VmHWM" in held:
                        self._peaks[kind] = max(self._peaks[kind], int(held["VmHWM"][0]) * 1024)


if __name__ == "__main__":
    _main(*sys.argv[1:])
