"""Changes of URLs that were fetched several times (``import ilk.changes``).

The names are loaded when they are first used, so that a command line answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.system.lazy import loader

if TYPE_CHECKING:
    from ilk.changes.run import Changes, find
    from ilk.changes.words import DATE, VERDICTS

__all__ = ["DATE", "VERDICTS", "Changes", "find"]

if not TYPE_CHECKING:
    __getattr__ = loader(__name__, {".run": ("Changes", "find"), ".words": ("DATE", "VERDICTS")})
