"""The fingerprints of a store in its file, packed in segments.

Segment k holds the fingerprints of those of the documents k * 1,024 to k * 1,024 + 1,023 that have
one and are not copies. A segment is written in the transaction that changes its documents, and
carries the number of that transaction, so that other processes read only what changed. A setting
counts the segments, so that none can be missing unseen. All of it follows from the documents, and
can be made again.
"""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import StoreDamaged
from ilk.store.db import document_table, lookups
from ilk.store.db.settings import read_segment_count, write_segment_count

#: The name under which segments are counted, and which errors say.
_PART = "fingerprints"

_MISSING = f"a segment of {_PART} is missing: `ilk store rebuild`."
_REMEDY = "Rebuild the segments from the documents: `ilk store rebuild`."

#: Documents per segment: 16 KB of fingerprints.
_SIZE = 1024


class Segment(NamedTuple):
    """The contents of one segment.

    Attributes:
        number: its number.
        places: where each of n documents is among those of the segment, 2 bytes each.
        entries: n fingerprints, one after the other.
    """

    number: int
    places: bytes
    entries: bytes

    @property
    def documents(self) -> range:
        """The documents that it may have."""
        return range(self.number * _SIZE, (self.number + 1) * _SIZE)

    @property
    def ids(self) -> list[int]:
        """The n documents that it has."""
        return list(map(self.documents.__getitem__, array("H", self.places)))

    def items(self) -> dict[int, bytes]:
        """Return the fingerprints by document."""
        ids = self.ids
        width = len(self.entries) // (len(ids) or 1)
        return {id_: self.entries[width * at : width * (at + 1)] for at, id_ in enumerate(ids)}

    @classmethod
    def of(cls, number: int, entries: Mapping[int, bytes]) -> Segment:
        """Return a segment with these fingerprints."""
        some = dict(sorted(entries.items()))
        places = array("H", [id_ % _SIZE for id_ in some])
        return cls(number, bytes(places), b"".join(some.values()))

    @property
    def checksum(self) -> int:
        """A CRC-32 of everything in it."""
        return zlib.crc32(self.entries, zlib.crc32(self.places, zlib.crc32(b"%d" % self.number)))


def change_segments(
    connection: sqlite3.Connection,
    transaction: int,
    entries: Mapping[int, bytes],
    removed_ids: Iterable[int] = (),
) -> None:
    """Put fingerprints of documents into their segments, and take those of others from theirs."""
    new: dict[int, dict[int, bytes | None]] = defaultdict(dict)
    # Those that go first: a document that is in both is changed.
    for id_, entry in (*dict.fromkeys(removed_ids).items(), *entries.items()):
        new[id_ // _SIZE][id_] = entry
    for number, some in new.items():
        there = list(_read_segments(connection, "number = ?", number))
        old = there[0].items() if there else {}
        kept = {id_: entry for id_, entry in (old | some).items() if entry is not None}
        # An equal segment is not written: other processes would read it again.
        if kept != old:
            _write_segment_and_update_count(
                connection, transaction, Segment.of(number, kept), new=not there
            )


def read_all_segments(connection: sqlite3.Connection) -> Iterator[Segment]:
    """Yield all segments.

    Raises:
        StoreDamaged: one of them is damaged or missing.
    """
    seen = 0
    for segment in _read_segments(connection, "TRUE"):
        yield segment
        seen += 1
    # A missing row would otherwise only hide documents.
    if seen != read_segment_count(connection, _PART):
        raise StoreDamaged(_MISSING)


def read_segments_changed_since(
    connection: sqlite3.Connection, transaction: int
) -> Iterator[Segment]:
    """Yield the segments that later transactions have written."""
    for place in lookups.find_row_numbers(connection, "changes", "changed > ?", (transaction,)):
        found = list(_read_segments(connection, "number = ?", place))
        if not found:
            raise StoreDamaged(_MISSING)
        yield from found


def empty_segments(connection: sqlite3.Connection, transaction: int) -> None:
    """Empty all segments, which stay so that other processes see the change."""
    numbers = connection.execute("SELECT number FROM segments").fetchall()
    write_segment_count(connection, _PART, len(numbers))
    for (number,) in numbers:
        _write_segment_and_update_count(connection, transaction, Segment.of(number, {}), new=False)


def read_and_pack_fingerprints(
    connection: sqlite3.Connection, bits: int
) -> Iterator[dict[int, bytes]]:
    """Return the entries of fingerprints, piece by piece, from the rows of the documents."""
    found = connection.execute(
        "SELECT id, fingerprint FROM documents "
        "WHERE fingerprint IS NOT NULL AND copy_of IS NULL ORDER BY id"
    )
    while rows := found.fetchmany(document_table.AT_ONCE):
        ids, values = zip(*rows, strict=True)
        yield pack_fingerprints(ids, arrow.import_fingerprints_of_width(values, bits))


def pack_fingerprints(ids: Iterable[int], fingerprints: pa.Array) -> dict[int, bytes]:
    """Return fingerprints as entries, without nulls: 8 bytes each, or 16."""
    width = fingerprints.type.bit_width // 8
    packed = bytes(arrow.raw_bytes(fingerprints))
    return {
        id_: packed[width * at : width * (at + 1)]
        for at, (id_, there) in enumerate(
            zip(ids, fingerprints.is_valid().to_pylist(), strict=True)
        )
        if there
    }


def checksum_of_entries(entries: Mapping[int, bytes]) -> int:
    """Return a sum of entries that is equal for equal ones, in whatever segments they are."""
    return sum(zlib.crc32(entry, id_ & 0xFFFFFFFF) for id_, entry in entries.items())


def column_of_packed(packed: bytes | array[int], kind: pa.DataType) -> pa.Array:
    """Return packed values as a column, without a copy."""
    buffer = pa.py_buffer(packed)
    return pa.Array.from_buffers(kind, 8 * buffer.size // kind.bit_width, [None, buffer])


def _read_segments(
    connection: sqlite3.Connection, where: str, *parameters: int
) -> Iterator[Segment]:
    query = f"SELECT number, checksum, places, entries FROM segments WHERE {where}"
    for number, checksum, *packed in connection.execute(query, parameters):
        segment = Segment(number, *packed)
        # Damage may have made texts of its bytes.
        if not all(isinstance(it, bytes) for it in packed) or segment.checksum != checksum:
            raise StoreDamaged(f"segment {number} of {_PART} is damaged. {_REMEDY}")
        yield segment


def _write_segment_and_update_count(
    connection: sqlite3.Connection, transaction: int, segment: Segment, *, new: bool
) -> None:
    if new:
        write_segment_count(connection, _PART, read_segment_count(connection, _PART) + 1)
    connection.execute(
        "INSERT OR REPLACE INTO segments (number, changed, checksum, places, entries) "
        "VALUES (?, ?, ?, ?, ?)",
        (segment.number, transaction, segment.checksum, *segment[1:]),
    )
