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

#: What is kept of a text so that pairs can be judged without it. Sets of word shingles are ids, the
#: upper halves of 64-bit hashes; the whole hashes stand beside them where there are many. Shingles
#: of characters are kept of texts of fewer than 100 words.
EVIDENCE = pa.struct(
    [
        pa.field("digest", DIGEST),
        pa.field("bytes_digest", DIGEST),
        pa.field("masked_digest", DIGEST),
        pa.field("length", pa.int64()),
        pa.field("words", pa.uint32()),
        pa.field("word_shingles", SETS),
        pa.field("word_hashes", WIDE_SETS),
        pa.field("character_shingles", SETS),
    ]
)


def _schema(**types: pa.DataType) -> pa.Schema:
    """Return a schema; rows, sources and clusters are never null."""
    never = ("doc", "source", "left", "right", "cluster", "keeper")
    return pa.schema([pa.field(n, kind, nullable=n not in never) for n, kind in types.items()])


#: Step "read": one row per document. ``doc`` is the row number in reading order; ``page`` is null
#: unless text was made of a page.
DOCUMENTS = _schema(
    doc=pa.int64(),
    source=pa.string(),
    id=pa.string(),
    text=pa.large_string(),
    bytes_digest=DIGEST,
    size=pa.int64(),
    modified=pa.timestamp("us", tz="UTC"),
    page=PAGE,
)

#: Step "fingerprint": null with its reason where a text has too little. ``with_recipe`` gives the
#: fingerprints the type of the recipe's width.
FINGERPRINTS = _schema(
    doc=pa.int64(),
    fingerprint=pa.uint64(),
    digest=DIGEST,
    bytes_digest=DIGEST,
    reason=pa.string(),
)

#: Step "pair": the distance is null where it is not known yet.
CANDIDATES = _schema(
    left=pa.int64(),
    right=pa.int64(),
    distance=pa.uint8(),
)

#: Step "verify".
PAIRS = _schema(
    left=pa.int64(),
    right=pa.int64(),
    distance=pa.uint8(),
    resemblance=pa.float64(),
    containment_left=pa.float64(),
    containment_right=pa.float64(),
    verdict=pa.string(),
)

#: Step "cluster": every document of a cluster of two or more, its keeper among them.
CLUSTERS = _schema(
    doc=pa.int64(),
    cluster=pa.int64(),
    keeper=pa.int64(),
    distance=pa.uint8(),
    resemblance=pa.float64(),
    contained_in_keeper=pa.float64(),
    contains_keeper=pa.float64(),
    verdict=pa.string(),
)


def padded(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table that has some columns of the schema, the others null."""
    arrays = [
        table[field.name] if field.name in table.column_names else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.table(arrays, schema=schema)


def joined(pieces: Iterable[pa.Array], kind: pa.DataType) -> pa.Array:
    """Return pieces of one column as one array."""
    pieces = list(pieces)
    if len(pieces) == 1:
        return pieces[0]
    return pa.concat_arrays(pieces) if pieces else pa.array([], kind)


def flat(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column as one array."""
    return joined(column.chunks, column.type) if isinstance(column, pa.ChunkedArray) else column
