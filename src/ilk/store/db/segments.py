"""Fingerprints packed in segments, to build an index in memory fast.

Segment k holds ids and fingerprints of the documents k * 1024 to k * 1024 + 1023 that represent a
text and have a fingerprint, in arbitrary order. A segment is written in the transaction that
changes its documents, and carries the number of that transaction, so that other processes read only
what changed.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import StoreDamaged
from ilk.store.db import packing

#: Documents per segment, by id.
SIZE = 1024


class Segment(NamedTuple):
    """The contents of one segment: its number, ids, and a fingerprint for each."""

    number: int
    ids: pa.Array
    fingerprints: pa.Array


def add(connection: sqlite3.Connection, transaction: int, ids: pa.Array, values: pa.Array) -> None:
    """Put fingerprints into their segments.

    Args:
        connection: in a transaction.
        transaction: its number.
        ids: n documents (``int64``), ascending, none of them in a segment.
        values: their n fingerprints; a document without one is in no segment, but the segment it
            would be in is marked as changed.
    """
    there = values.is_valid()
    numbers = pc.shift_right(ids, 10).to_pylist()
    start = 0
    while start < len(numbers):
        end = start
        while end < len(numbers) and numbers[end] == numbers[start]:
            end += 1
        old_ids, old_values = _packed(connection, numbers[start])
        some = there.slice(start, end - start)
        new_ids = packing.numbers_to_bytes(ids.slice(start, end - start).filter(some))
        new_values = packing.numbers_to_bytes(values.slice(start, end - start).filter(some))
        _write(connection, transaction, numbers[start], old_ids + new_ids, old_values + new_values)
        start = end


def remove(connection: sqlite3.Connection, transaction: int, ids: Iterable[int]) -> None:
    """Remove documents from their segments, which are marked as changed even if none was there."""
    by_number: dict[int, set[int]] = defaultdict(set)
    for one in ids:
        by_number[one // SIZE].add(one)
    for number, gone in by_number.items():
        old_ids, old_values = _packed(connection, number)
        width = len(old_values) // (len(old_ids) // 8 or 1)
        kept = [
            place
            for place, one in enumerate(packing.numbers_from_bytes(old_ids, pa.int64()).to_pylist())
            if one not in gone
        ]
        _write(
            connection,
            transaction,
            number,
            b"".join(old_ids[8 * place : 8 * place + 8] for place in kept),
            b"".join(old_values[width * place : width * (place + 1)] for place in kept),
        )


def changed_since(connection: sqlite3.Connection, transaction: int, bits: int) -> Iterator[Segment]:
    """Return the segments that later transactions have written.

    Raises:
        StoreDamaged: a segment is damaged.
    """
    for number, part in checked(connection, bits, transaction):
        if part is None:
            raise _damaged(number)
        yield part


def checked(
    connection: sqlite3.Connection, bits: int, transaction: int = -1
) -> Iterator[tuple[int, Segment | None]]:
    """Return the number of every segment written after a transaction; None if it is damaged."""
    kind = arrow.fingerprint_type(bits)
    rows = connection.execute(
        "SELECT number, checksum, ids, fingerprints FROM segments WHERE changed > ?",
        (transaction,),
    )
    for number, checksum, ids, values in rows:
        width = kind.bit_width // 8
        if not _whole(checksum, ids, values) or len(ids) // 8 * width != len(values):
            yield number, None
        else:
            packed = packing.numbers_from_bytes(values, kind)
            yield number, Segment(number, packing.numbers_from_bytes(ids, pa.int64()), packed)


def rebuild(connection: sqlite3.Connection, transaction: int, bits: int) -> None:
    """Make all segments again from the rows of the documents."""
    # They stay, though empty, so that other processes see the change.
    connection.execute(
        "UPDATE segments SET changed = ?, checksum = ?, ids = x'', fingerprints = x''",
        (transaction, _checksum(b"", b"")),
    )
    for ids, values in standing(connection, bits):
        add(connection, transaction, ids, values)


def standing(connection: sqlite3.Connection, bits: int) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Return what the segments should hold, piece by piece, from the rows of the documents."""
    found = connection.execute(
        "SELECT id, fingerprint FROM documents "
        "WHERE fingerprint IS NOT NULL AND copy_of IS NULL ORDER BY id"
    )
    while rows := found.fetchmany(16 * SIZE):
        ids, values = zip(*rows, strict=True)
        yield pa.array(ids, pa.int64()), arrow.fingerprints_of(values, bits)


def _packed(connection: sqlite3.Connection, number: int) -> tuple[bytes, bytes]:
    """Return the contents of a segment, which will be written again.

    Raises:
        StoreDamaged: it is damaged.
    """
    row = connection.execute(
        "SELECT checksum, ids, fingerprints FROM segments WHERE number = ?", (number,)
    ).fetchone()
    if row is None:
        return b"", b""
    if not _whole(*row):
        raise _damaged(number)
    return row[1], row[2]


def _write(
    connection: sqlite3.Connection, transaction: int, number: int, ids: bytes, values: bytes
) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO segments VALUES (?, ?, ?, ?, ?)",
        (number, transaction, _checksum(ids, values), ids, values),
    )


def _whole(checksum: object, ids: object, values: object) -> bool:
    """Return whether they are what was written; in a damaged file they may be of any type."""
    if not isinstance(ids, bytes) or not isinstance(values, bytes):
        return False
    return checksum == _checksum(ids, values)


def _damaged(number: int) -> StoreDamaged:
    return StoreDamaged(
        f"segment {number} is damaged (documents {number * SIZE} to {number * SIZE + SIZE - 1}). "
        "Rebuild the segments from the documents' rows: `ilk store rebuild`."
    )


def _checksum(ids: bytes, values: bytes) -> int:
    return zlib.crc32(values, zlib.crc32(ids))
