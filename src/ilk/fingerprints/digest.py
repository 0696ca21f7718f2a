"""128-bit digests, equal only for equal texts or equal files (XXH3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow

#: One digest: 16 bytes.
Digest: TypeAlias = bytes

#: A column of digests; null where there is nothing to digest.
DigestColumn: TypeAlias = pa.FixedSizeBinaryArray

#: Bytes of a file to read at once.
_PIECE = 1 << 20


def text_digests_null_if_blank(
    texts: arrow.Texts,
    *,
    normalisation: str = "fold",
    masks: Sequence[str] = (),
    jobs: int = 1,
) -> DigestColumn:
    """Return the digest of every normalised text, with its white space collapsed.

    ``masks``: differences that do not count either (``Counting.kernel_mask_names``).

    Shape: n texts -> n values of 16 bytes; null for a null or blank text, which is like no other.
    """
    pieces = (
        _kernels.digest_texts(c, normalisation, jobs, list(masks))
        for c in arrow.kernel_chunks(texts)
    )
    return arrow.join_pieces(pieces, arrow.DIGEST)


def bytes_digests(contents: Sequence[bytes | None] | pa.ChunkedArray) -> DigestColumn:
    """Return the digest of every content's bytes as they are.

    Shape: n contents (or texts, whose UTF-8 is digested) -> n values of 16 bytes; null for null.
    """
    if not isinstance(contents, pa.ChunkedArray):
        return _kernels.digest_contents(pa.array(contents, pa.large_binary()))
    pieces = (_kernels.digest_contents(chunk) for chunk in arrow.kernel_chunks(contents))
    return arrow.join_pieces(pieces, arrow.DIGEST)


def buffer_digest(content: pa.Buffer) -> Digest:
    """Return the digest of some bytes in memory, without a copy (16 bytes)."""
    ends = pa.py_buffer(b"".join(end.to_bytes(8, "little") for end in (0, content.size)))
    column = pa.Array.from_buffers(pa.large_binary(), 1, [None, ends, content])
    digest: Digest = _kernels.digest_contents(column)[0].as_py()
    return digest


def digest_of_pieces(pieces: Iterable[bytes | memoryview]) -> Digest:
    """Return the digest of bytes that come in pieces, as of one content (16 bytes)."""
    digest = _kernels.BytesDigest()
    for piece in map(pa.py_buffer, pieces):
        digest.add(pa.Array.from_buffers(pa.uint8(), piece.size, [None, piece]))
    return digest.value()


def digest_of_rest_of_file(file: IO[bytes]) -> Digest:
    """Return the digest of the rest of an open file, however large it is (16 bytes)."""
    return digest_of_pieces(iter(lambda: file.read(_PIECE), b""))


def row_digests(columns: Sequence[pa.Array]) -> DigestColumn:
    """Return the digest of the values of every row in one or more columns of texts.

    Shape: n rows each -> n values of 16 bytes; null where one of the values is null.
    """
    if len(columns) == 1:
        return bytes_digests(pa.chunked_array(columns))
    pieces: list[pa.Array | pa.Scalar] = []
    for values in columns:
        # With their lengths, no values of other columns become the same bytes.
        lengths = pc.binary_length(values).cast(pa.large_string())
        pieces += [lengths, pa.scalar(" ", pa.large_string()), values]
    joined = pc.binary_join_element_wise(*pieces, pa.scalar("", pa.large_string()))
    return bytes_digests(pa.chunked_array([joined]))


def row_digests_with_null_as_empty(columns: Sequence[pa.Array]) -> DigestColumn:
    """Return a digest of every row (16 bytes), equal where its values are equal in all columns.

    Args:
        columns: one or more columns of n texts each. Null and the empty text are one value: that of
            rows without one.
    """
    return row_digests([pc.fill_null(column, "") for column in columns])


def first_rows_with_same_digest_or_null(digests: DigestColumn) -> pa.Int64Array:
    """Return for each row the first row with an equal digest; null for a row without one."""
    return _kernels.find_first_equal_rows_or_null(digests)


def find_representatives(
    documents: pa.Table, ranking: pa.Array, *, use_bytes_of_blank_files: bool = False
) -> pa.Int64Array:
    """Return for each document the best one with an equal digest (its representative), as
    ``int64``.

    A blank or null text has no digest and represents itself alone; with
    ``use_bytes_of_blank_files``, a file (a document with a size) has that of its bytes.
    """
    digests = arrow.flat(documents["digest"])
    if use_bytes_of_blank_files:
        sized = arrow.flat(documents["size"]).is_valid()
        raw = arrow.flat(documents["bytes_digest"])
        of_bytes = pc.if_else(sized, raw, pa.scalar(None, raw.type))
        digests = pc.coalesce(digests, of_bytes)
    return best_rows_by_digest_or_self(digests, ranking)


def best_rows_by_digest_or_self(digests: DigestColumn, ranking: pa.Array) -> pa.Int64Array:
    """Return for each row the best one with an equal digest; a row without one is its own.

    Args:
        digests: n values of 16 bytes, or null.
        ranking: all n rows, best first.
    """
    best = first_rows_with_same_digest_or_null(digests.take(ranking))
    return pc.scatter(pc.coalesce(ranking.take(best), ranking), ranking)


def mark_representatives(representatives: pa.Array) -> pa.BooleanArray:
    """Return for each document whether it represents its copies."""
    return pc.equal(representatives, pa.arange(0, len(representatives)))
