"""Columns of numbers as plain bytes, and back: little-endian, one value after the other."""

from __future__ import annotations

import pyarrow as pa


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
