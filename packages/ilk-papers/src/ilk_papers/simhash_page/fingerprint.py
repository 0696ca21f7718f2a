"""Weighted features as one number of 32 or 64 bits."""

from __future__ import annotations

from collections.abc import Mapping

from ilk_papers.hashes import Hash
from ilk_papers.simhash import simhash


def fingerprint(weights: Mapping[str, float], hash_function: Hash, bits: int = 64) -> int:
    """Return the SimHash of weighted features: a sum below zero gives 0, any other 1.

    Args:
        weights: the features of a document.
        hash_function: one of ``ilk_papers.hashes``.
        bits: 32 or 64.
    """
    hashes = [hash_function(feature.encode(errors="surrogatepass"), bits) for feature in weights]
    return simhash(hashes, list(weights.values()), bits=bits, ties=1)
