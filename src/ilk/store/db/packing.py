"""Columns of numbers as plain bytes, and back: little-endian, one value after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow


def numbers_to_bytes(values: pa.Array) -> bytes:
    """Return numbers, or values of a fixed width, without nulls."""
    width = values.type.bit_width // 8
    buffer = values.buffers()[1]
    if buffer is None:
        return b""
    return bytes(buffer[width * values.offset : width * (values.offset + len(values))])


def numbers_from_bytes(packed: bytes, kind: pa.DataType) -> pa.Array:
    """Return the values of this type in these bytes."""
    count = len(packed) // (kind.bit_width // 8)
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(packed)])


def sets_to_bytes(sets: pa.Array) -> list[bytes]:
    """Return every set (a list of ``uint32`` or ``uint64``) as its numbers, ascending."""
    values = sets.flatten()
    width = values.type.bit_width // 8
    view = memoryview(numbers_to_bytes(values))
    ends = [width * end for end in accumulate(pc.list_value_length(sets).to_pylist(), initial=0)]
    return [bytes(view[start:end]) for start, end in pairwise(ends)]


def sets_from_bytes(packed: Sequence[bytes], *, wide: bool) -> pa.Array:
    """Return the sets in these bytes, of ``uint64`` if wide."""
    kind = arrow.WIDE_SETS if wide else arrow.SETS
    width = kind.value_type.bit_width // 8
    ends = accumulate((len(one) // width for one in packed), initial=0)
    values = numbers_from_bytes(b"".join(packed), kind.value_type)
    return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), values, type=kind)


def is_ascending(packed: bytes, *, wide: bool) -> bool:
    """Return whether the numbers of a set are complete and strictly ascending."""
    kind = pa.uint64() if wide else pa.uint32()
    if len(packed) % (kind.bit_width // 8):
        return False
    values = numbers_from_bytes(packed, kind)
    return bool(pc.all(pc.less(values[:-1], values[1:]), min_count=0).as_py())
