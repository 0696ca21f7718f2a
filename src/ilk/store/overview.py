"""A store as a whole: how much it holds, when it came, and all of it as a table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk.store.db import contents, file, segments, tables
from ilk.store.db.settings import Settings, number
from ilk.store.opened import Opened

#: Microseconds.
_HOUR = 3_600_000_000

#: Documents to read at once, perhaps with their texts.
_AT_ONCE = 1024


def stats(opened: Opened) -> dict[str, Any]:
    """Return counts and sizes of an open store, and its settings, as plain values."""
    connection, settings = opened.connection, opened.settings

    def counted(what: str) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0])

    clusters = tables.clusters(connection)
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return {
        "documents": number(connection, "documents"),
        "copies": counted("documents WHERE copy_of IS NOT NULL"),
        "without_fingerprint": counted("documents WHERE reason IS NOT NULL"),
        "with_evidence": counted("evidence"),
        "with_text": counted("texts"),
        "clusters": len(clusters),
        "in_clusters": sum(map(len, clusters)),
        "files": counted("files"),
        "bytes": pages * size,
        "bytes_free": free * size,
        "index_bytes": segments.size_in_bytes(connection),
        "transactions": number(connection, "generation"),
        "recipe": str(settings.recipe),
        "radius": settings.radius,
        "resemblance": float(settings.resemblance),
        "shingle": settings.shingle,
        "texts": settings.texts,
        "exact": settings.exact,
        "noise": None if settings.noise is None else float(settings.noise),
        "expected_recall": settings.recall,
        "format": file.VERSION,
    }


def arrivals(connection: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return the hours since 1970 in which documents were added, ascending, and how many."""
    query = f"SELECT added / {_HOUR} AS hour, count(*) FROM documents GROUP BY hour ORDER BY hour"
    return list(connection.execute(query))


def table(opened: Opened) -> pa.RecordBatchReader:
    """Return all documents; ``Store.to_arrow`` explains it."""
    schema = _schema(opened.settings)
    return pa.RecordBatchReader.from_batches(schema, _batches(opened, schema))


def _schema(settings: Settings) -> pa.Schema:
    prints = arrow.stored_values(arrow.fingerprints_of([], settings.recipe.bits)).type
    recipe = {arrow.RECIPE_KEY: str(settings.recipe)}
    names = [pa.field(name, pa.string()) for name in ("source", "title", "metadata")]
    texts = [pa.field("text", pa.large_string())] if settings.texts else []
    return pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            *names,
            *texts,
            pa.field("fingerprint", prints, metadata=recipe),
            pa.field("reason", pa.string()),
            pa.field("digest", pa.binary()),
            pa.field("bytes_digest", pa.binary()),
            pa.field("copy_of", pa.int64()),
            pa.field("keeper", pa.int64()),
            pa.field("duplicate_of", pa.int64()),
            pa.field("added", pa.int64(), nullable=False),
            pa.field("updated", pa.int64(), nullable=False),
        ]
    )


def _batches(opened: Opened, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    last = -1
    while True:
        with opened.looking():
            rows = [row._asdict() for row in tables.after(opened.connection, last, _AT_ONCE)]
            for row in rows if opened.settings.texts else ():
                row["text"] = contents.text(opened.connection, row["id"])
        if not rows:
            return
        yield pa.RecordBatch.from_pylist(rows, schema)
        last = rows[-1]["id"]
