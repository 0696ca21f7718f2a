"""The indexes of a store in its file: entries packed in segments, by part.

A part is one index: ``fingerprints``, or a set index with an order of values, which stands in
``orders``. Segment k of a part holds the entries of the documents k * size to k * size + size - 1
that the part has, in arbitrary order. A segment is written in the transaction that changes its
documents, and carries the number of that transaction, so that other processes read only what
changed. A setting counts the segments of a part, so that none can be missing unseen. All of it
follows from the documents, and can be made again.
"""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import StoreDamaged
from ilk.store.db import lookups
from ilk.store.db.settings import count_segments, segment_count

#: The part of fingerprints: 64 or 128 bits each.
FINGERPRINTS = "fingerprints"

_REMEDY = "Rebuild the segments from the documents: `ilk store rebuild`."

_COLUMNS = "number, checksum, places, ends, entries"

#: Documents per segment: 16 KB of fingerprints, or about 24 KB of entries of sets of 1,000 words.
_MANY, _FEW = 1024, 16

#: Rows to read at once.
_AT_ONCE = 1 << 14


class Segment(NamedTuple):
    """The contents of one segment.

    Attributes:
        part, number: its part, and its number there.
        places: where each of n documents is among those of the segment, 2 bytes each; empty if all
            of them are there.
        ends: where each entry ends, 4 bytes each; empty if all are of one width.
        entries: n entries, one after the other.
    """

    part: str
    number: int
    places: bytes
    ends: bytes
    entries: bytes

    @property
    def documents(self) -> range:
        """The documents that it may have."""
        return range(self.number * size(self.part), (self.number + 1) * size(self.part))

    @property
    def ids(self) -> Sequence[int]:
        """The n documents that it has."""
        documents = self.documents
        if not self.entries or self.places:
            return [documents[place] for place in array("H", self.places)]
        return documents

    def items(self) -> dict[int, bytes]:
        """Return the entries by document."""
        ids = self.ids
        width = len(self.entries) // (len(ids) or 1)
        ends = array("I", self.ends).tolist() or [width * place for place in range(1, len(ids) + 1)]
        bounds = pairwise([0, *ends])
        return {id_: self.entries[a:b] for id_, (a, b) in zip(ids, bounds, strict=True)}

    @classmethod
    def of(cls, part: str, number: int, entries: Mapping[int, bytes]) -> Segment:
        """Return a segment with these entries."""
        some = dict(sorted(entries.items()))
        first, whole = number * size(part), len(some) == size(part)
        places = array("H", () if whole else [id_ - first for id_ in some])
        widths = list(map(len, some.values()))
        ends = array("I", accumulate(widths) if len(set(widths)) > 1 else ())
        return cls(part, number, bytes(places), bytes(ends), b"".join(some.values()))

    @property
    def checksum(self) -> int:
        """A CRC-32 of everything in it."""
        found = zlib.crc32(f"{self.part} {self.number}".encode())
        for packed in self[2:]:
            found = zlib.crc32(packed, found)
        return found


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


def every(connection: sqlite3.Connection, part: str) -> Iterator[Segment]:
    """Yield all segments of a part.

    Raises:
        StoreDamaged: one of them is damaged or missing.
    """
    seen = 0
    for values in connection.execute(f"SELECT {_COLUMNS} FROM segments WHERE part = ?", (part,)):
        yield _sound(part, *values)
        seen += 1
    if seen != segment_count(connection, part):
        raise StoreDamaged(f"a segment of {part} is missing. {_REMEDY}")


def changed_since(connection: sqlite3.Connection, part: str, transaction: int) -> Iterator[Segment]:
    """Yield the segments that later transactions have written."""
    where = "part = ? AND changed > ?"
    for place in lookups.places(connection, "changes", where, (part, transaction)):
        query = f"SELECT {_COLUMNS} FROM segments WHERE rowid = ?"
        values = connection.execute(query, (place,)).fetchone()
        if values is None:
            raise StoreDamaged(f"a segment of {part} is missing. {_REMEDY}")
        yield _sound(part, *values)


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
    packed = bytes(arrow.raw(values))
    return {
        id_: packed[width * at : width * (at + 1)]
        for at, (id_, there) in enumerate(zip(ids, values.is_valid().to_pylist(), strict=True))
        if there
    }


def differences(
    connection: sqlite3.Connection, part: str, made: Iterable[Mapping[int, bytes]]
) -> Iterator[str | None]:
    """Compare all segments of a part with the entries that they are made from, piece by piece.

    Yield for each segment None, and what is wrong.
    """
    held: dict[int, int] = {}
    try:
        for segment in every(connection, part):
            held |= {id_: zlib.crc32(entry) for id_, entry in segment.items().items()}
            yield None
    except StoreDamaged as error:
        yield str(error)
        return
    for entries in made:
        for id_, entry in entries.items():
            if held.pop(id_, None) != zlib.crc32(entry):
                yield f"document {id_} has another entry in {part}, or none. {_REMEDY}"
    for id_ in held:
        yield f"document {id_} has an entry in {part}, but should not. {_REMEDY}"


def columns(segment: Segment, bits: int) -> tuple[pa.Array, pa.Array]:
    """Return the ids and the fingerprints of a segment."""
    return pa.array(segment.ids, pa.int64()), column(segment.entries, bits)


def column(packed: bytes, bits: int) -> pa.Array:
    """Return packed fingerprints as a column, without a copy."""
    kind = arrow.fingerprint_type(bits)
    count = 8 * len(packed) // kind.bit_width
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(packed)])


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
    query = "SELECT part FROM segments UNION SELECT part FROM orders"
    return not {part for (part,) in connection.execute(query)}.isdisjoint(parts)


def _of_order(part: str, order: Order) -> int:
    return zlib.crc32(order.counts, zlib.crc32(f"{part} {order.made} {order.sets}".encode()))


def _items(connection: sqlite3.Connection, part: str, number: int) -> dict[int, bytes]:
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM segments WHERE part = ? AND number = ?", (part, number)
    ).fetchone()
    return {} if row is None else _sound(part, *row).items()


def _write(
    connection: sqlite3.Connection,
    part: str,
    transaction: int,
    number: int,
    entries: Mapping[int, bytes],
) -> None:
    segment = Segment.of(part, number, entries)
    place = "SELECT 1 FROM segments WHERE part = ? AND number = ?"
    if connection.execute(place, (part, number)).fetchone() is None:
        count_segments(connection, part, segment_count(connection, part) + 1)
    connection.execute(
        "INSERT OR REPLACE INTO segments (part, number, changed, checksum, places, ends, entries) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (part, number, transaction, segment.checksum, *segment[2:]),
    )


def _sound(part: str, number: int, checksum: object, *packed: Any) -> Segment:
    segment = Segment(part, number, *packed)
    with contextlib.suppress(TypeError):
        if segment.checksum == checksum:
            return segment
    raise StoreDamaged(f"segment {number} of {part} is damaged. {_REMEDY}")
