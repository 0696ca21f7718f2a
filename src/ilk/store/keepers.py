"""Anchored clusters, kept current as documents are added, removed or changed.

Documents are decided in the order of their ids; one that is like no earlier keeper becomes a keeper
and takes those that it is like. So the clusters are those of one search of all documents that keeps
the first of each (``ilk.search.linkage``), in whatever order they were added and removed. A change
is settled locally: undecided documents look at the keepers before them, and only a document that
becomes a keeper, or ceases to be one, affects others, and only later ones. Of documents with the
same text, the first represents all.
"""

from __future__ import annotations

import heapq
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ilk.arrow import verdicts
from ilk.base.errors import TooManyPairs
from ilk.store import matching
from ilk.store.db import document_table
from ilk.store.db.contents import RowWithEvidence
from ilk.store.db.lookups import AMONG, list_parameter
from ilk.store.matching import Bounds, CandidateIdsByText, Match, TextToCompare
from ilk.store.opened import OpenedStore
from ilk.store.records import StoredRow


@dataclass(slots=True)
class FoundMatches:
    """What documents are like; it grows.

    Attributes:
        matches: their matches, by the ids of the documents; one that is like none has none.
        partly_compared_ids: documents with a candidate that was not examined: there may be more.
    """

    matches: dict[int, list[Match]] = field(default_factory=dict)
    partly_compared_ids: set[int] = field(default_factory=set)

    def add(self, others: FoundMatches) -> None:
        """Add what was found for these or other documents."""
        for id_, matches in others.matches.items():
            self.matches.setdefault(id_, []).extend(matches)
        self.partly_compared_ids.update(others.partly_compared_ids)


class NewDocuments:
    """Documents that this call has written. What is known of them is not read from the file again:
    in a large batch, most candidates of a document are others of the batch.

    Attributes:
        subjects: those that represent a text, in the form for comparison.
        rows_with_evidence: their rows and their evidence, as the file has them.
        nominated_ids: what was nominated for some of them: of stored documents and of one another.
    """

    def __init__(
        self,
        rows: Mapping[int, StoredRow],
        subjects: Mapping[int, TextToCompare],
        max_nominated: int,
    ) -> None:
        """Hold what was written, and at most that many nominated documents."""
        self.subjects = subjects
        self.rows_with_evidence = {
            id_: RowWithEvidence(rows[id_], subject.evidence) for id_, subject in subjects.items()
        }
        self.nominated_ids: dict[int, Sequence[int]] = {}
        self._nominated_count, self._max_nominated = 0, max_nominated

    def read_keeper_by_member(
        self, connection: sqlite3.Connection, ids: Iterable[int]
    ) -> dict[int, int]:
        """Return the ids of keepers by those of members, new or not; others are left out."""
        wanted = set(ids)
        others = wanted.difference(self.subjects)
        keeper_of = document_table.read_keeper_by_member(connection, others) if others else {}
        for id_ in wanted & self.subjects.keys():
            if (keeper := self.rows_with_evidence[id_].row.keeper) is not None:
                keeper_of[id_] = keeper
        return keeper_of

    def write_and_remember_keepers(
        self, connection: sqlite3.Connection, keeper_of: Mapping[int, int | None]
    ) -> None:
        """Write the keepers of documents, new or not, and remember those of new ones."""
        known_rows = {
            id_: self.rows_with_evidence[id_].row for id_ in keeper_of.keys() & self.subjects.keys()
        }
        changed = document_table.write_changed_references(
            connection, "keeper", keeper_of, known_rows=known_rows
        )
        for id_ in changed.keys() & known_rows.keys():
            self.rows_with_evidence[id_] = RowWithEvidence(
                changed[id_], self.subjects[id_].evidence
            )

    def remember_nominated_if_room(self, id_: int, nominated_ids: Sequence[int]) -> bool:
        """Remember what was nominated for a document, within a bound of memory; return whether it
        is remembered.
        """
        self._nominated_count += len(nominated_ids)
        has_room = self._nominated_count <= self._max_nominated
        if has_room:
            self.nominated_ids[id_] = array("q", nominated_ids)
        return has_room


def remember_candidates_of_many_before_indexing(open_store: OpenedStore, new: NewDocuments) -> None:
    """Remember what is nominated for documents that the index does not have yet: stored ones by
    the index, and others of the new ones by a join of these in memory.

    Only an exact store gains by it: adding 100,000 short texts takes 22 CPU seconds if each is
    looked up among the others, and 14 if they are joined. Of noisy copies, and of more pairs than
    there is room for, nothing is remembered; then the index is asked, once it has the new
    documents.
    """
    bounds, min_joined = Bounds.of_store(open_store.settings), open_store.index.sizes.min_joined
    evidence_by_id = {id_: one.evidence for id_, one in new.subjects.items() if one.evidence}
    if bounds.radius is not None or bounds.noise is not None or len(evidence_by_id) < min_joined:
        return
    try:
        among = matching.nominate_among_each_other(open_store, evidence_by_id, bounds)
    except TooManyPairs:
        return
    subjects = [new.subjects[id_] for id_ in evidence_by_id]
    stored = matching.nominate_for_each(open_store, subjects, bounds)
    for id_, stored_ids in zip(evidence_by_id, stored, strict=True):
        if not new.remember_nominated_if_room(id_, [*stored_ids, *among.get(id_, ())]):
            # All others are looked up later, when the index has the new ones too.
            break


def settle_keepers(
    open_store: OpenedStore, ids_without_keeper: Iterable[int], new: NewDocuments | None = None
) -> FoundMatches:
    """Give every document its keeper again.

    Args:
        open_store: in a transaction.
        ids_without_keeper: documents that represent a text and whose keeper is unknown: they are
            new, or it was removed. They keep nobody.
        new: those of them that are new; None if none is.

    Returns:
        What they are like: keepers, and earlier ones of those compared together.
    """
    sizes = open_store.index.sizes
    new = new or NewDocuments({}, {}, max_nominated=sizes.max_held_pairs)
    undecided_ids = set(ids_without_keeper)
    waiting = sorted(undecided_ids)
    all_matches = FoundMatches()
    together: set[int] = set()

    def choose_keepers_and_earlier_of_portion(
        id_: int, candidate_ids: Sequence[int], keeper_by_member: Mapping[int, int]
    ) -> list[int]:
        """Choose keepers, and earlier ones of those decided together."""
        earlier = [other for other in candidate_ids if other < id_ and other in together]
        keepers = (
            other
            for other in candidate_ids
            if other not in keeper_by_member and other not in undecided_ids
        )
        return [*earlier, *keepers]

    while waiting:
        portion = [heapq.heappop(waiting) for _ in range(min(len(waiting), sizes.max_documents))]
        together = set(portion)
        found_matches = _verify_chosen_candidates(
            open_store, portion, choose_keepers_and_earlier_of_portion, new
        )
        all_matches.add(found_matches)
        undecided_ids.difference_update(portion)
        # An orphan may come before documents that are decided. If it becomes a keeper, it takes
        # them from later keepers, as any new one does. Its id is above that of the keeper that it
        # lost, so this ends.
        for orphan in _assign_keepers_and_find_orphans(
            open_store, portion, found_matches.matches, new
        ):
            if orphan not in undecided_ids:
                undecided_ids.add(orphan)
                heapq.heappush(waiting, orphan)
    return all_matches


def _assign_keepers_and_find_orphans(
    open_store: OpenedStore,
    ids: list[int],
    matches_by_id: Mapping[int, Sequence[Match]],
    new: NewDocuments,
) -> list[int]:
    """Give documents their keepers; return those whose keeper ceased to be one."""
    earlier_alike: dict[int, list[int]] = defaultdict(list)
    later_alike: dict[int, list[int]] = defaultdict(list)
    for id_, other in _sorted_id_pairs_of_duplicates(matches_by_id):
        (earlier_alike if other < id_ else later_alike)[id_].append(other)
    keeper_of: dict[int, int | None] = {}
    # Of keepers that are like an earlier one: it keeps them.
    keeper_of_former_keeper: dict[int, int | None] = {}
    for id_ in ids:
        # In the order of ids: whether an earlier one keeps is decided by now.
        keepers = (
            other
            for other in earlier_alike.get(id_, ())
            if other not in keeper_of_former_keeper and keeper_of.get(other) is None
        )
        keeper_of[id_] = min(keepers, default=None)
        if keeper_of[id_] is None:
            for later in later_alike.get(id_, ()):
                keeper_of_former_keeper.setdefault(later, id_)
    # Most are new and have no keeper.
    changed = {
        id_: keeper
        for id_, keeper in keeper_of.items()
        if keeper is not None or id_ not in new.subjects
    }
    new.write_and_remember_keepers(open_store.connection, changed | keeper_of_former_keeper)
    new_keeper_ids = [id_ for id_ in ids if keeper_of[id_] is None]
    _find_and_move_members_of_later_keepers(
        open_store, new_keeper_ids, new, ids_decided_together=ids
    )
    return document_table.read_ids_of_members(open_store.connection, keeper_of_former_keeper)


def _find_and_move_members_of_later_keepers(
    open_store: OpenedStore,
    new_keeper_ids: list[int],
    new: NewDocuments,
    *,
    ids_decided_together: list[int],
) -> None:
    """Give these new keepers the documents that they are like from later keepers.

    Documents decided together with them already have the earliest keeper, so the last documents
    need no search.
    """
    query = f"SELECT max(id) FROM documents WHERE copy_of IS NULL AND id NOT {AMONG}"
    parameters = list_parameter(ids_decided_together)
    (last,) = open_store.connection.execute(query, parameters).fetchone()
    earlier = [id_ for id_ in new_keeper_ids if last is not None and id_ < last]
    keeper_of: dict[int, int | None] = {}

    def choose_members_of_later_keepers(
        id_: int, candidate_ids: Sequence[int], keeper_by_member: Mapping[int, int]
    ) -> list[int]:
        return [
            other
            for other in candidate_ids
            if id_ < other and id_ < keeper_by_member.get(other, -1)
        ]

    matches = _verify_chosen_candidates(
        open_store, earlier, choose_members_of_later_keepers, new
    ).matches
    for id_, other in _sorted_id_pairs_of_duplicates(matches):
        keeper_of.setdefault(other, id_)
    new.write_and_remember_keepers(open_store.connection, keeper_of)


def find_matches_among_cluster_members(
    open_store: OpenedStore,
    ids: list[int],
    new: NewDocuments,
) -> dict[int, list[Match]]:
    """Return the members of clusters that some documents are like, by the ids of the documents,
    without later ones of the new documents.
    """

    def choose_stored_or_earlier_members(
        id_: int, candidate_ids: Sequence[int], keeper_by_member: Mapping[int, int]
    ) -> list[int]:
        return [
            other
            for other in candidate_ids
            if other in keeper_by_member and (other < id_ or other not in new.subjects)
        ]

    return _verify_chosen_candidates(open_store, ids, choose_stored_or_earlier_members, new).matches


class _ChooseCandidates(Protocol):
    """A function that chooses among the candidates of a document; some of these are members."""

    def __call__(
        self, id_: int, candidate_ids: Sequence[int], keeper_by_member: Mapping[int, int], /
    ) -> list[int]: ...


def _verify_chosen_candidates(
    open_store: OpenedStore, ids: Sequence[int], choose: _ChooseCandidates, new: NewDocuments
) -> FoundMatches:
    """Return what stored documents are like among chosen candidates."""
    found_matches = FoundMatches()
    bounds = Bounds.of_store(open_store.settings)
    stored_ids = [id_ for id_ in ids if id_ not in new.subjects]
    subjects = {
        **new.subjects,
        **(matching.read_representatives_to_compare(open_store, stored_ids) if stored_ids else {}),
    }

    def nominate() -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each document with what is nominated for it, remembered or not."""
        unremembered = [id_ for id_ in ids if id_ not in new.nominated_ids]
        nominated = matching.nominate_for_each(
            open_store, [subjects[id_] for id_ in unremembered], bounds
        )
        for id_ in ids:
            candidate_ids = new.nominated_ids.get(id_)
            if candidate_ids is None:
                candidate_ids = [other for other in next(nominated) if other != id_]
                if id_ in new.subjects:
                    new.remember_nominated_if_room(id_, candidate_ids)
            yield id_, candidate_ids

    for portion in matching.split_by_candidate_count(
        nominate(), open_store.index.sizes.max_candidates
    ):
        keeper_by_member = new.read_keeper_by_member(
            open_store.connection, (other for others in portion.values() for other in others)
        )
        chosen_ids: CandidateIdsByText = {
            id_: choose(id_, others, keeper_by_member) for id_, others in portion.items()
        }
        matches = matching.verify_candidates(
            open_store, subjects, chosen_ids, bounds=bounds, known_rows=new.rows_with_evidence
        )
        partly_compared_ids = {
            id_ for id_, others in portion.items() if len(others) > len(chosen_ids[id_])
        }
        found_matches.add(FoundMatches(matches, partly_compared_ids))
    return found_matches


class _IdPair(NamedTuple):
    """The ids of a document, and of one that it is like."""

    id: int
    match_id: int


def _sorted_id_pairs_of_duplicates(matches_by_id: Mapping[int, Sequence[Match]]) -> list[_IdPair]:
    return sorted(
        _IdPair(id_, match.id)
        for id_, matches in matches_by_id.items()
        for match in matches
        if match.same
    )


class MeasuredMember(NamedTuple):
    """What a member is to the first document of its cluster."""

    verdict: str
    resemblance: float | None


def compare_members_with_first(
    open_store: OpenedStore, clusters: Sequence[Sequence[int]]
) -> dict[int, MeasuredMember]:
    """Return for each member its verdict and its resemblance to the first document of its cluster.

    Args:
        clusters: documents, the one to compare with first, from ``read_clusters_of_two_or_more`` or
            ``put_originals_first``; those removed since are left out.
    """
    rows = document_table.read_rows_unless_removed(
        open_store.connection, (id_ for cluster in clusters for id_ in cluster)
    )
    stored_clusters = [cluster for cluster in clusters if cluster[0] in rows]
    subjects = matching.read_representatives_to_compare(
        open_store, {rows[cluster[0]].representative_id for cluster in stored_clusters}
    )
    subject_by_first, candidate_ids = {}, defaultdict[int, list[int]](list)
    for cluster in stored_clusters:
        first_id = rows[cluster[0]].representative_id
        others = {rows[id_].representative_id for id_ in cluster[1:] if id_ in rows} - {first_id}
        subject_by_first[cluster[0]] = subjects[first_id]
        candidate_ids[cluster[0]] += sorted(others)
    matches_by_first = matching.verify_candidates(
        open_store,
        subject_by_first,
        candidate_ids,
        bounds=Bounds.of_store(open_store.settings),
        known_rows={},
    )
    measure_of_pair = {
        (first_id, match.id): MeasuredMember(match.verdict, match.resemblance)
        for first_id, matches in matches_by_first.items()
        for match in matches
    }
    measured_by_member: dict[int, MeasuredMember] = {}
    no_measure = MeasuredMember(verdicts.UNVERIFIED, None)
    for cluster in stored_clusters:
        first = rows[cluster[0]]
        for row in (rows[id_] for id_ in cluster[1:] if id_ in rows):
            if row.representative_id == first.representative_id:
                same_bytes = row.bytes_digest == first.bytes_digest
                verdict = verdicts.IDENTICAL if same_bytes else verdicts.EXACT
                measured_by_member[row.id] = MeasuredMember(verdict, 1.0)
            else:
                pair = (first.id, row.representative_id)
                measured_by_member[row.id] = measure_of_pair.get(pair, no_measure)
    return measured_by_member
