"""Ids that clients give their documents.

Such an id is kept in the metadata, under ``id``, where ``ilk store add --id`` also puts it, so it
is written and removed with the document. An index of the file finds it. An id cannot consist only
of digits: it would look like the store's number.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import IdError, IdTaken, OptionError
from ilk.store import incoming, records
from ilk.store.db import tables
from ilk.store.db.file import HAS_ID, ID
from ilk.store.incoming import Incoming
from ilk.store.opened import Opened

#: The key of the metadata.
KEY = "id"

#: The longest id, in characters.
LONGEST = 500


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
    return id_.isascii() and id_.isdigit()


def number(connection: sqlite3.Connection, id_: str) -> int:
    """Return the number of the document with this id, or with this number.

    Raises:
        IdError: there is no such document.
    """
    if _is_number(id_):
        same = int(id_[:20])  # No number has this many digits.
        found = same if tables.exists(connection, same) else None
    else:
        found = _find(connection, id_)
    if found is None:
        raise IdError(f"no document has the id {id_!r}.")
    return found


def of_numbers(connection: sqlite3.Connection, numbers: Collection[int]) -> dict[int, int | str]:
    """Return the ids of some documents, by number; or the number of one without an id."""
    rows = connection.execute(
        f"SELECT id, {ID} FROM documents WHERE {HAS_ID} AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(numbers)),),
    )
    own = {number: id_ for number, id_ in rows if not _is_number(id_)}
    return {number: own.get(number, number) for number in numbers}


def _find(connection: sqlite3.Connection, id_: str) -> int | None:
    query = f"SELECT min(id) FROM documents WHERE {ID} = ? AND {HAS_ID}"
    found = connection.execute(query, (id_.encode("utf-8", "backslashreplace").decode(),))
    number: int | None = found.fetchone()[0]
    return number


def refuse_taken(connection: sqlite3.Connection, ids: Iterable[str]) -> None:
    """Refuse ids that stored documents, or two of these, have.

    Raises:
        IdTaken: for the first of them.
    """
    seen: set[str] = set()
    for id_ in ids:
        if id_ in seen or _find(connection, id_) is not None:
            raise IdTaken(f"a document already has the id {id_!r}; change it (PUT), or remove it.")
        seen.add(id_)


def named(metadata: Mapping[str, Any] | None, id_: str | None) -> dict[str, Any] | None:
    """Return metadata with an id in them; they must not name another one.

    Raises:
        OptionError: they do, or are not a mapping.
    """
    if metadata is not None and not isinstance(metadata, Mapping):
        raise OptionError(f"metadata is {type(metadata).__name__}; it must be a dict.")
    if metadata and KEY in metadata:
        raise OptionError(
            f"metadata names {KEY!r}, which is reserved for the document's id; give it as `id`."
        )
    return {**(metadata or {}), **({} if id_ is None else {KEY: id_})} or None


def prepared(opened: Opened, documents: Sequence[Entering]) -> Incoming:
    """Prepare documents: one of any kind, or texts."""
    metadata = [records.written_metadata(named(each.metadata, each.id)) for each in documents]
    titles = [records.written_name(each.title, "title") for each in documents]
    if len(documents) == 1:
        one = documents[0]
        text = [one.text] if isinstance(one.text, str) else one.text
        return incoming.one(opened, text, one.source, titles[0], metadata[0])
    sources = [records.written_name(each.source, "source") for each in documents]
    names = {"source": sources, "title": titles, "metadata": metadata}
    texts = arrow.texts([os.fspath(each.text) for each in documents])
    written = {name: pa.array(values, pa.string()) for name, values in names.items()}
    return incoming.of_table(opened, pa.table({"text": texts, **written}))
