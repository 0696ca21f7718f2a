"""The Arrow contract: what columns ilk accepts, and what columns it returns.

Texts may be any flavour of Arrow string, from any library with the Arrow PyCapsule interface, or a
Python sequence. Fingerprints are ``uint64`` in memory; files hold the same 64 bits as signed
``int64``, by view, never by cast. Those of 128 bits are 16 bytes, the most significant first, in
memory and in files. Only this package knows these forms.
"""

from __future__ import annotations

from ilk.arrow.numbers import RECIPE_KEY, both_fingerprints, carried_recipe, differing
from ilk.arrow.numbers import fingerprint, fingerprint_bits, fingerprint_type, fingerprints
from ilk.arrow.numbers import (
    fingerprints_of,
    format_fingerprints,
    ids,
    is_number,
    raw,
    recipe_of,
    rows,
)
from ilk.arrow.numbers import (
    same_recipe,
    to_signed,
    to_stored_numbers,
    stored_values,
    to_unsigned,
    width,
)
from ilk.arrow.numbers import with_recipe
from ilk.arrow.nested import both_lists, is_list, sets
from ilk.arrow.schemas import CANDIDATES, CLUSTERS, DECLARED, DIGEST, DOCUMENTS, EVIDENCE
from ilk.arrow.schemas import FINGERPRINTS, PAIRS, PASSAGES, SETS, WIDE, WIDE_SETS
from ilk.arrow.schemas import counts, firsts, flat, greatest, join_pieces, namesakes
from ilk.arrow.schemas import pad_columns, replace_columns, without_nulls
from ilk.arrow.strings import (
    VIEWED,
    Chunks,
    Texts,
    load_texts,
    kernel_chunks,
    only,
    passing,
    pick_texts,
)
from ilk.arrow.strings import scalar_values, take_texts, texts, unicode
