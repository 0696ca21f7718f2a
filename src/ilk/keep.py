"""Keeper policies: which document of a cluster stays. A policy ranks all documents, best first."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ilk.errors import OptionError

#: The policies and what they say; ``prefer:PATTERN`` may be given for several patterns in order.
POLICIES = {
    "first": "the first in source order",
    "longest": "the one with most text",
    "newest": "the one modified last",
    "prefer:PATTERN": "those whose source, or its last part, matches the glob",
}


def ranking(documents: pa.Table, policies: Sequence[str]) -> pa.Array:
    """The rows of ``documents``, best keeper first.

    Args:
        documents: n documents with ``doc``, ``source``, ``length`` and ``modified``.
        policies: names of ``POLICIES``, the weightiest first. Ties go to the first in source order.

    Returns:
        n row numbers (``int64``).

    Raises:
        OptionError: a policy is unknown.
    """
    table = documents.select(["doc"])
    keys: list[tuple[str, str]] = []
    for number, policy in enumerate(policies):
        column, order = _key(documents, policy)
        if column is not None:
            table = table.append_column(f"key{number}", column)
            keys.append((f"key{number}", order))
    return pc.sort_indices(table, sort_keys=[*keys, ("doc", "ascending")]).cast(pa.int64())


def _key(documents: pa.Table, policy: str) -> tuple[pa.Array | None, str]:
    name, _, pattern = policy.partition(":")
    if policy == "first":
        return None, "ascending"
    if policy == "longest":
        return documents["length"], "descending"
    if policy == "newest":
        return documents["modified"], "descending"
    if name == "prefer" and pattern:
        return _matches(documents["source"], pattern), "descending"
    raise OptionError(f"keep is {policy!r}; it must be one of {', '.join(POLICIES)}.")


def check(policies: Sequence[str]) -> None:
    """Refuse unknown policies before any work.

    Raises:
        OptionError: a policy is unknown.
    """
    empty = {"source": pa.array([], pa.string()), "length": [], "modified": []}
    for policy in policies:
        _key(pa.table(empty), policy)


def _matches(sources: pa.ChunkedArray, pattern: str) -> pa.Array:
    matches = re.compile(fnmatch.translate(pattern)).match
    names = ((source, source.rpartition("/")[2]) for source in sources.to_pylist())
    return pa.array([bool(matches(path) or matches(name)) for path, name in names], pa.bool_())
