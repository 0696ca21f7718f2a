"""The head that every report has: what was read, what a person must know, how it was asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ilk import __version__

#: Changes when a name of the head, or what it means, changes.
VERSION = 2

#: Clusters that a report names by their size.
LARGEST = 10


def head(
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
        options: what was asked for, as plain values.
        promise: what is certain of the answer, in a sentence.
        advice: sentences about what was left out.
        alarms: why a person must look, a sentence each.
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
        "options": json.loads(json.dumps(options)),  # Lists in the place of tuples.
        "seconds": {},  # Per step, known when all are done.
    }
