"""A selection of rows, piece by piece."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat
from ilk.base.errors import OptionError

#: A function that returns Booleans for ``count`` rows, starting at ``first``; None if none is
#: wanted.
Chosen: TypeAlias = Callable[[int, int], pa.BooleanArray | None]


def everything(first: int, count: int) -> pa.BooleanArray | None:
    """Choose every row."""
    del first
    return pa.repeat(True, count) if count else None


def chosen(rows: Any, total: int) -> Chosen:
    """Choose rows by a Boolean for each of the ``total`` rows, or by ascending row numbers.

    OptionError if there are too few or too many, or the numbers do not ascend.
    """
    column = _column(rows)
    if column.null_count:
        raise OptionError(f"{column.null_count} of the row numbers are null; leave them out.")
    if pa.types.is_boolean(column.type):
        return _by_truth(column, total)
    return _by_number(column, total)


def shifted(wanted: Chosen, by: int) -> Chosen:
    """Choose the same rows, numbered from another first one."""
    return lambda first, count: wanted(first + by, count)


def count(rows: Any) -> int:
    """Count the chosen rows."""
    column = _column(rows)
    return int(column.true_count) if pa.types.is_boolean(column.type) else len(column)


def numbers(mask: pa.BooleanArray, first: int) -> pa.Int64Array:
    """Return the numbers of the rows for which the mask is true; the first row is ``first``."""
    return pc.add(pc.indices_nonzero(mask).cast(pa.int64()), first)


def _column(rows: Any) -> pa.Array:
    return flat(rows) if isinstance(rows, pa.Array | pa.ChunkedArray) else pa.array(rows)


def _by_truth(truth: pa.BooleanArray, total: int) -> Chosen:
    if len(truth) != total:
        raise OptionError(f"{len(truth):,} Booleans for {total:,} rows; give one per row.")

    def within(first: int, count: int) -> pa.BooleanArray | None:
        wanted = truth.slice(first, count)
        return wanted if wanted.true_count else None

    return within


def _by_number(column: pa.Array, total: int) -> Chosen:
    if len(column) and not pa.types.is_integer(column.type):
        raise OptionError(f"the rows are given as {column.type}; give Booleans or row numbers.")
    column = column.cast(pa.int64(), safe=False)  # Numbers that are too large become negative.
    if len(column) > 1 and not pc.all(pc.greater(column[1:], column[:-1])).as_py():
        raise OptionError("the row numbers do not ascend; sort them, and remove repeated ones.")
    if len(column) and not 0 <= column[0].as_py() <= column[-1].as_py() < total:
        raise OptionError(
            f"rows {column[0]} to {column[-1]} are given, but there are only {total:,} rows, "
            "counted from 0."
        )
    values = memoryview(column.buffers()[1] or b"").cast("q")
    values = values[column.offset : column.offset + len(column)]

    def within(first: int, count: int) -> pa.BooleanArray | None:
        low = bisect_left(values, first)
        high = bisect_left(values, first + count, low)
        if low == high:
            return None
        return pc.is_in(pa.arange(first, first + count), value_set=column.slice(low, high - low))

    return within
