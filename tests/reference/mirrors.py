"""Hosts that mirror one another as a whole, by comparing every host with every other."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from tests.reference.text import resemblance


def levels(
    crawl: Mapping[str, Mapping[str, str]], near: Fraction, similar: Fraction, least: int
) -> dict[tuple[str, str], int]:
    """Levels 1, 2, 3 and 5 of pairs of hosts that share half of all paths of either."""
    found = {}
    for left, right in combinations(sorted(crawl), 2):
        level = _level(crawl[left], crawl[right], near, similar, least)
        if level:
            found[left, right] = level
    return found


def _level(
    left: Mapping[str, str], right: Mapping[str, str], near: Fraction, similar: Fraction, least: int
) -> int:
    paths = left.keys() & right.keys()
    if 2 * len(paths) < max(len(left), len(right)):
        return 0
    shares = {path: _share(left[path], right[path]) for path in paths}
    proofs = {left[path] for path, share in shares.items() if share >= similar}
    if len(proofs) >= least:
        counts = [sum(s >= bound for s in shares.values()) for bound in (1, near, similar)]
        if 2 * counts[1] >= len(paths):
            return 1 if 10 * counts[0] >= 9 * len(paths) else 2
        if 2 * counts[2] >= len(paths):
            return 3
    return 5 if len(paths) >= 10 else 0


def _share(left: str, right: str) -> Fraction:
    shared, one, other = resemblance(left, right)
    return Fraction(shared, one + other - shared)
