"""The history of a document: when its text came, changed and went.

Its row says when it came. Whatever happens to its text later is a row of the table ``history``,
which only grows. A removed document leaves its name there (its client's id, or else its source), so
that the next document of this name shows when the former one came and went; and its number, so that
a missing row is damage if the document was not removed.
"""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from ilk.search.evidence import Thresholds, select_pairs_not_different
from ilk.store import records
from ilk.store.db import contents, document_table, lookups
from ilk.store.incoming import IncomingDocument
from ilk.store.opened import OpenedStore
from ilk.store.records import DamageIfAny, StoredRow

#: What may happen to a text.
ADDED, CHANGED, REMOVED = "added", "changed", "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened to the text of a document.

    Attributes:
        document: its number; another one for a former document of the same name.
        what: ``added``, ``changed`` or ``removed``.
        when: the time.
        digest: of the text before; None if there was none.
        resemblance: of the texts before and after a change; None if it is not known.
    """

    document: int
    what: str
    when: datetime.datetime
    digest: bytes | None
    resemblance: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the event as plain values for JSON, as those of a record."""
        return records.values_for_json(asdict(self))


class _Entry(NamedTuple):
    document: int
    name: str | None
    what: str
    moment: int
    digest: bytes | None
    resemblance: float | None


_COLUMNS = ", ".join(_Entry._fields)


def read_events_of_document_and_removed_namesakes(
    connection: sqlite3.Connection, row: StoredRow
) -> list[Event]:
    """Return what happened to the text of a document, and before that to removed ones with its
    name, in order.
    """
    former = lookups.select_rows_by_index(
        connection, "names", "document", where="name = ?", parameters=(_client_id_or_source(row),)
    )
    ids = lookups.list_parameter({row.id, *(id_ for (id_,) in former)})
    columns, where = f"{_COLUMNS}, checksum", f"document {lookups.AMONG}"
    events = list(
        map(
            _check_entry,
            lookups.select_rows_by_index(
                connection, "events", columns, where=where, parameters=ids
            ),
        )
    )
    events.append(
        _Entry(
            document=row.id, name=None, what=ADDED, moment=row.added, digest=None, resemblance=None
        )
    )
    # Their order is that of their numbers, whatever the clock said; only coming is noted late.
    events.sort(key=lambda one: (one.document, one.what != ADDED))
    return [
        Event(
            document=one.document,
            what=one.what,
            when=records.datetime_of(one.moment),
            digest=one.digest,
            resemblance=one.resemblance,
        )
        for one in events
    ]


def write_events_of_changed_bytes_or_texts(
    open_store: OpenedStore, incoming_by_id: Mapping[int, IncomingDocument]
) -> None:
    """Write which stored documents are about to get another text, and how much it resembles the
    stored one.
    """
    changed_rows = []
    for row in document_table.read_rows_unless_removed(
        open_store.connection, incoming_by_id
    ).values():
        subject = incoming_by_id[row.id].subject
        if (row.bytes_digest, row.digest) != (subject.bytes_digest, subject.digest):
            changed_rows.append(row)
    stored = contents.read_rows_with_evidence(
        open_store.connection, {row.representative_id for row in changed_rows}
    )
    texts = [stored[row.representative_id].own_evidence for row in changed_rows] + [
        incoming_by_id[row.id].subject.evidence for row in changed_rows
    ]
    count, now = len(changed_rows), records.now_in_microseconds()
    places = range(count)
    judged = select_pairs_not_different(
        texts, places, [count + at for at in places], Thresholds(None, None)
    )
    alike = {one.place: one.resemblance for one in judged}
    entries = (
        _Entry(
            document=row.id,
            name=None,
            what=CHANGED,
            moment=now,
            digest=row.digest,
            resemblance=alike.get(at),
        )
        for at, row in enumerate(changed_rows)
    )
    _write_entries(open_store.connection, entries)


def write_arrival_and_removal_events(open_store: OpenedStore, ids_to_remove: Iterable[int]) -> None:
    """Write when documents came, and that they are about to be removed."""
    now = records.now_in_microseconds()
    entries = []
    for row in document_table.read_rows_unless_removed(
        open_store.connection, ids_to_remove
    ).values():
        entries.append(
            _Entry(
                document=row.id,
                name=_client_id_or_source(row),
                what=ADDED,
                moment=row.added,
                digest=None,
                resemblance=None,
            )
        )
        entries.append(
            _Entry(
                document=row.id,
                name=_client_id_or_source(row),
                what=REMOVED,
                moment=now,
                digest=row.digest,
                resemblance=None,
            )
        )
    _write_entries(open_store.connection, entries)


def copy_history(*, to: sqlite3.Connection, source: sqlite3.Connection, number_shift: int) -> None:
    """Write the history of one store into another one, with the number of each document raised."""
    entries = map(_check_entry, source.execute(f"SELECT {_COLUMNS}, checksum FROM history"))
    _write_entries(to, (one._replace(document=number_shift + one.document) for one in entries))


def find_damage_of_each_entry(connection: sqlite3.Connection) -> Iterator[DamageIfAny]:
    """Yield for every entry None, or what is wrong with it."""
    for values in connection.execute(f"SELECT {_COLUMNS}, checksum FROM history"):
        yield records.damage_of_row_if_any(_check_entry, values)


def _write_entries(connection: sqlite3.Connection, entries: Iterable[_Entry]) -> None:
    connection.executemany(
        f"INSERT INTO history ({_COLUMNS}, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((*one, records.checksum(one)) for one in entries),
    )


def _check_entry(values: tuple[Any, ...]) -> _Entry:
    return _Entry(*records.check_checksum(values, f"the history of document {values[0]}"))


def _client_id_or_source(row: StoredRow) -> str | None:
    """Return the name under which a document's history is found again; None if it has none."""
    return row.client_id or row.source
