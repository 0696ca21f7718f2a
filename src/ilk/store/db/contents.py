"""The tables of texts: their evidence, and in some stores the texts themselves."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from ilk import _kernels
from ilk.base.errors import StoreDamaged
from ilk.search.evidence import LONG, TextEvidence
from ilk.store.db import document_table
from ilk.store.db.lookups import AMONG, list_parameter
from ilk.store.db.settings import record_repetitive_document
from ilk.store.records import StoredRow, blob_checksum

#: The evidence of a text, without the digests in its document's row.
_EVIDENCE = "masked_digest, length, words, wide, word_shingles, character_shingles, e.checksum"

#: Texts to hold at a time.
TEXTS = 1024

#: The lowest resemblance at which a long document of enough different words is like no short text
#: by words: a text of n words has at most n shingles.
LEAST_APART = Fraction(1, 2)

#: Bytes of a set that shows enough different words: twice as many ids of 4 bytes as a short text
#: can have.
_FEW_BYTES = 4 * 2 * _kernels.SHORT_BELOW_WORDS

#: What is wrong with a damaged row.
_BAD = "the {} of document {} is damaged. Update the document with its text, or remove it."

#: The evidence of a text; None if what is stored is damaged.
EvidenceOrNoneIfDamaged: TypeAlias = TextEvidence | None


class RowWithEvidence(NamedTuple):
    """A document's row, and the evidence that is stored under its own id.

    Attributes:
        own_evidence: None for a copy, whose evidence is that of its representative, and for a
            document known only by its fingerprint.
    """

    row: StoredRow
    own_evidence: TextEvidence | None


class PackedText(NamedTuple):
    """A row of the table of texts: a document's id, its compressed text, and their checksum."""

    id: int
    blob: bytes
    checksum: int


def read_rows_with_evidence(
    connection: sqlite3.Connection, required_ids: Collection[int]
) -> dict[int, RowWithEvidence]:
    """Return rows and evidence by id.

    Raises:
        StoreDamaged: a required document is missing, or something of it is damaged.
    """
    lookup = connection.execute(
        f"SELECT {document_table.COLUMNS}, {_EVIDENCE} FROM documents "
        f"LEFT JOIN evidence e USING (id) WHERE id {AMONG}",
        list_parameter(required_ids),
    )
    read = {}
    for values in lookup:
        row = document_table.check_row(values[: document_table.WIDTH])
        parts = values[document_table.WIDTH :]
        own_evidence = None
        # Whatever has a digest came with its text; only a copy has no evidence of its own.
        if parts[-1] is not None or (row.digest is not None and row.copy_of is None):
            stored = _make_evidence_or_none(row.id, row.digest, row.bytes_digest, *parts)
            own_evidence = _check_evidence(row.id, stored)
        read[row.id] = RowWithEvidence(row, own_evidence)
    return document_table.check_that_none_is_missing(required_ids, read)


def read_each_evidence_unless_damaged(
    connection: sqlite3.Connection, where: str = "", parameters: Iterable[Any] = ()
) -> Iterator[tuple[int, EvidenceOrNoneIfDamaged]]:
    """Yield the ids of documents with evidence, and the evidence; None if that is damaged."""
    for id_, *parts in connection.execute(
        f"SELECT e.id, digest, bytes_digest, {_EVIDENCE} FROM evidence e "
        f"LEFT JOIN documents d USING (id) {where}",
        tuple(parameters),
    ):
        yield id_, _make_evidence_or_none(id_, *parts)


def read_evidence_if_any(
    connection: sqlite3.Connection, ids: Iterable[int]
) -> dict[int, TextEvidence]:
    """Return the evidence of documents by id; copies, and documents known only by their
    fingerprint, are left out.
    """
    stored = read_each_evidence_unless_damaged(
        connection, f"WHERE e.id {AMONG}", list_parameter(ids)
    )
    return {id_: _check_evidence(id_, evidence) for id_, evidence in stored}


def read_ids_with_evidence(connection: sqlite3.Connection) -> Iterator[int]:
    """Yield the documents with evidence, in their order."""
    return (id_ for (id_,) in connection.execute("SELECT id FROM evidence ORDER BY id"))


def _check_evidence(id_: int, evidence: EvidenceOrNoneIfDamaged) -> TextEvidence:
    if evidence is None:
        raise StoreDamaged(_BAD.format("evidence", id_))
    return evidence


def _make_evidence_or_none(
    id_: int,
    digest: bytes | None,
    bytes_digest: bytes | None,
    masked_digest: bytes | None,
    *other_columns: Any,
) -> EvidenceOrNoneIfDamaged:
    """Return the evidence in a row; None if it is damaged, or of another type."""
    length, words, wide, word_shingles, character_shingles, checksum = other_columns
    evidence = TextEvidence(
        digest=digest,
        bytes_digest=bytes_digest,
        masked_digest=masked_digest,
        length=length,
        words=words,
        wide=wide == 1,
        word_shingles=word_shingles,
        character_shingles=character_shingles,
    )
    try:
        return evidence if _evidence_checksum(id_, evidence) == checksum else None
    except TypeError:
        return None


def _evidence_checksum(id_: int, evidence: TextEvidence) -> int:
    """Return a CRC-32 of the evidence of a text; its digests are in its document's row."""
    numbers = b"%d %d %d " % (id_, evidence.words, evidence.wide)
    length = b"" if evidence.length is None else b"%d " % evidence.length
    sets = evidence.word_shingles, evidence.character_shingles or b"", evidence.masked_digest or b""
    return zlib.crc32(b"".join((numbers, length, *sets)))


def write_evidence_and_flag_repetitive(
    connection: sqlite3.Connection, evidence_by_id: Iterable[tuple[int, TextEvidence]]
) -> None:
    """Write the evidence of texts; if a long one has few different words, record that too."""
    repetitive = False

    def look_at_each() -> Iterator[tuple[int, TextEvidence]]:
        nonlocal repetitive
        for id_, evidence in evidence_by_id:
            if evidence.length_class == LONG and len(evidence.word_shingles) < _FEW_BYTES:
                repetitive = True
            yield id_, evidence

    connection.executemany(
        "INSERT OR REPLACE INTO evidence "
        "(masked_digest, length, words, wide, word_shingles, character_shingles, id, checksum) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (*evidence[2:], id_, _evidence_checksum(id_, evidence))
            for id_, evidence in look_at_each()
        ),
    )
    if repetitive:
        record_repetitive_document(connection)


def delete_evidence(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Remove the evidence of documents."""
    connection.executemany("DELETE FROM evidence WHERE id = ?", ((id_,) for id_ in ids))


def read_text_if_kept(
    connection: sqlite3.Connection, id_: int, *, missing_is_damage: bool
) -> str | None:
    """Return the text of a document; None if the file has none.

    Raises:
        StoreDamaged: the text is damaged; or it is missing, and that is damage.
    """
    return unpack_text_if_any(
        read_packed_text_if_kept(connection, id_, missing_is_damage=missing_is_damage)
    )


def read_packed_text_if_kept(
    connection: sqlite3.Connection, id_: int, *, missing_is_damage: bool
) -> PackedText | None:
    """Return the same as it is stored: to unpack it needs no connection, and may take long."""
    query = "SELECT id, text, checksum FROM texts WHERE id = ?"
    row = connection.execute(query, (id_,)).fetchone()
    if row is None and missing_is_damage:
        raise StoreDamaged(f"the text of document {id_} is missing; restore a backup.")
    return None if row is None else PackedText(*row)


def unpack_text_if_any(packed_text: PackedText | None) -> str | None:
    """Return the text in what ``read_packed_text_if_kept`` has returned; None for None.

    Raises:
        StoreDamaged: the text is damaged.
    """
    if packed_text is None:
        return None
    id_, blob, checksum = packed_text
    try:
        if blob_checksum(id_, blob) == checksum:
            return zlib.decompress(blob).decode()
    except (TypeError, zlib.error, UnicodeDecodeError):
        pass
    raise StoreDamaged(_BAD.format("text", id_))


def write_texts(connection: sqlite3.Connection, ids_and_texts: Iterable[tuple[int, str]]) -> None:
    """Write texts, compressed."""
    packed = ((id_, zlib.compress(text.encode(), 1)) for id_, text in ids_and_texts)
    connection.executemany(
        "INSERT OR REPLACE INTO texts VALUES (?, ?, ?)",
        ((id_, blob, blob_checksum(id_, blob)) for id_, blob in packed),
    )


def read_texts_except_of_copies(
    connection: sqlite3.Connection, ids: Iterable[int]
) -> dict[int, str]:
    """Return the texts of documents by id, of those that have one and are not copies."""
    query = f"SELECT id, digest IS NOT NULL FROM documents WHERE copy_of IS NULL AND id {AMONG}"
    rows = connection.execute(query, list_parameter(ids)).fetchall()
    text_of = (
        (id_, read_text_if_kept(connection, id_, missing_is_damage=bool(has_digest)))
        for id_, has_digest in rows
    )
    return {id_: text for id_, text in text_of if text is not None}
