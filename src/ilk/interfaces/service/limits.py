"""How much a request may take."""

from __future__ import annotations

from dataclasses import dataclass

from ilk.options.table import checked as _checked
from ilk.options.table import default


@dataclass(frozen=True, slots=True)
class Limits:
    """How much requests may take.

    Attributes:
        body: bytes of one request, or of one line of a batch.
        seconds: for a body to arrive, and for an answer to be made.
        requests: those that wait for an answer at one time.
    """

    body: int = _checked("limit_body", None)
    seconds: float = default("limit_seconds")
    requests: int = default("limit_requests")
