"""One small number per text: similar texts differ in few bits."""

from __future__ import annotations

import pyarrow as pa

from ilk import _kernels, columns

#: Why a text has no fingerprint, by the kernel's number.
REASONS = (None, "null", "blank", "too few features")


def fingerprints(
    texts: pa.ChunkedArray,
    *,
    kind: str,
    bits: int,
    unit: str,
    width: int,
    weight: str,
    normalisation: str,
    minimum: int,
    jobs: int,
) -> tuple[pa.Array, pa.Array]:
    """The fingerprint of every text, and the reason where there is none.

    Shape: n texts -> n fingerprints (``uint64``, or 16 bytes each for 128 bits) and n strings, one
    of the two null in every row. The options are those of ``ilk.recipe``.

    Source: SimHash: Charikar 2002, section 3. MinHash: Broder 1997, section 3, packed to one bit
    per permutation as Li and Koenig 2010, section 2.
    """
    values, reasons = [], []
    for chunk in columns.kernel_chunks(texts):
        value, reason = _kernels.fingerprints(
            chunk, kind, bits, unit, width, weight, normalisation, minimum, jobs
        )
        values.append(value)
        reasons.append(reason)
    codes = columns.joined(reasons, pa.uint8())
    found = columns.joined(values, columns.fingerprint_type(bits))
    return found, pa.array(REASONS, pa.string()).take(codes)
