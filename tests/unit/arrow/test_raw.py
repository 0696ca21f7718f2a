"""The bytes of columns of numbers."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest

from ilk import arrow


@pytest.mark.parametrize(("start", "count"), [(0, 4), (1, 2), (4, 0)])
def test_raw_bytes_are_those_of_the_slice_alone(start: int, count: int) -> None:
    values = pa.array([1, 2**40, 3, 2**63], pa.uint64()).slice(start, count)
    assert bytes(arrow.raw_bytes(values)) == struct.pack(f"<{count}Q", *values.to_pylist())


def test_a_column_without_a_buffer_has_no_bytes() -> None:
    assert bytes(arrow.raw_bytes(pa.Array.from_buffers(pa.uint8(), 0, [None, None]))) == b""
