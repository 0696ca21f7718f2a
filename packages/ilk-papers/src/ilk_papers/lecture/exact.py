"""Finding equal pages in the lecture's five ways, each with the number of its comparisons.

Only the first way and those by digest are right for every page: the hash of a beginning, or of a
few places, is also equal for pages that differ elsewhere.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from ilk_papers.seeded import draws, sample


@dataclass(frozen=True, slots=True)
class Answer:
    """Pairs of rows said to be equal, the left before the right; and how many comparisons."""

    pairs: frozenset[tuple[int, int]]
    comparisons: int


def compared(pages: Sequence[str]) -> Answer:
    """Return every two pages, character by character: n (n - 1) / 2 comparisons."""
    pairs = [(a, b) for a, b in combinations(range(len(pages)), 2) if pages[a] == pages[b]]
    return Answer(frozenset(pairs), len(pages) * (len(pages) - 1) // 2)


def by_beginning(pages: Sequence[str], characters: int = 100) -> Answer:
    """Compare by a hash of the first characters, which pages of one site have in common."""
    return _grouped(page[:characters] for page in pages)


def by_places(pages: Sequence[str], places: int = 16, seed: int = 1) -> Answer:
    """Compare by a hash of the characters at a few random places, the same in every page."""
    shortest = min(map(len, pages), default=0)
    chosen = sample(draws(seed), shortest, min(places, shortest))
    return _grouped("".join(page[at] for at in chosen) for page in pages)


def by_digest(pages: Sequence[str], algorithm: str = "sha256") -> Answer:
    """Compare by digests that are kept sorted: a new one is looked for by binary search.

    Args:
        pages: what is compared.
        algorithm: ``md5``, ``sha256`` (SHA-2), ``sha3_256`` (SHA-3), or another of ``hashlib``.
    """
    kept: list[tuple[bytes, int]] = []
    pairs, comparisons = [], 0
    for row, page in enumerate(pages):
        data = page.encode(errors="surrogatepass")
        digest = hashlib.new(algorithm, data, usedforsecurity=False).digest()
        at = bisect_left(kept, (digest, 0))
        comparisons += len(kept).bit_length()
        while at < len(kept) and kept[at][0] == digest:
            pairs.append((kept[at][1], row))
            at += 1
        kept.insert(at, (digest, row))
    return Answer(frozenset(pairs), comparisons)


def by_sorting(values: Sequence[float], threshold: float = 0) -> Answer:
    """Compare by one value of each page: sort <f(page), row>, take neighbours within a threshold.

    Only neighbours are compared, n - 1 of them: of three equal pages two pairs are found.
    """
    ordered = sorted(zip(values, range(len(values)), strict=True))
    near = [(a[1], b[1]) for a, b in pairwise(ordered) if b[0] - a[0] <= threshold]
    return Answer(frozenset((min(pair), max(pair)) for pair in near), max(0, len(ordered) - 1))


def _grouped(keys: Iterable[Hashable]) -> Answer:
    """Return rows of equal keys, by a table of hashes: one look for each."""
    rows: defaultdict[Hashable, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        rows[key].append(row)
    pairs = (pair for group in rows.values() for pair in combinations(group, 2))
    return Answer(frozenset(pairs), sum(map(len, rows.values())))
