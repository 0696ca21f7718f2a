"""SimHash of features that were hashed elsewhere (Charikar 2002)."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base.errors import OptionError

#: The values of a bit on which the features tie: 0, 1, or a fixed bit per position.
TIES = ("zero", "one", "fixed")

#: Enough distinct hashes that no bit is unset by chance.
_MANY = 64


def fingerprint_features(
    hashes: Any, weights: Any = None, *, bits: int = 64, ties: str = "fixed"
) -> int:
    """Return the SimHash of one document's features, hashed elsewhere.

    Args:
        hashes: n feature hashes, ``uint64`` or 16 bytes each (the most significant first); the
            lowest ``bits`` of each are used; or ``uint32``, for up to 32 bits.
        weights: n whole numbers below 2**32, or None if each feature counts 1.
        bits: width of the fingerprint, 1 to 128.
        ties: the value of a bit on which the features tie: ``zero``, ``one``, or ``fixed``, a
            pseudo-random bit per position.

    Raises:
        OptionError: ``bits`` or ``ties`` is not allowed, the lengths differ, or the hashes leave
            bits of the width unset in every document.

    Source: Charikar 2002, section 3; Manku 2007, section 2.

    >>> fingerprint_features([0b0011, 0b0110, 0b0010], bits=4, ties="zero")
    2
    """
    if ties not in TIES:
        raise OptionError(f"ties is {ties!r}; it must be one of {', '.join(TIES)}.")
    if type(bits) is not int or not 1 <= bits <= 128:
        raise OptionError(f"bits is {bits!r}; it must be a whole number from 1 to 128.")
    kind = getattr(hashes, "type", None)
    features = arrow.fingerprints(hashes)
    given = 32 if kind == pa.uint32() else arrow.fingerprint_bits(features)
    if pc.count_distinct(features).as_py() >= _MANY:
        given = min(given, arrow.highest_bit(features))
    if given < bits:
        raise OptionError(
            f"hashes of {given} bits leave {bits - given} of the fingerprint's {bits} bits unset, "
            "in every document. Choose fewer bits, or a wider hash."
        )
    if weights is not None:
        weights = arrow.fingerprints(weights)
        if len(weights) != len(features):
            raise OptionError(f"{len(features)} features have {len(weights)} weights.")
        weights = weights.cast(pa.uint32())
    offsets = pa.array([0, len(features)], pa.int64())
    value = _kernels.accumulated(offsets, features, weights, bits, ties)[0].as_py()
    return int.from_bytes(value, "big") if isinstance(value, bytes) else int(value)
