"""The error that only this package raises."""

from __future__ import annotations

from ilk import IlkError


class CalibrationError(IlkError, ValueError):
    """A calibration cannot be read, or does not fit the search."""
