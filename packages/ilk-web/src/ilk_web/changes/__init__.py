"""Changes of URLs that were fetched several times (``import ilk_web.changes``).

The names are loaded when they are first used, so that a command line answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.plugins import lazy_attributes

if TYPE_CHECKING:
    from ilk_web.changes.finding import Changes, find
    from ilk_web.changes.words import DATE, VERDICTS

__all__ = ["DATE", "VERDICTS", "Changes", "find"]

if not TYPE_CHECKING:
    __getattr__ = lazy_attributes(__name__)
