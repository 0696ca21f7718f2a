"""Tables of MariaDB and MySQL."""

from __future__ import annotations

import urllib.parse
from collections.abc import Sequence

from ilk.errors import DatabaseError, MissingExtra, OptionError
from ilk.sql.tables.keyed import Column, Keyed

_TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext")

_PORT = 3306


def opened(url: str, table: str, text: str, column: str) -> MySQL:
    """A table of a server."""
    try:
        import pymysql
    except ImportError as error:
        raise MissingExtra("PyMySQL", "mysql") from error
    at = urllib.parse.urlsplit(url)
    place = f"mysql://{at.netloc.rpartition('@')[2]}{at.path}"
    if at.query or len(at.path) < 2:
        raise OptionError(f"{place} must read mysql://USER:PASSWORD@HOST:PORT/DATABASE.")
    try:
        connection = pymysql.connect(
            host=at.hostname,
            port=at.port or _PORT,
            user=urllib.parse.unquote(at.username or ""),
            password=urllib.parse.unquote(at.password or ""),
            database=urllib.parse.unquote(at.path[1:]),
            charset="utf8mb4",
        )
        # Else rows would stay locked that were looked at and are none of ours.
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
        found = self._ask(
            "SELECT column_name, data_type, column_type, is_nullable "
            "FROM information_schema.columns "
            "WHERE table_schema = DATABASE() AND table_name = %s ORDER BY ordinal_position",
            (table,),
        )
        return {
            name: Column(shown, _holds(kind, shown), null == "YES")
            for name, kind, shown, null in found
        }

    def _key(self, table: str, described: dict[str, Column]) -> Sequence[str]:  # noqa: ARG002
        found = self._ask(
            "SELECT column_name FROM information_schema.statistics WHERE table_schema = DATABASE() "
            "AND table_name = %s AND index_name = 'PRIMARY' ORDER BY seq_in_index",
            (table,),
        )
        if not found:
            raise DatabaseError(
                f"the table {table!r} has no primary key, by which a row is found again. Add one."
            )
        return [name for (name,) in found]

    def _unchanged(self, table: str) -> list[str]:
        """Times of the last change, which a fingerprint does not change."""
        found = self._ask(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() "
            "AND table_name = %s AND extra LIKE '%%on update%%'",
            (table,),
        )
        return [self._quoted(name) for (name,) in found]

    def _begin(self) -> None:
        """The first statement begins."""


def _holds(kind: str, shown: str) -> str:
    """What a column of a type holds."""
    if kind == "bigint":
        return "unsigned" if "unsigned" in shown else "signed"
    return "texts" if kind in _TEXTS else ""
