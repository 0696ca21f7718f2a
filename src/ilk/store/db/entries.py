"""The tables of an exact store's index: they save what it holds in memory of every set, so that
opening a store only reads it.

An index puts values into an order, which is written in ``orders``; its entries for a document in
that order are in ``entries``. Both are written in the transaction that changes the documents.
Everything follows from the evidence: whatever is damaged is made again.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

#: Entries to read at once: an index adds many together faster.
_AT_ONCE = 1 << 16


class Order(NamedTuple):
    """The order of values of one index.

    Attributes:
        made: the transaction that wrote it.
        sets: the number of sets in the index at that time.
        counts: from the index.
    """

    made: int
    sets: int
    counts: bytes


class Entry(NamedTuple):
    """The entries of one document in the indexes.

    Attributes:
        id: the id of the document.
        short: whether its text has so few words that it is compared by characters with its kind.
        words: the entry of its word shingles.
        characters: the entry of its character shingles; None if it has none.
    """

    id: int
    short: bool
    words: bytes
    characters: bytes | None


class DamagedError(Exception):
    """The tables are damaged."""


def made(connection: sqlite3.Connection) -> int | None:
    """Return the transaction that wrote the orders; None if none did."""
    row = connection.execute("SELECT max(made) FROM orders").fetchone()
    return row[0] if isinstance(row[0], int) else None


def some_there(connection: sqlite3.Connection) -> bool:
    """Return whether an index was written; a store of version 1 gets one at its next change."""
    query = "SELECT EXISTS (SELECT 1 FROM entries) OR EXISTS (SELECT 1 FROM orders)"
    return bool(connection.execute(query).fetchone()[0])


def orders(connection: sqlite3.Connection, names: Iterable[str]) -> list[Order]:
    """Return the orders of the indexes with these names.

    Raises:
        DamagedError: one is missing or damaged.
    """
    found = []
    for name in names:
        row = connection.execute(
            "SELECT made, sets, counts, checksum FROM orders WHERE name = ?", (name,)
        ).fetchone()
        try:
            if row is None or row[3] != _of_order(name, order := Order(*row[:3])):
                raise DamagedError(f"the order {name}")
            found.append(order._replace(counts=zlib.decompress(order.counts)))
        except (TypeError, zlib.error) as error:
            raise DamagedError(f"the order {name}") from error
    return found


def clear(connection: sqlite3.Connection) -> None:
    """Remove all orders and entries."""
    connection.execute("DELETE FROM entries")
    connection.execute("DELETE FROM orders")


def set_orders(connection: sqlite3.Connection, orders: Iterable[tuple[str, Order]]) -> None:
    """Write the orders of indexes."""
    for name, order in orders:
        packed = order._replace(counts=zlib.compress(order.counts, 1))
        connection.execute(
            "INSERT INTO orders VALUES (?, ?, ?, ?, ?)", (name, *packed, _of_order(name, packed))
        )


def _of_order(name: str, order: Order) -> int:
    return zlib.crc32(order.counts, zlib.crc32(f"{name} {order.made} {order.sets}".encode()))


def insert(connection: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    """Write the entries of documents."""
    connection.executemany(
        "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)",
        ((*entry, _checksum(*entry)) for entry in entries),
    )


def delete(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Remove the entries of documents, if they exist."""
    connection.executemany("DELETE FROM entries WHERE id = ?", ((id_,) for id_ in ids))


def some(connection: sqlite3.Connection, ids: Iterable[int]) -> list[Entry]:
    """Return the entries of some documents; those without entries are left out.

    Raises:
        DamagedError: one is damaged.
    """
    found = connection.execute(
        "SELECT * FROM entries WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return list(_sound(found))


def every(connection: sqlite3.Connection) -> Iterator[list[Entry]]:
    """Yield all entries, piece by piece.

    Raises:
        DamagedError: one is damaged.
    """
    rows = connection.execute("SELECT * FROM entries")
    while found := rows.fetchmany(_AT_ONCE):
        yield list(_sound(found))


def _sound(rows: Iterable[tuple[int, int, bytes, bytes | None, int]]) -> Iterator[Entry]:
    for id_, short, words, characters, checksum in rows:
        try:
            sound = _checksum(id_, short, words, characters) == checksum
        except TypeError:
            sound = False
        if not sound:
            raise DamagedError(f"the entry of document {id_}")
        yield Entry(id_, short == 1, words, characters)


def _checksum(id_: int, short: int, words: bytes, characters: bytes | None) -> int:
    """Return a CRC-32 of an entry."""
    found = zlib.crc32(words, zlib.crc32(b"%d %d " % (id_, short)))
    return found if characters is None else zlib.crc32(characters, found)
