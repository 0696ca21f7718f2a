"""The evidence of a text, made in one pass, against `wc -w`."""

from __future__ import annotations

import tempfile
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa

import ilk.arrow
from benchmarks import corpus, timing
from benchmarks.rows import Row
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence

#: Words per shingle.
_SHINGLE = 3

_ROUNDS = 5

#: Texts in one script are taken so often that there are this many megabytes to measure.
_ENOUGH = 20.0

#: Lines of texts, which stand for titles.
_LINES = 500_000


def run() -> list[Row]:
    """MB of text per CPU second."""
    whole = corpus.load()
    found = _measured(whole, ">= 5 x")
    found += _measured(_titles(whole))
    for texts in _scripts(corpus.multilingual()):
        found += _measured(texts)
    return found


def _measured(texts: corpus.Corpus, target: str = "") -> list[Row]:
    """Rows for the evidence of a collection."""
    column = ilk.arrow.import_texts(texts.texts)
    with tempfile.TemporaryDirectory() as folder:
        flat = Path(folder, "texts")
        corpus.write_flat(texts.texts, flat)
        seconds = timing.medians(
            {
                "`wc -w`": lambda: timing.command(["wc", "-w", flat]).cpu,
                "evidence": partial(_warm, partial(_evidence, column)),
            },
            _ROUNDS,
        )
    words, speed = (texts.megabytes / seconds[name] for name in ("`wc -w`", "evidence"))
    each = seconds["evidence"] / len(texts.texts) * 1e9
    return [
        Row(f"evidence: `wc -w`, {texts.name}", words, "MB/CPU-s"),
        Row(
            f"evidence: evidence, {texts.name}",
            speed,
            "MB/CPU-s",
            speed / words,
            "`wc -w`",
            target,
        ),
        Row(f"evidence: a text, {texts.name}", each, "CPU-ns/text"),
    ]


def _warm(task: Callable[[], object]) -> float:
    """CPU seconds of the second of two calls: the first gets memory that others gave back."""
    task()
    return timing.cpu(task)


def _evidence(column: pa.ChunkedArray) -> None:
    Evidence.from_texts(column, Counting(_SHINGLE), 1)


def _titles(texts: corpus.Corpus) -> corpus.Corpus:
    """The lines of texts that are not blank."""
    lines: list[str] = []
    for text in texts.texts:
        lines += (line for line in text.as_py().splitlines() if line.strip())
        if len(lines) >= _LINES:
            break
    return corpus.Corpus(f"lines of {texts.name}", pa.array(lines[:_LINES], pa.large_string()))


def _scripts(texts: corpus.Corpus) -> list[corpus.Corpus]:
    """The texts of each script that five of them are written in, or more."""
    by_script = defaultdict(list)
    for text in texts.texts.to_pylist():
        by_script[_script(text)].append(text)
    found = []
    for script, some in sorted(by_script.items()):
        if len(some) >= 5:
            once = corpus.Corpus(script, pa.array(some, pa.large_string()))
            times = max(1, round(_ENOUGH / once.megabytes))
            name = f"{script}, {texts.name}"
            found.append(corpus.Corpus(name, pa.concat_arrays([once.texts] * times)))
    return found


def _script(text: str) -> str:
    """What the names of most letters of a text begin with."""
    letters = Counter(c for c in text if c.isalpha())
    names: Counter[str] = Counter()
    for letter, count in letters.items():
        names[unicodedata.name(letter, "unknown").split()[0].capitalize()] += count
    return names.most_common(1)[0][0] if names else "None"
