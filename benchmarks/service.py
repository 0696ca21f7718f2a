"""A served store of a million documents under load, against a bare FastAPI that echoes the body.

Requests leave at a fixed rate, whether earlier ones were answered or not, and their time counts
from the moment at which they were to leave: a server that stands still is not spared. Both servers
run on one core, and the clients on the others.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from tests.support.stores import put_fingerprints

import ilk
from benchmarks.rows import Row, WrongAnswerError

#: Documents of the store, those of them whose texts it was given, and their words.
_DOCUMENTS, _TEXTS, _WORDS = 1_000_000, 20_000, 500

#: Checks and writes a second, for how many seconds, the connections that carry them, and rounds.
_CHECKS, _WRITES, _SECONDS, _CONNECTIONS, _ROUNDS = 200, 10, 10, 16, 3

#: Words that texts are made of.
_VOCABULARY = 50_000


class Sent(NamedTuple):
    """What is sent, when, and whether it must find something."""

    at: float
    path: str
    body: bytes
    finds: bool


class Measured(NamedTuple):
    """What a server took.

    shares: milliseconds of a check: the median, and what 99 of 100 stay below.
    cpu: seconds, of all requests.
    peak: its largest memory, in bytes.
    """

    shares: tuple[float, float]
    cpu: float
    peak: int


def run() -> list[Row]:
    """Load both servers with the same bodies.

    Raises:
        WrongAnswerError: a check fails, or misses the text that it is a copy of.
    """
    draw = random.Random(25)
    texts = [_text(draw) for _ in range(_TEXTS)]
    with tempfile.TemporaryDirectory() as folder:
        path, empty = Path(folder) / "million.ilk", Path(folder) / "empty.ilk"
        _fill(path, texts)
        rounds = [
            (
                _load(_command(path), path, texts, writes=0),
                _load(_command(path), path, texts, writes=_WRITES),
                _load(_echo(), None, texts, writes=0),
            )
            for _ in range(_ROUNDS)
        ]
        alone, beside, echo = (_median(found) for found in zip(*rounds, strict=True))
        least = _load(_command(empty), empty, texts[:1], writes=0, check=False)
    name = f"service: {_DOCUMENTS:,} documents, {_CHECKS} checks/s of {_WORDS} words"
    requests = _CHECKS * _SECONDS
    rows = []
    for what, found, targets in (
        (name, alone, ("", "")),
        (f"{name}, {_WRITES} writes/s", beside, ("<= 2 ms", "<= 15 ms")),
        ("service: a bare echo of the same body", echo, ("", "")),
    ):
        for share, value, yard, target in zip(
            ("p50", "p99"), found.shares, echo.shares, targets, strict=True
        ):
            rows.append(Row(f"{what}, {share}", value, "ms", value / yard, "the echo", target))
        each = found.cpu / requests * 1e3
        ratio = found.cpu / echo.cpu
        rows.append(Row(f"{what}, a check", each, "CPU-ms", ratio, "the echo"))
    size = (alone.peak - least.peak) / _DOCUMENTS
    what = f"service: {_DOCUMENTS:,} documents, memory beyond an empty store's"
    return [*rows, Row(what, size, "B each", target="<= 110 B")]


def _median(found: Sequence[Measured]) -> Measured:
    """Return the medians of several rounds."""
    halves, most = (statistics.median(one.shares[at] for one in found) for at in (0, 1))
    cpu = statistics.median(one.cpu for one in found)
    return Measured((halves, most), cpu, max(one.peak for one in found))


def _text(draw: random.Random) -> str:
    return " ".join(f"word{draw.randrange(_VOCABULARY)}" for _ in range(_WORDS))


def _fill(path: Path, texts: list[str]) -> None:
    """Make the store: some documents from their texts, the others from fingerprints alone."""
    values = np.random.default_rng(25).integers(0, 1 << 64, _DOCUMENTS - _TEXTS, np.uint64)
    with ilk.Store(path, recipe=ilk.Recipe(bits=64)) as store:
        for start in range(0, _TEXTS, 1000):
            store.add_many(pa.table({"text": texts[start : start + 1000]}))
        for start in range(0, len(values), 100_000):
            put_fingerprints(store, pa.array(values[start : start + 100_000]))


def _command(path: Path) -> list[str]:
    return [sys.executable, "-m", "ilk", "serve", str(path), "--port", "0"]


def _echo() -> list[str]:
    return [sys.executable, "-m", "benchmarks.echo"]


def _load(
    command: list[str],
    store: Path | None,
    texts: list[str],
    *,
    writes: int,
    check: bool = True,
) -> Measured:
    """Send all requests of a run to a server, and return what they took."""
    plan = sorted(_planned(texts, writes))
    with _started(command) as (child, address):
        token = "" if store is None else Path(f"{store}.token").read_text().split()[-1]
        # The first answers wait for what is read once.
        _sent(address, token, [one._replace(at=0.0) for one in plan[:50] if one.path == "/check"])
        before = _cpu(child.pid)
        found = _sent(address, token, plan, check=check and store is not None)
        return Measured(_shares(found), _cpu(child.pid) - before, _peak(child.pid))


def _planned(texts: list[str], writes: int) -> Iterator[Sent]:
    draw = random.Random(writes)
    for number in range(_CHECKS * _SECONDS):
        finds = number % 2 == 0
        words = draw.choice(texts).split() if finds else _text(draw).split()
        words[draw.randrange(_WORDS)] = "changed"
        yield Sent(number / _CHECKS, "/check", _body(" ".join(words)), finds)
    for number in range(writes * _SECONDS):
        yield Sent((number + 0.5) / writes, "/documents", _body(_text(draw)), False)


def _body(text: str) -> bytes:
    return json.dumps({"text": text}).encode()


def _sent(address: str, token: str, plan: list[Sent], check: bool = False) -> list[float]:
    """Send requests at their times, and return how many milliseconds checks took."""
    waiting: queue.SimpleQueue[Sent | None] = queue.SimpleQueue()
    found: list[float] = []
    wrong: list[str] = []
    start = time.perf_counter() + 0.1

    def client() -> None:
        connection = http.client.HTTPConnection(address, timeout=60)
        head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        while (one := waiting.get()) is not None:
            connection.request("POST", one.path, one.body, head)
            answer = connection.getresponse()
            body = answer.read()
            taken = time.perf_counter() - start - one.at
            if one.path == "/check":
                found.append(taken * 1e3)
            if answer.status not in (200, 201) or (
                check and one.finds and not json.loads(body)["matches"]
            ):
                wrong.append(f"{one.path} answered {answer.status}: {body[:200]!r}")
        connection.close()

    clients = [threading.Thread(target=client) for _ in range(_CONNECTIONS)]
    for each in clients:
        each.start()
    for one in plan:
        time.sleep(max(0.0, start + one.at - time.perf_counter()))
        waiting.put(one)
    for _ in clients:
        waiting.put(None)
    for each in clients:
        each.join()
    if wrong:
        raise WrongAnswerError(wrong[0])
    return found


@contextlib.contextmanager
def _started(command: list[str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server on the first core, and give it with its address."""
    cores = sorted(os.sched_getaffinity(0))
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        os.sched_setaffinity(child.pid, cores[:1])
        os.sched_setaffinity(0, cores[1:] or cores)
        assert child.stdout is not None
        line = ""
        while not line.startswith("http://"):
            line = child.stdout.readline()
            if not line:
                raise WrongAnswerError("the server has not begun.")
        yield child, line.strip().removeprefix("http://")
    finally:
        os.sched_setaffinity(0, cores)
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()


def _shares(taken: list[float]) -> tuple[float, float]:
    """Return the median, and what 99 of 100 stay below."""
    return statistics.median(taken), sorted(taken)[int(0.99 * len(taken))]


def _cpu(process: int) -> float:
    """Return the CPU seconds of a process so far, user and system."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak(process: int) -> int:
    """Return the largest resident memory of a process, in bytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024
