"""Hosts and folders that mirror one another (``import ilk.mirrors``)."""

from __future__ import annotations

from ilk.mirrors.alignment import LEVELS, Mirror
from ilk.mirrors.run import Mirrors, find

__all__ = ["LEVELS", "Mirror", "Mirrors", "find"]
