"""Pairs scored against known resemblances, at one threshold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.accuracy.documents import Documents
from benchmarks.accuracy.labels import Pair
from benchmarks.accuracy.truth import Truth

#: How many missed and how many wrong pairs are printed one by one.
_TOLD = 20


def score(
    printed: Mapping[Pair, float], truth: Truth, documents: Documents, width: int
) -> dict[str, Any]:
    """Precision, recall and F1 of the printed pairs.

    Every printed pair of two documents in scope is wrong that is neither wanted nor ignored.

    Args:
        printed: the product's resemblance by pair.
        truth: what is known.
        documents: to measure deviations on.
        width: tokens per shingle, for the deviations.
    """
    ours = truth.inside(printed)
    missed, wrong = truth.wanted - ours.keys(), ours.keys() - truth.wanted - truth.ignored
    found = len(truth.wanted) - len(missed)

    def told(deviations: Iterable[Pair]) -> list[dict[str, Any]]:
        return [
            {
                "left": left,
                "right": right,
                "label": truth.known.get((left, right)),
                "resemblance": round(documents.resemblance(left, right, width), 6),
                "printed": ours.get((left, right)),
                "words": [len(documents.tokens(left)), len(documents.tokens(right))],
            }
            for left, right in sorted(deviations)[:_TOLD]
        ]

    return {
        "documents": len(truth.scope),
        "labelled": len(truth.known),
        "positives": len(truth.wanted),
        "printed": len(ours),
        "ignored": len(ours.keys() & truth.ignored),
        **precision_recall(found, found + len(wrong), len(truth.wanted)),
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
