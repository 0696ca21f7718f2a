"""A store as the reference of a search: only the documents that may be alike are read from it.

So the cost grows with the texts that are asked about, and with how many stored ones their keys meet
by chance, which ``docs/explanation/scale.md`` measures.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import NothingRead, OptionError, SourceChanged
from ilk.read.collection import StoredDocuments
from ilk.read.reference import StoredTexts
from ilk.search.evidence import Thresholds, make_text_evidence, select_pairs_not_different
from ilk.search.query import Query
from ilk.store import checkin, groups, incoming, matching, records
from ilk.store.db import contents, document_table, file
from ilk.store.db.settings import (
    WantedSettings,
    check_and_sort_group_columns,
    find_first_id_of_batch_or_none,
    read_counter,
    write_first_id_of_batch,
)
from ilk.store.matching import Bounds, TextToCompare
from ilk.store.opened import OpenedStore
from ilk.store.records import StoredRow
from ilk.store.store import Store

#: The bytes of the sets of texts that are asked about together.
_ASKED_BYTES = 1 << 24

#: Nominated pairs to hold before they are measured.
_NOMINATED = 1 << 21

#: How many documents of a batch were added; None if the batch had been added before.
CountUnlessAddedBefore: TypeAlias = int | None


#: A column of texts to compare, and a digest of the group of each; None if all are compared.
TextsAndGroupDigests: TypeAlias = tuple[pa.Array, pa.Array | None]


@contextmanager
def _open_if_path(store: str | os.PathLike[str] | Store, jobs: int | None) -> Iterator[OpenedStore]:
    """Give what an open store holds, which stays open; a path is opened for the block."""
    if isinstance(store, Store):
        yield store._open_store
        return
    with Store(store, create=False, jobs=jobs) as own_store:
        yield own_store._open_store


def read_documents_alike_to(
    store: str | os.PathLike[str] | Store,
    texts: Iterable[TextsAndGroupDigests],
    query: Query,
    *,
    equal_only: bool = False,
    within: Sequence[str] = (),
    before_batch: str | None = None,
    jobs: int | None = None,
) -> StoredTexts:
    """Read the documents of a store that are alike to any of some texts, in the order of their ids.

    Every stored document is there whose resemblance to a text is at least that of the query. Of
    equal stored texts, the first one stands for all.

    Args:
        store: its path, or an open store, which stays open.
        texts: columns of texts; null for none.
        within: the columns that make groups, by name.
        query: what near-duplicates are.
        equal_only: whether only equal texts count.
        before_batch: the key of the batch that the texts are, if they are to be added. If they were
            added before, in a run that was interrupted after that, the store counts as it was
            before.

    Raises:
        OptionError: the store cannot promise what the query asks for.
        NothingRead: the store has no document with a text.
    """
    with _open_if_path(store, jobs) as open_store:
        return _read_documents_alike_to(
            open_store,
            texts,
            query=query,
            equal_only=equal_only,
            within=tuple(within),
            before_batch=before_batch,
        )


def read_nearest_or_first_document(
    store: str | os.PathLike[str] | Store, document: pa.Table, query: Query
) -> StoredTexts:
    """Read the document of a store that has the greatest resemblance to another one; of several,
    or if nothing resembles it, the first one.

    Args:
        store: its path, or an open store, which stays open.
        document: one row of ``DOCUMENTS``.
        query: what counts of a text.

    Raises:
        OptionError: the store keeps no texts, or measures texts in another way.
        NothingRead: the store has no document with a text.
    """
    with _open_if_path(store, jobs=1) as open_store:
        return _read_nearest_or_first_document_or_refuse(open_store, document, query)


def _read_nearest_or_first_document_or_refuse(
    open_store: OpenedStore, document: pa.Table, query: Query
) -> StoredTexts:
    _refuse_store_without_texts(open_store, "a store with --texts (in Python, texts=True)")
    _refuse_query_options_if_set(open_store, query, ("noise",))
    _refuse_other_counting_except_shingle(open_store, query)
    _refuse_other_shingle(open_store, query)
    if open_store.settings.within:
        raise OptionError(
            f"{open_store.path} compares documents only within "
            f"{' and '.join(open_store.settings.within)}, and this one has no such "
            "column. Ask a store that was made without `within`."
        )
    counting, connection = open_store.settings.counting, open_store.connection
    (evidence,) = make_text_evidence(
        arrow.import_texts(document["text"]), counting, open_store.jobs
    )
    subject = TextToCompare(
        fingerprint=None,
        digest=evidence.digest,
        bytes_digest=evidence.bytes_digest,
        evidence=evidence,
    )
    bytes_digest = document["bytes_digest"][0].as_py() or evidence.bytes_digest
    subject = subject.with_bytes_digest(bytes_digest)
    bounds = Bounds.from_options(open_store.settings, nearest=1)
    with open_store.read_transaction_with_index():
        ids = [match.id for match in matching.find_nearest(open_store, subject, 1, bounds)]
        ids = ids or document_table.read_ids_of_nonblank_representatives(connection)[:1]
        if not ids:
            raise NothingRead(f"{open_store.path} has no document with a text to compare with.")
        row = document_table.read_row(connection, ids[0])
        return _make_stored_texts_reading_generation(
            open_store,
            [row],
            contents.read_texts_except_of_copies(connection, [row.representative_id]),
        )


class TextsOfStore:
    """The documents of a store that have a text, without copies, read page by page.

    Args:
        store: its path, or a store; each page is read from the file, which may be closed.

    Raises:
        OptionError: the store keeps no texts.
    """

    def __init__(self, store: str | os.PathLike[str] | Store) -> None:
        self._path = store.path if isinstance(store, Store) else store
        with _open_if_path(self._path, jobs=1) as open_store, open_store.read_transaction():
            if not open_store.settings.texts:
                raise OptionError(
                    f"{open_store.path} keeps no texts, and passages are sought in texts. Give the "
                    "documents themselves as the reference (`against`), or make a store with "
                    "--texts (in Python, texts=True)."
                )
            self.path = str(open_store.path)
            self.generation = read_counter(open_store.connection, "generation")
            self._ids = document_table.read_ids_of_nonblank_representatives(open_store.connection)

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

    def read_texts_null_if_unwanted(
        self, wanted_mask: pa.BooleanArray | None
    ) -> Iterator[pa.Array]:
        """Yield the texts in order, null for those that are not wanted; None wants all."""
        begin = 0
        for ids in self._pages_of_ids():
            mask = None if wanted_mask is None else wanted_mask.slice(begin, len(ids))
            begin += len(ids)
            if mask is not None and not mask.true_count:
                yield pa.nulls(len(ids), pa.large_string())
            else:
                yield from StoredDocuments(self._read_page(ids)).read_texts_null_if_unwanted(mask)

    def _pages_of_ids(self) -> Iterator[list[int]]:
        for start in range(0, len(self._ids), contents.TEXTS):
            yield self._ids[start : start + contents.TEXTS]

    def _read_page(self, ids: list[int]) -> StoredTexts:
        with _open_if_path(self._path, jobs=1) as open_store, open_store.read_transaction():
            if read_counter(open_store.connection, "generation") != self.generation:
                raise SourceChanged(
                    f"{self.path} was written to while it was read; run again when nothing adds "
                    "to it."
                )
            return _read_representatives_with_text(open_store, ids)


@dataclass(frozen=True)
class BatchToAdd:
    """What a store is to hold after a run.

    Attributes:
        documents: those to add, as ``DOCUMENTS``; those without a text are left out.
        key: what only this batch has.
        generation: of the store that the batch was compared with.
        columns: by name of a column the value of each row of the batch, by ``doc``; they become
            metadata, with the id of the row as ``row``, if it has one.
        counts: for how many rows each stands, by ``doc``; None if they were not counted.
        represented: how many rows of the batch went for each of some stored documents, by number.
    """

    documents: Iterable[pa.RecordBatch]
    key: str
    generation: int
    columns: Mapping[str, pa.Array] = field(default_factory=dict)
    counts: pa.Array | None = None
    represented: Mapping[int, int] = field(default_factory=dict)


def add_batch_to_unchanged_store_unless_added(
    store: str | os.PathLike[str] | Store, batch: BatchToAdd, *, jobs: int | None = None
) -> CountUnlessAddedBefore:
    """Add the documents of a batch, all of them or none; return how many.

    A batch that was added before is not added again; then None is returned.

    Args:
        store: its path, or an open store.

    Raises:
        SourceChanged: the store was written to since the batch was compared with it.
    """
    with _open_if_path(store, jobs) as open_store:
        return _add_batch_to_unchanged_store_unless_added(open_store, batch)


def make_empty_or_check_store_for_query(
    path: str | os.PathLike[str], query: Query, within: Sequence[str], jobs: int
) -> None:
    """Make an exact store with texts, without documents, that promises what a query asks for; one
    that is there must promise it.

    Raises:
        OptionError: no store can promise it, or that one does not.
    """
    name = Path(path)
    wanted_settings = WantedSettings(
        recipe=None,
        resemblance=query.resemblance,
        shingle=query.shingle,
        texts=True,
        exact=True,
        noise=None,
        ignore=query.ignore,
        by=query.by,
        base=query.base,
        within=check_and_sort_group_columns(within) if within else (),
        as_=query.as_,
    )
    connection = file.open_or_create_file_unchecked(
        name,
        create_if_missing=True,
        timeout_seconds=file.TIMEOUT,
        settings_if_created=wanted_settings,
    )
    with closing(connection):
        settings = file.read_or_make_settings(connection, name, wanted_settings, make_if_empty=True)
        try:
            open_store = OpenedStore(name, connection, settings, jobs)
            _refuse_store_that_may_miss_documents(
                open_store, query, equal_only=False, within=settings.within
            )
        except OptionError:
            connection.close()
            file.remove_store_if_unused(name)
            raise


def _add_batch_to_unchanged_store_unless_added(
    open_store: OpenedStore, batch: BatchToAdd
) -> CountUnlessAddedBefore:
    count = 0
    columns = dict(batch.columns)
    if batch.counts is not None:
        columns[records.COUNT] = batch.counts
    with open_store.write_transaction():
        if find_first_id_of_batch_or_none(open_store.connection, batch.key) is not None:
            return None
        # The number of this transaction is already there.
        if read_counter(open_store.connection, "generation") != batch.generation + 1:
            raise SourceChanged(
                f"{open_store.path} was written to since the rows were compared with it, and what "
                "came in may be like one of them. Nothing was added or written; run again."
            )
        write_first_id_of_batch(
            open_store.connection, batch.key, read_counter(open_store.connection, "next_id")
        )
        _add_to_row_counts(open_store, batch.represented)
        for documents in batch.documents:
            not_null = documents.filter(pc.is_valid(documents["text"]))
            metadata = _row_ids_and_metadata_as_json(not_null, columns)
            prepared = incoming.prepare_documents(
                open_store, not_null, given_metadata_json=metadata
            )
            not_blank = [one for one in prepared if one.subject.digest is not None]
            checkin.add_documents(open_store, not_blank, "report")
            count += len(not_blank)
    return count


def _row_ids_and_metadata_as_json(
    documents: pa.RecordBatch, columns: Mapping[str, pa.Array]
) -> list[str | None]:
    """Return the metadata of documents: the id of each row, and its values of the columns, by
    ``doc``; None for a document without any.
    """
    values = (column.take(documents["doc"]).to_pylist() for column in columns.values())
    json_of_rows = []
    for id_, *row in zip(documents["id"].to_pylist(), *values, strict=True):
        metadata = {} if id_ is None else {records.ROW: id_}
        metadata |= dict(zip(columns, row, strict=True))
        json_of_rows.append(records.metadata_as_json_unless_none(metadata) if metadata else None)
    return json_of_rows


def _add_to_row_counts(open_store: OpenedStore, new_rows_by_id: Mapping[int, int]) -> None:
    """Add to the number of rows that stored documents stand for, which is in their metadata: at
    first, each stands for itself alone.
    """
    now = records.now_in_microseconds()
    rows = []
    for row in document_table.read_rows_unless_removed(
        open_store.connection, new_rows_by_id
    ).values():
        metadata = records.parse_metadata(row.metadata)
        count = metadata.get(records.COUNT, 1) + new_rows_by_id[row.id]
        metadata_json = records.metadata_as_json_unless_none(metadata | {records.COUNT: count})
        rows.append(row._replace(metadata=metadata_json, updated=now))
    document_table.insert_or_replace_rows(open_store.connection, rows)


def _read_documents_alike_to(
    open_store: OpenedStore,
    texts: Iterable[TextsAndGroupDigests],
    *,
    query: Query,
    equal_only: bool,
    within: tuple[str, ...],
    before_batch: str | None,
) -> StoredTexts:
    try:
        _refuse_store_that_may_miss_documents(open_store, query, equal_only, within)
    except OptionError as error:
        if read_counter(open_store.connection, "next_id"):
            raise
        raise OptionError(
            f"{error} No document was ever added to {open_store.path}: you may delete it."
        ) from error
    threshold = Fraction(1) if equal_only else query.resemblance
    bounds = Bounds(threshold, containment=None, radius=None, equal_only=equal_only)
    ids: set[int] = set()
    # One transaction: what is nominated is what is read, whoever writes meanwhile.
    with open_store.read_transaction_with_index():
        # To the first batch of all, a store that it will fill is a reference without documents.
        if before_batch is None and not document_table.has_nonblank_document(open_store.connection):
            raise NothingRead(f"{open_store.path} has no document with a text to compare with.")
        for subjects in _portions_of_different_nonblank_texts(open_store, texts):
            _add_ids_of_alike_documents(ids, open_store, subjects, bounds)
        stop = (
            None
            if before_batch is None
            else find_first_id_of_batch_or_none(open_store.connection, before_batch)
        )
        return _read_representatives_with_text(
            open_store, sorted(id_ for id_ in ids if stop is None or id_ < stop)
        )


def _add_ids_of_alike_documents(
    ids: set[int], open_store: OpenedStore, subjects: Sequence[TextToCompare], bounds: Bounds
) -> None:
    """Add to a set the ids of the stored documents that resemble one of some texts.

    Each nominated document is read once, for all texts that nominate it, and few of them are alike:
    of 18,000 that 5,000 short texts met among 300,000, 1,000.
    """
    places_by_id: dict[int, list[int]] = defaultdict(list)
    pair_count = 0
    for place, nominated_ids in enumerate(matching.nominate_for_each(open_store, subjects, bounds)):
        for id_ in nominated_ids:
            if id_ not in ids:
                places_by_id[id_].append(place)
                pair_count += 1
        if pair_count > _NOMINATED:
            ids |= _verify_nominated_documents(open_store, subjects, places_by_id, bounds)
            places_by_id.clear()
            pair_count = 0
    ids |= _verify_nominated_documents(open_store, subjects, places_by_id, bounds)


def _verify_nominated_documents(
    open_store: OpenedStore,
    subjects: Sequence[TextToCompare],
    subject_places_by_id: Mapping[int, Sequence[int]],
    bounds: Bounds,
) -> set[int]:
    """Return the ids of those nominated documents that resemble one of the texts that nominate
    them.

    Args:
        subject_places_by_id: by the id of a nominated document, the places of these texts.
    """
    alike_ids = set[int]()
    nominated_ids = sorted(subject_places_by_id)
    for start in range(0, len(nominated_ids), contents.TEXTS):
        ids = nominated_ids[start : start + contents.TEXTS]
        stored = contents.read_rows_with_evidence(open_store.connection, ids)
        subject_places = {place for id_ in ids for place in subject_places_by_id[id_]}
        row_of = {place: at for at, place in enumerate(subject_places)}
        evidence = [subjects[place].evidence for place in row_of]
        evidence += [stored[id_].own_evidence for id_ in ids]
        pairs = [
            (row_of[place], len(row_of) + at)
            for at, id_ in enumerate(ids)
            for place in subject_places_by_id[id_]
        ]
        left, right = [one for one, _ in pairs], [other for _, other in pairs]
        judged = select_pairs_not_different(evidence, left, right, Thresholds(bounds.resemblance))
        alike_ids.update(ids[right[one.place] - len(row_of)] for one in judged)
    return alike_ids


def _portions_of_different_nonblank_texts(
    open_store: OpenedStore, texts: Iterable[TextsAndGroupDigests]
) -> Iterator[list[TextToCompare]]:
    """Yield texts in the form for comparison, equal ones once, as many together as memory allows:
    for each portion, a large part of the index is read.
    """
    digests_seen = set[bytes]()
    subjects, bytes_of_subjects = list[TextToCompare](), 0
    for column, group_digests in texts:
        imported = arrow.import_texts(column)
        for one in groups.make_evidence_in_groups(open_store, imported, group_digests):
            if one.digest is None or one.digest in digests_seen:
                continue
            digests_seen.add(one.digest)
            subjects.append(
                TextToCompare(
                    fingerprint=None, digest=one.digest, bytes_digest=one.bytes_digest, evidence=one
                )
            )
            bytes_of_subjects += len(one.word_shingles) + len(one.character_shingles or b"")
        if bytes_of_subjects > _ASKED_BYTES:
            yield subjects
            subjects, bytes_of_subjects = [], 0
    if subjects:
        yield subjects


def _read_representatives_with_text(open_store: OpenedStore, ids: list[int]) -> StoredTexts:
    rows = document_table.read_rows_unless_removed(open_store.connection, ids)
    texts = contents.read_texts_except_of_copies(open_store.connection, ids)
    return _make_stored_texts_reading_generation(
        open_store, [rows[id_] for id_ in ids if id_ in texts], texts
    )


def _make_stored_texts_reading_generation(
    open_store: OpenedStore, rows: Sequence[StoredRow], text_by_representative_id: Mapping[int, str]
) -> StoredTexts:
    names = [row.source or f"{open_store.path}#{row.id}" for row in rows]
    columns = {
        "id": pa.array([_client_row_or_store_id(row) for row in rows], pa.string()),
        "text": pa.array(
            [text_by_representative_id[row.representative_id] for row in rows], pa.large_string()
        ),
    }
    within = open_store.settings.within
    values = [groups.values_of_columns_as_text(row.metadata, within) for row in rows]
    for place, name in enumerate(within):
        columns[name] = pa.array([one[place] for one in values], pa.large_string())
    # Within groups, the digests that the store has are not those of the bytes alone.
    digests = pa.array([None if within else row.bytes_digest for row in rows], arrow.DIGEST)
    numbers = [row.id for row in rows]
    return StoredTexts(
        names=pa.array(names, pa.string()),
        table=pa.table(columns),
        bytes_digests=digests,
        numbers=numbers,
        generation=read_counter(open_store.connection, "generation"),
    )


def _client_row_or_store_id(row: StoredRow) -> str:
    """Return the id of the client, else that of the row that was added, else the number."""
    metadata = records.parse_metadata(row.metadata) or {}
    return row.client_id or metadata.get(records.ROW) or str(row.id)


#: A store that can be the reference of a search.
_FIT_STORE = "a store with --exact and --texts (in Python, exact=True and texts=True)"


def _refuse_store_that_may_miss_documents(
    open_store: OpenedStore, query: Query, equal_only: bool, within: tuple[str, ...]
) -> None:
    """Refuse a store that would leave documents out without a word."""
    settings, path = open_store.settings, open_store.path
    _refuse_store_without_texts(open_store, _FIT_STORE)
    if not settings.exact:
        raise OptionError(
            f"{path} finds near-duplicates by their fingerprints, and may miss some; a reference "
            f"(`against`) must find all of them. Make {_FIT_STORE}."
        )
    _refuse_query_options_if_set(
        open_store, query, ("noise", "containment", "same_site", "common_blocks")
    )
    _refuse_other_counting_except_shingle(open_store, query)
    if settings.within != within:
        own, other = (" and ".join(names) or "no column" for names in (settings.within, within))
        raise OptionError(
            f"{path} was made to compare documents within {own}, and the search compares them "
            f"within {other}. Ask for the same (`within`), or make another store."
        )
    if equal_only:
        return
    _refuse_other_shingle(open_store, query)
    if query.resemblance < settings.resemblance:
        raise OptionError(
            f"{path} finds everything with a resemblance of at least {float(settings.resemblance)},"
            f" and the search asks for {float(query.resemblance)}. Ask for at least "
            f"{float(settings.resemblance)} (`resemblance`), or make the store with less."
        )


def _refuse_store_without_texts(open_store: OpenedStore, store_to_make: str) -> None:
    if not open_store.settings.texts:
        raise OptionError(
            f"{open_store.path} keeps no texts, so nothing can be compared with it as a reference "
            f"(`against`). Make {store_to_make}."
        )


def _refuse_query_options_if_set(
    open_store: OpenedStore, query: Query, option_names: Sequence[str]
) -> None:
    """Refuse options for which the store would have to look at other documents."""
    given = [name for name in option_names if getattr(query, name) is not None]
    if given:
        raise OptionError(
            f"{open_store.path}, a store, cannot be the reference of a search with `{given[0]}`: "
            "its index finds near-duplicates alone. Leave out the option, or give the documents "
            "themselves."
        )


def _refuse_other_counting_except_shingle(open_store: OpenedStore, query: Query) -> None:
    settings, path = open_store.settings, open_store.path
    if settings.ignore != query.ignore:
        own, other = (",".join(one.ignore) or "nothing" for one in (settings, query))
        raise OptionError(
            f"{path} was made to ignore {own}, and the search ignores {other}. Ask for the same "
            "(`ignore`)."
        )
    if settings.base != query.base:
        has = "no base text" if settings.base is None else f"the base text {settings.base}"
        other = "none" if query.base is None else str(query.base)
        raise OptionError(
            f"{path} was made with {has}, and the search has {other}. Ask for the same "
            "(`ignore_text`), or give the documents themselves."
        )
    if settings.by != query.by:
        raise OptionError(
            f"{path} compares texts by {settings.by or 'words, and short ones by characters'}. Ask "
            "for the same (`by`), or give the documents themselves."
        )
    if settings.as_ != query.as_:
        has, other = (
            "texts as they are" if one.as_ is None else f"programs ({one.as_.identity})"
            for one in (settings, query)
        )
        raise OptionError(
            f"{path} compares {has}, and the search {other}. Ask for the same (`as_`), or give the "
            "documents themselves."
        )


def _refuse_other_shingle(open_store: OpenedStore, query: Query) -> None:
    if open_store.settings.shingle != query.shingle:
        raise OptionError(
            f"{open_store.path} was made with shingles of {open_store.settings.shingle} words, and "
            f"the search asks for {query.shingle}. Ask for {open_store.settings.shingle} "
            "(`shingle`)."
        )
