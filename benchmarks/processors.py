"""What a second processor gives, verb by verb, and what that means for more of them.

Wall time says it only on a quiet machine. So each run begins with a proof: two processes that count
words, started together, beside one of them. Where those take longer, other work has taken part of
the processors, and the speed-ups beside them are too low.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

import ilk
from benchmarks import corpus, dedup, short, timing
from benchmarks.product import ilk as command
from benchmarks.rows import Row

#: Short texts that are deduplicated, and fingerprints that are joined.
_PIECES = int(os.environ.get("ILK_SHORT_PIECES", "100000"))
_PRINTS = 10_000_000

#: Processors for which the speed-up is reckoned.
_MORE = (8, 16, 64)

#: Wall and CPU seconds.
Times = tuple[float, float]


def run() -> Iterator[Row]:
    """Yield wall seconds, CPU seconds and serial shares."""
    texts = corpus.load().texts
    prints = np.random.default_rng(2011).integers(0, 1 << 64, _PRINTS, np.uint64)
    with tempfile.TemporaryDirectory() as folder:
        rows, pieces = Path(folder) / "corpus.jsonl", Path(folder) / "pieces.jsonl"
        size = dedup.write(rows, ((text, False) for text in texts.to_pylist()))
        with pieces.open("w") as out:
            for piece in islice(short.pieces(texts.unique().to_pylist()), _PIECES):
                out.write(json.dumps({"text": piece}) + "\n")
        yield _proof(rows)
        megabytes = f"{size / 1e6:.0f} MB"
        works: dict[str, Callable[[int], Times]] = {
            f"`ilk dedup`, {megabytes} of JSON lines": partial(_deduplicate, rows),
            f"`ilk dedup`, {_PIECES:,} short texts": partial(_deduplicate, pieces),
            f"`ilk.fingerprint`, {megabytes}": partial(_call, partial(ilk.fingerprint, texts)),
            f"`ilk.hamming.pairs`, {_PRINTS:,}, radius 3": partial(
                _call, partial(ilk.hamming.pairs, prints, 3)
            ),
            "`ilk.sets.pairs`, corpus at 0.8": partial(_call, partial(ilk.sets.pairs, texts, 0.8)),
            "`ilk.find`, corpus": partial(_call, partial(ilk.find, texts)),
            "`ilk.passages`, corpus": partial(_call, partial(ilk.passages, texts)),
        }
        for name, work in works.items():
            yield from _rows_of_both_threads(name, work)


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
    """Return what the whole command takes, its start included."""
    output = source.with_suffix(".out.jsonl")
    words = [str(command()), "dedup", str(source), "-o", str(output), "--force", "--quiet"]
    start = time.perf_counter()
    process = _start([*words, "--accept-alarm", "--jobs", str(jobs)])
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status):
        raise ChildProcessError(f"{' '.join(words)} ended with {status}")
    return wall, used.ru_utime + used.ru_stime


def _call(call: Callable[..., object], jobs: int) -> Times:
    start, cpu = time.perf_counter(), time.process_time()
    call(jobs=jobs)
    return time.perf_counter() - start, time.process_time() - cpu


def _rows_of_both_threads(name: str, work: Callable[[int], Times]) -> Iterator[Row]:
    """Yield what one thread and two take, in turn, and what follows."""
    times: dict[int, list[Times]] = {1: [], 2: []}
    for _ in range(timing.ROUNDS):
        for jobs, found in times.items():
            found.append(work(jobs))
    (one, cpu), (two, both) = (
        [statistics.median(part) for part in zip(*times[jobs], strict=True)] for jobs in (1, 2)
    )
    title = f"processors: {name}"
    share = min(max(serial_share(one, two), 0), 1)
    yield Row(f"{title}, one thread", one, "s of wall time")
    yield Row(f"{title}, two", two, "s of wall time", one / two, "one thread, less", ">= 1.6 idle")
    yield Row(f"{title}, one thread, CPU", cpu, "CPU-s")
    yield Row(f"{title}, two, CPU", both, "CPU-s", both / cpu, "one thread", "<= 1.1")
    yield Row(f"{title}, serial share", share, "of one thread's time", target="<= 0.1 idle")
    for processors in _MORE:
        yield Row(f"{title}, with {processors}", speed_up(share, processors), "x, reckoned")


def serial_share(one: float, two: float) -> float:
    """Return the share of the time of one thread that a second one does not halve.

    >>> serial_share(1.0, 0.5), serial_share(1.0, 1.0)
    (0.0, 1.0)
    """
    return 2 * two / one - 1


def speed_up(share: float, processors: int) -> float:
    """Return how much faster some processors are than one (Amdahl 1967).

    >>> speed_up(0.0, 16), speed_up(1.0, 16)
    (16.0, 1.0)
    """
    return 1 / (share + (1 - share) / processors)
