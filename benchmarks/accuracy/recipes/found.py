"""Which edited copies a radius nominates that lets through very few of the unrelated pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.accuracy.recipes.edited import EDITS, SHARES, USUAL, Copies
from benchmarks.accuracy.recipes.prints import Distances, Rows
from ilk_papers.measure.intervals import share_interval

#: The share of the unrelated pairs that the radius may nominate.
FALSE_RATE = 1e-6

#: Where the recall at the radius itself stands, between those of a narrower and a wider one.
HERE = 1


def radius_of(counts: Rows) -> int:
    """The largest radius within which no more than ``FALSE_RATE`` of unrelated pairs lie.

    Args:
        counts: how many of the pairs lie at each distance.
    """
    return int(np.count_nonzero(np.cumsum(counts) <= FALSE_RATE * counts.sum())) - 1


def score(copies: Copies, counts: Rows, distances: Distances | Rows) -> dict[str, Any]:
    """The recall of copies at ``radius_of`` the unrelated pairs.

    - ``radius``: -1 where even the radius 0 nominates too many
    - ``false``: the unrelated pairs within it, ``of`` how many, and their share with its interval
    - ``usual``: by share of words the mean recall over the edits of ``USUAL``; with that of a
      radius narrower and wider by one, which the few false pairs cannot tell from it
    - ``edits``: by edit the recall, in the order of ``SHARES``

    Args:
        copies: unrelated texts, and copies of some.
        counts: how many of the pairs of unrelated texts lie at each distance.
        distances: of the copies to what they are copies of.
    """
    radius = radius_of(counts)
    false, pairs = int(counts[: radius + 1].sum()), int(counts.sum())
    recall = {at: _recall(copies, distances, at) for at in (radius - 1, radius, radius + 1)}
    usual = [EDITS.index(edit) for edit in USUAL]
    means = {at: np.mean(by_edit[usual], axis=0) for at, by_edit in recall.items()}
    return {
        "radius": radius,
        "false": {
            "pairs": false,
            "of": pairs,
            "rate": [false / pairs, *share_interval(false, pairs)],
        },
        "usual": {
            str(share): [float(mean[at]) for mean in means.values()]
            for at, share in enumerate(SHARES)
        },
        "edits": {
            " ".join(edit): by_share.tolist()
            for edit, by_share in zip(EDITS, recall[radius], strict=True)
        },
    }


def _recall(copies: Copies, distances: Distances | Rows, radius: int) -> np.ndarray[Any, Any]:
    """By edit and share the part of the copies within a radius."""
    near = distances.astype(int) <= radius
    return np.array(
        [
            [np.mean(near[(copies.edit == edit) & (copies.share == share)]) for share in SHARES]
            for edit in range(len(EDITS))
        ]
    )
