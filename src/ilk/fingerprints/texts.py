"""One small number per text: similar texts differ in few bits."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.fingerprints import hashes, rabin

#: Why a text has no fingerprint, by the kernel's code.
_REASONS = pa.array([None, "null", "blank", "too few features"], pa.string())


@dataclass(frozen=True, slots=True)
class Way:
    """The way from a text to its fingerprint, with its tables.

    Attributes:
        kernel: the way in the form for the kernels.
        bits: width of the fingerprint.
        ties: how to break ties, if features are hashed elsewhere.
        elsewhere: the function of ``features.hashes`` that hashes them, or ``rabin.NAME``; None
            leaves all to the kernels.
    """

    kernel: _kernels.Recipe
    bits: int
    ties: str
    elsewhere: str | None


def fingerprints(texts: arrow.Chunks, way: Way, *, jobs: int) -> tuple[pa.Array, pa.Array]:
    """Return the fingerprint of every text, or the reason why it has none.

    Shape: n texts -> n fingerprints (``uint64``, or 16 bytes each for 128 bits) and n strings, one
    of the two null in every row.

    Source: SimHash: Charikar 2002, section 3. MinHash: Broder 1997, section 3, packed to one bit
    per permutation as Li and Koenig 2010, section 2.
    """
    chunks = [
        _kernels.fingerprints(chunk, way.kernel, jobs)
        if way.elsewhere is None
        else _of_runs(chunk)
        if way.elsewhere == rabin.NAME
        else _hashed_elsewhere(chunk, way, way.elsewhere, jobs)
        for chunk in arrow.kernel_chunks(texts)
    ]
    values = arrow.joined((value for value, _ in chunks), arrow.fingerprint_type(way.bits))
    codes = arrow.joined((reason for _, reason in chunks), pa.uint8())
    return values, _REASONS.take(codes)


def _hashed_elsewhere(
    chunk: pa.Array, way: Way, hash_name: str, jobs: int
) -> tuple[pa.Array, pa.Array]:
    """Fingerprint by features hashed with another function, each distinct one once."""
    offsets, features, weights, reasons = _kernels.weighted_features(chunk, way.kernel, jobs)
    known = features.dictionary_encode()
    hashed = hashes.hashed(known.dictionary.to_pylist(), hash_name)
    if hashed.type == pa.uint32():
        hashed = hashed.cast(pa.uint64())
    hashed = hashed.take(known.indices)
    values = _kernels.accumulated(offsets, hashed, weights, way.bits, way.ties)
    return pc.if_else(pc.equal(reasons, 0), values, pa.scalar(None, values.type)), reasons


def _of_runs(chunk: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Fingerprint by ``rabin.RECIPE``, whose features are the units of a text as it stands."""
    values: list[int | None] = []
    reasons = []
    for data in chunk:
        text = "" if data.as_py() is None else data.as_py().decode(errors="surrogatepass")
        hashed = rabin.fingerprints(rabin.runs(text))
        reasons.append(_lack(text, len(hashed)) if data.is_valid else 1)
        offsets = pa.array([0, len(hashed)], pa.int64())
        value = _kernels.accumulated(offsets, pa.array(hashed), None, 64, "zero")[0].as_py()
        values.append(None if reasons[-1] else value)
    return pa.array(values, pa.uint64()), pa.array(reasons, pa.uint8())


def _lack(text: str, features: int) -> int:
    """Return the code of ``_REASONS`` of a text with that many features."""
    if not text or text.isspace():
        return 2
    return 0 if features else 3


def feature_sets(texts: arrow.Texts, way: Way, *, jobs: int) -> pa.Array:
    """Return the sorted, distinct features of every text by their numbers: lists of ``uint32``."""
    pieces = (
        _kernels.feature_sets(chunk, way.kernel, jobs) for chunk in arrow.kernel_chunks(texts)
    )
    return arrow.joined(pieces, arrow.SETS)
