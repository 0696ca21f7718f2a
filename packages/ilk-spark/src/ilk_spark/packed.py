"""Evidence as columns that Spark holds: numbers, and sets as the bytes of their numbers.

Spark has no unsigned numbers, and reads lists value by value; bytes travel as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.search.evidence import Evidence

#: What is kept of a text, in Spark's types.
SCHEMA = ", ".join(
    (
        "digest binary",
        "bytes_digest binary",
        "masked_digest binary",
        "length long",
        "words int",
        "word_shingles binary",
        "word_hashes binary",
        "character_shingles binary",
    )
)

#: Bytes of texts to process together, so that their evidence fits into one batch.
_PIECE = 32 << 20


def packed(rows: pa.StructArray) -> dict[str, pa.Array]:
    """Return evidence as columns of ``SCHEMA``."""
    found = {}
    for field in arrow.EVIDENCE:
        values = rows.field(field.name)
        if pa.types.is_large_list(field.type):
            found[field.name] = to_bytes(values)
        elif pa.types.is_uint32(field.type):
            found[field.name] = values.view(pa.int32())
        elif field.type == arrow.DIGEST:
            found[field.name] = values.cast(pa.binary())
        else:
            found[field.name] = values
    return found


def unpacked(table: pa.Table) -> Evidence:
    """Return the evidence in columns of ``SCHEMA``."""
    arrays = []
    for field in arrow.EVIDENCE:
        values = arrow.flat(table[field.name])
        if pa.types.is_large_list(field.type):
            arrays.append(from_bytes(values, field.type))
        elif pa.types.is_uint32(field.type):
            arrays.append(values.view(pa.uint32()))
        else:
            arrays.append(values.cast(field.type))
    return Evidence(pa.StructArray.from_arrays(arrays, fields=list(arrow.EVIDENCE)))


def to_bytes(sets: pa.Array) -> pa.Array:
    """Return sets as the bytes of their numbers, which are not copied."""
    values = sets.values
    width = values.type.bit_width // 8
    ends = pc.multiply(pc.add(sets.offsets, values.offset), width)
    buffers = [None, ends.buffers()[1], values.buffers()[1]]
    return pa.Array.from_buffers(pa.large_binary(), len(sets), buffers).cast(pa.binary())


def from_bytes(packed: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return the sets of this type in bytes, which are not copied."""
    _, ends, values = packed.cast(pa.large_binary()).buffers()
    width = kind.value_type.bit_width // 8
    ends = pa.Array.from_buffers(pa.int64(), len(packed) + 1, [None, ends], offset=packed.offset)
    count = (values.size if values else 0) // width
    numbers = pa.Array.from_buffers(kind.value_type, count, [None, values or pa.py_buffer(b"")])
    return pa.LargeListArray.from_arrays(pc.divide(ends, width), numbers, type=kind)


def pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches in pieces of some megabytes."""
    for batch in batches:
        rows = max(1, int(len(batch) * _PIECE / max(1, batch.nbytes)))
        for start in range(0, len(batch), rows):
            yield batch.slice(start, rows)


def gathered(batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
    """Return all rows of a task; None if it has no rows."""
    held = [batch for batch in batches if len(batch)]
    return pa.Table.from_batches(held) if held else None
