"""The experiment: fingerprints of each file by every recipe, then every two files compared."""

from __future__ import annotations

import hashlib
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import ilk
from ilk.plugins import OptionError
from ilk_papers.comparing import compare_all_pairs
from ilk_papers.roth2013.collection import File
from ilk_papers.roth2013.copies import CopyName
from ilk_papers.roth2013.published import RADIUS
from ilk_papers.simhash import distance

#: The recipes that are measured side by side, by what the tables call them.
RECIPES = {
    "author": "roth2013",
    "words": "similarity-index",
    "3 characters": "simhash64/chars=3/weight=tf/ties=zero/none/min=1/ilk64/v1",
    "MinHash": "default",
}

#: Characters of texts that are fingerprinted at once.
_BATCH = 16 << 20

#: Pairs of files that are drawn to see how far apart two files are that have nothing in common.
_DRAWN = 20_000


@dataclass(frozen=True, slots=True)
class CorpusFiles:
    """The files, without their texts.

    Attributes:
        names: as they are read.
        sizes: bytes of every text in UTF-8.
        digests: SHA-256 of these bytes.
    """

    names: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)

    def add(self, files: Iterable[File]) -> None:
        """Note files."""
        for name, text in files:
            data = text.encode(errors="surrogatepass")
            self.names.append(name)
            self.sizes.append(len(data))
            self.digests.append(hashlib.sha256(data).digest())

    def group_rows_of_equal_files(self) -> list[list[int]]:
        """Return the rows of each group of two or more files with equal bytes."""
        groups: defaultdict[bytes, list[int]] = defaultdict(list)
        for row, digest in enumerate(self.digests):
            groups[digest].append(row)
        return [rows for rows in groups.values() if len(rows) > 1]


@dataclass(frozen=True, slots=True)
class FingerprintedCorpus:
    """The fingerprint of every file by one recipe, or null if it has too little text.

    Attributes:
        seconds: what the fingerprints took, without reading.
    """

    files: CorpusFiles
    fingerprints: pa.ChunkedArray
    seconds: float


def fingerprint_files(
    files: Iterable[File], recipes: Mapping[str, ilk.Recipe], *, jobs: int
) -> dict[str, FingerprintedCorpus]:
    """Return the fingerprints of every file by every recipe; texts are held batch by batch.

    Raises:
        OptionError: a recipe is not of 64 bits.
    """
    for recipe in recipes.values():
        if recipe.bits != 64:
            raise OptionError(
                f"{recipe} has {recipe.bits} bits; give a recipe of 64 bits, as in the paper."
            )
    read = CorpusFiles()
    prints: dict[str, list[pa.Array]] = {name: [] for name in recipes}
    seconds = dict.fromkeys(recipes, 0.0)
    for batch in _batches(files):
        read.add(batch)
        texts = pa.array([text for _, text in batch], pa.large_string())
        for name, recipe in recipes.items():
            start = time.perf_counter()
            made = ilk.fingerprint(texts, recipe, jobs=jobs)
            seconds[name] += time.perf_counter() - start
            prints[name].append(made)
    return {
        name: FingerprintedCorpus(read, pa.chunked_array(of, pa.uint64()), seconds[name])
        for name, of in prints.items()
    }


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """What comparing every two files found, and the exact join; both give the same pairs.

    Attributes:
        table: ``left`` and ``right``, rows of the files, and their ``distance``.
        comparisons: how many pairs of files there are.
        seconds: of comparing them all; ``join_seconds``: of the join.
        both_agree: whether both found the same.
    """

    table: pa.Table
    comparisons: int
    seconds: float
    join_seconds: float
    both_agree: bool


def measure_comparing_and_join(corpus: FingerprintedCorpus) -> Pairs:
    """Return the pairs that agree in at least 90 % of 64 bits: within a distance of 6."""
    prints = corpus.fingerprints
    rows = np.flatnonzero(prints.is_valid().to_numpy())
    numbers = prints.drop_null().to_numpy()
    start = time.perf_counter()
    codes = compare_all_pairs(numbers, RADIUS)
    middle = time.perf_counter()
    table = ilk.hamming.pairs(prints, RADIUS)
    end = time.perf_counter()
    count = len(numbers)
    left, right = rows[codes // max(1, count)], rows[codes % max(1, count)]
    equal = np.array_equal(left, table["left"]) and np.array_equal(right, table["right"])
    return Pairs(
        table=table,
        comparisons=count * (count - 1) // 2,
        seconds=middle - start,
        join_seconds=end - middle,
        both_agree=equal,
    )


@dataclass(frozen=True, slots=True)
class ModifiedCopies:
    """The modified copies whose original is there: what was done, and how far apart both are.

    Attributes:
        rows: of the copies among the files.
        kinds: ``i`` or ``d`` of each.
        percents: how much of the original was inserted or deleted.
        distances: in bits.
    """

    rows: NDArray[np.int64]
    kinds: NDArray[np.str_]
    percents: NDArray[np.int64]
    distances: NDArray[np.int64]

    def of_kind(self, kind: str) -> ModifiedCopies:
        """Return those of one kind."""
        chosen = self.kinds == kind
        return ModifiedCopies(
            self.rows[chosen], self.kinds[chosen], self.percents[chosen], self.distances[chosen]
        )


def measure_copies(corpus: FingerprintedCorpus) -> ModifiedCopies:
    """Return the modified copies, known by their names; those without a fingerprint left out."""
    rows = {name: row for row, name in enumerate(corpus.files.names)}
    prints = corpus.fingerprints.to_pylist()
    changes = []
    for row, (name, fingerprint) in enumerate(zip(corpus.files.names, prints, strict=True)):
        copy = CopyName.parse_or_none(name)
        original = None if copy is None else rows.get(copy.original)
        other = None if original is None else prints[original]
        if copy is not None and fingerprint is not None and other is not None:
            changes.append((row, copy.kind, copy.percent, distance(fingerprint, other)))
    at, kinds, percents, distances = zip(*changes, strict=True) if changes else ((), (), (), ())
    return ModifiedCopies(
        np.array(at, np.int64),
        np.array(kinds, np.str_),
        np.array(percents, np.int64),
        np.array(distances, np.int64),
    )


def count_matches(corpus: FingerprintedCorpus, pairs: pa.Table) -> NDArray[np.int64]:
    """Return how many other files each file is similar to."""
    ends = np.concatenate([pairs["left"].to_numpy(), pairs["right"].to_numpy()])
    return np.bincount(ends, minlength=len(corpus.files.names))


def draw_random_distances(corpus: FingerprintedCorpus, seed: int) -> NDArray[np.int64]:
    """Return the distances of some pairs of files drawn at random."""
    known = corpus.fingerprints.drop_null().to_numpy()
    if len(known) < 2:
        return np.zeros(0, np.int64)
    left, right = np.random.default_rng(seed).integers(len(known), size=(2, _DRAWN))
    apart: NDArray[np.int64] = np.bitwise_count(known[left] ^ known[right])[left != right].astype(
        np.int64
    )
    return apart
