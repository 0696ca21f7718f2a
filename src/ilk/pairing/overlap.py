"""Shingle sets at a resemblance or containment: every pair, and no other.

A column of texts is joined by the rule by which pairs are measured (``ilk.pairing.measured``); a
column of sets as it is.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, columns
from ilk.options.table import CONTAINMENT, checked, default
from ilk.pairing import measures, verify
from ilk.pairing.measured import Measured, counted, emptied, judged, sides
from ilk.pairing.verify import Counts
from ilk.system import resources

_TEXTS = pa.large_string()

SCHEMA = pa.schema(
    [
        pa.field("left", pa.int64(), nullable=False),
        pa.field("right", pa.int64(), nullable=False),
        pa.field("resemblance", pa.float64(), nullable=False),
        pa.field("containment_left", pa.float64(), nullable=False),
        pa.field("containment_right", pa.float64(), nullable=False),
    ]
)


def resemblance_pairs(
    texts: Any,
    resemblance: str | float = default("resemblance"),
    *,
    shingle: int = default("shingle"),
    max_pairs: int = default("max_pairs"),
    jobs: int | None = None,
) -> pa.Table:
    """Every pair of texts that share at least this part of their shingles, and no other.

    Args:
        texts: n texts (an Arrow, Polars, pandas or DuckDB column, or a list of ``str``), or n sets:
            a column of lists of numbers, compared as they are.
        resemblance: the least resemblance, above 0 and at most 1, taken as the decimal it is
            written as.
        shingle: words per shingle; pairs with a text below 50 words are compared by 3 characters.
        max_pairs: the largest number of pairs to give.
        jobs: threads that cut texts into shingles, by default one per processor. The result does
            not depend on them.

    Returns:
        ``left``, ``right`` (row numbers, left < right), ``resemblance`` and both containments;
        sorted. Rows that are null, blank or empty are in no pair.

    Raises:
        TooManyPairs: there are more than ``max_pairs``.
        ColumnTypeError, OptionError: an argument is of another kind, or out of bounds.

    Source: Bayardo 2007 (AllPairs); Xiao 2008 (PPJoin).

    >>> resemblance_pairs([[1, 2, 3], [2, 3, 4], [7]], 0.5).to_pylist()[0]["resemblance"]
    0.5
    """
    least = checked("resemblance", resemblance)
    limit = checked("max_pairs", max_pairs)
    if _is_sets(texts):
        sets = _sets(texts)
        left, right, shared = _kernels.resemblance_self_join(
            sets, *measures.kernel_ratio(least), limit
        )
        counts = counted(sets, left, right, shared)
        return _table(*judged(left, right, counts, counts.resembling(least), limit))
    column = columns.texts(texts)
    measured = Measured.of(column, checked("shingle", shingle), resources.threads(jobs))
    return _table(*measured.resembling(least, limit))


def resemblance_join(
    left: Any,
    right: Any,
    resemblance: str | float = default("resemblance"),
    *,
    shingle: int = default("shingle"),
    max_pairs: int = default("max_pairs"),
    jobs: int | None = None,
) -> pa.Table:
    """Every pair of a left and a right text that share at least this part of their shingles.

    Arguments, columns and errors are those of ``resemblance_pairs``; ``left`` and ``right`` number
    the rows of their own column.

    >>> resemblance_join([[1, 2, 3]], [[9], [2, 3, 4]], 0.5).to_pylist()[0]["right"]
    1
    """
    least = checked("resemblance", resemblance)
    limit = checked("max_pairs", max_pairs)
    if _is_sets(left) and _is_sets(right):
        sets, split = _sets(columns.both_lists(left, right)), len(left)
        first, rest = (emptied(sets, side) for side in sides(pa.arange(0, len(sets)), split))
        a, b, shared = _kernels.resemblance_join(first, rest, *measures.kernel_ratio(least), limit)
        counts = counted(sets, a, b, shared)
        a, b, counts = judged(a, b, counts, counts.resembling(least), limit)
        return _table(a, pc.subtract(b, split), counts)
    columns_ = columns.texts(left), columns.texts(right)
    both = pa.chunked_array([chunk for column in columns_ for chunk in column.chunks], _TEXTS)
    measured = Measured.of(both, checked("shingle", shingle), resources.threads(jobs))
    a, b, counts = measured.across(len(columns_[0]), least, limit)
    return _table(a, pc.subtract(b, len(columns_[0])), counts)


def containment_pairs(
    texts: Any,
    containment: str | float = CONTAINMENT,
    *,
    exists: bool = False,
    shingle: int = default("shingle"),
    max_pairs: int = default("max_pairs"),
    jobs: int | None = None,
) -> pa.Table:
    """Every ordered pair of texts of which the left one stands in the right one to this part.

    Arguments, columns and errors are those of ``resemblance_pairs``; a pair that contains each
    other is given both ways.

    Args:
        exists: give each contained text with one of its containers only, the largest. Their number
            is never quadratic, and of two texts that contain each other only one is contained.

    Source: Broder 1997, section 2.
    """
    least = checked("containment", CONTAINMENT if containment is None else containment)
    limit = checked("max_pairs", max_pairs)
    if _is_sets(texts):
        sets = _sets(texts)
        if exists:
            left, right = _with_container(_kernels.containers(sets, *measures.kernel_ratio(least)))
            shared = _kernels.intersect_pairs(sets, left, right)
        else:
            left, right, shared = _kernels.containment_self_join(
                sets, *measures.kernel_ratio(least), limit
            )
        counts = counted(sets, left, right, shared)
        return _table(*judged(left, right, counts, counts.contained(least)[0], limit))
    column = columns.texts(texts)
    measured = Measured.of(column, checked("shingle", shingle), resources.threads(jobs))
    if not exists:
        return _table(*measured.contained(least, limit))
    left, right = _with_container(measured.containers(least))
    counts = verify.count(column, left, right, shingle=measured.shingle, jobs=measured.jobs)
    return _table(*judged(left, right, counts, counts.contained(least)[0], limit))


def _table(left: pa.Array, right: pa.Array, counts: Counts) -> pa.Table:
    return pa.table({"left": left, "right": right, **counts.columns()}, schema=SCHEMA)


def _is_sets(values: Any) -> bool:
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return columns.is_list(values.type)
    if isinstance(values, list | tuple):
        first = next((value for value in values if value is not None), None)
        return isinstance(first, list | tuple | set | frozenset)
    return False


def _sets(values: Any) -> pa.Array:
    """A column of sets as the kernels take them."""
    return _kernels.sorted_sets(columns.sets(values))


def _with_container(containers: pa.Array) -> tuple[pa.Array, pa.Array]:
    """The rows that have a container, and the container."""
    rows = pa.arange(0, len(containers))
    return rows.filter(containers.is_valid()), containers.drop_null()
