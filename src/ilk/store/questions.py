"""What a store answers without changing: questions about its documents and about other texts."""

from __future__ import annotations

import contextlib
import itertools
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from ilk import arrow
from ilk.base.arguments import suggest_arguments
from ilk.base.closing import Closing
from ilk.base.errors import IdError
from ilk.base.kinds import Whole
from ilk.base.options import CONTAINMENT, check_option
from ilk.fingerprints.hamming import check_radius
from ilk.store import history, incoming, inspection, keepers, matching, originals, records, sync
from ilk.store.db import contents, document_table, file
from ilk.store.db.settings import Settings, read_counter
from ilk.store.history import Event
from ilk.store.inspection import Validated
from ilk.store.matching import Bounds, Match
from ilk.store.opened import OpenedStore
from ilk.store.records import StoreRecord, is_number


class HourOfArrivals(NamedTuple):
    """An hour since 1970, in hours, and how many documents came in it."""

    hour: int
    documents: int


class Questions(Closing):
    """The questions that a store answers; each sees one state of the file."""

    _open_store: OpenedStore
    _connection: sqlite3.Connection

    def __repr__(self) -> str:
        return f"<ilk.Store {str(self.path)!r} of {self.settings.recipe}>"

    @property
    def path(self) -> Path:
        """The file."""
        return self._open_store.path

    @property
    def cache(self) -> Path:
        """The folder beside the file that caches the texts of documents that are not plain text.

        It is created with the first of them, and may be removed at any time.
        """
        return self._open_store.cache_folder

    @property
    def settings(self) -> Settings:
        """The settings of the store."""
        return self._open_store.settings

    def __len__(self) -> int:
        with self._open_store.read_transaction():
            return read_counter(self._connection, "documents")

    @property
    def last_id(self) -> int:
        """The id of the document that was added last, which may be removed; -1 before any."""
        with self._open_store.read_transaction():
            return read_counter(self._connection, "next_id") - 1

    def __contains__(self, id_: object) -> bool:
        with self._open_store.read_transaction():
            return document_table.find_row_or_none(self._connection, id_) is not None

    def __getitem__(self, id_: int) -> StoreRecord:
        """Return what is known of a document.

        Raises:
            IdError: no document has this id.
        """
        with self._open_store.read_transaction():
            return records.make_record(document_table.read_row(self._connection, id_))

    def __iter__(self) -> Iterator[StoreRecord]:
        """Yield all documents by id; those added or removed in the meantime may be included."""
        last_id = -1
        while page := self.records(last_id, document_table.AT_ONCE):
            yield from page
            last_id = page[-1].id

    def sources(self, ids: Iterable[int]) -> dict[int, str | None]:
        """Return the sources of some documents, without those that do not exist."""
        with self._open_store.read_transaction():
            rows = document_table.read_rows_unless_removed(self._connection, ids)
        return {id_: row.source for id_, row in rows.items()}

    def text(self, id_: int) -> str | None:
        """Return the text of a document; None if the store does not keep it.

        Raises:
            IdError: no document has this id.
        """
        with self._open_store.read_transaction():
            row = document_table.read_row(self._connection, id_)
            has_text = self.settings.texts and row.digest is not None
            packed = contents.read_packed_text_if_kept(
                self._connection, row.id, missing_is_damage=has_text
            )
        return contents.unpack_text_if_any(packed)

    def history(self, id_: int) -> list[Event]:
        """Return when the text of a document came and changed, in order.

        What happened to former documents of its name (its client's id, or else its source), which
        were removed, comes first.

        Raises:
            IdError: no document has this id.
        """
        with self._open_store.read_transaction():
            return history.read_events_of_document_and_removed_namesakes(
                self._connection, document_table.read_row(self._connection, id_)
            )

    def records(self, after: int, most: int) -> list[StoreRecord]:
        """Return at most that many documents with ids above one, in their order."""
        with self._open_store.read_transaction():
            return list(
                map(
                    records.make_record,
                    document_table.read_next_rows(self._connection, after_id=after, max_rows=most),
                )
            )

    def files(self, ids: Iterable[int]) -> dict[int, sync.DocumentFile]:
        """Return the paths and sizes of the files that some documents were last read from."""
        with self._open_store.read_transaction():
            return sync.read_files_of_documents(self._connection, ids)

    @suggest_arguments
    def check(
        self,
        text: str | os.PathLike[str] | Sequence[str],
        *,
        resemblance: str | float | None = None,
        containment: str | float | None = CONTAINMENT,
        radius: int | None = None,
        similarity: str | float | None = None,
        nearest: int | None = None,
    ) -> list[Match]:
        """Return what a text is like, the most alike first; nothing is stored.

        Args:
            text: the text, by itself or in a list, or the path of a file (as ``pathlib.Path``); a
                text by itself that names a file is refused.
            resemblance: the least resemblance of near-duplicates; the store's by default.
                An exact store finds all of them; below its own, by looking at every document.
            containment: the least part of one that makes it contained in the other; None if such
                pairs are not wanted. They are looked for among nominated documents, and so mostly
                found if the two are of similar size; an exact store finds all of them if the
                smaller has at least as many shingles as the larger times the resemblance (of the
                store, if that is less) over the containment: 84 % by default.
            radius: match everything within this many bits, at any resemblance (unless
                ``resemblance`` is given too). The result is complete for any radius.
            similarity: the same as a share of equal bits: ``"90%"`` (Roth 2013, section 2.2.2).
            nearest: return as many documents as this instead, or fewer if fewer share anything:
                those with the greatest resemblance, whether they are like it or not (then their
                verdict is ``different``). The result is exact. An exact store looks at every
                document only if fewer than that are like the text; others always do.

        Raises:
            OptionError: an option is out of bounds, or two contradict each other.
            SourceNotFound, NothingRead: the file is missing, or cannot be read.
        """
        return self._match_incoming(
            [incoming.prepare_text_or_path_refusing_ambiguity(self._open_store, text)],
            nearest,
            resemblance=resemblance,
            containment=containment,
            radius=radius,
            similarity=similarity,
        )[0]

    @suggest_arguments
    def check_many(
        self,
        documents: Any,
        *,
        resemblance: str | float | None = None,
        containment: str | float | None = CONTAINMENT,
        radius: int | None = None,
        similarity: str | float | None = None,
        nearest: int | None = None,
    ) -> list[list[Match]]:
        """Return what each of many texts is like: ``check`` for the arguments of ``add_many``.

        Raises:
            ColumnTypeError: there is no column of texts.
            OptionError: an option is out of bounds, or two contradict each other.
        """
        return self._match_incoming(
            incoming.prepare_texts_or_files(self._open_store, documents),
            nearest,
            resemblance=resemblance,
            containment=containment,
            radius=radius,
            similarity=similarity,
        )

    def _match_incoming(
        self, texts: Sequence[incoming.IncomingDocument], nearest: int | None, **limits: Any
    ) -> list[list[Match]]:
        count = check_option("nearest", nearest)
        bounds = Bounds.from_options(self.settings, nearest=count, **limits)
        with self._open_store.read_transaction_with_index():
            return matching.find_matches_for_each(
                self._open_store, [one.subject for one in texts], bounds, nearest_count=count
            )

    @suggest_arguments
    def check_fingerprint(self, fingerprint: int | bytes, radius: int | None = None) -> list[Match]:
        """Return the documents whose fingerprint is within a radius of one (by default the
        store's).

        All of them are ``unverified``: a fingerprint cannot be measured.

        Raises:
            ColumnTypeError, OptionError: an argument is not valid.
        """
        bits = self.settings.recipe.bits
        within = self.settings.radius if radius is None else check_radius(radius, bits)
        value = arrow.check_fingerprint(fingerprint, 128 if bits == 128 else 64)
        with self._open_store.read_transaction_with_index():
            return matching.find_matches_within_radius(self._open_store, value, within)

    @suggest_arguments
    def similar(
        self,
        id_: int,
        *,
        resemblance: str | float | None = None,
        containment: str | float | None = CONTAINMENT,
        radius: int | None = None,
        similarity: str | float | None = None,
        nearest: int | None = None,
    ) -> list[Match]:
        """Return what a stored document is like, without itself; arguments and errors as for
        ``check``.

        Raises:
            IdError: no document has this id.
        """
        count = check_option("nearest", nearest)
        bounds = Bounds.from_options(
            self.settings,
            resemblance=resemblance,
            containment=containment,
            radius=radius,
            similarity=similarity,
            nearest=count,
        )
        with self._open_store.read_transaction_with_index():
            row = document_table.read_row(self._connection, id_)
            subject = matching.read_representatives_to_compare(
                self._open_store, [row.representative_id]
            )[row.representative_id]
            subject = subject.with_bytes_digest(row.bytes_digest)
            # One more, since it is like itself.
            wanted = None if count is None else count + 1
            (matches,) = matching.find_matches_for_each(
                self._open_store, [subject], bounds, nearest_count=wanted
            )
            return [match for match in matches if match.id != row.id][:count]

    def clusters(self) -> list[list[int]]:
        """Return the clusters of two or more documents of one kind: their ids, the keeper's first.

        They are those of a scan of all documents in the order of their ids: each member was
        verified against its keeper. Copies of one text are all in them.
        """
        with self._open_store.read_transaction():
            return document_table.read_clusters_of_two_or_more(self._connection)

    def put_originals_first(self, clusters: Sequence[Sequence[int]]) -> list[list[int]]:
        """Return clusters with the document first that a person would keep, as a scan chooses it.

        The policy ``original`` decides, over all files that the store was synchronised with.
        Without such files, the stored keepers come first. A member may be unlike its new first
        document; ``compare_members_with_first`` says what it is to it.

        Args:
            clusters: from ``clusters``.
        """
        return originals.put_originals_first(self._open_store, clusters)

    def compare_members_with_first(
        self, clusters: Sequence[Sequence[int]]
    ) -> dict[int, keepers.MeasuredMember]:
        """Return for each member of some clusters its verdict and its resemblance to the first one.

        Args:
            clusters: from ``clusters`` or ``put_originals_first``.
        """
        with self._open_store.read_transaction():
            return keepers.compare_members_with_first(self._open_store, clusters)

    def id_of(self, client_id: str) -> int:
        """Return the id of the document that a client means, by its own id or by that one's digits.

        Raises:
            IdError: there is no such document.
        """
        with self._open_store.read_transaction():
            if is_number(client_id):
                row = document_table.find_row_or_none(
                    self._connection, int(client_id[:20])
                )  # No id has as many digits.
                id_ = None if row is None else row.id
            else:
                id_ = document_table.find_id_by_client_id_or_none(self._connection, client_id)
        if id_ is None:
            raise IdError(f"no document has the id {client_id!r}.")
        return id_

    def client_ids(self, ids: Iterable[int]) -> dict[int, int | str]:
        """Return the clients' ids of some documents, by id; of those without one, the id itself."""
        wanted = set(ids)
        with self._open_store.read_transaction():
            rows = document_table.read_rows_unless_removed(self._connection, wanted)
        client_ids = {id_: row.client_id for id_, row in rows.items()}
        return {id_: client_ids.get(id_) or id_ for id_ in wanted}

    def to_arrow(self, *, evidence: bool = False) -> pa.RecordBatchReader:
        """Return all documents as a table that is read piece by piece; ``add_many`` takes it whole.

        Its columns are those of a record, with the recipe at ``fingerprint``, and the ``text`` if
        the store keeps texts. Documents added or removed in the meantime may be included.

        Args:
            evidence: whether to add what the store keeps of each text to compare it. Written as
                Parquet, it is what ``add_evidence`` takes.
        """
        return inspection.open_as_table_without_snapshot(self._open_store, evidence=evidence)

    def validate(self, sample: int = 1000) -> Validated:
        """Look for damage: verify all checksums and references, and compute a sample again.

        Args:
            sample: how many members of clusters to measure, and texts to fingerprint, again.

        Raises:
            OptionError: the sample is not a whole number, or is below 0.
        """
        sample = Whole(unit="documents").check("sample", sample)
        with self._open_store.read_transaction():
            return inspection.validate(self._open_store, sample_size=sample)

    def stats(self) -> dict[str, Any]:
        """Return how much is stored, and how it is compared."""
        with self._open_store.read_transaction():
            return inspection.read_stats(self._open_store)

    def arrivals(self) -> list[HourOfArrivals]:
        """Return the hours in which documents came, ascending, and how many came in each.

        It reads all documents, over its own connection, so nobody waits for it.
        """
        query = "SELECT added / 3600000000 AS hour, count(*) FROM documents GROUP BY hour"
        connection = file.open_or_create_file_unchecked(
            self.path, create_if_missing=False, timeout_seconds=file.TIMEOUT
        )
        with contextlib.closing(connection), file.translate_errors(self.path):
            return sorted(itertools.starmap(HourOfArrivals, connection.execute(query)))
