"""The second sets of texts, which nominate noisy copies: one row per text with evidence."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator

from ilk import arrow
from ilk.base.errors import StoreDamaged
from ilk.search.noise import ID_BYTES, NoiseEvidence, Single
from ilk.store.db import contents, tables

#: Texts whose sets are made together.
_TEXTS = 1024

#: Bytes of a number before the ids, as wide as an id.
_NUMBER = ID_BYTES

#: Kept texts with evidence but without a row.
_MISSING = (
    "SELECT t.id FROM texts t JOIN evidence e USING (id) LEFT JOIN noise_shingles n USING (id) "
    "WHERE n.id IS NULL ORDER BY t.id"
)


def some(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, Single]:
    """Return the sets of some documents; those without sets are left out.

    Raises:
        StoreDamaged: they are damaged.
    """
    rows = connection.execute(
        "SELECT * FROM noise_shingles WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {id_: _sound(id_, *parts) for id_, *parts in rows}


def every(connection: sqlite3.Connection) -> Iterator[dict[int, Single]]:
    """Return the sets of all documents, piece by piece.

    Raises:
        StoreDamaged: they are damaged.
    """
    rows = connection.execute("SELECT * FROM noise_shingles")
    while found := rows.fetchmany(tables.AT_ONCE):
        yield {id_: _sound(id_, *parts) for id_, *parts in found}


def checked(connection: sqlite3.Connection) -> Iterator[tuple[int, bool]]:
    """Yield every document with sets, and whether they are undamaged."""
    for id_, *parts in connection.execute("SELECT * FROM noise_shingles"):
        yield id_, _read(*parts) is not None


def missing(connection: sqlite3.Connection) -> list[int]:
    """Return the documents with a kept text and evidence, but without sets."""
    return [id_ for (id_,) in connection.execute(_MISSING)]


def rebuild(connection: sqlite3.Connection) -> None:
    """Make the sets of all documents again from their texts.

    Raises:
        StoreDamaged: a text is damaged.
    """
    connection.execute("DELETE FROM noise_shingles")
    ids = missing(connection)
    for start in range(0, len(ids), _TEXTS):
        held = ids[start : start + _TEXTS]
        texts = arrow.texts([contents.text(connection, id_) for id_ in held])
        insert(connection, zip(held, NoiseEvidence.of(texts, 1).singles(), strict=True))


def insert(connection: sqlite3.Connection, sets: Iterable[tuple[int, Single]]) -> None:
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


def _sound(id_: int, *parts: object) -> Single:
    found = _read(*parts)
    if found is None:
        raise StoreDamaged(
            f"the shingles for noisy copies of document {id_} are damaged. Rebuild them from the "
            "text: `ilk store rebuild`."
        )
    return found


def _read(blob: object, checksum: object) -> Single | None:
    """Return the sets in a row; None if they are damaged."""
    if not isinstance(blob, bytes) or len(blob) < 2 * _NUMBER or zlib.crc32(blob) != checksum:
        return None
    length, count = (int.from_bytes(blob[at : at + _NUMBER], "little") for at in (0, _NUMBER))
    end = (2 + count) * _NUMBER
    if end > len(blob) or len(blob) % _NUMBER:
        return None
    return Single(length, blob[2 * _NUMBER : end], blob[end:])
