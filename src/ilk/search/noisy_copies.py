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
from ilk.search.clustering import pair_keys
from ilk.search.evidence import OneSite
from ilk.search.linkage import Clustering, merge_clusters
from ilk.search.meeting import Meeting
from ilk.search.noise_evidence import NoiseEvidence, NoiseLimits
from ilk.search.read_documents import ReadDocuments
from ilk.search.search_plan import SearchPlan

#: Verdicts that an alignment may replace.
UNALIKE = (verdicts.CONTAINED, verdicts.CONTAINS, verdicts.DIFFERENT)


@dataclass(frozen=True, slots=True)
class NoisyCopies:
    """The decision which documents are noisy copies.

    Attributes:
        gathered: all documents, with their evidence and texts; texts that are aligned are read
            again.
        evidence: their noise evidence, which nominates pairs.
        limits: the limits for noisy copies.
        plan, running, baseline_size, one_site, meeting: those of the ``Search``.
    """

    gathered: ReadDocuments
    evidence: NoiseEvidence
    limits: NoiseLimits
    plan: SearchPlan
    running: Running
    baseline_size: int
    one_site: OneSite | None
    meeting: Meeting

    def nominate_pairs(self, rows: pa.Array) -> pa.Table:
        """Return pairs of some rows that may be noisy copies, the most alike first."""
        tell = self.running.tell
        tell("nominate noisy copies", 0, None)
        pairs = noise_evidence.nominate_noisy_pairs(
            self.evidence,
            rows,
            self.limits,
            max_pairs=self.plan.query.max_pairs,
            jobs=self.running.jobs,
            follow=lambda share: tell("nominate noisy copies", int(100 * share), 100),
        )
        return pairs.filter(self._may_be_noisy(pairs))

    def find_agreements(self, pairs: pa.Table, patience: int | None) -> pa.Table:
        """Return ``row``, ``agreement`` and ``moved`` of those pairs that agree."""
        tell = self.running.tell
        tell("align", 0, len(pairs))
        return noise_evidence.find_agreements(
            self.gathered.texts,
            pairs,
            self.limits,
            jobs=self.running.jobs,
            patience=patience,
            follow=lambda share: tell("align", int(100 * share), 100),
        )

    def judge_pairs(self, pairs: pa.Table) -> pa.Table:
        """Return verified pairs with their ``agreement``; those that agree are ``noisy``, and near
        ones need no alignment.
        """
        may_be_aligned = pc.is_in(pairs["verdict"], pa.array(UNALIKE))
        may_be_aligned = pc.and_(may_be_aligned, self._may_be_noisy(pairs))
        may_be_aligned = pc.and_(
            may_be_aligned,
            noise_evidence.have_fitting_lengths(self.evidence, *_sides(pairs), self.limits),
        )
        rows = pc.indices_nonzero(may_be_aligned).cast(pa.int64())
        asked = pairs.select(["left", "right"]).take(rows)
        asked = asked.append_column(
            "resemblance", noise_evidence.estimate_resemblances(self.evidence, *_sides(asked))
        )
        found = self.find_agreements(asked, None)
        at = pc.index_in(pa.arange(0, len(pairs)), value_set=rows.take(arrow.flat(found["row"])))
        agreement = arrow.flat(found["agreement"]).take(at)
        words = pc.if_else(agreement.is_valid(), verdicts.NOISY, arrow.flat(pairs["verdict"]))
        return arrow.replace_columns(pairs, verdict=words).append_column("agreement", agreement)

    def merge_noisy_clusters(self, clustering: Clustering, ranking: pa.Array) -> Clustering:
        """Return clusters and families at the resemblance, with noisy copies merged."""
        rows = pa.arange(0, len(ranking))
        shown = mark_representatives(self.meeting.representatives)
        pairs = self.nominate_pairs(rows.filter(pc.and_(shown, pc.equal(clustering.keepers, rows))))
        if self.baseline_size:
            pairs = pairs.filter(pc.greater_equal(pairs["right"], self.baseline_size))
        agree = self.find_agreements(pairs, noise_evidence.PATIENCE)
        edges = pairs.take(agree["row"]).append_column("agreement", agree["agreement"])
        return merge_clusters(
            clustering,
            edges,
            ranking,
            linkage=self.plan.query.linkage,
            measure="agreement",
            baseline_size=self.baseline_size,
            verify=self._are_of_one_kind,
        )

    def _are_of_one_kind(self, left: pa.Array, right: pa.Array) -> pa.Array:
        """Return for each pair of rows whether the two are of one kind."""
        judged = self.judge_pairs(self.gathered.evidence.judge(left, right, self.plan.thresholds))
        return arrow.flat(pc.is_in(judged["verdict"], pa.array(verdicts.SAME)))

    def _may_be_noisy(self, pairs: pa.Table) -> pa.Array:
        """Return which pairs of rows may be noisy copies.

        Not those that differ only in numbers, nor two of one site that must share more, nor
        documents that may not meet.
        """
        left, right = _sides(pairs)
        masked = self.gathered.evidence.field("masked_digest")
        never = pc.fill_null(pc.equal(masked.take(left), masked.take(right)), False)
        if self.one_site is not None:
            one = pc.equal(*(self.one_site.sites.take(side) for side in (left, right)))
            never = pc.or_(never, pc.fill_null(one, False))
        return pc.and_(pc.invert(never), self.meeting.are_allowed(left, right))


def with_agreement(pairs: pa.Table, verified: pa.Table, representatives: pa.Array) -> pa.Table:
    """Return pairs of documents with the agreement of their representatives, which is known."""
    count = len(representatives)
    left, right = (representatives.take(side) for side in _sides(pairs))
    at = pc.index_in(pair_keys(left, right, count), value_set=pair_keys(*_sides(verified), count))
    return pairs.append_column("agreement", arrow.flat(verified["agreement"]).take(at))


def _sides(pairs: pa.Table) -> tuple[pa.Array, pa.Array]:
    return arrow.flat(pairs["left"]), arrow.flat(pairs["right"])
