"""The error that only this package raises."""

from __future__ import annotations

from ilk import IlkError


class UrlError(IlkError, ValueError):
    """A string is not a URL, or is a relative one."""
