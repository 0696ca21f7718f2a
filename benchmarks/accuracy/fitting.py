"""Whether the labels were measured as they are asked about."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.accuracy.documents import Documents
from benchmarks.accuracy.labels import Pair

#: Pairs that are measured: those of the least files, which takes no time.
_MEASURED = 20

#: Tokens per shingle that are tried.
_WIDTHS = range(1, 11)

#: The mean deviation below which labels are taken to be measured so.
_CLOSE = 0.005


def note(resemblance: Mapping[Pair, float], documents: Documents, width: int) -> str | None:
    """What to tell where labels fit shingles of another width than that asked for, or None.

    Pairs labelled 1 are of one kind or equal: they say nothing of the width.
    """
    told = [pair for pair, value in resemblance.items() if value < 1]
    told.sort(key=lambda pair: sum(documents.files[name].stat().st_size for name in pair))
    measured = told[:_MEASURED]

    def deviation(tried: int) -> float:
        off = (abs(documents.resemblance(*p, tried) - resemblance[p]) for p in measured)
        return sum(off) / len(measured)

    if not measured or deviation(width) < _CLOSE:
        return None
    best = min(_WIDTHS, key=deviation)
    if deviation(best) >= _CLOSE:
        return None
    return f"the labels were measured with --shingle {best}, and {width} was asked for"
