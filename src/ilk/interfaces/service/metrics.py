"""What was counted since the start, in the text format of Prometheus."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping

#: The upper bounds of the histogram, in seconds.
_BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """Counts of requests: how many, how they ended, how long they took.

    Attributes:
        running: requests that are being answered.
    """

    def __init__(self) -> None:
        """Count from nothing."""
        self.running = 0
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

    def written(self, gauges: Mapping[str, float]) -> str:
        """Return all counts, and numbers that hold now, as text."""
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
        for name, value in (*gauges.items(), ("requests_running", self.running)):
            yield f"# TYPE ilk_{name} gauge"
            yield f"ilk_{name} {value}"
