"""The pair step: candidates, by fingerprint or by shingle sets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.fingerprints import hamming
from ilk.fingerprints.digest import mark_representatives
from ilk.search import evidence_joins
from ilk.search.evidence import Evidence
from ilk.search.query import Query
from ilk.search.search_plan import SearchPlan


def pair_representatives_within_radius(
    documents: pa.Table, representatives: pa.Array, plan: SearchPlan, jobs: int
) -> arrow.CandidateTable:
    """Return all pairs of representatives within the radius, as ``CANDIDATES``."""
    values = _representative_fingerprints_or_null(documents, representatives)
    found = hamming.pairs(values, plan.required_radius, max_pairs=plan.query.max_pairs, jobs=jobs)
    return arrow.fit_columns_to_schema(found, arrow.CANDIDATES)


class RepresentativesAndPairs(NamedTuple):
    """For each document its representative, and the pairs of these within the radius."""

    representatives: pa.Array
    candidates: arrow.CandidateTable


def merge_equal_fingerprints_and_pair_within_radius(
    documents: pa.Table, representatives: pa.Array, plan: SearchPlan, jobs: int, ranking: pa.Array
) -> RepresentativesAndPairs:
    """Return pairs within the radius, where every pair of documents within it counts.

    Documents with the same fingerprint are within the radius of the same others, so the best of
    them represents all.

    Returns:
        For each document its representative (``int64``), and all pairs of these within the radius,
        as ``CANDIDATES``.
    """
    # In the order of the ranking, the first of a group is its best.
    values = _representative_fingerprints_or_null(documents, representatives).take(ranking)
    max_pairs = plan.query.max_pairs
    firsts, edges = hamming.groups(values, plan.required_radius, max_pairs=max_pairs, jobs=jobs)
    best = pc.scatter(pc.coalesce(ranking.take(firsts), ranking), ranking)
    left, right = (ranking.take(arrow.flat(edges[side])) for side in ("left", "right"))
    found = pa.table({"left": left, "right": right, "distance": edges["distance"]})
    candidates = _put_lower_row_left(arrow.fit_columns_to_schema(found, arrow.CANDIDATES))
    return RepresentativesAndPairs(best.take(representatives), candidates)


def with_containment_candidates_if_sought(
    resembling_pairs: Iterable[evidence_joins.JoinCandidates], evidence: Evidence, query: Query
) -> arrow.CandidateTable:
    """Return the resembling pairs and all at the containment, and few others, as ``CANDIDATES``."""
    pairs = pa.concat_tables(
        [arrow.CANDIDATES.empty_table(), *map(make_candidate_table, resembling_pairs)]
    )
    if query.containment is None:
        return pairs
    inside = make_candidate_table(
        evidence_joins.join_by_word_containment(evidence, query.containment, query.max_pairs)
    )
    both = pa.concat_tables([pairs, _put_lower_row_left(inside)])
    once = both.group_by(["left", "right"], use_threads=False).aggregate([])
    return arrow.fit_columns_to_schema(once, arrow.CANDIDATES)


def _representative_fingerprints_or_null(
    documents: pa.Table, representatives: pa.Array
) -> pa.Array:
    """Return the fingerprints of the representatives; null for all others."""
    values = arrow.flat(documents["fingerprint"])
    return pc.if_else(mark_representatives(representatives), values, pa.scalar(None, values.type))


def make_candidate_table(
    pairs: evidence_joins.ContainmentCandidates | evidence_joins.JoinCandidates,
) -> arrow.CandidateTable:
    """Return pairs as ``CANDIDATES``."""
    table = pa.table({"left": pairs.left, "right": pairs.right})
    return arrow.fit_columns_to_schema(table, arrow.CANDIDATES)


def _put_lower_row_left(candidates: arrow.CandidateTable) -> arrow.CandidateTable:
    left, right = candidates["left"], candidates["right"]
    low, high = pc.min_element_wise(left, right), pc.max_element_wise(left, right)
    return pa.table([low, high, candidates["distance"]], schema=arrow.CANDIDATES)
