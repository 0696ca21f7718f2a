"""A review by several people at a time: what comes next, who looks at what, and the progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ilk.companions import is_below_folder_or_is_archive, verdicts
from ilk_server.decisions import Decision, Decisions, MemberGroup
from ilk_server.families import (
    Relative,
    ReviewCluster,
    ReviewFamily,
    document_names,
    documents_but_the_keeper,
    keeper_of_cluster,
)
from ilk_server.review_sources import ReviewedCollection
from ilk_server.sessions import Session

#: Orders of families: their names, and their sort keys.
ORDERS = {
    "largest": "most documents first",
    "bytes": "most bytes first",
    "doubtful": "most doubtful first",
}

#: Resemblances from which on all members may be accepted together.
SHARES = (0.99, 0.98, 0.95, 0.9, 0.8)

#: Seconds without a sign after which somebody no longer counts as looking at a family.
_LOOKING = 60.0


class MemberPlace(NamedTuple):
    """A member of a family, with the keeper of its cluster.

    at: its place among those of the family.
    keeper, name: the documents.
    verdict, resemblance: to the keeper that was found; None if another one has replaced it.
    decision: the last decision on it.
    """

    at: int
    cluster: ReviewCluster
    keeper: str
    name: str
    verdict: str | None
    resemblance: float | None
    decision: Decision | None


class ReviewProgress(NamedTuple):
    """The progress of a review: families, and members."""

    families: int
    done: int
    members: int
    decided: int


class Review:
    """A review of families.

    Attributes:
        collection: their source.
        decisions: the decisions.
    """

    def __init__(self, collection: ReviewedCollection, decisions: Decisions) -> None:
        """Start or resume."""
        self.collection, self.decisions = collection, decisions
        self._lock = threading.Lock()
        self._orders: dict[str, list[ReviewFamily]] = {}
        self._of: Sequence[ReviewFamily] | None = None
        self._open: dict[int, int] = {}
        self._by_cluster: dict[str, ReviewFamily] = {}
        self._changes_counted = 0
        #: When somebody last looked, and who, by session and family.
        self._looks: dict[str, tuple[int, str, float]] = {}

    def families_in_order_or_largest_first(self, order: str) -> list[ReviewFamily]:
        """Return all families, in an order of ``ORDERS`` if it is one."""
        self._refresh_families_and_counts()
        with self._lock:
            if order == "bytes" and order not in self._orders:
                every = self._orders["largest"]
                sizes = self.collection.file_sizes(name for one in every for name in one.names)
                heavy = {one.number: sum(sizes.get(name, 0) for name in one.names) for one in every}
                self._orders[order] = sorted(every, key=lambda one: -heavy[one.number])
            return self._orders[order if order in ORDERS else "largest"]

    def family_of_number(self, number: int) -> ReviewFamily | None:
        """Return a family by its number; None if there is no such family any more."""
        return next(
            (
                one
                for one in self.families_in_order_or_largest_first("largest")
                if one.number == number
            ),
            None,
        )

    def count_undecided(self, family: ReviewFamily) -> int:
        """Return how many members of a family are undecided."""
        self._refresh_families_and_counts()
        return self._open.get(family.number, 0)

    def progress(self) -> ReviewProgress:
        """Return the progress."""
        every = self.families_in_order_or_largest_first("largest")
        members = sum(len(cluster.members) for one in every for cluster in one.clusters)
        left = [self._open[one.number] for one in every]
        return ReviewProgress(len(every), left.count(0), members, members - sum(left))

    def member_places(self, family: ReviewFamily) -> list[MemberPlace]:
        """Return the members of a family, each with the document that stays."""
        member_places: list[MemberPlace] = []
        for cluster in family.clusters:
            by_name = {each.name: each for each in cluster.members}
            stays = keeper_of_cluster(cluster, self.decisions)
            for name in documents_but_the_keeper(cluster, self.decisions):
                to = by_name.get(name) if stays == cluster.keeper else None
                if name == cluster.keeper:
                    to = by_name.get(stays)  # The relation of the two.
                decision = self.decisions.decision_in_force_on(cluster.name, name)
                verdict, share = (None, None) if to is None else to[1:]
                place = MemberPlace(
                    at=len(member_places),
                    cluster=cluster,
                    keeper=stays,
                    name=name,
                    verdict=verdict,
                    resemblance=share,
                    decision=decision,
                )
                member_places.append(place)
        return member_places

    def next_undecided_family_if_any(
        self, order: str, family: ReviewFamily | None, session: Session
    ) -> ReviewFamily | None:
        """Return the next family with something to decide; None if all is decided.

        Families that others look at come last.

        Args:
            order: of ``ORDERS``.
            family: the one before; None to start.
            session: the session that asks.
        """
        every = self.families_in_order_or_largest_first(order)
        at = (
            0
            if family is None
            else 1
            + next((place for place, one in enumerate(every) if one.number == family.number), -1)
        )
        left = [one for one in (*every[at:], *every[: max(0, at - 1)]) if self._open[one.number]]
        free = (
            one for one in left if not self.names_of_others_looking_at_family(one.number, session)
        )
        return next(free, left[0] if left else None)

    def undecided_identical_members(self) -> list[MemberGroup]:
        """Return the undecided members that are identical to the document that stays."""
        return self._undecided_members_of_unchanged_keepers(
            lambda each: each.verdict == verdicts.IDENTICAL
        )

    def undecided_near_members(self, least_resemblance: float) -> list[MemberGroup]:
        """Return the undecided members that resemble the document that stays at least so much.

        Those that differ from it in numbers alone are left out: their text is another one.

        """
        near = (verdicts.IDENTICAL, verdicts.EXACT, verdicts.NEAR)
        return self._undecided_members_of_unchanged_keepers(
            lambda each: each.verdict in near and (each.resemblance or 0.0) >= least_resemblance
        )

    def undecided_identical_members_in_folder(self, folder: str) -> list[MemberGroup]:
        """Return the undecided members in a folder, identical to the document that stays."""
        return self._undecided_members_of_unchanged_keepers(
            lambda each: (
                each.verdict == verdicts.IDENTICAL
                and is_below_folder_or_is_archive(each.name, folder)
            )
        )

    def _undecided_members_of_unchanged_keepers(
        self, accepts_member: Callable[[Relative], bool]
    ) -> list[MemberGroup]:
        """Return the undecided members that a function accepts, by cluster.

        Clusters in which somebody has replaced the keeper are left out: their measures are of the
        former one.
        """
        groups = []
        for family in self.families_in_order_or_largest_first("largest"):
            for cluster in family.clusters if self._open[family.number] else ():
                if keeper_of_cluster(cluster, self.decisions) == cluster.keeper:
                    same = [
                        each.name
                        for each in cluster.members
                        if accepts_member(each)
                        and self.decisions.decision_in_force_on(cluster.name, each.name) is None
                    ]
                    groups += [MemberGroup(cluster.name, cluster.keeper, same)] if same else []
        return groups

    def record_look_at_family(self, family_number: int, session: Session) -> None:
        """Note that somebody looks at a family, and no longer at another."""
        with self._lock:
            now = time.monotonic()
            self._looks = {k: v for k, v in self._looks.items() if now - v[2] < _LOOKING}
            if session.csrf:
                self._looks[session.csrf] = family_number, session.who, now

    def names_of_others_looking_at_family(self, family_number: int, session: Session) -> list[str]:
        """Return who else looks at a family; a person in several browsers is named once."""
        now = time.monotonic()
        with self._lock:
            looks = list(self._looks.items())
        return sorted(
            {
                who
                for key, (at, who, when) in looks
                if at == family_number and key != session.csrf and now - when < _LOOKING
            }
        )

    def cluster_has_documents(self, family: ReviewFamily, cluster: str, *documents: str) -> bool:
        """Return whether these documents are in a cluster of a family."""
        found = next((one for one in family.clusters if one.name == cluster), None)
        return found is not None and {*documents} <= {*document_names(found)}

    def _refresh_families_and_counts(self) -> None:
        """Read what has changed: families, decisions, and how many members are undecided."""
        every = self.collection.current_families()
        self.decisions.read_new_decisions()
        with self._lock:
            stale: Sequence[ReviewFamily] = every
            if every is self._of and self._changes_counted <= len(self.decisions.changes):
                changed = {
                    *self.decisions.changes[self._changes_counted :]
                } & self._by_cluster.keys()
                stale = [self._by_cluster[cluster] for cluster in changed]
            else:
                self._orders = {
                    "largest": sorted(every, key=lambda one: (-one.document_count, one.number)),
                    "doubtful": sorted(
                        every, key=lambda one: (one.smallest_member_resemblance_or_1, one.number)
                    ),
                }
                self._by_cluster = {each.name: one for one in every for each in one.clusters}
                self._open = {}
            self._changes_counted = len(self.decisions.changes)
            self._open |= {one.number: one.count_undecided(self.decisions) for one in stale}
            self._of = every
