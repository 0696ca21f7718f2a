"""Tables of MariaDB and MySQL."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from ilk.base.errors import DatabaseError, MissingExtra, OptionError
from ilk.sql.tables.keyed import Column, Keyed, address

_TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext")

_PORT = 3306


def opened(url: str, table: str, text: str, column: str) -> MySQL:
    """Return a table of a server."""
    try:
        import pymysql
    except ImportError as error:
        raise MissingExtra("PyMySQL", "mysql") from error
    at, place = address(url, "mysql")
    if at.query or len(at.path) < 2:
        raise OptionError(f"{place} must read mysql://USER:PASSWORD@HOST:PORT/DATABASE.")
    try:
        connection = pymysql.connect(
            host=at.hostname,
            port=at.port or _PORT,
            user=unquote(at.username or ""),
            password=unquote(at.password or ""),
            database=unquote(at.path[1:]),
            charset="utf8mb4",
        )
        # Otherwise rows that were examined but not chosen would stay locked.
        connection.cursor().execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
    except (pymysql.Error, ValueError) as error:
        raise DatabaseError(f"{place} cannot be opened: {error}.") from error
    return MySQL(connection, pymysql.Error, place, (table, text, column))


class MySQL(Keyed):
    """A table of MariaDB or MySQL with a primary key."""

    dialect = "mysql"
    lock = " FOR UPDATE"
    name_type = "VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"

    def _described(self, table: str) -> dict[str, Column]:
        columns = self._ask(
            "SELECT column_name, data_type, column_type, is_nullable "
            "FROM information_schema.columns "
            "WHERE table_schema = DATABASE() AND table_name = %s ORDER BY ordinal_position",
            (table,),
        )
        return {
            name: Column(shown, _holds(kind, shown), null == "YES")
            for name, kind, shown, null in columns
        }

    def _key(self, table: str, described: dict[str, Column]) -> Sequence[str]:  # noqa: ARG002
        return self._primary(
            table,
            "SELECT column_name FROM information_schema.statistics WHERE table_schema = DATABASE() "
            "AND table_name = %s AND index_name = 'PRIMARY' ORDER BY seq_in_index",
        )

    def _unchanged(self, table: str) -> list[str]:
        """Return times of the last change, which a fingerprint does not change."""
        times = self._ask(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() "
            "AND table_name = %s AND extra LIKE '%%on update%%'",
            (table,),
        )
        return [self._quoted(name) for (name,) in times]


def _holds(kind: str, shown: str) -> str:
    """Return what a column of a type holds."""
    if kind == "bigint":
        return "unsigned" if "unsigned" in shown else "signed"
    return "texts" if kind in _TEXTS else ""
