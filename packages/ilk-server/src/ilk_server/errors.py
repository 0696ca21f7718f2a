"""The error that only this package raises, and one of the core's with what it says here."""

from __future__ import annotations

from ilk import IlkError
from ilk.plugins import OutputError


class ServiceError(IlkError, OSError):
    """A service cannot be reached, or refuses a request; the message says why."""


def unwritable_error(path: str, error: OSError) -> OutputError:
    """Return the error that says why a file cannot be written."""
    return OutputError(f"cannot write {path}: {error.strerror or error}.")
