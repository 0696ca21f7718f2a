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
    _PLACES = {
        # Names, by scripts/make-signatures.
        "Changes": "ilk_web.changes.finding:Changes",
        "find": "ilk_web.changes.finding:find",
        "DATE": "ilk_web.changes.words:DATE",
        "VERDICTS": "ilk_web.changes.words:VERDICTS",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
