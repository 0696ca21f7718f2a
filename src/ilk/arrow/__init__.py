"""The Arrow contract: what columns ilk accepts, and what columns it returns.

Texts may be any flavour of Arrow string, from any library with the Arrow PyCapsule interface, or a
Python sequence. Fingerprints are ``uint64`` in memory; files hold the same 64 bits as signed
``int64``, by view, never by cast. Those of 128 bits are 16 bytes, the most significant first, in
memory and in files. Only this package knows these forms.
"""

from __future__ import annotations

from ilk.arrow.marks import RECIPE_KEY, carried_recipe, recipe_of, same_recipe
from ilk.arrow.nested import both_lists, is_list, sets
from ilk.arrow.numbers import (
    both_fingerprints,
    differing,
    fingerprint,
    fingerprint_bits,
    fingerprint_type,
    fingerprints,
    fingerprints_of,
    highest_bit,
    ids,
    is_number,
    raw,
    rows,
    signed,
    unsigned,
    width,
)
from ilk.arrow.passing import passing
from ilk.arrow.schemas import (
    CANDIDATES,
    CLUSTERS,
    DECLARED,
    DIGEST,
    DOCUMENTS,
    EVIDENCE,
    FINGERPRINTS,
    PAIRS,
    PASSAGES,
    SETS,
    WIDE,
    WIDE_SETS,
    counts,
    flat,
    joined,
    padded,
)
from ilk.arrow.strings import (
    VIEWED,
    Chunks,
    Texts,
    held,
    kernel_chunks,
    only,
    picked,
    scalar_values,
    taken,
    texts,
    unicode,
)
from ilk.arrow.written import formatted, stored, stored_values, with_recipe

__all__ = [
    "CANDIDATES",
    "CLUSTERS",
    "DECLARED",
    "DIGEST",
    "DOCUMENTS",
    "EVIDENCE",
    "FINGERPRINTS",
    "PAIRS",
    "PASSAGES",
    "RECIPE_KEY",
    "SETS",
    "VIEWED",
    "WIDE",
    "WIDE_SETS",
    "Chunks",
    "Texts",
    "both_fingerprints",
    "both_lists",
    "carried_recipe",
    "counts",
    "differing",
    "fingerprint",
    "fingerprint_bits",
    "fingerprint_type",
    "fingerprints",
    "fingerprints_of",
    "flat",
    "formatted",
    "held",
    "highest_bit",
    "ids",
    "is_list",
    "is_number",
    "joined",
    "kernel_chunks",
    "only",
    "padded",
    "passing",
    "picked",
    "raw",
    "recipe_of",
    "rows",
    "same_recipe",
    "scalar_values",
    "sets",
    "signed",
    "stored",
    "stored_values",
    "taken",
    "texts",
    "unicode",
    "unsigned",
    "width",
    "with_recipe",
]
