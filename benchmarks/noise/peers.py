"""Other packages on the same texts, in an environment of their own: a script without ilk.

Each is used as its own documentation shows, at settings chosen to be generous to noise: shingles of
5 characters and the least threshold that keeps its precision near 0.99 where it has one.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

Pairs = list[tuple[int, int]]
Features = Callable[[str], set[str]]

#: Permutations of a MinHash, and bands of rensa's index.
_PERMUTATIONS, _BANDS = 128, 32


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _characters(text: str) -> set[str]:
    one = _bare(text)
    return {one[at : at + 5] for at in range(max(1, len(one) - 4))}


def _words(text: str) -> set[str]:
    words = re.findall(r"\w+", text.casefold())
    return {" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))}


def _indexed(
    texts: list[str], scans: list[str], sketch: Callable[[str], Any], index: Any, least: float
) -> Pairs:
    """Return what an index nominates of texts and their sketches confirm."""
    sketches = list(map(sketch, texts))
    for row, one in enumerate(sketches):
        index.insert(row, one)
    pairs = []
    for at, own in enumerate(map(sketch, scans)):
        pairs += [(at, row) for row in index.query(own) if own.jaccard(sketches[row]) >= least]
    return pairs


def datasketch_with(features: Features, least: float) -> Callable[[list[str], list[str]], Pairs]:
    """Return MinHash-LSH at a threshold."""

    def found(texts: list[str], scans: list[str]) -> Pairs:
        from datasketch import MinHash, MinHashLSH

        def sketch(text: str) -> Any:
            made = MinHash(num_perm=_PERMUTATIONS)
            made.update_batch([one.encode() for one in features(text)])
            return made

        return _indexed(texts, scans, sketch, MinHashLSH(least, _PERMUTATIONS), least)

    return found


def rensa_with(features: Features, least: float) -> Callable[[list[str], list[str]], Pairs]:
    """Return R-MinHash and its LSH at a threshold."""

    def found(texts: list[str], scans: list[str]) -> Pairs:
        from rensa import RMinHash, RMinHashLSH

        def sketch(text: str) -> Any:
            made = RMinHash(num_perm=_PERMUTATIONS, seed=42)
            made.update(sorted(features(text)))
            return made

        index = RMinHashLSH(threshold=least, num_perm=_PERMUTATIONS, num_bands=_BANDS)
        return _indexed(texts, scans, sketch, index, least)

    return found


def text_dedup(texts: list[str], scans: list[str]) -> Pairs:
    """MinHash of 3 words and its tables at 0.5, whose rows it takes for duplicates unverified."""
    import numpy as np

    minhash, utils = import_module("text_dedup.minhash"), import_module("text_dedup.utils")
    permutations, most, prime = 250, np.uint32((1 << 32) - 1), np.uint64((1 << 61) - 1)
    bands, rows = utils.optimal_param(0.5, permutations)
    draw = np.random.RandomState(42)
    numbers = (
        draw.randint(1, prime, size=permutations, dtype=np.uint64),
        draw.randint(0, prime, size=permutations, dtype=np.uint64),
    )

    def signature(text: str) -> list[bytes]:
        made = minhash.embed_func(
            text,
            0,
            num_perm=permutations,
            ngram_size=3,
            min_length=1,
            hashranges=[(at * rows, (at + 1) * rows) for at in range(bands)],
            permutations=numbers,
            hash_func=utils.xxh3_32hash,
            dtype=np.uint64,
            max_hash=most,
            modulo_prime=prime,
        )
        return list(made[minhash.SIGNATURE_COLUMN])

    table = defaultdict(set)
    for row, text in enumerate(texts):
        for key in enumerate(signature(text)):
            table[key].add(row)
    found = set()
    for at, scan in enumerate(scans):
        found |= {(at, row) for key in enumerate(signature(scan)) for row in table.get(key, ())}
    return sorted(found)


def rapidfuzz(texts: list[str], scans: list[str]) -> Pairs:
    """Every scan aligned with every text of about its length, at 80 % of the characters."""
    from rapidfuzz.distance import Levenshtein

    lengths = defaultdict(list)
    for row, text in enumerate(map(_bare, texts)):
        lengths[len(text)].append((row, text))
    pairs = []
    for at, scan in enumerate(map(_bare, scans)):
        for length in range(int(0.8 * len(scan)), int(len(scan) / 0.8) + 1):
            for row, text in lengths.get(length, ()):
                score = Levenshtein.normalized_similarity(scan, text, score_cutoff=0.8)
                if score >= 0.8:
                    pairs.append((at, row))
    return pairs


#: What is compared.
PEERS = {
    "datasketch, 3 words, 0.5": datasketch_with(_words, 0.5),
    "datasketch, 5 characters, 0.4": datasketch_with(_characters, 0.4),
    "rensa, 3 words, 0.5": rensa_with(_words, 0.5),
    "rensa, 5 characters, 0.4": rensa_with(_characters, 0.4),
    "text-dedup, 3 words, 0.5": text_dedup,
    "rapidfuzz, all pairs, 0.8": rapidfuzz,
}

if __name__ == "__main__":
    given = json.loads(Path(sys.argv[2]).read_text())
    begin = time.process_time()
    answer = PEERS[sys.argv[1]](given["texts"], given["scans"])
    print(json.dumps({"pairs": answer, "seconds": time.process_time() - begin}))
