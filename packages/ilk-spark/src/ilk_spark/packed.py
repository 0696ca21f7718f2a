"""Evidence as columns that Spark holds: numbers, and sets as the bytes of their numbers.

Spark has no unsigned numbers, and reads lists value by value; bytes travel as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from ilk.companions import Evidence
from ilk.companions import kernels as _kernels
from ilk.plugins import arrow

#: The evidence of a text, in Spark's types.
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


def pack_evidence(rows: pa.StructArray) -> dict[str, pa.Array]:
    """Return evidence as columns of ``SCHEMA``."""
    columns = {}
    for field in arrow.EVIDENCE:
        values = rows.field(field.name)
        if pa.types.is_large_list(field.type):
            columns[field.name] = _kernels.sets_as_native_bytes_ignoring_nulls(values).cast(
                pa.binary()
            )
        elif pa.types.is_uint32(field.type):
            columns[field.name] = values.view(pa.int32())
        elif field.type == arrow.DIGEST:
            columns[field.name] = values.cast(pa.binary())
        else:
            columns[field.name] = values
    return columns


def unpack_evidence(table: pa.Table) -> Evidence:
    """Return the evidence in columns of ``SCHEMA``."""
    arrays = []
    for field in arrow.EVIDENCE:
        values = arrow.flat(table[field.name])
        if pa.types.is_large_list(field.type):
            wide = field.type == arrow.WIDE_SETS
            sets = _kernels.sets_from_bytes_assumed_ascending(values.cast(pa.large_binary()), wide)
            arrays.append(sets.cast(field.type))
        elif pa.types.is_uint32(field.type):
            arrays.append(values.view(pa.uint32()))
        else:
            arrays.append(values.cast(field.type))
    return Evidence(pa.StructArray.from_arrays(arrays, fields=list(arrow.EVIDENCE)))


def split_large_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches in pieces of some megabytes."""
    for batch in batches:
        rows = max(1, int(len(batch) * _PIECE / max(1, batch.nbytes)))
        for start in range(0, len(batch), rows):
            yield batch.slice(start, rows)


def gather_batches_or_none(batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
    """Return all rows of a task; None if it has no rows."""
    batches_with_rows = [batch for batch in batches if len(batch)]
    return pa.Table.from_batches(batches_with_rows) if batches_with_rows else None
