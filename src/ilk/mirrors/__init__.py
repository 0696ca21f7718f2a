"""Hosts and folders that mirror one another (``import ilk.mirrors``)."""

from __future__ import annotations

from ilk.mirrors.run import LEAST, LEVELS, MAX_HOSTS, Mirror, Mirrors, find

__all__ = ["LEAST", "LEVELS", "MAX_HOSTS", "Mirror", "Mirrors", "find"]
