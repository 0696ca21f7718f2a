"""Documents that are exchanged with what ilk keeps of their texts, instead of the texts.

They are in a Parquet file that ``ilk store export`` has written, or in the table of
``ilk_spark.Incremental``. Both have the same columns of evidence.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ilk import _kernels, arrow
from ilk.base.errors import (
    IdTaken,
    OptionError,
    RecipeMismatch,
    SourceNotFound,
    StoreDamaged,
    StoreFormatError,
)
from ilk.base.json_text import parse_json
from ilk.search.evidence import TextEvidence
from ilk.store import checkin, records
from ilk.store.db import document_table
from ilk.store.db.settings import Settings
from ilk.store.incoming import IncomingDocument
from ilk.store.matching import TextToCompare
from ilk.store.opened import OpenedStore

#: The key in the metadata of a file under which it says what counts of the texts.
COUNTING = b"ilk.counting"

#: The evidence of a text in columns, as ilk-spark has it: sets are the bytes of their numbers, and
#: the whole hashes are there for a large set, which needs no ids then.
COLUMNS = (
    pa.field("masked_digest", pa.binary()),
    pa.field("length", pa.int64()),
    pa.field("words", pa.int32()),
    pa.field("word_shingles", pa.binary()),
    pa.field("word_hashes", pa.binary()),
    pa.field("character_shingles", pa.binary()),
)

#: The folders of a table of ilk-spark, the mark of a batch that is written whole, and the form of
#: its rows that is read here.
_EVIDENCE, _SHARED, _WHOLE = "evidence", "shared", "_SUCCESS"
_RECORDS = 3

#: The ``reason`` of a document imported without text or fingerprint.
_NO_TEXT = "it was imported without its text"

#: Rows to read, and documents to compare, together.
_AT_ONCE = 1 << 14

_DIGEST_BYTES = 16

#: Rows with the columns of a file that ``ilk store export`` has written.
ExportedRows: TypeAlias = pa.RecordBatch


class DocumentsWithEvidence(NamedTuple):
    """Documents with their evidence.

    Attributes:
        counting: what counts of their texts, as ``plain_counting_without_defaults`` says it.
        recipe: of their fingerprints; None if they have none.
        batches: the documents.
    """

    counting: Mapping[str, Any]
    recipe: str | None
    batches: Iterator[ExportedRows]


def plain_counting_without_defaults(settings: Settings) -> dict[str, Any]:
    """Return what counts of texts, as plain values; what everything does is left out."""
    every = {
        "shingle": settings.shingle,
        "ignore": list(settings.ignore),
        "by": settings.by,
        "base_text": None if settings.base is None else settings.base.digest,
        "within": list(settings.within),
        "as": None if settings.as_ is None else settings.as_.identity,
    }
    return {name: value for name, value in every.items() if value}


def evidence_by_column_or_nulls(evidence: TextEvidence | None) -> dict[str, Any]:
    """Return evidence as values of ``COLUMNS``."""
    if evidence is None:
        return {field.name: None for field in COLUMNS}
    return {
        "masked_digest": evidence.masked_digest,
        "length": evidence.length,
        "words": evidence.words,
        "word_shingles": None if evidence.wide else evidence.word_shingles,
        "word_hashes": evidence.word_shingles if evidence.wide else None,
        "character_shingles": evidence.character_shingles,
    }


def open_documents_with_evidence(path: str | os.PathLike[str]) -> DocumentsWithEvidence:
    """Open the documents in an exported file, or in a table of ilk-spark.

    Raises:
        SourceNotFound: there is no such file or folder.
        StoreFormatError: it is something else, or has no evidence.
        StoreDamaged: a batch of the table was not written whole.
    """
    name = Path(path)
    if not os.path.lexists(name):
        raise SourceNotFound(f"{name} does not exist; name what `ilk store export` wrote.")
    with _translate_errors(name):
        found = _open_table_of_spark(name) if name.is_dir() else _open_exported_file(name)
    return found._replace(batches=_translate_errors_of_each(name, found.batches))


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise StoreFormatError(f"{path} cannot be read as Parquet: {error}.") from error


def _translate_errors_of_each(
    path: Path, batches: Iterator[ExportedRows]
) -> Iterator[ExportedRows]:
    with _translate_errors(path):
        yield from batches


def _open_exported_file(path: Path) -> DocumentsWithEvidence:
    file = pq.ParquetFile(path)
    schema = file.schema_arrow
    options_text = (schema.metadata or {}).get(COUNTING)
    missing = {"digest", *(field.name for field in COLUMNS)} - set(schema.names)
    if options_text is None or missing:
        raise StoreFormatError(
            f"{path} has neither texts nor the evidence of texts; export the store again."
        )
    of_print = schema.field("fingerprint").metadata if "fingerprint" in schema.names else None
    recipe = (of_print or {}).get(arrow.RECIPE_KEY)
    return DocumentsWithEvidence(
        _parse_options(options_text),
        None if recipe is None else recipe.decode(),
        file.iter_batches(_AT_ONCE, use_threads=False),
    )


def _parse_options(text: str | bytes) -> dict[str, Any]:
    """Return the options that are there as JSON; a ValueError if it is something else."""
    options = parse_json(text)
    if not isinstance(options, dict):
        raise ValueError("its options are no JSON object")
    return options


def _open_table_of_spark(path: Path) -> DocumentsWithEvidence:
    evidence, shared = path / _EVIDENCE, path / _SHARED
    if not (evidence.is_dir() and shared.is_dir()):
        raise StoreFormatError(
            f"{path} is a folder, and no table of `ilk_spark.Incremental`; name such a folder, or "
            "a file that `ilk store export` wrote."
        )
    options = _parse_options(pq.read_table(shared, use_threads=False)["options"][0].as_py())
    if options.get("records") != _RECORDS:
        raise StoreFormatError(
            f"{path} was written by another version of ilk; make the table again."
        )
    numbers = {}
    for batch in evidence.glob("batch=*"):
        if not (batch / _WHOLE).exists():
            raise StoreDamaged(
                f"the table {path} holds a part of {batch.name}, since a run ended while it wrote "
                "that; add that batch again first."
            )
        numbers[int(batch.name.partition("=")[2])] = batch
    counting: dict[str, Any] = {
        name: options[name]
        for name in ("shingle", "ignore", "by", "base_text", "as")
        if name in options
    }
    batches = (
        piece
        for number in sorted(numbers)
        for piece in _read_nonblank_rows_from_spark(path, numbers[number])
    )
    return DocumentsWithEvidence(counting, None, batches)


def _read_nonblank_rows_from_spark(table: Path, batch: Path) -> Iterator[ExportedRows]:
    """Yield the rows of a batch that have a text, by id, with the columns of an exported file:
    the id of a row is in the metadata and in the source.
    """
    names = ["id", "digest", "bytes_digest", *(field.name for field in COLUMNS)]
    columns = pq.read_table(batch, columns=names, use_threads=False, partitioning=None)
    columns = columns.filter(columns["digest"].is_valid()).sort_by("id")
    ids = [str(id_) for id_ in columns["id"].to_pylist()]
    # Spark has an empty set where a text needs none.
    sets = columns["character_shingles"]
    columns = arrow.replace_columns(
        columns,
        character_shingles=pc.if_else(pc.equal(pc.binary_length(sets), 0), None, sets),
    )
    rows = columns.drop_columns("id").append_column(
        "metadata", pa.array([json.dumps({records.ROW: id_}) for id_ in ids], pa.string())
    )
    rows = rows.append_column("source", pa.array([f"{table}#{id_}" for id_ in ids], pa.string()))
    yield from rows.to_batches(_AT_ONCE)


def add_documents_with_evidence(open_store: OpenedStore, documents: DocumentsWithEvidence) -> int:
    """Add documents by their evidence, inside the caller's transaction; return how many.

    Raises:
        OptionError: the store keeps texts, or counts other things, or needs fingerprints.
        RecipeMismatch: the fingerprints are of another recipe, and the store needs them.
        StoreFormatError: a row makes no sense.
        IdTaken: a document has the id of a stored one, or of another one.
    """
    _refuse_mismatch_with_store_settings(open_store, documents)
    has_fingerprints = documents.recipe == str(open_store.settings.recipe)
    new_id_of, links = dict[int, int](), dict[int, int]()
    count, client_ids = 0, document_table.read_client_ids(open_store.connection)
    for batch in documents.batches:
        rows = batch.to_pylist()
        prepared = [_make_incoming_document(row, use_fingerprint=has_fingerprints) for row in rows]
        _add_client_ids_unless_taken(client_ids, prepared)
        additions = checkin.add_documents(open_store, prepared, "report")
        for row, one in zip(rows, additions, strict=True):
            assert one.id is not None, "every document is added"
            if row.get("id") is not None:
                new_id_of[row["id"]] = one.id
            if row.get("duplicate_of") is not None:
                links[one.id] = row["duplicate_of"]
        count += len(additions)

    links = {id_: new_id_of[old_id] for id_, old_id in links.items() if old_id in new_id_of}
    document_table.write_changed_references(open_store.connection, "duplicate_of", links)
    return count


def _refuse_mismatch_with_store_settings(
    open_store: OpenedStore, documents: DocumentsWithEvidence
) -> None:
    settings, path = open_store.settings, open_store.path
    if settings.texts:
        raise OptionError(
            f"{path} keeps texts, and these documents come without; import them into a store that "
            "is made without --texts."
        )
    own = plain_counting_without_defaults(settings)
    for name in ("shingle", "ignore", "by", "base_text", "within", "as"):
        if own.get(name) != documents.counting.get(name):
            ours, theirs = (one.get(name) or "nothing" for one in (own, documents.counting))
            raise OptionError(
                f"{path} was made with {name}={ours}, and these documents with {name}={theirs}; "
                "import them into a store that was made alike."
            )
    if settings.exact or documents.recipe == str(settings.recipe):
        return
    if documents.recipe is None:
        raise OptionError(
            f"{path} finds documents by their fingerprints, and these have none; import them into "
            "a store that is made with --exact."
        )
    raise RecipeMismatch(
        f"{path} has fingerprints of {settings.recipe}, and these documents of {documents.recipe}; "
        "import them into a store of that recipe, or one that is made with --exact."
    )


def _make_incoming_document(row: Mapping[str, Any], *, use_fingerprint: bool) -> IncomingDocument:
    """Return the document in an exported row.

    Raises:
        StoreFormatError: its evidence is damaged.
    """
    wide = bool(row["word_hashes"])
    evidence = TextEvidence(
        digest=row["digest"],
        bytes_digest=row["bytes_digest"],
        masked_digest=row["masked_digest"],
        length=row["length"],
        words=row["words"],
        wide=wide,
        word_shingles=row["word_hashes"] if wide else row["word_shingles"],
        character_shingles=row["character_shingles"],
    )
    _refuse_damaged_evidence(evidence, row)
    fingerprint = row["fingerprint"] if use_fingerprint else None
    now = records.now_in_microseconds()
    return IncomingDocument(
        subject=TextToCompare(
            fingerprint=fingerprint,
            digest=evidence.digest,
            bytes_digest=evidence.bytes_digest,
            evidence=evidence,
        ),
        source=row.get("source"),
        title=row.get("title"),
        metadata=row.get("metadata"),
        reason=row["reason"] if use_fingerprint else _NO_TEXT,
        text=None,
        added=row.get("added") or now,
    )


def _refuse_damaged_evidence(evidence: TextEvidence, row: Mapping[str, Any]) -> None:
    digests = (evidence.digest, evidence.bytes_digest, evidence.masked_digest)
    sets = ((evidence.word_shingles, evidence.wide), (evidence.character_shingles or b"", False))
    sound = (
        all(one is None or len(one) == _DIGEST_BYTES for one in digests)
        and (evidence.words is not None and evidence.words >= 0)
        and (evidence.length is None or evidence.length >= 0)
        and all(some is not None and _kernels.is_set(some, wide) for some, wide in sets)
    )
    if not sound:
        name = row.get("source") or row.get("id")
        raise StoreFormatError(f"the evidence of {name} is damaged; nothing was imported.")


def _add_client_ids_unless_taken(
    client_ids: set[str], documents: Sequence[IncomingDocument]
) -> None:
    """Add the clients' ids of documents to a set.

    Raises:
        IdTaken: one of them is in the set already.
    """
    for document in documents:
        id_ = records.parse_metadata(document.metadata).get(records.KEY)
        if isinstance(id_, str) and id_ in client_ids:
            raise IdTaken(f"a document already has the id {id_!r}; nothing was imported.")
        if isinstance(id_, str):
            client_ids.add(id_)
