"""The whole of `ilk scan` on folders of documents: CPU seconds and peak memory."""

from __future__ import annotations

import statistics
from pathlib import Path

from benchmarks import corpus, timing
from benchmarks.product import ilk
from benchmarks.rows import Row

_FOLDERS = (
    "quic-drafts",
    "spdx",
    "scancode-licenses",
    "gutenberg-editions",
    "udhr-nltk/udhr2",
    "debian-docs",
)

#: A scan ends so when it found duplicates, when it found none, and when it raised an alarm.
_ANSWERED = (0, 1, 3)


def run() -> list[Row]:
    """A row of seconds and one of memory per folder; Python's own library where none is there."""
    folders = {name: corpus.DATA / name for name in _FOLDERS if (corpus.DATA / name).is_dir()}
    folders = folders or {"Python's library": Path(statistics.__file__).parent}
    return [row for name, folder in folders.items() for row in _measured(name, folder)]


def _measured(name: str, folder: Path) -> list[Row]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    costs: list[timing.Cost] = []

    def scan() -> float:
        costs.append(timing.command([ilk(), "scan", folder, "--quiet"], _ANSWERED))
        return costs[-1].cpu

    words: list[str | Path] = ["wc", "-w", *files]
    seconds = timing.medians({"scan": scan, "wc": lambda: timing.command(words).cpu})
    ratio = seconds["scan"] / seconds["wc"]
    size = sum(path.stat().st_size for path in files) / 1e6
    title = f"scan: {name}, {len(files)} files, {size:.1f} MB"
    peak = max(cost.peak for cost in costs) / 1e6
    return [
        Row(title, seconds["scan"], "CPU-s", ratio, "`wc -w` of the files"),
        Row(f"{title}, peak memory", peak, "MB", peak / size, "the files' bytes"),
    ]
