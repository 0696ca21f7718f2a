"""A deduplication on Spark, beside that of one machine and MinHash-LSH of 14 x 8 bands in Spark.

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
from pathlib import Path
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
_WAYS = ("exact", "bands", "lsh")


def run() -> list[Row]:
    """CPU seconds, shuffled bytes a document, the largest task, and recall."""
    found = []
    for count in map(int, _COUNTS.split()):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "texts.parquet"
            pq.write_table(_texts(count), path, row_group_size=max(1000, count // 16))
            alone = _measured("one machine", path)
            for way in _WAYS:
                spark = _measured(way, path)
                name = f"spark: {way}, {count:,} documents"
                found.append(Row(name, spark["cpu"], "CPU-s", spark["cpu"] / alone["cpu"], "ilk"))
                shuffled = spark["shuffled"] / count
                target = "<= 1,800" if way == "exact" else ""
                found.append(Row(f"{name}, shuffle", shuffled, "bytes/doc", target=target))
                found.append(Row(f"{name}, largest Python process", spark["peak"] / 1e6, "MB"))
                dropped = set(alone["dropped"])
                recall = len(dropped.intersection(spark["dropped"])) / len(dropped)
                found.append(Row(f"{name}, recall", 100 * recall, "%"))
                more = len(set(spark["dropped"]) - dropped)
                found.append(Row(f"{name}, dropped beyond", more, "documents"))
    return found


def _texts(count: int) -> pa.Table:
    """Texts of some 450 bytes; a quarter of them are others with some words changed."""
    own = corpus.short_texts(corpus.distinct().texts)
    pieces: list[pa.Array] = []
    originals, turn = count - count // 4, 0
    while len(own) * turn < originals:
        # Half of the words changed: strangers to those before.
        pieces.append(corpus.reworded(own, 0.5, turn) if turn else own)
        turn += 1
    first = pa.concat_arrays(pieces)[:originals]
    copies = corpus.reworded(first[: count // 4], 0.02, turn + 1)
    texts = pa.concat_arrays([first, copies])
    order = np.random.default_rng(count).permutation(count)
    ids = pa.array(np.arange(count))
    return pa.table({"id": ids, "text": texts.take(pa.array(order))})


def _measured(way: str, path: Path) -> dict[str, Any]:
    """Run a way in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.spark", way, str(path)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=corpus.ROOT)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _main(way: str, path: str) -> None:
    """Deduplicate, and print what it took."""
    if way == "one machine":
        result = ilk.deduplicate(path)
        said = {"dropped": result.dropped["id"].to_pylist(), "shuffled": 0}
        said["dropped"] = [int(one) for one in said["dropped"]]
    else:
        said = _on_spark(way, path)
    cpu, peak = _used()
    print(json.dumps(said | {"cpu": cpu, "peak": peak}))


def _on_spark(way: str, path: str) -> dict[str, Any]:
    from pyspark.sql import SparkSession

    import ilk.spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    frame = session.read.parquet(path)
    if way == "lsh":
        ids = _lsh(frame)
    else:
        found = ilk.spark.deduplicate(frame, pairing=way)
        ids = [row["id"] for row in found.dropped.select("id").collect()]
        found.kept.select("id").write.format("noop").mode("overwrite").save()
    executor = session.sparkContext._jsc.sc().statusStore().executorList(True).apply(0)
    return {"dropped": ids, "shuffled": executor.totalShuffleWrite()}


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
    roots = _kernels.connected(pa.array(np.arange(len(docs))), *ends)
    least = pa.table({"root": roots, "doc": docs}).group_by("root").aggregate([("doc", "min")])
    return [int(one) for one in set(docs.to_pylist()) - set(least["doc_min"].to_pylist())]


def _bands(batches: Any) -> Any:
    """Yield the hash of each of 14 bands of 8 least images."""
    from ilk import columns
    from ilk.features import shingles

    random = np.random.default_rng(1)
    odd = random.integers(1, 2**63, (112, 1), np.uint64) * np.uint64(2) + np.uint64(1)
    mixed = random.integers(1, 2**63, (14, 8), np.uint64)
    for batch in batches:
        sets = shingles.sets(columns.texts(batch["text"]), "words", 3, jobs=1)
        ends = sets.offsets.to_numpy()
        ids = sets.values.to_numpy().astype(np.uint64) + np.uint64(1)
        for row, doc in enumerate(batch["doc"].to_pylist()):
            own = ids[ends[row] : ends[row + 1]]
            if len(own):
                images = (own * odd) ^ ((own * odd) >> np.uint64(29))
                least = images.min(axis=1).reshape(14, 8)
                keys = (least * (mixed | np.uint64(1))).sum(axis=1) + np.arange(14, dtype=np.uint64)
                docs = pa.array([doc] * 14, pa.int64())
                yield pa.RecordBatch.from_arrays(
                    [pa.array(keys.view(np.int64)), docs], names=["band", "doc"]
                )


def _used() -> tuple[float, int]:
    """Return CPU seconds of this process and all below it, and the most memory of one Python."""
    ticks, parents, used, peak = os.sysconf("SC_CLK_TCK"), {}, 0, 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    for pid, (_, own) in parents.items():
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above][0]
        if above == os.getpid():
            used += own
            status = Path(f"/proc/{pid}/status").read_text()
            held = {line.partition(":")[0]: line.split()[1:2] for line in status.splitlines()}
            if "python" in held["Name"][0]:
                peak = max(peak, int(held["VmHWM"][0]) * 1024)
    return used / ticks, peak


if __name__ == "__main__":
    _main(*sys.argv[1:])
