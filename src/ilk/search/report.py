"""The head of every report: what was read, what a person must know, and the request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.base._version import __version__
from ilk.search.search_plan import SearchPlan, expected_noisy_recall

#: Changes whenever a name of the head, or its meaning, changes.
VERSION = 2

#: The number of largest clusters that a report names.
LARGEST = 10

#: Bars of the histogram of resemblances.
_BARS = 20


def count_families_clusters_and_verdicts(members: pa.Table) -> dict[str, int]:
    """Return how many documents are in families and clusters, as plain values.

    Args:
        members: ``CLUSTERS``.

    Returns:
        ``families`` and ``in_families`` (documents); ``clusters`` of two or more, and
        ``in_clusters``; ``alone``: documents alone in their cluster, in a family of several;
        ``numbers_only``: members that differ from their keeper only in numbers; ``near``: members
        that are near it; ``within_bits``: members that were found by bits alone.
    """
    sizes = pc.value_counts(members["cluster"]).field(1)
    alone = pc.sum(pc.equal(sizes, 1)).as_py() or 0
    words = arrow.count_values(members["verdict"])
    return {
        "families": len(pc.unique(members["family"])),
        "in_families": len(members),
        "clusters": len(sizes) - alone,
        "in_clusters": len(members) - alone,
        "alone": alone,
        verdicts.NUMBERS_ONLY: words.get(verdicts.NUMBERS_ONLY, 0),
        verdicts.NEAR: words.get(verdicts.NEAR, 0),
        "within_bits": sum(words[word] for word in words if word.startswith(verdicts.WITHIN)),
    }


def noise_report_if_sought(plan: SearchPlan, members: pa.Table) -> dict[str, Any]:
    """Return ``noise``: the limits for noisy copies, what to expect, and how many were found.

    Empty if noisy copies were not looked for.
    """
    limits, rate = plan.noise_limits_if_sought, plan.query.noise
    if limits is None or rate is None:
        return {}
    one, both = expected_noisy_recall(limits, rate)
    noisy_members = pc.sum(pc.equal(members["verdict"], verdicts.NOISY)).as_py() or 0
    shares = {name: float(share) for name, share in limits._asdict().items()}
    return {
        "noise": {
            "rate": float(rate),
            "agreement": shares["agreement"],
            "nominated_at": {"long": shares["long"], "short": shares["short"]},
            "expected_recall": {"of_one": one, "of_both": both},
            "members": noisy_members,
        }
    }


def report_head(
    *,
    documents: int,
    failures: Iterable[Mapping[str, Any]],
    options: Mapping[str, Any],
    promise: str = "",
    advice: Sequence[str] = (),
    alarms: Sequence[str] = (),
    largest: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the head as plain values.

    Args:
        documents: how many were read.
        failures: what could not be read: ``source`` and ``reason``.
        options: the request, as plain values.
        promise: what is certain about the result, in a sentence.
        advice: sentences about what was left out.
        alarms: why a person must look, one sentence each.
        largest: the largest clusters.
    """
    return {
        "report": VERSION,
        "ilk": __version__,
        "documents": documents,
        "failures": [dict(failure) for failure in failures],
        "advice": list(advice),
        "alarms": list(alarms),
        "largest": [dict(row) for row in largest],
        "promise": promise,
        "options": json.loads(json.dumps(options)),  # Lists instead of tuples.
        "seconds": {},  # Per step, known when all steps are done.
    }


def count_rows_by_resemblance_bar(
    resemblances: pa.ChunkedArray, threshold: float
) -> list[dict[str, Any]]:
    """Return a histogram of the resemblances of documents to their keepers.

    Args:
        resemblances: those that are null, or below ``threshold``, are not counted.
        threshold: where the first bar begins.
    """
    width = (1 - threshold) / _BARS or 1.0
    resemblances = resemblances.filter(pc.greater_equal(resemblances, threshold))
    bar = pc.floor(pc.divide(pc.subtract(resemblances, threshold), width))
    bars = arrow.count_values(pc.min_element_wise(bar.cast(pa.int64()), _BARS - 1))
    return [
        {"from": round(threshold + at * width, 6), "rows": bars.get(at, 0)} for at in range(_BARS)
    ]
