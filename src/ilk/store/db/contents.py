"""The tables of texts: evidence, the second sets that nominate noisy copies, and kept texts."""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from ilk import arrow
from ilk.base.errors import StoreDamaged
from ilk.search.evidence import TextEvidence
from ilk.search.noise import ID_BYTES, NoiseEvidence, Single
from ilk.store.db import tables
from ilk.store.db.lookups import AMONG, listed
from ilk.store.records import Row

_T = TypeVar("_T")

#: The evidence of a text, without the digests in its document's row.
_EVIDENCE = "masked_digest, length, words, wide, word_shingles, character_shingles, e.checksum"

#: Texts to hold at a time.
TEXTS = 1024

#: What is wrong with a damaged row.
BAD_TEXT, BAD_EVIDENCE = (
    f"the {what} of document {{}} is damaged. Update the document with its text, or remove it."
    for what in ("text", "evidence")
)
BAD_SETS = (
    "the shingles for noisy copies of document {} are damaged. Rebuild them from the text: "
    "`ilk store rebuild`."
)


def compared(
    connection: sqlite3.Connection, ids: Collection[int]
) -> dict[int, tuple[Row, TextEvidence | None]]:
    """Return the rows of some documents by id, and the evidence of each, if known."""
    found = connection.execute(
        f"SELECT {tables.COLUMNS}, {_EVIDENCE} FROM documents "
        f"LEFT JOIN evidence e USING (id) WHERE id {AMONG}",
        listed(ids),
    )
    read = {}
    for values in found:
        row = tables.sound(values[: tables.WIDTH])
        parts = values[tables.WIDTH :]
        kept = None
        # Whatever has a digest came with its text; only a copy leaves its evidence to the first.
        if parts[-1] is not None or (row.digest is not None and row.copy_of is None):
            whole = _read(row.id, row.digest, row.bytes_digest, *parts)
            kept = _sound(row.id, whole, BAD_EVIDENCE)
        read[row.id] = row, kept
    return tables.all_of(ids, read)


def each_evidence(
    connection: sqlite3.Connection, where: str = "", parameters: Iterable[Any] = ()
) -> Iterator[tuple[int, TextEvidence | None]]:
    """Yield every document with evidence, and its evidence; None if that is damaged."""
    for id_, *parts in connection.execute(
        f"SELECT e.id, digest, bytes_digest, {_EVIDENCE} FROM evidence e "
        f"LEFT JOIN documents d USING (id) {where}",
        tuple(parameters),
    ):
        yield id_, _read(id_, *parts)


def evidence(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, TextEvidence]:
    """Return the evidence of some documents; those known only by their fingerprint have none."""
    found = each_evidence(connection, f"WHERE e.id {AMONG}", listed(ids))
    return {id_: _sound(id_, kept, BAD_EVIDENCE) for id_, kept in found}


def pieces(found: Iterator[tuple[int, _T | None]], bad: str) -> Iterator[dict[int, _T]]:
    """Yield what documents have, piece by piece; ``bad`` is what is wrong with a damaged one."""
    while some := list(islice(found, tables.AT_ONCE)):
        yield {id_: _sound(id_, one, bad) for id_, one in some}


def _sound(id_: int, found: _T | None, bad: str) -> _T:
    if found is None:
        raise StoreDamaged(bad.format(id_))
    return found


def _read(
    id_: int, digest: bytes | None, raw: bytes | None, masked: bytes | None, *parts: Any
) -> TextEvidence | None:
    """Return the evidence in a row; None if it is damaged, or of another type."""
    length, words, wide, word_shingles, characters, checksum = parts
    kept = TextEvidence(digest, raw, masked, length, words, wide == 1, word_shingles, characters)
    try:
        return kept if _checksum(id_, kept) == checksum else None
    except TypeError:
        return None


def _checksum(id_: int, kept: TextEvidence) -> int:
    """Return a CRC-32 of what is kept of a text; its digests are in its document's row."""
    numbers = b"%d %d %d " % (id_, kept.words, kept.wide)
    length = b"" if kept.length is None else b"%d " % kept.length
    sets = kept.word_shingles, kept.character_shingles or b"", kept.masked_digest or b""
    return zlib.crc32(b"".join((numbers, length, *sets)))


def insert_evidence(
    connection: sqlite3.Connection, kept: Iterable[tuple[int, TextEvidence]]
) -> None:
    """Write the evidence of texts."""
    connection.executemany(
        "INSERT OR REPLACE INTO evidence "
        "(masked_digest, length, words, wide, word_shingles, character_shingles, id, checksum) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((*one[2:], id_, _checksum(id_, one)) for id_, one in kept),
    )


def inherit(connection: sqlite3.Connection, id_: int, heir: int) -> None:
    """Give another document the evidence and the second sets of one."""
    kept = evidence(connection, [id_]).values()
    insert_evidence(connection, ((heir, one) for one in kept))
    sets = [_sound(*one, BAD_SETS) for one in each_noise_set(connection, "WHERE id = ?", (id_,))]
    insert_noise_sets(connection, ((heir, one) for one in sets))


def delete_evidence(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Remove the evidence and the second sets of documents."""
    gone = [(id_,) for id_ in ids]
    for table in ("evidence", "noise_shingles"):
        connection.executemany(f"DELETE FROM {table} WHERE id = ?", gone)


def text(connection: sqlite3.Connection, id_: int, kept: bool) -> str | None:
    """Return the text of a document; None if it is not kept, which is damage if it must be."""
    return unpacked(packed(connection, id_, kept))


def packed(connection: sqlite3.Connection, id_: int, kept: bool) -> Any:
    """Return the same as it is stored: ``unpacked`` needs no connection, and may take long."""
    query = "SELECT id, text, checksum FROM texts WHERE id = ?"
    found = connection.execute(query, (id_,)).fetchone()
    if found is None and kept:
        raise StoreDamaged(f"the text of document {id_} is missing; restore a backup.")
    return found


def unpacked(found: Any) -> str | None:
    """Return the text in what ``packed`` has returned."""
    if found is None:
        return None
    id_, blob, checksum = found
    try:
        if _blob_checksum(id_, blob) == checksum:
            return zlib.decompress(blob).decode()
    except (TypeError, zlib.error, UnicodeDecodeError):
        pass
    raise StoreDamaged(BAD_TEXT.format(id_))


def insert_texts(connection: sqlite3.Connection, texts: Iterable[tuple[int, str]]) -> None:
    """Write texts, compressed."""
    _insert(connection, "texts", ((id_, zlib.compress(text.encode(), 1)) for id_, text in texts))


def each_noise_set(
    connection: sqlite3.Connection, where: str = "", parameters: Iterable[Any] = ()
) -> Iterator[tuple[int, Single | None]]:
    """Yield every document with second sets, and those; None if they are damaged."""
    rows = connection.execute(f"SELECT * FROM noise_shingles {where}", tuple(parameters))
    for id_, blob, checksum in rows:
        # Of a damaged page, even the number may be null.
        kinds = isinstance(id_, int) and isinstance(blob, bytes)
        if not kinds or _blob_checksum(id_, blob) != checksum:
            yield id_, None
            continue
        numbers = (blob[at : at + ID_BYTES] for at in (0, ID_BYTES))
        length, count = (int.from_bytes(number, "little") for number in numbers)
        end = (2 + count) * ID_BYTES
        fits = end <= len(blob) and len(blob) % ID_BYTES == 0
        yield id_, Single(length, blob[2 * ID_BYTES : end], blob[end:]) if fits else None


def noise_sets(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, Single]:
    """Return the second sets of some documents; those without a text have none."""
    wanted = set(ids)
    every = each_noise_set(connection, f"WHERE id {AMONG}", listed(wanted))
    found = {id_: _sound(id_, sets, BAD_SETS) for id_, sets in every}
    missing = listed(wanted - found.keys())
    for (id_,) in connection.execute(f"SELECT id FROM evidence WHERE id {AMONG}", missing):
        raise StoreDamaged(BAD_SETS.format(id_))
    return found


def without_noise_set(connection: sqlite3.Connection) -> list[int]:
    """Return the documents with a kept text and evidence, but without second sets."""
    found = connection.execute(
        "SELECT t.id FROM texts t JOIN evidence e USING (id) "
        "LEFT JOIN noise_shingles n USING (id) WHERE n.id IS NULL ORDER BY t.id"
    )
    return [id_ for (id_,) in found]


def rebuild_noise_sets(connection: sqlite3.Connection) -> None:
    """Make the second sets of all documents again from their texts."""
    connection.execute("DELETE FROM noise_shingles")
    ids = without_noise_set(connection)
    for start in range(0, len(ids), TEXTS):
        held = ids[start : start + TEXTS]
        texts = arrow.texts([text(connection, id_, kept=True) for id_ in held])
        sets = NoiseEvidence.of(texts, 1).singles()
        insert_noise_sets(connection, zip(held, sets, strict=True))


def insert_noise_sets(connection: sqlite3.Connection, sets: Iterable[tuple[int, Single]]) -> None:
    """Write second sets: the length of the bare text, how many long shingles there are, all ids."""
    numbers = struct.Struct("<II").pack  # Each of ``ID_BYTES``.
    packed = (
        (id_, numbers(one.length, len(one.long) // ID_BYTES) + one.long + one.short)
        for id_, one in sets
    )
    _insert(connection, "noise_shingles", packed)


def _insert(connection: sqlite3.Connection, table: str, blobs: Iterable[tuple[int, bytes]]) -> None:
    connection.executemany(
        f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)",
        ((id_, blob, _blob_checksum(id_, blob)) for id_, blob in blobs),
    )


def _blob_checksum(id_: int, blob: bytes) -> int:
    return zlib.crc32(blob, zlib.crc32(b"%d " % id_))
