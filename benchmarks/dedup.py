"""The whole of `ilk dedup`: the corpus as JSON lines, and a data set larger than its memory.

CPU seconds of all threads and peak memory, files warm where they fit. The large set is the corpus
many times over, the words of every copy salted, so that copies are strangers to one another, with
one row in 20 planted again, two words in a hundred changed.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks import corpus, timing
from benchmarks.product import ilk
from benchmarks.rows import Row
from ilk import arrow
from ilk.arrow import verdicts
from ilk.search.evidence import Evidence, Thresholds

#: Bytes of the large sets: the time shall grow as they do.
_SIZES = (2 * 10**9, 10 * 10**9)
_MEMORY = "1.5GB"

_PLANTED = 20
_CHANGED = 0.02


def run() -> list[Row]:
    """Rows of the corpus, then of the large sets."""
    texts = corpus.load().texts.to_pylist()
    with tempfile.TemporaryDirectory() as folder:
        found = _corpus(texts, Path(folder))
        for size in _SIZES:
            found += _large(texts, size, Path(folder))
    return found


def _corpus(texts: list[str], folder: Path) -> list[Row]:
    source, output = folder / "corpus.jsonl", folder / "out.jsonl"
    size = _write(source, ((text, False) for text in texts))
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
    ]


def _large(texts: list[str], size: int, folder: Path) -> list[Row]:
    source, output = folder / "large.jsonl", folder / "large-out.jsonl"
    copies = max(1, round(size / (1 + 1 / _PLANTED) / sum(map(len, texts))))
    planted: list[bool] = []
    written = _write(source, _salted(texts, copies, planted))
    words: list[str | Path] = [ilk(), "dedup", source, "-o", output, "--force", "--quiet"]
    cost = timing.command([*words, "--memory", _MEMORY, "--accept-alarm"])
    dropped = pq.read_table(folder / "large-out.jsonl.ilk" / "dropped.parquet")["doc"]
    report = json.loads((folder / "large-out.jsonl.ilk" / "report.json").read_text())
    gone = pc.is_in(pa.arange(0, len(planted)), value_set=dropped.combine_chunks())
    looked = pa.array(planted)
    recall = (pc.sum(pc.and_(looked, gone)).as_py() or 0) / (pc.sum(looked).as_py() or 1)
    source.unlink()
    output.unlink()
    way = report["promise"].partition(":")[0]
    title = f"dedup: {len(planted):,} rows, {written / 1e9:.1f} GB, --memory {_MEMORY} ({way})"
    return [
        Row(title, cost.cpu, "CPU-s", cost.cpu / (written / 1e9), "a GB"),
        Row(f"{title}, peak memory", cost.peak / 1e6, "MB", target="<= 1,500"),
        Row(f"{title}, planted rows dropped", recall, "of them"),
    ]


def _salted(texts: list[str], copies: int, near: list[bool]) -> Iterator[tuple[str, bool]]:
    """Every copy of the texts, its own salt on every word, and behind it its planted rows.

    Args:
        texts: the texts.
        copies: how often they are salted.
        near: told of every row whether it is planted and resembles its original to 0.8.
    """
    draw = random.Random(7)
    for copy in range(copies):
        salted = [text.replace(" ", f"{copy} ").replace("\n", f"{copy}\n") for text in texts]
        originals = salted[::_PLANTED]
        planted = [_edited(text, draw) for text in originals]
        near += [False] * len(salted) + _resembling(originals, planted)
        yield from ((text, False) for text in salted)
        yield from ((text, True) for text in planted)


def _edited(text: str, draw: random.Random) -> str:
    words = text.split(" ")
    for place in draw.sample(range(len(words)), int(len(words) * _CHANGED)):
        words[place] = f"changed{draw.randrange(10**6)}"
    return " ".join(words)


def _resembling(left: list[str], right: list[str]) -> list[bool]:
    """Per pair whether it resembles each other to 0.8."""
    rows = pa.arange(0, len(left))
    evidence = Evidence.of(arrow.texts([*left, *right]), 3, 1)
    judged = evidence.judge(rows, pc.add(rows, len(left)), Thresholds(Fraction(4, 5)))
    return list(pc.is_in(judged["verdict"], pa.array(verdicts.SAME)).to_pylist())


def _write(path: Path, rows: Iterator[tuple[str, bool]]) -> int:
    with path.open("w", encoding="utf-8") as out:
        for at, (text, planted) in enumerate(rows):
            row = {"id": at, "planted": planted, "text": text}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return path.stat().st_size
