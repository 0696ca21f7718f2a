"""How long a newcomer waits for `ilk --help` and `ilk --version`; which imports take longest."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks import timing
from benchmarks.product import ilk
from benchmarks.rows import Row

#: A start takes milliseconds, and the clock ticks in them.
_ROUNDS = 21

#: Imports that are named, of how many there are.
_SLOWEST = 10

#: A line of ``python -X importtime``: microseconds of a module alone, and with those it imports.
_IMPORT = re.compile(r"import time: +(\d+) \| +\d+ \| +(\S+)")


def run() -> Iterator[Row]:
    """Yield the CPU time of whole processes, and the wall time of the slowest imports."""
    python = [sys.executable, "-c"]
    seconds = timing.medians(
        {
            "help": lambda: timing.command([ilk(), "--help"]).cpu,
            "version": lambda: timing.command([ilk(), "--version"]).cpu,
            "argparse": lambda: timing.command([*python, "import argparse"]).cpu,
            "pass": lambda: timing.command([*python, "pass"]).cpu,
        },
        _ROUNDS,
    )
    ratio = seconds["help"] / seconds["argparse"]
    unit = "CPU-ms"
    yield Row("startup: `import argparse`", seconds["argparse"] * 1000, unit)
    yield Row(
        "startup: `ilk --help`",
        seconds["help"] * 1000,
        unit,
        ratio,
        "`import argparse`",
        "<= 2.5 x",
    )
    ratio = seconds["version"] / seconds["pass"]
    yield Row("startup: `python -c pass`", seconds["pass"] * 1000, unit)
    yield Row(
        "startup: `ilk --version`",
        seconds["version"] * 1000,
        unit,
        ratio,
        "`python -c pass`",
        "<= 85 CPU-ms",
    )
    yield from _slowest_imports("--version")
    yield from _slowest_imports("dedup", "--help")


def _slowest_imports(*words: str) -> Iterator[Row]:
    """Yield the modules that take most time of their own, without what they import in turn."""
    times = defaultdict[str, list[int]](list)
    for _ in range(timing.ROUNDS):
        line: list[str | Path] = [sys.executable, "-X", "importtime", ilk(), *words]
        told = subprocess.run(line, check=True, capture_output=True, text=True).stderr
        for microseconds, module in _IMPORT.findall(told):
            times[module].append(int(microseconds))
    medians = {module: statistics.median(several) for module, several in times.items()}
    title = f"startup: `ilk {' '.join(words)}`"
    whole = sum(medians.values())
    yield Row(f"{title}, all {len(medians):,} imports", whole / 1000, "ms of wall time")
    for module in sorted(medians, key=medians.__getitem__, reverse=True)[:_SLOWEST]:
        own = medians[module]
        yield Row(
            f"{title}, `{module}` alone", own / 1000, "ms of wall time", own / whole, "all imports"
        )
