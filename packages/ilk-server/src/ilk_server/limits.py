"""The limits of requests."""

from __future__ import annotations

from dataclasses import dataclass

from ilk_server.options import SERVICE

#: The bytes of a small request, which is always read: of its body before anybody has logged in, of
#: what a request says of a document besides its text, and of what one process answers while another
#: one, the annex, has the large requests.
SMALL = 64 << 10


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of requests.

    Attributes:
        body: bytes of one request.
        seconds: for a body to arrive, and for an answer to be ready.
        requests: how many may wait for an answer at the same time.
    """

    body: int = SERVICE["limit_body"].default
    seconds: float = SERVICE["limit_seconds"].default
    requests: int = SERVICE["limit_requests"].default

    @property
    def max_text_bytes(self) -> int:
        """Bytes of JSON, or of a line of a batch: values take up to thirty times their size."""
        return self.body // 8
