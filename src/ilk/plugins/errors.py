"""Errors that packages raise, or turn into answers of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.base.lazy import loader

if TYPE_CHECKING:
    from ilk.base import errors as errors
    from ilk.base.errors import (
        AlarmRaised,
        CalibrationError,
        ColumnTypeError,
        IdError,
        MissingExtra,
        NothingRead,
        OptionError,
        OutputError,
        PlanError,
        ServiceError,
        SourceDamaged,
        SourceNotFound,
        UrlError,
    )

__all__ = [
    "AlarmRaised",
    "CalibrationError",
    "ColumnTypeError",
    "IdError",
    "MissingExtra",
    "NothingRead",
    "OptionError",
    "OutputError",
    "PlanError",
    "ServiceError",
    "SourceDamaged",
    "SourceNotFound",
    "UrlError",
    "errors",
]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {
            "ilk.base.errors": (
                "AlarmRaised",
                "CalibrationError",
                "ColumnTypeError",
                "IdError",
                "MissingExtra",
                "NothingRead",
                "OptionError",
                "OutputError",
                "PlanError",
                "ServiceError",
                "SourceDamaged",
                "SourceNotFound",
                "UrlError",
            ),
            "ilk.base.errors:": ("errors",),
        },
    )
