"""The whole of `ilk dedup`: the corpus as JSON lines.

CPU seconds of all threads and peak memory, files warm where they fit.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import corpus, peers, timing
from benchmarks.product import ilk
from benchmarks.rows import Row


def run() -> list[Row]:
    """Rows of the corpus."""
    texts = corpus.load().texts.to_pylist()
    with tempfile.TemporaryDirectory() as folder:
        return _corpus(texts, Path(folder))


def _corpus(texts: list[str], folder: Path) -> list[Row]:
    source, output = folder / "corpus.jsonl", folder / "out.jsonl"
    size = write(source, ((text, False) for text in texts))
    costs: list[timing.Cost] = []

    def dedup() -> float:
        words: list[str | Path] = [
            ilk(),
            "dedup",
            source,
            "-o",
            output,
            "--force",
            "--quiet",
            "--jobs",
            "1",
        ]
        costs.append(timing.command(words))
        return costs[-1].cpu

    count: list[str | Path] = ["wc", "-w", source]
    seconds = timing.medians({"dedup": dedup, "wc": lambda: timing.command(count).cpu})
    peak = max(cost.peak for cost in costs) / 1e6
    title = f"dedup: {len(texts):,} rows of JSON lines, {size / 1e6:.0f} MB"
    ratio = seconds["dedup"] / seconds["wc"]
    return [
        Row(title, seconds["dedup"], "CPU-s", ratio, "`wc -w` of the file", "<= 1.5 CPU-s"),
        Row(f"{title}, peak memory", peak, "MB", target="<= 450"),
        *peer(title, source, output, seconds["dedup"]),
    ]


def peer(title: str, source: Path, output: Path, cpu: float) -> Iterator[Row]:
    """Yield what Daft uses for the same file, and keeps, against ilk's output and CPU seconds."""
    if reason := peers.missing():
        print(f"{title}: no peers, since {reason}", file=sys.stderr)
        return
    cost, kept = peers.whole(source)
    own = output.read_bytes().count(b"\n")
    yield Row(f"{title}, Daft (MinHash)", cost.cpu, "CPU-s", cost.cpu / cpu, "ilk")
    yield Row(f"{title}, Daft, peak memory", cost.peak / 1e6, "MB")
    yield Row(f"{title}, Daft, rows kept", kept, "rows", kept / own, "those that ilk keeps")


def write(path: Path, rows: Iterator[tuple[str, bool]]) -> int:
    """Write texts as JSON lines, each with whether it was planted; return the bytes."""
    with path.open("w", encoding="utf-8") as out:
        for at, (text, planted) in enumerate(rows):
            row = {"id": at, "planted": planted, "text": text}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path.stat().st_size
