"""Adding, changing and removing documents: what each is like, and what happens to it.

Everything here happens inside the caller's transaction. Of documents with the same text, the first
one (the lowest id) represents all: it has the evidence, the place in the index and a keeper; the
others refer to it as copies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias, TypedDict

import pyarrow as pa

from ilk import arrow
from ilk.arrow import verdicts
from ilk.base.errors import OptionError
from ilk.search.evidence import TextEvidence
from ilk.store import groups, history, keepers, matching, records
from ilk.store.db import contents, document_table
from ilk.store.db.settings import add_to_document_count, read_counter, write_setting_or_counter
from ilk.store.incoming import IncomingDocument
from ilk.store.matching import Bounds, Match, TextToCompare
from ilk.store.opened import OpenedStore
from ilk.store.records import StoredRow

#: What to do with a document that is like a stored one: store it and report that, report it
#: without storing it, or store it with a link (``duplicate_of``).
POLICIES = ("report", "refuse", "link")

#: The ids of documents that need a keeper, because they are new or theirs was removed.
IdsWithoutKeeper: TypeAlias = list[int]


class NewNames(TypedDict, total=False):
    """What people say of a document, as it is stored; what is left out stays as it was."""

    source: str | None
    title: str | None
    metadata: str | None


@dataclass(frozen=True, slots=True)
class Added:
    """What happened to a document.

    Attributes:
        id: its number; None if it was refused.
        matches: what it is like, the most alike first. Of a refused one, all stored documents.
            Else a stored document with the same text, or else the keepers of clusters, or, if it
            is like none of them, their members.
    """

    id: int | None
    matches: list[Match]

    @property
    def duplicate(self) -> bool:
        """Whether a stored document is of its kind."""
        return any(match.same for match in self.matches)


def add_documents(
    open_store: OpenedStore, incoming: Sequence[IncomingDocument], on_duplicate: str
) -> list[Added]:
    """Store documents, or refuse them, one after the other, by one of ``POLICIES``."""
    if on_duplicate not in POLICIES:
        raise OptionError(
            f"on_duplicate is {on_duplicate!r}; it must be one of {', '.join(POLICIES)}."
        )
    # Whether one is refused may decide whether the next one is.
    portion_size = 1 if on_duplicate == "refuse" else open_store.index.sizes.max_documents
    results: list[Added] = []
    for start in range(0, len(incoming), portion_size):
        portion = incoming[start : start + portion_size]
        if on_duplicate == "refuse":
            # Asked for by itself, and again below if it is stored: whether it is refused depends on
            # members too.
            bounds = Bounds.of_store(open_store.settings)
            (matches,) = matching.find_alike_for_each(open_store, [portion[0].subject], bounds)
            refused = Added(None, matches)
            if refused.duplicate:
                results.append(refused)
                continue
        first_id = read_counter(open_store.connection, "next_id")
        # Numbers are taken before rows are written: a number is never used again, so that a missing
        # row shows as damage.
        ids = range(first_id, first_id + len(portion))
        write_setting_or_counter(open_store.connection, "next_id", ids.stop)
        add_to_document_count(open_store.connection, len(portion))
        outcomes = _write_documents_and_settle_keepers(open_store, ids, portion)
        if on_duplicate == "link":
            best = ((one.id, one.matches[0]) for one in outcomes if one.matches)
            links = {id_: match.id for id_, match in best if id_ is not None and match.same}
            document_table.write_changed_references(open_store.connection, "duplicate_of", links)
        results += outcomes
    return results


def add_documents_with_ids(
    open_store: OpenedStore, unused_ids: Sequence[int], incoming: Sequence[IncomingDocument]
) -> None:
    """Store documents under numbers that the file has counted, but that no row has."""
    add_to_document_count(open_store.connection, len(unused_ids))
    _write_documents_and_settle_keepers(open_store, unused_ids, incoming)


def replace_existing_documents(
    open_store: OpenedStore, incoming_by_id: Mapping[int, IncomingDocument]
) -> list[Added]:
    """Give stored documents another text and other names, and write that to their history."""
    results: list[Added] = []
    all_ids, portion_size = list(incoming_by_id), open_store.index.sizes.max_documents
    for start in range(0, len(all_ids), portion_size):
        portion = {id_: incoming_by_id[id_] for id_ in all_ids[start : start + portion_size]}
        ids = list(portion)
        history.write_events_of_changed_bytes_or_texts(open_store, portion)
        ids_without_keeper = _remove_rows_and_promote_copies(open_store, ids)
        results += _write_documents_and_settle_keepers(
            open_store, ids, list(portion.values()), other_ids_without_keeper=ids_without_keeper
        )
    return results


def remove_existing_documents(open_store: OpenedStore, ids: Sequence[int]) -> None:
    """Remove documents, with everything that belongs only to them; their history stays."""
    # First: it reads the rows that go.
    history.write_arrival_and_removal_events(open_store, ids)
    ids_without_keeper = _remove_rows_and_promote_copies(open_store, ids)
    document_table.delete_file_rows_and_links_to(open_store.connection, ids)
    add_to_document_count(open_store.connection, -len(ids))
    keepers.settle_keepers(open_store, ids_without_keeper)


def update_document(
    open_store: OpenedStore,
    id_: int,
    *,
    new_text: IncomingDocument | None,
    new_names: NewNames,
) -> Added:
    """Change a document: its text, if given, and some of its names.

    Raises:
        IdError: no document has that id.
        OptionError: the metadata put a document into another group, without a new text.
    """
    former = document_table.read_row(open_store.connection, id_)
    row = former._replace(**new_names)
    compared = former if new_text is None else new_text
    groups.refuse_change_of_group(open_store, compared.metadata, row.metadata)
    if new_text is None:
        document_table.insert_or_replace_rows(
            open_store.connection, [row._replace(updated=records.now_in_microseconds())]
        )
        return Added(row.id, [])
    renamed = new_text.with_names_time_and_link_of(row)
    (updated,) = replace_existing_documents(open_store, {row.id: renamed})
    return updated


def _remove_rows_and_promote_copies(
    open_store: OpenedStore, ids: Sequence[int]
) -> IdsWithoutKeeper:
    """Remove documents from the tables and the index; return those that now have no keeper: the
    members of removed keepers, and the first copy of each removed document, which represents the
    text from now on.
    """
    connection = open_store.connection
    # Before the rows go, which say whom they kept.
    orphans = document_table.read_ids_of_members(connection, ids)
    # The index takes out what it makes again from their texts.
    open_store.index.remove(list(ids))
    for table in ("documents", "texts"):
        connection.executemany(f"DELETE FROM {table} WHERE id = ?", ((id_,) for id_ in ids))
    new_representatives, evidence_by_new_id = [], {}
    for id_ in ids:
        copies = document_table.read_rows_of_copies(connection, [id_])
        if copies:
            new_id = copies[0].id
            changed = (row._replace(copy_of=None if row.id == new_id else new_id) for row in copies)
            document_table.insert_or_replace_rows(connection, changed)
            # Moved, not made anew: a store may hold no text to make it of.
            for evidence in contents.read_evidence_if_any(connection, [id_]).values():
                evidence_by_new_id[new_id] = evidence
            new_representatives.append(copies[0])
    contents.write_evidence_and_flag_repetitive(connection, evidence_by_new_id.items())
    contents.delete_evidence(connection, ids)
    _add_representatives_to_index(open_store, sorted(new_representatives), evidence_by_new_id)
    removed = set(ids)
    return [id_ for id_ in orphans if id_ not in removed] + [row.id for row in new_representatives]


def _write_documents_and_settle_keepers(
    open_store: OpenedStore,
    ids: Sequence[int],
    incoming: Sequence[IncomingDocument],
    *,
    other_ids_without_keeper: Sequence[int] = (),
) -> list[Added]:
    """Write documents under numbers that no row has, give them and others keepers, and return
    what they are like.
    """
    connection = open_store.connection
    incoming_by_id = dict(zip(ids, incoming, strict=True))
    representative_ids, new_representative_of = _find_first_ids_of_texts(
        open_store, ids, [one.subject for one in incoming]
    )
    # Before the rows change, which say whom they kept.
    orphans = document_table.read_ids_of_members(connection, new_representative_of)
    # While their evidence is still in the file: the index makes of it what is to be taken out.
    open_store.index.remove(list(new_representative_of))
    for id_, new_id in new_representative_of.items():
        copies = [
            document_table.read_row(connection, id_),
            *document_table.read_rows_of_copies(connection, [id_]),
        ]
        document_table.insert_or_replace_rows(
            connection, (row._replace(copy_of=new_id, keeper=None) for row in copies)
        )
    contents.delete_evidence(connection, new_representative_of)
    now = records.now_in_microseconds()
    rows = {}
    for (id_, one), representative_id in zip(
        incoming_by_id.items(), representative_ids, strict=True
    ):
        rows[id_] = StoredRow(
            id=id_,
            source=one.source,
            title=one.title,
            metadata=one.metadata,
            bytes_digest=one.subject.bytes_digest,
            digest=one.subject.digest,
            fingerprint=one.subject.fingerprint,
            reason=one.reason,
            copy_of=None if representative_id == id_ else representative_id,
            keeper=None,
            duplicate_of=one.link,
            added=one.added,
            updated=now,
        )
    document_table.insert_or_replace_rows(connection, rows.values())
    representatives = sorted(row for row in rows.values() if row.copy_of is None)
    subject_by_id = {row.id: incoming_by_id[row.id].subject for row in representatives}
    evidence_by_id = {id_: one.evidence for id_, one in subject_by_id.items() if one.evidence}
    contents.write_evidence_and_flag_repetitive(connection, evidence_by_id.items())
    contents.write_texts(
        connection,
        ((id_, one.text) for id_, one in incoming_by_id.items() if one.text is not None),
    )
    new = keepers.NewDocuments(
        rows, subject_by_id, max_nominated=open_store.index.sizes.max_held_pairs
    )
    keepers.remember_candidates_of_many_before_indexing(open_store, new)
    _add_representatives_to_index(open_store, representatives, evidence_by_id)
    settled = keepers.settle_keepers(
        open_store, [*other_ids_without_keeper, *orphans, *subject_by_id], new
    )
    matches_by_id = _find_matches_with_keepers_or_else_members(open_store, new, settled)
    for row in rows.values():
        if row.copy_of is not None:
            twin = document_table.find_byte_twin_or_representative(connection, row)
            matches_by_id[row.id] = [_make_match_of_equal_text(row, twin)]
    for id_, new_id in new_representative_of.items():
        matches_by_id[new_id].append(
            _make_match_of_equal_text(rows[new_id], document_table.read_row(connection, id_))
        )
    return [Added(id_, matching.rank_matches(matches_by_id[id_])) for id_ in ids]


def _add_representatives_to_index(
    open_store: OpenedStore,
    representatives: Sequence[StoredRow],
    evidence_by_id: Mapping[int, TextEvidence],
) -> None:
    prints = arrow.import_fingerprints_of_width(
        [row.fingerprint for row in representatives], open_store.settings.recipe.bits
    )
    ids = pa.array([row.id for row in representatives], pa.int64())
    open_store.index.add(ids, prints, evidence_by_id)


class _FirstIdsOfTexts(NamedTuple):
    """The ids of the first document with each text.

    Attributes:
        of_incoming: that of each incoming document.
        new_of_stored: that of stored documents which were the first until now, by their ids; none
            unless a document comes in under an id below a stored one: a replaced one, or one of
            ``add_documents_with_ids``.
    """

    of_incoming: list[int]
    new_of_stored: dict[int, int]


def _find_first_ids_of_texts(
    open_store: OpenedStore, ids: Sequence[int], subjects: Sequence[TextToCompare]
) -> _FirstIdsOfTexts:
    """Return for each document the first one with its text, stored or among them."""
    radius = None if open_store.settings.exact else 0
    equal = Bounds(Fraction(1), None, radius, equal_only=True)
    subject_by_digest = {one.digest: one for one in subjects if one.digest is not None}
    # A digest has no index of its own (random keys would slow down every addition): the index of
    # sets, or fingerprints at distance 0, nominate documents with the same text.
    nominated_ids = {
        id_
        for nominated in matching.nominate_for_each(
            open_store, list(subject_by_digest.values()), equal
        )
        for id_ in nominated
    }
    first_id_of: dict[bytes, int] = {}
    for id_, subject in zip(ids, subjects, strict=True):
        if subject.digest is not None:
            first_id_of[subject.digest] = min(id_, first_id_of.get(subject.digest, id_))
    new_of_stored = {}
    digest_by_id = document_table.read_digests_if_any(open_store.connection, nominated_ids)
    for stored_id, digest in digest_by_id.items():
        if digest in subject_by_digest and stored_id < first_id_of[digest]:
            first_id_of[digest] = stored_id
        elif digest in subject_by_digest:
            new_of_stored[stored_id] = first_id_of[digest]
    of_incoming = [
        id_ if subject.digest is None else first_id_of[subject.digest]
        for id_, subject in zip(ids, subjects, strict=True)
    ]
    return _FirstIdsOfTexts(of_incoming, new_of_stored)


def _find_matches_with_keepers_or_else_members(
    open_store: OpenedStore, new: keepers.NewDocuments, found_matches: keepers.FoundMatches
) -> defaultdict[int, list[Match]]:
    """Return by its id what each new document is like, from the result of ``settle_keepers``:
    keepers, or the members of clusters if it is of the kind of no keeper.
    """
    matches_of_new = {
        id_: matches for id_, matches in found_matches.matches.items() if id_ in new.subjects
    }
    keeper_by_member = new.read_keeper_by_member(
        open_store.connection,
        (match.id for matches in matches_of_new.values() for match in matches),
    )
    matches_by_id: defaultdict[int, list[Match]] = defaultdict(list)
    incomplete = set(found_matches.partly_compared_ids)
    for id_, matches in matches_of_new.items():
        matches_by_id[id_] = [match for match in matches if match.id not in keeper_by_member]
        if len(matches_by_id[id_]) < len(matches):
            incomplete.add(id_)
    ids_to_compare_with_members = [
        id_
        for id_ in new.subjects
        if id_ in incomplete and not any(match.same for match in matches_by_id[id_])
    ]
    of_members = keepers.find_matches_among_cluster_members(
        open_store, ids_to_compare_with_members, new
    )
    for id_, matches in of_members.items():
        matches_by_id[id_] += matches
    return matches_by_id


def _make_match_of_equal_text(row: StoredRow, stored_row: StoredRow) -> Match:
    """Return what a document is to a stored one with the same text, perhaps of other bytes."""
    verdict = verdicts.IDENTICAL if stored_row.bytes_digest == row.bytes_digest else verdicts.EXACT
    return Match(
        id=stored_row.id,
        source=stored_row.source,
        title=stored_row.title,
        verdict=verdict,
        distance=0,
        resemblance=1.0,
        containment_left=1.0,
        containment_right=1.0,
    )
