"""What tests of stores share."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from ilk import arrow
from ilk.store import Store, records
from ilk.store.db import document_table, settings

LONG = " ".join(f"word{number}" for number in range(200))
OTHER = " ".join(f"other{number}" for number in range(200))


@contextlib.contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as SQLite sees it, to be damaged."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def put_fingerprints(store: Store, values: pa.Array, sources: Sequence[str] = ()) -> range:
    """Store documents known only by their fingerprints, as the format allows; return their ids."""
    opened, now = store._open_store, records.now_in_microseconds()
    with opened.write_transaction():
        first = settings.read_counter(opened.connection, "next_id")
        ids = range(first, first + len(values))
        settings.write_setting_or_counter(opened.connection, "next_id", ids.stop)
        settings.add_to_document_count(opened.connection, len(ids))
        names = [*sources, *[None] * (len(ids) - len(sources))]
        stored = zip(
            ids, names, arrow.reinterpret_as_signed_unless_wide(values).to_pylist(), strict=True
        )
        nothing = (None, None, None, None)
        rows = (
            records.StoredRow(id_, name, *nothing, value, *nothing, now, now)
            for id_, name, value in stored
        )
        document_table.insert_or_replace_rows(opened.connection, rows)
        opened.index.add(pa.array(ids, pa.int64()), values, evidence_by_id={})
    return ids
