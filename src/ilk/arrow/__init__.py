"""The Arrow contract: what columns ilk accepts, and what columns it returns.

Texts may be any flavour of Arrow string, from any library with the Arrow PyCapsule interface, or a
Python sequence. Fingerprints are ``uint64`` in memory; files hold the same 64 bits as signed
``int64``, by view, never by cast. Those of 128 bits are 16 bytes, the most significant first, in
memory and in files. Only this package knows these forms.
"""

from __future__ import annotations

from ilk.arrow.numbers import (
    RECIPE_KEY,
    import_comparable_fingerprints,
    recipe_of_table_or_none,
    differing_bits,
)
from ilk.arrow.numbers import (
    check_fingerprint,
    fingerprint_bits,
    fingerprint_type,
    import_fingerprints,
)
from ilk.arrow.numbers import (
    import_fingerprints_of_width,
    with_formatted_fingerprints,
    import_ids_refusing_nulls,
    is_one_fingerprint,
    raw_bytes,
    recipe_of_field_or_none,
    check_row_numbers,
)
from ilk.arrow.numbers import (
    refuse_other_recipe,
    reinterpret_as_signed,
    with_signed_fingerprints_unless_wide,
    reinterpret_as_signed_unless_wide,
    reinterpret_as_unsigned,
    bits_or_128_if_all_null,
)
from ilk.arrow.numbers import with_fingerprint_field_of_recipe
from ilk.arrow.nested import concatenate_list_columns, is_list, encode_lists_as_ids_null_as_empty
from ilk.arrow.schemas import CANDIDATES, CLUSTERS, DECLARED, DIGEST, DOCUMENTS, EVIDENCE
from ilk.arrow.schemas import CandidateTable, ClusterTable, PairTable
from ilk.arrow.schemas import FINGERPRINTS, PAIRS, PASSAGES, SETS, WIDE, WIDE_SETS
from ilk.arrow.schemas import (
    count_values,
    first_rows_with_same_name,
    flat,
    greatest_values_with_same_name,
    join_pieces,
    count_rows_with_same_name,
)
from ilk.arrow.schemas import fit_columns_to_schema, replace_columns, schema_without_nulls
from ilk.arrow.strings import (
    VIEWED,
    Chunks,
    Texts,
    is_missing,
    load_texts,
    kernel_chunks,
    null_except,
    texts_to_read_once,
    pick_texts,
)
from ilk.arrow.strings import (
    replace_lone_surrogates,
    take_texts,
    import_texts,
    replace_invalid_utf8,
)
