"""Noisy copies by brute force: bare texts, wrong characters, shingles kept."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence

from tests.reference import text as reference


def bare(text: str) -> str:
    """The letters, marks and digits of a text, folded."""
    folded = reference.normalised(text)
    return "".join(c for c in folded if unicodedata.category(c)[0] in "LMN")


def distance(one: Sequence[object], other: Sequence[object]) -> int:
    """The wrong characters, by the table of Wagner and Fischer 1974."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            diagonal, row[j] = row[j], min(diagonal + (a != b), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def within(inner: Sequence[object], outer: Sequence[object]) -> int:
    """The wrong characters of one and the stretch of the other where it fits best."""
    row = list(range(len(inner) + 1))
    best = row[-1]
    for b in outer:
        diagonal = row[0]
        for i, a in enumerate(inner, 1):
            diagonal, row[i] = row[i], min(diagonal + (a != b), row[i] + 1, row[i - 1] + 1)
        best = min(best, row[-1])
    return best


def agreement(left: str, right: str) -> float:
    """The share of the characters of the longer bare text that is not wrong."""
    one, other = bare(left), bare(right)
    return 1 - distance(one, other) / max(1, len(one), len(other))


def shingles(text: str, width: int) -> set[str]:
    """The shingles of the characters of a text that is bare."""
    width = max(1, min(width, len(text)))
    return {text[at : at + width] for at in range(len(text) - width + 1)} if text else set()


def scatter(left: str, right: str) -> float:
    """How far apart the wrong characters stand, by the definition."""
    one, other = bare(left), bare(right)
    shorter = min(len(one), len(other))
    wrong = distance(one, other) - abs(len(one) - len(other))
    if not wrong:
        return 1.0
    ours, theirs = (
        Counter(text[at : at + 5] for at in range(len(text) - 4)) for text in (one, other)
    )
    share = (ours & theirs).total() / max(1, min(ours.total(), theirs.total()))
    alone = 5 * math.log(1 - wrong / max(shorter, wrong + 1))
    return math.log(share) / alone if share else math.inf
