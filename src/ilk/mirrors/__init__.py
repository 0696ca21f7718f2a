"""Hosts and folders that mirror one another (``import ilk.mirrors``).

The names are loaded when they are first used, so that a command line answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.system.lazy import loader

if TYPE_CHECKING:
    from ilk.mirrors.alignment import Mirror
    from ilk.mirrors.levels import LEVELS
    from ilk.mirrors.run import Mirrors, find

__all__ = ["LEVELS", "Mirror", "Mirrors", "find"]

if not TYPE_CHECKING:
    __getattr__ = loader(
        __name__,
        {".alignment": ("Mirror",), ".levels": ("LEVELS",), ".run": ("Mirrors", "find")},
    )
