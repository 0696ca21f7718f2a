"""The Arrow contract: the columns that pass between the steps."""

import pyarrow as pa  # type: ignore[import-untyped]

DOCUMENTS = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("id", pa.string()),
        pa.field("text", pa.large_string()),
        pa.field("bytes_digest", pa.binary(16)),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("modified", pa.timestamp("us", tz="UTC")),
    ]
)
"""What a reader yields, one row a document.

`doc` is the row number in reading order, `source` the name a person knows, `id` the user's own
name if there is one, `size` the bytes of the original, `bytes_digest` their 128-bit hash.
"""
