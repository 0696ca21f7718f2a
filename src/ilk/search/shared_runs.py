"""Documents that share runs of words with a few others, counted on their shingle sets alone."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ilk.search.evidence import Evidence

#: A shingle that more than this share of the documents have, and more than a few, belongs to the
#: language or to a template. Larger bounds let templates count as copying, smaller ones overlook
#: what many have copied: a tenth of 20 documents is two, and a text that two copied is in three.
#: Only the hint to look at passages depends on them.
_MAX_SHARE, _MIN_LIMIT = 0.1, 3

#: Texts of fewer shingles share some by chance: a quotation of a dozen words is a third of 30.
_MIN_SHINGLES = 30


def count_long_documents_sharing_rare_shingles(
    evidence: Evidence, row_mask: pa.BooleanArray, *, min_share: float
) -> int:
    """Return how many documents of 30 shingles or more have much in common with few others.

    Args:
        evidence: of n texts.
        row_mask: which of them to look at.
        min_share: the least part of the word shingles of a document that others have too, each in
            at most a tenth of all (or in three).
    """
    sets = evidence.field("word_shingles").filter(row_mask)
    owners, shingles = pc.list_parent_indices(sets), pc.list_flatten(sets)
    counts = pc.value_counts(shingles)
    number = counts.field("counts")
    max_documents = max(_MIN_LIMIT, int(_MAX_SHARE * len(sets)))
    rare = counts.field("values").filter(
        pc.and_(pc.greater(number, 1), pc.less_equal(number, max_documents))
    )
    owned = pa.table({"doc": owners, "shared": pc.is_in(shingles, value_set=rare)})
    each = owned.group_by("doc", use_threads=False).aggregate(
        [("shared", "mean"), ("shared", "count")]
    )
    long = pc.greater_equal(each["shared_count"], _MIN_SHINGLES)
    return pc.sum(pc.and_(long, pc.greater_equal(each["shared_mean"], min_share))).as_py() or 0
