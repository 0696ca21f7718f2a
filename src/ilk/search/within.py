"""Groups of documents that may meet: those with equal values in the columns of ``within``.

Digests and shingle sets are changed by the group, so that documents of two groups have nothing in
common. Whatever joins, spills, nominates or judges them works as it is, and finds in each group
what it would find there alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from ilk import _kernels, arrow
from ilk.base import mapped
from ilk.base.mapped import MappedColumns
from ilk.base.run_options import Running
from ilk.fingerprints.digest import (
    bytes_digests,
    first_rows_with_same_digest_or_null,
    row_digests_with_null_as_empty,
)
from ilk.search.evidence import Evidence, TextEvidence
from ilk.search.noise_evidence import NoiseEvidence
from ilk.search.read_documents import ReadDocuments

_DIGESTS = ("digest", "bytes_digest", "masked_digest")
_SETS = ("word_shingles", "word_hashes", "character_shingles")


def number_groups_by_first_row(columns: Sequence[pa.Array]) -> pa.Int64Array:
    """Return the number of the group of each row: its first row (``int64``).

    Args:
        columns: as of ``row_digests_with_null_as_empty``.
    """
    return first_rows_with_same_digest_or_null(row_digests_with_null_as_empty(columns))


def separate_digests_by_group(documents: pa.Table, groups: pa.Array) -> pa.Table:
    """Return documents with other digests, which are equal only within a group."""
    names = [name for name in _DIGESTS if name in documents.column_names]
    return arrow.replace_columns(
        documents,
        **{name: _separate_digests(arrow.flat(documents[name]), groups) for name in names},
    )


def separate_evidence_by_group(
    documents_read: ReadDocuments, groups: pa.Array, running: Running
) -> ReadDocuments:
    """Return the same documents, with evidence in which no two groups have anything in common."""
    noise = documents_read.noise
    if noise is not None:
        noise = NoiseEvidence(
            noise.lengths,
            long=_kernels.shift_sets_by_group(noise.long, groups),
            short=_kernels.shift_sets_by_group(noise.short, groups),
        )
    evidence = documents_read.evidence
    if not documents_read.separates_groups:
        evidence = _separate_sets(evidence, groups, running)
    evidence = _separate_evidence_digests(evidence, groups)
    return replace(documents_read, evidence=evidence, noise=noise, separates_groups=True)


def _separate_evidence_digests(evidence: Evidence, groups: pa.Array) -> Evidence:
    """Return evidence with other digests, which are equal only within a group."""
    own = {name: evidence.field(name) for name in _DIGESTS}
    return evidence.replace_fields(**_separate_digests_keeping_wordless_marks(own, groups))


def _separate_sets(evidence: Evidence, groups: pa.Array, running: Running) -> Evidence:
    """Return evidence in which the sets of two groups have nothing in common.

    Sets in files go to new files; ``running`` says where, and how much memory there is.
    """
    fields: dict[str, pa.Array] = {}
    if evidence.mapped is None:
        for name in _SETS:
            fields[name] = _kernels.shift_sets_by_group(evidence.field(name), groups)
        return evidence.replace_fields(**fields)
    lists = [evidence.field(name) for name in _SETS]
    kinds = [column.type for column in lists]
    mapped_values = MappedColumns(
        [kind.value_type for kind in kinds], running.memory, running.folder
    )
    for start, end in _row_ranges_of_pieces(lists[0]):
        some = groups.slice(start, end - start)
        parts = (column.slice(start, end - start) for column in lists)
        mapped_values.append([_kernels.shift_sets_by_group(part, some).values for part in parts])
        evidence.mapped.drop_pages_if_over_limit()
    for name, kind, column, values in zip(
        _SETS, kinds, lists, mapped_values.close_and_map_columns(), strict=True
    ):
        fields[name] = pa.LargeListArray.from_arrays(column.offsets, values, type=kind)
    return replace(evidence.replace_fields(**fields), mapped=mapped_values)


def _separate_digests_keeping_wordless_marks(
    digests: dict[str, pa.Array], groups: pa.Array
) -> dict[str, pa.Array]:
    new = {name: _separate_digests(own, groups) for name, own in digests.items()}
    return new | {
        "masked_digest": _copy_wordless_marks(
            new["masked_digest"], original_digests=digests["masked_digest"]
        )
    }


def _separate_digests(digests: pa.Array, groups: pa.Array) -> pa.Array:
    """Return digests of digests and groups, numbers or digests; null stays null."""
    own = digests.cast(pa.large_binary())
    written = groups if groups.type == arrow.DIGEST else groups.cast(pa.large_string())
    group = written.cast(pa.large_binary())
    both = pc.binary_join_element_wise(own, group, pa.scalar(b"", pa.large_binary()))
    return bytes_digests(pa.chunked_array([both]))


def _copy_wordless_marks(masked_digests: pa.Array, *, original_digests: pa.Array) -> pa.Array:
    """Return masked digests whose first bytes show which texts have no words, as others show it."""
    mark = bytes(_kernels.WORDLESS_BYTES)
    wordless = pc.fill_null(pc.starts_with(original_digests.cast(pa.binary()), mark), False)
    own = pc.fill_null(masked_digests, bytes(arrow.DIGEST.byte_width)).cast(pa.binary())
    marked = pc.binary_replace_slice(own, 0, len(mark), mark)
    return pc.if_else(wordless, marked.cast(arrow.DIGEST), masked_digests)


def separate_text_digests(
    evidence: Sequence[TextEvidence], group_digests: pa.Array
) -> list[TextEvidence]:
    """Return evidence with other digests, which are equal only within a group (a digest)."""
    own = {
        name: pa.array([getattr(one, name) for one in evidence], arrow.DIGEST) for name in _DIGESTS
    }
    new = _separate_digests_keeping_wordless_marks(own, group_digests)
    rows = zip(*(new[name].to_pylist() for name in _DIGESTS), strict=True)
    return [
        one._replace(**dict(zip(_DIGESTS, digests, strict=True)))
        for one, digests in zip(evidence, rows, strict=True)
    ]


def _row_ranges_of_pieces(sets: pa.LargeListArray) -> Iterator[tuple[int, int]]:
    """Yield the first row and the end of consecutive rows whose sets have some ``PIECE`` bytes."""
    offsets, ids_per_piece = sets.offsets, mapped.PIECE // 4
    start = 0
    while start < len(sets):
        reach = offsets[start].as_py() + ids_per_piece
        end = bisect_right(range(len(offsets)), reach, key=lambda at: offsets[at].as_py()) - 1
        # A set larger than a piece is one of its own.
        end = max(start + 1, end)
        yield start, end
        start = end
