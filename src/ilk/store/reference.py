"""A store as the reference of a search: only the documents that may be alike are read from it.

So the cost grows with the texts that are asked about, and not with the store.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import NothingRead, OptionError, SourceChanged
from ilk.read.collection import StoredDocuments
from ilk.read.reference import StoredTexts
from ilk.search.evidence import make_text_evidence
from ilk.search.query import Query
from ilk.store import checkin, incoming, matching, records
from ilk.store.db import contents, document_table
from ilk.store.db.settings import read_batch_start, read_number, write_batch_start
from ilk.store.matching import Bounds, Subject
from ilk.store.opened import Opened
from ilk.store.records import StoredRow
from ilk.store.store import Store


def read_alike(
    store: str | os.PathLike[str] | Store,
    texts: Iterable[pa.Array],
    query: Query,
    *,
    exact: bool = False,
    batch: str | None = None,
    jobs: int | None = None,
) -> StoredTexts:
    """Read the documents of a store that may be alike to some texts, in the order of their ids.

    Every stored document is there whose resemblance to a text is at least that of the query. Of
    equal stored texts, the first one stands for all.

    Args:
        store: its path, or an open store, which stays open.
        texts: columns of texts; null for none.
        query: what near-duplicates are.
        exact: whether only equal texts count.
        batch: the key of the batch that the texts are, if they are to be added. If they were added
            before, in a run that was interrupted after that, the store counts as it was then.

    Raises:
        OptionError: the store cannot promise what the query asks for.
        NothingRead: the store has no document with a text.
    """
    if isinstance(store, Store):
        return _read_documents_like(store._opened, texts, query, exact, batch)
    with Store(store, create=False, jobs=jobs) as opened:
        return _read_documents_like(opened._opened, texts, query, exact, batch)


def read_nearest(
    store: str | os.PathLike[str] | Store, document: pa.Table, query: Query
) -> StoredTexts:
    """Read the document of a store that has the greatest resemblance to another one; of several,
    the first one.

    Args:
        store: its path, or an open store, which stays open.
        document: one row of ``DOCUMENTS``.
        query: what counts of a text.

    Raises:
        OptionError: the store keeps no texts, or measures texts in another way.
        NothingRead: the store has no document with a text.
    """
    if isinstance(store, Store):
        return _read_nearest(store._opened, document, query)
    with Store(store, create=False, jobs=1) as opened:
        return _read_nearest(opened._opened, document, query)


def _read_nearest(opened: Opened, document: pa.Table, query: Query) -> StoredTexts:
    _check_keeps_texts(opened, "a store with --texts")
    _check_has_no_part_in(opened, query, ("noise",))
    _check_counts_alike(opened, query)
    _check_has_shingle(opened, query)
    counting, connection = opened.settings.counting, opened.connection
    (kept,) = make_text_evidence(arrow.texts(document["text"]), counting, opened.jobs)
    bytes_digest = document["bytes_digest"][0].as_py() or kept.bytes_digest
    subject = Subject(None, kept.digest, kept.bytes_digest, kept).with_bytes_digest(bytes_digest)
    limits = Bounds.of_query(opened.settings, None, None, None, None, nearest=1)
    with opened.read_transaction():
        found = matching.find_nearest(opened, subject, 1, limits)
        ids = [match.id for match in found] or document_table.ids_with_own_text(connection)[:1]
        if not ids:
            raise NothingRead(f"{opened.path} has no document with a text to compare with.")
        row = document_table.read_row(connection, ids[0])
        return _stored_texts(opened, [row], contents.read_texts(connection, [row.first]))


class TextsOfStore:
    """The documents of a store that have a text, without copies, read page by page.

    Args:
        store: its path, or a store; each page is read from the file, which may be closed.

    Raises:
        OptionError: the store keeps no texts.
    """

    def __init__(self, store: str | os.PathLike[str] | Store) -> None:
        self._path = store.path if isinstance(store, Store) else store
        with self._open_store() as opened, opened.file_snapshot():
            if not opened.settings.texts:
                raise OptionError(
                    f"{opened.path} keeps no texts, and passages are sought in texts. Give the "
                    "documents themselves as the reference (`against`), or make a store with "
                    "--texts."
                )
            self.path = str(opened.path)
            self.generation = read_number(opened.connection, "generation")
            self._ids = document_table.ids_with_own_text(opened.connection)

    def __len__(self) -> int:
        return len(self._ids)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the documents as ``DOCUMENTS``, numbered from 0.

        Raises:
            NothingRead: no document has a text.
            SourceChanged: the store was written to since it was opened.
        """
        if not self._ids:
            raise NothingRead(f"{self.path} has no document with a text to compare with.")
        for ids in self._pages_of_ids():
            yield from StoredDocuments(self._read_page(ids)).batches()

    def texts_read_again(self, rows: pa.BooleanArray | None) -> Iterator[pa.Array]:
        """Yield the texts in order, null for those that are not wanted; None wants all."""
        begin = 0
        for ids in self._pages_of_ids():
            mask = None if rows is None else rows.slice(begin, len(ids))
            begin += len(ids)
            if mask is not None and not mask.true_count:
                yield pa.nulls(len(ids), pa.large_string())
            else:
                yield from StoredDocuments(self._read_page(ids)).texts_read_again(mask)

    def _pages_of_ids(self) -> Iterator[list[int]]:
        for start in range(0, len(self._ids), contents.TEXTS):
            yield self._ids[start : start + contents.TEXTS]

    def _read_page(self, ids: list[int]) -> StoredTexts:
        with self._open_store() as opened, opened.file_snapshot():
            if read_number(opened.connection, "generation") != self.generation:
                raise SourceChanged(
                    f"{self.path} was written to while it was read; run again when nothing adds "
                    "to it."
                )
            return _read_texts(opened, ids)

    @contextmanager
    def _open_store(self) -> Iterator[Opened]:
        with Store(self._path, create=False, jobs=1) as store:
            yield store._opened


def add_batch(
    store: str | os.PathLike[str] | Store,
    documents: Iterable[pa.RecordBatch],
    batch: str,
    *,
    jobs: int | None = None,
) -> int | None:
    """Add those of some documents that have a text, all of them or none; return how many.

    A batch that was added before is not added again; then None is returned.

    Args:
        store: its path, or an open store.
        documents: ``DOCUMENTS``; the metadata of each has its ``row``, if that has an id.
        batch: a key that only these documents have.
    """
    if isinstance(store, Store):
        return _add_batch(store._opened, documents, batch)
    with Store(store, create=False, jobs=jobs) as opened:
        return _add_batch(opened._opened, documents, batch)


def _add_batch(opened: Opened, documents: Iterable[pa.RecordBatch], batch: str) -> int | None:
    count = 0
    with opened.write_transaction():
        if read_batch_start(opened.connection, batch) is not None:
            return None
        write_batch_start(opened.connection, batch, read_number(opened.connection, "next_id"))
        for some in documents:
            filled = some.filter(pc.is_valid(some["text"]))
            metadata = [
                None if id_ is None else records.metadata_as_json({records.ROW: id_})
                for id_ in filled["id"].to_pylist()
            ]
            prepared = incoming.prepare_documents(opened, filled, metadata=metadata)
            with_text = [one for one in prepared if one.subject.digest is not None]
            checkin.add_documents(opened, with_text, "report")
            count += len(with_text)
    return count


def _read_documents_like(
    opened: Opened,
    texts: Iterable[pa.Array],
    query: Query,
    equal_only: bool,
    before_batch: str | None,
) -> StoredTexts:
    _check_can_promise(opened, query, equal_only)
    least = Fraction(1) if equal_only else query.resemblance
    limits = Bounds(least, containment=None, radius=None)
    ids: set[int] = set()
    # One transaction: what is nominated is what is read, whoever writes meanwhile.
    with opened.read_transaction():
        if not document_table.has_any_text(opened.connection):
            raise NothingRead(f"{opened.path} has no document with a text to compare with.")
        for column in texts:
            kept = make_text_evidence(arrow.texts(column), opened.settings.counting, opened.jobs)
            subjects = [
                Subject(None, one.digest, one.bytes_digest, one)
                for one in kept
                if one.digest is not None
            ]
            for nominated in matching.nominate_stored(opened, subjects, limits):
                ids.update(nominated)
        start = None if before_batch is None else read_batch_start(opened.connection, before_batch)
        return _read_texts(opened, sorted(id_ for id_ in ids if start is None or id_ < start))


def _read_texts(opened: Opened, ids: list[int]) -> StoredTexts:
    rows = document_table.read_rows(opened.connection, ids)
    texts = contents.read_texts(opened.connection, ids)
    return _stored_texts(opened, [rows[id_] for id_ in ids if id_ in texts], texts)


def _stored_texts(
    opened: Opened, rows: Sequence[StoredRow], texts: Mapping[int, str]
) -> StoredTexts:
    names = [row.source or f"{opened.path}#{row.id}" for row in rows]
    columns = {
        "id": pa.array([_id_of_row(row) for row in rows], pa.string()),
        "text": pa.array([texts[row.first] for row in rows], pa.large_string()),
    }
    digests = pa.array([row.bytes_digest for row in rows], arrow.DIGEST)
    return StoredTexts(pa.array(names, pa.string()), pa.table(columns), digests)


def _id_of_row(row: StoredRow) -> str:
    """Return the id of the client, else that of the row that was added, else the number."""
    metadata = records.parse_metadata(row.metadata) or {}
    return row.client_id or metadata.get(records.ROW) or str(row.id)


def _check_can_promise(opened: Opened, query: Query, exact: bool) -> None:
    """Refuse a store that would leave documents out without a word."""
    settings, path = opened.settings, opened.path
    _check_keeps_texts(opened, "a store with --exact and --texts")
    if not settings.exact:
        raise OptionError(
            f"{path} finds near-duplicates by their fingerprints, and may miss some; a reference "
            "(`against`) must find all of them. Make a store with --exact and --texts."
        )
    _check_has_no_part_in(opened, query, ("noise", "containment", "same_site", "common_blocks"))
    _check_counts_alike(opened, query)
    if exact:
        return
    _check_has_shingle(opened, query)
    if query.resemblance < settings.resemblance:
        raise OptionError(
            f"{path} finds everything with a resemblance of at least {float(settings.resemblance)},"
            f" and the search asks for {float(query.resemblance)}. Ask for at least "
            f"{float(settings.resemblance)} (`resemblance`), or make the store with less."
        )


def _check_keeps_texts(opened: Opened, needed: str) -> None:
    if not opened.settings.texts:
        raise OptionError(
            f"{opened.path} keeps no texts, so nothing can be compared with it as a reference "
            f"(`against`). Make {needed}."
        )


def _check_has_no_part_in(opened: Opened, query: Query, names: Sequence[str]) -> None:
    """Refuse options for which the store would have to look at other documents."""
    idle = [name for name in names if getattr(query, name) is not None]
    if idle:
        raise OptionError(
            f"{opened.path}, a store, cannot be the reference of a search with `{idle[0]}`: its "
            "index finds near-duplicates alone. Leave out the option, or give the documents "
            "themselves."
        )


def _check_counts_alike(opened: Opened, query: Query) -> None:
    settings, path = opened.settings, opened.path
    if settings.ignore != query.ignore:
        own, asked = (",".join(one.ignore) or "nothing" for one in (settings, query))
        raise OptionError(
            f"{path} was made to ignore {own}, and the search ignores {asked}. Ask for the same "
            "(`ignore`)."
        )
    if settings.base != query.base:
        has = "no base text" if settings.base is None else f"the base text {settings.base}"
        asked = "none" if query.base is None else str(query.base)
        raise OptionError(
            f"{path} was made with {has}, and the search has {asked}. Ask for the same "
            "(`ignore_text`), or give the documents themselves."
        )
    if settings.by != query.by or query.as_ is not None:
        raise OptionError(
            f"{path} compares texts by {settings.by or 'words, and short ones by characters'}, as "
            "they are. Ask for the same (`by`), without `as_`, or give the documents themselves."
        )


def _check_has_shingle(opened: Opened, query: Query) -> None:
    if opened.settings.shingle != query.shingle:
        raise OptionError(
            f"{opened.path} was made with shingles of {opened.settings.shingle} words, and the "
            f"search asks for {query.shingle}. Ask for {opened.settings.shingle} (`shingle`)."
        )
