"""What tables hold between the steps, and a column as one array."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

#: 128 bits: digests, and wide fingerprints.
DIGEST = WIDE = pa.binary(16)

#: Shingle sets: ascending, distinct ids, or hashes where ids would meet by chance.
SETS = pa.large_list(pa.field("item", pa.uint32(), nullable=False))

WIDE_SETS = pa.large_list(pa.field("item", pa.uint64(), nullable=False))

#: What a page says of itself: its title, its canonical link, its language, its day.
PAGE = pa.struct([pa.field(name, pa.string()) for name in ("title", "link", "language", "date")])

#: Step "read": one row per document. ``doc`` is the row number in reading order, ``page`` null of
#: what is no page of which text was made.
DOCUMENTS = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("id", pa.string()),
        pa.field("text", pa.large_string()),
        pa.field("bytes_digest", DIGEST),
        pa.field("size", pa.int64()),
        pa.field("modified", pa.timestamp("us", tz="UTC")),
        pa.field("page", PAGE),
    ]
)

#: Step "fingerprint": null with its reason where a text has too little. ``with_recipe`` gives the
#: fingerprints the type of the recipe's width.
FINGERPRINTS = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("fingerprint", pa.uint64()),
        pa.field("digest", DIGEST),
        pa.field("bytes_digest", DIGEST),
        pa.field("reason", pa.string()),
    ]
)

#: Step "pair": what is not known yet is null. The last three are numbers of shingles.
CANDIDATES = pa.schema(
    [
        pa.field("left", pa.int64(), nullable=False),
        pa.field("right", pa.int64(), nullable=False),
        pa.field("distance", pa.uint8()),
        pa.field("shared", pa.int64()),
        pa.field("left_shingles", pa.int64()),
        pa.field("right_shingles", pa.int64()),
    ]
)

#: Step "verify".
PAIRS = pa.schema(
    [
        pa.field("left", pa.int64(), nullable=False),
        pa.field("right", pa.int64(), nullable=False),
        pa.field("distance", pa.uint8()),
        pa.field("resemblance", pa.float64()),
        pa.field("containment_left", pa.float64()),
        pa.field("containment_right", pa.float64()),
        pa.field("verdict", pa.string()),
    ]
)

#: Step "cluster": every document of a cluster of two or more, its keeper among them.
CLUSTERS = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("cluster", pa.int64(), nullable=False),
        pa.field("keeper", pa.int64(), nullable=False),
        pa.field("distance_to_keeper", pa.uint8()),
        pa.field("resemblance_to_keeper", pa.float64()),
        pa.field("contained_in_keeper", pa.float64()),
        pa.field("contains_keeper", pa.float64()),
        pa.field("verdict", pa.string()),
    ]
)


def padded(found: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table that has some columns of the schema, the others null."""
    arrays = [
        found[field.name] if field.name in found.column_names else pa.nulls(len(found), field.type)
        for field in schema
    ]
    return pa.table(arrays, schema=schema)


def joined(pieces: Iterable[pa.Array], kind: pa.DataType) -> pa.Array:
    """Pieces of one column as one array."""
    pieces = list(pieces)
    if len(pieces) == 1:
        return pieces[0]
    return pa.concat_arrays(pieces) if pieces else pa.array([], kind)


def flat(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array."""
    return joined(column.chunks, column.type) if isinstance(column, pa.ChunkedArray) else column
