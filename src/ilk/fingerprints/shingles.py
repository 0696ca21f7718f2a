"""Shingle sets: for each text, the distinct k-grams of its words or characters, as hashes."""

from __future__ import annotations

import pyarrow as pa

from ilk import _kernels, arrow

#: No limit, in the form for the kernels.
_ANY = 2**63 - 1


def sets(
    texts: arrow.Texts,
    unit: str,
    width: int,
    *,
    jobs: int,
    most: int | None = None,
    wide: bool = False,
) -> pa.Array:
    """Return the sorted, distinct shingles of every text.

    A text of at least one but fewer than ``width`` tokens has one shingle: all of them.

    Args:
        texts: n texts, from ``arrow.texts``.
        unit: ``words`` or ``chars``.
        width: tokens per shingle.
        jobs: threads.
        most: a text with more distinct shingles gets an empty set; None for no limit (not if wide).
        wide: 64-bit hashes instead of 32-bit ids, for texts in which two shingles would otherwise
            collide.

    Returns:
        n lists of ``uint32`` (``uint64`` if wide); empty for null and for texts without tokens.

    Source: Broder 1997, section 2.
    """
    if wide:
        pieces = (
            _kernels.shingle_hashes(chunk, unit, width, "fold", jobs)
            for chunk in arrow.kernel_chunks(texts)
        )
        return arrow.joined(pieces, arrow.WIDE_SETS)
    limit = _ANY if most is None else min(most, _ANY)
    pieces = (
        _kernels.shingle_ids(chunk, unit, width, "fold", limit, jobs)
        for chunk in arrow.kernel_chunks(texts)
    )
    return arrow.joined(pieces, arrow.SETS)


def word_counts(texts: arrow.Texts, *, jobs: int) -> pa.Array:
    """Return the number of words of every text, as ``int64``; 0 for null."""
    pieces = (_kernels.word_counts(c, "fold", jobs) for c in arrow.kernel_chunks(texts))
    return arrow.joined(pieces, pa.int64())
