"""What was counted since the start, in the text format of Prometheus."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from http import HTTPStatus

#: The upper bounds of the histogram, in seconds.
_BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


#: What happens to documents and queries, in words.
HAPPENING = {
    "documents_asked_about": "asked about",
    "documents_added": "added",
    "documents_added_like_others": "of these, like stored ones",
    "duplicates_refused": "refused as duplicates",
}

#: Why a request is refused, by status.
_REFUSED: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "not readable",
    HTTPStatus.UNAUTHORIZED: "without a known token",
    HTTPStatus.FORBIDDEN: "not allowed for this token, or from another page",
    HTTPStatus.NOT_FOUND: "for something that does not exist",
    HTTPStatus.REQUEST_TIMEOUT: "too slow to arrive",
    HTTPStatus.CONFLICT: "duplicates to be refused, or ids already taken",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too large",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "of an unknown type",
    HTTPStatus.MISDIRECTED_REQUEST: "to another host",
    HTTPStatus.UNPROCESSABLE_ENTITY: "not valid",
    HTTPStatus.SERVICE_UNAVAILABLE: "too many at a time",
}


class Metrics:
    """Counts of requests: how many, how they ended, how long they took.

    Attributes:
        running: requests that are being answered.
        since: when it began, in seconds since 1970.
    """

    def __init__(self) -> None:
        """Start at zero."""
        self.running = 0
        self.since = time.time()
        self._happened: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._ended: Counter[tuple[str, str, int]] = Counter()
        self._within: Counter[float] = Counter()
        self._seconds = 0.0

    def ended(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request that has been answered."""
        with self._lock:
            self._ended[method, path, status] += 1
            self._within.update(bound for bound in _BOUNDS if seconds <= bound)
            self._seconds += seconds

    def happened(self, what: str, times: int = 1) -> None:
        """Count what happened to documents, by a word of ``HAPPENING``."""
        with self._lock:
            self._happened[what] += times

    def documents(self) -> list[tuple[str, int]]:
        """Return what happened to documents, in words, and how often."""
        with self._lock:
            return [(said, self._happened[what]) for what, said in HAPPENING.items()]

    def refused(self) -> list[tuple[str, int]]:
        """Return why requests were refused, in words, and how many, the most frequent first."""
        counts: Counter[str] = Counter()
        with self._lock:
            for (_, _, status), count in self._ended.items():
                if status >= HTTPStatus.BAD_REQUEST:
                    counts[_REFUSED.get(status, f"other (status {status})")] += count
        return counts.most_common()

    def lasted(self) -> list[tuple[str, int]]:
        """Return within which times requests were answered, and how many."""
        with self._lock:
            within = [self._within[bound] for bound in _BOUNDS]
            total = self._ended.total()
        names = [f"within {_spoken(bound)}" for bound in _BOUNDS]
        counts = [one - before for one, before in zip(within, [0, *within[:-1]], strict=True)]
        rows = zip(names, counts, strict=True)
        return [*rows, (f"above {_spoken(_BOUNDS[-1])}", total - within[-1])]

    def within(self, share: float) -> str | None:
        """Return the time within which a share of all requests was answered; None before the
        first.
        """
        with self._lock:
            total = self._ended.total()
            bounds = (one for one in _BOUNDS if self._within[one] >= share * total)
            bound = next(bounds, None)
        if not total:
            return None
        return f"more than {_spoken(_BOUNDS[-1])}" if bound is None else _spoken(bound)

    def written(self, gauges: Mapping[str, float]) -> str:
        """Return all counts, and current values, as text."""
        with self._lock:
            return "\n".join([*self._lines(gauges), ""])

    def _lines(self, gauges: Mapping[str, float]) -> Iterator[str]:
        yield "# TYPE ilk_requests_total counter"
        for (method, path, status), count in sorted(self._ended.items()):
            labels = f'method="{method}",path="{path}",status="{status}"'
            yield f"ilk_requests_total{{{labels}}} {count}"
        yield "# TYPE ilk_request_seconds histogram"
        for bound in _BOUNDS:
            yield f'ilk_request_seconds_bucket{{le="{bound}"}} {self._within[bound]}'
        total = self._ended.total()
        yield f'ilk_request_seconds_bucket{{le="+Inf"}} {total}'
        yield f"ilk_request_seconds_sum {self._seconds:.6f}"
        yield f"ilk_request_seconds_count {total}"
        for what in HAPPENING:
            yield f"# TYPE ilk_{what}_total counter"
            yield f"ilk_{what}_total {self._happened[what]}"
        for name, value in (*gauges.items(), ("requests_running", self.running)):
            yield f"# TYPE ilk_{name} gauge"
            yield f"ilk_{name} {value}"


def _spoken(seconds: float) -> str:
    return f"{seconds * 1000:g} ms" if seconds < 1 else f"{seconds:g} s"
