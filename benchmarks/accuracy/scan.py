"""The product's answer, as its command line prints it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.accuracy.documents import Documents
from benchmarks.accuracy.labels import Pair, pair
from benchmarks.product import ilk

#: Exit codes of an answer: duplicates found, none found, an alarm about a large cluster.
_ANSWERED = (0, 1, 3)

#: One document inside another, which is not a claim that they are of one kind.
_ONE_SIDED = ("contained", "contains")

#: The resemblance below which likeness is not asked for: all pairs of a set would be listed.
_LEAST = 0.05


def pairs(documents: Documents, options: Sequence[str]) -> dict[Pair, float]:
    """The resemblance of every pair that `ilk scan --format pairs` takes to be near duplicates."""
    return {
        pair(_name(row["left"], documents), _name(row["right"], documents)): row["resemblance"]
        for row in _scan(documents, options, "pairs,jsonl")
        if row["verdict"] not in _ONE_SIDED
    }


def likeness(documents: Documents, options: Sequence[str]) -> dict[Pair, float]:
    """The resemblance of every pair that has any to speak of."""
    return pairs(documents, ["--resemblance", str(_LEAST), *options])


def clusters(documents: Documents, options: Sequence[str]) -> list[list[str]]:
    """The members of every cluster that `ilk scan` prints."""
    return [
        [_name(member["source"], documents) for member in row["members"]]
        for row in _scan(documents, options)
    ]


def _scan(
    documents: Documents, options: Sequence[str], form: str = "jsonl"
) -> list[dict[str, Any]]:
    """Every line of a scan but its summary; a note on stderr if it left documents out."""
    arguments: list[str | Path] = [ilk(), "scan", documents.root]
    arguments += ["--format", form, "--quiet", *options]
    done = subprocess.run(arguments, capture_output=True, text=True, encoding="utf-8")
    if done.returncode not in _ANSWERED:
        raise SystemExit(f"`ilk scan` ended with {done.returncode}: {done.stderr.strip()}")
    *rows, last = (json.loads(line) for line in done.stdout.rstrip("\n").split("\n"))
    if "summary" not in last:
        raise SystemExit("`ilk scan` did not end with its summary: its output is cut off.")
    read, there = last["summary"]["documents"], len(documents.files)
    if read < there:
        note = f"`ilk scan` read {read} of {there} documents; it finds nothing in the others."
        print(note, file=sys.stderr)
    return rows


def _name(source: str, documents: Documents) -> str:
    return documents.name_of(Path(source).relative_to(documents.root).as_posix())
