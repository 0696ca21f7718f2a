"""Edited copies, told from unrelated texts by other packages' fingerprints and by the product's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import ilk
from benchmarks import peers
from benchmarks.accuracy import markdown
from benchmarks.accuracy.recipes import found, kin, unrelated
from benchmarks.accuracy.recipes.edited import SHARES, Copies
from benchmarks.accuracy.recipes.prints import Prints, Rows, Values
from ilk import sets

Figures = dict[str, Any]

#: The resemblance below which unrelated pairs are not told apart.
_LEAST = 0.03

#: The shares of edited words that tables tell.
_TOLD = (0.05, 0.1, 0.2)


def run() -> Figures:
    """By way what ``found`` scores, and ``bits``, the width of a fingerprint."""
    copies = Copies.of(unrelated.english())
    everything = pa.concat_arrays([copies.texts, copies.copies])
    rows = len(copies.texts) + np.arange(len(copies.copies))
    scores = {}
    for words in (3, 1):
        recipe = ilk.Recipe(kind="minhash", bits=128, width=words)
        prints = Prints.of(ilk.fingerprint(everything, recipe))
        first = Prints(prints.halves[: len(copies.texts)], prints.present[: len(copies.texts)])
        for bits, counts in first.counts().items():
            distances = prints.between(copies.origin, rows, bits)
            name = f"ilk, words={words}, {bits} bits"
            scores[name] = {"bits": bits, **found.score(copies, counts, distances)}
    scores["ilk, exact join (%)"] = {"bits": None, **_joined(copies)}
    for name in peers.DOCUMENTED:
        print(f"edited copies: {name}", file=sys.stderr, flush=True)
        numbers = peers.documented_prints(name, everything)
        counts = _counts(numbers[: len(copies.texts)])
        distances = (numbers[copies.origin] != numbers[rows]).sum(axis=1)
        scores[name] = {"bits": _width(numbers), **found.score(copies, counts, distances)}
    return scores


def _joined(copies: Copies) -> Figures:
    """What the exact join finds; its distances are what is missing to a resemblance of 100 %."""
    near = sets.pairs(copies.texts, _LEAST, shingle=kin.SHINGLE)["resemblance"].to_numpy()
    counts = np.bincount(_missing(near), minlength=101)
    every = len(copies.texts) * (len(copies.texts) - 1) // 2
    counts[-1] += every - len(near)
    return found.score(copies, counts, _missing(copies.resemblance))


def _missing(resemblance: Values) -> Rows:
    """Hundredths, rounded up."""
    return np.ceil(100 * (1 - resemblance)).astype(np.int64)


def _counts(numbers: np.ndarray[Any, Any]) -> Rows:
    """How many pairs of rows differ in 0 and up to all of their k numbers."""
    counts = np.zeros(numbers.shape[1] + 1, np.int64)
    for row in range(len(numbers)):
        differing = (numbers[row + 1 :] != numbers[row]).sum(axis=1)
        counts += np.bincount(differing, minlength=len(counts))
    return counts


def _width(numbers: np.ndarray[Any, Any]) -> int:
    """Bits of a fingerprint: its numbers are bits themselves, or hashes of 32."""
    each = 1 if numbers.max() <= 1 else 32
    return each * int(numbers.shape[1])


def lines(figures: Figures) -> Iterator[str]:
    """A line per way."""
    yield (
        "\nedited copies: the widest radius of at most a millionth of unrelated pairs, and the "
        "share of the copies within it where 5 / 10 / 20 % of the words are edited; the radius of "
        "the join is what is missing to a resemblance of 100 %, and no two of the unrelated texts "
        "resemble each other to 10 %\n"
    )
    yield from markdown.table(
        ["", "bits", "radius", "usual edits", "noise"],
        ([way, *_row(scores)] for way, scores in figures.items()),
    )


def _row(scores: Figures) -> Iterator[str]:
    yield "-" if scores["bits"] is None else str(scores["bits"])
    yield str(scores["radius"])
    usual = [scores["usual"][str(share)][found.HERE] for share in _TOLD]
    noise = [scores["edits"]["noise scattered"][SHARES.index(share)] for share in _TOLD]
    yield from (" / ".join(f"{share:.3f}" for share in shares) for shares in (usual, noise))
