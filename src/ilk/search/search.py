"""Pair, verify and cluster documents that were read, by a plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.base import resources
from ilk.base.run_options import Running
from ilk.fingerprints import hamming
from ilk.fingerprints.digest import mark_representatives
from ilk.search import evidence_joins, numbers
from ilk.search.clustering import (
    are_left_contained_or_first_of_equal,
    are_repeated,
    expand_to_all_document_pairs,
    list_members_of_families_of_several,
    pick_first_container_of_each,
    unordered_pair_keys,
)
from ilk.search.evidence import Evidence, OneSite
from ilk.search.joins_in_time import join_cutting_large_families_by_time
from ilk.search.judging import Judge
from ilk.search.linkage import (
    Clustering,
    best_left_of_each_row_or_null,
    cluster_by_shingle_sets,
    cluster_pairs,
    cluster_pairs_with_baseline,
    merge_clusters_of_paired_keepers,
    merge_families,
)
from ilk.search.meeting import Meeting
from ilk.search.noisy_copies import NoisyCopies, with_agreement_of_representatives
from ilk.search.pairing import (
    make_candidate_table,
    merge_equal_fingerprints_and_pair_within_radius,
    pair_representatives_within_radius,
    with_containment_candidates_if_sought,
)
from ilk.search.query import Query
from ilk.search.ranking import scaled_resemblance_sums_of_documents
from ilk.search.read_documents import ReadDocuments
from ilk.search.search_plan import SearchPlan

#: Verdicts of pairs that do not form a cluster.
_ONE_SIDED = (verdicts.CONTAINED, verdicts.CONTAINS)


@dataclass(frozen=True)
class Search:
    """The steps pair, verify and cluster, each done when its result is needed.

    A search has one of two ways to its clusters, the second in three forms. The ``judge`` knows the
    rules that a request adds to them (sites, labels, times, numbers, noise, containment);
    ``find_members`` applies them.

    ====================== =============================== ====================================
    plan                   candidates                      clusters
    ====================== =============================== ====================================
    ``exact``              joined sets, by families        from the join; or, if the judge needs
                                                           pairs, from those listed
    ``fingerprint``, rows  joined sets of documents that   the same
                           fingerprints connect
    ``fingerprint``        pairs within the radius         from verified pairs
    ... ``unverified``     the same                        from all pairs, by their bits
    ====================== =============================== ====================================

    Attributes:
        documents: the documents with their fingerprints and digests.
        evidence: the evidence of their texts; that of ``documents_read``, if there is one.
        meeting: the representatives of the documents, and which of them may be alike at all.
        plan: the request, and how to find candidates.
        running: how it runs.
        one_site: what pairs of one site must share; None if no more than others.
        nominating_fingerprints: those within the radius connect documents, which are then joined by
            their sets; if None, the plan decides which pairs are verified.
        documents_read: the documents as they were read; noisy copies need its texts and noise
            evidence.
    """

    documents: pa.Table
    evidence: Evidence
    meeting: Meeting
    plan: SearchPlan
    running: Running
    one_site: OneSite | None = None
    nominating_fingerprints: pa.Array | None = None
    documents_read: ReadDocuments | None = None

    @property
    def baseline_size(self) -> int:
        """How many documents, the first ones, are the baseline.

        They do not join clusters of other documents, and documents like one of them join its
        cluster. Only joins of sets support it.
        """
        return self.meeting.baseline_size

    def __getstate__(self) -> dict[str, Any]:
        # Results are pickled, and cached steps are made again.
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def find_members(self, ranking: pa.Array) -> arrow.ClusterTable:
        """Return the documents in families, members measured against their keepers: ``CLUSTERS``.

        Args:
            ranking: all documents, best first.
        """
        self.running.tell("cluster", 0, None)
        representatives = self.representatives
        if self._query.unverified:
            representatives, pairs = merge_equal_fingerprints_and_pair_within_radius(
                self.documents,
                representatives,
                self.plan,
                jobs=self.running.jobs,
                ranking=ranking,
            )
            # Fewer bits mean more alike.
            near = pc.negate(pairs["distance"].cast(pa.int64()))
            clustering = cluster_pairs(
                pairs.append_column("resemblance", near), ranking, self._query.linkage
            )
        else:
            clustering = self.cluster_representatives_by_resemblance(ranking)
        if self.plan.numbers_only_is_alike:
            clustering = self._merge_clusters_differing_in_numbers(clustering, ranking)
        if self.noisy_copies_if_sought is not None:
            clustering = self.noisy_copies_if_sought.merge_noisy_clusters_verified_by_linkage(
                clustering, ranking
            )
        if self.meeting.apart is not None:
            clustering = self.meeting.apart.split_clusters(clustering, representatives, ranking)
        members = list_members_of_families_of_several(
            clustering, representatives, baseline_size=self.baseline_size
        )
        del clustering
        self.release_pages_and_freed_memory()
        return self.judge_against_keeper_and_also_like(members)

    def judge_against_keeper_and_also_like(self, members: pa.Table) -> arrow.ClusterTable:
        """Return documents in families, judged against their keepers, and those that they are
        ``also_like``: ``CLUSTERS``.

        Args:
            members: from ``list_members_of_families_of_several``.
        """
        to_keeper = self.judge.judge_against_others_or_null(members["doc"], members["keeper"])
        also = self.judge.judge_against_others_or_null(members["doc"], members["also_like"])
        self.release_pages_and_freed_memory()
        words = to_keeper["verdict"]
        if self._query.linkage != "anchored":
            unlike = pc.equal(words, verdicts.DIFFERENT)
            if self.meeting.window is not None:
                sides = (arrow.flat(members[name]) for name in ("doc", "keeper"))
                unlike = pc.or_(
                    unlike, pc.invert(self.meeting.window.are_near_or_both_untimed(*sides))
                )
            words = pc.if_else(unlike, verdicts.CONNECTED, words)
        of_keeper = ("distance", "resemblance", "containment_left", "containment_right")
        table = pa.table(
            [
                *(members[name] for name in ("doc", "family", "cluster", "keeper")),
                *(to_keeper[name] for name in of_keeper),
                words,
                *(members["also_like"], also["resemblance"], also["verdict"]),
            ],
            schema=arrow.CLUSTERS,
        )
        if self.noisy_copies_if_sought is None:
            return table
        return table.append_column("agreement", to_keeper["agreement"])

    def scaled_resemblance_sums_of_documents(self) -> pa.Int64Array:
        """Return for each document the sum of its resemblances to all documents that it is like.

        All pairs are listed for it.
        """
        one_sided = pc.is_in(self.verified_pairs["verdict"], pa.array(_ONE_SIDED))
        return scaled_resemblance_sums_of_documents(
            self.representatives, self.verified_pairs.filter(pc.invert(one_sided))
        )

    def cluster_representatives_by_resemblance(self, ranking: pa.Array) -> Clustering:
        """Return the clusters and families of the representatives, by sets or by verified pairs."""
        if not self._joins_sets:
            pairs = self.judge.select_pairs_with_clustering_verdicts(self.verified_pairs)
            return cluster_pairs(pairs, ranking, self._query.linkage)
        rows = pa.arange(0, len(ranking))
        clustering = Clustering.each_row_alone(len(ranking))
        min_resemblance, linkage, max_pairs = (
            self._query.resemblance,
            self._query.linkage,
            self._query.max_pairs,
        )
        families = self._label_families_by_first_row(self.baseline_size)
        for sets in self._portions_to_join(families):
            joined_rows, across, baseline_keepers = sets.joined_texts_mask, [], None
            if self.baseline_size:
                pairs = self.judge.select_judged_that_may_cluster(
                    join_cutting_large_families_by_time(
                        sets,
                        families,
                        self.meeting.window,
                        baseline_size=self.baseline_size,
                        join_rows=lambda selection, size: evidence_joins.join_across_row_split(
                            selection, size, min_resemblance, max_pairs
                        ),
                    )
                )
                baseline_keepers = best_left_of_each_row_or_null(
                    pairs["left"], pairs["right"], pairs["resemblance"], len(sets)
                )
                others = pc.greater_equal(rows, self.baseline_size)
                others = pc.and_(others, not self.meeting.compares_only_with_baseline)
                across, sets = [pairs], sets.with_joined_limited_to(others)
            if self.judge.needs_listed_pairs:
                near = self.judge.select_judged_that_may_cluster(
                    join_cutting_large_families_by_time(
                        sets,
                        families,
                        self.meeting.window,
                        baseline_size=self.baseline_size,
                        join_rows=lambda selection, _: (
                            evidence_joins.join_candidates_by_resemblance(
                                selection, min_resemblance, max_pairs
                            )
                        ),
                    )
                )
                part = cluster_pairs(
                    pa.concat_tables([*across, near]), ranking, linkage, baseline_keepers
                )
            else:
                part = cluster_by_shingle_sets(
                    sets,
                    families,
                    threshold=min_resemblance,
                    ranking=ranking,
                    linkage=linkage,
                    max_pairs=max_pairs,
                    baseline_keepers=baseline_keepers,
                )
            clustering = clustering.with_masked_rows_from(joined_rows, part)
            self.release_pages_and_freed_memory()
        return self._cluster_equal_documents_outside_joins(clustering, ranking)

    def _cluster_equal_documents_outside_joins(
        self, clustering: Clustering, ranking: pa.Array
    ) -> Clustering:
        """Return clusters and families, with those of equal documents that no join sees.

        Their representatives are several only if their times are: such as files without a text.
        """
        if self.meeting.window is None:
            return clustering
        unseen = pc.invert(self.sets_to_join.joined_texts_mask)
        unseen = pc.or_(unseen, self.evidence.field("digest").is_null())
        pairs = self._equal_representative_pairs_in_window.filter(
            unseen.take(arrow.flat(self._equal_representative_pairs_in_window["left"]))
        )
        pairs = pairs.filter(pc.greater_equal(pairs["right"], self.baseline_size))
        alike = pairs.append_column("resemblance", pa.repeat(1.0, len(pairs)))
        part = cluster_pairs_with_baseline(
            alike, ranking, self._query.linkage, baseline_size=self.baseline_size
        )
        return clustering.with_masked_rows_from(unseen, part)

    def _merge_clusters_differing_in_numbers(
        self, clustering: Clustering, ranking: pa.Array
    ) -> Clustering:
        """Return clusters and families, with those merged whose keepers differ only in numbers."""
        group_of = numbers.first_rows_with_same_masked_text_or_null(self.sets_to_join)
        pairs = self.meeting.filter_allowed(self._pairs_connecting_number_groups(group_of, ranking))
        if not len(pairs):
            return clustering
        families = merge_families(clustering.families, ranking, pairs)
        clustering = clustering._replace(families=families)
        keeps = pc.equal(clustering.keepers, pa.arange(0, len(group_of)))
        group_of_keeper = pc.if_else(keeps, group_of, pa.scalar(None, group_of.type))
        return merge_clusters_of_paired_keepers(
            clustering,
            self._select_judged_that_may_cluster(
                self._pairs_connecting_number_groups(group_of_keeper, ranking)
            ),
            ranking,
            linkage=self._query.linkage,
            measure_column="resemblance",
            baseline_size=self.baseline_size,
            are_of_one_kind=self._may_share_cluster,
        )

    def _pairs_connecting_number_groups(
        self, group_of_row: pa.Array, ranking: pa.Array
    ) -> pa.Table:
        """Return pairs that connect each group: with its best row, or all near enough in time."""
        if self.meeting.window is None:
            return numbers.pair_with_best_of_group(group_of_row, ranking, self.baseline_size)
        return self.meeting.window.list_near_pairs_in_groups(
            group_of_row, baseline_size=self.baseline_size, max_pairs=self._query.max_pairs
        )

    def _select_judged_that_may_cluster(self, pairs: pa.Table) -> arrow.PairTable:
        """Return those of some pairs that may be in one cluster, measured."""
        left, right = (arrow.flat(pairs[side]) for side in ("left", "right"))
        judged = self.evidence.judge_pairs(
            left, right, self.plan.thresholds, one_site=self.one_site
        )
        return self.judge.select_pairs_with_clustering_verdicts(self.meeting.filter_allowed(judged))

    def _may_share_cluster(self, left: pa.Array, right: pa.Array) -> pa.BooleanArray:
        """Return for each pair of rows whether the two may be in one cluster."""
        pairs = self._select_judged_that_may_cluster(pa.table({"left": left, "right": right}))
        count = len(self.evidence)
        same = arrow.flat(unordered_pair_keys(pairs["left"], pairs["right"], count))
        return pc.is_in(unordered_pair_keys(left, right, count), value_set=same)

    def list_document_pairs(self) -> arrow.PairTable:
        """Return every verified pair of documents, copies of one text included: ``PAIRS``."""
        pairs = expand_to_all_document_pairs(
            self.verified_pairs,
            self.documents,
            self.representatives,
            max_pairs=self._query.max_pairs,
        )
        # Documents that one of the reference represents are no pair.
        if self.meeting.compares_only_with_baseline:
            pairs = pairs.filter(self._are_allowed_ignoring_labels(pairs))
        if self.noisy_copies_if_sought is None:
            return pairs
        return with_agreement_of_representatives(pairs, self.verified_pairs, self.representatives)

    def pair_contained_with_one_container_if_sought(
        self, clusters: arrow.ClusterTable
    ) -> arrow.PairTable:
        """Return contained documents, each with one container: ``PAIRS``, with the container on the
        right.

        Near-duplicates are not among them, but in clusters; if bits alone decide, every pair is.
        """
        if self._query.containment is None or self._query.unverified:
            return arrow.PAIRS.empty_table()
        if not self._joins_sets:
            return pick_first_container_of_each(self.verified_pairs)
        min_containment, sets = self._query.containment, self.sets_to_join
        largest = self.judge.judge_every_candidate(
            make_candidate_table(
                evidence_joins.find_largest_container_of_each(sets, min_containment)
            )
        )
        inside = pc.and_(
            are_left_contained_or_first_of_equal(largest),
            self._are_allowed_ignoring_labels(largest),
        )
        # If the largest container is a near-duplicate, a container of another kind may follow.
        inner = arrow.flat(largest["left"].filter(pc.invert(inside)))
        members = clusters.filter(pc.not_equal(clusters["doc"], clusters["keeper"]))
        # A keeper may be too far away in time to stand for its member.
        if self.meeting.window is not None:
            members = members.slice(0, 0)
        pairs = evidence_joins.join_rows_with_their_containers(
            sets,
            min_containment,
            contained_rows=inner,
            excluded_container_rows=arrow.flat(members["doc"]),  # Keepers alone are containers.
            max_pairs=self._query.max_pairs,
        )
        measured = self.judge.judge_every_candidate(make_candidate_table(pairs))
        others = pick_first_container_of_each(
            measured.filter(
                pc.and_(
                    are_left_contained_or_first_of_equal(measured),
                    self._are_allowed_ignoring_labels(measured),
                )
            )
        )
        return pa.concat_tables([largest.filter(inside), others]).sort_by("left")

    def _are_allowed_ignoring_labels(self, pairs: pa.Table) -> pa.BooleanArray:
        """Return which pairs may be compared, whatever a person has labelled."""
        return self.meeting.are_allowed_ignoring_labels(
            *(arrow.flat(pairs[side]) for side in ("left", "right"))
        )

    def release_pages_and_freed_memory(self) -> None:
        """Free the memory that a step used."""
        if self.evidence.mapped is not None:
            self.evidence.mapped.release_pages_and_freed_memory()
        else:
            resources.release_freed_memory()

    @property
    def _joins_sets(self) -> bool:
        """Whether sets are joined, rather than pairs of fingerprints verified."""
        return self.plan.pairing == "exact" or self.nominating_fingerprints is not None

    def _label_families_by_first_row(self, baseline_size: int) -> pa.Array:
        """Return what pairs connect each representative with; those of the baseline make none."""
        self.release_pages_and_freed_memory()
        return evidence_joins.label_families_by_first_row(
            self.sets_to_join,
            self._query.resemblance,
            reserve_bytes=resources.signed_memory_left_or_unbounded(self.running.memory),
            spill_folder=self.running.folder,
            baseline_size=baseline_size,
        )

    def _portions_to_join(self, families: pa.Array) -> Iterator[Evidence]:
        """Yield the representatives that are joined together: whole families, as many as fit.

        ``pair_contained_with_one_container_if_sought`` later joins all of them at once, since a
        contained text may have any size. What would not fit then is refused here, before any
        pair is joined.
        """
        self.release_pages_and_freed_memory()
        sets, min_resemblance = self.sets_to_join, self._query.resemblance
        reserve_bytes = resources.signed_memory_left_or_unbounded(self.running.memory)
        if self._query.containment is not None:  # Refuse what does not fit as one family.
            one_family = pa.repeat(pa.scalar(0, pa.int64()), len(sets))
            for _ in evidence_joins.split_families_into_portions_that_fit(
                sets, one_family, min_resemblance, reserve_bytes=reserve_bytes
            ):
                break  # It raises where the one portion does not fit.
        for portion in evidence_joins.split_families_into_portions_that_fit(
            sets, families, min_resemblance, reserve_bytes=reserve_bytes
        ):
            yield sets.with_joined_limited_to(portion)

    @property
    def _query(self) -> Query:
        return self.plan.query

    @cached_property
    def noisy_copies_if_sought(self) -> NoisyCopies | None:
        """The decision which documents are noisy copies; None if those are not looked for."""
        limits, documents_read = self.plan.noise_limits_if_sought, self.documents_read
        if limits is None or documents_read is None or documents_read.noise is None:
            return None
        return NoisyCopies(
            documents_read=documents_read,
            evidence=documents_read.noise,
            limits=limits,
            plan=self.plan,
            running=self.running,
            one_site=self.one_site,
            meeting=self.meeting,
        )

    @property
    def representatives(self) -> pa.Array:
        """For each document the one that stands for it."""
        return self.meeting.representatives

    @cached_property
    def _equal_representative_pairs_in_window(self) -> pa.Table:
        """Every pair of representatives of equal text: some, if their times may be too far apart.

        ``left`` and ``right``.
        """
        return self.meeting.list_equal_representative_pairs_in_window(self._query.max_pairs)

    @cached_property
    def judge(self) -> Judge:
        """What two documents are to each other."""
        return Judge(
            documents=self.documents,
            evidence=self.evidence,
            plan=self.plan,
            one_site=self.one_site,
            meeting=self.meeting,
            noisy=self.noisy_copies_if_sought,
        )

    @cached_property
    def sets_to_join(self) -> Evidence:
        """The evidence of the representatives, ready to be joined."""
        # No self in the closure: the cycle would keep the evidence until the collector runs.
        tell, is_joined = self.running.tell, mark_representatives(self.representatives)
        if self.nominating_fingerprints is not None:
            values = pc.if_else(
                is_joined,
                self.nominating_fingerprints,
                pa.scalar(None, self.nominating_fingerprints.type),
            )
            is_joined = pc.and_(
                is_joined, are_repeated(hamming.components(values, self.plan.required_radius))
            )
        return replace(
            self.evidence.with_joined_limited_to(is_joined),
            progress=lambda share: tell("join sets", int(100 * share), 100),
        )

    @cached_property
    def verified_pairs(self) -> arrow.PairTable:
        """Every verified pair of representatives: ``PAIRS``."""
        self.running.tell("pair", 0, None)
        if self._joins_sets:
            min_resemblance, max_pairs = self._query.resemblance, self._query.max_pairs
            families = self._label_families_by_first_row(0)
            near = [
                join_cutting_large_families_by_time(
                    sets,
                    families,
                    self.meeting.window,
                    baseline_size=0,
                    join_rows=lambda selection, _: evidence_joins.join_candidates_by_resemblance(
                        selection, min_resemblance, max_pairs
                    ),
                )
                for sets in self._portions_to_join(families)
            ]
            some = with_containment_candidates_if_sought(near, self.sets_to_join, self._query)
        else:
            some = pair_representatives_within_radius(
                self.documents, self.representatives, self.plan, self.running.jobs
            )
        if self.plan.numbers_only_is_alike:
            some = _unite_candidates_dropping_distances(
                some,
                numbers.list_pairs_differing_only_in_numbers(
                    self.sets_to_join, self._query.max_pairs
                ),
            )
        if self.noisy_copies_if_sought is not None:
            rows = pc.indices_nonzero(mark_representatives(self.representatives)).cast(pa.int64())
            noisy = arrow.fit_columns_to_schema(
                self.noisy_copies_if_sought.nominate_permitted_pairs_most_alike_first(rows),
                arrow.CANDIDATES,
            )
            some = _unite_candidates_dropping_distances(some, noisy)
        some = _unite_candidates_dropping_distances(
            some,
            arrow.fit_columns_to_schema(
                self._equal_representative_pairs_in_window, arrow.CANDIDATES
            ),
        )
        self.running.tell("verify", 0, len(some))
        pairs = self.judge.judge_every_candidate_aligning_if_sought(some)
        return self.meeting.filter_allowed(
            pairs.filter(pc.not_equal(pairs["verdict"], verdicts.DIFFERENT))
        )


def _unite_candidates_dropping_distances(
    candidates: arrow.CandidateTable, more: arrow.CandidateTable
) -> arrow.CandidateTable:
    """Return the candidates of both, each once."""
    if not len(more):
        return candidates
    both = pa.concat_tables([candidates, more]).group_by(["left", "right"], use_threads=False)
    return arrow.fit_columns_to_schema(both.aggregate([]), arrow.CANDIDATES)
