"""Sources that need more than Python: documents of other programs, and databases.

- ``documents``: the readers of their formats, which ilk calls in child processes
- ``databases``: fingerprints as a column (``fill``), and exact, indexed SQL for six of them
- ``duckdb``: functions over tables of DuckDB, and its queries as sources

The public names are those of databases. They are loaded when they are first used, so that a command
line answers at once, and nobody needs SQLAlchemy for a document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.plugins import lazy_attributes

if TYPE_CHECKING:
    from ilk_sources.databases.dialects import DIALECTS, parts, script
    from ilk_sources.databases.filling import Filled, fill
    from ilk_sources.databases.registration import register

__all__ = ["DIALECTS", "Filled", "fill", "parts", "register", "script"]

if not TYPE_CHECKING:
    _PLACES = {
        # Names, by scripts/make-signatures.
        "DIALECTS": "ilk_sources.databases.dialects:DIALECTS",
        "parts": "ilk_sources.databases.dialects:parts",
        "script": "ilk_sources.databases.dialects:script",
        "Filled": "ilk_sources.databases.filling:Filled",
        "fill": "ilk_sources.databases.filling:fill",
        "register": "ilk_sources.databases.registration:register",
        # End of what is written.
    }
    __getattr__ = lazy_attributes(__name__, _PLACES)
