"""The whole of `ilk scan` on folders of documents: CPU seconds and peak memory."""

from __future__ import annotations

import statistics
import tempfile
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
ANSWERED = (0, 1, 3)

#: How often the corpus is written, every copy with words of its own: about 2 GB in files.
_COPIES = 10
_MEMORY = (None, "1GB")


def run() -> list[Row]:
    """A row of seconds and one of memory per folder; Python's own library where none is there."""
    folders = {name: corpus.DATA / name for name in _FOLDERS if (corpus.DATA / name).is_dir()}
    folders = folders or {"Python's library": Path(statistics.__file__).parent}
    return [row for name, folder in folders.items() for row in _measured(name, folder)] + _large()


def _measured(name: str, folder: Path) -> list[Row]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    costs: list[timing.Cost] = []

    def scan() -> float:
        costs.append(timing.command([ilk(), "scan", folder, "--quiet"], ANSWERED))
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


def _large() -> list[Row]:
    """A folder of 2 GB, with all the memory there is and with half as much as it has text."""
    found = []
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "documents"
        files, size = 0, 0
        for copy in range(_COPIES):
            for at, text in enumerate(corpus.distinct().texts.to_pylist()):
                path = folder / f"{copy}" / f"{at // 1000}" / f"{at}.txt"
                if at % 1000 == 0:
                    path.parent.mkdir(parents=True)
                size += path.write_bytes(text.replace(" ", f"{copy} ").encode())
                files += 1
        for memory in _MEMORY:
            bound = [] if memory is None else ["--memory", memory]
            words: list[str | Path] = [ilk(), "scan", folder, "--quiet", "--jobs", "1", *bound]
            cost = timing.command(words, ANSWERED)
            title = f"scan: {files:,} files, {size / 1e9:.1f} GB, --memory {memory or 'none'}"
            found += [
                Row(title, cost.cpu, "CPU-s", cost.cpu / (size / 1e9), "a GB"),
                Row(f"{title}, peak memory", cost.peak / 1e6, "MB", cost.peak / size, "the text"),
            ]
    return found
