"""Some rows of many, asked for piece by piece."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk.columns import flat
from ilk.errors import OptionError

#: Which of so many rows from a first one on are wanted, as truth values; None if none of them is.
Chosen: TypeAlias = Callable[[int, int], pa.BooleanArray | None]


def everything(first: int, count: int) -> pa.BooleanArray | None:
    """Every row."""
    del first
    return pa.repeat(True, count) if count else None


def chosen(rows: Any, total: int) -> Chosen:
    """The rows that are named.

    Args:
        rows: a truth value for each of the ``total`` rows, or ascending row numbers.

    Raises:
        OptionError: there are too few or too many, or the numbers do not ascend.
    """
    column = flat(rows) if isinstance(rows, pa.Array | pa.ChunkedArray) else pa.array(rows)
    if column.null_count:
        raise OptionError(f"{column.null_count} of the rows named are null; leave them out.")
    if pa.types.is_boolean(column.type):
        return _by_truth(column, total)
    return _by_number(column, total)


def shifted(wanted: Chosen, by: int) -> Chosen:
    """The same rows, numbered from another first one on."""
    return lambda first, count: wanted(first + by, count)


def count(rows: Any) -> int:
    """How many rows are named."""
    column = flat(rows) if isinstance(rows, pa.Array | pa.ChunkedArray) else pa.array(rows)
    return int(column.true_count) if pa.types.is_boolean(column.type) else len(column)


def _by_truth(truth: pa.BooleanArray, total: int) -> Chosen:
    if len(truth) != total:
        raise OptionError(f"{len(truth):,} truth values for {total:,} rows; give one per row.")

    def within(first: int, count: int) -> pa.BooleanArray | None:
        wanted = truth.slice(first, count)
        return wanted if wanted.true_count else None

    return within


def _by_number(column: pa.Array, total: int) -> Chosen:
    if len(column) and not pa.types.is_integer(column.type):
        raise OptionError(f"rows are named by {column.type}; give truth values or numbers.")
    column = column.cast(pa.int64(), safe=False)  # What is too large becomes negative.
    if len(column) > 1 and not pc.all(pc.greater(column[1:], column[:-1])).as_py():
        raise OptionError("the row numbers do not ascend; sort them, each once.")
    if len(column) and not 0 <= column[0].as_py() <= column[-1].as_py() < total:
        raise OptionError(
            f"rows {column[0]} to {column[-1]} are named, and there are {total:,}, from 0 on."
        )
    numbers = memoryview(column.buffers()[1] or b"").cast("q")
    numbers = numbers[column.offset : column.offset + len(column)]

    def within(first: int, count: int) -> pa.BooleanArray | None:
        low = bisect_left(numbers, first)
        high = bisect_left(numbers, first + count, low)
        if low == high:
            return None
        return pc.is_in(pa.arange(first, first + count), value_set=column.slice(low, high - low))

    return within
