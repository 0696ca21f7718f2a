"""ilk in DuckDB: functions and table macros for a connection, and queries as sources.

Needs the extra ``duckdb``.
"""

from __future__ import annotations

from ilk.engines.duckdb import register, scan

__all__ = ["register", "scan"]
