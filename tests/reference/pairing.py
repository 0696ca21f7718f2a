"""Joins and clusters by brute force."""

from __future__ import annotations

from collections.abc import Sequence


def within(fingerprints: Sequence[int | None], radius: int) -> list[tuple[int, int, int]]:
    """Every pair of rows within the radius."""
    return [
        (i, j, (a ^ b).bit_count())
        for i, a in enumerate(fingerprints)
        for j, b in enumerate(fingerprints)
        if i < j and a is not None and b is not None and (a ^ b).bit_count() <= radius
    ]


def across(
    left: Sequence[int | None], right: Sequence[int | None], radius: int
) -> list[tuple[int, int, int]]:
    """Every pair of a left and a right row within the radius."""
    return [
        (i, j, (a ^ b).bit_count())
        for i, a in enumerate(left)
        for j, b in enumerate(right)
        if a is not None and b is not None and (a ^ b).bit_count() <= radius
    ]


def anchored(ranking: Sequence[int], pairs: set[tuple[int, int]]) -> list[int]:
    """The keeper of every row: the first in the ranking takes what it is paired with."""
    keeper: dict[int, int] = {}
    for row in ranking:
        if row not in keeper:
            keeper[row] = row
            for other in ranking:
                if {(row, other), (other, row)} & pairs and other not in keeper:
                    keeper[other] = row
    return [keeper[row] for row in range(len(ranking))]


def connected(ranking: Sequence[int], pairs: set[tuple[int, int]]) -> list[int]:
    """The best row of everything connected with a row."""
    group = {row: {row} for row in ranking}
    for a, b in pairs:
        merged = group[a] | group[b]
        for row in merged:
            group[row] = merged
    return [min(group[row], key=list(ranking).index) for row in range(len(ranking))]
