"""Exact joins of sets of anything, or of texts, at a resemblance or a containment.

A column of texts is joined on its evidence (``ilk.search.evidence_joins``); a column of sets as it
is.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.arrow.strings import import_column_or_text_list
from ilk.base import resources
from ilk.base.arguments import suggest_arguments
from ilk.base.errors import TooManyPairs
from ilk.base.options import CONTAINMENT, check_option, default
from ilk.search import evidence_joins
from ilk.search.counting import Counting
from ilk.search.evidence import Evidence, Thresholds
from ilk.search.measures import kernel_ratio_at_most, ratio_or_zero

#: Sets or texts, as they were given in a list, or as a column of Arrow.
ListOrColumn: TypeAlias = list[Any] | tuple[Any, ...] | pa.ChunkedArray

__all__ = ["containment", "join", "pairs"]

_SCHEMA = arrow.schema_without_nulls(
    left=pa.int64(),
    right=pa.int64(),
    resemblance=pa.float64(),
    containment_left=pa.float64(),
    containment_right=pa.float64(),
)

#: Pairs of rows, with the columns of ``_SCHEMA``.
MeasuredPairTable: TypeAlias = pa.Table


@suggest_arguments
def pairs(
    texts: Any,
    resemblance: str | float = default("resemblance"),
    *,
    shingle: int = default("shingle"),
    max_pairs: int = default("max_pairs"),
    jobs: int | None = None,
) -> MeasuredPairTable:
    """Return all pairs of texts that share at least this part of their shingles, and no others.

    Args:
        texts: n texts (an Arrow, Polars, pandas or DuckDB column, or a list of ``str``), or n sets:
            a column of lists of numbers, compared as they are.
        resemblance: the least resemblance, above 0 and at most 1, exactly the decimal as written.
        shingle: words per shingle. A text below 50 words and one below 100 are compared by
            3 characters.
        max_pairs: the largest number of pairs to return.
        jobs: threads; by default one per processor. The result does not depend on them.

    Returns:
        ``left``, ``right`` (row numbers, left < right), ``resemblance`` and both containments;
        sorted. Rows that are null, blank or empty are in no pair.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
        ColumnTypeError, OptionError: an argument is of another kind, or out of bounds.

    Source: Bayardo 2007 (AllPairs); Xiao 2008 (PPJoin).

    >>> pairs([[1, 2, 3], [2, 3, 4], [7]], 0.5).to_pylist()[0]["resemblance"]
    0.5
    """
    min_resemblance = check_option("resemblance", resemblance)
    limit = check_option("max_pairs", max_pairs)
    texts, threads = _import_column_unless_list(texts), resources.thread_count(jobs)
    if _holds_sets(texts):
        sets = _import_as_sorted_sets_null_as_empty(texts)
        rows, others, shared = _kernels.resemblance_self_join(
            sets, kernel_ratio_at_most(min_resemblance), limit, threads
        )
        return _measure_pairs(sets, sets, left=rows, right=others, shared_counts=shared)
    counting = Counting(check_option("shingle", shingle))
    evidence = Evidence.from_texts(arrow.import_texts(texts), counting, threads)
    near = evidence_joins.judge_by_number_and_sort_pairs_of_one_kind(
        evidence,
        evidence_joins.join_candidates_by_resemblance(evidence, min_resemblance, limit),
        Thresholds(min_resemblance),
    )
    _refuse_too_many_pairs(near, limit)
    return _select_documented_columns(near)


@suggest_arguments
def join(
    left: Any,
    right: Any,
    resemblance: str | float = default("resemblance"),
    *,
    shingle: int = default("shingle"),
    max_pairs: int = default("max_pairs"),
    jobs: int | None = None,
) -> MeasuredPairTable:
    """Return all pairs of a left and a right text that share this part of their shingles.

    Arguments, columns and errors are those of ``pairs``; ``left`` and ``right`` number
    the rows of their own column.

    >>> join([[1, 2, 3]], [[9], [2, 3, 4]], 0.5).to_pylist()[0]["right"]
    1
    """
    min_resemblance = check_option("resemblance", resemblance)
    limit = check_option("max_pairs", max_pairs)
    left, right = _import_column_unless_list(left), _import_column_unless_list(right)
    threads = resources.thread_count(jobs)
    if _holds_sets(left) and _holds_sets(right):
        sets, split = (
            _import_as_sorted_sets_null_as_empty(arrow.concatenate_list_columns(left, right)),
            len(left),
        )
        left_sets, right_sets = sets.slice(0, split), sets.slice(split)
        rows, of_others, shared = _kernels.resemblance_join(
            left_sets, right_sets, kernel_ratio_at_most(min_resemblance), limit, threads
        )
        return _measure_pairs(
            left_sets, right_sets, left=rows, right=of_others, shared_counts=shared
        )
    width = check_option("shingle", shingle)
    left_evidence, right_evidence = (
        Evidence.from_texts(arrow.import_texts(side), Counting(width), threads)
        for side in (left, right)
    )
    split, both = len(left_evidence), left_evidence.concatenate(right_evidence)
    pairs = evidence_joins.join_across_row_split(both, split, min_resemblance, limit)
    near = evidence_joins.judge_by_number_and_sort_pairs_of_one_kind(
        both, pairs, Thresholds(min_resemblance)
    )
    _refuse_too_many_pairs(near, limit)
    table = _select_documented_columns(near)
    return table.set_column(1, _SCHEMA.field(1), pc.subtract(table["right"], split))


@suggest_arguments
def containment(
    texts: Any,
    containment: str | float = CONTAINMENT,
    *,
    exists: bool = False,
    shingle: int = default("shingle"),
    max_pairs: int = default("max_pairs"),
    jobs: int | None = None,
) -> MeasuredPairTable:
    """Return all ordered pairs of texts in which the right one contains this part of the left one.

    Arguments, columns and errors are those of ``pairs``; a pair that contains each
    other is returned both ways.

    Args:
        exists: return each contained text with only its largest container. Then their number is
            never quadratic, and of two texts that contain each other, only one is contained.

    Source: Broder 1997, section 2.
    """
    min_containment = check_option(
        "containment", CONTAINMENT if containment is None else containment
    )
    limit, texts = check_option("max_pairs", max_pairs), _import_column_unless_list(texts)
    if _holds_sets(texts):
        sets = _import_as_sorted_sets_null_as_empty(texts)
        if not exists:
            rows, others, shared_counts = _kernels.containment_self_join(
                sets, kernel_ratio_at_most(min_containment), limit
            )
            return _measure_pairs(sets, sets, left=rows, right=others, shared_counts=shared_counts)
        container = _kernels.find_largest_containers(sets, kernel_ratio_at_most(min_containment))
        left = pa.arange(0, len(container)).filter(container.is_valid())
        right = container.drop_null()
        shared_counts = _kernels.count_shared_ids(sets, left, right)
        return _measure_pairs(sets, sets, left=left, right=right, shared_counts=shared_counts)
    counting = Counting(check_option("shingle", shingle))
    evidence = Evidence.from_texts(
        arrow.import_texts(texts), counting, resources.thread_count(jobs)
    )
    if exists:
        pairs = evidence_joins.find_largest_container_of_each(evidence, min_containment)
    else:
        pairs = evidence_joins.join_by_word_containment(evidence, min_containment, limit)
    contained = evidence_joins.verify_containment_whole_if_short(evidence, pairs, min_containment)
    _refuse_too_many_pairs(contained, limit)
    return _select_documented_columns(
        contained.sort_by([("left", "ascending"), ("right", "ascending")])
    )


def _refuse_too_many_pairs(pairs: arrow.PairTable, max_pairs: int) -> None:
    """Raise ``TooManyPairs`` if there are more, although no single join had as many."""
    if len(pairs) > max_pairs:
        raise TooManyPairs(len(pairs), max_pairs)


def _select_documented_columns(judged_pairs: arrow.PairTable) -> MeasuredPairTable:
    """Return the documented columns of pairs."""
    return judged_pairs.select(_SCHEMA.names).cast(_SCHEMA)


def _measure_pairs(
    left_sets: pa.Array,
    right_sets: pa.Array,
    *,
    left: pa.Array,
    right: pa.Array,
    shared_counts: pa.Array,
) -> MeasuredPairTable:
    """Return pairs of rows of two columns of sets with their resemblance and both containments.

    Args:
        left_sets, right_sets: the columns; a join of one column gives it twice.
        left, right: the rows of n pairs.
        shared_counts: how many values the sets of each pair share.
    """
    left_sizes = pc.list_value_length(left_sets).take(left)
    right_sizes = pc.list_value_length(right_sets).take(right)
    union = pc.subtract(pc.add(left_sizes, right_sizes), shared_counts)
    measures = [ratio_or_zero(shared_counts, whole) for whole in (union, left_sizes, right_sizes)]
    return pa.table([left, right, *measures], schema=_SCHEMA)


def _import_column_unless_list(values: Any) -> ListOrColumn:
    """Return lists and tuples as they are, and a column of any library as one of Arrow."""
    return values if isinstance(values, list | tuple) else import_column_or_text_list(values)


def _holds_sets(values: ListOrColumn) -> bool:
    """Return whether these are sets, not texts; a list is what its first value is."""
    if isinstance(values, pa.ChunkedArray):
        return arrow.is_list(values.type)
    first = next((value for value in values if value is not None), None)
    return isinstance(first, list | tuple | set | frozenset)


def _import_as_sorted_sets_null_as_empty(values: Any) -> pa.LargeListArray:
    """Return sets of anything as ascending, distinct ids, equal where the values are equal."""
    return _kernels.sort_into_sets(arrow.encode_lists_as_ids_null_as_empty(values))
