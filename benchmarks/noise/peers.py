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
from pathlib import Path
from typing import Any

Pairs = list[tuple[int, int]]


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _characters(text: str) -> set[str]:
    one = _bare(text)
    return {one[at : at + 5] for at in range(max(1, len(one) - 4))}


def _words(text: str) -> set[str]:
    words = re.findall(r"\w+", text.casefold())
    return {" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))}


def datasketch_with(
    features: Callable[[str], set[str]], least: float
) -> Callable[[list[str], list[str]], Pairs]:
    """Return MinHash-LSH of 128 permutations at a threshold."""

    def found(texts: list[str], scans: list[str]) -> Pairs:
        from datasketch import MinHash, MinHashLSH

        def sketch(text: str) -> Any:
            made = MinHash(num_perm=128)
            made.update_batch([one.encode() for one in features(text)])
            return made

        index = MinHashLSH(threshold=least, num_perm=128)
        sketches = []
        for row, text in enumerate(texts):
            sketches.append(sketch(text))
            index.insert(row, sketches[-1])
        pairs = []
        for at, scan in enumerate(scans):
            own = sketch(scan)
            pairs += [(at, row) for row in index.query(own) if own.jaccard(sketches[row]) >= least]
        return pairs

    return found


def rensa(texts: list[str], scans: list[str]) -> Pairs:
    """R-MinHash of 128 permutations and its LSH at 0.4, on shingles of 5 characters."""
    from rensa import RMinHash, RMinHashLSH

    def sketch(text: str) -> Any:
        made = RMinHash(num_perm=128, seed=42)
        made.update(sorted(_characters(text)))
        return made

    index = RMinHashLSH(threshold=0.4, num_perm=128, num_bands=32)
    sketches = []
    for row, text in enumerate(texts):
        sketches.append(sketch(text))
        index.insert(row, sketches[-1])
    pairs = []
    for at, scan in enumerate(scans):
        own = sketch(scan)
        pairs += [(at, row) for row in index.query(own) if own.jaccard(sketches[row]) >= 0.4]
    return pairs


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
    "rensa, 5 characters, 0.4": rensa,
    "rapidfuzz, all pairs, 0.8": rapidfuzz,
}

if __name__ == "__main__":
    given = json.loads(Path(sys.argv[2]).read_text())
    begin = time.process_time()
    answer = PEERS[sys.argv[1]](given["texts"], given["scans"])
    print(json.dumps({"pairs": answer, "seconds": time.process_time() - begin}))
