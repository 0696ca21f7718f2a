"""The tables of documents: reading and writing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeVar

from ilk.base.errors import IdError, StoreDamaged
from ilk.store.records import Row

_T = TypeVar("_T")

#: The end of the year 9999, in microseconds since 1970.
_LAST_MOMENT = 253_402_300_799_999_999

#: Rows to read at once.
AT_ONCE = 10_000

#: The columns of a row, followed by its checksum; and their number.
COLUMNS = f"{', '.join(Row._fields)}, d.checksum"
WIDTH = len(Row._fields) + 1


def insert(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
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
    names = ", ".join([*(Row._fields[place] for place in some), "checksum"])
    chosen = itemgetter(*some)
    connection.executemany(
        f"INSERT OR REPLACE INTO documents ({names}) VALUES ({', '.join('?' * (len(some) + 1))})",
        ((*chosen(row), row.checksum) for row in rows),
    )


def rows(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, Row]:
    """Return the rows of some documents, by id; those that do not exist are left out."""
    found = connection.execute(
        f"SELECT {COLUMNS} FROM documents d WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {row.id: row for row in map(sound, found)}


def digests(connection: sqlite3.Connection, ids: Collection[int]) -> dict[int, bytes | None]:
    """Return the digests of some documents by id.

    Their checksum is checked when the whole row is read.
    """
    found = connection.execute(
        "SELECT id, digest FROM documents WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return all_of(ids, dict(found))


def all_of(ids: Iterable[int], found: dict[int, _T]) -> dict[int, _T]:
    """Return what was found, if it is complete.

    Raises:
        StoreDamaged: a document that the packed fingerprints name does not exist.
    """
    for id_ in ids:
        if id_ not in found:
            raise StoreDamaged(
                f"document {id_} is packed, but does not exist. Rebuild the packed fingerprints "
                "from the documents: `ilk store rebuild`."
            )
    return found


def row(connection: sqlite3.Connection, id_: object) -> Row:
    """Return the row of one document.

    Raises:
        IdError: no document has that id.
    """
    if type(id_) is int and -(1 << 63) <= id_ < 1 << 63:
        found = connection.execute(f"SELECT {COLUMNS} FROM documents d WHERE id = ?", (id_,))
        for one in map(sound, found):
            return one
    raise IdError(
        f"no document has the id {id_!r}; ids are the numbers that add() returns and records show."
    )


def after(connection: sqlite3.Connection, id_: int, most: int) -> list[Row]:
    """Return at most ``most`` rows with ids above one, in the order of ids."""
    found = connection.execute(
        f"SELECT {COLUMNS} FROM documents d WHERE id > ? ORDER BY id LIMIT ?", (id_, most)
    )
    return list(map(sound, found))


def copies(connection: sqlite3.Connection, ids: Iterable[int]) -> list[Row]:
    """Return the rows of the copies of some documents, in the order of their ids."""
    found = connection.execute(
        f"SELECT {COLUMNS} FROM documents d WHERE copy_of IN (SELECT value FROM json_each(?)) "
        "ORDER BY id",
        (json.dumps(list(ids)),),
    )
    return list(map(sound, found))


def without_fingerprint(connection: sqlite3.Connection, digest: bytes) -> list[int]:
    """Return the documents with this digest whose text is too short for a fingerprint."""
    found = connection.execute(
        "SELECT id FROM documents "
        "WHERE digest = ? AND fingerprint IS NULL AND copy_of IS NULL AND digest IS NOT NULL",
        (digest,),
    )
    return [id_ for (id_,) in found]


def sound(values: Sequence[Any]) -> Row:
    """Return values of ``COLUMNS`` as a row, checked.

    Raises:
        StoreDamaged: they are damaged.
    """
    row = Row._make(values[:-1])
    if not is_sound(row, values[-1]):
        raise StoreDamaged(
            f"the row of document {row.id} is damaged. `ilk store validate` lists all damage; "
            "restore a backup."
        )
    return row


def names(connection: sqlite3.Connection) -> list[str]:
    """Return the tables of the file."""
    found = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return [name for (name,) in found]


def checked(connection: sqlite3.Connection) -> Iterator[tuple[Row, bool]]:
    """Yield every row, and whether it is undamaged."""
    for *values, checksum in connection.execute(f"SELECT {COLUMNS} FROM documents d"):
        row = Row(*values)
        yield row, is_sound(row, checksum)


def some_members(connection: sqlite3.Connection, most: int) -> list[tuple[int, int]]:
    """Return members of clusters with their keepers, spread over all of them."""
    return spread(connection, "SELECT id, keeper FROM documents WHERE keeper IS NOT NULL", most)


def spread(connection: sqlite3.Connection, query: str, most: int) -> list[Any]:
    """Return some rows of a query, spread over all of them."""
    found = connection.execute(f"{query} ORDER BY 1").fetchall()
    return found[:: -(-len(found) // most)] if len(found) > most else found


def is_sound(row: Row, checksum: int) -> bool:
    """Return whether a row is undamaged, with valid types and times."""
    links = (row.copy_of, row.keeper, row.duplicate_of)
    try:
        return (
            row.checksum == checksum
            and 0 <= row.updated <= _LAST_MOMENT
            and all(link is None or type(link) is int for link in links)
        )
    except (AttributeError, OverflowError, TypeError):
        return False


def exists(connection: sqlite3.Connection, id_: object) -> bool:
    """Return whether a document has this id."""
    if type(id_) is not int or not -(1 << 63) <= id_ < 1 << 63:
        return False
    found = connection.execute("SELECT 1 FROM documents WHERE id = ?", (id_,)).fetchone()
    return found is not None


def clusters(connection: sqlite3.Connection) -> list[list[int]]:
    """Return the documents of every cluster of two or more, ascending; its keeper is the first."""
    members = connection.execute(
        "SELECT keeper, id FROM documents WHERE keeper IS NOT NULL"
    ).fetchall()
    copies = connection.execute(
        "SELECT copy_of, id FROM documents WHERE copy_of IS NOT NULL"
    ).fetchall()
    if any(type(one) is not int for pair in (*members, *copies) for one in pair):
        raise StoreDamaged(
            "the index of clusters is damaged. `ilk store validate` lists all damage; restore a "
            "backup."
        )
    of = {id_: keeper for keeper, id_ in members}
    found: dict[int, list[int]] = {}
    for keeper, id_ in [*members, *((of.get(first, first), id_) for first, id_ in copies)]:
        found.setdefault(keeper, [keeper]).append(id_)
    return [sorted(found[keeper]) for keeper in sorted(found)]


def keepers(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, int]:
    """Return the keepers of those of some documents that have one."""
    found = connection.execute(
        "SELECT id, keeper FROM documents "
        "WHERE id IN (SELECT value FROM json_each(?)) AND keeper IS NOT NULL",
        (json.dumps(list(ids)),),
    )
    return dict(found)


def set_keepers(connection: sqlite3.Connection, keepers: Mapping[int, int | None]) -> None:
    """Write the keeper of each of these documents; None if it has none."""
    # Most have no keeper, as before.
    connection.executemany(
        "UPDATE documents SET keeper = ?2 WHERE id = ?1 AND keeper IS NOT ?2", keepers.items()
    )


def members(connection: sqlite3.Connection, keepers: Iterable[int]) -> list[int]:
    """Return the documents that some documents keep."""
    found = connection.execute(
        "SELECT id FROM documents WHERE keeper IN (SELECT value FROM json_each(?))",
        (json.dumps(list(keepers)),),
    )
    return [id_ for (id_,) in found]


def last_text(connection: sqlite3.Connection, without: Sequence[int]) -> int:
    """Return the last document that represents a text, except for these, or -1."""
    found = connection.execute(
        "SELECT id FROM documents WHERE copy_of IS NULL "
        "AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT 1",
        (json.dumps(list(without)),),
    ).fetchone()
    return -1 if found is None else int(found[0])


def twin(connection: sqlite3.Connection, copy: Row) -> Row:
    """Return another document with the same bytes as a copy, or else the first one with its
    text.
    """
    found = connection.execute(
        f"SELECT {COLUMNS} FROM documents d WHERE copy_of = ? AND bytes_digest = ? AND id <> ? "
        "ORDER BY id LIMIT 1",
        (copy.copy_of, copy.bytes_digest, copy.id),
    )
    first = row(connection, copy.copy_of)
    same = None if first.bytes_digest == copy.bytes_digest else next(map(sound, found), None)
    return first if same is None else same


def set_links(connection: sqlite3.Connection, links: Mapping[int, int]) -> None:
    """Write which documents some documents are duplicates of."""
    connection.executemany("UPDATE documents SET duplicate_of = ?2 WHERE id = ?1", links.items())


def make_copy(connection: sqlite3.Connection, id_: int, first: int) -> None:
    """Make a document that represented a text a copy of another one, with all of its copies."""
    connection.execute(
        "UPDATE documents SET copy_of = ?2, keeper = NULL WHERE id = ?1 OR copy_of = ?1",
        (id_, first),
    )


def inherit(connection: sqlite3.Connection, id_: int, heir: int) -> None:
    """Let a copy represent the text of a document in its place."""
    for table in ("evidence", "noise_shingles"):
        connection.execute(f"UPDATE {table} SET id = ?2 WHERE id = ?1", (id_, heir))
    connection.execute("UPDATE documents SET copy_of = NULL WHERE id = ?", (heir,))
    connection.execute("UPDATE documents SET copy_of = ?2 WHERE copy_of = ?1", (id_, heir))


def delete(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Remove the rows and the texts of documents."""
    for table in ("documents", "texts"):
        connection.executemany(f"DELETE FROM {table} WHERE id = ?", ((i,) for i in ids))


def forget(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Remove references to documents that no longer exist."""
    connection.executemany("DELETE FROM files WHERE document = ?", ((i,) for i in ids))
    connection.executemany(
        "UPDATE documents SET duplicate_of = NULL WHERE duplicate_of = ?", ((i,) for i in ids)
    )
