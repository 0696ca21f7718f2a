"""The product's answer, as its command line prints it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.product import ilk

#: Exit codes of an answer: duplicates found, none found, an alarm about a large cluster.
_ANSWERED = (0, 1, 3)

#: One document inside another, which is not a claim that they are of one kind.
_ONE_SIDED = ("contained", "contains")


def pairs(folder: Path, options: Sequence[str]) -> dict[tuple[str, str], float]:
    """The resemblance of every pair that `ilk scan --pairs` takes to be near duplicates."""
    return {
        (_below(row["left"], folder), _below(row["right"], folder)): row["resemblance"]
        for row in _scan(folder, ["--pairs", *options])
        if row["verdict"] not in _ONE_SIDED
    }


def clusters(folder: Path, options: Sequence[str]) -> list[list[str]]:
    """The members of every cluster that `ilk scan` prints."""
    return [
        [_below(member["source"], folder) for member in row["members"]]
        for row in _scan(folder, options)
    ]


def _scan(folder: Path, options: Sequence[str]) -> list[dict[str, Any]]:
    """Every line of a scan but its summary."""
    arguments: list[str | Path] = [ilk(), "scan", folder, "--format", "jsonl", "--quiet", *options]
    done = subprocess.run(arguments, capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in _ANSWERED:
        raise SystemExit(f"`ilk scan` ended with {done.returncode}: {done.stderr.strip()}")
    *rows, last = (json.loads(line) for line in done.stdout.splitlines())
    if "summary" not in last:
        raise SystemExit("`ilk scan` did not end with its summary: its output is cut off.")
    return rows


def _below(source: str, folder: Path) -> str:
    return Path(source).relative_to(folder).as_posix()
