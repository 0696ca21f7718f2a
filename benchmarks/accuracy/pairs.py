"""Pairs scored against known resemblances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.accuracy.documents import Documents
from benchmarks.accuracy.labels import Pair, PairLabels, pair

#: How many missed and how many wrong pairs are told one by one.
_TOLD = 20


def score(
    printed: Mapping[Pair, float],
    labels: PairLabels,
    documents: Documents,
    *,
    threshold: float,
    band: float,
    width: int,
    min_words: int,
) -> dict[str, Any]:
    r"""Precision, recall and F1 of the printed pairs.

    Pairs labelled at the threshold or above are to be found; those from ``band`` up to the
    threshold count neither way; every other printed pair of two documents in scope is wrong.
    Documents of fewer than ``min_words`` tokens are left out on both sides.

    Args:
        printed: the product's resemblance by pair.
        labels: what is known.
        documents: to measure deviations on.
        threshold: the resemblance that was asked for.
        band: labelled pairs from here up to the threshold count neither way.
        width: tokens per shingle.
        min_words: the fewest ``\w+`` tokens of a document that counts.
    """
    scope = {name for name in labels.scope if len(documents.tokens(name)) >= min_words}
    ours = {pair(*names): value for names, value in printed.items() if scope.issuperset(names)}
    known = {names: value for names, value in labels.resemblance.items() if scope.issuperset(names)}
    wanted = {names for names, value in known.items() if value >= threshold}
    ignored = {names for names, value in known.items() if band <= value < threshold}
    missed, wrong = wanted - ours.keys(), ours.keys() - wanted - ignored
    found = len(wanted) - len(missed)

    def told(deviations: Iterable[Pair]) -> list[dict[str, Any]]:
        return [
            {
                "left": left,
                "right": right,
                "label": known.get((left, right)),
                "resemblance": round(documents.resemblance(left, right, width), 6),
                "printed": ours.get((left, right)),
                "words": [len(documents.tokens(left)), len(documents.tokens(right))],
            }
            for left, right in sorted(deviations)[:_TOLD]
        ]

    return {
        "documents": len(scope),
        "positives": len(wanted),
        "printed": len(ours),
        "ignored": len(ours.keys() & ignored),
        **precision_recall(found, found + len(wrong), len(wanted)),
        "missed": len(missed),
        "wrong": len(wrong),
        "first_missed": told(missed),
        "first_wrong": told(wrong),
    }


def precision_recall(right: int, given: int, wanted: int) -> dict[str, float]:
    """Precision, recall and F1; nothing given has precision 1, nothing wanted recall 1."""
    precision = right / given if given else 1.0
    recall = right / wanted if wanted else 1.0
    return {"precision": precision, "recall": recall, "f1": harmonic(precision, recall)}


def harmonic(precision: float, recall: float) -> float:
    """F1: the harmonic mean, 0 where both are."""
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0
