"""Exact joins of shingle sets, against other packages with the share of the pairs they find."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from tests.support.shingles import word_shingle_sets

import ilk
import ilk.arrow
from benchmarks import corpus, peers, timing
from benchmarks.rows import Row, WrongAnswerError
from ilk import _kernels

#: The joins: their name, the call, the threshold, and the target.
_JOINS: tuple[tuple[str, Callable[..., pa.Table], float, str], ...] = (
    ("resemblance", ilk.sets.pairs, 0.8, "<= 0.5 CPU-s"),
    ("resemblance", ilk.sets.pairs, 0.5, "<= 1.4 CPU-s"),
    ("containment", ilk.sets.containment, 0.95, "<= 0.4 CPU-s"),
    ("containment", ilk.sets.containment, 0.9, "<= 0.9 CPU-s"),
)

#: Where the other packages are asked.
_PEERS_AT = 0.8

#: Rows whose every partner is counted the slow way.
_SAMPLE = 200


def run() -> list[Row]:
    """CPU seconds per join and package, and pairs per second of verification.

    Raises:
        WrongAnswerError: a join misses a pair of a sampled row, or has one too many.
    """
    texts = corpus.distinct()
    sets = word_shingle_sets(ilk.arrow.import_texts(texts.texts))
    rows = [row for join in _JOINS for row in _joined(texts.name, sets, *join)]
    return [*rows, *_peers(texts, sets), _verification()]


def _joined(
    corpus_name: str,
    sets: pa.LargeListArray,
    kind: str,
    join: Callable[..., pa.Table],
    threshold: float,
    target: str,
) -> list[Row]:
    _check(join(sets, threshold), sets, kind, threshold)
    seconds = timing.medians({"join": lambda: timing.cpu(partial(join, sets, threshold))})
    name = f"overlap: {kind} {threshold}, {corpus_name}"
    return [
        Row(f"{name}, pairs", len(join(sets, threshold)), "pairs"),
        Row(name, seconds["join"], "CPU-s", target=target),
    ]


def _check(found: pa.Table, sets: pa.LargeListArray, kind: str, threshold: float) -> None:
    """Compare the partners of some rows with those that whole posting lists tell."""
    left, right = (found.column(side).to_numpy() for side in ("left", "right"))
    sizes = np.diff(sets.offsets.to_numpy())
    least = Fraction(str(threshold))
    for row, shared in _shared(sets, np.random.default_rng(0).choice(len(sets), _SAMPLE)):
        whole = sizes[row] + sizes - shared if kind == "resemblance" else sizes[row]
        wanted = (shared > 0) & (shared * least.denominator >= whole * least.numerator)
        wanted[row] = False
        partners = right[left == row]
        if kind == "resemblance":
            partners = np.concatenate([left[right == row], partners])
        if not np.array_equal(np.sort(partners), np.flatnonzero(wanted)):
            raise WrongAnswerError(f"{kind} {threshold}: the partners of row {row} are others.")


def _shared(sets: pa.LargeListArray, rows: Any) -> Any:
    """For some rows, how many elements every row shares with them."""
    elements, offsets = sets.values.to_numpy(), sets.offsets.to_numpy()
    order = np.argsort(elements, kind="stable")
    ordered = elements[order]
    owner = np.repeat(np.arange(len(sets)), np.diff(offsets))[order]
    for row in rows:
        own = elements[offsets[row] : offsets[row + 1]]
        runs = zip(
            np.searchsorted(ordered, own), np.searchsorted(ordered, own, "right"), strict=True
        )
        lists = [owner[start:end] for start, end in runs]
        yield row, np.bincount(np.concatenate([*lists, owner[:0]]), minlength=len(sets))


def _peers(texts: corpus.Corpus, sets: pa.LargeListArray) -> list[Row]:
    """The same question to other packages: once each, since they take long."""
    if reason := peers.missing():
        print(f"no other packages beside the joins: {reason}", file=sys.stderr)
        return []
    ours = ilk.sets.pairs(sets, _PEERS_AT, jobs=1)
    seconds = timing.cpu(lambda: ilk.sets.pairs(sets, _PEERS_AT, jobs=1))
    rows = []
    for peer in peers.NAMES:
        answer = peers.answer(peer, texts.texts, sets, _PEERS_AT)
        both = ours.join(answer.pairs, ["left", "right"], join_type="inner").num_rows
        name = f"overlap: {peer} at resemblance {_PEERS_AT}, rounds: 1"
        rows += [
            Row(name, answer.cpu, "CPU-s", answer.cpu / seconds, "ilk"),
            Row(f"{name}, recall", both / max(1, len(ours)), "of ilk's pairs"),
            Row(f"{name}, beyond ilk's", len(answer.pairs) - both, "pairs"),
        ]
    return rows


def _verification() -> Row:
    """How many pairs of sets of 500 are measured a second, the sets in cache."""
    random = np.random.default_rng(0)
    # Ten in eleven elements are common to all sets: pairs that are near, as nominated ones are.
    drawn = [np.sort(random.choice(550, 500, replace=False)) * 7919 for _ in range(64)]
    sets = pa.array([elements.astype(np.uint32) for elements in drawn], ilk.arrow.SETS)
    left, right = (pa.array(random.integers(0, len(drawn), 500_000)) for _ in range(2))
    seconds = timing.medians(
        {"verify": lambda: timing.cpu(lambda: _kernels.count_shared_ids(sets, left, right))}
    )
    target = ">= 1.2 (AVX-512), 3 (VP2INTERSECT)"
    speed = len(left) / seconds["verify"] / 1e6
    return Row("overlap: verification of sets of 500", speed, "million pairs/CPU-s", target=target)
