"""How many documents of a cluster stay, by which rule, and for how many each of them stands."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow

#: The policy with which no row stays that is like another one, and the reason for dropping a row
#: that is like one of a reference.
NONE, HELD = "none", "against"

#: Returns for each pair of rows the policy that ranks the first before the second.
FindPolicies = Callable[[pa.Array, pa.Array], pa.Array]


def reasons_to_drop_beyond_limit(
    reasons_if_only_keepers_stay: pa.Array,
    docs: pa.Array,
    keepers: pa.Array,
    *,
    ranking: pa.Array,
    baseline_size: int,
    max_staying: int,
    find_deciding_policies: FindPolicies,
) -> pa.Array:
    """Return why each member of a cluster goes, null for those that stay, if several may stay.

    Of a cluster whose keeper is held, no other row stays.

    Args:
        reasons_if_only_keepers_stay: why each goes then; null for keepers.
        docs, keepers: n rows each, the members of clusters and their keepers.
        ranking: all rows, best first.
        baseline_size: the first rows, as many as these, are a reference.
        max_staying: how many of a cluster stay, at least 1: the keeper and the best others.
        find_deciding_policies: says why a row goes for the last one that stays.
    """
    places = pc.sort_indices(ranking).cast(pa.int64())
    members = pa.table(
        {
            "at": pa.arange(0, len(docs)),
            "keeper": keepers,
            "is_other": pc.not_equal(docs, keepers).cast(pa.int8()),
            "place": places.take(docs),
        }
    ).filter(pc.greater_equal(keepers, baseline_size))
    by = [("keeper", "ascending"), ("is_other", "ascending"), ("place", "ascending")]
    members = members.sort_by(by)
    at = arrow.flat(members["at"])
    first = arrow.first_rows_with_same_name(members["keeper"])
    number = pc.subtract(pa.arange(0, len(at)), first.cast(pa.int64()))
    stays, goes = at.filter(pc.less(number, max_staying)), pc.greater_equal(number, max_staying)
    later = at.filter(goes)
    last = at.take(pc.add(first.filter(goes).cast(pa.int64()), max_staying - 1))
    why = find_deciding_policies(docs.take(last), docs.take(later))
    order = pc.sort_indices(later)
    mask = pc.is_in(pa.arange(0, len(docs)), value_set=later)
    reasons = reasons_if_only_keepers_stay
    reasons = pc.replace_with_mask(reasons, mask, why.take(order).cast(reasons.type))
    return pc.if_else(pc.is_in(pa.arange(0, len(docs)), value_set=stays), None, reasons)


def reasons_to_drop_all_outside_baseline(
    docs: pa.Array, keepers: pa.Array, baseline_size: int
) -> pa.Array:
    """Return why each row that is like another one goes, if none of them stays.

    Args:
        docs, keepers: n rows each, the members of families and their keepers.
        baseline_size: the first rows, as many as these, are a reference, and stay.
    """
    why = pc.if_else(pc.less(keepers, baseline_size), HELD, NONE)
    return pc.if_else(pc.less(docs, baseline_size), None, why)


def sum_weights_onto_keepers_null_if_dropped(
    weights: pa.Array, dropped_rows: pa.Array, keepers_of_dropped: pa.Array
) -> pa.Int64Array:
    """Return for how many rows each row stands: itself, and those that go for it.

    Args:
        weights: n whole numbers (``int64``), for how many each stood before.
        dropped_rows, keepers_of_dropped: m rows each; the keeper is null for a row that goes for
            none of the n.

    Returns:
        n whole numbers (``int64``); null for rows that go.
    """
    table = pa.table({"keeper": keepers_of_dropped, "weight": weights.take(dropped_rows)})
    table = table.filter(keepers_of_dropped.is_valid())
    sums = table.group_by("keeper", use_threads=False).aggregate([("weight", "sum")])
    rows = pa.arange(0, len(weights))
    more = arrow.flat(sums["weight_sum"]).take(
        pc.index_in(rows, value_set=arrow.flat(sums["keeper"]))
    )
    every = pc.add(weights, pc.fill_null(more, 0))
    return pc.if_else(pc.is_in(rows, value_set=dropped_rows), None, every)
