"""A store whose documents have ids from their clients.

Such an id is kept in the metadata, under ``id``, where ``ilk store add --id`` also puts it, so it
is written, exported and removed with the document. An index of the file finds it. An id cannot
consist only of digits: it would look like the store's number.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import IdError, IdTaken, OptionError
from ilk.store import checkin, counting, incoming, kin, records, tracked
from ilk.store.checkin import Added
from ilk.store.db import file, tables
from ilk.store.incoming import Incoming
from ilk.store.opened import Opened
from ilk.store.records import Record
from ilk.store.store import Store

#: The key of the metadata.
KEY = "id"

#: The longest id, in characters.
LONGEST = 500

#: Which documents have such an id, and the id.
_WHERE = f"json_type(metadata, '$.{KEY}') = 'text'"
_ID = f"json_extract(metadata, '$.{KEY}')"


@dataclass(frozen=True, slots=True)
class Entering:
    """A document to add.

    Attributes:
        text: its text, or the path of a file.
        id: its id from the client; if None, it has only the store's number.
        source, title, metadata: as for ``Store.add``.
    """

    text: str | os.PathLike[str]
    id: str | None = None
    source: str | None = None
    title: str | None = None
    metadata: Mapping[str, Any] | None = None


class NamedStore(Store):
    """A store whose documents are named by ids from clients, or else by their numbers."""

    def __init__(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Open it like ``Store``, and make sure that the index of ids exists."""
        super().__init__(path, **options)
        with self._opened.looking():
            query = "SELECT 1 FROM sqlite_schema WHERE name = 'own_ids'"
            there = self._opened.connection.execute(query).fetchone()
        if not there:
            with self._opened.writing():
                self._opened.connection.execute(
                    f"CREATE INDEX IF NOT EXISTS own_ids ON documents ({_ID}) WHERE {_WHERE}"
                )

    def number(self, id_: str) -> int:
        """Return the number of the document that a client means.

        Raises:
            IdError: there is no such document.
        """
        with self._opened.looking():
            if _is_number(id_):
                number = int(id_[:20])  # No number has this many digits.
                found = number if tables.exists(self._opened.connection, number) else None
            else:
                found = _find(self._opened.connection, id_)
        if found is None:
            raise IdError(f"no document has the id {id_!r}.")
        return found

    def ids(self, numbers: Iterable[int]) -> dict[int, int | str]:
        """Return the clients' ids of some documents, by number."""
        wanted = set(numbers)
        with self._opened.looking():
            rows = self._opened.connection.execute(
                f"SELECT id, {_ID} FROM documents WHERE {_WHERE} "
                "AND id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(wanted)),),
            )
            own = {number: id_ for number, id_ in rows if not _is_number(id_)}
        return {number: own.get(number, number) for number in wanted}

    def records(self, after: int, most: int) -> list[Record]:
        """Return at most that many documents with numbers above one, in their order."""
        with self._opened.looking():
            rows = tables.after(self._opened.connection, after, most)
        return [records.record(row) for row in rows]

    def enter(self, documents: Sequence[Entering], on_duplicate: str = "report") -> list[Added]:
        """Check in documents, all of them or none.

        Raises:
            IdTaken: a stored document, or another one of these, has the same id.
            OptionError: an argument is not valid.
            SourceNotFound, NothingRead: a file is missing, or cannot be read.
        """
        own = [checked_id(each.id) for each in documents if each.id is not None]
        prepared = _prepared(self._opened, documents)
        with self._opened.writing():
            _refuse_taken(self._opened.connection, own)
            return checkin.add(self._opened, prepared, on_duplicate)

    def measured(self, clusters: Sequence[Sequence[int]]) -> dict[int, tuple[str, float | None]]:
        """Return for each member of some clusters its verdict and its resemblance to the keeper.

        Args:
            clusters: from ``clusters``.
        """
        with self._opened.looking():
            return kin.measured(self._opened, clusters)

    def files(self, numbers: Iterable[int]) -> dict[int, tuple[str, int]]:
        """Return the paths and sizes of the files that some documents were last read from."""
        with self._opened.looking():
            return tracked.of_documents(self._opened.connection, numbers)

    def arrivals(self) -> list[tuple[int, int]]:
        """Return hours since 1970 in which documents came, ascending, and how many.

        It reads all documents, over its own connection, so nobody waits for it.
        """
        with self._aside() as connection:
            return counting.arrivals(connection)

    @contextlib.contextmanager
    def _aside(self) -> Iterator[sqlite3.Connection]:
        connection = file.connect(self.path, create=False, timeout=file.TIMEOUT)
        with contextlib.closing(connection), file.translated(self.path):
            yield connection

    def change(self, id_: str, **changes: Any) -> Added:
        """Change a document, whose id stays; arguments and errors as for ``Store.update``."""
        number = self.number(id_)
        if "metadata" in changes:
            own = self[number].metadata.get(KEY)
            kept = {} if own is None else {KEY: own}
            changes["metadata"] = {**_plain(changes["metadata"]), **kept}
        return self.update(number, **changes)


def checked_id(id_: object) -> str:
    """Return an id from a client, checked.

    Raises:
        OptionError: it cannot be an id.
    """
    if not isinstance(id_, str) or not 0 < len(id_) <= LONGEST:
        raise OptionError(f"an id must be a string of 1 to {LONGEST} characters.")
    if _is_number(id_):
        raise OptionError(
            f"the id {id_!r} looks like one of the store's own numbers; put a letter before it, "
            f"such as {'n' + id_!r}."
        )
    if id_ in (".", "..") or not id_.isprintable():
        raise OptionError(f"the id {id_!r} cannot be part of an address; choose another one.")
    return id_


def _is_number(id_: str) -> bool:
    """Return whether an id consists only of digits."""
    return id_.isascii() and id_.isdigit()


def _find(connection: sqlite3.Connection, id_: str) -> int | None:
    query = f"SELECT min(id) FROM documents WHERE {_ID} = ? AND {_WHERE}"
    found = connection.execute(query, (id_.encode("utf-8", "backslashreplace").decode(),))
    number: int | None = found.fetchone()[0]
    return number


def _refuse_taken(connection: sqlite3.Connection, ids: Collection[str]) -> None:
    """Refuse ids that stored documents, or two of these, have.

    Raises:
        IdTaken: for the first of them.
    """
    seen: set[str] = set()
    for id_ in ids:
        if id_ in seen or _find(connection, id_) is not None:
            raise IdTaken(f"a document already has the id {id_!r}; change it (PUT), or remove it.")
        seen.add(id_)


def _plain(metadata: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return metadata, which must not contain an id.

    Raises:
        OptionError: they do, or are not a mapping.
    """
    if metadata is not None and not isinstance(metadata, Mapping):
        raise OptionError(f"metadata is {type(metadata).__name__}; it must be a dict.")
    if metadata and KEY in metadata:
        raise OptionError(
            f"metadata names {KEY!r}, which is reserved for the document's id; give it as `id`."
        )
    return metadata or {}


def _written(one: Entering) -> str | None:
    """Return the metadata of a document with its id in them."""
    metadata = dict(_plain(one.metadata))
    if one.id is not None:
        metadata[KEY] = one.id
    return records.written_metadata(metadata) if metadata else None


def _prepared(opened: Opened, documents: Sequence[Entering]) -> Incoming:
    """Prepare documents: one of any kind, or texts."""
    if len(documents) == 1:
        one = documents[0]
        text = [one.text] if isinstance(one.text, str) else one.text
        title = records.written_name(one.title, "title")
        return incoming.one(opened, text, one.source, title, _written(one))
    names = {
        "source": [records.written_name(one.source, "source") for one in documents],
        "title": [records.written_name(one.title, "title") for one in documents],
        "metadata": [_written(one) for one in documents],
    }
    texts = arrow.texts([os.fspath(one.text) for one in documents])
    written = {name: pa.array(values, pa.string()) for name, values in names.items()}
    return incoming.of_table(opened, pa.table({"text": texts, **written}))
