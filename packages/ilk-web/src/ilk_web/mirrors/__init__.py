"""Hosts and folders that mirror one another (``import ilk_web.mirrors``).

The names are loaded when they are first used, so that a command line answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.plugins import lazy_attributes

if TYPE_CHECKING:
    from ilk_web.mirrors.alignment import Mirror
    from ilk_web.mirrors.finding import Mirrors, find
    from ilk_web.mirrors.groups import Group
    from ilk_web.mirrors.levels import LEVELS

__all__ = ["LEVELS", "Group", "Mirror", "Mirrors", "find"]

if not TYPE_CHECKING:
    __getattr__ = lazy_attributes(__name__)
