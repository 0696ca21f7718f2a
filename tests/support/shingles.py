"""Kernels that only tests and benchmarks call, as columns of Arrow."""

from __future__ import annotations

from typing import Any

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
        texts: n texts, from ``arrow.import_texts``.
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
            _kernels.make_shingle_hash_sets(chunk, unit, width, "fold", jobs)
            for chunk in arrow.kernel_chunks(texts)
        )
        return arrow.join_pieces(pieces, arrow.WIDE_SETS)
    limit = _ANY if most is None else min(most, _ANY)
    pieces = (
        _kernels.make_shingle_id_sets_empty_if_large(chunk, unit, width, "fold", limit, jobs)
        for chunk in arrow.kernel_chunks(texts)
    )
    return arrow.join_pieces(pieces, arrow.SETS)


def word_counts(texts: arrow.Texts, *, jobs: int) -> pa.Array:
    """Return the number of words of every text, as ``int64``; 0 for null."""
    pieces = (_kernels.count_words(c, "fold", jobs) for c in arrow.kernel_chunks(texts))
    return arrow.join_pieces(pieces, pa.int64())


def masked_digests(texts: arrow.Texts, *, jobs: int = 1) -> pa.Array:
    """Return the digest of every text with each number in it written as 0.

    Texts that differ only in numbers have equal ones. A number is a run of decimal digits, which
    may contain single points and commas. Shape and nulls are those of ``digests``.
    """
    pieces = (
        _kernels.digest_texts_with_zeroed_numbers(c, "fold", jobs)
        for c in arrow.kernel_chunks(texts)
    )
    return arrow.join_pieces(pieces, arrow.DIGEST)


def fingerprint_features(
    hashes: Any, weights: Any = None, *, bits: int = 64, ties: str = "fixed"
) -> int:
    """Return the SimHash of one document's features (Charikar 2002, section 3).

    Args:
        hashes: n feature hashes, ``uint64`` or 16 bytes each; the lowest ``bits`` of each are used.
        weights: n whole numbers below 2**32, or None if each feature counts 1.
        bits: width of the fingerprint, 1 to 128.
        ties: the value of a bit on which the features tie: ``zero``, ``one`` or ``fixed``.
    """
    features = arrow.import_fingerprints(hashes)
    if weights is not None:
        weights = arrow.import_fingerprints(weights).cast(pa.uint32())
    offsets = pa.array([0, len(features)], pa.int64())
    value = _kernels.make_simhashes(offsets, features, weights, bits, ties)[0].as_py()
    return int.from_bytes(value, "big") if isinstance(value, bytes) else int(value)
