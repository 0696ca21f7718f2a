"""All near pairs of a million fingerprints, against a NumPy block join; both must find the same."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import ilk
from benchmarks import timing
from benchmarks.rows import Row, WrongAnswerError

Bits = np.ndarray[Any, np.dtype[np.uint64]]

COUNT = 1_000_000
_BITS = 64

#: Per radius: how many blocks the NumPy join cuts, how many rounds it is given, and the target. Of
#: ``radius + k`` blocks ``k`` are equal in every pair sought; more blocks make fewer candidates and
#: more sorting.
_PLANS = {3: (4, 3, "<= 0.2 CPU-s"), 6: (8, 3, ""), 10: (13, 1, "")}


def run() -> list[Row]:
    """CPU seconds of the self-join per radius.

    Raises:
        WrongAnswerError: the two joins differ.
    """
    return [row for radius in _PLANS for row in _measured(radius)]


def _measured(radius: int) -> list[Row]:
    blocks, rounds, target = _PLANS[radius]
    fingerprints = planted(COUNT, radius, np.random.default_rng(radius))
    column = pa.array(fingerprints)
    found = ilk.hamming.pairs(column, radius, jobs=1)
    theirs: list[Bits] = []
    numpy_seconds = timing.medians(
        {
            "sort": lambda: timing.cpu(lambda: np.sort(fingerprints)),
            "join": lambda: timing.cpu(
                lambda: theirs.append(block_join(fingerprints, radius, blocks))
            ),
        },
        rounds,
    )
    seconds = timing.medians(
        {"ilk": lambda: timing.cpu(partial(ilk.hamming.pairs, column, radius))}
    )
    ours = np.stack([found.column(side).to_numpy() for side in ("left", "right")], axis=1)
    ours = ours[np.lexsort((ours[:, 1], ours[:, 0]))]
    if not np.array_equal(ours, theirs[0]):
        raise WrongAnswerError(f"radius {radius}: {len(ours)} pairs, NumPy has {len(theirs[0])}.")
    name, unit = f"hamming: 10^6, radius {radius}", "CPU-s"
    join, sort = numpy_seconds["join"], numpy_seconds["sort"]
    return [
        Row(f"{name}, pairs found by both", len(ours), "pairs"),
        Row(f"{name}, NumPy block join, rounds: {rounds}", join, unit),
        Row(name, seconds["ilk"], unit, seconds["ilk"] / join, "NumPy block join", target),
        Row(f"{name}, again", seconds["ilk"], unit, seconds["ilk"] / sort, "np.sort"),
    ]


def planted(count: int, radius: int, random: np.random.Generator) -> Bits:
    """Random fingerprints; one in a hundred lies within the radius of another."""
    bits = random.integers(0, 1 << 64, count, np.uint64)
    rows = random.permutation(count)[: count // 100 * 2].reshape(2, -1)
    for at, (origin, neighbour) in enumerate(rows.T):
        flipped = random.choice(_BITS, at % (radius + 1), replace=False).astype(np.uint64)
        mask = np.bitwise_or.reduce(np.uint64(1) << flipped, initial=np.uint64(0))
        bits[neighbour] = bits[origin] ^ mask
    return bits


def block_join(bits: Bits, radius: int, blocks: int) -> Bits:
    """Every pair of rows within the radius, as sorted rows ``(left, right)``.

    Two fingerprints within the radius differ in at most ``radius`` of the blocks, so that they
    agree in some ``blocks - radius`` of them: a table for each such choice, sorted by the bits of
    the chosen blocks, has them in one run (Manku, Jain and Das Sarma 2007, section 3).
    """
    found = [_near(bits, mask, radius) for mask in _masks(blocks, radius)]
    return np.unique(np.concatenate(found), axis=0)


def _masks(blocks: int, radius: int) -> Iterator[np.uint64]:
    """For every choice of blocks that may agree, their bits."""
    edges = [_BITS * block // blocks for block in range(blocks + 1)]
    each = [(1 << high) - (1 << low) for low, high in itertools.pairwise(edges)]
    for chosen in itertools.combinations(each, blocks - radius):
        yield np.uint64(sum(chosen))


def _near(bits: Bits, mask: np.uint64, radius: int) -> Bits:
    """The pairs within the radius among fingerprints that agree under the mask."""
    order = np.argsort(bits & mask, kind="stable").astype(np.uint64)
    ordered = bits[order]
    keys = ordered & mask
    found = []
    # In a run of equal keys every row is against the next one, then with the one after it,
    # and so on until no run is that long.
    first = np.arange(len(bits))
    for step in itertools.count(1):
        first = first[first + step < len(bits)]
        first = first[keys[first] == keys[first + step]]
        if not len(first):
            break
        near = first[np.bitwise_count(ordered[first] ^ ordered[first + step]) <= radius]
        found.append(np.sort(np.stack([order[near], order[near + step]], axis=1), axis=1))
    return np.concatenate(found) if found else np.empty((0, 2), np.uint64)
