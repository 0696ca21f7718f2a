"""The tables of texts: evidence, the second sets that nominate noisy copies, and kept texts."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from ilk import arrow
from ilk.base.errors import StoreDamaged
from ilk.search.noise import ID_BYTES, NoiseEvidence, Single
from ilk.search.text_evidence import TextEvidence
from ilk.store.db import tables
from ilk.store.records import Row

#: The evidence of a text, without the digests in its document's row.
_EVIDENCE = "masked_digest, length, words, wide, word_shingles, character_shingles, e.checksum"

#: The same with these digests.
_KEPT = f"e.id, digest, bytes_digest, {_EVIDENCE} FROM evidence e"

#: Texts whose sets are made together.
_TEXTS = 1024

#: Bytes of a number before the ids, as wide as an id.
_NUMBER = ID_BYTES

#: Kept texts with evidence but without a row.
_MISSING = (
    "SELECT t.id FROM texts t JOIN evidence e USING (id) LEFT JOIN noise_shingles n USING (id) "
    "WHERE n.id IS NULL ORDER BY t.id"
)


def compared(
    connection: sqlite3.Connection, ids: Collection[int]
) -> dict[int, tuple[Row, TextEvidence | None]]:
    """Return the rows of some documents by id, and the evidence of each, if known.

    Raises:
        StoreDamaged: a document is missing, or it or its evidence is damaged.
    """
    found = connection.execute(
        f"SELECT {tables.COLUMNS}, {_EVIDENCE} FROM documents d LEFT JOIN evidence e USING (id) "
        "WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    read = {}
    for values in found:
        row = tables.sound(values[: tables.WIDTH])
        parts = values[tables.WIDTH :]
        kept = None if parts[-1] is None else _sound(row.id, row.digest, row.bytes_digest, *parts)
        read[row.id] = row, kept
    return tables.all_of(ids, read)


def evidence(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, TextEvidence]:
    """Return the evidence of some documents; those known only by their fingerprint have none.

    Raises:
        StoreDamaged: it is damaged.
    """
    found = connection.execute(
        f"SELECT {_KEPT} JOIN documents d USING (id) "
        "WHERE e.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {id_: _sound(id_, *parts) for id_, *parts in found}


def every_evidence(connection: sqlite3.Connection) -> Iterator[dict[int, TextEvidence]]:
    """Return the evidence of all documents, piece by piece.

    Raises:
        StoreDamaged: it is damaged.
    """
    rows = connection.execute(f"SELECT {_KEPT} JOIN documents d USING (id)")
    while some := rows.fetchmany(tables.AT_ONCE):
        yield {id_: _sound(id_, *parts) for id_, *parts in some}


def checked_evidence(connection: sqlite3.Connection) -> Iterator[tuple[int, bool]]:
    """Yield every document with evidence, and whether that is undamaged."""
    for id_, *parts in connection.execute(f"SELECT {_KEPT} LEFT JOIN documents d USING (id)"):
        yield id_, _read(*parts) is not None


def _sound(id_: int, *parts: Any) -> TextEvidence:
    """Return what is kept of a text, checked.

    Raises:
        StoreDamaged: it is damaged.
    """
    kept = _read(*parts)
    if kept is None:
        raise StoreDamaged(
            f"the evidence of document {id_} is damaged. Update the document with its text, "
            "or remove it."
        )
    return kept


def _read(
    digest: bytes | None,
    raw: bytes | None,
    masked: bytes | None,
    length: int | None,
    words: int,
    wide: int,
    word_shingles: bytes,
    character_shingles: bytes | None,
    checksum: int,
) -> TextEvidence | None:
    """Return what is kept of a text; None if it is damaged, or of another type."""
    kept = TextEvidence(
        digest, raw, masked, length, words, wide == 1, word_shingles, character_shingles
    )
    try:
        return kept if _evidence_checksum(kept) == checksum else None
    except TypeError:
        return None


def insert_evidence(
    connection: sqlite3.Connection, kept: Iterable[tuple[int, TextEvidence]]
) -> None:
    """Write the evidence of texts."""
    connection.executemany(
        "INSERT OR REPLACE INTO evidence "
        "(id, length, words, wide, word_shingles, character_shingles, masked_digest, checksum) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                id_,
                one.length,
                one.words,
                one.wide,
                one.word_shingles,
                one.character_shingles,
                one.masked_digest,
                _evidence_checksum(one),
            )
            for id_, one in kept
        ),
    )


def delete_evidence(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Remove the evidence of documents."""
    gone = [(id_,) for id_ in ids]
    for table in ("evidence", "noise_shingles"):
        connection.executemany(f"DELETE FROM {table} WHERE id = ?", gone)


def text(connection: sqlite3.Connection, id_: int) -> str | None:
    """Return the text of a document; None if it is not kept.

    Raises:
        StoreDamaged: it is damaged.
    """
    found = connection.execute("SELECT text FROM texts WHERE id = ?", (id_,)).fetchone()
    if found is None:
        return None
    try:
        return zlib.decompress(found[0]).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise StoreDamaged(
            f"the text of document {id_} is damaged: {error}. Update the document with its text, "
            "or remove it."
        ) from error


def some_texts(connection: sqlite3.Connection, most: int) -> list[int]:
    """Return documents whose text is kept, spread over all of them."""
    return [id_ for (id_,) in tables.spread(connection, "SELECT id FROM texts", most)]


def insert_texts(connection: sqlite3.Connection, texts: Iterable[tuple[int, str]]) -> None:
    """Write texts, compressed."""
    connection.executemany(
        "INSERT OR REPLACE INTO texts VALUES (?, ?)",
        ((id_, zlib.compress(text.encode(), 1)) for id_, text in texts),
    )


def _evidence_checksum(kept: TextEvidence) -> int:
    """Return a CRC-32 of what is kept of a text; its digests are in its document's row."""
    found = zlib.crc32(b"%d %d " % (kept.words, kept.wide))
    if kept.length is not None:
        found = zlib.crc32(b"%d " % kept.length, found)
    for part in (kept.word_shingles, kept.character_shingles, kept.masked_digest):
        found = zlib.crc32(part or b"", found)
    return found


def noise_sets(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, Single]:
    """Return the sets of some documents; those without sets are left out.

    Raises:
        StoreDamaged: they are damaged.
    """
    rows = connection.execute(
        "SELECT * FROM noise_shingles WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {id_: _sound_noise_set(id_, *parts) for id_, *parts in rows}


def every_noise_set(connection: sqlite3.Connection) -> Iterator[dict[int, Single]]:
    """Return the sets of all documents, piece by piece.

    Raises:
        StoreDamaged: they are damaged.
    """
    rows = connection.execute("SELECT * FROM noise_shingles")
    while found := rows.fetchmany(tables.AT_ONCE):
        yield {id_: _sound_noise_set(id_, *parts) for id_, *parts in found}


def checked_noise_sets(connection: sqlite3.Connection) -> Iterator[tuple[int, bool]]:
    """Yield every document with sets, and whether they are undamaged."""
    for id_, *parts in connection.execute("SELECT * FROM noise_shingles"):
        yield id_, _read_noise_set(*parts) is not None


def without_noise_set(connection: sqlite3.Connection) -> list[int]:
    """Return the documents with a kept text and evidence, but without sets."""
    return [id_ for (id_,) in connection.execute(_MISSING)]


def rebuild_noise_sets(connection: sqlite3.Connection) -> None:
    """Make the sets of all documents again from their texts.

    Raises:
        StoreDamaged: a text is damaged.
    """
    connection.execute("DELETE FROM noise_shingles")
    ids = without_noise_set(connection)
    for start in range(0, len(ids), _TEXTS):
        held = ids[start : start + _TEXTS]
        texts = arrow.texts([text(connection, id_) for id_ in held])
        insert_noise_sets(connection, zip(held, NoiseEvidence.of(texts, 1).singles(), strict=True))


def insert_noise_sets(connection: sqlite3.Connection, sets: Iterable[tuple[int, Single]]) -> None:
    """Write the sets of documents."""
    packed = ((id_, _written(one)) for id_, one in sets)
    connection.executemany(
        "INSERT OR REPLACE INTO noise_shingles VALUES (?, ?, ?)",
        ((id_, blob, zlib.crc32(blob)) for id_, blob in packed),
    )


def _written(one: Single) -> bytes:
    """Return the length of the bare text, how many long shingles there are, and all ids."""
    numbers = (one.length, len(one.long) // _NUMBER)
    return b"".join([*(n.to_bytes(_NUMBER, "little") for n in numbers), one.long, one.short])


def _sound_noise_set(id_: int, *parts: object) -> Single:
    found = _read_noise_set(*parts)
    if found is None:
        raise StoreDamaged(
            f"the shingles for noisy copies of document {id_} are damaged. Rebuild them from the "
            "text: `ilk store rebuild`."
        )
    return found


def _read_noise_set(blob: object, checksum: object) -> Single | None:
    """Return the sets in a row; None if they are damaged."""
    if not isinstance(blob, bytes) or len(blob) < 2 * _NUMBER or zlib.crc32(blob) != checksum:
        return None
    length, count = (int.from_bytes(blob[at : at + _NUMBER], "little") for at in (0, _NUMBER))
    end = (2 + count) * _NUMBER
    if end > len(blob) or len(blob) % _NUMBER:
        return None
    return Single(length, blob[2 * _NUMBER : end], blob[end:])
