"""A store as a whole: how much it holds, all of it as a table, and the search for damage."""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from ilk import arrow
from ilk.arrow import verdicts
from ilk.base.errors import StoreDamaged
from ilk.search.evidence import TextEvidence
from ilk.store import exchange, history, incoming, keepers, records, sync
from ilk.store.db import contents, document_table, file
from ilk.store.db.settings import Settings, read_counter
from ilk.store.opened import OpenedStore
from ilk.store.records import DamageIfAny

_T = TypeVar("_T")

#: The bytes of all indexes.
_PACKED = (
    "SELECT (SELECT coalesce(sum(length(places) + length(entries)), 0) FROM segments) "
    "+ (SELECT coalesce(sum(length(entries)), 0) FROM postings) "
    "+ (SELECT coalesce(sum(length(counts)), 0) FROM orders)"
)


def read_stats(open_store: OpenedStore) -> dict[str, Any]:
    """Return counts and sizes of an open store, and its settings, as plain values."""
    connection, settings = open_store.connection, open_store.settings

    def count_rows(table: str) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    clusters = document_table.read_clusters_of_two_or_more(connection)
    pages, free, size, packed_bytes = (
        connection.execute(query).fetchone()[0]
        for query in ("PRAGMA page_count", "PRAGMA freelist_count", "PRAGMA page_size", _PACKED)
    )
    return {
        "documents": read_counter(connection, "documents"),
        "copies": count_rows("documents WHERE copy_of IS NOT NULL"),
        "without_fingerprint": count_rows("documents WHERE reason IS NOT NULL"),
        "with_evidence": count_rows("evidence"),
        "with_text": count_rows("texts"),
        "clusters": len(clusters),
        "in_clusters": sum(map(len, clusters)),
        "files": count_rows("files"),
        "bytes": pages * size,
        "bytes_free": free * size,
        "index_bytes": packed_bytes,
        "transactions": read_counter(connection, "generation"),
        "recipe": str(settings.recipe),
        "radius": settings.radius,
        "resemblance": float(settings.resemblance),
        **{name: getattr(settings, name) for name in ("shingle", "texts", "exact")},
        "ignore": list(settings.ignore),
        "within": list(settings.within),
        "by": settings.by,
        "base_text": None if settings.base is None else settings.base.digest,
        "as": None if settings.as_ is None else settings.as_.identity,
        "noise": None if settings.noise is None else float(settings.noise),
        "expected_recall": settings.expected_recall,
        "format": file.VERSION,
    }


def open_as_table_without_snapshot(
    open_store: OpenedStore, *, evidence: bool = False
) -> pa.RecordBatchReader:
    """Return all documents; ``Store.to_arrow`` explains it."""
    schema = _schema_of_table(open_store.settings, evidence=evidence)
    return pa.RecordBatchReader.from_batches(
        schema, _read_batches(open_store, schema, evidence=evidence)
    )


def _schema_of_table(settings: Settings, *, evidence: bool) -> pa.Schema:
    prints = arrow.reinterpret_as_signed_unless_wide(
        arrow.import_fingerprints_of_width([], settings.recipe.bits)
    ).type
    recipe = {arrow.RECIPE_KEY: str(settings.recipe)}

    def fields(kind: pa.DataType, *names: str, null: bool = True) -> list[pa.Field]:
        return [pa.field(name, kind, nullable=null) for name in names]

    counting = json.dumps(exchange.plain_counting_without_defaults(settings), sort_keys=True)
    return pa.schema(
        [
            *fields(pa.int64(), "id", null=False),
            *fields(pa.string(), "source", "title", "metadata"),
            *fields(pa.large_string(), *(["text"] if settings.texts else [])),
            pa.field("fingerprint", prints, metadata=recipe),
            *fields(pa.string(), "reason"),
            *fields(pa.binary(), "digest", "bytes_digest"),
            *fields(pa.int64(), "copy_of", "keeper", "duplicate_of"),
            *fields(pa.int64(), "added", "updated", null=False),
            *(exchange.COLUMNS if evidence else ()),
        ],
        metadata={exchange.COUNTING: counting} if evidence else None,
    )


def _read_batches(
    open_store: OpenedStore, schema: pa.Schema, *, evidence: bool
) -> Iterator[pa.RecordBatch]:
    last_id = -1
    while True:
        with open_store.read_transaction():
            rows = document_table.read_next_rows(
                open_store.connection, after_id=last_id, max_rows=contents.TEXTS
            )
            columns_of_rows = [row._asdict() for row in rows]
            if evidence:
                evidence_by_id = contents.read_evidence_if_any(
                    open_store.connection, {row.representative_id for row in rows}
                )
                for row, columns in zip(rows, columns_of_rows, strict=True):
                    columns |= exchange.evidence_by_column_or_nulls(
                        evidence_by_id.get(row.representative_id)
                    )
            for columns in columns_of_rows if open_store.settings.texts else ():
                columns["text"] = contents.read_packed_text_if_kept(
                    open_store.connection,
                    columns["id"],
                    missing_is_damage=columns["digest"] is not None,
                )
        # Unpacked after the snapshot has ended: a long one would keep the log of writers from being
        # reused.
        for columns in columns_of_rows:
            columns["text"] = contents.unpack_text_if_any(columns.get("text"))
        if not rows:
            return
        yield pa.RecordBatch.from_pylist(columns_of_rows, schema)
        last_id = rows[-1].id


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """What was checked, and what is wrong.

    Attributes:
        documents: rows whose checksum was computed.
        evidence: sets of shingles whose checksum was computed.
        segments: packed entries that were compared with what they are made from.
        measured: members of clusters that were measured against their keepers again.
        made_again: texts whose fingerprint and shingles were made again.
        problems: what is wrong, one sentence each; empty if nothing is.
    """

    documents: int
    evidence: int
    segments: int
    measured: int
    made_again: int
    problems: list[str]


def validate(open_store: OpenedStore, *, sample_size: int) -> Validated:
    """Look for damage, in a transaction; ``Store.validate`` explains it."""
    problems = list(
        file.find_damage_of_schema_and_header_versions(open_store.connection, open_store.path)
    )

    def run_check(noun: str, check: Callable[..., Iterator[DamageIfAny]], *arguments: Any) -> int:
        """Return how many rows a check examined before its end or the first unreadable page."""
        row_count = 0
        try:
            for problem in check(open_store, *arguments):
                row_count += 1
                problems.extend([] if problem is None else [problem])
        except (StoreDamaged, sqlite3.DatabaseError) as error:
            problems.append(f"{noun}: {error}")
        return row_count

    names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    for (table,) in open_store.connection.execute(names).fetchall():
        run_check(f"table {table}", _find_damage_of_sqlite_pages, table)
    rows = run_check("the rows of documents", _find_damage_of_rows_refusing_miscount)
    evidence = run_check("the evidence", _find_damage_of_evidence_refusing_missing)
    segment_count = run_check(
        "the segments", lambda open_store: open_store.index.find_damage_of_each_piece()
    )
    run_check("the documents", _find_damage_of_references)
    run_check(
        "the history", lambda open_store: history.find_damage_of_each_entry(open_store.connection)
    )
    run_check("the files", lambda open_store: sync.find_damage_of_each_file(open_store.connection))
    if problems:
        # Later checks would fail at the same place.
        return Validated(
            documents=rows,
            evidence=evidence,
            segments=segment_count,
            measured=0,
            made_again=0,
            problems=problems,
        )
    member_count = run_check(
        "the members of clusters", _find_damage_of_each_sampled_member, sample_size
    )
    text_count = run_check("the texts", _find_missing_texts_and_damage_of_sampled, sample_size)
    return Validated(
        documents=rows,
        evidence=evidence,
        segments=segment_count,
        measured=member_count,
        made_again=text_count,
        problems=problems,
    )


def _find_damage_of_sqlite_pages(open_store: OpenedStore, table: str) -> Iterator[DamageIfAny]:
    for (said,) in open_store.connection.execute(f"PRAGMA integrity_check({table})"):
        yield None if said == "ok" else f"table {table}: {said}"


def _find_damage_of_rows_refusing_miscount(open_store: OpenedStore) -> Iterator[DamageIfAny]:
    count = 0
    for values in open_store.connection.execute(f"SELECT {document_table.COLUMNS} FROM documents"):
        count += 1
        yield records.damage_of_row_if_any(document_table.check_row, values)
    if count != (stored_count := read_counter(open_store.connection, "documents")):
        raise StoreDamaged(f"there are {count} documents, but the settings count {stored_count}.")


def _find_damage_of_evidence_refusing_missing(open_store: OpenedStore) -> Iterator[DamageIfAny]:
    for id_, kept in contents.read_each_evidence_unless_damaged(open_store.connection):
        yield f"the evidence of document {id_} is damaged." if kept is None else None
    _refuse_if_table_lacks_document(
        open_store, "evidence", "digest IS NOT NULL AND copy_of IS NULL"
    )


def _refuse_if_table_lacks_document(
    open_store: OpenedStore, table: str, sql_condition: str
) -> None:
    """Refuse a document that meets the condition, but has no row in the table."""
    for (id_,) in open_store.connection.execute(
        f"SELECT id FROM documents LEFT JOIN {table} e USING (id) "
        f"WHERE {sql_condition} AND e.id IS NULL"
    ):
        raise StoreDamaged(f"that of document {id_} is missing.")


#: What one document says about another, and must be true.
_REFERENCES = {
    "is a copy of {}, which is missing, added later, itself a copy, or of another text": (
        "SELECT a.id, a.copy_of FROM documents a LEFT JOIN documents b ON b.id = a.copy_of "
        "WHERE a.copy_of IS NOT NULL "
        "AND (b.id IS NULL OR b.copy_of IS NOT NULL OR b.digest IS NOT a.digest OR b.id > a.id)"
    ),
    "has the keeper {}, which is not a keeper": (
        "SELECT a.id, a.keeper FROM documents a LEFT JOIN documents b ON b.id = a.keeper "
        "WHERE a.keeper IS NOT NULL "
        "AND (b.id IS NULL OR b.keeper IS NOT NULL OR b.copy_of IS NOT NULL OR b.id > a.id)"
    ),
    "is linked to {}, which does not exist": (
        "SELECT a.id, a.duplicate_of FROM documents a LEFT JOIN documents b "
        "ON b.id = a.duplicate_of WHERE a.duplicate_of IS NOT NULL AND b.id IS NULL"
    ),
}


def _find_damage_of_references(open_store: OpenedStore) -> Iterator[str]:
    for what, query in _REFERENCES.items():
        for id_, other in open_store.connection.execute(query):
            yield f"document {id_} {what.format(other)}."


def _find_damage_of_each_sampled_member(
    open_store: OpenedStore, sample_size: int
) -> Iterator[DamageIfAny]:
    query = "SELECT id, keeper FROM documents WHERE keeper IS NOT NULL ORDER BY id"
    members = _pick_evenly_spaced(open_store.connection.execute(query).fetchall(), sample_size)
    measured = keepers.compare_members_with_first(
        open_store, [[keeper, id_] for id_, keeper in members]
    )
    for id_, keeper in members:
        unlike = f"document {id_} has the keeper {keeper}, but is not like it."
        yield None if measured[id_].verdict in verdicts.SAME else unlike


def _is_none_or_same_shingles(
    stored_evidence: TextEvidence | None, evidence_of_text: TextEvidence | None
) -> bool:
    """Return whether stored evidence, if any, is that of a text.

    It may be of other bytes, and an older ilk masked fewer figures.
    """
    if stored_evidence is None or evidence_of_text is None:
        return stored_evidence is None
    return stored_evidence == evidence_of_text._replace(
        bytes_digest=stored_evidence.bytes_digest,
        length=stored_evidence.length,
        masked_digest=stored_evidence.masked_digest,
    )


def _find_missing_texts_and_damage_of_sampled(
    open_store: OpenedStore, sample_size: int
) -> Iterator[DamageIfAny]:
    if open_store.settings.texts:
        _refuse_if_table_lacks_document(open_store, "texts", "digest IS NOT NULL")
    ids = open_store.connection.execute("SELECT id FROM texts ORDER BY id").fetchall()
    for (id_,) in _pick_evenly_spaced(ids, sample_size):
        row = document_table.read_row(open_store.connection, id_)
        text = contents.read_text_if_kept(open_store.connection, id_, missing_is_damage=True) or ""
        stored_evidence = contents.read_evidence_if_any(open_store.connection, [id_]).get(id_)
        # An older ilk folded numerals before it made the digest.
        forms = {text, unicodedata.normalize("NFKC", text)}
        subjects = [
            incoming.prepare_text_or_path_refusing_ambiguity(
                open_store, [form], metadata_json=row.metadata
            ).subject
            for form in forms
        ]
        same = any(
            one.digest == row.digest and _is_none_or_same_shingles(stored_evidence, one.evidence)
            for one in subjects
        )
        yield None if same else f"the text of document {id_} is not the one it was compared by."


def _pick_evenly_spaced(items: list[_T], max_count: int) -> list[_T]:
    if max_count == 0:
        return []
    return items[:: -(-len(items) // max_count)] if len(items) > max_count else items
