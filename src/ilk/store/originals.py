"""Which document of a stored cluster a person would keep: the one that a scan of the files keeps.

The stored keeper of a cluster is its first document, whatever order they came in, so that a change
is settled locally. What people see is ordered here, by the policy ``original`` over the files that
the store was synchronised with.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from ilk.base.options import ORIGINAL
from ilk.read.files.content import enclosing_sources, unescape_source_name
from ilk.search import ranking
from ilk.store import sync
from ilk.store.db import document_table
from ilk.store.opened import OpenedStore

_SCHEMA = pa.schema(
    {
        "source": pa.string(),
        "file": pa.string(),
        "digest": pa.binary(),
        "bytes_digest": pa.binary(),
        "modified": pa.timestamp("us", "UTC"),
    }
)


def put_originals_first(opened: OpenedStore, clusters: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return clusters with the document first that a person would keep, then the others as given.

    A file on disk precedes a document in an archive, and that one a document that is in no file.
    Nothing is read for clusters without files.

    Args:
        opened: outside of a transaction.
        clusters: from ``document_table.clusters``.
    """
    members = [number for cluster in clusters for number in cluster]
    with opened.read_transaction_without_index():
        in_files = bool(sync.read_files_of_documents(opened.connection, members))
    places = _rank_documents_in_files(opened) if in_files else {}
    ordered = []
    for cluster in clusters:
        original = min(cluster, key=lambda number: places.get(number, len(places)))
        ordered.append([original, *(number for number in cluster if number != original)])
    return ordered


def _rank_documents_in_files(opened: OpenedStore) -> dict[int, int]:
    """Return the place of every document in a file, the best original first.

    All of them are ranked, since a folder is judged by everything in it.
    """
    numbers: list[int] = []
    rows: list[dict[str, Any]] = []
    last = -1
    while True:
        with opened.read_transaction_without_index():
            some = document_table.read_next_rows(
                opened.connection, after_id=last, max_rows=document_table.AT_ONCE
            )
            files = sync.read_files_of_documents(opened.connection, (row.id for row in some))
        if not some:
            break
        last = some[-1].id
        for row in some:
            if row.id in files:
                source, _ = files[row.id]
                numbers.append(row.id)
                rows.append(_describe_file_of_document(source, row.digest, row.bytes_digest))
    documents = pa.Table.from_pylist(rows, _SCHEMA)
    documents = documents.append_column("doc", pa.array(range(len(rows)), pa.int64()))
    order = ranking.order_documents_best_first(documents, [ORIGINAL]).to_pylist()
    return {numbers[doc]: place for place, doc in enumerate(order)}


def _describe_file_of_document(
    source: str, digest: bytes | None, bytes_digest: bytes | None
) -> dict[str, Any]:
    """Return what the ranking knows of a document; one whose file is gone has no time."""
    file, mtime = source, None
    for name in (source, *enclosing_sources(source)):
        try:
            status = os.stat(unescape_source_name(name))
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            file, mtime = name, status.st_mtime_ns // 1000
            break
    return {
        "source": source,
        "file": file,
        "digest": digest,
        "bytes_digest": bytes_digest,
        "modified": mtime,
    }
