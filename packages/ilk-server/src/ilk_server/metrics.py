"""What was counted since the start, in the text format of Prometheus."""

from __future__ import annotations

import collections
import time
from http import HTTPStatus
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.samples import Sample

#: The upper bounds of the histogram, in seconds.
_BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


#: What may happen to documents, by the names of the counters.
DOCUMENT_EVENTS = {
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
    HTTPStatus.CONFLICT: "in conflict with what is stored: duplicates, ids taken, texts not kept",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "too large",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "of an unknown type",
    HTTPStatus.MISDIRECTED_REQUEST: "to another host",
    HTTPStatus.UNPROCESSABLE_ENTITY: "not valid",
    HTTPStatus.SERVICE_UNAVAILABLE: "too many at a time",
}


class LabelledCount(NamedTuple):
    """How often something happened, and what, in words for people."""

    label: str
    times: int


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
        self._registry = registry = CollectorRegistry()
        labels = ("method", "path", "status")
        self._request_counter = Counter(
            "ilk_requests", "Requests answered", labels, registry=registry
        )
        self._seconds = Histogram(
            "ilk_request_seconds", "Seconds until an answer", buckets=_BOUNDS, registry=registry
        )
        self._document_counters = {
            what: Counter(f"ilk_{what}", f"Documents {said}", registry=registry)
            for what, said in DOCUMENT_EVENTS.items()
        }
        self._documents = Gauge("ilk_documents", "Documents stored", registry=registry)
        running = Gauge("ilk_requests_running", "Requests in progress", registry=registry)
        running.set_function(lambda: self.running)

    def count_request(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request that has been answered."""
        self._request_counter.labels(method, path, str(status)).inc()
        self._seconds.observe(seconds)

    def count_event(self, event: str, times: int = 1) -> None:
        """Count what happened to documents, by a word of ``DOCUMENT_EVENTS``."""
        self._document_counters[event].inc(times)

    def document_event_counts(self) -> list[LabelledCount]:
        """Return how often each event happened to documents."""
        counts = {
            what: _samples_by_suffix(one, "_total")[0].value
            for what, one in self._document_counters.items()
        }
        return [LabelledCount(said, int(counts[what])) for what, said in DOCUMENT_EVENTS.items()]

    def refusal_counts_by_reason(self) -> list[LabelledCount]:
        """Return the reasons for refused requests with their counts, the most frequent first."""
        counts = collections.Counter[str]()
        for sample in _samples_by_suffix(self._request_counter, "_total"):
            status = int(sample.labels["status"])
            if status >= HTTPStatus.BAD_REQUEST:
                counts[_REFUSED.get(status, f"other (status {status})")] += int(sample.value)
        return [LabelledCount(*each) for each in counts.most_common()]

    def request_counts_by_duration(self) -> list[LabelledCount]:
        """Return how many requests took up to each bound, and more than the one before it."""
        within = self._cumulative_counts()
        names = [f"within {_spell_seconds(bound)}" for bound in _BOUNDS]
        names.append(f"above {_spell_seconds(_BOUNDS[-1])}")
        counts = [one - before for one, before in zip(within, [0, *within[:-1]], strict=True)]
        return [LabelledCount(*each) for each in zip(names, counts, strict=True)]

    def spell_time_for_share_of_requests(self, share: float) -> str | None:
        """Return the time within which a share of all requests was answered; None before the
        first.
        """
        *within, total = self._cumulative_counts()
        bounds = zip(_BOUNDS, within, strict=True)
        bound = next((bound for bound, count in bounds if count >= share * total), None)
        if not total:
            return None
        return (
            f"more than {_spell_seconds(_BOUNDS[-1])}" if bound is None else _spell_seconds(bound)
        )

    def prometheus_text(self, document_count: int) -> bytes:
        """Return all counts, and current values, in the format of Prometheus."""
        self._documents.set(document_count)
        return generate_latest(self._registry)

    def _cumulative_counts(self) -> list[int]:
        """Return how many requests were answered within each bound, and how many in all."""
        return [int(sample.value) for sample in _samples_by_suffix(self._seconds, "_bucket")]


def _samples_by_suffix(metric: MetricWrapperBase, suffix: str) -> list[Sample]:
    found = (sample for family in metric.collect() for sample in family.samples)
    return [sample for sample in found if sample.name.endswith(suffix)]


def _spell_seconds(seconds: float) -> str:
    return f"{seconds * 1000:g} ms" if seconds < 1 else f"{seconds:g} s"
