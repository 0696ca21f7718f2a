"""The compiled kernels: Arrow columns in, Arrow columns out; ``ilk.columns`` says of which types."""

import pyarrow as pa

def bytes_digests(contents: pa.Array) -> pa.Array: ...
def digests(texts: pa.Array, normalisation: str, jobs: int) -> pa.Array: ...
def fingerprint_features(
    features: pa.Array, weights: pa.Array | None, bits: int, ties: str
) -> int: ...
def fingerprints(
    texts: pa.Array,
    unit: str,
    width: int,
    normalisation: str,
    weight: str,
    bits: int,
    minimum: int,
    jobs: int,
) -> tuple[pa.Array, pa.Array]: ...
def shingle_hashes(
    texts: pa.Array, unit: str, width: int, normalisation: str, jobs: int
) -> pa.Array: ...
def shingle_ids(
    texts: pa.Array, unit: str, width: int, normalisation: str, jobs: int
) -> pa.Array: ...
def word_counts(texts: pa.Array, normalisation: str, jobs: int) -> pa.Array: ...
def word_places(text: str, normalisation: str) -> tuple[pa.Array, pa.Array, pa.Array]: ...
