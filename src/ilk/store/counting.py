"""How much a store holds."""

from __future__ import annotations

import sqlite3
from typing import Any

from ilk.store.db import file, tables
from ilk.store.db.settings import number
from ilk.store.opened import Opened

#: Microseconds.
_HOUR = 3_600_000_000


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
        "index_bytes": opened.nominator.nbytes,
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
