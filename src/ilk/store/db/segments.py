"""The indexes of a store in its file: entries packed in segments, by part.

A part is one index: ``fingerprints``, or a set index with an order of values, which stands in
``orders``. Segment k of a part holds the entries of the documents k * size to k * size + size - 1
that the part has, in arbitrary order. A segment is written in the transaction that changes its
documents, and carries the number of that transaction, so that other processes read only what
changed. A setting counts the segments of a part, so that none can be missing unseen. All of it
follows from the documents, and can be made again.
"""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import StoreDamaged
from ilk.store.db.settings import count_segments, segment_count

#: The part of fingerprints: 64 or 128 bits each.
FINGERPRINTS = "fingerprints"

_REMEDY = "Rebuild the segments from the documents: `ilk store rebuild`."

#: Documents per segment: about 24 KB of fingerprints, or of entries of sets of 1,000 words.
_MANY, _FEW = 1024, 16

#: Rows to read at once.
_AT_ONCE = 1 << 14


class Segment(NamedTuple):
    """The contents of one segment.

    Attributes:
        number: its number in its part.
        ids: n documents, 8 bytes each.
        ends: where each entry ends, 4 bytes each; empty if all are of one width.
        entries: n entries, one after the other.
    """

    number: int
    ids: bytes
    ends: bytes
    entries: bytes

    def items(self) -> dict[int, bytes]:
        """Return the entries by document."""
        ids = array("q", self.ids).tolist()
        width = len(self.entries) // (len(ids) or 1)
        ends = array("I", self.ends).tolist() or [width * place for place in range(1, len(ids) + 1)]
        bounds = pairwise([0, *ends])
        return {id_: self.entries[a:b] for id_, (a, b) in zip(ids, bounds, strict=True)}

    @classmethod
    def of(cls, number: int, entries: Mapping[int, bytes]) -> Segment:
        """Return a segment with these entries."""
        widths = list(map(len, entries.values()))
        ends, at = [], 0
        for width in widths if len(set(widths)) > 1 else ():
            at += width
            ends.append(at)
        packed = (_numbers(entries, pa.int64()), _numbers(ends, pa.uint32()))
        return cls(number, *packed, b"".join(entries.values()))


class Order(NamedTuple):
    """The order of values of one set index.

    Attributes:
        made: the transaction that wrote it.
        sets: the number of sets in the index at that time.
        counts: from the index.
    """

    made: int
    sets: int
    counts: bytes


def size(part: str) -> int:
    """Return how many documents a segment has."""
    return _MANY if part == FINGERPRINTS else _FEW


def add(
    connection: sqlite3.Connection, part: str, transaction: int, entries: Mapping[int, bytes]
) -> None:
    """Put the entries of documents, none of them there yet, into their segments."""
    by_number: dict[int, dict[int, bytes]] = defaultdict(dict)
    for id_, entry in entries.items():
        by_number[id_ // size(part)][id_] = entry
    for number, new in by_number.items():
        _write(connection, part, transaction, number, _items(connection, part, number) | new)


def remove(connection: sqlite3.Connection, part: str, transaction: int, ids: Iterable[int]) -> None:
    """Remove documents from their segments, if they are there."""
    by_number: dict[int, set[int]] = defaultdict(set)
    for id_ in ids:
        by_number[id_ // size(part)].add(id_)
    for number, gone in by_number.items():
        old = _items(connection, part, number)
        if not gone.isdisjoint(old):
            kept = {id_: entry for id_, entry in old.items() if id_ not in gone}
            _write(connection, part, transaction, number, kept)


def changed_since(connection: sqlite3.Connection, part: str, transaction: int) -> Iterator[Segment]:
    """Return the segments that later transactions have written; all of them after -1."""
    seen = 0
    for number, segment in checked(connection, part, transaction):
        if segment is None:
            raise _damaged(part, number)
        yield segment
        seen += 1
    if transaction < 0 and seen != segment_count(connection, part):
        raise StoreDamaged(f"a segment of {part} is missing. {_REMEDY}")


def checked(
    connection: sqlite3.Connection, part: str, transaction: int = -1
) -> Iterator[tuple[int, Segment | None]]:
    """Return the number of every segment written after a transaction; None if it is damaged."""
    rows = connection.execute(
        "SELECT number, ids, ends, entries, checksum FROM segments WHERE part = ? AND changed > ?",
        (part, transaction),
    )
    for number, *packed, checksum in rows:
        yield number, _sound(part, number, packed, checksum)


def size_in_bytes(connection: sqlite3.Connection) -> int:
    """Return how many bytes all segments and orders have."""
    (size,) = connection.execute(
        "SELECT (SELECT coalesce(sum(length(ids) + length(ends) + length(entries)), 0) "
        "FROM segments) + (SELECT coalesce(sum(length(counts)), 0) FROM orders)"
    ).fetchone()
    return int(size)


def clear(connection: sqlite3.Connection, part: str, transaction: int) -> None:
    """Empty all segments, which stay so that other processes see the change."""
    numbers = connection.execute("SELECT number FROM segments WHERE part = ?", (part,)).fetchall()
    count_segments(connection, part, len(numbers))
    for (number,) in numbers:
        _write(connection, part, transaction, number, {})


def fingerprints(connection: sqlite3.Connection, bits: int) -> Iterator[dict[int, bytes]]:
    """Return the entries of fingerprints, piece by piece, from the rows of the documents."""
    found = connection.execute(
        "SELECT id, fingerprint FROM documents "
        "WHERE fingerprint IS NOT NULL AND copy_of IS NULL ORDER BY id"
    )
    while rows := found.fetchmany(_AT_ONCE):
        ids, values = zip(*rows, strict=True)
        yield packed_values(ids, arrow.fingerprints_of(values, bits))


def packed_values(ids: Iterable[int], values: pa.Array) -> dict[int, bytes]:
    """Return fingerprints as entries, without nulls: 8 bytes each, or 16."""
    width = values.type.bit_width // 8
    packed = _bytes(values)
    return {
        id_: packed[width * at : width * (at + 1)]
        for at, (id_, there) in enumerate(zip(ids, values.is_valid().to_pylist(), strict=True))
        if there
    }


def columns(segment: Segment, bits: int) -> tuple[pa.Array, pa.Array]:
    """Return the ids and the fingerprints of a segment, without a copy."""
    count, kind = len(segment.ids) // 8, arrow.fingerprint_type(bits)
    return (
        pa.Array.from_buffers(pa.int64(), count, [None, pa.py_buffer(segment.ids)]),
        pa.Array.from_buffers(kind, count, [None, pa.py_buffer(segment.entries)]),
    )


def made(connection: sqlite3.Connection, part: str) -> int | None:
    """Return the transaction that wrote the order of a part; None if none did."""
    row = connection.execute("SELECT made FROM orders WHERE part = ?", (part,)).fetchone()
    return row[0] if row is not None and isinstance(row[0], int) else None


def order(connection: sqlite3.Connection, part: str) -> Order:
    """Return the order of a part."""
    row = connection.execute(
        "SELECT made, sets, counts, checksum FROM orders WHERE part = ?", (part,)
    ).fetchone()
    try:
        if row is not None and row[3] == _of_order(part, found := Order(*row[:3])):
            return found._replace(counts=zlib.decompress(found.counts))
    except (TypeError, zlib.error):
        pass
    raise StoreDamaged(f"the order {part} is missing or damaged: `ilk store rebuild`.")


def set_order(connection: sqlite3.Connection, part: str, order: Order) -> None:
    """Write the order of a part."""
    packed = order._replace(counts=zlib.compress(order.counts, 1))
    connection.execute(
        "INSERT OR REPLACE INTO orders VALUES (?, ?, ?, ?, ?)",
        (part, *packed, _of_order(part, packed)),
    )


def forget_order(connection: sqlite3.Connection, part: str) -> None:
    """Let a set index be made again when it is next needed."""
    connection.execute("DELETE FROM orders WHERE part = ?", (part,))


def is_there(connection: sqlite3.Connection, parts: Iterable[str]) -> bool:
    """Return whether anything of these parts was written."""
    query = (
        "SELECT EXISTS (SELECT 1 FROM segments WHERE part = ?1) "
        "OR EXISTS (SELECT 1 FROM orders WHERE part = ?1)"
    )
    return any(connection.execute(query, (part,)).fetchone()[0] for part in parts)


def _of_order(part: str, order: Order) -> int:
    return zlib.crc32(order.counts, zlib.crc32(f"{part} {order.made} {order.sets}".encode()))


def _items(connection: sqlite3.Connection, part: str, number: int) -> dict[int, bytes]:
    """Return the entries of a segment, which will be written again."""
    row = connection.execute(
        "SELECT ids, ends, entries, checksum FROM segments WHERE part = ? AND number = ?",
        (part, number),
    ).fetchone()
    if row is None:
        return {}
    segment = _sound(part, number, row[:3], row[3])
    if segment is None:
        raise _damaged(part, number)
    return segment.items()


def _write(
    connection: sqlite3.Connection,
    part: str,
    transaction: int,
    number: int,
    entries: Mapping[int, bytes],
) -> None:
    segment = Segment.of(number, entries)
    place = "SELECT 1 FROM segments WHERE part = ? AND number = ?"
    if connection.execute(place, (part, number)).fetchone() is None:
        count_segments(connection, part, segment_count(connection, part) + 1)
    connection.execute(
        "INSERT OR REPLACE INTO segments (part, number, changed, checksum, ids, ends, entries) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (part, number, transaction, _checksum(part, segment), *segment[1:]),
    )


def _sound(part: str, number: int, packed: Iterable[Any], checksum: object) -> Segment | None:
    segment = Segment(number, *packed)
    try:
        return segment if _checksum(part, segment) == checksum else None
    except TypeError:
        return None


def _checksum(part: str, segment: Segment) -> int:
    found = zlib.crc32(f"{part} {segment.number}".encode())
    for packed in segment[1:]:
        found = zlib.crc32(packed, found)
    return found


def _damaged(part: str, number: int) -> StoreDamaged:
    first = number * size(part)
    return StoreDamaged(
        f"segment {number} of {part} is damaged (documents {first} to {first + size(part) - 1}). "
        f"{_REMEDY}"
    )


def _numbers(values: Iterable[int], kind: pa.DataType) -> bytes:
    return _bytes(pa.array(list(values), kind))


def _bytes(values: pa.Array) -> bytes:
    width = values.type.bit_width // 8
    buffer = values.buffers()[1]
    if buffer is None:
        return b""
    return bytes(buffer[width * values.offset : width * (values.offset + len(values))])
