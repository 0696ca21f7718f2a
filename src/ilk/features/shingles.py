"""Shingle sets: per text the distinct k-grams of its words or characters, as hashes."""

from __future__ import annotations

import pyarrow as pa

from ilk import _kernels, columns


def sets(
    texts: pa.ChunkedArray, unit: str, width: int, *, jobs: int, wide: bool = False
) -> pa.Array:
    """The sorted, distinct shingles of every text.

    A text of at least one but fewer than ``width`` tokens has one shingle: all of them.

    Args:
        texts: n texts, as ``columns.texts`` gives them.
        unit: ``words`` or ``chars``.
        width: tokens per shingle.
        jobs: threads.
        wide: 64-bit hashes instead of 32-bit ids, for texts of so many shingles that two of them
            would meet by chance.

    Returns:
        n lists of ``uint32`` (``uint64`` if wide); empty for null and for texts without tokens.

    Source: Broder 1997, section 2.
    """
    kernel = _kernels.shingle_hashes if wide else _kernels.shingle_ids
    kind = pa.large_list(pa.field("item", pa.uint64() if wide else pa.uint32(), nullable=False))
    pieces = (kernel(c, unit, width, "fold", jobs) for c in columns.kernel_chunks(texts))
    return columns.joined(pieces, kind)


def word_counts(texts: pa.ChunkedArray, *, jobs: int) -> pa.Array:
    """The number of words of every text, as ``int64``; 0 for null."""
    pieces = (_kernels.word_counts(c, "fold", jobs) for c in columns.kernel_chunks(texts))
    return columns.joined(pieces, pa.int64())
