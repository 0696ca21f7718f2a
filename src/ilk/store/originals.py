"""Which document of a stored cluster a person would keep: the one that a scan of the files keeps.

The stored keeper of a cluster is its first document, whatever order they came in, so that a change
is settled locally. What people see is ordered here, by the policy ``original`` over the files that
the store was synchronised with.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

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


class _RankedFile(NamedTuple):
    """What the ranking knows of a document in a file.

    Attributes:
        modified: in microseconds since 1970; None if no file is there.
    """

    source: str
    file: str
    digest: bytes | None
    bytes_digest: bytes | None
    modified: int | None


def put_originals_first(
    open_store: OpenedStore, clusters: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Return clusters with the document first that a person would keep, then the others as given.

    A file on disk precedes a document in an archive, and that one a document that is in no file.
    Nothing is read for clusters without files.

    Args:
        open_store: outside of a transaction.
        clusters: from ``document_table.read_clusters_of_two_or_more``.
    """
    members = [number for cluster in clusters for number in cluster]
    with open_store.read_transaction():
        in_files = bool(sync.read_files_of_documents(open_store.connection, members))
    place_of = _rank_documents_in_files(open_store) if in_files else {}
    ordered = []
    for cluster in clusters:
        original = min(cluster, key=lambda number: place_of.get(number, len(place_of)))
        ordered.append([original, *(number for number in cluster if number != original)])
    return ordered


def _rank_documents_in_files(open_store: OpenedStore) -> dict[int, int]:
    """Return the place of every document in a file by its id, 0 for the best original.

    All of them are ranked, since a folder is judged by everything in it.
    """
    numbers: list[int] = []
    rows: list[_RankedFile] = []
    last_id = -1
    while True:
        with open_store.read_transaction():
            page = document_table.read_next_rows(
                open_store.connection, after_id=last_id, max_rows=document_table.AT_ONCE
            )
            files = sync.read_files_of_documents(open_store.connection, (row.id for row in page))
        if not page:
            break
        last_id = page[-1].id
        for row in page:
            if row.id in files:
                source = files[row.id].path
                numbers.append(row.id)
                rows.append(_stat_file_of_document(source, row.digest, row.bytes_digest))
    documents = pa.Table.from_pylist([row._asdict() for row in rows], _SCHEMA)
    documents = documents.append_column("doc", pa.array(range(len(rows)), pa.int64()))
    order = ranking.order_documents_best_first(documents, [ORIGINAL]).to_pylist()
    return {numbers[doc]: place for place, doc in enumerate(order)}


def _stat_file_of_document(
    source: str, digest: bytes | None, bytes_digest: bytes | None
) -> _RankedFile:
    """Return what the ranking knows of a document; one whose file is gone has no time."""
    file, last_change = source, None
    for name in (source, *enclosing_sources(source)):
        try:
            status = os.stat(unescape_source_name(name))
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            file, last_change = name, status.st_mtime_ns // 1000
            break
    return _RankedFile(
        source=source, file=file, digest=digest, bytes_digest=bytes_digest, modified=last_change
    )
