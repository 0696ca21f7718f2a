"""Tables of PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from ilk.base.errors import DatabaseError, MissingExtra
from ilk.sql.tables.keyed import Column, Keyed, address

_HOLDS = {"int8": "signed", "text": "texts", "varchar": "texts", "bpchar": "texts"}


def opened(url: str, table: str, text: str, column: str) -> PostgreSQL:
    """Return a table of a server."""
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtra("psycopg", "postgres") from error
    _, place = address(url, "postgresql")
    try:
        connection = psycopg.connect(url, client_encoding="utf8")
    except psycopg.Error as error:
        raise DatabaseError(f"{place} cannot be opened: {str(error).strip()}.") from error
    return PostgreSQL(connection, psycopg.Error, place, (table, text, column))


class PostgreSQL(Keyed):
    """A table of PostgreSQL with a primary key."""

    dialect = "postgresql"
    # Rows that refer to these by a foreign key may be added in the meantime.
    lock = " FOR NO KEY UPDATE"

    def _described(self, table: str) -> dict[str, Column]:
        columns = self._ask(
            "SELECT attname, typname, format_type(t.oid, atttypmod), attnotnull "
            "FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = atttypid "
            "WHERE attrelid = to_regclass(quote_ident(%s)) AND attnum > 0 AND NOT attisdropped "
            "ORDER BY attnum",
            (table,),
        )
        return {
            name: Column(shown, _HOLDS.get(kind, ""), not required)
            for name, kind, shown, required in columns
        }

    def _key(self, table: str, described: dict[str, Column]) -> Sequence[str]:  # noqa: ARG002
        return self._primary(
            table,
            "SELECT attname FROM pg_index AS i "
            "CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS part(attnum, place) "
            "JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = part.attnum "
            "WHERE i.indrelid = to_regclass(quote_ident(%s)) AND i.indisprimary "
            "AND place <= i.indnkeyatts ORDER BY place",
        )
