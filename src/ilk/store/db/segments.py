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
from ilk.store.db.settings import (
    read_count_of_segments_or_runs_or_zero,
    write_count_of_segments_or_runs,
)

#: The name under which segments are counted, and which errors say.
_PART = "fingerprints"

_MISSING = f"a segment of {_PART} is missing: `ilk store rebuild`."
_REMEDY = "Rebuild the segments from the documents: `ilk store rebuild`."

#: Documents per segment: 16 KB of fingerprints.
_DOCUMENTS_PER_SEGMENT = 1024


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
    def possible_ids(self) -> range:
        """The ids of the documents that it may have."""
        return range(
            self.number * _DOCUMENTS_PER_SEGMENT, (self.number + 1) * _DOCUMENTS_PER_SEGMENT
        )

    @property
    def ids(self) -> list[int]:
        """The ids of the n documents that it has, ascending."""
        return list(map(self.possible_ids.__getitem__, array("H", self.places)))

    def fingerprint_by_id(self) -> dict[int, bytes]:
        """Return the packed fingerprints by the ids of their documents."""
        ids = self.ids
        width = len(self.entries) // (len(ids) or 1)
        return {id_: self.entries[width * at : width * (at + 1)] for at, id_ in enumerate(ids)}

    @classmethod
    def from_fingerprints(cls, number: int, fingerprint_by_id: Mapping[int, bytes]) -> Segment:
        """Return a segment with these packed fingerprints."""
        ascending = dict(sorted(fingerprint_by_id.items()))
        places = array("H", [id_ % _DOCUMENTS_PER_SEGMENT for id_ in ascending])
        return cls(number, bytes(places), b"".join(ascending.values()))

    @property
    def checksum(self) -> int:
        """A CRC-32 of everything in it."""
        return zlib.crc32(self.entries, zlib.crc32(self.places, zlib.crc32(b"%d" % self.number)))


def change_segments(
    connection: sqlite3.Connection,
    generation: int,
    new_fingerprint_by_id: Mapping[int, bytes],
    removed_ids: Iterable[int] = (),
) -> None:
    """Put packed fingerprints into the segments of their documents, and remove those of others."""
    changes: dict[int, dict[int, bytes | None]] = defaultdict(dict)
    # Those that go first: a document that is in both is changed.
    removed = dict.fromkeys(removed_ids)
    for id_, packed in (*removed.items(), *new_fingerprint_by_id.items()):
        changes[id_ // _DOCUMENTS_PER_SEGMENT][id_] = packed
    for number, changed in changes.items():
        stored = list(_read_segments(connection, "number = ?", number))
        old = stored[0].fingerprint_by_id() if stored else {}
        new = {id_: packed for id_, packed in (old | changed).items() if packed is not None}
        # An equal segment is not written: other processes would read it again.
        if new != old:
            _write_segment_and_update_count(
                connection, generation, Segment.from_fingerprints(number, new), is_new=not stored
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
    if seen != read_count_of_segments_or_runs_or_zero(connection, _PART):
        raise StoreDamaged(_MISSING)


def read_segments_changed_since(
    connection: sqlite3.Connection, generation: int
) -> Iterator[Segment]:
    """Yield the segments that later transactions have written."""
    for number in lookups.find_rowids_in_agreeing_indexes(
        connection, "changes", "changed > ?", (generation,)
    ):
        segments = list(_read_segments(connection, "number = ?", number))
        if not segments:
            raise StoreDamaged(_MISSING)
        yield from segments


def empty_all_segments(connection: sqlite3.Connection, generation: int) -> None:
    """Empty all segments, which stay so that other processes see the change."""
    numbers = connection.execute("SELECT number FROM segments").fetchall()
    write_count_of_segments_or_runs(connection, _PART, len(numbers))
    for (number,) in numbers:
        _write_segment_and_update_count(
            connection, generation, Segment.from_fingerprints(number, {}), is_new=False
        )


def read_and_pack_fingerprints(
    connection: sqlite3.Connection, bits: int
) -> Iterator[dict[int, bytes]]:
    """Yield packed fingerprints by id, many at a time, from the rows of the documents."""
    cursor = connection.execute(
        "SELECT id, fingerprint FROM documents "
        "WHERE fingerprint IS NOT NULL AND copy_of IS NULL ORDER BY id"
    )
    while rows := cursor.fetchmany(document_table.AT_ONCE):
        ids, values = zip(*rows, strict=True)
        yield pack_fingerprints_without_nulls(ids, arrow.import_fingerprints_of_width(values, bits))


def pack_fingerprints_without_nulls(ids: Iterable[int], fingerprints: pa.Array) -> dict[int, bytes]:
    """Return fingerprints by id, 8 bytes each, or 16; documents with a null are left out."""
    width = fingerprints.type.bit_width // 8
    packed = bytes(arrow.raw_bytes(fingerprints))
    return {
        id_: packed[width * at : width * (at + 1)]
        for at, (id_, is_valid) in enumerate(
            zip(ids, fingerprints.is_valid().to_pylist(), strict=True)
        )
        if is_valid
    }


def sum_of_checksums(fingerprint_by_id: Mapping[int, bytes]) -> int:
    """Return a sum that is equal for equal fingerprints, in whatever segments they are."""
    return sum(zlib.crc32(packed, id_ & 0xFFFFFFFF) for id_, packed in fingerprint_by_id.items())


def column_of_packed(packed_values: bytes | array[int], value_type: pa.DataType) -> pa.Array:
    """Return packed values of a fixed width as a column, without a copy."""
    buffer = pa.py_buffer(packed_values)
    count = 8 * buffer.size // value_type.bit_width
    return pa.Array.from_buffers(value_type, count, [None, buffer])


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
    connection: sqlite3.Connection, generation: int, segment: Segment, *, is_new: bool
) -> None:
    if is_new:
        write_count_of_segments_or_runs(
            connection, _PART, read_count_of_segments_or_runs_or_zero(connection, _PART) + 1
        )
    connection.execute(
        "INSERT OR REPLACE INTO segments (number, changed, checksum, places, entries) "
        "VALUES (?, ?, ?, ?, ?)",
        (segment.number, generation, segment.checksum, *segment[1:]),
    )
