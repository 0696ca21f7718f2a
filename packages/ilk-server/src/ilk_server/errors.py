"""The error that only this package raises, and the core's for a file that cannot be written."""

from __future__ import annotations

from pathlib import Path

from ilk import IlkError
from ilk.companions import errors
from ilk.plugins import OutputError


class ServiceError(IlkError, OSError):
    """A service cannot be reached, or refuses a request; the message says why."""


def unwritable_error(path: str | Path, error: OSError) -> OutputError:
    """Return the error that says why a file cannot be written."""
    return OutputError(f"cannot write {path}: {errors.reason_of_error(error)}.")
