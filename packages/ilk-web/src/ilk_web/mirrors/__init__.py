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
    _PLACES = {
        # Names, by scripts/make-signatures.
        "Mirror": "ilk_web.mirrors.alignment:Mirror",
        "Mirrors": "ilk_web.mirrors.finding:Mirrors",
        "find": "ilk_web.mirrors.finding:find",
        "Group": "ilk_web.mirrors.groups:Group",
        "LEVELS": "ilk_web.mirrors.levels:LEVELS",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
