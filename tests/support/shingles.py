"""Shingle sets of texts, for tests and benchmarks."""

from __future__ import annotations

import pyarrow as pa

import ilk
from ilk import arrow
from ilk.fingerprints.texts import feature_sets_empty_for_null, make_fingerprint_way


def word_shingle_sets(texts: arrow.Texts) -> pa.Array:
    """Return the distinct shingles of three words of every text, as ascending ids of 32 bits."""
    return feature_sets_empty_for_null(
        texts, make_fingerprint_way(ilk.Recipe(unit="words", width=3)), jobs=1
    )
