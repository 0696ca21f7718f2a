"""A batch of tonight against all former ones in a store, beside reading all of them again.

Batches of short texts, cut as in ``benchmarks.short``, are deduplicated against exact stores of
some sizes, which hold what a run over the past keeps. The rows that stay must be those that one run
over everything would keep.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import ilk
from benchmarks import corpus, short, timing
from benchmarks.product import ilk as command
from benchmarks.rows import Row, WrongAnswerError

#: Texts of a store, as far as the environment allows, and of a batch.
_STORES = (10**5, 10**6, 10**7)
_MOST = int(os.environ.get("ILK_NIGHTS_TEXTS", "1000000"))
_BATCHES = (10**4, 10**5)

#: Texts that are added to a store at a time.
_ADDED = 100_000

_WORDS = ("--quiet", "--force", "--accept-alarm", "--jobs", "1")


def run() -> Iterator[Row]:
    """Yield CPU seconds a row of a batch, their growth with the store, and those of one run.

    Raises:
        WrongAnswerError: a batch keeps other rows than one run over everything does.
    """
    texts = corpus.load().texts.unique().to_pylist()
    before = dict[int, float]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in (size for size in _STORES if size <= _MOST):
            stored = list(islice(short.pieces(texts), size + max(_BATCHES)))
            past, tonight = stored[:size], stored[size:]
            store, kept = folder / f"{size}.ilk", folder / "kept.jsonl"
            source = _write(folder / "past.jsonl", past)
            timing.command([command(), "dedup", source, "-o", kept, *_WORDS])
            texts_kept = [json.loads(line)["text"] for line in kept.read_text().splitlines()]
            title = f"nights: {len(texts_kept):,} texts added, kept of {size:,}"
            yield Row(title, _fill(store, texts_kept), "CPU-s")
            for count in _BATCHES:
                batch = _write(folder / "batch.jsonl", tonight[:count])
                output = folder / "new.jsonl"
                words: list[str | Path] = [
                    command(),
                    "dedup",
                    batch,
                    "--against",
                    store,
                    "-o",
                    output,
                    *_WORDS,
                ]
                cost = timing.command(words)
                title = f"nights: a batch of {count:,} against {size:,}"
                each = cost.cpu / count * 1e6
                growth = each / before[count] if count in before else None
                yield Row(title, each, "CPU-us a row", growth, "the store before", "<= 1.3 of it")
                yield Row(f"{title}, peak memory", cost.peak / 1e6, "MB")
                before[count] = each
                everything = _write(folder / "all.jsonl", [*past, *tonight[:count]])
                whole = folder / "once.jsonl"
                again = timing.command([command(), "dedup", everything, "-o", whole, *_WORDS])
                yield Row(
                    f"{title}, all read again", again.cpu, "CPU-s", again.cpu / cost.cpu, "it"
                )
                _check(output, whole, set(past))


def _fill(path: Path, texts: list[str]) -> float:
    def add() -> None:
        with ilk.Store(path, exact=True, texts=True) as store:
            for at in range(0, len(texts), _ADDED):
                store.add_many(texts[at : at + _ADDED])

    return timing.cpu(add)


def _write(path: Path, texts: list[str]) -> Path:
    with path.open("w") as out:
        out.writelines(json.dumps({"text": text}) + "\n" for text in texts)
    return path


def _check(batch: Path, whole: Path, past: set[str]) -> None:
    """Compare the new rows that stay with those of one run; a row that stands in both is old."""
    once = [line for line in whole.read_text().splitlines() if json.loads(line)["text"] not in past]
    if batch.read_text().splitlines() != once:
        raise WrongAnswerError("a batch against a store keeps other rows than one run")
