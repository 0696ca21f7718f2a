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
from typing import Any, NamedTuple

import pyarrow as pa

from ilk import arrow
from ilk.arrow import verdicts
from ilk.base.errors import OptionError
from ilk.store import groups, history, keepers, matching, records
from ilk.store.db import contents, document_table
from ilk.store.db.settings import add_to_document_count, read_counter, write_setting_or_counter
from ilk.store.incoming import IncomingDocument
from ilk.store.matching import Bounds, Match, TextToCompare
from ilk.store.opened import OpenedStore
from ilk.store.records import StoredRow

#: What may happen to a document that is like a stored one.
POLICIES = ("report", "refuse", "link")

#: Documents that are compared together: large batches amortise the cost of a join.
_AT_ONCE = 1 << 17


@dataclass(frozen=True, slots=True)
class Added:
    """What happened to a document.

    Attributes:
        id: its number; None if it was refused.
        matches: what it is like, the most alike first: a stored document with the same text, or
            else the keepers of clusters, or, if it is like none of them, their members.
    """

    id: int | None
    matches: list[Match]

    @property
    def duplicate(self) -> bool:
        """Whether a stored document is of its kind."""
        return any(match.same for match in self.matches)


def add_documents(
    opened: OpenedStore, incoming: Sequence[IncomingDocument], on_duplicate: str
) -> list[Added]:
    """Store documents, or refuse them, one after the other."""
    if on_duplicate not in POLICIES:
        raise OptionError(
            f"on_duplicate is {on_duplicate!r}; it must be one of {', '.join(POLICIES)}."
        )
    # Whether one is refused may decide whether the next one is.
    together = 1 if on_duplicate == "refuse" else _AT_ONCE
    results: list[Added] = []
    for start in range(0, len(incoming), together):
        some = incoming[start : start + together]
        if on_duplicate == "refuse":
            limits = keepers.cluster_bounds(opened)
            refused = Added(None, matching.find_alike(opened, some[0].subject, limits))
            if refused.duplicate:
                results.append(refused)
                continue
        first = read_counter(opened.connection, "next_id")
        # Numbers are taken before rows are written: a number is never used again, so that a missing
        # row shows as damage.
        write_setting_or_counter(opened.connection, "next_id", first + len(some))
        add_to_document_count(opened.connection, len(some))
        found = _write_documents_and_settle_keepers(opened, range(first, first + len(some)), some)
        if on_duplicate == "link":
            best = ((one.id, one.matches[0]) for one in found if one.matches)
            links = {id_: match.id for id_, match in best if id_ is not None and match.same}
            document_table.write_changed_references(opened.connection, "duplicate_of", links)
        results += found
    return results


def add_documents_with_ids(
    opened: OpenedStore, ids: Sequence[int], incoming: Sequence[IncomingDocument]
) -> None:
    """Store documents under numbers that the file has counted, but that no row has."""
    add_to_document_count(opened.connection, len(ids))
    _write_documents_and_settle_keepers(opened, ids, incoming)


def replace_documents(opened: OpenedStore, new: Mapping[int, IncomingDocument]) -> list[Added]:
    """Give stored documents another text, by their ids."""
    outcomes: list[Added] = []
    for start in range(0, len(new), _AT_ONCE):
        ids = list(new)[start : start + _AT_ONCE]
        history.write_events_of_changes(opened, {id_: new[id_] for id_ in ids})
        undecided = _remove_and_list_ids_without_keeper(opened, ids)
        outcomes += _write_documents_and_settle_keepers(
            opened, ids, [new[id_] for id_ in ids], others_undecided=undecided
        )
    return outcomes


def remove_documents(opened: OpenedStore, ids: Sequence[int]) -> None:
    """Remove documents, with everything that belongs only to them."""
    # First: it reads the rows that go.
    history.write_events_of_arrivals_and_removals(opened, ids)
    undecided = _remove_and_list_ids_without_keeper(opened, ids)
    document_table.delete_files_and_links_to(opened.connection, ids)
    add_to_document_count(opened.connection, -len(ids))
    keepers.settle_keepers(opened, undecided)


def update_document(
    opened: OpenedStore, id_: int, incoming: IncomingDocument | None, names: Mapping[str, Any]
) -> Added:
    """Change a document: its text, if given, and some of its names."""
    former = document_table.read_row(opened.connection, id_)
    row = former._replace(**names)
    compared = former if incoming is None else incoming
    groups.refuse_change_of_group(opened, compared.metadata, row.metadata)
    if incoming is None:
        document_table.insert_or_replace_rows(
            opened.connection, [row._replace(updated=records.now_in_microseconds())]
        )
        return Added(row.id, [])
    return replace_documents(opened, {row.id: incoming.with_names_time_and_link_of(row)})[0]


def _remove_and_list_ids_without_keeper(opened: OpenedStore, ids: Sequence[int]) -> list[int]:
    """Remove documents from the index; return those that have lost their keeper.

    The first of a document's copies takes its place.
    """
    connection = opened.connection
    # Before the rows go, which say whom they kept.
    orphans = document_table.read_ids_of_members(connection, ids)
    # The index takes out what it makes again from their texts.
    opened.index.remove(list(ids))
    for table in ("documents", "texts"):
        connection.executemany(f"DELETE FROM {table} WHERE id = ?", ((id_,) for id_ in ids))
    heirs = []
    for id_ in ids:
        copies = document_table.read_rows_of_copies(connection, [id_])
        if copies:
            heir = copies[0].id
            new = (one._replace(copy_of=None if one.id == heir else heir) for one in copies)
            document_table.insert_or_replace_rows(connection, new)
            kept = contents.read_evidence_if_any(connection, [id_]).values()
            # Moved, not made anew: a store may hold no text to make it of.
            contents.write_evidence_and_repetitive_flag(connection, ((heir, one) for one in kept))
            heirs.append(copies[0])
    contents.delete_evidence(connection, ids)
    _add_rows_to_index(opened, sorted(heirs))
    gone = set(ids)
    return [one for one in orphans if one not in gone] + [heir.id for heir in heirs]


def _write_documents_and_settle_keepers(
    opened: OpenedStore,
    ids: Sequence[int],
    incoming: Sequence[IncomingDocument],
    *,
    others_undecided: Sequence[int] = (),
) -> list[Added]:
    """Write documents under numbers that no row has, and find out what they are like.

    ``others_undecided``: other documents that need a new keeper, which they get too.
    """
    connection = opened.connection
    by_id = dict(zip(ids, incoming, strict=True))
    firsts, new_first_of = _find_representative_of_each_text(
        opened, ids, [one.subject for one in incoming]
    )
    orphans = document_table.read_ids_of_members(connection, new_first_of)
    # While their evidence is still in the file: the index makes of it what is to be taken out.
    opened.index.remove(list(new_first_of))
    for id_, first in new_first_of.items():
        moved = [
            document_table.read_row(connection, id_),
            *document_table.read_rows_of_copies(connection, [id_]),
        ]
        document_table.insert_or_replace_rows(
            connection, (row._replace(copy_of=first, keeper=None) for row in moved)
        )
    contents.delete_evidence(connection, new_first_of)
    now = records.now_in_microseconds()
    rows = {}
    for (id_, one), first in zip(by_id.items(), firsts, strict=True):
        rows[id_] = StoredRow(
            id=id_,
            source=one.source,
            title=one.title,
            metadata=one.metadata,
            bytes_digest=one.subject.bytes_digest,
            digest=one.subject.digest,
            fingerprint=one.subject.fingerprint,
            reason=one.reason,
            copy_of=None if first == id_ else first,
            keeper=None,
            duplicate_of=one.link,
            added=one.added,
            updated=now,
        )
    document_table.insert_or_replace_rows(connection, rows.values())
    standing = sorted(row for row in rows.values() if row.copy_of is None)
    subjects_by_id = {row.id: by_id[row.id].subject for row in standing}
    contents.write_evidence_and_repetitive_flag(
        connection, ((i, one.evidence) for i, one in subjects_by_id.items() if one.evidence)
    )
    texts = ((i, one.text) for i, one in by_id.items() if one.text is not None)
    contents.write_texts(connection, texts)
    _add_rows_to_index(opened, standing)
    new = keepers.NewDocuments(rows, subjects_by_id)
    found = keepers.settle_keepers(opened, [*others_undecided, *orphans, *subjects_by_id], new)
    matches_of = _find_matches_with_keepers_or_else_members(opened, new, found)
    for row in rows.values():
        if row.copy_of is not None:
            matches_of[row.id] = [
                _make_match_of_equal_text(
                    row, document_table.find_byte_twin_or_representative(connection, row)
                )
            ]
    for id_, first in new_first_of.items():
        matches_of[first].append(
            _make_match_of_equal_text(rows[first], document_table.read_row(connection, id_))
        )
    return [Added(id_, matching.rank_matches(matches_of[id_])) for id_ in ids]


def _add_rows_to_index(opened: OpenedStore, rows: Sequence[StoredRow]) -> None:
    prints = arrow.import_fingerprints_of_width(
        [row.fingerprint for row in rows], opened.settings.recipe.bits
    )
    opened.index.add(pa.array([row.id for row in rows], pa.int64()), prints)


class _Representatives(NamedTuple):
    """The first document with each text.

    Attributes:
        of_incoming: that of each incoming document.
        new_of_stored: that of stored documents which were the first until now, by their ids.
    """

    of_incoming: list[int]
    new_of_stored: dict[int, int]


def _find_representative_of_each_text(
    opened: OpenedStore, ids: Sequence[int], subjects: Sequence[TextToCompare]
) -> _Representatives:
    """Return for each document the first one with its text, stored or among them."""
    radius = None if opened.settings.exact else 0
    equal = Bounds(Fraction(1), None, radius, equal_only=True)
    subject_by_digest = {one.digest: one for one in subjects if one.digest is not None}
    # A digest has no index of its own (random keys would slow down every addition): the index of
    # sets, or fingerprints at distance 0, nominate documents with the same text.
    near = {
        id_
        for ids in matching.nominate_for_each(opened, list(subject_by_digest.values()), equal)
        for id_ in ids
    }
    by_digest: dict[bytes, int] = {}
    for id_, subject in zip(ids, subjects, strict=True):
        if subject.digest is not None:
            by_digest[subject.digest] = min(id_, by_digest.get(subject.digest, id_))
    former_firsts = {}
    for stored, normal in document_table.read_digests_if_any(opened.connection, near).items():
        if normal in subject_by_digest and stored < by_digest[normal]:
            by_digest[normal] = stored
        elif normal in subject_by_digest:
            former_firsts[stored] = by_digest[normal]
    found = [
        id_ if subject.digest is None else by_digest[subject.digest]
        for id_, subject in zip(ids, subjects, strict=True)
    ]
    return _Representatives(found, former_firsts)


def _find_matches_with_keepers_or_else_members(
    opened: OpenedStore, new: keepers.NewDocuments, matches: keepers.FoundMatches
) -> dict[int, list[Match]]:
    """Return what to report for new documents, from the result of ``keepers.settle_keepers``."""
    mine = [one for one in matches.matches if one.query in new.subjects]
    kept = new.read_keeper_by_member(opened.connection, (one.match.id for one in mine))
    told_of = [one for one in mine if one.match.id not in kept]
    partly_compared_ids = matches.partly_compared_ids.union(
        one.query for one in mine if one.match.id in kept
    )
    lonely = partly_compared_ids.difference(one.query for one in told_of if one.match.same)
    alone = [one for one in new.subjects if one in lonely]
    told_of += keepers.find_matches_with_members(opened, alone, new)
    told: dict[int, list[Match]] = defaultdict(list)
    for one in told_of:
        told[one.query].append(one.match)
    return told


def _make_match_of_equal_text(row: StoredRow, twin: StoredRow) -> Match:
    verdict = verdicts.IDENTICAL if twin.bytes_digest == row.bytes_digest else verdicts.EXACT
    return Match(twin.id, twin.source, twin.title, verdict, 0, 1.0, 1.0, 1.0)
