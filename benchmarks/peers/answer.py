"""One package's answer: ``answer.py PACKAGE RESEMBLANCE ASKED FOUND``.

Runs in the packages' own environment, so that it imports nothing of the benchmarks. ``ASKED`` holds
texts and their sets of word 3-shingles; the pairs go to ``FOUND`` and the CPU seconds to stdout.
Packages that estimate have their candidates verified on the sets, as their users would do.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather

Pairs = Iterable[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Question:
    """Texts, their sets of shingles, and the least resemblance of the pairs that are wanted."""

    texts: list[str]
    sets: list[list[int]]
    resemblance: float


def set_similarity_search(asked: Question) -> Pairs:
    """SetSimilaritySearch: AllPairs, exact."""
    search = import_module("SetSimilaritySearch")
    rows = [row for row, shingles in enumerate(asked.sets) if shingles]
    found = search.all_pairs([asked.sets[row] for row in rows], "jaccard", asked.resemblance)
    return [(rows[a], rows[b]) for a, b, _ in found]


def datasketch(asked: Question) -> Pairs:
    """MinHashLSH of 128 permutations, its bands chosen for the threshold; shingles come hashed."""
    package = import_module("datasketch")
    index = package.MinHashLSH(threshold=asked.resemblance, num_perm=128)
    signatures = {}
    for row, shingles in enumerate(asked.sets):
        if shingles:
            signatures[row] = package.MinHash(num_perm=128, hashfunc=int)
            signatures[row].update_batch(shingles)
            index.insert(row, signatures[row])
    candidates = ((row, other) for row, s in signatures.items() for other in index.query(s))
    return _verified(candidates, asked)


def gaoya(asked: Question) -> Pairs:
    """MinHashStringIndex of 16 bands of 8; it keeps what it estimates to reach the threshold."""
    package = import_module("gaoya.minhash")
    index = package.MinHashStringIndex(32, asked.resemblance, 16, 8, None, "word", True, (3, 3))
    for row, text in enumerate(asked.texts):
        index.insert_document(row, text)
    candidates = (
        (row, other) for row, text in enumerate(asked.texts) for other in index.query(text)
    )
    return _verified(candidates, asked)


def _verified(candidates: Pairs, asked: Question) -> Pairs:
    """The candidates that reach the resemblance on their sets; each pair once."""
    whole = [frozenset(shingles) for shingles in asked.sets]
    for left, right in candidates:
        if left < right:
            shared = len(whole[left] & whole[right])
            either = len(whole[left]) + len(whole[right]) - shared
            if shared and shared >= asked.resemblance * either:
                yield left, right


PACKAGES: dict[str, Callable[[Question], Pairs]] = {
    "SetSimilaritySearch": set_similarity_search,
    "datasketch": datasketch,
    "gaoya": gaoya,
}


def main() -> None:
    """Answer one question."""
    name, resemblance, path, found = sys.argv[1:]
    table = feather.read_table(path)
    texts, sets = table.column("text").to_pylist(), table.column("set").to_pylist()
    asked = Question(texts, sets, float(resemblance))
    start = time.process_time()
    pairs = list(PACKAGES[name](asked))
    seconds = time.process_time() - start
    rows = np.sort(np.array(pairs, np.int64).reshape(-1, 2), axis=1)
    left, right = rows[np.lexsort((rows[:, 1], rows[:, 0]))].T
    feather.write_feather(pa.table({"left": left, "right": right}), found, "uncompressed")
    json.dump({"cpu": seconds}, sys.stdout)


if __name__ == "__main__":
    main()
