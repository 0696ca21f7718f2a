"""Fingerprints as a column of a database: exact, indexed SQL for six of them.

One module, one concept:

- ``dialects``: the databases, and their SQL for a table
- ``functions``: the SQL functions in Python
- ``registration``: the functions of a connection (``register``)
- ``filling``: the column of a table, filled (``fill``), by SQLAlchemy (``tables``)
- ``duckdb``: functions over tables of DuckDB, and its queries as sources
- ``reader``: addresses and partitioned folders, which DuckDB reads

The names are loaded when they are first used, so that a command line answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ilk.plugins import imported

if TYPE_CHECKING:
    from ilk_sql.dialects import DIALECTS, parts, script
    from ilk_sql.filling import Filled, fill
    from ilk_sql.registration import register

__all__ = ["DIALECTS", "Filled", "fill", "parts", "register", "script"]

if not TYPE_CHECKING:
    __getattr__ = imported(__name__)
