"""Pairs scored at every threshold: precision and recall, and recall at few false pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.accuracy.labels import Pair
from benchmarks.accuracy.pairs import precision_recall
from benchmarks.accuracy.truth import Truth

Counts = np.ndarray[Any, np.dtype[np.int64]]
Values = np.ndarray[Any, np.dtype[np.float64]]

#: Shares of the unrelated pairs that may be taken for true ones.
FALSE_RATES = (1e-6, 1e-5, 1e-4, 1e-3)

#: The thresholds of the points that are printed.
_THRESHOLDS = [step / 20 for step in range(1, 21)]


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is found as the threshold falls.

    Attributes:
        thresholds: the k likenesses that occur, falling.
        right, wrong: k counts of the true and the false pairs at that likeness or higher.
        positives, negatives: of how many, those included that have no likeness.
    """

    thresholds: Values
    right: Counts
    wrong: Counts
    positives: int
    negatives: int

    def at(self, threshold: float) -> dict[str, float]:
        """Precision, recall and F1 of the pairs at a threshold or above."""
        steps = int(np.count_nonzero(self.thresholds >= threshold))
        return self._after(steps)

    def _after(self, steps: int) -> dict[str, float]:
        right, wrong = (int(c[steps - 1]) if steps else 0 for c in (self.right, self.wrong))
        return precision_recall(right, right + wrong, self.positives)

    def best(self) -> dict[str, float | None]:
        """The threshold of the highest F1, the highest of them if there are several."""
        scores = [self._after(steps) for steps in range(len(self.thresholds) + 1)]
        steps = max(range(len(scores)), key=lambda at: (scores[at]["f1"], -at))
        return {"threshold": self._threshold(steps), **scores[steps]}

    def average_precision(self) -> float:
        """The mean over the true pairs of the precision where each is found; 0 if it is not."""
        if not self.positives:
            return 1.0
        gained = np.diff(self.right, prepend=0)
        precision = self.right / np.maximum(1, self.right + self.wrong)
        return float((gained * precision).sum() / self.positives)

    def recall_at(self, false_rate: float) -> dict[str, float | None]:
        """Recall at the lowest threshold that lets through so few of the negatives.

        Args:
            false_rate: the share of the negatives that may be found.
        """
        allowed = int(false_rate * self.negatives)
        steps = int(np.count_nonzero(self.wrong <= allowed))
        return {
            "recall": self._after(steps)["recall"],
            "threshold": self._threshold(steps),
            "false_pairs_allowed": allowed,
        }

    def _threshold(self, steps: int) -> float | None:
        return float(self.thresholds[steps - 1]) if steps else None


def sweep(likeness: Values, true: np.ndarray[Any, Any], positives: int, negatives: int) -> Sweep:
    """What is found as the threshold falls.

    Args:
        likeness: n pairs' likeness, in any order.
        true: n truth values.
        positives, negatives: how many true and false pairs there are, found or not.
    """
    thresholds, place = np.unique(-likeness, return_inverse=True)
    right, wrong = (
        np.cumsum(np.bincount(place[chosen], minlength=len(thresholds))) for chosen in (true, ~true)
    )
    return Sweep(-thresholds, right, wrong, positives, negatives)


def score(printed: Mapping[Pair, float], truth: Truth) -> dict[str, Any]:
    """The curve of a scan that printed pairs well below every threshold of interest.

    Args:
        printed: the product's resemblance by pair.
        truth: what is known. Pairs that it ignores count neither way at any threshold.
    """
    ours = {n: value for n, value in truth.inside(printed).items() if n not in truth.ignored}
    found = sweep(
        np.array(list(ours.values()), np.float64),
        np.array([names in truth.wanted for names in ours], bool),
        len(truth.wanted),
        truth.unrelated,
    )
    return {
        "documents": len(truth.scope),
        "labelled": len(truth.known),
        "positives": found.positives,
        "negatives": found.negatives,
        "average_precision": found.average_precision(),
        "best": found.best(),
        "recall_at_false_rate": {f"{rate:g}": found.recall_at(rate) for rate in FALSE_RATES},
        "curve": [{"threshold": at, **found.at(at)} for at in _THRESHOLDS],
    }
