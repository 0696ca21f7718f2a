"""`ilk dedup` of data sets larger than the memory it may use: CPU a gigabyte, and peak memory.

The large sets are the corpus many times over, the words of every copy salted, so that copies are
strangers to one another, with one row in 20 planted again, two words in a hundred changed.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks import corpus, timing
from benchmarks.dedup import write
from benchmarks.product import ilk
from benchmarks.rows import Row
from ilk import arrow
from ilk.arrow import verdicts
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence, Thresholds

#: Bytes of the sets, and what the process may use: a gigabyte shall cost the same at any size.
_SETS = ((205 * 10**6, "200MB"), (3 * 10**9, "1GB"), (15 * 10**9, "1.5GB"), (30 * 10**9, "1.5GB"))

_PLANTED = 20
_CHANGED = 0.02


def run() -> Iterator[Row]:
    """Yield the rows of every set for which the disk has room."""
    texts = corpus.load().texts.to_pylist()
    with tempfile.TemporaryDirectory() as folder:
        for size, memory in _SETS:
            # The salted set is half as large again; so are what is kept of it, and its shingles.
            if 9 * size // 2 < shutil.disk_usage(folder).free:
                yield from _large(texts, size, memory, Path(folder))


def _large(texts: list[str], size: int, memory: str, folder: Path) -> list[Row]:
    source, output = folder / "large.jsonl", folder / "large-out.jsonl"
    planted: list[bool] = []
    written = write_salted(source, texts, size, planted)
    words: list[str | Path] = [ilk(), "dedup", source, "-o", output, "--force", "--quiet"]
    cost = timing.command([*words, "--memory", memory, "--accept-alarm"])
    dropped = pq.read_table(folder / "large-out.jsonl.ilk" / "dropped.parquet")["doc"]
    report = json.loads((folder / "large-out.jsonl.ilk" / "report.json").read_text())
    gone = pc.is_in(pa.arange(0, len(planted)), value_set=dropped.combine_chunks())
    looked = pa.array(planted)
    recall = (pc.sum(pc.and_(looked, gone)).as_py() or 0) / (pc.sum(looked).as_py() or 1)
    source.unlink()
    output.unlink()
    way = report["promise"].partition(":")[0]
    title = f"beyond: {len(planted):,} rows, {written / 1e9:.1f} GB, --memory {memory} ({way})"
    return [
        Row(title, cost.cpu, "CPU-s", cost.cpu / (written / 1e9), "a GB"),
        Row(f"{title}, peak memory", cost.peak / 1e6, "MB", target=f"<= {memory}"),
        Row(f"{title}, planted rows dropped", recall, "of them"),
    ]


def write_salted(path: Path, texts: list[str], size: int, near: list[bool]) -> int:
    """Write about ``size`` characters of texts and planted rows as JSON lines, not counting salt.

    Returns:
        The bytes of the file.
    """
    copies = max(1, round(size / (1 + 1 / _PLANTED) / sum(map(len, texts))))
    return write(path, _salted(texts, copies, near))


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
    evidence = Evidence.from_texts(arrow.import_texts([*left, *right]), Counting(3), 1)
    judged = evidence.judge_pairs(rows, pc.add(rows, len(left)), Thresholds(Fraction(4, 5)))
    return list(pc.is_in(judged["verdict"], pa.array(verdicts.SAME)).to_pylist())
