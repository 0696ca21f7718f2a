"""The tables of texts: what each is measured by, and each itself where it is kept."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from ilk.errors import StoreDamaged
from ilk.store.db import tables
from ilk.store.db.evidence import Packed


def evidence(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, Packed]:
    """What some documents are measured by; those of which only the fingerprint is known have none.

    Raises:
        StoreDamaged: it is not what was written.
    """
    found = connection.execute(
        "SELECT * FROM evidence WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(ids)),),
    )
    return _sound_evidence(found)


def every_evidence(connection: sqlite3.Connection) -> Iterator[dict[int, Packed]]:
    """What all documents are measured by, piece by piece.

    Raises:
        StoreDamaged: it is not what was written.
    """
    rows = connection.execute("SELECT * FROM evidence")
    while some := rows.fetchmany(tables.AT_ONCE):
        yield _sound_evidence(some)


def _sound_evidence(rows: Iterable[tuple[Any, ...]]) -> dict[int, Packed]:
    found = {}
    for id_, words, wide, *parts, checksum in rows:
        one = Packed(words, bool(wide), *parts)
        if one.checksum != checksum:
            raise StoreDamaged(
                f"the evidence of document {id_} is damaged. Update the document with its text, "
                "or remove it."
            )
        found[id_] = one
    return found


def checked_evidence(connection: sqlite3.Connection) -> Iterator[tuple[int, bool]]:
    """Every document that has evidence, and whether that is what was written."""
    for id_, words, wide, *parts, checksum in connection.execute("SELECT * FROM evidence"):
        yield id_, Packed(words, bool(wide), *parts).checksum == checksum


def insert_evidence(connection: sqlite3.Connection, evidence: Iterable[tuple[int, Packed]]) -> None:
    """Write what texts are measured by."""
    connection.executemany(
        "INSERT OR REPLACE INTO evidence VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((id_, *one, one.checksum) for id_, one in evidence),
    )


def delete_evidence(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Remove what documents are measured by."""
    connection.executemany("DELETE FROM evidence WHERE id = ?", ((i,) for i in ids))


def text(connection: sqlite3.Connection, id_: int) -> str | None:
    """The text of a document; None where it is not kept.

    Raises:
        StoreDamaged: it is not what was written.
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
    """Documents whose text is kept, spread over all of them."""
    return [id_ for (id_,) in tables.spread(connection, "SELECT id FROM texts", most)]


def insert_texts(connection: sqlite3.Connection, texts: Iterable[tuple[int, str]]) -> None:
    """Write texts, compressed."""
    connection.executemany(
        "INSERT OR REPLACE INTO texts VALUES (?, ?)",
        ((id_, zlib.compress(text.encode(), 1)) for id_, text in texts),
    )
