"""The tables of texts: their evidence, and in some stores the texts themselves."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from typing import Any

from ilk.base.errors import StoreDamaged
from ilk.search.evidence import BOTH_WORDS, SHORT_WORDS, TextEvidence
from ilk.store.db import document_table
from ilk.store.db.lookups import AMONG, list_parameter
from ilk.store.db.settings import record_repetitive_document
from ilk.store.records import StoredRow, blob_checksum

#: The evidence of a text, without the digests in its document's row.
_EVIDENCE = "masked_digest, length, words, wide, word_shingles, character_shingles, e.checksum"

#: Texts to hold at a time.
TEXTS = 1024

#: The lowest resemblance at which a long document of enough different words, which a set of this
#: many bytes shows, is like no short text by words: a text of n words has at most n shingles.
LEAST_APART = Fraction(1, 2)
_FEW_BYTES = 4 * 2 * SHORT_WORDS

#: What is wrong with a damaged row.
_BAD = "the {} of document {} is damaged. Update the document with its text, or remove it."


def read_rows_with_evidence(
    connection: sqlite3.Connection, ids: Collection[int]
) -> dict[int, tuple[StoredRow, TextEvidence | None]]:
    """Return the rows of some documents by id, and the evidence of each, if known."""
    lookup = connection.execute(
        f"SELECT {document_table.COLUMNS}, {_EVIDENCE} FROM documents "
        f"LEFT JOIN evidence e USING (id) WHERE id {AMONG}",
        list_parameter(ids),
    )
    read = {}
    for values in lookup:
        row = document_table.check_row(values[: document_table.WIDTH])
        parts = values[document_table.WIDTH :]
        kept = None
        # Whatever has a digest came with its text; only a copy leaves its evidence to the first.
        if parts[-1] is not None or (row.digest is not None and row.copy_of is None):
            whole = _evidence_of_row(row.id, row.digest, row.bytes_digest, *parts)
            kept = _check_evidence(row.id, whole)
        read[row.id] = row, kept
    return document_table.check_complete(ids, read)


def read_each_evidence_or_damage(
    connection: sqlite3.Connection, where: str = "", parameters: Iterable[Any] = ()
) -> Iterator[tuple[int, TextEvidence | None]]:
    """Yield every document with evidence, and its evidence; None if that is damaged."""
    for id_, *parts in connection.execute(
        f"SELECT e.id, digest, bytes_digest, {_EVIDENCE} FROM evidence e "
        f"LEFT JOIN documents d USING (id) {where}",
        tuple(parameters),
    ):
        yield id_, _evidence_of_row(id_, *parts)


def read_evidence(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, TextEvidence]:
    """Return the evidence of some documents; those known only by their fingerprint have none."""
    found = read_each_evidence_or_damage(connection, f"WHERE e.id {AMONG}", list_parameter(ids))
    return {id_: _check_evidence(id_, kept) for id_, kept in found}


def read_ids_with_evidence(connection: sqlite3.Connection) -> Iterator[int]:
    """Yield the documents with evidence, in their order."""
    return (id_ for (id_,) in connection.execute("SELECT id FROM evidence ORDER BY id"))


def _check_evidence(id_: int, evidence: TextEvidence | None) -> TextEvidence:
    if evidence is None:
        raise StoreDamaged(_BAD.format("evidence", id_))
    return evidence


def _evidence_of_row(
    id_: int, digest: bytes | None, raw: bytes | None, masked: bytes | None, *parts: Any
) -> TextEvidence | None:
    """Return the evidence in a row; None if it is damaged, or of another type."""
    length, words, wide, word_shingles, characters, checksum = parts
    kept = TextEvidence(digest, raw, masked, length, words, wide == 1, word_shingles, characters)
    try:
        return kept if _evidence_checksum(id_, kept) == checksum else None
    except TypeError:
        return None


def _evidence_checksum(id_: int, evidence: TextEvidence) -> int:
    """Return a CRC-32 of the evidence of a text; its digests are in its document's row."""
    numbers = b"%d %d %d " % (id_, evidence.words, evidence.wide)
    length = b"" if evidence.length is None else b"%d " % evidence.length
    sets = evidence.word_shingles, evidence.character_shingles or b"", evidence.masked_digest or b""
    return zlib.crc32(b"".join((numbers, length, *sets)))


def write_evidence(
    connection: sqlite3.Connection, evidence_by_id: Iterable[tuple[int, TextEvidence]]
) -> None:
    """Write the evidence of texts."""
    repetitive = False

    def look_at_each() -> Iterator[tuple[int, TextEvidence]]:
        nonlocal repetitive
        for id_, one in evidence_by_id:
            if one.words >= BOTH_WORDS and len(one.word_shingles) < _FEW_BYTES:
                repetitive = True
            yield id_, one

    connection.executemany(
        "INSERT OR REPLACE INTO evidence "
        "(masked_digest, length, words, wide, word_shingles, character_shingles, id, checksum) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        ((*one[2:], id_, _evidence_checksum(id_, one)) for id_, one in look_at_each()),
    )
    if repetitive:
        record_repetitive_document(connection)


def delete_evidence(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Remove the evidence of documents."""
    connection.executemany("DELETE FROM evidence WHERE id = ?", ((id_,) for id_ in ids))


def read_text(connection: sqlite3.Connection, id_: int, must_exist: bool) -> str | None:
    """Return the text of a document; None if it is not kept, which is damage if it must be."""
    return unpack_text(read_packed_text(connection, id_, must_exist))


def read_packed_text(connection: sqlite3.Connection, id_: int, must_exist: bool) -> Any:
    """Return the same as it is stored: ``unpack_text`` needs no connection, and may take long."""
    query = "SELECT id, text, checksum FROM texts WHERE id = ?"
    found = connection.execute(query, (id_,)).fetchone()
    if found is None and must_exist:
        raise StoreDamaged(f"the text of document {id_} is missing; restore a backup.")
    return found


def unpack_text(packed: Any) -> str | None:
    """Return the text in what ``read_packed_text`` has returned."""
    if packed is None:
        return None
    id_, blob, checksum = packed
    try:
        if blob_checksum(id_, blob) == checksum:
            return zlib.decompress(blob).decode()
    except (TypeError, zlib.error, UnicodeDecodeError):
        pass
    raise StoreDamaged(_BAD.format("text", id_))


def write_texts(connection: sqlite3.Connection, texts: Iterable[tuple[int, str]]) -> None:
    """Write texts, compressed."""
    packed = ((id_, zlib.compress(text.encode(), 1)) for id_, text in texts)
    connection.executemany(
        "INSERT OR REPLACE INTO texts VALUES (?, ?, ?)",
        ((id_, blob, blob_checksum(id_, blob)) for id_, blob in packed),
    )


def read_texts(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return the texts of those of some documents that have one and are not copies."""
    query = f"SELECT id, digest IS NOT NULL FROM documents WHERE copy_of IS NULL AND id {AMONG}"
    stored = connection.execute(query, list_parameter(ids)).fetchall()
    read = ((id_, read_text(connection, id_, bool(must))) for id_, must in stored)
    return {id_: one for id_, one in read if one is not None}
