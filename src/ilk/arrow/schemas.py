"""The schemas of tables between the steps, and helpers for columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

#: 128 bits: digests, and wide fingerprints.
DIGEST = WIDE = pa.binary(16)

#: Shingle sets: ascending, distinct ids, or hashes if ids would collide.
SETS = pa.large_list(pa.field("item", pa.uint32(), nullable=False))

WIDE_SETS = pa.large_list(pa.field("item", pa.uint64(), nullable=False))

#: What a document declares: title, author, canonical link, language, date, number of pages.
DECLARED = pa.struct(
    [
        *(pa.field(name, pa.string()) for name in ("title", "author", "link", "language", "date")),
        pa.field("pages", pa.int32()),
    ]
)

#: The evidence of a text, which judges pairs without the text. Sets of word shingles are ids, the
#: upper halves of 64-bit hashes; if there are many, the whole hashes are kept too. Character
#: shingles are kept for texts of fewer than 100 words. A second set is kept in a search for noisy
#: copies (``ilk.search.noise_evidence``).
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


def _schema_with_nonnull_keys(**types: pa.DataType) -> pa.Schema:
    """Return a schema whose columns of rows, sources, families and clusters are never null."""
    never = ("doc", "source", "left", "right", "family", "cluster", "keeper")
    return pa.schema([pa.field(n, kind, nullable=n not in never) for n, kind in types.items()])


def schema_without_nulls(**types: pa.DataType) -> pa.Schema:
    """Return the schema of columns that have no nulls."""
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in types.items()])


#: Step "read": one row per document. ``doc`` is the row number in reading order; ``declared`` is
#: null for plain text, and for a page read with its tags. ``file`` is the source of the file on
#: disk that holds the document, null for rows; ``format`` is "" for plain text. ``left_out`` says
#: what is in the document and not in its text, null if it is complete, and ``left_digest`` is the
#: digest of that, null if its bytes are not known.
DOCUMENTS = _schema_with_nonnull_keys(
    doc=pa.int64(),
    source=pa.string(),
    id=pa.string(),
    text=pa.large_string(),
    bytes_digest=DIGEST,
    size=pa.int64(),
    modified=pa.timestamp("us", tz="UTC"),
    declared=DECLARED,
    file=pa.string(),
    format=pa.string(),
    left_out=pa.string(),
    left_digest=DIGEST,
)

#: Step "fingerprint": null, with the reason, if a text is too short.
#: ``with_fingerprint_field_of_recipe`` gives the fingerprints the type of the recipe's width.
FINGERPRINTS = _schema_with_nonnull_keys(
    doc=pa.int64(), fingerprint=pa.uint64(), digest=DIGEST, bytes_digest=DIGEST, reason=pa.string()
)

#: Step "pair": the distance is null if it is not known yet.
CANDIDATES = _schema_with_nonnull_keys(left=pa.int64(), right=pa.int64(), distance=pa.uint8())
CandidateTable: TypeAlias = pa.Table

#: Step "verify".
PAIRS = _schema_with_nonnull_keys(
    left=pa.int64(),
    right=pa.int64(),
    distance=pa.uint8(),
    resemblance=pa.float64(),
    containment_left=pa.float64(),
    containment_right=pa.float64(),
    verdict=pa.string(),
)
PairTable: TypeAlias = pa.Table

#: Step "cluster": every document of a family of two or more, keepers among them. For a keeper,
#: ``also_like`` has the row outside its cluster that it is most like, and their verdict.
CLUSTERS = _schema_with_nonnull_keys(
    doc=pa.int64(),
    family=pa.int64(),
    cluster=pa.int64(),
    keeper=pa.int64(),
    distance=pa.uint8(),
    resemblance=pa.float64(),
    contained_in_keeper=pa.float64(),
    contains_keeper=pa.float64(),
    verdict=pa.string(),
    also_like=pa.int64(),
    also_resemblance=pa.float64(),
    also_verdict=pa.string(),
)
ClusterTable: TypeAlias = pa.Table

#: Runs of words that occur at two places: the longest, in reading order. Byte positions are in the
#: UTF-8 text; the earlier place is null at the first place.
PASSAGES = _schema_with_nonnull_keys(
    passage=pa.int64(),
    doc=pa.int64(),
    start=pa.int64(),
    end=pa.int64(),
    start_byte=pa.int64(),
    end_byte=pa.int64(),
    occurrences=pa.int64(),
    earlier_doc=pa.int64(),
    earlier_start=pa.int64(),
)


def fit_columns_to_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with the columns of the schema in their order: its own, and the others null.

    Columns that the schema does not have are left out.
    """
    arrays = [
        table[field.name] if field.name in table.column_names else pa.nulls(len(table), field.type)
        for field in schema
    ]
    return pa.table(arrays, schema=schema)


def replace_columns(table: pa.Table, **columns: pa.Array | pa.ChunkedArray) -> pa.Table:
    """Return a table with other values in some columns; their fields stay, but for the types."""
    for name, values in columns.items():
        field = table.schema.field(name)  # KeyError if there is no such column.
        at = table.schema.get_field_index(name)
        table = table.set_column(at, field.with_type(values.type), values)
    return table


def join_pieces(pieces: Iterable[pa.Array], kind: pa.DataType) -> pa.Array:
    """Return pieces of one column as one array."""
    pieces = list(pieces)
    if len(pieces) == 1:
        return pieces[0]
    return pa.concat_arrays(pieces) if pieces else pa.array([], kind)


def count_values(column: pa.Array | pa.ChunkedArray) -> dict[Any, int]:
    """Return how often each value occurs in a column."""
    values, counts = pc.value_counts(column).flatten()
    return dict(zip(values.to_pylist(), counts.to_pylist(), strict=True))


def first_rows_with_same_name(names: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return for each row the first row with the same name.

    ``pa.Table.group_by`` would load all of pyarrow's engine for data sets.
    """
    names = flat(names)
    return pc.index_in(names, value_set=names)


def count_rows_with_same_name(names: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return for each row how many rows have the same name."""
    counts, names = pc.value_counts(names), flat(names)
    return counts.field(1).take(pc.index_in(names, value_set=counts.field(0)))


def greatest_values_with_same_name(names: pa.Array, values: pa.Array) -> pa.Array:
    """Return for each row the greatest value of the rows with its name; null if all are null."""
    order = pc.array_sort_indices(pa.array(values), order="descending")  # Never a dict.
    return values.take(order.take(pc.index_in(names, value_set=names.take(order))))


def flat(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a column as one array."""
    return (
        join_pieces(column.chunks, column.type) if isinstance(column, pa.ChunkedArray) else column
    )
