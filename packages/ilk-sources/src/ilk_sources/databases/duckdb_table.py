"""Tables of DuckDB, read and written in pieces of consecutive rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from ilk.companions import errors
from ilk.plugins import MissingExtra
from ilk_sources.databases import dialects
from ilk_sources.databases.fillable_tables import (
    RECIPES,
    Column,
    ColumnContent,
    FillNames,
    Key,
    Table,
)

try:
    import duckdb
except ImportError as error:
    raise MissingExtra("duckdb", "sql") from error

_HOLDS: dict[str, ColumnContent] = {"VARCHAR": "texts", "BIGINT": "signed", "UBIGINT": "unsigned"}


class DuckDBTable(Table):
    """A table of a file, which nobody else can open in the meantime."""

    errors = duckdb.Error

    def __init__(self, path: str, names: FillNames, *, add_column: bool = False) -> None:
        """Open the file, and examine the table."""
        try:
            self._connection = duckdb.connect(path)
        except duckdb.Error as error:
            raise errors.DatabaseError(f"{path} cannot be opened: {error}.") from error
        super().__init__(path, names, add_column=add_column)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _read_columns_or_empty(self) -> Mapping[str, Column]:
        columns = self._run_statement(
            "SELECT column_name, data_type, is_nullable FROM duckdb_columns() "
            "WHERE table_name = ? AND schema_name = current_schema() "
            "AND database_name = current_database() ORDER BY column_index",
            (self._names.table,),
        )
        return {name: Column(kind, _HOLDS.get(kind, ""), null) for name, kind, null in columns}

    def _add_column(self) -> None:
        self._run_statement(self._spell_add_column())

    def _quote_name(self, name: str) -> str:
        return dialects.dialect_of("duckdb").quote_identifier(name)

    def _check_key_and_prepare_to_fill(self, columns_by_name: Mapping[str, Column]) -> None:
        table = self._names.table
        if "rowid" in map(str.lower, columns_by_name):
            raise errors.DatabaseError(
                f"{table!r} has a column named rowid, which hides its row numbers. Rename that "
                "column."
            )
        if not self._run_statement("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", (table,)):
            raise errors.DatabaseError(f"{table!r} is a view, not a table; name its table.")
        self._table, self._text, self._column = map(self._quote_name, self._names)
        self._is_unfilled = f"{self._column} IS NULL AND {self._text} IS NOT NULL"
        self._connection.begin()

    def _count_unfilled(self) -> int:
        ((count,),) = self._run_statement(
            f"SELECT count(*) FROM {self._table} WHERE {self._is_unfilled}"
        )
        return int(count)

    def _read_next_unfilled(self, after_key: Key | None, max_rows: int) -> Sequence[Any]:
        # ORDER BY with LIMIT would look at all remaining rows.
        ((last,),) = self._run_statement(f"SELECT max(rowid) FROM {self._table}")
        start = 0 if after_key is None else after_key[0] + 1
        while last is not None and start <= last:
            unfilled = self._run_statement(
                f"SELECT rowid, {self._text} FROM {self._table} WHERE {self._is_unfilled} "
                "AND rowid BETWEEN ? AND ? ORDER BY rowid",
                (start, start + max_rows - 1),
            )
            if unfilled:
                return unfilled
            start += max_rows
        return []

    def _update_fingerprints(self, keys: Sequence[Key], values: pa.Array) -> None:
        rows = [row for (row,) in keys]
        self._connection.register("ilk_filled", pa.table({"row": rows, "value": values}))
        self._run_statement(
            f"UPDATE {self._table} SET {self._column} = filled.value FROM ilk_filled AS filled "
            "WHERE rowid = filled.row AND rowid BETWEEN ? AND ?",
            (rows[0], rows[-1]),
        )
        self._connection.unregister("ilk_filled")

    def _read_or_record_recipe(self, table_and_column: tuple[str, str], recipe: str) -> str:
        self._run_statement(
            f"CREATE TABLE IF NOT EXISTS {RECIPES} (table_name VARCHAR(255) NOT NULL, "
            "column_name VARCHAR(255) NOT NULL, recipe VARCHAR(255) NOT NULL, "
            "PRIMARY KEY (table_name, column_name))"
        )
        where = "table_name = ? AND column_name = ?"
        recipe_rows = self._run_statement(
            f"SELECT recipe FROM {RECIPES} WHERE {where}", table_and_column
        )
        if not recipe_rows:
            self._run_statement(
                f"INSERT INTO {RECIPES} VALUES (?, ?, ?)", (*table_and_column, recipe)
            )
        return str(recipe_rows[0][0]) if recipe_rows else recipe

    def _commit(self) -> None:
        self._connection.commit()
        self._connection.begin()

    def _run_statement(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        # A cursor of DuckDB is another connection, outside this one's transaction.
        return list(self._connection.execute(statement, values).fetchall())
