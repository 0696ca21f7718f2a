"""CPU seconds (user and system, all threads) and peak memory; nothing is ever asserted about them.

Other work on the machine stretches wall time many times over and CPU time by some per cent. So
figures are CPU seconds, and a figure and its yardstick are taken in turn, in the same rounds.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

#: How often everything is measured, unless it is so slow that its row says otherwise.
ROUNDS = 3

_LAUNCH = Path(__file__).with_name("launch.py")


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command used: CPU seconds, and its largest resident memory in bytes."""

    cpu: float
    peak: int


def cpu(task: Callable[[], object]) -> float:
    """The CPU seconds that a call takes in this process."""
    start = time.process_time()
    task()
    return time.process_time() - start


def command(arguments: Sequence[str | Path], allowed: Sequence[int] = (0,)) -> Cost:
    """What a command uses, the children that it waited for included; its output is dropped.

    Raises:
        CalledProcessError: its exit code is not among those ``allowed``.
    """
    receive, send = os.pipe()
    launched = [sys.executable, "-I", "-S", _LAUNCH, str(send), *arguments]
    with os.fdopen(receive) as report:
        try:
            done = subprocess.run(
                launched, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=[send]
            )
        finally:
            os.close(send)
        if done.returncode not in allowed:
            raise subprocess.CalledProcessError(done.returncode, arguments, stderr=done.stderr)
        return Cost(**json.load(report))


def medians(tasks: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, float]:
    """The median cost of every task, all of them taken in turn in every round.

    Args:
        tasks: by name, a call that does the work once and returns what it cost.
        rounds: how often.
    """
    costs: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            costs[name].append(task())
    return {name: statistics.median(several) for name, several in costs.items()}
