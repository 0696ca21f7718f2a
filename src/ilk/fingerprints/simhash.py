"""SimHash of features that were hashed elsewhere (Charikar 2002)."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ilk import _kernels, columns
from ilk.errors import OptionError

_TIES = ("zero", "one", "fixed")


def fingerprint_features(
    hashes: Any, weights: Any = None, *, bits: int = 64, ties: str = "fixed"
) -> int:
    """The SimHash of one document's features, hashed elsewhere.

    Args:
        hashes: n feature hashes, ``uint64``; the lowest ``bits`` of each are used.
        weights: n whole numbers below 2**32, or None where each feature counts 1.
        bits: width of the fingerprint, 1 to 64.
        ties: what a bit becomes on which the features tie: ``zero``, ``one``, or ``fixed``, a
            pseudo-random bit of its position.

    Raises:
        OptionError: ``bits`` or ``ties`` is not allowed, or the lengths differ.

    Source: Charikar 2002, section 3; Manku 2007, section 2.

    >>> fingerprint_features([0b0011, 0b0110, 0b0010], bits=4, ties="zero")
    2
    """
    if ties not in _TIES:
        raise OptionError(f"ties is {ties!r}; it must be one of {', '.join(_TIES)}.")
    if type(bits) is not int or not 1 <= bits <= 64:
        raise OptionError(f"bits is {bits!r}; it must be a whole number from 1 to 64.")
    features = columns.fingerprints(hashes)
    if weights is not None:
        weights = columns.fingerprints(weights)
        if len(weights) != len(features):
            raise OptionError(f"{len(features)} features have {len(weights)} weights.")
        weights = weights.cast(pa.uint32())
    return _kernels.fingerprint_features(features, weights, bits, ties)
