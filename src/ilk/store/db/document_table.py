"""The table of documents: reading and writing."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Literal, TypeAlias, TypeVar

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

#: The columns in which one document refers to another one.
ReferenceColumn: TypeAlias = Literal["copy_of", "keeper", "duplicate_of"]

#: The ids of a cluster, ascending; the first is that of its keeper.
KeeperThenMembers: TypeAlias = list[int]


def insert_or_replace_rows(connection: sqlite3.Connection, rows: Iterable[StoredRow]) -> None:
    """Write rows, which may replace those of the same ids."""
    rows = list(rows)
    # Passing a null takes longer than a number: columns of only nulls are left out.
    places = [
        place
        for place, values in enumerate(zip(*rows, strict=True))
        if values.count(None) < len(values)
    ]
    if not places:
        return
    names = ", ".join([*(StoredRow._fields[place] for place in places), "checksum"])
    values_at_places = itemgetter(*places)
    marks = ", ".join("?" * (len(places) + 1))
    connection.executemany(
        f"INSERT OR REPLACE INTO documents ({names}) VALUES ({marks})",
        ((*values_at_places(row), checksum(row)) for row in rows),
    )


def write_changed_references(
    connection: sqlite3.Connection,
    column: ReferenceColumn,
    target_by_id: Mapping[int, int | None],
    *,
    known_rows: Mapping[int, StoredRow] | None = None,
) -> dict[int, StoredRow]:
    """Write the ids that documents refer to in a column, where they differ from the stored ones;
    return the rows that changed, by id.

    Args:
        connection: to the file.
        column: the column.
        target_by_id: what each document refers to; None refers to nothing.
        known_rows: of some documents, as the file has them, which are not read again.
    """
    known_rows = known_rows or {}
    unknown_ids = [id_ for id_ in target_by_id if id_ not in known_rows]
    read_rows = read_rows_unless_removed(connection, unknown_ids) if unknown_ids else {}
    place = StoredRow._fields.index(column)
    new_rows = {}
    for id_, target in target_by_id.items():
        row = known_rows.get(id_) or read_rows.get(id_)
        if row is not None and row[place] != target:
            new_rows[id_] = StoredRow._make((*row[:place], target, *row[place + 1 :]))
    # Unlike a row that replaces another one, a column that is set leaves the other indexes alone.
    connection.executemany(
        f"UPDATE documents SET {column} = ?, checksum = ? WHERE id = ?",
        ((row[place], checksum(row), id_) for id_, row in new_rows.items()),
    )
    return new_rows


def _select_checked_rows(
    connection: sqlite3.Connection, where: str, parameters: Sequence[Any] = ()
) -> Iterator[StoredRow]:
    query = f"SELECT {COLUMNS} FROM documents NOT INDEXED WHERE {where}"
    return map(check_row, connection.execute(query, parameters))


def read_rows_unless_removed(
    connection: sqlite3.Connection, ids: Iterable[int]
) -> dict[int, StoredRow]:
    """Return the rows of documents by id; those that were removed, or never stored, are left out.

    Raises:
        StoreDamaged: a row is damaged; or it is missing, and its document was never removed.
    """
    asked_ids = set(ids)
    row_of = {
        row.id: row
        for row in _select_checked_rows(connection, f"id {AMONG}", list_parameter(asked_ids))
    }
    if len(row_of) < len(asked_ids):
        # Documents that were stored and never removed are lost.
        last, removed = read_counter(connection, "next_id"), "document = ? AND what = 'removed'"
        for id_ in asked_ids - row_of.keys():
            if 0 <= id_ < last and not lookups.find_rowids_in_agreeing_indexes(
                connection, "events", removed, (id_,)
            ):
                raise StoreDamaged(f"the row of document {id_} is missing. {_DAMAGE}")
    return row_of


def read_digests_if_any(
    connection: sqlite3.Connection, required_ids: Collection[int]
) -> dict[int, bytes | None]:
    """Return the digests of documents by id; None for a blank or unknown text.

    Their checksum is checked when the whole row is read.

    Raises:
        StoreDamaged: a document is missing.
    """
    query = f"SELECT id, digest FROM documents WHERE id {AMONG}"
    digest_of = dict(connection.execute(query, list_parameter(required_ids)))
    return check_that_none_is_missing(required_ids, digest_of)


def check_that_none_is_missing(
    required_ids: Iterable[int], values_by_id: dict[int, _T]
) -> dict[int, _T]:
    """Return the values.

    Raises:
        StoreDamaged: one of the ids, which an index has, has no value.
    """
    for id_ in required_ids:
        if id_ not in values_by_id:
            raise StoreDamaged(
                f"document {id_} is packed, but does not exist. Rebuild the packed fingerprints "
                "from the documents: `ilk store rebuild`."
            )
    return values_by_id


def find_row_or_none(connection: sqlite3.Connection, id_: object) -> StoredRow | None:
    """Return the row of one document; None if no document has that id."""
    if type(id_) is not int or not -(1 << 63) <= id_ < 1 << 63:
        return None
    return read_rows_unless_removed(connection, [id_]).get(id_)


def read_row(connection: sqlite3.Connection, id_: object) -> StoredRow:
    """Return the row of one document.

    Raises:
        IdError: no document has that id.
    """
    if (row := find_row_or_none(connection, id_)) is not None:
        return row
    raise IdError(
        f"no document has the id {id_!r}; ids are the numbers that add() returns and records show."
    )


def read_next_rows(
    connection: sqlite3.Connection, *, after_id: int, max_rows: int
) -> list[StoredRow]:
    """Return at most that many rows with ids above one, in the order of ids."""
    # Numbers begin at 0; SQLite has no larger ones, and takes a negative limit for none.
    after_id, max_rows = min(max(after_id, -1), (1 << 63) - 1), max(max_rows, 0)
    parameters = (after_id, max_rows)
    rows = list(_select_checked_rows(connection, "id > ? ORDER BY id LIMIT ?", parameters))
    if len(rows) < max_rows:
        end = read_counter(connection, "next_id")
    else:
        end = rows[-1].id + 1 if rows else after_id + 1
    gap = end - after_id - 1 - len(rows)
    if gap > 0:
        where = "document > ? AND document < ? AND what = 'removed'"
        removed = lookups.find_rowids_in_agreeing_indexes(
            connection, "events", where, (after_id, end)
        )
        if gap != len(removed):
            raise StoreDamaged(f"a row of a document after {after_id} is missing. {_DAMAGE}")
    return rows


def read_rows_of_copies(
    connection: sqlite3.Connection, representative_ids: Iterable[int]
) -> list[StoredRow]:
    """Return the rows of the copies of some documents, in the order of their ids."""
    rows = lookups.select_rows_by_index(
        connection,
        "copies",
        COLUMNS,
        where=f"copy_of {AMONG}",
        parameters=list_parameter(representative_ids),
    )
    return list(map(check_row, rows))


def read_ids_of_nonblank_representatives(connection: sqlite3.Connection) -> list[int]:
    """Return the ids of documents with a text that is not blank, without copies, ascending."""
    query = "SELECT id FROM documents WHERE digest IS NOT NULL AND copy_of IS NULL ORDER BY id"
    return [id_ for (id_,) in connection.execute(query)]


def has_nonblank_document(connection: sqlite3.Connection) -> bool:
    """Return whether any document has a text that is not blank."""
    query = "SELECT EXISTS (SELECT 1 FROM documents WHERE digest IS NOT NULL)"
    return bool(connection.execute(query).fetchone()[0])


def read_representative_ids_without_fingerprint(
    connection: sqlite3.Connection, digest: bytes
) -> list[int]:
    """Return the documents with this digest whose text is too short for a fingerprint."""
    return lookups.find_rowids_in_agreeing_indexes(connection, "unprinted", "digest = ?", (digest,))


def check_row(values: tuple[Any, ...]) -> StoredRow:
    """Return values of ``COLUMNS`` as a row, checked."""
    if checksum(values[:-1]) != values[-1]:
        raise StoreDamaged(f"the row of document {values[0]} is damaged. {_DAMAGE}")
    return StoredRow._make(values[:-1])


def read_clusters_of_two_or_more(connection: sqlite3.Connection) -> list[KeeperThenMembers]:
    """Return every cluster of two documents or more, in the order of their keepers."""
    # Every row is read and checked: an index, or a condition, would pass over a damaged one.
    count, links = 0, []
    for row in _select_checked_rows(connection, "TRUE"):
        count += 1
        if row.keeper is not None or row.copy_of is not None:
            links.append(row)
    if count != read_counter(connection, "documents"):
        raise StoreDamaged(f"the row of a document is missing. {_DAMAGE}")
    keeper_of = {row.id: row.keeper for row in links if row.keeper is not None}
    cluster_of: dict[int, list[int]] = {}
    for row in links:
        keeper = keeper_of.get(row.representative_id, row.representative_id)
        cluster_of.setdefault(keeper, [keeper]).append(row.id)
    return [sorted(cluster_of[keeper]) for keeper in sorted(cluster_of)]


def read_keeper_by_member(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, int]:
    """Return the ids of keepers by those of members; keepers and copies are left out."""
    return {
        row.id: row.keeper
        for row in read_rows_unless_removed(connection, ids).values()
        if row.keeper is not None
    }


def read_ids_of_members(connection: sqlite3.Connection, keeper_ids: Iterable[int]) -> list[int]:
    """Return the ids of the documents that have one of these keepers, ascending."""
    return lookups.find_rowids_in_agreeing_indexes(
        connection, "members", f"keeper {AMONG}", list_parameter(keeper_ids)
    )


def find_byte_twin_or_representative(connection: sqlite3.Connection, copy: StoredRow) -> StoredRow:
    """Return another document with the same bytes as a copy, or else its representative."""
    representative = read_row(connection, copy.copy_of)
    if representative.bytes_digest == copy.bytes_digest:
        return representative
    copies = read_rows_of_copies(connection, [representative.id])
    twins = (row for row in copies if row.id != copy.id and row.bytes_digest == copy.bytes_digest)
    return next(twins, representative)


def delete_file_rows_and_links_to(
    connection: sqlite3.Connection, removed_ids: Iterable[int]
) -> None:
    """Remove what the store knows of the files of removed documents, and the links to these."""
    removed = lookups.list_parameter(removed_ids)
    lookups.delete_rows_by_index(connection, "holding", f"document {AMONG}", removed)
    linked_ids = lookups.find_rowids_in_agreeing_indexes(
        connection, "links", f"duplicate_of {AMONG}", removed
    )
    write_changed_references(connection, "duplicate_of", dict.fromkeys(linked_ids))


def read_client_ids(connection: sqlite3.Connection) -> set[str]:
    """Return the ids that clients gave to documents."""
    rows = lookups.select_rows_by_index(
        connection, "own_ids", CLIENT_ID, where="TRUE", parameters=()
    )
    return {client_id for (client_id,) in rows if not is_number(client_id)}


def find_id_by_client_id_or_none(connection: sqlite3.Connection, client_id: str) -> int | None:
    """Return the number of the first document with this id of a client; None without one."""
    written = client_id.encode("utf-8", "backslashreplace").decode()
    ids = lookups.find_rowids_in_agreeing_indexes(
        connection, "own_ids", f"{CLIENT_ID} = ?", (written,)
    )
    return next(iter(ids), None)
