"""The error that only this package raises."""

from __future__ import annotations

from ilk import IlkError


class ServiceError(IlkError, OSError):
    """A service cannot be reached, or refuses a request; the message says why."""
