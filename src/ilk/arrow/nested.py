"""Columns of lists, and the sets they represent."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow.schemas import SETS, flat
from ilk.base.errors import ColumnTypeError


def is_list(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds a list in every row."""
    return bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def import_list_column(values: Any) -> pa.Array:
    """Return a column of lists of any library, or lists of Python, as one array.

    Raises:
        ColumnTypeError: ``values`` is something else.
    """
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        try:
            values = pa.array([None if value is None else list(value) for value in values])
        except (TypeError, pa.ArrowInvalid) as error:
            raise ColumnTypeError(f"expected sets of values of one type: {error}.") from error
    values = flat(values)
    if not is_list(values.type):
        raise ColumnTypeError(f"expected a column of sets (lists), got {values.type}.")
    return values


def concatenate_list_columns(first: Any, second: Any) -> pa.Array:
    """Return the rows of two columns of lists as one column, so that equal values stay equal.

    Raises:
        ColumnTypeError: a column is something else, or they hold values of different types.
    """
    if not any(isinstance(side, pa.Array | pa.ChunkedArray) for side in (first, second)):
        return import_list_column([*first, *second])
    first, second = import_list_column(first), import_list_column(second)
    try:
        return pa.concat_arrays([first, second.cast(first.type)])
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ColumnTypeError(
            f"sets of {first.type} and of {second.type} cannot be joined; cast one of them."
        ) from error


def encode_lists_as_ids_null_as_empty(values: Any) -> pa.LargeListArray:
    """Return lists of anything as lists of whole numbers, equal where the values are equal.

    Args:
        values: n lists, sets or nulls, or an Arrow column of lists.

    Returns:
        n lists of ``uint32``, neither sorted nor distinct yet; a null is empty.

    Raises:
        ColumnTypeError: ``values`` is something else.
    """
    values = import_list_column(values)
    # Numbers of 32 bits are used as they are; other values by their place among the values.
    items = flat(values.flatten())
    known = pa.types.is_uint32(items.type)
    ids = items if known else items.dictionary_encode().indices.cast(pa.uint32())
    if ids.null_count:
        raise ColumnTypeError("a set contains a null; remove it.")
    lengths = pc.fill_null(pc.list_value_length(values), 0).cast(pa.int64())
    ends = pc.cumulative_sum(lengths)
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    return pa.LargeListArray.from_arrays(offsets, ids, type=SETS)
