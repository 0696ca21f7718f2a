"""Tables of DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from ilk.base.errors import DatabaseError, MissingExtra
from ilk.sql.tables.keyed import Column, Key, Keyed

_HOLDS = {"VARCHAR": "texts", "BIGINT": "signed", "UBIGINT": "unsigned"}


def opened(url: str, table: str, text: str, column: str) -> DuckDB:
    """Return a table of a file, which nobody else can open in the meantime."""
    try:
        import duckdb
    except ImportError as error:
        raise MissingExtra("duckdb", "duckdb") from error
    try:
        connection = duckdb.connect(url)
    except duckdb.Error as error:
        raise DatabaseError(f"{url} cannot be opened: {error}.") from error
    return DuckDB(connection, duckdb.Error, url, (table, text, column))


class DuckDB(Keyed):
    """A table of DuckDB, read and written in pieces of consecutive rows."""

    dialect = "duckdb"
    mark = "?"

    def _described(self, table: str) -> dict[str, Column]:
        columns = self._ask(
            "SELECT column_name, data_type, is_nullable FROM duckdb_columns() "
            "WHERE table_name = ? AND schema_name = current_schema() "
            "AND database_name = current_database() ORDER BY column_index",
            (table,),
        )
        return {name: Column(kind, _HOLDS.get(kind, ""), null) for name, kind, null in columns}

    def _key(self, table: str, described: dict[str, Column]) -> Sequence[str]:
        if "rowid" in map(str.lower, described):
            raise DatabaseError(
                f"{table!r} has a column named rowid, which hides its row numbers. Rename that "
                "column."
            )
        if not self._ask("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", (table,)):
            raise DatabaseError(f"{table!r} is a view, not a table; name its table.")
        return ["rowid"]

    def _begin(self) -> None:
        self._connection.begin()

    def _next(self, after: Key | None, rows: int) -> list[Key]:
        # ORDER BY with LIMIT would look at all remaining rows.
        ((last,),) = self._ask(f"SELECT max(rowid) FROM {self._table}")
        start = 0 if after is None else after[0] + 1
        while last is not None and start <= last:
            waiting = self._ask(
                f"SELECT rowid, {self._text} FROM {self._table} WHERE {self._waits()} "
                "AND rowid BETWEEN ? AND ? ORDER BY rowid",
                (start, start + rows - 1),
            )
            if waiting:
                return waiting
            start += rows
        return []

    def _update(self, keys: Sequence[Key], values: pa.Array) -> None:
        rows = [row for (row,) in keys]
        self._connection.register("ilk_filled", pa.table({"row": rows, "value": values}))
        self._ask(
            f"UPDATE {self._table} SET {self._column} = filled.value FROM ilk_filled AS filled "
            "WHERE rowid = filled.row AND rowid BETWEEN ? AND ?",
            (rows[0], rows[-1]),
        )
        self._connection.unregister("ilk_filled")

    def _ask(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        # A cursor of DuckDB is another connection, outside this one's transaction.
        return list(self._connection.execute(statement, values).fetchall())
