"""Incoming documents: cut, hashed and named, before anything is compared or written."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from ilk import arrow
from ilk import read as readers
from ilk.base.errors import OptionError
from ilk.base.run_options import ALONE
from ilk.fingerprints.texts import fingerprints_or_reasons
from ilk.read.documents import read_texts_in_memory
from ilk.read.reading import PLAINLY
from ilk.read.report import ReadReport
from ilk.read.rows.table_sources import (
    is_existing_path_or_glob,
    is_table,
    paths_or_none_if_texts,
    to_table,
)
from ilk.store import groups, records
from ilk.store.matching import TextToCompare
from ilk.store.opened import OpenedStore
from ilk.store.records import ClientDocument, StoredRow

#: What documents have in a column of names; None for a document without one.
_NameOfEach: TypeAlias = Sequence[str | None]


class IncomingDocument(NamedTuple):
    """An incoming document.

    Attributes:
        subject: in the form for comparison.
        source, title, metadata: in the form in which they are stored.
        reason: why it has no fingerprint.
        text: None if it is not kept.
        added: when, in microseconds since 1970.
        link: the document that it was linked to as a duplicate.
    """

    subject: TextToCompare
    source: str | None
    title: str | None
    metadata: str | None
    reason: str | None
    text: str | None
    added: int
    link: int | None = None

    def with_names_time_and_link_of(self, row: StoredRow) -> IncomingDocument:
        """Return the same text with what a stored document has besides its text."""
        return self._replace(
            source=row.source,
            title=row.title,
            metadata=row.metadata,
            added=row.added,
            link=row.duplicate_of,
        )


def prepare_documents(
    open_store: OpenedStore,
    documents: pa.RecordBatch | pa.Table,
    given_titles: _NameOfEach | None = None,
    given_metadata_json: _NameOfEach | None = None,
) -> list[IncomingDocument]:
    """Prepare documents from a reader (``DOCUMENTS``).

    If no title or no metadata are given, those that the document declares are used.
    """
    nothing = [None] * len(documents)
    titles, metadata_json = list(given_titles or nothing), list(given_metadata_json or nothing)
    if "declared" in documents.schema.names:
        for at, declared in enumerate(documents["declared"].to_pylist()):
            declarations = {
                name: value for name, value in (declared or {}).items() if value is not None
            }
            title = records.check_and_escape_name_if_any(declarations.pop("title", None), "title")
            titles[at] = title if titles[at] is None else titles[at]
            if declarations and metadata_json[at] is None:
                metadata_json[at] = records.metadata_as_json_unless_none(declarations)
    return _prepare_texts(
        open_store,
        arrow.import_texts(documents["text"]),
        bytes_digests=documents["bytes_digest"].to_pylist(),
        sources=documents["source"].to_pylist(),
        titles=titles,
        metadata_json=metadata_json,
    )


def prepare_text_or_path_refusing_ambiguity(
    open_store: OpenedStore,
    text: str | os.PathLike[str] | Sequence[str],
    *,
    source: str | None = None,
    title: str | None = None,
    metadata_json: str | None = None,
) -> IncomingDocument:
    """Prepare one document: a text, by itself or in a list, or the path of a file.

    Raises:
        OptionError: a text by itself names a file, or the text is of another type.
    """
    if isinstance(text, list | tuple) and len(text) == 1 and isinstance(text[0], str):
        text = text[0]
    elif isinstance(text, str) and is_existing_path_or_glob(text):
        raise OptionError(
            f"{text!r} names a file. Write which you mean: Path({text!r}) for the file, or "
            f"[{text!r}] for these words as the text."
        )
    name = records.check_and_escape_name_if_any(source, "source")
    if isinstance(text, str):
        return _prepare_texts(
            open_store,
            arrow.import_texts([text]),
            bytes_digests=[None],
            sources=[name],
            titles=[title],
            metadata_json=[metadata_json],
        )[0]
    if not isinstance(text, os.PathLike):
        raise OptionError(
            f"the text is {type(text).__name__}; give a str, or a pathlib.Path to a file."
        )
    read = readers.read_one_document(text, PLAINLY.with_default_cache(open_store.cache_folder))
    (document,) = prepare_documents(open_store, read, [title], [metadata_json])
    return document if source is None else document._replace(source=name)


def _prepare_texts(
    open_store: OpenedStore,
    texts: pa.ChunkedArray,
    *,
    bytes_digests: Sequence[bytes | None],
    sources: _NameOfEach,
    titles: _NameOfEach,
    metadata_json: _NameOfEach,
) -> list[IncomingDocument]:
    """Prepare texts under their names; a bytes digest of None means that of the UTF-8."""
    settings, nothing = open_store.settings, [None] * len(texts)
    group_digests = groups.group_digests_requiring_columns_or_none(open_store, metadata_json)
    evidence_of_each = groups.make_evidence_in_groups(
        open_store, texts, group_digests, bytes_digests
    )
    counted_texts = settings.counting.replace_programs_by_words_if_as_code(texts, None)
    values, reasons = fingerprints_or_reasons(
        counted_texts, open_store.fingerprint_way, jobs=open_store.jobs
    )
    columns = zip(
        arrow.reinterpret_as_signed_unless_wide(values).to_pylist(),
        evidence_of_each,
        texts.to_pylist() if settings.texts else nothing,
        sources,
        titles,
        metadata_json,
        reasons.to_pylist(),
        strict=True,
    )
    now, documents = records.now_in_microseconds(), []
    for fingerprint, evidence, text, source, title, metadata, reason in columns:
        text_to_align = text if settings.noise is not None else None
        subject = TextToCompare(
            fingerprint=fingerprint,
            digest=evidence.digest,
            bytes_digest=evidence.bytes_digest,
            evidence=evidence,
            text=text_to_align,
        )
        documents.append(
            IncomingDocument(
                subject=subject,
                source=source,
                title=title,
                metadata=metadata,
                reason=reason,
                text=text,
                added=now,
            )
        )
    return documents


def prepare_texts_or_files(open_store: OpenedStore, documents: Any) -> list[IncomingDocument]:
    """Prepare texts in memory, or files if paths are given; ``Store.add_many`` explains them."""
    if paths_or_none_if_texts(documents) is not None:
        tally, reading = ReadReport(), PLAINLY.with_default_cache(open_store.cache_folder)
        batches = readers.read_documents(
            documents, reading, replace(ALONE, jobs=open_store.jobs), tally
        )
        files = pa.Table.from_batches(batches, schema=arrow.DOCUMENTS)
        readers.refuse_if_no_readable_document(files, tally)
        return prepare_documents(open_store, files)
    held = to_table(documents) if is_table(documents) else None
    read = read_texts_in_memory(documents if held is None else held, PLAINLY, ReadReport())
    columns = {} if held is None else dict(zip(held.column_names, held.columns, strict=True))
    if isinstance(documents, Mapping):
        columns = {"source": read["id"]}

    def replace_column(name: str, column: pa.Array) -> None:
        nonlocal read
        at = read.schema.get_field_index(name)
        read = read.set_column(at, read.schema.field(at).with_nullable(True), column)

    nothing = [None] * len(read)
    sources, titles, metadata = (
        [records.check_and_escape_name_if_any(one, name) for one in columns[name].to_pylist()]
        if name in columns
        else nothing
        for name in ("source", "title", "metadata")
    )
    for written in metadata:
        records.parse_metadata(written)
    if "bytes_digest" in columns:
        replace_column("bytes_digest", arrow.flat(columns["bytes_digest"]).cast(arrow.DIGEST))
    if "declared" in columns and columns["declared"].type == arrow.DECLARED:
        replace_column("declared", arrow.flat(columns["declared"]))
    replace_column("source", pa.array(sources, pa.string()))
    return prepare_documents(open_store, read, titles, metadata)


def prepare_client_documents_unchecked(
    open_store: OpenedStore, documents: Sequence[ClientDocument]
) -> list[IncomingDocument]:
    """Prepare one text or file, or several texts."""
    named = (records.metadata_with_id(each.metadata, each.id) for each in documents)
    metadata = list(map(records.metadata_as_json_unless_none, named))
    titles = [records.check_and_escape_name_if_any(each.title, "title") for each in documents]
    if len(documents) == 1:
        first = documents[0]
        text = [first.text] if isinstance(first.text, str) else first.text
        return [
            prepare_text_or_path_refusing_ambiguity(
                open_store, text, source=first.source, title=titles[0], metadata_json=metadata[0]
            )
        ]
    sources = [records.check_and_escape_name_if_any(each.source, "source") for each in documents]
    texts = arrow.import_texts([os.fspath(each.text) for each in documents])
    written = {"source": sources, "title": titles, "metadata": metadata}
    columns = {name: pa.array(values, pa.string()) for name, values in written.items()}
    return prepare_texts_or_files(open_store, pa.table({"text": texts, **columns}))
