"""What a second processor gives, verb by verb, and what that means for more of them.

Wall time says it only on a quiet machine. So each run begins with a proof: two processes that count
words, started together, beside one of them. Where those take longer, other work has taken part of
the processors, and the speed-ups beside them are too low. What is measured while the host of a
virtual machine takes time from it is measured again.

A virtual machine may give free memory back to its host within seconds, and wait for it again page
by page, for up to five seconds a gigabyte. So memory is taken and freed just before each run.

Two peers are measured in the same way: Daft, which deduplicates the same rows by MinHash, held to
one processor or to two; and DuckDB, which groups them by equal texts, in one thread and in two.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

import ilk
from benchmarks import beyond, corpus, dedup, peers, scan, short, timing
from benchmarks.product import ilk as command
from benchmarks.rows import Row

#: Short texts that are deduplicated, and how many of them, at most, are searched and stored.
_PIECES = int(os.environ.get("ILK_SHORT_PIECES", "1000000"))
_SEARCHED, _STORED = 300_000, 100_000

#: Characters of a larger set of JSON lines, without the salt of its words; 0 leaves it out.
_LARGE = int(os.environ.get("ILK_LARGE_CHARACTERS", "850000000"))

#: Fingerprints that are joined.
_PRINTS = 10_000_000

#: Files of a folder that is scanned, and the most bytes of each.
_FILES, _FILE_BYTES = 20_000, 20_000

#: Bytes of memory that are taken and freed before each run.
_MEMORY = 4 << 30

#: The most of its time that the host may take from a run, and how often a run is measured at most.
_MOST_TAKEN, _TIMES_MEASURED = 0.02, 4

#: Processors for which the speed-up is reckoned.
_MORE = (8, 16, 64)

#: Wall and CPU seconds.
Times = tuple[float, float]


class _Work(NamedTuple):
    """Work to measure.

    Attributes:
        name: what is done.
        measure: does it with the number of threads that it is given.
        min_speed_up: how many times as fast two threads should be as one.
        max_serial_share: the largest share of the time of one thread that a second may leave as it
            is.
    """

    name: str
    measure: Callable[[int], Times]
    min_speed_up: float | None = None
    max_serial_share: float | None = None


def run() -> Iterator[Row]:
    """Yield wall seconds, CPU seconds and serial shares."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = folder / "corpus.jsonl"
        texts = corpus.load().texts
        size = dedup.write(rows, ((text, False) for text in texts.to_pylist()))
        yield _proof(rows)
        for work in _works(folder, rows, size):
            yield from _rows_of_both_threads(work)
        for work in _peers(rows, _megabytes(size)):
            try:
                yield from _rows_of_both_threads(work)
            except subprocess.CalledProcessError as error:
                print(f"processors: {work.name} ended with {error.returncode}", file=sys.stderr)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def _works(folder: Path, rows: Path, size: int) -> Iterator[_Work]:
    """Yield the verbs; files that only one of them reads are made before it, and go after it.

    ``rows``, ``size``: the corpus as JSON lines, and its bytes.
    """
    texts, megabytes = corpus.load().texts, _megabytes(size)
    lines = f"{megabytes} of JSON lines"
    yield _Work(f"`ilk dedup`, {lines}", partial(_deduplicate, rows), 1.6)
    if _LARGE:
        large = folder / "large.jsonl"
        written = beyond.write_salted(large, texts.to_pylist(), _LARGE, near=[])
        name = f"`ilk dedup`, {_megabytes(written)} of JSON lines"
        yield _Work(name, partial(_deduplicate, large), 1.8, 0.1)
        _remove_with_output(large)
    pieces = list(islice(short.pieces(texts.unique().to_pylist()), _PIECES))
    source = folder / "pieces.jsonl"
    with source.open("w") as out:
        out.writelines(json.dumps({"text": piece}) + "\n" for piece in pieces)
    searched, stored = pa.array(pieces[:_SEARCHED]), pa.array(pieces[:_STORED])
    name = f"`ilk dedup`, {len(pieces):,} short texts"
    del pieces
    yield _Work(name, partial(_deduplicate, source), 1.8, 0.1)
    _remove_with_output(source)
    documents = folder / "documents"
    _write_files(documents, corpus.distinct().texts.to_pylist())
    yield _Work(f"`ilk scan`, {_FILES:,} files", partial(_scan, documents), 1.8)
    shutil.rmtree(documents)
    yield _Work(f"`ilk.fingerprint`, {megabytes}", partial(_call, partial(ilk.fingerprint, texts)))
    prints = np.random.default_rng(2011).integers(0, 1 << 64, _PRINTS, np.uint64)
    pairs = partial(ilk.hamming.pairs, prints, 3)
    yield _Work(f"`ilk.hamming.pairs`, {_PRINTS:,}, radius 3", partial(_call, pairs))
    del prints, pairs
    pairs = partial(ilk.sets.pairs, texts, 0.8)
    yield _Work("`ilk.sets.pairs`, corpus at 0.8", partial(_call, pairs), 1.8)
    yield _Work("`ilk.find`, corpus", partial(_call, partial(ilk.find, texts)), 1.6)
    find = partial(_call, partial(ilk.find, searched))
    yield _Work(f"`ilk.find`, {len(searched):,} short texts", find, 1.6)
    yield _Work("`ilk.passages`, corpus", partial(_call, partial(ilk.passages, texts)), 1.6)
    for exact in (False, True):
        name = f"`Store.add_many`, {len(stored):,} short texts{', exact' if exact else ''}"
        yield _Work(name, partial(_store, stored, exact), 1.8)


def _write_files(folder: Path, texts: list[str]) -> None:
    """Write texts as files, a thousand in a folder; each time round with words of its own."""
    for number in range(_FILES):
        turn, at = divmod(number, len(texts))
        path = folder / f"{number // 1000}" / f"{number}.txt"
        if number % 1000 == 0:
            path.parent.mkdir(parents=True)
        text = texts[at][:_FILE_BYTES]
        path.write_text(text.replace(" ", f"{turn} ") if turn else text)


def _peers(rows: Path, megabytes: str) -> Iterator[_Work]:
    """Yield what peers do with the same rows, where they are installed; say where they are not."""
    if reason := peers.missing():
        print(f"processors: no Daft, since {reason}", file=sys.stderr)
    else:
        yield _Work(f"Daft (MinHash), {megabytes}", partial(_deduplicate_by_daft, rows))
    if find_spec("duckdb") is None:
        print("processors: no DuckDB, since it is not installed beside ilk", file=sys.stderr)
    else:
        yield _Work(f"DuckDB (equal texts), {megabytes}", partial(_group_by_duckdb, rows))


def _deduplicate_by_daft(source: Path, processors: int) -> Times:
    """Return what Daft takes on some processors: it has a thread for each that it may use."""
    every = os.sched_getaffinity(0)
    start = time.perf_counter()
    try:
        os.sched_setaffinity(0, sorted(every)[:processors])
        cost, _ = peers.whole(source)
    finally:
        os.sched_setaffinity(0, every)
    return time.perf_counter() - start, cost.cpu


def _group_by_duckdb(source: Path, threads: int) -> Times:
    output = source.with_suffix(".grouped.jsonl")
    start, cpu = time.perf_counter(), time.process_time()
    with import_module("duckdb").connect(config={"threads": threads}) as connection:
        read = f"SELECT min(id), text FROM read_json('{source}') GROUP BY text"
        connection.execute(f"COPY ({read}) TO '{output}' (FORMAT json)")
    return time.perf_counter() - start, time.process_time() - cpu


def _proof(path: Path) -> Row:
    """Return how long two processes take that run at the same time, in those of one."""
    ratios = []
    for _ in range(timing.ROUNDS):
        one, two = (_wall(partial(_count_words, path, several)) for several in (1, 2))
        ratios.append(two / one)
    ratio = statistics.median(ratios)
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    title = f"processors: two `wc -w` at the same time, {load}"
    return Row(title, ratio, "x the time of one", target="<= 1.1 idle")


def _count_words(path: Path, several: int) -> None:
    running = [_start(["wc", "-w", str(path)]) for _ in range(several)]
    for process in running:
        os.waitpid(process, 0)


def _start(words: list[str]) -> int:
    nowhere = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
    return os.posix_spawnp(words[0], words, os.environ, file_actions=[nowhere])


def _wall(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _deduplicate(source: Path, jobs: int) -> Times:
    words = ["dedup", str(source), "-o", str(_output_of(source)), "--force", "--accept-alarm"]
    return _run_command(words, jobs)


def _output_of(source: Path) -> Path:
    return source.with_suffix(".out.jsonl")


def _remove_with_output(source: Path) -> None:
    """Remove rows, those that stayed, and the account of the others."""
    output = _output_of(source)
    source.unlink()
    output.unlink()
    shutil.rmtree(f"{output}.ilk")


def _scan(folder: Path, jobs: int) -> Times:
    return _run_command(["scan", str(folder)], jobs, scan.ANSWERED)


def _run_command(words: list[str], jobs: int, allowed: Sequence[int] = (0,)) -> Times:
    """Return what a whole command takes, its start included."""
    start = time.perf_counter()
    process = _start([str(command()), *words, "--quiet", "--jobs", str(jobs)])
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) not in allowed:
        raise ChildProcessError(f"{' '.join(words)} ended with {status}")
    return wall, used.ru_utime + used.ru_stime


def _call(call: Callable[..., object], jobs: int) -> Times:
    start, cpu = time.perf_counter(), time.process_time()
    call(jobs=jobs)
    return time.perf_counter() - start, time.process_time() - cpu


def _store(texts: pa.Array, exact: bool, jobs: int) -> Times:
    """Return what it takes to add texts to a new store at once."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ilk.Store(Path(folder) / "texts.ilk", exact=exact, jobs=jobs) as store,
    ):
        start, cpu = time.perf_counter(), time.process_time()
        store.add_many(texts)
        return time.perf_counter() - start, time.process_time() - cpu


def _measure_undisturbed(work: _Work, jobs: int) -> Times:
    """Measure work, and again if the host has taken time meanwhile; the last of a few times
    counts.
    """
    for _ in range(_TIMES_MEASURED):
        _take_and_free_memory()
        before = _seconds_taken_by_host()
        wall, cpu = work.measure(jobs)
        if _seconds_taken_by_host() - before <= _MOST_TAKEN * wall:
            break
    return wall, cpu


def _seconds_taken_by_host() -> float:
    """Return the seconds for which the host ran others instead of this virtual machine."""
    fields = Path("/proc/stat").read_text().split(maxsplit=9)
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


def _take_and_free_memory() -> None:
    """Have the host of a virtual machine give it memory, which stays for some seconds."""
    with mmap.mmap(-1, _MEMORY, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        np.frombuffer(memory, np.uint8)[:: mmap.PAGESIZE] = 1


def _rows_of_both_threads(work: _Work) -> Iterator[Row]:
    """Yield what one thread and two take, in turn, and what follows."""
    times: dict[int, list[Times]] = {1: [], 2: []}
    for _ in range(timing.ROUNDS):
        for jobs, found in times.items():
            found.append(_measure_undisturbed(work, jobs))
    (one, cpu), (two, both) = (
        [statistics.median(part) for part in zip(*times[jobs], strict=True)] for jobs in (1, 2)
    )
    title = f"processors: {work.name}"
    share = serial_share(one, two)
    faster, shared = (
        "" if bound is None else f"{sign} {bound} idle"
        for sign, bound in ((">=", work.min_speed_up), ("<=", work.max_serial_share))
    )
    yield Row(f"{title}, one thread", one, "s of wall time")
    yield Row(f"{title}, two", two, "s of wall time", one / two, "one thread, less", faster)
    yield Row(f"{title}, one thread, CPU", cpu, "CPU-s")
    yield Row(f"{title}, two, CPU", both, "CPU-s", both / cpu, "one thread", "<= 1.1")
    yield Row(f"{title}, serial share", share, "of one thread's time", target=shared)
    for processors in _MORE:
        yield Row(f"{title}, with {processors}", speed_up(share, processors), "x, reckoned")


def serial_share(one: float, two: float) -> float:
    """Return the share of the time of one thread that a second one does not halve.

    It is below 0 where two are more than twice as fast, and above 1 where they are slower.

    >>> serial_share(1.0, 0.5), serial_share(1.0, 1.0), serial_share(1.0, 0.375)
    (0.0, 1.0, -0.25)
    """
    return 2 * two / one - 1


def speed_up(share: float, processors: int) -> float:
    """Return how much faster some processors are than one (Amdahl 1967), and no more than their
    number: a share below 0 says nothing of further processors.

    >>> speed_up(0.0, 16), speed_up(1.0, 16), speed_up(-0.25, 16)
    (16.0, 1.0, 16.0)
    """
    serial = max(share, 0.0)
    return 1 / (serial + (1 - serial) / processors)
