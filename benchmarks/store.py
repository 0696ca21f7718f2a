"""Stores of millions of fingerprints, and of texts; and a folder kept in step with one.

All must find what is there.
"""

from __future__ import annotations

import itertools
import random
import statistics
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from tests.support.stores import put_fingerprints

import ilk
from benchmarks import corpus, short, timing
from benchmarks.hamming import Bits
from benchmarks.product import ilk as command
from benchmarks.rows import Row, WrongAnswerError

#: Documents of a store, and per radius the milliseconds meant for one question.
_STORES = {
    1_000_000: ({3: "<= 0.2 ms", 10: "<= 1 ms"}, "<= 0.5 s"),
    10_000_000: ({3: "<= 0.3 ms", 10: "<= 5 ms"}, "<= 3 s"),
}

#: Fingerprints that are added at a time, and questions that are asked.
_BATCH = 10_000
_QUERIES = 300

#: Files of a folder that is kept in step, in folders of this many.
_FILES = 20_000
_EACH = 500

_RECIPE = ilk.Recipe(bits=64)

#: Texts of a store, and questions that are asked, half of them of texts like stored ones.
_TEXTS = 30_000
_ASKED = 400

#: Short texts of a store, with the target of adding them all; and how many are added at a time,
#: before some are added one by one.
_SHORT = {100_000: "", 1_000_000: "<= 40 s"}
_SHORT_BATCH, _ONE_BY_ONE = 100_000, 200

#: Invented documents among which one is looked for, in families of this many, and their words.
_MANY, _FAMILY, _WORDS = 100_000, 5, 150


def run() -> list[Row]:
    """Time and memory of a store, and of a folder that is kept in step with one.

    Raises:
        WrongAnswerError: a fingerprint or a text is not found, or a second sync finds something to
            do.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = [row for count in _STORES for row in _store(folder / f"{count}.ilk", count)]
        found += [row for exact in (False, True) for row in _texts(folder / f"{exact}.ilk", exact)]
        found += [row for count in _SHORT for row in _short(folder, count)]
        return [*found, _one(folder / "one.ilk"), *_sync(folder)]


def _store(path: Path, count: int) -> list[Row]:
    """One round: making a store of ten million takes minutes."""
    radii, opening = _STORES[count]
    values = np.random.default_rng(count).integers(0, 1 << 64, count, np.uint64, endpoint=False)
    with ilk.Store(path, recipe=_RECIPE) as store:
        added = timing.cpu(
            lambda: [
                put_fingerprints(store, pa.array(values[start : start + _BATCH]))
                for start in range(0, count, _BATCH)
            ]
        )
    index = timing.cpu(lambda: ilk.hamming.Index(pa.array(values), store.settings.radius))
    name = f"store: {count:,} documents"
    rows = [
        Row(f"{name}, added {_BATCH:,} at a time", count / added, "a CPU-s", target=">= 150,000")
    ]
    with ilk.Store(path) as store:
        opened = timing.cpu(lambda: store.check_fingerprint(int(values[0]), 0))
        rows.append(Row(f"{name}, opened", opened, "CPU-s", opened / index, "the index", opening))
        rows += [_asked(name, store, values, radius, target) for radius, target in radii.items()]
        size = store.stats()["index_bytes"] / count
    rows.append(Row(f"{name}, memory", size, "B each", target="<= 110 B"))
    return rows


def _asked(name: str, store: ilk.Store, values: Bits, radius: int, target: str) -> Row:
    near = [int(value) ^ (1 << at % 64) for at, value in enumerate(values[:_QUERIES])]
    for at, value in itertools.islice(enumerate(near), 20):
        if at not in {match.id for match in store.check_fingerprint(value, radius)}:
            raise WrongAnswerError(f"document {at} is not found within {radius} bits.")
    seconds = timing.medians(
        {"ask": lambda: timing.cpu(lambda: [store.check_fingerprint(v, radius) for v in near])}
    )
    return Row(
        f"{name}, asked within {radius}", seconds["ask"] / len(near) * 1e3, "CPU-ms", target=target
    )


def _texts(path: Path, exact: bool) -> list[Row]:
    """Questions about texts, most of the time for which goes to the texts themselves."""
    texts = corpus.distinct()
    stored = texts.texts.slice(0, _TEXTS)
    with ilk.Store(path, exact=exact) as store:
        added = timing.cpu(lambda: store.add_many(stored))
    half = _ASKED // 2
    like = corpus.reworded(stored.slice(0, half), 0.01, 1).to_pylist()
    asked = {
        "like a stored one": like,
        "unlike": corpus.reworded(stored, 0.5, 2)[:half].to_pylist(),
    }
    name = f"store: {len(stored):,} {texts.name} texts{', exact' if exact else ''}"
    rows = [Row(f"{name}, added", len(stored) / added, "a CPU-s")]
    with ilk.Store(path) as store:
        opened = timing.cpu(lambda: store.check("a text"))
        target = "<= 0.2 s" if exact else ""
        rows.append(Row(f"{name}, opened", opened, "CPU-s", target=target))
        found = sum(bool(store.check(text, resemblance=0.8)) for text in like)
        if found < 0.8 * half:
            raise WrongAnswerError(f"{found} of {half} texts are like a stored one.")
        seconds = timing.medians(
            {
                what: partial(timing.cpu, partial(_check, store, some))
                for what, some in asked.items()
            }
        )
        rows += [
            Row(f"{name}, asked for a text {what}", spent / half * 1e3, "CPU-ms")
            for what, spent in seconds.items()
        ]
        size = store.stats()["index_bytes"] / len(stored)
    return [*rows, Row(f"{name}, memory", size, "B each")]


def _short(folder: Path, count: int) -> list[Row]:
    """Short texts, added in this process; then one is checked from the shell."""
    every = short.pieces(corpus.load().texts.unique().to_pylist())
    texts, more = (list(itertools.islice(every, some)) for some in (count, _ONE_BY_ONE))
    path, asked = folder / f"short{count}.ilk", folder / "asked.txt"
    asked.write_text(texts[count // 2], encoding="utf-8", errors="replace")
    with ilk.Store(path, jobs=1) as store:
        added = timing.cpu(
            lambda: [
                store.add_many(texts[start : start + _SHORT_BATCH])
                for start in range(0, count, _SHORT_BATCH)
            ]
        )
        one = statistics.median(timing.cpu(partial(store.add, text)) for text in more)
    costs = [
        timing.command([command(), "store", "check", path, asked, "--quiet", "--jobs", "1"])
        for _ in range(timing.ROUNDS)
    ]
    start = statistics.median(
        timing.command([command(), "--version"]).cpu for _ in range(timing.ROUNDS)
    )
    checked = statistics.median(cost.cpu for cost in costs) - start
    name = f"store: {count:,} texts of 12 to 35 words"
    return [
        Row(f"{name}, added", added, "CPU-s", target=_SHORT[count]),
        Row(f"{name}, one more added, p50", one * 1e3, "CPU-ms"),
        Row(f"{name}, one checked, over `ilk --version`", checked, "CPU-s", target="<= 0.2 s"),
        Row(f"{name}, the same, memory", costs[0].peak / 1e6, "MB", target="<= 60 MB"),
    ]


def _one(path: Path) -> Row:
    """What a document is like, one at a time: each is new to the processor's cache."""
    draw = random.Random(20)
    families = [
        [f"w{draw.randrange(_MANY)}" for _ in range(_WORDS)] for _ in range(_MANY // _FAMILY)
    ]
    with ilk.Store(path) as store:
        for start in range(0, len(families), _EACH):
            some = families[start : start + _EACH]
            store.add_many(
                [f"{' '.join(words)} copy{number}" for words in some for number in range(_FAMILY)]
            )
        spent = []
        for words in families[:: len(families) // _QUERIES]:
            text = " ".join(words)
            spent.append(timing.cpu(partial(store.check, text)))
            if len(store.check(text)) < _FAMILY:
                raise WrongAnswerError(f"not all of {_FAMILY} documents are found.")
    name = f"store: {_MANY:,} documents, one checked that is like {_FAMILY}, p50"
    return Row(name, statistics.median(spent) * 1e3, "CPU-ms", target="<= 0.3 ms")


def _check(store: ilk.Store, texts: list[str]) -> None:
    for text in texts:
        store.check(text)


def _sync(folder: Path) -> list[Row]:
    texts = corpus.load()
    for number, text in enumerate(texts.texts.slice(0, _FILES).to_pylist()):
        below = folder / "files" / str(number // _EACH)
        below.mkdir(parents=True, exist_ok=True)
        (below / f"{number}.txt").write_text(text, encoding="utf-8", errors="replace")
    fresh = (folder / f"{number}.ilk" for number in itertools.count())

    def cost(*words: str | Path, allowed: tuple[int, ...] = (0,)) -> float:
        return timing.command([command(), *words, folder / "files", "--quiet"], allowed).cpu

    kept = folder / "kept.ilk"
    cost("store", "sync", kept)
    with ilk.Store(kept) as store:
        again = store.sync(folder / "files")
        if again.new or again.changed or again.vanished or len(store) != again.unchanged:
            raise WrongAnswerError(f"a second sync found {len(again.new)} new files.")
    seconds = timing.medians(
        {
            "scan": lambda: cost("scan", allowed=(0, 1, 3)),
            "first": lambda: cost("store", "sync", next(fresh)),
            "second": lambda: cost("store", "sync", kept),
        }
    )
    name = f"store: sync of {again.unchanged:,} files of {texts.name}"
    first, scan = seconds["first"], seconds["scan"]
    return [
        Row(f"{name}, first", first, "CPU-s", first / scan, "`ilk scan`", "<= 1.15"),
        Row(f"{name}, second", seconds["second"], "CPU-s", target="<= 1 s"),
    ]
