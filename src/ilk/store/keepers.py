"""Anchored clusters, kept current as documents are added, removed or changed.

Documents are decided in the order of their ids; one that is like no earlier keeper becomes a keeper
and takes those that it is like. So the clusters are those of a scan of all
documents (``ilk.search.linkage``), in whatever order they were added and removed. A change is
settled locally: undecided documents look at the keepers before them, and only a document that
becomes a keeper, or ceases to be one, affects others, and only later ones. Of documents with the
same text, the first represents all.
"""

from __future__ import annotations

import heapq
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ilk.arrow import verdicts
from ilk.base.options import CONTAINMENT, check_option
from ilk.store import matching
from ilk.store.db import document_table
from ilk.store.db.contents import RowWithEvidence
from ilk.store.db.lookups import AMONG, list_parameter
from ilk.store.matching import AskedText, Bounds, Subject, VerifiedMatch
from ilk.store.opened import OpenedStore
from ilk.store.records import StoredRow

#: Documents that are decided together: large batches amortise the cost of a join; the bound is
#: for their memory.
_AT_ONCE = 1 << 17


class FoundMatches(NamedTuple):
    """What documents are like.

    Attributes:
        matches: their matches, with the id of the document for ``query``.
        partly_compared: the documents with a candidate that was not examined: there may be more.
    """

    matches: list[VerifiedMatch]
    partly_compared: set[int]


class NewDocuments:
    """Documents that this call has written. What is known of them is not read from the file again:
    in a large batch, most candidates of a document are others of the batch.

    Attributes:
        subjects: those that represent a text, in the form for comparison.
        rows_with_evidence: their rows and their evidence; the rows name former keepers.
        keepers: of those that have one by now.
        nominated: what was nominated for some of them, while the index stays as it is.
    """

    def __init__(
        self,
        rows: Mapping[int, StoredRow],
        subjects: Mapping[int, Subject],
        most_nominated: int = 1 << 22,
    ) -> None:
        """Hold what was written; nominated documents take 8 bytes each, up to that number."""
        self.subjects = subjects
        self.rows_with_evidence = {
            id_: RowWithEvidence(rows[id_], subject.evidence) for id_, subject in subjects.items()
        }
        self.keepers: dict[int, int] = {}
        self.nominated: dict[int, Sequence[int]] = {}
        self._nominated_count, self._most_nominated = 0, most_nominated

    def read_keeper_by_member(
        self, connection: sqlite3.Connection, ids: Iterable[int]
    ) -> dict[int, int]:
        """Return the keepers of those of some documents that have one."""
        wanted = set(ids)
        others = wanted.difference(self.subjects)
        found = document_table.read_keeper_by_member(connection, others) if others else {}
        return found | {id_: self.keepers[id_] for id_ in wanted & self.keepers.keys()}

    def write_keepers(
        self, connection: sqlite3.Connection, keeper_of: Mapping[int, int | None]
    ) -> None:
        """Write the keepers of documents, new or not."""
        document_table.write_changed_references(connection, "keeper", keeper_of)
        for id_, keeper in keeper_of.items():
            if id_ in self.subjects and keeper is not None:
                self.keepers[id_] = keeper
            else:
                self.keepers.pop(id_, None)

    def remember_nominated(self, id_: int, nominated: Sequence[int]) -> None:
        """Remember what was nominated for a document, within a bound of memory."""
        self._nominated_count += len(nominated)
        if self._nominated_count <= self._most_nominated:
            self.nominated[id_] = array("q", nominated)


def cluster_thresholds(opened: OpenedStore) -> Bounds:
    """Return the thresholds that put two documents in one cluster, and those for matches."""
    containment = check_option("containment", CONTAINMENT)
    settings = opened.settings
    return Bounds(
        settings.resemblance,
        containment,
        settings.fingerprint_pairing_radius,
        settings.noise_limits,
    )


def settle_keepers(
    opened: OpenedStore, undecided: Iterable[int], new: NewDocuments | None = None
) -> FoundMatches:
    """Give every document its keeper again.

    Args:
        opened: in a transaction.
        undecided: documents that represent a text and whose keeper is unknown: they are new, or it
            was removed. They keep nobody.
        new: those of them that are new; None if none is.

    Returns:
        What the undecided ones are like: keepers, and earlier ones of those compared together.
    """
    new = new or NewDocuments({}, {})
    open_ = set(undecided)
    waiting = sorted(open_)
    matches: list[VerifiedMatch] = []
    partly_compared: set[int] = set()
    together: set[int] = set()

    def choose_keepers(query: int, ids: Sequence[int], kept: Mapping[int, int]) -> list[int]:
        """Choose keepers, and earlier ones of those decided together."""
        earlier = [id_ for id_ in ids if id_ < query and id_ in together]
        return [*earlier, *(id_ for id_ in ids if id_ not in kept and id_ not in open_)]

    while waiting:
        some = [heapq.heappop(waiting) for _ in range(min(len(waiting), _AT_ONCE))]
        together = set(some)
        found = _verify_chosen_candidates(opened, some, choose_keepers, new)
        matches += found.matches
        partly_compared |= found.partly_compared
        open_.difference_update(some)
        # Orphans are later than the keeper that they lost: the heap still gives documents in order.
        for one in _assign_keepers_and_find_orphans(opened, some, found.matches, new):
            if one not in open_:
                open_.add(one)
                heapq.heappush(waiting, one)
    return FoundMatches(matches, partly_compared)


def _assign_keepers_and_find_orphans(
    opened: OpenedStore, ids: list[int], verified: Sequence[VerifiedMatch], new: NewDocuments
) -> list[int]:
    """Give documents their keepers; return those whose keeper ceased to be one."""
    before: dict[int, list[int]] = defaultdict(list)
    after: dict[int, list[int]] = defaultdict(list)
    for query, other in _pairs_of_one_kind(verified):
        (before if other < query else after)[query].append(other)
    keepers: dict[int, int | None] = {}
    # Keepers that are like an earlier one: it keeps them.
    former_keepers: dict[int, int | None] = {}
    for one in ids:
        earlier = before.get(one, ())
        # In the order of ids: whether an earlier one keeps is decided by now.
        keeping = (k for k in earlier if k not in former_keepers and keepers.get(k) is None)
        keepers[one] = min(keeping, default=None) if earlier else None
        if keepers[one] is None:
            for later in after.get(one, ()):
                former_keepers.setdefault(later, one)
    # Most are new and have no keeper.
    known = {
        one: keeper
        for one, keeper in keepers.items()
        if keeper is not None or one not in new.subjects
    }
    new.write_keepers(opened.connection, known | former_keepers)
    _take_from_later_keepers(opened, [one for one in ids if keepers[one] is None], ids, new)
    return document_table.read_ids_of_members(opened.connection, former_keepers)


def _take_from_later_keepers(
    opened: OpenedStore, new_keepers: list[int], together: list[int], new: NewDocuments
) -> None:
    """Give these new keepers the documents that they are like from later keepers.

    Documents decided together with them already have the earliest keeper, so the last documents
    need no search.
    """
    last_one = f"SELECT max(id) FROM documents WHERE copy_of IS NULL AND id NOT {AMONG}"
    (last,) = opened.connection.execute(last_one, list_parameter(together)).fetchone()
    earlier = [one for one in new_keepers if last is not None and one < last]
    keeper_of: dict[int, int | None] = {}

    def choose_later(query: int, ids: Sequence[int], kept: Mapping[int, int]) -> list[int]:
        return [id_ for id_ in ids if query < id_ and query < kept.get(id_, -1)]

    found = _verify_chosen_candidates(opened, earlier, choose_later, new)
    for query, other in _pairs_of_one_kind(found.matches):
        keeper_of.setdefault(other, query)
    new.write_keepers(opened.connection, keeper_of)


def find_alike_members(
    opened: OpenedStore,
    ids: list[int],
    new: NewDocuments,
) -> list[VerifiedMatch]:
    """Return the kept documents that some new documents are like, with ids for ``query``, without
    later ones of the new documents.
    """

    def choose_kept(query: int, ids: Sequence[int], kept: Mapping[int, int]) -> list[int]:
        return [id_ for id_ in ids if id_ in kept and (id_ < query or id_ not in new.subjects)]

    return _verify_chosen_candidates(opened, ids, choose_kept, new).matches


#: A function that chooses candidates of a document; others may keep some of them.
_Choice = Callable[[int, Sequence[int], Mapping[int, int]], list[int]]


def _verify_chosen_candidates(
    opened: OpenedStore, ids: Sequence[int], choose: _Choice, new: NewDocuments
) -> FoundMatches:
    """Return what stored documents are like among chosen candidates."""
    matches: list[VerifiedMatch] = []
    partly_compared: set[int] = set()
    limits = cluster_thresholds(opened)
    missing = [one for one in ids if one not in new.subjects]
    subjects = {
        **new.subjects,
        **(matching.read_stored_subjects(opened, missing) if missing else {}),
    }

    def nominate() -> Iterator[AskedText]:
        """Yield what is nominated for each document, remembered or not."""
        unknown = [id_ for id_ in ids if id_ not in new.nominated]
        every = matching.nominate_stored(opened, [subjects[id_] for id_ in unknown], limits)
        for id_ in ids:
            near = new.nominated.get(id_)
            if near is None:
                near = [one for one in next(every) if one != id_]
                if id_ in new.subjects:
                    new.remember_nominated(id_, near)
            yield AskedText(id_, subjects[id_], near)

    for some in matching.split_by_candidates(nominate(), opened.index.sizes.held):
        kept = new.read_keeper_by_member(
            opened.connection, (id_ for one in some for id_ in one.ids)
        )
        looked_at = [one._replace(ids=choose(one.query, one.ids, kept)) for one in some]
        pairs = zip(some, looked_at, strict=True)
        partly_compared.update(one.query for one, other in pairs if len(one.ids) > len(other.ids))
        matches += matching.verify_candidates(opened, looked_at, limits, new.rows_with_evidence)
    return FoundMatches(matches, partly_compared)


def _pairs_of_one_kind(verified: Iterable[VerifiedMatch]) -> list[tuple[int, int]]:
    return sorted((one.query, one.match.id) for one in verified if one.match.same)


class MeasuredMember(NamedTuple):
    """What a member is to the first document of its cluster."""

    verdict: str
    resemblance: float | None


def compare_members_with_first(
    opened: OpenedStore, clusters: Sequence[Sequence[int]]
) -> dict[int, MeasuredMember]:
    """Return for each member its verdict and its resemblance to the first document of its cluster.

    Args:
        clusters: documents, the one to compare with first, from ``document_table.clusters`` or
            ``originals``; those removed since are left out.
    """
    rows = document_table.read_rows_that_exist(
        opened.connection, (one for cluster in clusters for one in cluster)
    )
    whole = [cluster for cluster in clusters if cluster[0] in rows]
    firsts = matching.read_stored_subjects(
        opened, {rows[cluster[0]].representative_id for cluster in whole}
    )
    asked = []
    for cluster in whole:
        first = rows[cluster[0]].representative_id
        there = {rows[one].representative_id for one in cluster[1:] if one in rows} - {first}
        asked.append(AskedText(cluster[0], firsts[first], sorted(there)))
    found = matching.verify_candidates(opened, asked, cluster_thresholds(opened), {})
    shares = {(at, one.id): MeasuredMember(one.verdict, one.resemblance) for at, one in found}
    measure_of: dict[int, MeasuredMember] = {}
    unknown = MeasuredMember(verdicts.UNVERIFIED, None)
    for cluster in whole:
        keeper = rows[cluster[0]]
        for one in (rows[id_] for id_ in cluster[1:] if id_ in rows):
            same_bytes = one.bytes_digest == keeper.bytes_digest
            copy = MeasuredMember(verdicts.IDENTICAL if same_bytes else verdicts.EXACT, 1.0)
            other = shares.get((keeper.id, one.representative_id), unknown)
            measure_of[one.id] = (
                copy if one.representative_id == keeper.representative_id else other
            )
    return measure_of
