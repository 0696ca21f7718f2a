"""What each radius nominates of the near duplicates of a set, and how much else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.accuracy.recipes.kin import NEAR, Kin
from benchmarks.accuracy.recipes.prints import Prints, Rows, Truths

#: The largest radius that is printed, by width.
RADII = {64: 24, 128: 44}

#: Shares of the near duplicates for which the least radius is printed.
WANTED = (0.95, 0.99)


def score(kin: Kin, prints: Prints) -> dict[int, dict[str, Any]]:
    """By width, lists of a number per radius from 0 up, and what follows from them.

    - ``of_documents``: the share of a document's near duplicates within the radius, on average over
      the documents that have any
    - ``of_pairs``: the share of all pairs of near duplicates within the radius
    - ``candidates``: pairs within the radius, divided by the number of texts
    - ``reached``: for each of ``WANTED`` the least radius at which ``of_documents`` reaches it, and
      the candidates there; None where none does
    """
    near = kin.resemblance >= NEAR
    left, right = kin.left[near], kin.right[near]
    scores = {}
    for bits, counts in prints.counts().items():
        radii = range(RADII[bits] + 1)
        distances = prints.between(left, right, bits)
        recall = [_of_documents(left, right, distances <= radius) for radius in radii]
        candidates = (np.cumsum(counts)[: len(radii)] / len(kin.texts)).tolist()
        scores[bits] = {
            "of_documents": recall,
            "of_pairs": [float(np.mean(distances <= radius)) for radius in radii],
            "candidates": candidates,
            "reached": {str(wanted): _reached(wanted, recall, candidates) for wanted in WANTED},
        }
    return scores


def _of_documents(left: Rows, right: Rows, found: Truths) -> float:
    """The mean over the rows in pairs of the share of their pairs that is found."""
    rows = np.concatenate([left, right])
    pairs = np.bincount(rows)
    kept = np.bincount(rows, weights=np.concatenate([found, found]))
    return float(np.mean(kept[pairs > 0] / pairs[pairs > 0]))


def _reached(
    wanted: float, recall: Sequence[float], candidates: Sequence[float]
) -> dict[str, float] | None:
    radius = next((r for r, share in enumerate(recall) if share >= wanted), None)
    return None if radius is None else {"radius": radius, "candidates": candidates[radius]}
