"""Lookups through the indexes of the file, each made twice.

Pages of SQLite carry no checksums, so a damaged index could silently hide a row. Rows have
checksums, and every index of the file is there twice: a lookup that does not find the same in both
is damage. The indexes are partial, and hold only rare rows: no B-tree on random keys slows down
insertions.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ilk.base.errors import StoreDamaged

#: The condition that a value is one of those that ``list_parameter`` passes.
AMONG = "IN (SELECT value FROM json_each(?))"

#: The id of a client in a document's metadata.
CLIENT_ID = "json_extract(metadata, '$.id')"


class _Index(NamedTuple):
    table: str
    key: str
    rows: str = "TRUE"
    kind: str = "INDEX"


_INDEXES = {
    "unprinted": _Index(
        "documents", "digest", "fingerprint IS NULL AND copy_of IS NULL AND digest IS NOT NULL"
    ),
    "copies": _Index("documents", "copy_of", "copy_of IS NOT NULL"),
    "members": _Index("documents", "keeper", "keeper IS NOT NULL"),
    "links": _Index("documents", "duplicate_of", "duplicate_of IS NOT NULL"),
    "own_ids": _Index("documents", CLIENT_ID, "json_type(metadata, '$.id') = 'text'"),
    "changes": _Index("segments", "changed"),
    "paths": _Index("files", "path", kind="UNIQUE INDEX"),
    "holding": _Index("files", "document"),
    "events": _Index("history", "document, what"),
    "names": _Index("history", "name", "name IS NOT NULL"),
}

#: What makes them.
STATEMENTS = ";\n".join(
    f"CREATE {index.kind} {made} ON {index.table} ({index.key})"
    + (f" WHERE {index.rows}" if index.rows != "TRUE" else "")
    for name, index in _INDEXES.items()
    for made in (name, f"{name}_again")
)


def list_parameter(values: Iterable[int | str]) -> tuple[str]:
    """Return numbers, or texts, as the parameter of ``AMONG``."""
    return (json.dumps(list(values)),)


def find_rowids_in_agreeing_indexes(
    connection: sqlite3.Connection, index_name: str, where: str, parameters: Sequence[Any]
) -> list[int]:
    """Return the numbers of the rows that an index finds by a condition on its key, ascending.

    Raises:
        StoreDamaged: the second index of the same key finds other rows.
    """
    index = _INDEXES[index_name]
    first, again = (
        connection.execute(
            f"SELECT rowid FROM {index.table} INDEXED BY {made} "
            f"WHERE {index.rows} AND ({where}) ORDER BY rowid",
            parameters,
        ).fetchall()
        for made in (index_name, f"{index_name}_again")
    )
    if first != again:
        raise StoreDamaged(
            f"an index of {index.table} ({index_name}) is damaged; restore a backup."
        )
    return [place for (place,) in first]


def delete_rows_by_index(
    connection: sqlite3.Connection, index_name: str, where: str, parameters: Sequence[Any]
) -> None:
    """Delete the rows that a lookup finds."""
    numbers = find_rowids_in_agreeing_indexes(connection, index_name, where, parameters)
    query = f"DELETE FROM {_INDEXES[index_name].table} WHERE rowid {AMONG}"
    connection.execute(query, list_parameter(numbers))


def select_rows_by_index(
    connection: sqlite3.Connection,
    index_name: str,
    columns: str,
    *,
    where: str,
    parameters: Sequence[Any],
) -> list[tuple[Any, ...]]:
    """Return columns of the rows that a lookup finds, in the order of their numbers."""
    numbers = find_rowids_in_agreeing_indexes(connection, index_name, where, parameters)
    if not numbers:
        return []
    table = _INDEXES[index_name].table
    query = f"SELECT {columns} FROM {table} WHERE rowid {AMONG} ORDER BY rowid"
    rows = connection.execute(query, list_parameter(numbers)).fetchall()
    if len(rows) != len(numbers):
        raise StoreDamaged(f"a row of {table} is missing; restore a backup.")
    return rows
