"""Tables of SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ilk.base.errors import DatabaseError
from ilk.sql.tables.keyed import Column, Keyed

#: Seconds to wait for another writer.
_PATIENCE = 30


def opened(url: str, table: str, text: str, column: str) -> SQLite:
    """Return a table of a file."""
    connection = sqlite3.connect(url, timeout=_PATIENCE, isolation_level=None)
    # Bytes that are not UTF-8 are read as other readers of ilk read them.
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return SQLite(connection, sqlite3.Error, url, (table, text, column))


class SQLite(Keyed):
    """A table of SQLite, whose rows have their own numbers."""

    dialect = "sqlite"
    mark = "?"

    def _described(self, table: str) -> dict[str, Column]:
        columns = self._ask('SELECT name, type, "notnull" FROM pragma_table_xinfo(?)', (table,))
        return {
            name: Column(kind or "any", _holds(kind), not required)
            for name, kind, required in columns
        }

    def _key(self, table: str, described: dict[str, Column]) -> Sequence[str]:
        listed = self._ask("SELECT type, wr FROM pragma_table_list(?)", (table,))
        if not listed or listed[0][0] != "table":
            raise DatabaseError(f"{table!r} is a view, not a table; name its table.")
        if listed[0][1]:
            query = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
            return [name for (name,) in self._ask(query, (table,))]
        # A column may have taken one of the three names of the row's number.
        taken = {name.lower() for name in described}
        free = [name for name in ("rowid", "_rowid_", "oid") if name not in taken]
        if not free:
            raise DatabaseError(
                f"{table!r} has columns named rowid, _rowid_ and oid, which hide its row numbers. "
                "Rename one of them."
            )
        return free[:1]

    def _begin(self) -> None:
        self._ask("BEGIN IMMEDIATE")


def _holds(kind: str) -> str:
    """Return what a column of a declared type holds, by SQLite's rules of affinity."""
    declared = kind.upper()
    if "INT" in declared:
        return "signed"
    return "texts" if any(word in declared for word in ("CHAR", "CLOB", "TEXT")) else ""
