"""Groups of the documents of a store: those whose metadata have the same values in its columns.

The evidence of a text is changed by its group, as ``ilk.search.within`` does, so that documents of
two groups have nothing in common: indexes, joins and judging work as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pyarrow as pa

from ilk.base.errors import OptionError
from ilk.fingerprints.digest import row_digests_with_null_as_empty
from ilk.search.evidence import TextEvidence, make_text_evidence
from ilk.search.within import separate_text_digests
from ilk.store import records
from ilk.store.opened import OpenedStore


def values_of_columns_as_text(
    metadata_json: str | None, columns: Iterable[str]
) -> list[str | None]:
    """Return the values of columns in metadata as text; None for those without one."""
    values = records.parse_metadata(metadata_json)
    return [_format_group_value_or_refuse(values.get(name)) for name in columns]


def group_digests_requiring_columns_or_none(
    open_store: OpenedStore, metadata_json: Sequence[str | None]
) -> pa.Array | None:
    """Return a digest for each document, equal where its group is; None if the store has no groups.

    Args:
        metadata_json: of each document, as they are stored.

    Raises:
        OptionError: metadata leave out a column, or have something else than a value there.
    """
    columns = open_store.settings.within
    if not columns:
        return None
    rows = []
    for written in metadata_json:
        values = records.parse_metadata(written)
        if missing := [name for name in columns if name not in values]:
            raise OptionError(
                f"{open_store.path} compares documents only within {' and '.join(columns)}, so "
                f"that the metadata of each must have these columns, and those of one have no "
                f"{missing[0]!r}; give null if it has no value. Rows of a file are compared "
                f"with it by their columns: ilk dedup FILE --against {open_store.path} "
                f"{' '.join(f'--within {name}' for name in columns)}"
            )
        rows.append([_format_group_value_or_refuse(values[name]) for name in columns])
    written_columns = zip(*rows, strict=True) if rows else [[] for _ in columns]
    return row_digests_with_null_as_empty(
        [pa.array(one, pa.large_string()) for one in written_columns]
    )


def make_evidence_in_groups(
    open_store: OpenedStore,
    texts: pa.ChunkedArray,
    group_digests: pa.Array | None,
    bytes_digests: Sequence[bytes | None] | None = None,
) -> list[TextEvidence]:
    """Return the evidence of texts as the store keeps it.

    Args:
        group_digests: of the group of each; None if all are compared.
        bytes_digests: of the bytes that each was read from; None means those of its UTF-8.
    """
    # Two groups share a number once in 2^32. That costs extra comparisons, never a wrong answer.
    group_numbers = None if group_digests is None else _numbers_of_first_four_bytes(group_digests)
    of_utf8 = make_text_evidence(
        texts, open_store.settings.counting, open_store.jobs, group_numbers
    )
    given = bytes_digests or [None] * len(of_utf8)
    # A null or blank text is like no other, not even like its own copy.
    digests = (
        None if one.digest is None else digest or one.bytes_digest
        for one, digest in zip(of_utf8, given, strict=True)
    )
    evidence = [
        one if digest == one.bytes_digest else one._replace(bytes_digest=digest)
        for one, digest in zip(of_utf8, digests, strict=True)
    ]
    return evidence if group_digests is None else separate_text_digests(evidence, group_digests)


def refuse_change_of_group(
    open_store: OpenedStore, old_metadata_json: str | None, new_metadata_json: str | None
) -> None:
    """Refuse new metadata of another group for a document that was compared in its own.

    Raises:
        OptionError: the groups differ.
    """
    digests = group_digests_requiring_columns_or_none(
        open_store, [old_metadata_json, new_metadata_json]
    )
    if digests is not None and digests[0] != digests[1]:
        raise OptionError(
            f"{open_store.path} compares documents only within "
            f"{' and '.join(open_store.settings.within)}, and the new metadata put this "
            "one into another group; give its text too."
        )


def _numbers_of_first_four_bytes(digests: pa.Array) -> pa.Array:
    return pa.array([int.from_bytes(one[:4]) for one in digests.to_pylist()], pa.uint32())


def _format_group_value_or_refuse(value: object) -> str | None:
    """Return a value of a column as text; None for None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | int):
        return json.dumps(value)
    raise OptionError(
        f"metadata have {value!r} in a column of `within`; write it as a string, an integer, true "
        "or false."
    )
