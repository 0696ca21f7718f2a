"""Which rows stay, by brute force: anchored clusters of texts at a resemblance, best row first."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tests.reference import overlap, text


def kept(texts: Sequence[str | None], ranking: Sequence[int], least: Fraction) -> list[int]:
    """The rows that stay, ascending: the first of each text's copies, and no two near ones kept."""
    normal = [None if one is None else text.collapsed(text.normalised(one)) for one in texts]
    best: dict[str, int] = {}
    for row in ranking:
        if normal[row]:
            best.setdefault(str(normal[row]), row)
    representatives = [row for row in ranking if not normal[row] or best[str(normal[row])] == row]
    count = overlap.counts_of_texts(texts)
    near = {(i, j) for i, j, *_ in overlap.resembling(count, len(texts), least)}
    taken: set[int] = set()
    stay = []
    for at, row in enumerate(representatives):
        if row in taken:
            continue
        stay.append(row)
        for other in representatives[at + 1 :]:
            if (min(row, other), max(row, other)) in near:
                taken.add(other)
    return sorted(stay)
