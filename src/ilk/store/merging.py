"""Stores made into one, from what they keep of each text: the texts are not needed."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from ilk.base.errors import IdTaken, OptionError, OutputError, RecipeMismatch
from ilk.store import checkin, history, sync
from ilk.store.db import contents, document_table, file, settings
from ilk.store.incoming import IncomingDocument
from ilk.store.matching import TextToCompare
from ilk.store.opened import OpenedStore
from ilk.store.records import StoredRow

#: Documents to take over at a time, with their evidence.
_AT_ONCE = 1 << 14

#: Names of a kind that an error lists.
_NAMED = 3


class Merged(NamedTuple):
    """What a merged store holds.

    Attributes:
        documents: how many.
        first_numbers: what was added to the numbers of the documents of each store.
        shared_sources: how many sources are in more than one of the stores.
    """

    documents: int
    first_numbers: list[int]
    shared_sources: int


def merge_stores(stores: Sequence[OpenedStore], path: Path, jobs: int) -> Merged:
    """Write a new store with the documents of others, in this order.

    The documents of the first keep their numbers; those of the next follow. The file appears
    complete or not at all.

    Raises:
        RecipeMismatch, OptionError: the stores were not made alike, or one is named twice, or two
            were synchronised with one file.
        IdTaken: documents of two of them have one id of a client.
        OutputError: the file exists, or cannot be written.
    """
    for one, other in combinations(stores, 2):
        if os.path.samefile(one.path, other.path):
            raise OptionError(f"{one.path} and {other.path} are one store; name each once.")
        _refuse_different_settings(one, other)
    if os.path.lexists(path):
        raise OutputError(f"cannot write {path}: it already exists. Choose another name.")
    with contextlib.ExitStack() as stack:
        # Each is read as it is now, whoever writes to it meanwhile.
        for one in stores:
            stack.enter_context(one.read_transaction())
        for one, other in combinations(stores, 2):
            _refuse_shared_ids_and_files(one, other)
        folder = stack.enter_context(_make_temporary_folder_beside(path))
        temporary = Path(folder, "merged.ilk")
        connection = file.open_or_create_file_unchecked(
            temporary, create_if_missing=True, timeout_seconds=file.TIMEOUT
        )
        stack.enter_context(contextlib.closing(connection))
        file.make_tables_and_settings_if_missing(connection, stores[0].settings)
        made = OpenedStore(temporary, connection, stores[0].settings, jobs)
        with made.write_transaction():
            first_numbers = [_copy_store_and_return_number_shift(made, one) for one in stores]
            shared = _count_shared_sources(made, first_numbers)
            documents = settings.read_counter(connection, "documents")
        shutil.copymode(stores[0].path, temporary)
        file.copy_to_new_file(connection, temporary, path)
    return Merged(documents, first_numbers, shared)


@contextlib.contextmanager
def _make_temporary_folder_beside(path: Path) -> Iterator[str]:
    try:
        folder = tempfile.TemporaryDirectory(prefix=".ilk.", dir=path.parent)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}.") from error
    with folder as name:
        yield name


def _refuse_different_settings(store: OpenedStore, other_store: OpenedStore) -> None:
    for field in fields(store.settings):
        ours, theirs = (getattr(each.settings, field.name) for each in (store, other_store))
        if ours == theirs:
            continue
        error = RecipeMismatch if field.name == "recipe" else OptionError
        raise error(
            f"{store.path} was made with {field.name}={file.format_setting(ours)}, and "
            f"{other_store.path} with {field.name}={file.format_setting(theirs)}; stores "
            "can be merged if they were made alike. If the second keeps texts, `ilk store export` "
            "and `import` add its documents to a store of the other kind."
        )


def _refuse_shared_ids_and_files(store: OpenedStore, other_store: OpenedStore) -> None:
    """Refuse what one store has only once: ids of clients, and files of a folder."""
    ours, theirs = (
        document_table.read_client_ids(each.connection) for each in (store, other_store)
    )
    if twice := sorted(ours & theirs):
        raise IdTaken(
            f"documents of {store.path} and of {other_store.path} have the same "
            f"{_list_first_names('id', twice)}. Change or remove them in one of the two."
        )
    ours, theirs = (
        sync.read_paths_of_tracked_files(each.connection) for each in (store, other_store)
    )
    if twice := sorted(ours & theirs):
        raise OptionError(
            f"{store.path} and {other_store.path} were synchronised with the same "
            f"{_list_first_names('file', twice)}. Remove these documents from one of the two."
        )


def _list_first_names(noun: str, names: Sequence[str]) -> str:
    """Return a few of the names as text, and how many more there are."""
    if len(names) == 1:
        return f"{noun}: {names[0]!r}"
    more = f", and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{noun}s: {', '.join(map(repr, names[:_NAMED]))}{more}"


def _copy_store_and_return_number_shift(target: OpenedStore, store: OpenedStore) -> int:
    """Add the documents of a store to another one, with their history, batches, links and tracked
    files; return what was added to their numbers.
    """
    shift = settings.read_counter(target.connection, "next_id")
    settings.write_setting_or_counter(
        target.connection, "next_id", shift + settings.read_counter(store.connection, "next_id")
    )
    history.copy_history(to=target.connection, source=store.connection, number_shift=shift)
    for key, first_id in settings.read_first_ids_of_batches(store.connection).items():
        # A batch that both stores hold counts from where it came first.
        if settings.find_first_id_of_batch_or_none(target.connection, key) is None:
            settings.write_first_id_of_batch(target.connection, key, shift + first_id)
    links: dict[int, int | None] = {}
    last = -1
    while rows := document_table.read_next_rows(store.connection, after_id=last, max_rows=_AT_ONCE):
        last = rows[-1].id
        ids = [shift + row.id for row in rows]
        checkin.add_documents_with_ids(
            target, ids, _read_documents_as_incoming_without_links(store, rows)
        )
        links |= {
            shift + row.id: shift + row.duplicate_of for row in rows if row.duplicate_of is not None
        }
    # At last, since a document may be linked to a later one.
    document_table.write_changed_references(target.connection, "duplicate_of", links)
    sync.copy_tracked_files(to=target.connection, source=store.connection, number_shift=shift)
    return shift


def _read_documents_as_incoming_without_links(
    store: OpenedStore, rows: Sequence[StoredRow]
) -> list[IncomingDocument]:
    """Return stored documents as they came in."""
    evidence_by_id = contents.read_evidence_if_any(
        store.connection, {row.representative_id for row in rows}
    )
    documents = []
    for row in rows:
        has_text = store.settings.texts and row.digest is not None
        text = contents.read_text_if_kept(store.connection, row.id, missing_is_damage=has_text)
        text_to_align = text if store.settings.noise is not None else None
        evidence = evidence_by_id.get(row.representative_id)
        subject = TextToCompare(
            fingerprint=row.fingerprint,
            digest=row.digest,
            bytes_digest=None,
            evidence=evidence,
            text=text_to_align,
        )
        documents.append(
            IncomingDocument(
                subject=subject.with_bytes_digest(row.bytes_digest),
                source=row.source,
                title=row.title,
                metadata=row.metadata,
                reason=row.reason,
                text=text,
                added=row.added,
            )
        )
    return documents


def _count_shared_sources(merged_store: OpenedStore, first_numbers: Sequence[int]) -> int:
    store = " + ".join(f"(id >= {int(first)})" for first in first_numbers)
    query = (
        "SELECT count(*) FROM (SELECT 1 FROM documents WHERE source IS NOT NULL GROUP BY source "
        f"HAVING min({store}) < max({store}))"
    )
    return int(merged_store.connection.execute(query).fetchone()[0])
