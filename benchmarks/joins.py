"""Exact joins of many fingerprints: random ones of both widths, skewed ones and real ones."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import ilk
from benchmarks import corpus, peers, timing
from benchmarks.billion import JOIN
from benchmarks.hamming import COUNT, Bits
from benchmarks.rows import Row, WrongAnswerError

#: Count, width and radius of what is random but for planted pairs, and what is meant to be reached.
_RANDOM = (
    (10_000_000, 64, 3, "<= 0.5 CPU-s"),
    (10_000_000, 64, 6, "<= 2.5 CPU-s"),
    (COUNT, 64, 12, "<= 2.5 CPU-s"),
    (COUNT, 128, 6, "<= 0.15 CPU-s"),
    (COUNT, 128, 12, "<= 0.4 CPU-s"),
    (COUNT, 128, 20, "<= 2.5 CPU-s"),
    (10_000_000, 128, 6, "<= 1.3 CPU-s"),
    (10_000_000, 128, 12, "<= 6 CPU-s"),
)
#: One in this many lies within the radius of another.
_PLANTED = 1000
#: One in this many fingerprints of a skewed million shares half its bits with the others.
_SHARING = 5
#: The memory in which ten million are joined.
_MEMORY = "100MB"
#: The recipes of real fingerprints, and the radii at which they are joined.
_RECIPES = (ilk.Recipe(), ilk.Recipe(kind="minhash", bits=128))
_RADII = (3, 6, 10)
#: Count and radius of what other packages are asked too: once each, since they take long.
_PEERS_AT = ((COUNT, 3), (COUNT // 10, 6))


def run() -> list[Row]:
    """CPU seconds of each join.

    Raises:
        WrongAnswerError: a planted pair is not among those found.
    """
    return [*_random(), *_skewed(), *_within(), *_real(), *_peers()]


def _random() -> Iterator[Row]:
    for count, bits, radius, target in _RANDOM:
        values, planted = drawn(count, bits, radius, np.random.default_rng(radius))
        column = as_column(values)
        name = f"joins: {count:,} of {bits} bits, radius {radius}"
        found = ilk.hamming.pairs(column, radius, jobs=1)
        if missing := len(planted - pairs_of(found)):
            raise WrongAnswerError(
                f"{name}: {missing} of {len(planted)} planted pairs are missing."
            )
        sort, join = partial(np.sort, values.ravel()), partial(ilk.hamming.pairs, column, radius)
        seconds = timing.medians(
            {"sort": partial(timing.cpu, sort), "join": partial(timing.cpu, join)}
        )
        ratio = seconds["join"] / seconds["sort"]
        yield Row(name, seconds["join"], "CPU-s", ratio, "np.sort of their words", target)


def _skewed() -> Iterator[Row]:
    random = np.random.default_rng(1)
    even = random.integers(0, 1 << 64, COUNT, np.uint64)
    skewed = even.copy()
    skewed[::_SHARING] &= np.uint64(0xFFFF_FFFF)
    seconds = timing.medians(
        {
            "even": lambda: timing.cpu(lambda: ilk.hamming.pairs(even, 3, jobs=1)),
            "skewed": lambda: timing.cpu(lambda: ilk.hamming.pairs(skewed, 3, jobs=1)),
        }
    )
    name = f"joins: {COUNT:,}, radius 3, one in {_SHARING} sharing 32 bits"
    ratio = seconds["skewed"] / seconds["even"]
    yield Row(name, seconds["skewed"], "CPU-s", ratio, "none sharing", "<= 15 x")


def _within() -> Iterator[Row]:
    """Skewed ones in little memory, against even ones; each join is a process of its own."""
    random = np.random.default_rng(1)
    even = random.integers(0, 1 << 64, 10 * COUNT, np.uint64)
    costs = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, agreeing in (("even", 0), ("12 bits", 12), ("24 bits", 24)):
            values, path = even.copy(), Path(folder, "column")
            values[::3] &= np.uint64((1 << 64 - agreeing) - 1)
            values.tofile(path)
            costs[name] = _joined(path, _MEMORY)
    for name, (cpu, peak) in costs.items():
        shared = "" if name == "even" else f", one in 3 sharing {name}"
        title = f"joins: {10 * COUNT:,}, radius 3, memory {_MEMORY}{shared}, rounds: 1"
        yield Row(title, cpu, "CPU-s", cpu / costs["even"][0], "none sharing")
        yield Row(f"{title}, peak memory", peak / 1e6, "MB", target=f"<= {_MEMORY}")


def _joined(path: Path, memory: str) -> tuple[float, int]:
    """CPU seconds, and bytes of memory beyond those of the process before, its file apart."""
    pairs, told = path.with_name("pairs.npy"), path.with_name("told.json")
    cost = timing.command([sys.executable, JOIN, path, "3", memory, pairs, told])
    facts = json.loads(told.read_text())
    return cost.cpu, facts["own"] - facts["before"]


def _real() -> Iterator[Row]:
    texts = corpus.load()
    for recipe in _RECIPES:
        column = pc.unique(ilk.fingerprint(texts.texts, recipe)).drop_null()
        even = as_column(drawn(len(column), recipe.bits, 0, np.random.default_rng(2))[0])
        for radius in _RADII:
            found = len(ilk.hamming.pairs(column, radius, jobs=1)) - len(
                ilk.hamming.pairs(even, radius)
            )
            seconds = timing.medians(
                {
                    "real": partial(timing.cpu, partial(ilk.hamming.pairs, column, radius)),
                    "even": partial(timing.cpu, partial(ilk.hamming.pairs, even, radius)),
                }
            )
            excess = (seconds["real"] - seconds["even"]) / max(found, 1) * 1e6
            name = f"joins: {texts.name}, {recipe.kind} of {recipe.bits} bits, radius {radius}"
            ratio = seconds["real"] / seconds["even"]
            yield Row(f"{name}, distinct", len(column), "fingerprints")
            yield Row(f"{name}, more pairs than random", found, "pairs")
            yield Row(name, seconds["real"], "CPU-s", ratio, "as many random ones")
            yield Row(f"{name}, excess a pair", excess, "CPU-us", target="<= 0.3 us")


def _peers() -> Iterator[Row]:
    if reason := peers.missing():
        print(f"no other packages beside the joins: {reason}", file=sys.stderr)
        return
    for count, radius in _PEERS_AT:
        values = drawn(count, 64, radius, np.random.default_rng(radius))[0]
        column = pa.array(np.unique(values))
        ours = ilk.hamming.pairs(column, radius, jobs=1).select(["left", "right"])
        join = partial(ilk.hamming.pairs, column, radius)
        seconds = timing.medians({"ilk": partial(timing.cpu, join)})["ilk"]
        for peer in peers.NEAR_NAMES:
            answer = peers.near(peer, column, radius)
            both = ours.join(answer.pairs, ["left", "right"], join_type="inner").num_rows
            if both < len(answer.pairs):
                raise WrongAnswerError(f"{peer} finds {len(answer.pairs) - both} pairs more.")
            name = f"joins: {peer}, {count:,}, radius {radius}, rounds: 1"
            yield Row(name, answer.cpu, "CPU-s", answer.cpu / seconds, "ilk")
            yield Row(f"{name}, recall", both / len(ours), "of ilk's pairs")


def drawn(
    count: int, bits: int, radius: int, random: np.random.Generator
) -> tuple[Bits, set[tuple[int, int]]]:
    """Random fingerprints as rows of words, and the pairs of rows planted within the radius."""
    values = random.integers(0, 1 << 64, (count, bits // 64), np.uint64)
    rows = random.permutation(count)[: count // _PLANTED * 2].reshape(2, -1)
    values[rows[1]] = values[rows[0]]
    for at, row in enumerate(rows[1]):
        for bit in random.choice(bits, at % (radius + 1), replace=False):
            values[row, bit // 64] ^= np.uint64(1) << np.uint64(bit % 64)
    rows.sort(axis=0)
    return values, set(zip(*rows.tolist(), strict=True))


def as_column(values: Bits) -> pa.Array:
    """Rows of one or two words as a column of fingerprints."""
    if values.shape[1] == 1:
        return pa.array(values[:, 0])
    buffers = [None, pa.py_buffer(values)]
    return pa.Array.from_buffers(pa.binary(16), len(values), buffers)


def pairs_of(found: pa.Table) -> set[tuple[Any, ...]]:
    """The rows of each pair."""
    return set(zip(*(found[side].to_pylist() for side in ("left", "right")), strict=True))
