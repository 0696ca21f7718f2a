"""128-bit digests, equal only for equal texts or equal files (XXH3)."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ilk import _kernels, arrow


def digests(texts: arrow.Texts, *, normalisation: str = "fold", jobs: int = 1) -> pa.Array:
    """Return the digest of every normalised text, with its white space collapsed.

    Shape: n texts -> n values of 16 bytes; null for a null or blank text, which is like no other.
    """
    pieces = (_kernels.digests(c, normalisation, jobs) for c in arrow.kernel_chunks(texts))
    return arrow.joined(pieces, arrow.DIGEST)


def masked_digests(texts: arrow.Texts, *, jobs: int = 1) -> pa.Array:
    """Return the digest of every text with each number in it written as 0.

    Texts that differ only in numbers have equal ones. A number is a run of decimal digits, which
    may contain single points and commas. Shape and nulls are those of ``digests``.
    """
    pieces = (_kernels.masked_digests(c, "fold", jobs) for c in arrow.kernel_chunks(texts))
    return arrow.joined(pieces, arrow.DIGEST)


def bytes_digests(contents: Sequence[bytes | None] | pa.ChunkedArray) -> pa.Array:
    """Return the digest of every content's bytes as they are.

    Shape: n contents (or texts, whose UTF-8 is digested) -> n values of 16 bytes; null for null.
    """
    if not isinstance(contents, pa.ChunkedArray):
        return _kernels.bytes_digests(pa.array(contents, pa.large_binary()))
    pieces = (_kernels.bytes_digests(chunk) for chunk in arrow.kernel_chunks(contents))
    return arrow.joined(pieces, arrow.DIGEST)


def first_rows(values: pa.Array) -> pa.Array:
    """Return for each row the first row with an equal digest (``int64``); null without a digest."""
    return _kernels.first_rows(values)
