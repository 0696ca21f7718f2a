"""Step 3: candidates, by fingerprint or by shingle sets."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.fingerprints import hamming
from ilk.fingerprints.digest import represents
from ilk.search import evidence_joins
from ilk.search.evidence import Evidence
from ilk.search.query import Query
from ilk.search.search_plan import SearchPlan


def pair(documents: pa.Table, representatives: pa.Array, plan: SearchPlan, jobs: int) -> pa.Table:
    """Return all pairs of representatives within the radius, as ``CANDIDATES``."""
    values = _once(documents, representatives)
    found = hamming.pairs(values, plan.bits, max_pairs=plan.query.max_pairs, jobs=jobs)
    return arrow.pad_columns(found, arrow.CANDIDATES)


def pair_groups(
    documents: pa.Table, representatives: pa.Array, plan: SearchPlan, jobs: int, ranking: pa.Array
) -> tuple[pa.Array, pa.Table]:
    """Return the same if every pair within the radius counts.

    Documents with the same fingerprint are within the radius of the same others, so the best of
    them represents all.

    Returns:
        For each document its representative (``int64``), and all pairs of these within the radius,
        as ``CANDIDATES``.
    """
    # In the order of the ranking, the first of a group is its best.
    values = _once(documents, representatives).take(ranking)
    most = plan.query.max_pairs
    firsts, edges = hamming.groups(values, plan.bits, max_pairs=most, jobs=jobs)
    best = pc.scatter(pc.coalesce(ranking.take(firsts), ranking), ranking)
    left, right = (ranking.take(arrow.flat(edges[side])) for side in ("left", "right"))
    found = pa.table({"left": left, "right": right, "distance": edges["distance"]})
    candidates = _ascending(arrow.pad_columns(found, arrow.CANDIDATES))
    return best.take(representatives), candidates


def pair_sets(near: Iterable[evidence_joins.Joined], evidence: Evidence, query: Query) -> pa.Table:
    """Return ``near`` pairs and all at the containment, and few others, as ``CANDIDATES``."""
    pairs = pa.concat_tables([arrow.CANDIDATES.empty_table(), *map(candidates, near)])
    if query.containment is None:
        return pairs
    inside = candidates(
        evidence_joins.containment_pairs(evidence, query.containment, query.max_pairs)
    )
    both = pa.concat_tables([pairs, _ascending(inside)])
    once = both.group_by(["left", "right"], use_threads=False).aggregate([])
    return arrow.pad_columns(once, arrow.CANDIDATES)


def _once(documents: pa.Table, representatives: pa.Array) -> pa.Array:
    """Return the fingerprints of the representatives; null for all others."""
    values = arrow.flat(documents["fingerprint"])
    return pc.if_else(represents(representatives), values, pa.scalar(None, values.type))


def candidates(pairs: evidence_joins.Pairs | evidence_joins.Joined) -> pa.Table:
    """Return pairs as ``CANDIDATES``."""
    return arrow.pad_columns(pa.table(list(pairs[:2]), names=["left", "right"]), arrow.CANDIDATES)


def _ascending(candidates: pa.Table) -> pa.Table:
    """Return the candidates with the lower row on the left."""
    left, right = candidates["left"], candidates["right"]
    low, high = pc.min_element_wise(left, right), pc.max_element_wise(left, right)
    return pa.table([low, high, candidates["distance"]], schema=arrow.CANDIDATES)
