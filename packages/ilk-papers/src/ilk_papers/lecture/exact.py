"""Finding equal pages in the lecture's five ways, each with the number of its comparisons.

Ways 2 and 4 hash a part of each page, and compare in full only pages that fall into one bucket; way
3 hashes whole pages into many buckets. All five say the truth; they differ in what they compare.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from ilk_papers.seeded import draw_ascending_sample, seeded_draw


@dataclass(frozen=True, slots=True)
class PagePairs:
    """Pairs of rows that are equal, the left before the right, and what finding them took.

    Attributes:
        comparisons: of pages in full, of digests, or of values, as the way has it.
        buckets: buckets with more than one page; None of a way without buckets.
        pages: pages that were compared in full with another one; None of a way that compares none.
    """

    pairs: frozenset[tuple[int, int]]
    comparisons: int
    buckets: int | None = None
    pages: int | None = None


def compare_all_pages(pages: Sequence[str]) -> PagePairs:
    """Compare every two pages, character by character: n (n - 1) / 2 comparisons."""
    pairs = [(a, b) for a, b in combinations(range(len(pages)), 2) if pages[a] == pages[b]]
    return PagePairs(frozenset(pairs), len(pages) * (len(pages) - 1) // 2, pages=len(pages))


def compare_by_beginning(pages: Sequence[str], characters: int = 100) -> PagePairs:
    """Bucket by a hash of the first characters, which pages of one site have in common (way 2)."""
    return _compare_within_buckets(pages, (page[:characters] for page in pages))


def compare_by_page_hash(pages: Sequence[str]) -> PagePairs:
    """Bucket by a hash of the whole page, in as many buckets as its 64 bits have (way 3)."""
    return _compare_within_buckets(pages, map(_hash_page, pages))


def compare_by_random_places(pages: Sequence[str], places: int = 16, seed: int = 1) -> PagePairs:
    """Bucket by the characters at a few random places, the same in every page (way 4)."""
    shortest = min(map(len, pages), default=0)
    chosen = draw_ascending_sample(seeded_draw(seed), shortest, min(places, shortest))
    return _compare_within_buckets(pages, ("".join(page[at] for at in chosen) for page in pages))


def _hash_page(page: str) -> bytes:
    return hashlib.blake2b(page.encode(errors="surrogatepass"), digest_size=8).digest()


def compare_by_digest(pages: Sequence[str], algorithm: str = "sha256") -> PagePairs:
    """Compare by digests that are kept sorted: a new one is looked for by binary search.

    Args:
        pages: what is compared.
        algorithm: ``md5``, ``sha256`` (SHA-2), ``sha3_256`` (SHA-3), or another of ``hashlib``.
    """
    digests: list[tuple[bytes, int]] = []
    pairs, comparisons = [], 0
    for row, page in enumerate(pages):
        data = page.encode(errors="surrogatepass")
        digest = hashlib.new(algorithm, data, usedforsecurity=False).digest()
        at = bisect_left(digests, (digest, 0))
        comparisons += len(digests).bit_length()
        while at < len(digests) and digests[at][0] == digest:
            pairs.append((digests[at][1], row))
            at += 1
        digests.insert(at, (digest, row))
    return PagePairs(frozenset(pairs), comparisons)


def compare_sorted_neighbours(values: Sequence[float], threshold: float = 0) -> PagePairs:
    """Compare by one value of each page: sort <f(page), row>, take neighbours within a threshold.

    Only neighbours are compared, n - 1 of them: of three equal pages two pairs are found.
    """
    ordered = sorted(zip(values, range(len(values)), strict=True))
    near = [(a[1], b[1]) for a, b in pairwise(ordered) if b[0] - a[0] <= threshold]
    return PagePairs(frozenset((min(pair), max(pair)) for pair in near), max(0, len(ordered) - 1))


def _compare_within_buckets(pages: Sequence[str], keys: Iterable[Hashable]) -> PagePairs:
    """Compare in full every two pages whose keys are equal."""
    buckets: defaultdict[Hashable, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        buckets[key].append(row)
    shared = [rows for rows in buckets.values() if len(rows) > 1]
    candidates = [pair for rows in shared for pair in combinations(rows, 2)]
    pairs = frozenset((a, b) for a, b in candidates if pages[a] == pages[b])
    return PagePairs(pairs, len(candidates), len(shared), sum(map(len, shared)))
