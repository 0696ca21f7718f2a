"""Noisy copies in a search: which documents are aligned, and how they join clusters.

Clusters at the resemblance come first, so that in a family of boilerplate only the keepers are
nominated. A keeper that agrees with a better one gives way to it with its whole cluster if the
better one is verified against each member, and otherwise not at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.base.run_options import Running
from ilk.fingerprints.digest import mark_representatives
from ilk.search import noise_evidence
from ilk.search.clustering import unordered_pair_keys
from ilk.search.evidence import OneSite
from ilk.search.linkage import Clustering, merge_clusters_of_paired_keepers
from ilk.search.meeting import Meeting
from ilk.search.noise_evidence import NoiseEvidence, NoiseLimits
from ilk.search.noise_judge import (
    differ_beyond_numbers,
    sides_of_pairs,
    with_agreement_marking_noisy_pairs,
)
from ilk.search.read_documents import ReadDocuments
from ilk.search.search_plan import SearchPlan


@dataclass(frozen=True, slots=True)
class NoisyCopies:
    """The decision which documents are noisy copies.

    Attributes:
        documents_read: all documents, with their evidence and texts; texts that are aligned are
            read again.
        evidence: their noise evidence, which nominates pairs.
        limits: the limits for noisy copies.
        plan, running, one_site, meeting: those of the ``Search``.
    """

    documents_read: ReadDocuments
    evidence: NoiseEvidence
    limits: NoiseLimits
    plan: SearchPlan
    running: Running
    one_site: OneSite | None
    meeting: Meeting

    def nominate_permitted_pairs_most_alike_first(self, rows: pa.Array) -> pa.Table:
        """Return pairs of some rows that may be noisy copies, the most alike first."""
        tell = self.running.tell
        tell("nominate noisy copies", 0, None)
        pairs = noise_evidence.nominate_noisy_pairs_most_alike_first(
            self.evidence,
            rows,
            self.limits,
            max_pairs=self.plan.query.max_pairs,
            jobs=self.running.jobs,
            follow_share=lambda share: tell("nominate noisy copies", int(100 * share), 100),
        )
        masked = self.documents_read.evidence.field("masked_digest")
        return pairs.filter(
            pc.and_(
                differ_beyond_numbers(pairs, masked), self._are_allowed_by_meeting_and_sites(pairs)
            )
        )

    def with_agreement_marking_noisy_pairs(self, pairs: pa.Table) -> pa.Table:
        """Return verified pairs with their ``agreement``; those that agree are ``noisy``, and near
        ones need no alignment.
        """
        tell = self.running.tell
        tell("align", 0, None)
        return with_agreement_marking_noisy_pairs(
            pairs,
            self.documents_read.texts,
            self.limits,
            masked_digests=self.documents_read.evidence.field("masked_digest"),
            evidence=self.evidence,
            are_allowed=self._are_allowed_by_meeting_and_sites,
            jobs=self.running.jobs,
            follow_share=lambda share: tell("align", int(100 * share), 100),
        )

    def merge_noisy_clusters_verified_by_linkage(
        self, clustering: Clustering, ranking: pa.Array
    ) -> Clustering:
        """Return clusters and families at the resemblance, with noisy copies merged."""
        rows = pa.arange(0, len(ranking))
        represents = mark_representatives(self.meeting.representatives)
        keeps = pc.and_(represents, pc.equal(clustering.keepers, rows))
        pairs = self.nominate_permitted_pairs_most_alike_first(rows.filter(keeps))
        if self.meeting.baseline_size:
            pairs = pairs.filter(pc.greater_equal(pairs["right"], self.meeting.baseline_size))
        tell = self.running.tell
        tell("align", 0, None)
        agree = noise_evidence.find_rows_of_agreeing_pairs(
            self.documents_read.texts,
            pairs,
            self.limits,
            jobs=self.running.jobs,
            follow_share=lambda share: tell("align", int(100 * share), 100),
        )
        edges = pairs.take(agree["row"]).append_column("agreement", agree["agreement"])
        return merge_clusters_of_paired_keepers(
            clustering,
            edges,
            ranking,
            linkage=self.plan.query.linkage,
            measure_column="agreement",
            baseline_size=self.meeting.baseline_size,
            are_of_one_kind=self._are_alike_by_sets_or_alignment,
        )

    def _are_alike_by_sets_or_alignment(self, left: pa.Array, right: pa.Array) -> pa.BooleanArray:
        """Return for each pair of rows whether the two are of one kind."""
        judged = self.with_agreement_marking_noisy_pairs(
            self.documents_read.evidence.judge_pairs(left, right, self.plan.thresholds)
        )
        return arrow.flat(pc.is_in(judged["verdict"], pa.array(verdicts.SAME)))

    def _are_allowed_by_meeting_and_sites(self, pairs: pa.Table) -> pa.BooleanArray:
        """Return which pairs of rows may be noisy copies by the rules of the search.

        Not two of one site, which must share more, nor documents that may not meet.
        """
        left, right = sides_of_pairs(pairs)
        may = self.meeting.are_allowed(left, right)
        if self.one_site is None:
            return may
        one = pc.equal(*(self.one_site.sites.take(side) for side in (left, right)))
        return pc.and_(may, pc.invert(pc.fill_null(one, False)))


def with_agreement_of_representatives(
    document_pairs: arrow.PairTable, representative_pairs: pa.Table, representatives: pa.Array
) -> pa.Table:
    """Return pairs of documents with the ``agreement`` of their representatives."""
    count = len(representatives)
    left, right = (representatives.take(side) for side in sides_of_pairs(document_pairs))
    sides = sides_of_pairs(representative_pairs)
    at = pc.index_in(
        unordered_pair_keys(left, right, count),
        value_set=unordered_pair_keys(sides.left, sides.right, count),
    )
    agreement = arrow.flat(representative_pairs["agreement"]).take(at)
    return document_pairs.append_column("agreement", agreement)
