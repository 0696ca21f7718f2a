"""Figures that stay: a file in ``results/`` for each measurement, with its day and machine."""

from __future__ import annotations

import dataclasses
import datetime
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks import machine
from benchmarks.rows import Row

#: Where they stay.
RESULTS = Path(__file__).with_name("results")


def keep(found: Iterable[Row], name: str = "") -> Path:
    """Write the figures to a file of their own, whose name begins with that of the benchmark."""
    now = datetime.datetime.now(datetime.UTC)
    path = RESULTS / f"{name}{now:%Y-%m-%dT%H%M%SZ}.json"
    told = {
        "measured": now.isoformat(timespec="seconds"),
        "machine": machine.description(),
        "rows": [dataclasses.asdict(row) for row in found],
    }
    RESULTS.mkdir(exist_ok=True)
    path.write_text(json.dumps(told, indent=1) + "\n")
    return path


def shown(found: Iterable[Row], name: str) -> None:
    """Print figures as they come, and keep them if the program was asked to (``--keep``)."""
    told = []
    for row in found:
        told.append(row)
        print(row, flush=True)
    if "--keep" in sys.argv:
        keep(told, name)
