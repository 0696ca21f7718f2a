r"""One package's fingerprints: ``answer.py PACKAGE ASKED FOUND``.

Runs in the packages' own environment, so that it imports nothing of the benchmarks. ``ASKED`` holds
texts; for each, numbers go to ``FOUND`` that equal texts have all in common, and the CPU
seconds to stdout. All of them are of three words; packages that leave it to their users to cut
texts are given the runs of ``\w+`` of the text in lower case.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather

Numbers = np.ndarray[Any, Any]

_PERMUTATIONS = 128
_WORD = re.compile(r"\w+")


def _shingles(texts: list[str]) -> Iterator[list[str]]:
    """The shingles of three words of every text."""
    for text in texts:
        words = _WORD.findall(text.lower())
        yield [" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))]


def rensa_minhash(texts: list[str]) -> Numbers:
    """RMinHash of 128 permutations."""
    package = import_module("rensa")
    rows = []
    for shingles in _shingles(texts):
        signature = package.RMinHash(num_perm=_PERMUTATIONS, seed=42)
        signature.update(shingles)
        rows.append(signature.digest())
    return np.array(rows, np.uint32)


def datasketch_minhash(texts: list[str]) -> Numbers:
    """MinHash of 128 permutations."""
    package = import_module("datasketch")
    rows = []
    for shingles in _shingles(texts):
        signature = package.MinHash(num_perm=_PERMUTATIONS)
        signature.update_batch([shingle.encode() for shingle in shingles])
        rows.append(signature.hashvalues)
    return np.array(rows, np.uint32)


def gaoya_minhash(texts: list[str]) -> Numbers:
    """MinHashStringIndex of 16 bands of 8 hashes, which cuts texts itself."""
    package = import_module("gaoya.minhash")
    index = package.MinHashStringIndex(32, 0.8, 16, 8, None, "word", True, (3, 3))
    return np.array(index.minhash_index.bulk_hash_docs(texts), np.uint32)


def gaoya_simhash(texts: list[str]) -> Numbers:
    """SimHashStringIndex of 64 bits, which cuts texts itself."""
    package = import_module("gaoya.simhash")
    index = package.SimHashStringIndex(lowercase=True, ngram_range=(3, 3)).index
    return _bits([index.doc2signature(text) for text in texts])


def simhash(texts: list[str]) -> Numbers:
    """PyPI's simhash: 64 bits, MD5."""
    package = import_module("simhash")
    return _bits([package.Simhash(shingles).value for shingles in _shingles(texts)])


def clickhouse_simhash(texts: list[str]) -> Numbers:
    """ClickHouse's ``wordShingleSimHashCaseInsensitiveUTF8``, by way of chdb, in one thread."""
    asked = pa.table({"text": texts})
    found = import_module("chdb").query(
        "SELECT wordShingleSimHashCaseInsensitiveUTF8(text, 3) AS print FROM Python(asked) "
        "SETTINGS max_threads = 1",
        "ArrowTable",
    )
    del asked  # The query finds it by its name.
    return _bits(found.column("print").to_pylist())[:, :32]  # It leaves the others zero.


def _bits(prints: list[int]) -> Numbers:
    """The bits of fingerprints, each a number."""
    octets = np.array(prints, np.uint64).view(np.uint8).reshape(-1, 8)
    return np.unpackbits(octets, axis=1).astype(np.uint32)


PACKAGES: dict[str, Callable[[list[str]], Numbers]] = {
    "rensa MinHash": rensa_minhash,
    "gaoya MinHash": gaoya_minhash,
    "datasketch MinHash": datasketch_minhash,
    "gaoya SimHash": gaoya_simhash,
    "simhash": simhash,
    "ClickHouse SimHash": clickhouse_simhash,
}


def main() -> None:
    """Answer one question."""
    name, asked, found = sys.argv[1:]
    texts = feather.read_table(asked).column("text").to_pylist()
    PACKAGES[name](texts[:2])  # What is imported and made once does not count.
    start = time.process_time()
    numbers = PACKAGES[name](texts)
    seconds = time.process_time() - start
    flat = pa.FixedSizeListArray.from_arrays(pa.array(numbers.ravel()), numbers.shape[1])
    feather.write_feather(pa.table({"print": flat}), found, "uncompressed")
    json.dump({"cpu": seconds}, sys.stdout)


if __name__ == "__main__":
    main()
