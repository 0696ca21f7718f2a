"""Texts that differ only in numbers, in a search: alike whatever their resemblance.

Their masked digests are equal, so they are groups, and no pairs are listed to make clusters of
them: a cluster at the resemblance comes first, and its keeper then gives way to the best keeper of
its group, if that one is verified against each member
(``linkage.merge_clusters_of_paired_keepers``).
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base.errors import TooManyPairs
from ilk.fingerprints.digest import first_rows_with_same_digest_or_null
from ilk.search.evidence import Evidence


def first_rows_with_same_masked_text_or_null(evidence: Evidence) -> pa.Int64Array:
    """Return for each text that is joined the first one that differs from it only in numbers.

    Null for a text in which each word has a number: those are alike only if they share enough.
    """
    masked = evidence.field("masked_digest")
    words = pc.invert(pc.starts_with(masked.cast(pa.binary()), bytes(_kernels.WORDLESS_BYTES)))
    has_plain_words = pc.fill_null(pc.and_(evidence.joined_texts_mask, words), False)
    return first_rows_with_same_digest_or_null(
        pc.if_else(has_plain_words, masked, pa.scalar(None, masked.type))
    )


def list_pairs_differing_only_in_numbers(
    evidence: Evidence, max_pairs: int
) -> arrow.CandidateTable:
    """Return every pair of joined texts that differ only in numbers: ``CANDIDATES``."""
    groups = first_rows_with_same_masked_text_or_null(evidence)
    rows = pc.indices_nonzero(groups.is_valid()).cast(pa.int64())
    names = groups.take(rows)
    sizes = pc.value_counts(names).field(1)
    count = (pc.sum(pc.multiply(sizes, pc.subtract(sizes, 1))).as_py() or 0) // 2
    if count > max_pairs:
        raise TooManyPairs(count, max_pairs)
    left, right = (pa.table({"group": names, side: rows}) for side in ("left", "right"))
    both = left.join(right, "group", join_type="inner", use_threads=False)
    return arrow.fit_columns_to_schema(
        both.filter(pc.less(both["left"], both["right"])), arrow.CANDIDATES
    )


def pair_with_best_of_group(groups: pa.Array, ranking: pa.Array, baseline_size: int) -> pa.Table:
    """Return a pair of each row of a group with the best one: ``left`` and ``right``.

    Args:
        groups: the group of each row, or null.
        ranking: all rows, best first.
        baseline_size: the first rows, as many as these, make no pairs with one another.
    """
    rows = pa.arange(0, len(groups))
    best_first = pc.indices_nonzero(pc.less(ranking, baseline_size)).cast(pa.int64())
    others = pc.indices_nonzero(pc.greater_equal(ranking, baseline_size)).cast(pa.int64())
    order = ranking.take(pa.concat_arrays([best_first, others]))
    named = groups.take(order)
    first = pc.index_in(groups, value_set=named)
    best = pc.if_else(groups.is_valid(), order.take(first), pa.scalar(None, pa.int64()))
    paired = pc.and_(pc.not_equal(best, rows), pc.greater_equal(rows, baseline_size))
    paired = pc.fill_null(paired, False)
    return pa.table({"left": best.filter(paired), "right": rows.filter(paired)})
