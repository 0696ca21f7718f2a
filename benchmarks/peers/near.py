"""One package's answer: ``near.py PACKAGE RADIUS ASKED FOUND``.

Runs in the packages' own environment, so that it imports nothing of the benchmarks. ``ASKED`` holds
distinct fingerprints of 64 bits, ascending; the pairs of rows within the radius go to ``FOUND`` and
the CPU seconds to stdout.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather

Bits = np.ndarray[Any, np.dtype[np.uint64]]
Rows = np.ndarray[Any, np.dtype[np.int64]]

#: Parts of a fingerprint that address a table.
_PARTS = 4


def hammingbird(values: Bits, radius: int) -> Rows:
    """hammingbird: multi-index hashing, exact."""
    package = import_module("hammingbird")
    found = package.find_pairs_self(values.view(np.uint8).reshape(-1, 8), radius)
    return np.array(found, np.int64).reshape(-1, 3)[:, :2]


def faiss(values: Bits, radius: int) -> Rows:
    """FAISS's IndexBinaryMultiHash, with flips enough to be exact."""
    package = import_module("faiss")
    package.omp_set_num_threads(1)
    rows = values.view(np.uint8).reshape(-1, 8)
    index = package.IndexBinaryMultiHash(64, _PARTS, 64 // _PARTS)
    index.nflip = radius // _PARTS
    index.add(rows)
    limits, _, found = index.range_search(rows, radius + 1)
    asked = np.repeat(np.arange(len(values)), np.diff(limits.astype(np.int64)))
    pairs: Rows = np.stack([asked, found], axis=1)[asked < found]
    return pairs


def simhash_pybind(values: Bits, radius: int) -> Rows:
    """simhash-pybind's ``find_all``, with one block more than may differ."""
    package = import_module("simhash")
    found = package.find_all(values.tolist(), radius + 1, radius)
    return np.searchsorted(values, np.array(list(found), np.uint64).reshape(-1, 2))


def duckdb(values: Bits, radius: int) -> Rows:
    """DuckDB: a join on each of ``radius + 1`` blocks, one of which is equal in every pair."""
    connection = import_module("duckdb").connect()
    connection.execute("SET threads = 1")
    connection.register("asked", pa.table({"row": np.arange(len(values)), "bits": values}))
    edges = [64 * block // (radius + 1) for block in range(radius + 2)]
    joins = [
        f"""SELECT a.row AS l, b.row AS r FROM asked a JOIN asked b
        ON {_block("a", low, high)} = {_block("b", low, high)}
        WHERE a.row < b.row AND bit_count(xor(a.bits, b.bits)) <= {radius}"""
        for low, high in itertools.pairwise(edges)
    ]
    found = connection.execute(" UNION ".join(joins)).fetchnumpy()
    return np.stack([found["l"], found["r"]], axis=1)


def _block(side: str, low: int, high: int) -> str:
    return f"(({side}.bits >> {low}) & {(1 << high - low) - 1})"


PACKAGES: dict[str, Callable[[Bits, int], Rows]] = {
    "hammingbird": hammingbird,
    "FAISS": faiss,
    "simhash-pybind": simhash_pybind,
    "DuckDB": duckdb,
}


def main() -> None:
    """Answer one question."""
    name, radius, path, found = sys.argv[1:]
    values = feather.read_table(path).column("fingerprint").to_numpy()
    start = time.process_time()
    pairs = PACKAGES[name](values, int(radius))
    seconds = time.process_time() - start
    left, right = np.unique(np.sort(pairs, axis=1), axis=0).T
    feather.write_feather(pa.table({"left": left, "right": right}), found, "uncompressed")
    json.dump({"cpu": seconds}, sys.stdout)


if __name__ == "__main__":
    main()
