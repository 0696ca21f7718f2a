"""The experiment: one fingerprint for each file, then every two files compared."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ilk.base.errors import OptionError
from ilk.fingerprints import hamming
from ilk.fingerprints.recipe import Recipe
from ilk.search import steps
from ilk_papers.comparing import compared
from ilk_papers.roth2013.collection import File
from ilk_papers.roth2013.copies import Copy
from ilk_papers.roth2013.published import RADIUS
from ilk_papers.simhash import distance

#: Characters of texts that are fingerprinted at once.
_BATCH = 16 << 20


@dataclass(frozen=True, slots=True)
class Fingerprinted:
    """Files by name, with the fingerprint of each, or null if it has too little text.

    Attributes:
        sizes: bytes of every text in UTF-8.
        seconds: what the fingerprints took, without reading.
    """

    names: list[str]
    sizes: NDArray[np.int64]
    fingerprints: pa.ChunkedArray
    seconds: float


def fingerprinted(files: Iterable[File], recipe: Recipe, *, jobs: int) -> Fingerprinted:
    """Return the fingerprint of every file; no more of them are held at once than fit a batch.

    Raises:
        OptionError: the recipe is not of 64 bits.
    """
    if recipe.bits != 64:
        raise OptionError(
            f"{recipe} has {recipe.bits} bits; give a recipe of 64 bits, as in the paper."
        )
    names: list[str] = []
    sizes, prints, seconds = [], [], 0.0
    for batch in _batches(files):
        names += (name for name, _ in batch)
        texts = pa.array([text for _, text in batch], pa.large_string())
        sizes.append(pc.binary_length(texts))
        start = time.perf_counter()
        prints.append(steps.fingerprint_texts(texts, recipe, jobs=jobs))
        seconds += time.perf_counter() - start
    size = pa.chunked_array(sizes, pa.int64()).to_numpy()
    return Fingerprinted(names, size, pa.chunked_array(prints, pa.uint64()), seconds)


def _batches(files: Iterable[File]) -> Iterator[list[File]]:
    batch: list[File] = []
    size = 0
    for each in files:
        batch.append(each)
        size += len(each[1])
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class Pairs:
    """What comparing every two files found, and the exact join; both give the same pairs.

    Attributes:
        table: ``left`` and ``right``, rows of the files, and their ``distance``.
        comparisons: how many pairs of files there are.
        seconds: of comparing them all; ``join_seconds``: of the join.
        equal: whether both found the same.
    """

    table: pa.Table
    comparisons: int
    seconds: float
    join_seconds: float
    equal: bool


def pairs(of: Fingerprinted) -> Pairs:
    """Return the pairs that agree in at least 90 % of 64 bits: within a distance of 6."""
    prints = of.fingerprints
    rows = np.flatnonzero(prints.is_valid().to_numpy())
    known = prints.drop_null().to_numpy()
    start = time.perf_counter()
    codes = compared(known, RADIUS)
    middle = time.perf_counter()
    table = hamming.pairs(prints, RADIUS)
    end = time.perf_counter()
    count = len(known)
    left, right = rows[codes // max(1, count)], rows[codes % max(1, count)]
    equal = np.array_equal(left, table["left"]) and np.array_equal(right, table["right"])
    return Pairs(table, count * (count - 1) // 2, middle - start, end - middle, equal)


@dataclass(frozen=True, slots=True)
class Copies:
    """The modified copies whose original is there: what was done, and how far apart both are.

    Attributes:
        kinds: ``i`` or ``d`` of each.
        percents: how much of the original was inserted or deleted.
        distances: in bits.
    """

    kinds: NDArray[np.str_]
    percents: NDArray[np.int64]
    distances: NDArray[np.int64]

    def of_kind(self, kind: str) -> Copies:
        """Return those of one kind."""
        chosen = self.kinds == kind
        return Copies(self.kinds[chosen], self.percents[chosen], self.distances[chosen])


def copies(of: Fingerprinted) -> Copies:
    """Return the modified copies, known by their names; those without a fingerprint left out."""
    rows = {name: row for row, name in enumerate(of.names)}
    prints = of.fingerprints.to_pylist()
    changes = []
    for name, fingerprint in zip(of.names, prints, strict=True):
        copy = Copy.parse(name)
        original = None if copy is None else rows.get(copy.original)
        other = None if original is None else prints[original]
        if copy is not None and fingerprint is not None and other is not None:
            changes.append((copy.kind, copy.percent, distance(fingerprint, other)))
    kinds, percents, distances = zip(*changes, strict=True) if changes else ((), (), ())
    whole = (np.array(numbers, np.int64) for numbers in (percents, distances))
    return Copies(np.array(kinds, np.str_), *whole)


def matches(of: Fingerprinted, pairs: pa.Table) -> NDArray[np.int64]:
    """Return how many other files each file is similar to."""
    ends = np.concatenate([pairs["left"].to_numpy(), pairs["right"].to_numpy()])
    return np.bincount(ends, minlength=len(of.names))


def same_text(of: Fingerprinted, pairs: pa.Table) -> int:
    """Return pairs of equal fingerprint and size: exact copies under other names."""
    left, right = pairs["left"].to_numpy(), pairs["right"].to_numpy()
    equal = (pairs["distance"].to_numpy() == 0) & (of.sizes[left] == of.sizes[right])
    return int(np.count_nonzero(equal))
