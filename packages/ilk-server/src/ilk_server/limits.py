"""The limits of requests."""

from __future__ import annotations

from dataclasses import dataclass

from ilk.plugins import checked as _checked
from ilk.plugins import default


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of requests.

    Attributes:
        body: bytes of one request.
        seconds: for a body to arrive, and for an answer to be ready.
        requests: how many may wait for an answer at the same time.
    """

    body: int = _checked("limit_body", None)
    seconds: float = default("limit_seconds")
    requests: int = default("limit_requests")

    @property
    def text(self) -> int:
        """Bytes of JSON, or of a line of a batch: the others wait while Python reads it."""
        return self.body // 8
