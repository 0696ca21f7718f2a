"""How long a newcomer waits for `ilk --help`."""

from __future__ import annotations

import sys

from benchmarks import timing
from benchmarks.product import ilk
from benchmarks.rows import Row

#: A start takes milliseconds, and the clock ticks in them.
_ROUNDS = 21


def run() -> list[Row]:
    """CPU milliseconds of a whole process."""
    seconds = timing.medians(
        {
            "ilk": lambda: timing.command([ilk(), "--help"]).cpu,
            "argparse": lambda: timing.command([sys.executable, "-c", "import argparse"]).cpu,
        },
        _ROUNDS,
    )
    ratio = seconds["ilk"] / seconds["argparse"]
    unit = "CPU-ms"
    return [
        Row("startup: `import argparse`", seconds["argparse"] * 1000, unit),
        Row(
            "startup: `ilk --help`",
            seconds["ilk"] * 1000,
            unit,
            ratio,
            "`import argparse`",
            "<= 2.5 x",
        ),
    ]
