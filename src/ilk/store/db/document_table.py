"""The table of documents: reading and writing."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from ilk.base.errors import IdError, StoreDamaged
from ilk.store.db import lookups
from ilk.store.db.lookups import AMONG, CLIENT_ID, list_parameter
from ilk.store.db.settings import read_counter
from ilk.store.records import StoredRow, checksum, is_number

_T = TypeVar("_T")

#: Rows to read at once.
AT_ONCE = 10_000

#: The columns of a row, followed by its checksum; and their number.
COLUMNS = ", ".join([*StoredRow._fields, "documents.checksum"])
WIDTH = len(StoredRow._fields) + 1

_DAMAGE = "`ilk store validate` lists all damage; restore a backup."


def write_rows(connection: sqlite3.Connection, rows: Iterable[StoredRow]) -> None:
    """Write rows, which may replace those of the same ids."""
    rows = list(rows)
    # Passing a null takes longer than a number: columns of only nulls are left out.
    some = [
        place
        for place, values in enumerate(zip(*rows, strict=True))
        if values.count(None) < len(values)
    ]
    if not some:
        return
    names = ", ".join([*(StoredRow._fields[place] for place in some), "checksum"])
    chosen = itemgetter(*some)
    connection.executemany(
        f"INSERT OR REPLACE INTO documents ({names}) VALUES ({', '.join('?' * (len(some) + 1))})",
        ((*chosen(row), checksum(row)) for row in rows),
    )


def write_references(
    connection: sqlite3.Connection, column: str, targets: Mapping[int, int | None]
) -> None:
    """Write what documents refer to in a column: ``copy_of``, ``keeper`` or ``duplicate_of``."""
    new: dict[int, dict[str, Any]] = {id_: {column: other} for id_, other in targets.items()}
    others = (
        row
        for row in read_rows(connection, targets).values()
        if getattr(row, column) != targets[row.id]
    )
    write_rows(connection, (row._replace(**new[row.id]) for row in others))


def _select_documents(
    connection: sqlite3.Connection, where: str, parameters: Sequence[Any] = ()
) -> Iterator[StoredRow]:
    query = f"SELECT {COLUMNS} FROM documents NOT INDEXED WHERE {where}"
    return map(check_row, connection.execute(query, parameters))


def read_rows(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, StoredRow]:
    """Return the rows of some documents, by id; those that do not exist are left out."""
    asked_ids = set(ids)
    row_of = {
        row.id: row
        for row in _select_documents(connection, f"id {AMONG}", list_parameter(asked_ids))
    }
    if len(row_of) < len(asked_ids):
        # Documents that were stored and never removed are lost.
        last, removed = read_counter(connection, "next_id"), "document = ? AND what = 'removed'"
        for id_ in asked_ids - row_of.keys():
            if 0 <= id_ < last and not lookups.find_row_numbers(
                connection, "events", removed, (id_,)
            ):
                raise StoreDamaged(f"the row of document {id_} is missing. {_DAMAGE}")
    return row_of


def read_digests(connection: sqlite3.Connection, ids: Collection[int]) -> dict[int, bytes | None]:
    """Return the digests of some documents by id.

    Their checksum is checked when the whole row is read.
    """
    query = f"SELECT id, digest FROM documents WHERE id {AMONG}"
    return check_complete(ids, dict(connection.execute(query, list_parameter(ids))))


def check_complete(ids: Iterable[int], values_by_id: dict[int, _T]) -> dict[int, _T]:
    """Return what was found, if it is complete."""
    for id_ in ids:
        if id_ not in values_by_id:
            raise StoreDamaged(
                f"document {id_} is packed, but does not exist. Rebuild the packed fingerprints "
                "from the documents: `ilk store rebuild`."
            )
    return values_by_id


def find_row(connection: sqlite3.Connection, id_: object) -> StoredRow | None:
    """Return the row of one document; None if no document has that id."""
    if type(id_) is not int or not -(1 << 63) <= id_ < 1 << 63:
        return None
    return read_rows(connection, [id_]).get(id_)


def read_row(connection: sqlite3.Connection, id_: object) -> StoredRow:
    """Return the row of one document.

    Raises:
        IdError: no document has that id.
    """
    if (one := find_row(connection, id_)) is not None:
        return one
    raise IdError(
        f"no document has the id {id_!r}; ids are the numbers that add() returns and records show."
    )


def read_rows_after(connection: sqlite3.Connection, id_: int, most: int) -> list[StoredRow]:
    """Return at most ``most`` rows with ids above one, in the order of ids."""
    # Numbers begin at 0; SQLite has no larger ones, and takes a negative limit for none.
    id_, most = min(max(id_, -1), (1 << 63) - 1), max(most, 0)
    rows = list(_select_documents(connection, "id > ? ORDER BY id LIMIT ?", (id_, most)))
    whole = len(rows) < most
    end = read_counter(connection, "next_id") if whole else rows[-1].id + 1 if rows else id_ + 1
    gap = end - id_ - 1 - len(rows)
    if gap > 0:
        where = "document > ? AND document < ? AND what = 'removed'"
        if gap != len(lookups.find_row_numbers(connection, "events", where, (id_, end))):
            raise StoreDamaged(f"a row of a document after {id_} is missing. {_DAMAGE}")
    return rows


def read_copies(connection: sqlite3.Connection, ids: Iterable[int]) -> list[StoredRow]:
    """Return the rows of the copies of some documents, in the order of their ids."""
    found = lookups.select_rows(
        connection, "copies", COLUMNS, f"copy_of {AMONG}", list_parameter(ids)
    )
    return list(map(check_row, found))


def read_ids_with_own_text(connection: sqlite3.Connection) -> list[int]:
    """Return the documents with a text that is not blank, and no copy, in their order."""
    query = "SELECT id FROM documents WHERE digest IS NOT NULL AND copy_of IS NULL ORDER BY id"
    return [id_ for (id_,) in connection.execute(query)]


def has_any_text(connection: sqlite3.Connection) -> bool:
    """Return whether a document has a text that is not blank."""
    query = "SELECT EXISTS (SELECT 1 FROM documents WHERE digest IS NOT NULL)"
    return bool(connection.execute(query).fetchone()[0])


def read_ids_without_fingerprint(connection: sqlite3.Connection, digest: bytes) -> list[int]:
    """Return the documents with this digest whose text is too short for a fingerprint."""
    return lookups.find_row_numbers(connection, "unprinted", "digest = ?", (digest,))


def check_row(values: tuple[Any, ...]) -> StoredRow:
    """Return values of ``COLUMNS`` as a row, checked."""
    if checksum(values[:-1]) != values[-1]:
        raise StoreDamaged(f"the row of document {values[0]} is damaged. {_DAMAGE}")
    return StoredRow._make(values[:-1])


def read_clusters(connection: sqlite3.Connection) -> list[list[int]]:
    """Return the documents of every cluster of two or more, ascending; its keeper is the first."""
    # Every row is read and checked: an index, or a condition, would pass over a damaged one.
    count, links = 0, []
    for row in _select_documents(connection, "TRUE"):
        count += 1
        if row.keeper is not None or row.copy_of is not None:
            links.append(row)
    if count != read_counter(connection, "documents"):
        raise StoreDamaged(f"the row of a document is missing. {_DAMAGE}")
    keeper_of = {row.id: row.keeper for row in links if row.keeper is not None}
    found: dict[int, list[int]] = {}
    for row in links:
        keeper = keeper_of.get(row.first, row.first)
        found.setdefault(keeper, [keeper]).append(row.id)
    return [sorted(found[keeper]) for keeper in sorted(found)]


def read_keepers(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, int]:
    """Return the keepers of those of some documents that have one."""
    return {
        row.id: row.keeper for row in read_rows(connection, ids).values() if row.keeper is not None
    }


def read_ids_of_members(connection: sqlite3.Connection, keepers: Iterable[int]) -> list[int]:
    """Return the documents that some documents keep."""
    return lookups.find_row_numbers(
        connection, "members", f"keeper {AMONG}", list_parameter(keepers)
    )


def find_byte_twin_or_first(connection: sqlite3.Connection, copy: StoredRow) -> StoredRow:
    """Return another document with the same bytes as a copy, or else the first with its text."""
    first = read_row(connection, copy.copy_of)
    if first.bytes_digest == copy.bytes_digest:
        return first
    others = (one for one in read_copies(connection, [first.id]) if one.id != copy.id)
    return next((one for one in others if one.bytes_digest == copy.bytes_digest), first)


def clear_references_to(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Remove references to documents that no longer exist."""
    gone = lookups.list_parameter(ids)
    lookups.delete_rows(connection, "holding", f"document {AMONG}", gone)
    links = lookups.find_row_numbers(connection, "links", f"duplicate_of {AMONG}", gone)
    write_references(connection, "duplicate_of", dict.fromkeys(links))


def read_client_ids(connection: sqlite3.Connection) -> set[str]:
    """Return the ids that clients gave to documents."""
    found = lookups.select_rows(connection, "own_ids", CLIENT_ID, "TRUE", ())
    return {id_ for (id_,) in found if not is_number(id_)}


def find_id_of_client(connection: sqlite3.Connection, id_: str) -> int | None:
    """Return the document with this id of a client; None without one."""
    written = id_.encode("utf-8", "backslashreplace").decode()
    return next(
        iter(lookups.find_row_numbers(connection, "own_ids", f"{CLIENT_ID} = ?", (written,))), None
    )
