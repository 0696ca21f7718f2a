"""The verify step: candidates judged on their evidence, by the rules of a request."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.arrow import verdicts
from ilk.fingerprints import hamming
from ilk.search import evidence_joins
from ilk.search.evidence import Evidence, OneSite, Thresholds
from ilk.search.meeting import Meeting
from ilk.search.noisy_copies import NoisyCopies
from ilk.search.search_plan import SearchPlan

#: Pairs that are judged together: each takes 140 bytes until it is judged, so 18 MB.
_AT_ONCE = 1 << 17

#: Columns of judged pairs that ``PAIRS`` does not have; dropped at once, to save their memory.
_COUNTS = ["shared", "left_shingles", "right_shingles"]


@dataclass(frozen=True, slots=True)
class Judge:
    """The one judge of a ``Search``: what two documents are to each other, by all its rules."""

    documents: pa.Table
    evidence: Evidence
    plan: SearchPlan
    one_site: OneSite | None
    meeting: Meeting
    noisy: NoisyCopies | None

    @property
    def needs_listed_pairs(self) -> bool:
        """Whether pairs must be listed: joins know nothing of sites, numbers, labels or times."""
        by_rule = self.plan.query.keep_numbers_only or self.one_site is not None
        return by_rule or self.meeting.has_any_rule

    def select_judged_that_may_cluster(self, candidates: evidence_joins.JoinCandidates) -> pa.Table:
        """Return those of joined pairs that may be in one cluster, measured."""
        if self.meeting.has_any_rule:
            # Before they are measured: in a long family, most of them are too far apart in time.
            candidates = evidence_joins.filter_join_candidates(
                candidates, self.meeting.are_allowed(candidates.left, candidates.right)
            )
        found = evidence_joins.judge_and_sort_pairs_of_one_kind(
            self.evidence, candidates, self.plan.thresholds, self.one_site
        )
        return self.select_pairs_with_clustering_verdicts(found)

    def select_pairs_with_clustering_verdicts(self, pairs: arrow.PairTable) -> arrow.PairTable:
        """Return the pairs whose verdicts may share a cluster; ``numbers_only`` may be no such."""
        other = verdicts.NUMBERS_ONLY if self.plan.query.keep_numbers_only else None
        kinds = [verdict for verdict in verdicts.SAME if verdict != other]
        return pairs.filter(pc.is_in(pairs["verdict"], pa.array(kinds)))

    def judge_every_candidate(self, candidates: arrow.CandidateTable) -> arrow.PairTable:
        """Return what all candidates are by their sets: ``PAIRS``.

        Where bits alone decide, those that are different are ``within N bits``.
        """
        pairs = judge_every_candidate_by_sets(
            candidates,
            self.documents,
            evidence=self.evidence,
            thresholds=self.plan.thresholds,
            one_site=self.one_site,
        )
        if not self.plan.query.unverified:
            return pairs
        unlike = pc.equal(pairs["verdict"], verdicts.DIFFERENT)
        verdict = pc.if_else(
            unlike, verdicts.spell_within(self.plan.required_radius), pairs["verdict"]
        )
        return arrow.replace_columns(pairs, verdict=verdict)

    def judge_every_candidate_aligning_if_sought(
        self, candidates: arrow.CandidateTable
    ) -> pa.Table:
        """Return the same, aligned if noisy copies are looked for: then with ``agreement``."""
        pairs = self.judge_every_candidate(candidates)
        return pairs if self.noisy is None else self.noisy.with_agreement_marking_noisy_pairs(pairs)

    def judge_against_others_or_null(
        self, docs: pa.ChunkedArray, other_docs_or_null: pa.ChunkedArray
    ) -> pa.Table:
        """Return documents measured against others, as ``PAIRS``; null if the other is null.

        Copies share everything, even without a shingle: blank or missing texts.
        """
        rows = pa.table({"left": docs, "right": other_docs_or_null}).filter(
            other_docs_or_null.is_valid()
        )
        pairs = self.judge_every_candidate_aligning_if_sought(
            arrow.fit_columns_to_schema(rows, arrow.CANDIDATES)
        )
        same = pc.is_in(pairs["verdict"], pa.array(verdicts.COPIES))
        shares = ("resemblance", "containment_left", "containment_right")
        pairs = arrow.replace_columns(pairs, **{s: pc.if_else(same, 1.0, pairs[s]) for s in shares})
        if not other_docs_or_null.null_count:
            return pairs
        place = pc.cumulative_sum(other_docs_or_null.is_valid().cast(pa.int64()))
        return pairs.take(
            arrow.flat(pc.if_else(other_docs_or_null.is_valid(), pc.subtract(place, 1), None))
        )


def judge_every_candidate_by_sets(
    candidates: arrow.CandidateTable,
    documents: pa.Table,
    *,
    evidence: Evidence,
    thresholds: Thresholds,
    one_site: OneSite | None = None,
) -> arrow.PairTable:
    """Judge candidates on their evidence: return ``PAIRS``, in their order, with all distances."""
    left, right = (arrow.flat(candidates[side]) for side in ("left", "right"))
    some = [slice(at, at + _AT_ONCE) for at in range(0, len(left) or 1, _AT_ONCE)]
    found = (
        evidence.judge_pairs(left[one], right[one], thresholds, one_site=one_site) for one in some
    )
    verdict_rows = pa.concat_tables(one.drop_columns(_COUNTS) for one in found)
    # Texts with equal digests have equal features, even if too few for a fingerprint.
    copies = pc.is_in(verdict_rows["verdict"], pa.array(verdicts.COPIES))
    copies = pc.and_(copies, evidence.field("digest").take(left).is_valid())
    nothing = pc.if_else(copies, pa.scalar(0, pa.uint8()), pa.scalar(None, pa.uint8()))
    # What the join knows, then the fingerprints, then that of copies: the first that is there
    # counts.
    distances = [candidates["distance"], nothing]
    if "fingerprint" in documents.column_names:
        prints = arrow.flat(documents["fingerprint"])
        distances.insert(1, hamming.distance(prints.take(left), prints.take(right)))
    verdict_rows = verdict_rows.append_column("distance", pc.coalesce(*distances))
    return verdict_rows.select(arrow.PAIRS.names).cast(arrow.PAIRS)
