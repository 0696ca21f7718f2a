"""Every passage of 50 words of the corpus: CPU against `wc -w`, peak memory, growth, hostile texts.

``python -m benchmarks.passages --reference PATH`` measures instead, on the distinct texts, ilk and
the program of Lee et al. 2021 (https://github.com/google-research/deduplicate-text-datasets), which
is not part of the project: PATH is its binary, `dedup_dataset`. It finds bytes, here 300 of them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.parquet as pq

import ilk
from benchmarks import corpus, rows, timing
from benchmarks.kept import RESULTS, keep
from benchmarks.rows import Row
from ilk import _kernels, arrow
from ilk.base.run_options import ALONE, Running
from ilk.read import PLAINLY, Collection, ReadReport
from ilk.search.passage_parts import CollectedWords, PassageRule

_LEAST = 50

#: Bytes that the reference takes for a passage.
_BYTES = 300

#: Bytes that the process may hold.
_BOUNDS = (200_000_000, 150_000_000)

#: Shares of the distinct texts: the time shall grow as they do.
_SHARES = (4, 2, 1)


def run() -> list[Row]:
    """Rows of the corpus, of hostile texts, and of memory."""
    distinct, whole = corpus.distinct(), corpus.load()
    found = []
    for texts in (distinct, whole):
        found += _measured(texts, "covered", _covered, "<= 1.0")
    found += _measured(whole, "table with bytes", _table, "<= 1.5")
    found += _growth(distinct)
    found += _hostile(distinct)
    return found + _memory() + _bounded(distinct)


def _covered(column: pa.ChunkedArray) -> int:
    """From a column of texts to the words that an earlier place has."""
    collected = CollectedWords(PassageRule(_LEAST), ALONE)
    collected.add_words_of(column)
    return len(collected.find_repeated_and_release_words().list_repeated_words_to_cut())


def _table(column: pa.ChunkedArray) -> int:
    return len(ilk.passages(column, words=_LEAST, jobs=1).table)


def _measured(
    texts: corpus.Corpus, what: str, task: Callable[[pa.ChunkedArray], int], target: str
) -> list[Row]:
    """CPU seconds of a task beside `wc -w` of the same text."""
    column = arrow.import_texts(texts.texts)
    with tempfile.TemporaryDirectory() as folder:
        flat = Path(folder, "texts")
        corpus.write_flat(texts.texts, flat)
        seconds = timing.medians(
            {
                "wc": lambda: timing.command(["wc", "-w", flat]).cpu,
                "task": lambda: timing.cpu(partial(task, column)),
            }
        )
    title = f"passages: {what}, {texts.name}, {texts.megabytes:.0f} MB"
    ratio = seconds["task"] / seconds["wc"]
    return [Row(title, seconds["task"], "CPU-s", ratio, "`wc -w`", target)]


def _growth(texts: corpus.Corpus) -> list[Row]:
    """CPU seconds a megabyte, of ever more of the texts."""
    found = []
    for part in _SHARES:
        some = corpus.Corpus(texts.name, texts.texts.slice(0, len(texts.texts) // part))
        column = arrow.import_texts(some.texts)
        cost = timing.medians({"task": partial(timing.cpu, partial(_covered, column))})["task"]
        title = f"passages: covered, {some.megabytes:.0f} MB of {texts.name}"
        found.append(Row(title, 1000 * cost / some.megabytes, "CPU-ms/MB"))
    return found


def _hostile(texts: corpus.Corpus) -> list[Row]:
    """CPU nanoseconds a word, against those of the corpus."""
    template = " ".join(f"word{n}" for n in range(200))
    line = " ".join(f"line{n}" for n in range(60))
    cases = {
        "one word 10^7 times": (["a " * 10**7], 1),
        "10^5 documents of one template": ([template] * 1_000, 100),
        "10^6 equal lines": ([line] * 10_000, 100),
    }

    def each(column: pa.ChunkedArray) -> float:
        collection = _kernels.Collection(1)
        for piece in arrow.kernel_chunks(column):
            collection.add(piece)
        words = collection.nbytes / 8
        return 1e9 * timing.cpu(partial(_covered, column)) / words

    made = {
        name: pa.chunked_array([pa.array(some, pa.large_string())] * times)
        for name, (some, times) in cases.items()
    }
    usual = arrow.import_texts(texts.texts)
    cost = timing.medians(
        {name: partial(each, column) for name, column in {"": usual, **made}.items()}
    )
    return [
        Row(
            f"passages: {name}",
            cost[name],
            "CPU-ns/word",
            cost[name] / cost[""],
            "the corpus",
            "<= 3",
        )
        for name in cases
    ]


def _memory() -> list[Row]:
    """Peak memory of a process that reads the corpus batch by batch."""
    found = []
    for what, which, target in (
        ("covered", "distinct", "<= 350"),
        ("covered", "all", ""),
        ("table", "all", "<= 500"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "texts.parquet")
            texts = corpus.distinct() if which == "distinct" else corpus.load()
            pq.write_table(pa.table({"text": texts.texts}), path, row_group_size=2_000)
            words: list[str | Path] = [sys.executable, "-m", "benchmarks.passages", "--child"]
            cost = timing.command([*words, what, path])
        title = f"passages: {what}, {which} texts of Parquet, peak memory"
        found.append(Row(title, cost.peak / 1e6, "MB", target=target))
    return found


def _bounded(texts: corpus.Corpus) -> list[Row]:
    """The same search in ever less memory: CPU against that without a bound, and peak memory."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "texts.parquet")
        pq.write_table(pa.table({"text": texts.texts}), path, row_group_size=2_000)
        words: list[str | Path] = [sys.executable, "-m", "benchmarks.passages", "--child"]
        costs: dict[int, list[timing.Cost]] = {}
        for _ in range(timing.ROUNDS):
            for bound in (0, *_BOUNDS):
                cost = timing.command([*words, "covered", path, "--memory", str(bound)])
                costs.setdefault(bound, []).append(cost)
    whole = median(cost.cpu for cost in costs[0])
    for bound in _BOUNDS:
        title = f"passages: covered, {texts.megabytes:.0f} MB in {bound // 10**6} MB of memory"
        cpu = median(cost.cpu for cost in costs[bound])
        peak = max(cost.peak for cost in costs[bound])
        found.append(Row(title, cpu, "CPU-s", cpu / whole, "without a bound", "<= 1.15"))
        found.append(Row(f"{title}, peak", peak / 1e6, "MB"))
    return found


def _child(what: str, path: str, memory: int) -> None:
    """One search of a file, in a process of its own."""
    if what == "table":
        ilk.passages(Path(path), words=_LEAST, jobs=1)
        return
    collected = CollectedWords(PassageRule(_LEAST), Running(1, memory))
    for batch in Collection.of(Path(path), PLAINLY, ALONE, ReadReport()).batches():
        collected.add_words_of(arrow.import_texts(batch.column("text")))
    collected.find_repeated_and_release_words().list_repeated_words_to_cut()


def reference(binary: str) -> list[Row]:
    """The reference beside ilk on the distinct texts: CPU and peak memory of both."""
    texts = corpus.distinct()
    with tempfile.TemporaryDirectory() as folder:
        flat, cache, path = (Path(folder, name) for name in ("texts", "cache", "texts.parquet"))
        cache.mkdir()
        corpus.write_flat(texts.texts, flat)
        pq.write_table(pa.table({"text": texts.texts}), path, row_group_size=2_000)
        words: list[str | Path] = [sys.executable, "-m", "benchmarks.passages", "--child"]
        own = [timing.command([*words, "covered", path]) for _ in range(timing.ROUNDS)]
        sort = timing.command([binary, "make", "--data-file", flat])
        size = sum(path.stat().st_size for path in Path(folder).glob("texts.table*"))
        common = ["--data-file", str(flat), "--cache-dir", str(cache), "--num-threads", "1"]
        search = timing.command(
            [binary, "self-similar", "--length-threshold", str(_BYTES), *common]
        )
    cpu = median(cost.cpu for cost in own)
    title = f"passages: reference, {texts.name}, {_BYTES} bytes"
    ours = f"passages: covered, {texts.name} of Parquet, a process of its own"
    both = sort.cpu + search.cpu
    return [
        Row(title, both, "CPU-s", both / cpu, "ilk, 50 words", ">= 100"),
        Row(f"{title}, the sorting alone", sort.cpu, "CPU-s"),
        Row(f"{title}, its table", size / 1e6, "MB"),
        Row(f"{title}, peak memory", max(sort.peak, search.peak) / 1e6, "MB"),
        Row(ours, cpu, "CPU-s"),
        Row(f"{ours}, peak memory", max(cost.peak for cost in own) / 1e6, "MB"),
    ]


def main() -> None:
    """Measure the reference, or do what a child process is for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.passages")
    parser.add_argument("--reference", metavar="PATH", help="the binary of the reference")
    parser.add_argument("--save", action="store_true", help=f"keep them in {RESULTS.name}/")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--memory", type=int, default=0, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        what, path = args.child
        _child(what, path, args.memory)
        return
    found = run() if args.reference is None else reference(args.reference)
    print("\n".join(rows.lines(found)))
    if args.save:
        print(f"kept in {keep(found)}", file=sys.stderr)


if __name__ == "__main__":
    main()
