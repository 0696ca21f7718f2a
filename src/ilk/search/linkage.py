"""Clusters and families from verified pairs.

A family is a component of verified pairs. It consists of clusters: each anchored on a keeper, or,
with ``connected`` linkage, the whole family.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.search import evidence_joins
from ilk.search.evidence import Evidence, Thresholds

#: How pairs make clusters: each member is like its keeper, or like some other member.
Linkage: TypeAlias = Literal["anchored", "connected"]


class Clustering(NamedTuple):
    """The clusters and families of n rows.

    Attributes:
        keepers: the keeper of every row: itself if nothing better is like it.
        families: for every row the number of one of the rows that pairs connect with it, the same
            for all of them: the first, or, of listed pairs and after a merge, the best.
        also_like: for a keeper, the row outside its cluster that it is most like, the first of
            equals; null if there is no such row, and for all other rows.
    """

    keepers: pa.Array
    families: pa.Array
    also_like: pa.Array

    @classmethod
    def each_row_alone(cls, row_count: int) -> Clustering:
        """Return the clusters of rows that are all unlike."""
        rows = pa.arange(0, row_count)
        return cls(rows, rows, pa.nulls(row_count, pa.int64()))

    def with_masked_rows_from(self, row_mask: pa.BooleanArray, other: Clustering) -> Clustering:
        """Return the same with the rows of a mask from another clustering of the same n rows."""
        return Clustering(
            pc.if_else(row_mask, other.keepers, self.keepers),
            pc.if_else(row_mask, other.families, self.families),
            pc.if_else(row_mask, other.also_like, self.also_like),
        )


def best_left_of_each_row_or_null(
    left: pa.ChunkedArray, right: pa.ChunkedArray, measure: pa.ChunkedArray, row_count: int
) -> pa.Int64Array:
    """Return for each row below ``row_count`` the left row of the best pair in which it is right.

    The lowest of equals; null for a row that is right in no pair.
    """
    pairs = pa.table({"left": left, "right": right, "measure": measure})
    order = [("right", "ascending"), ("measure", "descending"), ("left", "ascending")]
    pairs = pairs.sort_by(order)
    rows = pairs["right"].combine_chunks()
    first = pc.not_equal(rows, pa.concat_arrays([pa.array([-1], pa.int64()), rows])[: len(rows)])
    found = pairs.filter(first)
    at = pc.index_in(pa.arange(0, row_count), value_set=arrow.flat(found["right"]))
    return arrow.flat(found["left"]).take(at)


def cluster_pairs(
    pairs: pa.Table, ranking: pa.Array, linkage: Linkage, baseline_keepers: pa.Array | None = None
) -> Clustering:
    """Return the clusters and families of listed pairs.

    Anchored: go through rows, best first; a row that no better row has taken becomes a keeper and
    takes every row it is paired with. So each member was verified against its keeper, and no chain
    of strangers forms a cluster. Connected: the keeper is the best row of each component.

    Args:
        pairs: m verified pairs: ``left``, ``right`` and ``resemblance``, greater if more alike.
        ranking: all n rows, best first.
        linkage: ``anchored`` or ``connected``.
        baseline_keepers: for each row the keeper that it already has, or null.
    """
    left, right = (arrow.flat(pairs[side]) for side in ("left", "right"))
    families = _kernels.cluster_connected(ranking, left, right)
    kernel = _kernels.cluster_anchored if linkage == "anchored" else _kernels.cluster_connected
    if baseline_keepers is None:
        keepers = kernel(ranking, left, right)
    else:
        free = pc.and_(
            baseline_keepers.take(left).is_null(), baseline_keepers.take(right).is_null()
        )
        keepers = pc.coalesce(
            baseline_keepers, kernel(ranking, left.filter(free), right.filter(free))
        )
    return Clustering(keepers, families, most_alike_outsider_of_keepers_or_null(pairs, keepers))


def cluster_pairs_with_baseline(
    pairs: pa.Table, ranking: pa.Array, linkage: Linkage, *, baseline_size: int
) -> Clustering:
    """Return what ``cluster_pairs`` does, where rows like one of the baseline get their keepers
    there.
    """
    across = pairs.filter(pc.less(pairs["left"], baseline_size))
    keepers = best_left_of_each_row_or_null(
        across["left"], across["right"], across["resemblance"], len(ranking)
    )
    return cluster_pairs(pairs, ranking, linkage, keepers)


def cluster_by_shingle_sets(
    evidence: Evidence,
    families: pa.Array,
    *,
    threshold: Fraction,
    ranking: pa.Array,
    linkage: Linkage,
    max_pairs: int,
    baseline_keepers: pa.Array | None = None,
) -> Clustering:
    """Return what ``cluster_pairs`` would, from shingle sets: no pair of them is listed.

    The number of pairs may grow with the square of a family.

    Args:
        families: as of ``evidence_joins.label_families_by_first_row``.
        max_pairs: the largest number of pairs of a short and a longer text; only those are listed.
        baseline_keepers: for each row the keeper that it already has, or null.
    """
    if linkage != "anchored":
        if baseline_keepers is None:
            keepers = _kernels.cluster_connected(ranking, pa.arange(0, len(families)), families)
            return Clustering(keepers, families, pa.nulls(len(families), pa.int64()))
        # Rows with a keeper connect families, but not clusters of others.
        alone = evidence.with_joined_limited_to(baseline_keepers.is_null())
        own_families = evidence_joins.label_families_by_first_row(alone, threshold)
        keepers = pc.coalesce(
            baseline_keepers,
            _kernels.cluster_connected(ranking, pa.arange(0, len(families)), own_families),
        )
        pairs = evidence_joins.join_left_selection_with_right(
            evidence.with_joined_limited_to(baseline_keepers.is_valid()),
            alone,
            threshold,
            max_pairs,
        )
        near = evidence_joins.judge_and_sort_pairs_of_one_kind(
            evidence, pairs, Thresholds(threshold)
        )
        return Clustering(keepers, families, most_alike_outsider_of_keepers_or_null(near, keepers))
    bridges = evidence_joins.find_alike_short_and_longer_in_families(
        evidence, families, threshold, max_pairs
    )
    left, right = (arrow.flat(bridges[side]) for side in ("left", "right"))
    ordinary, ratio = evidence_joins.kernel_input_of_length_class_join(evidence, threshold)
    known_keepers = (
        pa.nulls(len(ranking), pa.int64()) if baseline_keepers is None else baseline_keepers
    )
    # Each thread has lists of all rows: sets that had to be mapped leave no room for them.
    jobs = evidence.jobs if evidence.mapped is None else 1
    anchoring = _kernels.Anchoring(
        families=families,
        ranking=ranking,
        bridge_left=left,
        bridge_right=right,
        known_keepers=known_keepers,
    )
    keepers, also = _kernels.find_keepers_and_most_alike_outside(
        ordinary, ratio, anchoring, jobs, evidence.kernel_callback_if_mapped_or_followed
    )
    rows = pa.arange(0, len(also)).filter(also.is_valid())
    # The kernel knows sets of one kind; a bridge may be more alike. So the best pair of both kinds
    # is picked here.
    nearest = evidence.judge_pairs(also.drop_null(), rows, Thresholds())
    return Clustering(
        keepers,
        families,
        most_alike_outsider_of_keepers_or_null(pa.concat_tables([nearest, bridges]), keepers),
    )


def merge_families(families: pa.Array, ranking: pa.Array, pairs: pa.Table) -> pa.Array:
    """Return families after more pairs connect them, each by its best row."""
    left = pa.concat_arrays([pa.arange(0, len(families)), arrow.flat(pairs["left"])])
    right = pa.concat_arrays([families, arrow.flat(pairs["right"])])
    return _kernels.cluster_connected(ranking, left, right)


def merge_clusters_of_paired_keepers(
    clustering: Clustering,
    keeper_pairs: pa.Table,
    ranking: pa.Array,
    *,
    linkage: Linkage,
    measure_column: str,
    baseline_size: int,
    are_of_one_kind: Callable[[pa.Array, pa.Array], pa.BooleanArray],
) -> Clustering:
    """Return clusters after pairs of keepers that are alike for another reason merge them.

    A keeper gives way to a better one with its whole cluster, if the better one is verified against
    each member, and otherwise not at all.

    Args:
        keeper_pairs: ``left``, ``right``, and the measure, greater if more alike.
        measure_column: the name of the measure.
        ranking, linkage: as for ``cluster_pairs``.
        baseline_size: the first rows, as many as these, join no other cluster.
        are_of_one_kind: tells it of each pair of rows.
    """
    if not len(keeper_pairs):
        return clustering
    families = merge_families(clustering.families, ranking, keeper_pairs)
    if linkage == "connected":
        both = merge_families(clustering.keepers, ranking, keeper_pairs)
        return Clustering(both.take(clustering.keepers), families, clustering.also_like)
    successors = _successors_of_merged_keepers(
        keeper_pairs,
        clustering.keepers,
        ranking=ranking,
        baseline_size=baseline_size,
        are_of_one_kind=are_of_one_kind,
    )
    place = pc.index_in(clustering.keepers, value_set=pa.array(list(successors), pa.int64()))
    successor = pa.array(list(successors.values()), pa.int64()).take(place)
    keepers = pc.coalesce(successor, clustering.keepers)
    # The row that a keeper was most like may be in its own cluster now.
    rows = pa.arange(0, len(keepers))
    also = pc.coalesce(
        clustering.also_like,
        most_alike_outsider_of_keepers_or_null(keeper_pairs, keepers, measure_column),
    )
    stays = pc.and_(pc.equal(keepers, rows), pc.not_equal(keepers.take(also), rows))
    also = pc.if_else(pc.fill_null(stays, False), also, pa.scalar(None, pa.int64()))
    return Clustering(keepers, families, also)


def _successors_of_merged_keepers(
    keeper_pairs: pa.Table,
    keepers: pa.Array,
    *,
    ranking: pa.Array,
    baseline_size: int,
    are_of_one_kind: Callable[[pa.Array, pa.Array], pa.BooleanArray],
) -> dict[int, int]:
    """Return keepers that lose their cluster, each with the better keeper that takes it over."""
    place = dict(zip(ranking.to_pylist(), range(len(ranking)), strict=True))
    worse_keepers_of: dict[int, set[int]] = defaultdict(set)
    for one, other in zip(
        keeper_pairs["left"].to_pylist(), keeper_pairs["right"].to_pylist(), strict=True
    ):
        better, worse = sorted((one, other), key=place.__getitem__)
        if worse >= baseline_size:
            worse_keepers_of[better].add(worse)
    members: dict[int, list[int]] = defaultdict(list)
    rows = pa.arange(0, len(keepers))
    joins = pc.not_equal(keepers, rows)
    for row, keeper in zip(
        rows.filter(joins).to_pylist(), keepers.filter(joins).to_pylist(), strict=True
    ):
        members[keeper].append(row)
    pairs_to_verify = [
        (a, row) for a, worse in worse_keepers_of.items() for b in worse for row in members[b]
    ]
    left, right = (
        pa.array([pair[side] for pair in pairs_to_verify], pa.int64()) for side in (0, 1)
    )
    alike = are_of_one_kind(left, right).to_pylist()
    verified_pairs = {pair for pair, same in zip(pairs_to_verify, alike, strict=True) if same}
    successors: dict[int, int] = {}
    for keeper in sorted(worse_keepers_of, key=place.__getitem__):
        # It has given way itself. What it could take over was verified against it, and not against
        # the keeper that took it.
        if keeper in successors:
            continue
        # Best first, so that the answer does not depend on the order of the pairs.
        for other in sorted(worse_keepers_of[keeper] - successors.keys(), key=place.__getitem__):
            if all((keeper, row) in verified_pairs for row in members[other]):
                successors[other] = keeper
    return successors


def most_alike_outsider_of_keepers_or_null(
    pairs: pa.Table, keepers: pa.Array, measure_column: str = "resemblance"
) -> pa.Int64Array:
    """Return for each keeper the row outside its cluster with which it makes the best pair.

    Null for a keeper without one, and for every row that is no keeper.
    """
    names = ["left", "right", measure_column]
    there = pairs.select(names)
    back = pairs.select(["right", "left", measure_column]).rename_columns(names)
    both = pa.concat_tables([there, back])
    left, right = keepers.take(arrow.flat(both["left"])), arrow.flat(both["right"])
    outside = pc.and_(pc.equal(keepers.take(right), right), pc.not_equal(left, right))
    both = both.filter(outside)
    return best_left_of_each_row_or_null(
        both["left"], both["right"], both[measure_column], len(keepers)
    )
