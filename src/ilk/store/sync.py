"""Synchronisation with a folder: what was added, changed, moved and removed since the last time.

A file with the same size, time of change and inode is not read again, unless texts are extracted in
another way, or it had just changed when it was read; a file that is read again and has the same
text has not changed. The time of change is the system's own, which no program can set back: a file
that was written over in place, with its old time of writing, is read again. A new file that was
moved is recognised by its bytes. Documents in a file, such as an archive or a mailbox, count as
changed if that file has.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from ilk.base import portable
from ilk.base.errors import OptionError
from ilk.base.progress import Step, expect_steps_if_meter
from ilk.base.run_options import ALONE
from ilk.read import Progress, Reading, ReadReport
from ilk.read.files.content import enclosing_sources, source_name, unescape_source_name
from ilk.read.folders import list_files_except_unnamed_binary_rows, read_documents_of_files
from ilk.read.rows.kinds import row_extension_except_json_or_none
from ilk.store import checkin, records
from ilk.store.checkin import Added
from ilk.store.db import contents, document_table, lookups
from ilk.store.incoming import IncomingDocument, prepare_documents
from ilk.store.opened import OpenedStore
from ilk.store.records import DamageIfAny, StoredRow

#: The default way to get texts; within how many nanoseconds two changes may have one time (FAT).
_NONE, _TICK = "none", 2 * 10**9


class FileWithMatches(NamedTuple):
    """A new or changed file, and what it is like."""

    source: str
    added: Added


class MovedFile(NamedTuple):
    """A file with a new name."""

    was: str | None
    source: str


@dataclass(slots=True)
class Synced:
    """What happened to the files of a folder since the last time.

    Attributes:
        new, changed: with what each is like; a new file may be like an earlier new one.
        moved: files that were found under another name, by their bytes.
        vanished: the names of removed files, whose documents were removed too.
        unchanged: how many stayed as they were.
    """

    new: list[FileWithMatches] = field(default_factory=list)
    changed: list[FileWithMatches] = field(default_factory=list)
    moved: list[MovedFile] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)
    unchanged: int = 0


class TrackedFile(NamedTuple):
    """A file.

    Attributes:
        path: its absolute path, as text.
        size, modified, inode: how it looked: bytes, when it last changed (``change_time_ns``; in
            stores of former versions, when it was last written), its number; all are -1 if it could
            not be examined, and the time if it might change again without showing it.
        extract: how its text was extracted (``Reading.extraction_as_json_unless_default``).
        document: the document in it; -1 if that is not known yet.
    """

    path: str
    size: int
    modified: int
    inode: int
    extract: str = _NONE
    document: int = -1

    @property
    def state_to_compare(self) -> tuple[int, int, int, str]:
        """Size, time, inode and extraction: a file with the same ones is not read again."""
        return self.size, self.modified, self.inode, self.extract


_COLUMNS = ", ".join([*TrackedFile._fields, "checksum"])

#: Files by their paths.
_Files: TypeAlias = dict[str, TrackedFile]


def sync(
    open_store: OpenedStore,
    folder: str | os.PathLike[str],
    reading: Reading,
    *,
    tally: ReadReport,
    progress: Progress,
) -> Synced:
    """Synchronise the store with a folder; ``Store.sync`` explains the arguments."""
    if row_extension_except_json_or_none(name := os.fsdecode(folder)) and os.path.isfile(folder):
        raise OptionError(
            f"{name} holds rows, and a store is synchronised with documents. Add the "
            "rows: ilk store add"
        )
    tally.rows_by = "to add their rows, name them to ilk store add"
    listed = list_files_except_unnamed_binary_rows([folder], reading, tally)
    files = {source_name(file.path): file for file in listed}
    store_path = source_name(os.path.abspath(open_store.path))
    extraction = reading.extraction_as_json_unless_default()
    present_files = {
        name: tracked
        for name, file in files.items()
        if (tracked := _examine_file(file.path, extraction)).path
        not in (store_path, store_path + "-wal", store_path + "-shm")
    }
    with open_store.read_transaction():
        known_files = _read_tracked_at_or_below(
            open_store.connection, source_name(os.path.abspath(folder))
        )
    documents_of = _group_known_documents_by_present_file(known_files, present_files.values())
    # What looks the same, and is extracted in the same way, is not read again.
    fresh_files = {
        name: file
        for name, file in present_files.items()
        if {document.state_to_compare for document in documents_of[file.path]}
        != {file.state_to_compare}
        or file.modified == -1
    }
    unread_names = present_files.keys() - fresh_files.keys()
    outcome = Synced(
        unchanged=sum(len(documents_of[present_files[name].path]) for name in unread_names)
    )
    missing_files = _find_vanished_documents(known_files, documents_of, tally)
    expect_steps_if_meter(progress, Step("read", 1.0))
    running = replace(ALONE, jobs=open_store.jobs, tell=progress)
    with_cache = reading.with_default_cache(open_store.cache_folder)
    read_sources: set[str] = set()
    for batch in read_documents_of_files(
        [files[name] for name in fresh_files], with_cache, running=running, tally=tally
    ):
        incoming = prepare_documents(open_store, batch)
        read_sources.update(batch["source"].to_pylist())
        with open_store.write_transaction():
            _store_files_and_update_outcome_and_lists(
                open_store,
                incoming,
                fresh_files=fresh_files,
                known_files=known_files,
                missing_files=missing_files,
                outcome=outcome,
            )
    # A former document that is now of another type counts as removed, or is no longer in its file.
    read_paths = {
        file.path
        for source in read_sources
        if (file := _find_fresh_file_or_none(source, fresh_files))
    }
    failed_paths = {
        file.path
        for failure in tally.failures
        if (file := _find_fresh_file_or_none(failure.source, fresh_files))
    }
    for fresh_file in fresh_files.values():
        for document in documents_of[fresh_file.path]:
            paths = (document.path, *enclosing_sources(document.path))
            if document.path not in read_paths and failed_paths.isdisjoint(paths):
                missing_files[document.path] = document
    if missing_files:
        with open_store.write_transaction():
            _refresh_known_and_missing_files(open_store, known_files, missing_files)
            rows = document_table.read_rows_unless_removed(
                open_store.connection, {one.document for one in missing_files.values()}
            )
            where = f"path {lookups.AMONG}"
            lookups.delete_rows_by_index(
                open_store.connection, "paths", where, lookups.list_parameter(missing_files)
            )
            checkin.remove_existing_documents(open_store, sorted(rows))
            outcome.vanished += sorted(row.source or "" for row in rows.values())
    return outcome


def _group_known_documents_by_present_file(
    known_files: Mapping[str, TrackedFile], present_files: Iterable[TrackedFile]
) -> defaultdict[str, list[TrackedFile]]:
    """Return the known documents by the path of the present file that is or holds each; those that
    no present file holds are left out.
    """
    present_paths = {one.path for one in present_files}
    documents_of: defaultdict[str, list[TrackedFile]] = defaultdict(list)
    for path, document in known_files.items():
        for name in chain((path,), enclosing_sources(path)):
            if name in present_paths:
                documents_of[name].append(document)
                break
    return documents_of


def _find_fresh_file_or_none(
    source: str, fresh_files: Mapping[str, TrackedFile]
) -> TrackedFile | None:
    """Return the file with this source, or the file that holds it under the path of the member;
    None if it is not fresh.
    """
    if source in fresh_files:
        return fresh_files[source]
    for name in enclosing_sources(source):
        if name in fresh_files:
            file = fresh_files[name]
            return file._replace(path=file.path + source[len(name) :])
    return None


def _find_vanished_documents(
    known_files: Mapping[str, TrackedFile],
    documents_of: Mapping[str, list[TrackedFile]],
    tally: ReadReport,
) -> dict[str, TrackedFile]:
    """Return the known documents whose file is gone from the disk, by path; those below a folder or
    in a file that could not be read are left out.
    """
    present_paths = {one.path for documents in documents_of.values() for one in documents}
    unread_paths = {os.path.abspath(failure.source) for failure in tally.failures}
    vanished_documents = {}
    for path, document in known_files.items():
        prefixes = [path[:at] for at, c in enumerate(path + "/") if c in "/!#"]
        if path in present_paths or not unread_paths.isdisjoint(prefixes):
            continue
        # What is there, but was not asked for this time, is not gone.
        names = map(unescape_source_name, prefixes)
        if not any(os.path.isfile(name) and not os.path.islink(name) for name in names):
            vanished_documents[path] = document
    return vanished_documents


def _store_files_and_update_outcome_and_lists(
    open_store: OpenedStore,
    incoming: Sequence[IncomingDocument],
    *,
    fresh_files: Mapping[str, TrackedFile],
    known_files: _Files,
    missing_files: _Files,
    outcome: Synced,
) -> None:
    """Store the documents of files that were read; some are known, under this name or another one.

    What was done is added to the outcome. Known files become those that the store now has, and a
    file that was moved is not missing.
    """
    files = [
        file
        for one in incoming
        if (file := _find_fresh_file_or_none(one.source or "", fresh_files))
    ]
    _refresh_known_and_missing_files(
        open_store, known_files, missing_files, (file.path for file in files)
    )
    rows = document_table.read_rows_unless_removed(
        open_store.connection, {one.document for one in known_files.values()}
    )
    # Moved files are found among those that are missing from their place.
    missing_path_of = {
        (rows[one.document].bytes_digest, one.extract): path
        for path, one in missing_files.items()
        if one.document in rows
    }
    new: list[tuple[TrackedFile, IncomingDocument]] = []
    changed_files: list[tuple[TrackedFile, IncomingDocument]] = []
    changed_by_id: dict[int, IncomingDocument] = {}
    id_of: dict[TrackedFile, int | None] = {}
    for document, file in zip(incoming, files, strict=True):
        known_file = known_files.get(file.path)
        row = None if known_file is None else rows.get(known_file.document)
        bytes_digest = document.subject.bytes_digest
        old_path = None
        if row is None and bytes_digest is not None:
            old_path = missing_path_of.pop((bytes_digest, file.extract), None)
        if row is not None and _is_content_unchanged(open_store, row, document):
            id_of[file] = row.id
            outcome.unchanged += 1
        elif row is not None:
            # What a document declares stands where nothing is stored.
            title = document.title if row.title is None else row.title
            metadata = document.metadata if row.metadata is None else row.metadata
            names = row._replace(source=document.source, title=title, metadata=metadata)
            changed_files.append((file, document))
            changed_by_id[row.id] = document.with_names_time_and_link_of(names)
        elif old_path is not None:
            old = rows[missing_files.pop(old_path).document]
            id_of[file] = old.id
            renamed = old._replace(source=document.source, updated=records.now_in_microseconds())
            document_table.insert_or_replace_rows(open_store.connection, [renamed])
            lookups.delete_rows_by_index(open_store.connection, "paths", "path = ?", (old_path,))
            outcome.moved.append(MovedFile(old.source, document.source or ""))
        else:
            new.append((file, document))
    replaced = checkin.replace_existing_documents(open_store, changed_by_id)
    added = checkin.add_documents(open_store, [document for _, document in new], "report")
    for with_matches, pairs, results in (
        (outcome.changed, changed_files, replaced),
        (outcome.new, new, added),
    ):
        for (file, document), result in zip(pairs, results, strict=True):
            with_matches.append(FileWithMatches(document.source or "", result))
            id_of[file] = result.id
    _write_files(
        open_store.connection,
        (file._replace(document=id_) for file, id_ in id_of.items() if id_ is not None),
    )


def _is_content_unchanged(
    open_store: OpenedStore, row: StoredRow, document: IncomingDocument
) -> bool:
    """Return whether a document has the bytes and the text of a stored one, as far as the store
    keeps them.
    """
    subject = document.subject
    if (row.bytes_digest, row.digest) != (subject.bytes_digest, subject.digest):
        return False
    has_text = open_store.settings.texts and row.digest is not None
    text = contents.read_text_if_kept(open_store.connection, row.id, missing_is_damage=has_text)
    return text is None or text == document.text


def _write_files(connection: sqlite3.Connection, files: Iterable[TrackedFile]) -> None:
    connection.executemany(
        f"INSERT OR REPLACE INTO files ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        ((*file, records.checksum(file)) for file in files),
    )


def read_paths_of_tracked_files(connection: sqlite3.Connection) -> set[str]:
    """Return the paths of the files that a store was synchronised with."""
    return {
        path
        for (path,) in lookups.select_rows_by_index(
            connection, "paths", "path", where="TRUE", parameters=()
        )
    }


def copy_tracked_files(
    *, to: sqlite3.Connection, source: sqlite3.Connection, number_shift: int
) -> None:
    """Write what one store knows of files into another one, with the document numbers raised."""
    files = map(_check_file_row, source.execute(f"SELECT {_COLUMNS} FROM files"))
    _write_files(to, (one._replace(document=number_shift + one.document) for one in files))


def _refresh_known_and_missing_files(
    open_store: OpenedStore, known_files: _Files, missing_files: _Files, paths: Iterable[str] = ()
) -> None:
    """Read again the files at these paths and the missing ones, which other processes may have
    synchronised meanwhile; those that have changed are not missing.
    """
    stored_files = _read_known_files(
        open_store.connection,
        f"path {lookups.AMONG}",
        lookups.list_parameter([*paths, *missing_files]),
    )
    known_files |= stored_files
    for path in [path for path, one in missing_files.items() if stored_files.get(path) != one]:
        del missing_files[path]


def _examine_file(path: str, extraction: str) -> TrackedFile:
    """Return how a file looks, without its document; sizes and times of -1 if it cannot be seen."""
    name, way = source_name(os.path.abspath(path)), extraction or _NONE
    try:
        status = os.stat(path)
    except OSError:
        # Reading it will show what is wrong.
        return TrackedFile(path=name, size=-1, modified=-1, inode=-1, extract=way)
    inode = status.st_ino & (1 << 63) - 1  # SQLite's numbers have a sign.
    changed = portable.change_time_ns(status)
    settled = abs(time.time_ns() - changed) > _TICK
    return TrackedFile(
        path=name,
        size=status.st_size,
        modified=changed if settled else -1,
        inode=inode,
        extract=way,
    )


def _read_tracked_at_or_below(connection: sqlite3.Connection, path: str) -> _Files:
    folder = path.rstrip("/")
    # The character after a slash is a zero; documents in a file continue with "!/", "#" or "/".
    where = "path = ? OR path > ? AND path < ? OR path > ? AND path < ? OR path > ? AND path < ?"
    bounds = (path, folder + "/", folder + "0", path + "!/", path + "!0", path + "#", path + "$")
    return _read_known_files(connection, where, bounds)


def _read_known_files(connection: sqlite3.Connection, where: str, values: Sequence[str]) -> _Files:
    rows = lookups.select_rows_by_index(
        connection, "paths", _COLUMNS, where=where, parameters=values
    )
    return {file.path: file for file in map(_check_file_row, rows)}


def _check_file_row(values: tuple[Any, ...]) -> TrackedFile:
    return TrackedFile(*records.check_checksum(values, f"what is known of the file {values[0]}"))


def find_damage_of_each_file(connection: sqlite3.Connection) -> Iterator[DamageIfAny]:
    """Yield for every file that is known None, or what is wrong with what is known of it."""
    for values in connection.execute(f"SELECT {_COLUMNS} FROM files"):
        yield records.damage_of_row_if_any(_check_file_row, values)


class DocumentFile(NamedTuple):
    """The path and the size of a file that a document was last read from."""

    path: str
    size: int


def read_files_of_documents(
    connection: sqlite3.Connection, document_ids: Iterable[int]
) -> dict[int, DocumentFile]:
    """Return by document the path and the size of a file that holds it, the first of several;
    documents without one are left out.
    """
    where, parameter = f"document {lookups.AMONG}", lookups.list_parameter(document_ids)
    rows = lookups.select_rows_by_index(
        connection, "holding", _COLUMNS, where=where, parameters=parameter
    )
    # In descending order, so that the first path overwrites the others.
    files = sorted(map(_check_file_row, rows), key=lambda file: file.path, reverse=True)
    return {file.document: DocumentFile(file.path, file.size) for file in files}
